// PETSc's matrix MATFFTW of random numbers: what it gives, and what is left after the way there and back.
#include <petscmat.h>

int main(int argc, char** argv) {
  PetscInt dim[3] = {40, 42, 44}, size;
  PetscReal largest, error, norm;
  PetscRandom random;
  Mat fft;
  Vec field, x, y, z, back;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &dim[0], NULL));
  size = dim[0] * dim[1] * dim[2];
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, size, &field));
  PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &random));
  PetscCall(VecSetRandom(field, random));
  PetscCall(VecDuplicate(field, &back));
  PetscCall(MatCreateFFT(PETSC_COMM_WORLD, 3, dim, MATFFTW, &fft));
  PetscCall(MatCreateVecsFFTW(fft, &x, &y, &z));
  PetscCall(VecScatterPetscToFFTW(fft, field, x));
  PetscCall(MatMult(fft, x, y));
  PetscCall(VecNorm(y, NORM_INFINITY, &largest));
  PetscCall(VecNorm(y, NORM_2, &norm));
  PetscCall(MatMultTranspose(fft, y, z));
  PetscCall(VecScatterFFTWToPetsc(fft, z, back));
  PetscCall(VecAXPY(back, -(PetscReal)size, field));
  PetscCall(VecNorm(back, NORM_INFINITY, &error));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%.15e %.15e %.1e\n", largest, norm, error / size));
  PetscCall(PetscFinalize());
  return 0;
}
