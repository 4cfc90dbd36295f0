! FFTW's interface for Fortran 2003: a field that is one wave has one number in its spectrum.
program waves
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none
  include 'fftw3-mpi.f03'
  integer(C_INTPTR_T), parameter :: n0 = 6, n1 = 8, n2 = 10
  integer(C_INTPTR_T) :: numbers, planes, first, i, j, k
  integer :: failed, rank, wrong, all_wrong
  type(C_PTR) :: memory, plan
  real(C_DOUBLE), pointer :: field(:, :, :)
  complex(C_DOUBLE_COMPLEX), pointer :: spectrum(:, :, :)
  real(C_DOUBLE) :: expected, angle
  real(C_DOUBLE), parameter :: pi = 3.14159265358979323846d0

  call MPI_Init(failed)
  call fftw_mpi_init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, failed)
  ! Fortran's last index is the slowest: FFTW is given the extents in reverse.
  numbers = fftw_mpi_local_size_3d(n2, n1, n0/2 + 1, MPI_COMM_WORLD, planes, first)
  memory = fftw_alloc_complex(numbers)
  call c_f_pointer(memory, spectrum, [n0/2 + 1, n1, planes])
  call c_f_pointer(memory, field, [2*(n0/2 + 1), n1, planes])
  plan = fftw_mpi_plan_dft_r2c_3d(n2, n1, n0, field, spectrum, MPI_COMM_WORLD, FFTW_ESTIMATE)
  do k = 1, planes
    do j = 1, n1
      do i = 1, n0
        angle = 2*pi*(real(i - 1, C_DOUBLE)/n0 + 2*real(j - 1, C_DOUBLE)/n1 + 3*real(first + k - 1, C_DOUBLE)/n2)
        field(i, j, k) = cos(angle)
      end do
    end do
  end do
  call fftw_mpi_execute_dft_r2c(plan, field, spectrum)
  wrong = 0
  do k = 1, planes
    do j = 1, n1
      do i = 1, n0/2 + 1
        expected = 0
        if (i == 2 .and. j == 3 .and. first + k == 4) expected = real(n0*n1*n2, C_DOUBLE)/2
        if (abs(spectrum(i, j, k) - expected) > 1d-10) wrong = wrong + 1
      end do
    end do
  end do
  call fftw_destroy_plan(plan)
  call fftw_free(memory)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, failed)
  if (rank == 0 .and. all_wrong == 0) print '(a)', 'the spectrum is right'
  if (rank == 0 .and. all_wrong /= 0) print '(i0,a)', all_wrong, ' numbers of the spectrum are wrong'
  call fftw_mpi_cleanup()
  call MPI_Finalize(failed)
end program
