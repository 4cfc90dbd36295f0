! Wave functions of a plane-wave code: from the sphere of their plane waves to space, their density, and a local potential.
!
!   mpiexec -n 2 sphere
program sphere
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use weft
  implicit none

  integer, parameter :: bands = 4
  real(real64), parameter :: edge = 10.2_real64, energy = 6, electrons = 2, pi = acos(-1._real64)
  real(real64) :: lattice(3, 3), charge, charge_wanted, difference
  integer(int64), allocatable :: all_waves(:, :), waves(:, :)
  integer, allocatable :: owner(:)
  type(weft_sphere_transform) :: fft
  type(weft_box) :: here
  complex(real64), allocatable :: c(:, :), v_psi(:, :), psi(:, :, :, :), again(:, :)
  real(real64), allocatable :: density(:, :, :), potential(:, :, :)
  integer(int64) :: grid(3), i, x
  integer :: rank, ranks, band
  logical :: right

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! A cube; the columns of `lattice` are a1, a2, a3 in bohr.
  lattice = 0
  do i = 1, 3
    lattice(i, i) = edge
  end do
  call weft_plane_waves(lattice, energy, all_waves)
  grid = weft_sphere_grid(lattice, energy)
  call weft_deal_columns(all_waves, ranks, owner)
  waves = all_waves(:, pack([(i, i=1, size(all_waves, 2, int64))], owner == rank))

  ! With normalization='forward' psi has no factor, and forward brings the coefficients back.
  call fft%create(grid, waves, MPI_COMM_WORLD, howmany=bands, normalization='forward')
  here = fft%space_box()
  associate (lo => here%lower, hi => here%upper)
    allocate (psi(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3), bands))
    allocate (density(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3)), potential(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3)))
  end associate
  allocate (c(size(waves, 2), bands), v_psi(size(waves, 2), bands), again(size(waves, 2), bands))

  ! Any coefficients, and |psi|^2 as those of two electrons in each band.
  do band = 1, bands
    do i = 1, size(waves, 2, int64)
      c(i, band) = cmplx(sin(real(band + sum(waves(:, i)), real64)), cos(real(product(waves(:, i)), real64)), real64)
    end do
  end do
  call fft%backward(c, psi)
  density = 0
  call fft%density(c, density, weights=spread(electrons, 1, bands))
  charge = sum_of_all(sum(density)) / product(real(grid, real64))
  charge_wanted = sum_of_all(electrons * sum(abs(c)**2))

  ! A potential in one call, which makes no array in space, and step by step.
  do x = here%lower(1), here%upper(1)
    potential(x, :, :) = cos(2 * pi * real(x - 1, real64) / real(grid(1), real64))
  end do
  call fft%apply(potential, c, v_psi)
  do band = 1, bands
    psi(:, :, :, band) = potential * psi(:, :, :, band)
  end do
  call fft%forward(psi, again)
  difference = sqrt(sum_of_all(sum(abs(v_psi - again)**2)) / sum_of_all(sum(abs(v_psi)**2)))

  right = abs(charge / charge_wanted - 1) < 1e-12_real64 .and. difference < 1e-12_real64
  if (rank == 0) then
    print '(a, i0, a, 3(i0, :, " x "))', ' ', size(all_waves, 2), ' plane waves on a grid of ', grid
    print '(a, f14.8, a, f14.8)', ' charge', charge, ', of the coefficients', charge_wanted
    print '(a, es8.1)', ' v psi in one call and step by step differ by', difference
    print '(2a)', ' the transforms are ', merge('right', 'WRONG', right)
  end if
  call fft%destroy()
  call MPI_Finalize()
  if (.not. right) error stop 1

contains

  real(real64) function sum_of_all(part) result(total)
    real(real64), intent(in) :: part
    call MPI_Allreduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function
end program
