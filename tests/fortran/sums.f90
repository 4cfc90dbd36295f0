! Transforms as sums written out, and counting of what differs: for tests of what the examples put into other programs.
module sums
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use mpi
  implicit none
  private
  public :: transformed, coefficient, index_of, expect, expect_true, report

  integer, save :: wrong = 0, checks = 0

contains

  !> The index, negative or not, of the one counted from 0.
  integer function index_of(x, extent)
    integer, intent(in) :: x, extent
    index_of = x - merge(extent, 0, 2 * x > extent)
  end function

  !> Any number for a place.
  complex(real64) function coefficient(x, y, z, band)
    integer, intent(in) :: x, y, z, band
    coefficient = cmplx(sin(1.3_real64 * x + 2 * y + 0.7_real64 * z + band), cos(x - 1.1_real64 * y + 3 * z - 2 * band), real64)
  end function

  !> The sums over all axes of a whole grid.
  function transformed(field, sign) result(other)
    complex(real64), intent(in) :: field(:, :, :)
    integer, intent(in) :: sign
    complex(real64) :: other(size(field, 1), size(field, 2), size(field, 3))
    integer :: i, n(3)
    n = shape(field)
    other = reshape(matmul(phases(n(1), sign), reshape(field, [n(1), n(2) * n(3)])), n)
    do i = 1, n(3)
      other(:, :, i) = matmul(other(:, :, i), phases(n(2), sign))
    end do
    other = reshape(matmul(reshape(other, [n(1) * n(2), n(3)]), phases(n(3), sign)), n)
  end function

  function phases(extent, sign) result(matrix)
    integer, intent(in) :: extent, sign
    complex(real64) :: matrix(extent, extent)
    real(real64), parameter :: two_pi = 2 * acos(-1._real64)
    integer :: i, j
    do j = 1, extent
      matrix(:, j) = [(exp(cmplx(0, sign * two_pi * mod((i - 1) * (j - 1), extent) / extent, real64)), i=1, extent)]
    end do
  end function

  subroutine expect(what, difference)
    character(len=*), intent(in) :: what
    real(real64), intent(in) :: difference
    integer :: rank, ignored
    checks = checks + 1
    if (difference < 1e-12_real64) return
    wrong = wrong + 1
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ignored)
    write (error_unit, '(a, i0, 3a, es8.1)') 'rank ', rank, ': ', what, ' differs by', difference
  end subroutine

  subroutine expect_true(what, right)
    character(len=*), intent(in) :: what
    logical, intent(in) :: right
    call expect(what, merge(0._real64, 1._real64, right))
  end subroutine

  !> What was found on all ranks; ends the program.
  subroutine report()
    integer :: rank, ignored
    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ignored)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ignored)
    if (rank == 0) print '(a, i0, a, i0, a)', ' ', checks, ' checks, ', wrong, ' wrong'
    call MPI_Finalize(ignored)
    if (wrong > 0 .or. checks == 0) error stop 1
  end subroutine
end module
