! What examples/quantum-espresso does for FFTXlib, with descriptors like FFTXlib's, compared with sums written out.
program espresso
  use, intrinsic :: iso_fortran_env, only: real64
  use fft_types, only: fft_type_descriptor
  use mpi
  use sums
  use weft_fft_plans, only: most_plans
  use weft_fftxlib
  implicit none

  integer, parameter :: bands = 19, k_points = 33
  integer :: n(3) = [12, 10, 9]
  integer :: rank, ranks, ignored

  call MPI_Init(ignored)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ignored)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ignored)
  most_plans = 30  ! fewer than k-points
  call check_sticks(groups=1)
  call check_spheres(groups=1, lpara=.true.)
  if (ranks == 1) call check_spheres(groups=1, lpara=.false.)
  if (mod(ranks, 2) == 0) call check_sticks(groups=2)
  if (mod(ranks, 2) == 0) call check_spheres(groups=2, lpara=.true.)
  call check_refusals()
  ! Fewer planes than ranks.
  n(3) = 3
  if (ranks == 4) call check_sticks(groups=2)
  if (ranks == 4) call check_spheres(groups=2, lpara=.true.)
  call report()

contains

  !> Sticks of densities are those with x^2 + y^2 <= 16, sticks of waves those with <= 7. Dealt in turn, those of waves first.
  function descriptor(groups, lpara) result(dfft)
    integer, intent(in) :: groups
    logical, intent(in) :: lpara
    type(fft_type_descriptor) :: dfft
    integer, allocatable :: dealt(:, :)
    integer :: x, y, pass, stick, planes
    dfft%nr1 = n(1)
    dfft%nr2 = n(2)
    dfft%nr3 = n(3)
    dfft%nr1x = n(1)
    dfft%nr2x = n(2)
    dfft%nr3x = n(3)
    dfft%lpara = lpara
    dfft%comm = MPI_COMM_WORLD
    dfft%mype = rank
    dfft%nproc2 = groups
    dfft%mype2 = mod(rank, groups)
    dfft%mype3 = rank / groups
    call MPI_Comm_split(dfft%comm, mod(rank, groups), rank, dfft%comm3, ignored)
    planes = ranks / groups
    allocate (dfft%nr2p(groups), dfft%nr3p(planes), dfft%nsp(ranks), dfft%nsw(ranks), dfft%iss(ranks), dealt(n(1) * n(2), ranks))
    dfft%nr3p = n(3) / planes
    dfft%nr3p(:mod(n(3), planes)) = dfft%nr3p(:mod(n(3), planes)) + 1
    dfft%nr2p = n(2) / groups
    dfft%nr2p(:mod(n(2), groups)) = dfft%nr2p(:mod(n(2), groups)) + 1
    allocate (dfft%iproc(groups, planes), source=reshape([(x, x=1, ranks)], [groups, planes]))
    dfft%nsp = 0
    stick = 0
    do pass = 1, 2
      do y = 0, n(2) - 1
        do x = 0, n(1) - 1
          associate (radius => index_of(x, n(1))**2 + index_of(y, n(2))**2, owner => mod(stick, ranks) + 1)
            if (merge(radius <= 7, radius > 7 .and. radius <= 16, pass == 1)) then
              dfft%nsp(owner) = dfft%nsp(owner) + 1
              dealt(dfft%nsp(owner), owner) = 1 + x + y * n(1)
              stick = stick + 1
            end if
          end associate
        end do
      end do
      if (pass == 1) dfft%nsw = dfft%nsp
    end do
    dfft%iss = [(sum(dfft%nsp(:x - 1)), x=1, ranks)]
    allocate (dfft%ismap(sum(dfft%nsp)))
    do x = 1, ranks
      dfft%ismap(dfft%iss(x) + 1:dfft%iss(x) + dfft%nsp(x)) = dealt(:dfft%nsp(x), x)
    end do
  end function

  !> This rank's planes of a grid, or pieces of them.
  function here(dfft, field, in_pieces) result(part)
    type(fft_type_descriptor), intent(in) :: dfft
    complex(real64), intent(in) :: field(:, :, :)
    logical, intent(in) :: in_pieces
    complex(real64), allocatable :: part(:)
    integer :: first, rows(2)
    first = sum(dfft%nr3p(:dfft%mype3))
    rows = [0, n(2)]
    if (in_pieces) rows = [sum(dfft%nr2p(:dfft%mype2)), sum(dfft%nr2p(:dfft%mype2 + 1))]
    part = reshape(field(:, rows(1) + 1:rows(2), first + 1:first + dfft%nr3p(dfft%mype3 + 1)), &
                   [n(1) * (rows(2) - rows(1)) * dfft%nr3p(dfft%mype3 + 1)])
  end function

  !> Where the sticks of some ranks are.
  function places_of(dfft, of_ranks, isgn) result(places)
    type(fft_type_descriptor), intent(in) :: dfft
    integer, intent(in) :: of_ranks(:), isgn
    integer, allocatable :: places(:)
    integer :: i
    allocate (places(0))
    do i = 1, size(of_ranks)
      associate (first => dfft%iss(of_ranks(i)), many => merge(dfft%nsp, dfft%nsw, isgn == 1))
        places = [places, dfft%ismap(first + 1:first + many(of_ranks(i)))]
      end associate
    end do
  end function

  !> Transforms of whole sticks: isgn 1 and 2, with groups to pieces of planes; and with groups 3.
  subroutine check_sticks(groups)
    integer, intent(in) :: groups
    type(fft_type_descriptor) :: dfft, again
    complex(real64) :: full(n(1), n(2), n(3)), given(n(1), n(2), n(3))
    complex(real64), allocatable :: sticks(:), space(:), wanted(:)
    integer, allocatable :: places(:), all_places(:)
    integer :: isgn, i, j, z, more, all_ranks(ranks)
    character(len=6) :: name
    do isgn = 1, merge(2, 3, groups == 1)
      dfft = descriptor(groups, .true.)
      ! The sticks that are here, and those of all ranks that transform together.
      all_ranks = [(i, i=1, ranks)]
      places = places_of(dfft, pack(all_ranks, merge((all_ranks - 1) / groups == dfft%mype3, all_ranks == rank + 1, isgn == 3)), &
                         isgn)
      all_places = places_of(dfft, all_ranks, isgn)
      full = 0
      do i = 1, size(all_places)
        do z = 0, n(3) - 1
          associate (x => mod(all_places(i) - 1, n(1)), y => (all_places(i) - 1) / n(1))
            full(x + 1, y + 1, z + 1) = coefficient(x, y, z, 0)
          end associate
        end do
      end do
      do j = 1, n(2)
        do i = 1, n(1)
          given(i, j, :) = [(coefficient(j, i, 2 * z, 1), z=1, n(3))]
        end do
      end do

      more = 5
      allocate (wanted(0))
      do i = 1, size(places)
        wanted = [wanted, full(mod(places(i) - 1, n(1)) + 1, (places(i) - 1) / n(1) + 1, :)]
      end do
      allocate (sticks(max(size(wanted), 1) + more))
      allocate (space(size(here(dfft, full, isgn /= 3)) + more))
      write (name, '(a, i0)') 'isgn ', isgn
      sticks = 7
      sticks(:size(wanted)) = wanted
      space = 7
      call expect_true(name, weft_to_space(dfft, isgn, sticks, space))
      call expect(name, maxval(abs(space - [here(dfft, transformed(full, 1), isgn /= 3), [(cmplx(0, 0, real64), i=1, more)]])))

      ! A copy of the descriptor has the same plan.
      again = dfft
      given = given * merge(1, 2, isgn == 1)
      space(:size(space) - more) = here(dfft, given, isgn /= 3)
      full = transformed(given, -1) / product(n)
      deallocate (wanted)
      allocate (wanted(0))
      do i = 1, size(places)
        wanted = [wanted, full(mod(places(i) - 1, n(1)) + 1, (places(i) - 1) / n(1) + 1, :)]
      end do
      call expect_true(name, weft_to_sticks(again, -isgn, space, sticks))
      call expect(name//', back', maxval(abs([sticks(:size(wanted)) - wanted, cmplx(0, 0, real64)])))
      deallocate (wanted, sticks, space)
    end do
  end subroutine

  !> v psi and densities of many k-points, then of some again; and at Gamma. With groups, planes are cut into pieces.
  subroutine check_spheres(groups, lpara)
    integer, intent(in) :: groups
    logical, intent(in) :: lpara
    type(fft_type_descriptor) :: dfft
    integer :: k, round
    dfft = descriptor(groups, lpara)
    do round = 1, 2
      do k = 1, k_points, merge(1, 11, round == 1)
        call check_sphere(dfft, 0.5_real64 * k / k_points, .false.)
      end do
      call check_sphere(dfft, 0._real64, .true.)
    end do
  end subroutine

  subroutine check_sphere(dfft, k, gamma)
    type(fft_type_descriptor), intent(in) :: dfft
    real(real64), intent(in) :: k
    logical, intent(in) :: gamma
    integer, allocatable :: nl(:), waves(:, :)
    complex(real64), allocatable :: psi(:, :), hpsi(:, :), wanted(:, :)
    real(real64), allocatable :: rho(:), rho_wanted(:), v(:)
    real(real64) :: v_full(n(1), n(2), n(3)), weights(bands)
    complex(real64) :: full(n(1), n(2), n(3))
    integer :: x, y, z, i, j, band, many, lda, place(3)
    many = merge(bands, 3, gamma)
    ! Waves of this rank, and where they lie.
    allocate (nl(0), waves(3, 0))
    if (dfft%lpara) then
      do i = 1, dfft%nsw(rank + 1)
        associate (stick => dfft%ismap(dfft%iss(rank + 1) + i) - 1)
          do z = 0, n(3) - 1
            if (.not. inside(mod(stick, n(1)), stick / n(1), z, k, gamma)) cycle
            nl = [nl, z + 1 + (i - 1) * n(3)]
            waves = reshape([waves, mod(stick, n(1)), stick / n(1), z], [3, size(nl)])
          end do
        end associate
      end do
    else
      do z = 0, n(3) - 1
        do y = 0, n(2) - 1
          do x = 0, n(1) - 1
            if (.not. inside(x, y, z, k, gamma)) cycle
            nl = [nl, 1 + x + n(1) * (y + n(2) * z)]
            waves = reshape([waves, x, y, z], [3, size(nl)])
          end do
        end do
      end do
    end if

    do z = 1, n(3)
      do y = 1, n(2)
        v_full(:, y, z) = [(real(coefficient(x, y, z, 3), real64), x=1, n(1))]
      end do
    end do
    v = real(here(dfft, cmplx(v_full, kind=real64), in_pieces=.true.), real64)
    weights = [(0.1_real64 * band, band=1, bands)]
    lda = size(nl) + 2
    allocate (psi(lda, many), hpsi(lda, many), wanted(lda, many), rho(size(v)), rho_wanted(size(v)))
    psi = 0
    hpsi = 1
    wanted = 1
    rho = 2
    rho_wanted = 2
    do band = 1, many
      full = 0
      do z = 0, n(3) - 1
        do y = 0, n(2) - 1
          do x = 0, n(1) - 1
            if (.not. inside(x, y, z, k, gamma)) cycle
            full(x + 1, y + 1, z + 1) = value_of(x, y, z, band, gamma)
            place = modulo(-[x, y, z], n) + 1
            if (gamma) full(place(1), place(2), place(3)) = conjg(value_of(x, y, z, band, gamma))
          end do
        end do
      end do
      psi(:size(nl), band) = [(value_of(waves(1, j), waves(2, j), waves(3, j), band, gamma), j=1, size(nl))]
      full = transformed(full, 1)
      rho_wanted = rho_wanted + weights(band) * abs(here(dfft, full, in_pieces=.true.))**2
      full = transformed(full * v_full, -1) / product(n)
      wanted(:size(nl), band) = 1 + [(full(waves(1, j) + 1, waves(2, j) + 1, waves(3, j) + 1), j=1, size(nl))]
    end do
    call expect_true('vloc_psi', weft_vloc_psi(dfft, nl, gamma, lda, many, psi, v, hpsi))
    call expect('vloc_psi', maxval(abs(hpsi - wanted)))
    call expect_true('density', weft_density(dfft, nl, gamma, lda, many, psi, weights(:many), rho))
    call expect('density', maxval(abs([rho - rho_wanted, 0._real64])) / maxval([rho_wanted, 1._real64]))
  end subroutine

  logical function inside(x, y, z, k, gamma)
    integer, intent(in) :: x, y, z
    real(real64), intent(in) :: k
    logical, intent(in) :: gamma
    integer :: g(3)
    g = [index_of(x, n(1)), index_of(y, n(2)), index_of(z, n(3))]
    inside = (g(1) + k)**2 + g(2)**2 + (g(3) - k)**2 <= 4.5_real64
    if (gamma) inside = inside .and. (g(1) > 0 .or. (g(1) == 0 .and. (g(2) > 0 .or. (g(2) == 0 .and. g(3) >= 0))))
  end function

  complex(real64) function value_of(x, y, z, band, gamma)
    integer, intent(in) :: x, y, z, band
    logical, intent(in) :: gamma
    value_of = coefficient(x, y, z, band)
    if (gamma .and. all([x, y, z] == 0)) value_of = real(value_of, real64)
  end function

  !> What Weft cannot do is left to the caller.
  subroutine check_refusals()
    type(fft_type_descriptor) :: dfft
    complex(real64) :: nothing(1), bands_of_one(1, 1)
    real(real64) :: real_nothing(1)
    dfft = descriptor(1, .true.)
    dfft%nr1x = n(1) + 1
    call expect_true('padded rows', .not. weft_to_space(dfft, 1, nothing, nothing))
    call expect_true('padded rows', .not. weft_vloc_psi(dfft, [1], .false., 1, 1, bands_of_one, real_nothing, bands_of_one))
    call expect_true('padded rows', .not. weft_density(dfft, [1], .false., 1, 1, bands_of_one, real_nothing, real_nothing))
    dfft%nr1x = n(1)
    dfft%nproc2 = 2
    dfft%nr2p = [4, 6]
    call expect_true('uneven pieces of planes', .not. weft_to_sticks(dfft, -2, nothing, nothing))
    dfft = descriptor(1, .true.)
    dfft%use_pencil_decomposition = .false.
    call expect_true('planes of FFTXlib in two dimensions', .not. weft_to_space(dfft, 2, nothing, nothing))
  end subroutine
end program
