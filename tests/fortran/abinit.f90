! What examples/abinit does for ABINIT, in arrays like those of fourwf and fourdp, compared with sums written out.
program abinit
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi
  use sums
  use weft_abinit
  use weft_fft_plans, only: most_plans
  implicit none

  ! Twelve: planes and rows are dealt evenly to one to four ranks. Rows of arrays in space are longer than those of the grid.
  integer, parameter :: n(3) = [10, 12, 12], padded(3) = [11, 13, 12], bands = 11
  integer :: rank, ranks, planes, first, ignored

  call MPI_Init(ignored)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ignored)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ignored)
  planes = n(3) / ranks
  first = 1 + rank * planes
  most_plans = 3  ! fewer than there are below: some are made again
  call check_waves(waves_near(0._real64), waves_near(0._real64), .false.)
  call check_waves(waves_near(0.4_real64), waves_near(0._real64), .false.)
  call check_waves(waves_near(0._real64), waves_near(0.4_real64), .false.)
  if (ranks == 1) then
    call check_waves(half(waves_near(0._real64)), half(waves_near(0._real64)), .true.)
    call check_waves(half(waves_near(0._real64)), half(waves_near(0.1_real64)), .true.)
  end if
  call check_refusals()
  call check_fields(fields=1)
  call check_fields(fields=2)
  call report()

contains

  !> Plane waves around (k, 0, -k), those of one y on one rank, in turn. The last come first.
  function waves_near(k) result(waves)
    real(real64), intent(in) :: k
    integer, allocatable :: waves(:, :)
    integer :: x, y, z
    allocate (waves(3, 0))
    do z = 0, n(3) - 1
      do y = rank, n(2) - 1, ranks
        do x = 0, n(1) - 1
          associate (g => [index_of(x, n(1)), index_of(y, n(2)), index_of(z, n(3))])
            if ((g(1) + k)**2 + g(2)**2 + (g(3) - k)**2 > 5) cycle
            waves = reshape([g, waves], [3, size(waves, 2) + 1])
          end associate
        end do
      end do
    end do
  end function

  !> One of each pair G, -G.
  function half(waves)
    integer, intent(in) :: waves(:, :)
    integer, allocatable :: half(:, :)
    integer :: i
    allocate (half(3, 0))
    do i = 1, size(waves, 2)
      associate (g => waves(:, i))
        if (g(3) > 0 .or. (g(3) == 0 .and. (g(2) > 0 .or. (g(2) == 0 .and. g(1) >= 0)))) then
          half = reshape([half, g], [3, size(half, 2) + 1])
        end if
      end associate
    end do
  end function

  complex(real64) function value_of(wave, band)
    integer, intent(in) :: wave(3), band
    value_of = coefficient(wave(1), wave(2), wave(3), band)
    if (all(wave == 0)) value_of = real(value_of)
  end function

  !> The functions in space, on the whole grid. Each rank knows its own waves.
  function in_space(waves, band, gamma) result(field)
    integer, intent(in) :: waves(:, :), band
    logical, intent(in) :: gamma
    complex(real64) :: field(n(1), n(2), n(3))
    integer :: i
    field = 0
    do i = 1, size(waves, 2)
      associate (at => modulo(waves(:, i), n) + 1, mirror => modulo(-waves(:, i), n) + 1)
        if (gamma) field(mirror(1), mirror(2), mirror(3)) = conjg(value_of(waves(:, i), band))
        field(at(1), at(2), at(3)) = value_of(waves(:, i), band)
      end associate
    end do
    call MPI_Allreduce(MPI_IN_PLACE, field, size(field), MPI_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ignored)
    field = transformed(field, 1)
  end function

  !> Of a function in space.
  function coefficients_of(waves, field) result(of_waves)
    integer, intent(in) :: waves(:, :)
    complex(real64), intent(in) :: field(:, :, :)
    complex(real64), allocatable :: of_waves(:)
    complex(real64) :: all(n(1), n(2), n(3))
    integer :: i
    all = transformed(field, -1) / product(n)
    allocate (of_waves(size(waves, 2)))
    do i = 1, size(waves, 2)
      associate (at => modulo(waves(:, i), n) + 1)
        of_waves(i) = all(at(1), at(2), at(3))
      end associate
    end do
  end function

  pure function pairs_of(numbers) result(pairs)
    complex(real64), intent(in) :: numbers(:)
    real(real64) :: pairs(2, size(numbers))
    pairs(1, :) = real(numbers)
    pairs(2, :) = aimag(numbers)
  end function

  !> All options of fourwf, for functions with the plane waves `in`, whose products have those of `out`.
  subroutine check_waves(in, out, gamma)
    integer, intent(in) :: in(:, :), out(:, :)
    logical, intent(in) :: gamma
    real(real64), parameter :: weight = 0.3_real64, other = 0.4_real64  ! of real and of imaginary parts
    real(real64), allocatable :: fofgin(:, :), fofgout(:, :), wanted(:, :), fofr(:, :, :, :), space(:, :, :, :)
    real(real64) :: denpot(padded(1), padded(2), padded(3)), potential(padded(1), padded(2), padded(3))
    real(real64) :: density(padded(1), padded(2), padded(3)), of_complex(2 * padded(1), padded(2), padded(3))
    complex(real64) :: field(n(1), n(2), n(3))
    integer :: band, i, x, y, z, wide, istwf_k
    istwf_k = merge(2, 1, gamma)
    wide = padded(3) / ranks
    allocate (fofgin(2, size(in, 2) * bands), fofgout(2, size(out, 2) * bands), wanted(2, size(out, 2) * bands))
    allocate (fofr(2, padded(1), padded(2), padded(3) * bands), source=5._real64)
    do z = 1, padded(3)
      do y = 1, padded(2)
        potential(:, y, z) = [(real(coefficient(x, y, z, 3), real64), x=1, padded(1))]
      end do
    end do
    space = fofr
    density = 2
    do band = 1, bands
      fofgin(:, size(in, 2) * (band - 1) + 1:size(in, 2) * band) = pairs_of([(value_of(in(:, i), band), i=1, size(in, 2))])
      field = in_space(in, band, gamma)
      associate (at => wide * (band - 1))
        space(1, :n(1), :n(2), at + 1:at + planes) = real(field(:, :, first:first + planes - 1))
        space(2, :n(1), :n(2), at + 1:at + planes) = aimag(field(:, :, first:first + planes - 1))
      end associate
      associate (mine => density(:n(1), :n(2), first:first + planes - 1))
        mine = mine + weight * real(field(:, :, first:first + planes - 1))**2 &
               + other * aimag(field(:, :, first:first + planes - 1))**2
      end associate
      field = field * potential(:n(1), :n(2), :)
      wanted(:, size(out, 2) * (band - 1) + 1:size(out, 2) * band) = pairs_of(coefficients_of(out, field))
    end do

    denpot = potential
    call expect_true('option 0', asked(0, istwf_k, denpot, fofgin, fofgout, fofr, in, out, weight))
    call expect('option 0', maxval(abs(fofr - space)))
    denpot = 2
    call expect_true('option 1', asked(1, istwf_k, denpot, fofgin, fofgout, fofr, in, out, weight, other))
    call expect('option 1', maxval(abs(denpot - density)) / maxval(density))
    denpot = potential
    fofgout = 7
    call expect_true('option 2', asked(2, istwf_k, denpot, fofgin, fofgout, fofr, in, out, weight))
    call expect('option 2', maxval(abs([fofgout - wanted, 0._real64])))
    if (.not. gamma) then
      ! A complex one, of which the real parts are those.
      of_complex(::2, :, :) = potential
      of_complex(2::2, :, :) = -2 * potential
      do i = 1, size(wanted, 2)
        associate (w => cmplx(wanted(1, i), wanted(2, i), real64) * cmplx(1, -2, real64))
          wanted(:, i) = [real(w), aimag(w)]
        end associate
      end do
      call expect_true('a complex potential', asked(2, istwf_k, of_complex, fofgin, fofgout, fofr, in, out, weight))
      call expect('a complex potential', maxval(abs([fofgout - wanted, 0._real64])))
    end if
    do band = 1, bands
      field = in_space(in, band, gamma)
      wanted(:, size(out, 2) * (band - 1) + 1:size(out, 2) * band) = pairs_of(coefficients_of(out, field))
    end do
    fofr = space
    call expect_true('option 3', asked(3, istwf_k, denpot, fofgin, fofgout, fofr, in, out, weight))
    call expect('option 3', maxval(abs([fofgout - wanted, 0._real64])))
    call expect('what is left alone', maxval(abs(fofr - space)) + maxval(abs(denpot - potential)))
  end subroutine

  logical function asked(option, istwf_k, denpot, fofgin, fofgout, fofr, in, out, weight, weight_i)
    integer, intent(in) :: option, istwf_k, in(:, :), out(:, :)
    real(real64), intent(inout), contiguous :: denpot(:, :, :), fofgin(:, :), fofgout(:, :), fofr(:, :, :, :)
    real(real64), intent(in) :: weight
    real(real64), intent(in), optional :: weight_i
    real(real64) :: other
    other = weight
    if (present(weight_i)) other = weight_i
    asked = weft_fourwf(size(denpot, 1) / padded(1), denpot, fofgin, fofgout, fofr, istwf_k, in, out, n(1), n(2), n(3), &
                        size(in, 2), size(out, 2), padded(1), padded(2), padded(3), bands, option, weight, other, MPI_COMM_WORLD)
  end function

  !> What Weft cannot do is left to the caller, and nothing is changed.
  subroutine check_refusals()
    integer, allocatable :: waves(:, :)
    real(real64), allocatable :: coefficients(:, :), out(:, :), fofr(:, :, :, :), denpot(:, :, :), of_complex(:, :, :)
    allocate (waves, source=waves_near(0._real64))
    allocate (coefficients(2, size(waves, 2) * bands), out(2, size(waves, 2) * bands), source=1._real64)
    allocate (fofr(2, padded(1), padded(2), padded(3) * bands), denpot(padded(1), padded(2), padded(3)), source=1._real64)
    allocate (of_complex(2 * padded(1), padded(2), padded(3)), source=1._real64)
    call expect_true('istwf_k', .not. asked(2, merge(3, 2, ranks == 1), denpot, coefficients, out, fofr, waves, waves, 1._real64))
    call expect_true('a complex potential of real functions', &
                     .not. asked(2, 2, of_complex, coefficients, out, fofr, waves, waves, 1._real64))
    call expect('what is left alone', maxval(abs(fofr - 1)) + maxval(abs(denpot - 1)) + maxval(abs([out - 1, 0._real64])))
    if (ranks == 1) return
    call expect_true('planes', .not. weft_fourdp(2, 1, n(1), n(2), ranks + 1, n(1) * n(2), 1, coefficients, fofr, MPI_COMM_WORLD))
  end subroutine

  !> fourdp there and back, of complex and of real fields.
  subroutine check_fields(fields)
    integer, intent(in) :: fields
    complex(real64) :: all(n(1), n(2), n(3)), spectrum(n(1), n(2), n(3))
    real(real64), allocatable :: fofg(:, :, :), fofr(:, :), wanted_g(:, :, :), wanted_r(:, :)
    integer :: cplex, field, nfft, x, y, z, rows
    rows = n(2) / ranks
    nfft = product(n) / ranks
    do cplex = 1, 2
      allocate (fofg(2, nfft, fields), wanted_g(2, nfft, fields), fofr(cplex * nfft, fields), wanted_r(cplex * nfft, fields))
      do field = 1, fields
        do z = 1, n(3)
          do y = 1, n(2)
            all(:, y, z) = [(coefficient(x, y, z, field), x=1, n(1))]
          end do
        end do
        if (cplex == 1) all = real(all)
        spectrum = transformed(all, -1) / product(n)
        associate (values => pairs_of([all(:, :, first:first + planes - 1)]))
          wanted_r(:, field) = merge(reshape(values(1, :), [cplex * nfft], pad=[0._real64]), reshape(values, [cplex * nfft]), &
                                     cplex == 1)
        end associate
        wanted_g(:, :, field) = pairs_of([spectrum(:, rows * rank + 1:rows * (rank + 1), :)])
      end do
      fofr = wanted_r
      fofg = 3
      call expect_true('fourdp', weft_fourdp(cplex, -1, n(1), n(2), n(3), nfft, fields, fofg, fofr, MPI_COMM_WORLD))
      call expect('fourdp', maxval(abs(fofg - wanted_g)))
      fofr = 3
      call expect_true('fourdp', weft_fourdp(cplex, 1, n(1), n(2), n(3), nfft, fields, fofg, fofr, MPI_COMM_WORLD))
      call expect('fourdp, back', maxval(abs(fofr - wanted_r)))
      deallocate (fofg, wanted_g, fofr, wanted_r)
    end do
  end subroutine
end program
