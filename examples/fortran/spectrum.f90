! The power spectrum of a real field: how much of its mean square lies in each shell of wave numbers.
!
!   mpiexec -n 2 spectrum
program spectrum
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use weft
  implicit none

  integer, parameter :: n(3) = [48, 40, 36]
  real(real64), parameter :: pi = acos(-1._real64)
  type(weft_transform) :: fft
  type(weft_box) :: mine, theirs
  real(real64), allocatable :: field(:, :, :), power(:)
  complex(real64), allocatable :: modes(:, :, :)
  real(real64) :: mean_square, weight
  integer(int64) :: x, y, z
  integer :: rank, shell, k(3)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)

  ! forward divides by the number of points: what it returns are the amplitudes of waves.
  call fft%create(n, MPI_COMM_WORLD, kind='r2c', normalization='forward')
  mine = fft%input_box()
  theirs = fft%output_box()
  allocate (field(mine%lower(1):mine%upper(1), mine%lower(2):mine%upper(2), mine%lower(3):mine%upper(3)))
  allocate (modes(theirs%lower(1):theirs%upper(1), theirs%lower(2):theirs%upper(2), theirs%lower(3):theirs%upper(3)))

  ! Two waves, of wave numbers 5 and 13 (of the vectors (3, 4, 0) and (12, 3, 4)), and a constant.
  do z = mine%lower(3), mine%upper(3)
    do y = mine%lower(2), mine%upper(2)
      do x = mine%lower(1), mine%upper(1)
        field(x, y, z) = 0.5_real64 + 2 * cos(phase([3, 4, 0])) + cos(phase([12, 3, 4]))
      end do
    end do
  end do
  mean_square = sum_of_all(sum(field**2)) / product(real(n, real64))

  call fft%forward(field, modes)

  ! Along the first axis there is half of the spectrum; the other half is its conjugate.
  allocate (power(0:nint(norm2(real(n, real64)) / 2)))
  power = 0
  do z = theirs%lower(3), theirs%upper(3)
    do y = theirs%lower(2), theirs%upper(2)
      do x = theirs%lower(1), theirs%upper(1)
        k = wave_vector([x, y, z])
        weight = merge(1, 2, k(1) == 0 .or. 2 * abs(k(1)) == n(1))
        shell = nint(norm2(real(k, real64)))
        power(shell) = power(shell) + weight * abs(modes(x, y, z))**2
      end do
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, power, size(power), MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)

  if (rank == 0) then
    do shell = 0, ubound(power, 1)
      if (power(shell) > 1e-12_real64) print '(a, i3, f12.6)', ' wave number', shell, power(shell)
    end do
    print '(a, f12.6, a, f12.6)', ' sum', sum(power), ', mean square of the field', mean_square
    print '(2a)', ' the spectrum is ', merge('right', 'WRONG', right())
  end if
  call fft%destroy()
  call MPI_Finalize()
  if (.not. right()) error stop 1

contains

  real(real64) function phase(wave)
    integer, intent(in) :: wave(3)
    phase = 2 * pi * sum(real(wave, real64) * real([x, y, z] - 1, real64) / n)
  end function

  ! From 0 to n/2, and then from -n/2 to -1.
  function wave_vector(at) result(k)
    integer(int64), intent(in) :: at(3)
    integer :: k(3)
    k = int(at) - 1
    where (k > n / 2) k = k - n
  end function

  real(real64) function sum_of_all(part) result(total)
    real(real64), intent(in) :: part
    call MPI_Allreduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function

  logical function right()
    right = abs(power(0) - 0.25_real64) < 1e-12_real64 .and. abs(power(5) - 2) < 1e-12_real64 &
            .and. abs(power(13) - 0.5_real64) < 1e-12_real64 .and. abs(sum(power) - mean_square) < 1e-12_real64
  end function
end program
