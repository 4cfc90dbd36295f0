! Weft for FFTXlib, the library of Quantum ESPRESSO through which its programs do their FFTs: the hooks call these functions.
!
! Each tells whether it has done its work; if not, the caller goes on with FFTXlib's own. They are collective over the
! communicator of the descriptor, and answer the same on all its ranks.
module weft_fftxlib
  use, intrinsic :: iso_fortran_env, only: output_unit, real64
  use fft_types, only: fft_type_descriptor
  use mpi
  use weft, only: weft_box, weft_layout, weft_options, weft_sphere_transform
  use weft_fft_plans, only: known_plan, find_plan, made_quickly
  implicit none
  private
  public :: weft_to_space, weft_to_sticks, weft_vloc_psi, weft_density

  ! What a plan is for, the first number of its key. The first three are FFTXlib's isgn.
  integer, parameter :: densities = 1, waves = 2, task_groups = 3, spheres = 4, half_spheres = 5, pieces = 6

  !> Bands that stream through one execution.
  integer, parameter :: streaming = 8

  logical, save :: told(half_spheres) = .false.

contains

  !> From whole sticks, sticks(z + (stick-1)*nr3x), to space, [z][y][x]; no factor. The rest of `space` becomes 0.
  !> isgn: 1 the sticks of densities, 2 those of waves, 3 those of waves in a task group, as fft_scatter_tg_opt leaves them.
  logical function weft_to_space(dfft, isgn, sticks, space) result(done)
    type(fft_type_descriptor), intent(in) :: dfft
    integer, intent(in) :: isgn
    complex(real64), intent(in), contiguous :: sticks(:)
    complex(real64), intent(inout), contiguous :: space(:)
    type(known_plan), pointer :: plan
    done = whole_rows(dfft) .and. (abs(isgn) == task_groups .or. dealt_evenly(dfft))
    if (.not. done) return
    call plan_of_sticks(dfft, abs(isgn), plan)
    call plan%fft%backward(sticks, space)
    space(points(dfft, abs(isgn)) + 1:) = 0
  end function

  !> Back, divided by the number of points. isgn as above, negative.
  logical function weft_to_sticks(dfft, isgn, space, sticks) result(done)
    type(fft_type_descriptor), intent(in) :: dfft
    integer, intent(in) :: isgn
    complex(real64), intent(in), contiguous :: space(:)
    complex(real64), intent(inout), contiguous :: sticks(:)
    type(known_plan), pointer :: plan
    done = whole_rows(dfft) .and. (abs(isgn) == task_groups .or. dealt_evenly(dfft))
    if (.not. done) return
    call plan_of_sticks(dfft, abs(isgn), plan)
    call plan%fft%forward(space, sticks)
  end function

  !> hpsi = hpsi + v psi for `bands` bands. nl: where each plane wave of a band lies in the array of FFTXlib. With `gamma`, bands
  !> are real in space, and nl has one plane wave of each pair G, -G. v: one value for each point of this rank.
  logical function weft_vloc_psi(dfft, nl, gamma, lda, bands, psi, v, hpsi) result(done)
    type(fft_type_descriptor), intent(in) :: dfft
    integer, intent(in) :: nl(:), lda, bands
    logical, intent(in) :: gamma
    complex(real64), intent(in) :: psi(lda, bands)
    real(real64), intent(in), contiguous :: v(:)
    complex(real64), intent(inout) :: hpsi(lda, bands)
    type(known_plan), pointer :: plan, moves
    real(real64), allocatable :: planes(:)
    done = whole_rows(dfft)
    if (.not. done) return
    call plan_of_sphere(dfft, nl, gamma, plan)
    if (dfft%nproc2 == 1 .or. on_grid(dfft, spheres)) then
      call plan%fft%apply(v, psi, hpsi, accumulate=.true.)
    else
      call plan_of_pieces(dfft, moves)
      allocate (planes(dfft%nr1 * dfft%nr2 * planes_of_weft(dfft)))
      call moves%to_planes%apply(v, planes)
      call plan%fft%apply(planes, psi, hpsi, accumulate=.true.)
    end if
  end function

  !> Adds weights(b) |psi_b(r)|^2 of each band to rho, one value for each point of this rank.
  logical function weft_density(dfft, nl, gamma, lda, bands, psi, weights, rho) result(done)
    type(fft_type_descriptor), intent(in) :: dfft
    integer, intent(in) :: nl(:), lda, bands
    logical, intent(in) :: gamma
    complex(real64), intent(in) :: psi(lda, bands)
    real(real64), intent(in) :: weights(bands)
    real(real64), intent(inout), contiguous :: rho(:)
    type(known_plan), pointer :: plan, moves
    real(real64), allocatable :: planes(:), piece(:)
    done = whole_rows(dfft)
    if (.not. done) return
    call plan_of_sphere(dfft, nl, gamma, plan)
    if (dfft%nproc2 == 1 .or. on_grid(dfft, spheres)) then
      call plan%fft%density(psi, rho, weights)
    else
      call plan_of_pieces(dfft, moves)
      allocate (planes(dfft%nr1 * dfft%nr2 * planes_of_weft(dfft)), source=0._real64)
      allocate (piece(dfft%nr1 * dfft%nr2p(dfft%mype2 + 1) * dfft%nr3p(dfft%mype3 + 1)))
      call plan%fft%density(psi, planes, weights)
      call moves%from_planes%apply(planes, piece)
      rho(:size(piece)) = rho(:size(piece)) + piece
    end if
  end function

  !> Weft takes rows without gaps between them, of one axis after the other.
  logical function whole_rows(dfft)
    type(fft_type_descriptor), intent(in) :: dfft
    whole_rows = all([dfft%nr1x, dfft%nr2x, dfft%nr3x] == [dfft%nr1, dfft%nr2, dfft%nr3]) &
                 .and. (dfft%use_pencil_decomposition .or. .not. dfft%lpara)
  end function

  !> On a process grid Weft deals rows and planes to ranks as FFTXlib does, unless FFTXlib has another way for this grid.
  logical function dealt_evenly(dfft)
    type(fft_type_descriptor), intent(in) :: dfft
    dealt_evenly = dfft%nproc2 == 1
    if (.not. dealt_evenly) dealt_evenly = all(dfft%nr2p == dealt(dfft%nr2, size(dfft%nr2p))) .and. &
                                           all(dfft%nr3p == dealt(dfft%nr3, size(dfft%nr3p)))
  end function

  function dealt(points, parts)
    integer, intent(in) :: points, parts
    integer :: dealt(parts), i
    dealt = [(points / parts + merge(1, 0, i <= mod(points, parts)), i=1, parts)]
  end function

  !> Whether ranks share planes, as they do in FFTXlib with -nyfft or -ntg. Task groups have whole planes. So have v psi and
  !> densities as long as there is a plane for each rank, since that is faster.
  logical function on_grid(dfft, purpose)
    type(fft_type_descriptor), intent(in) :: dfft
    integer, intent(in) :: purpose
    on_grid = dfft%nproc2 > 1 .and. purpose /= task_groups
    if (on_grid .and. purpose >= spheres) on_grid = dealt_evenly(dfft) .and. dfft%nproc2 * size(dfft%nr3p) > dfft%nr3
  end function

  !> Planes of this rank in v psi and densities: FFTXlib's, or if those are cut into pieces, dealt to all ranks.
  integer function planes_of_weft(dfft) result(planes)
    type(fft_type_descriptor), intent(in) :: dfft
    integer :: ranks, ignored
    planes = dfft%nr3p(dfft%mype3 + 1)
    if (dfft%nproc2 == 1) return
    call MPI_Comm_size(dfft%comm, ranks, ignored)
    planes = dfft%nr3 / ranks + merge(1, 0, dfft%mype < mod(dfft%nr3, ranks))
  end function

  !> The moves of real fields between FFTXlib's pieces of planes and whole planes of all ranks.
  subroutine plan_of_pieces(dfft, plan)
    type(fft_type_descriptor), intent(in) :: dfft
    type(known_plan), pointer, intent(out) :: plan
    integer, parameter :: bytes = storage_size(1._real64) / 8
    type(weft_sphere_transform), pointer :: other
    type(weft_layout) :: cut, whole
    type(weft_box) :: mine
    integer :: ranks, ignored
    call find_plan(dfft%comm, description(dfft, pieces), .true., plan, other)
    if (associated(plan%to_planes)) return
    associate (grid => [dfft%nr1, dfft%nr2, dfft%nr3], y => dfft%mype2, z => dfft%mype3)
      mine%lower = [1, 1 + sum(dfft%nr2p(:y)), 1 + sum(dfft%nr3p(:z))]
      mine%upper = [dfft%nr1, sum(dfft%nr2p(:y + 1)), sum(dfft%nr3p(:z + 1))]
      call cut%gather(grid, mine, dfft%comm)
      call MPI_Comm_size(dfft%comm, ranks, ignored)
      call whole%slabs(grid, ranks, 3)
    end associate
    allocate (plan%to_planes, plan%from_planes)
    call plan%to_planes%create(cut, whole, bytes, dfft%comm)
    call plan%from_planes%create(whole, cut, bytes, dfft%comm)
  end subroutine

  !> Points of this rank in space.
  integer function points(dfft, purpose)
    type(fft_type_descriptor), intent(in) :: dfft
    integer, intent(in) :: purpose
    points = dfft%nr1 * dfft%nr2 * dfft%nr3p(dfft%mype3 + 1)
    if (on_grid(dfft, purpose)) points = dfft%nr1 * dfft%nr2p(dfft%mype2 + 1) * dfft%nr3p(dfft%mype3 + 1)
  end function

  !> What a descriptor says of the grid, and who has which sticks. Plans are found by this, since descriptors are copied and used
  !> again.
  function description(dfft, purpose) result(key)
    type(fft_type_descriptor), intent(in) :: dfft
    integer, intent(in) :: purpose
    integer, allocatable :: key(:)
    key = [purpose, merge(1, 0, dfft%lpara), dfft%nproc2, dfft%nr1, dfft%nr2, dfft%nr3, dfft%nr3p]
    if (dfft%lpara) key = [key, dfft%nsp, dfft%nsw, dfft%ismap(:sum(dfft%nsp))]
  end function

  !> The plan of whole sticks.
  subroutine plan_of_sticks(dfft, purpose, plan)
    type(fft_type_descriptor), intent(in) :: dfft
    integer, intent(in) :: purpose
    type(known_plan), pointer, intent(out) :: plan
    type(weft_sphere_transform), pointer :: other
    integer, allocatable :: places(:)
    integer :: comm, i, z
    comm = merge(dfft%comm3, dfft%comm, purpose == task_groups)
    call find_plan(comm, description(dfft, purpose), .true., plan, other)
    if (associated(plan%fft)) return
    places = sticks_here(dfft, purpose)
    call make(dfft, comm, purpose, reshape([((mod(places(i) - 1, dfft%nr1), (places(i) - 1) / dfft%nr1, z, z=0, dfft%nr3 - 1), &
                                             i=1, size(places))], [3, size(places) * dfft%nr3]), plan, other)
  end subroutine

  !> Where this rank's sticks are, x + (y-1) nr1 counted from 1, in the order of their array. In a task group they are those of the
  !> ranks that send bands to each other, rank after rank.
  function sticks_here(dfft, purpose) result(places)
    type(fft_type_descriptor), intent(in) :: dfft
    integer, intent(in) :: purpose
    integer, allocatable :: places(:), ranks(:)
    integer :: i
    if (purpose == task_groups) then
      allocate (ranks, source=dfft%iproc(:, dfft%mype3 + 1))
    else
      allocate (ranks, source=[dfft%mype + 1])
    end if
    places = [integer ::]
    do i = 1, size(ranks)
      associate (first => dfft%iss(ranks(i)) + 1, sticks => merge(dfft%nsp(ranks(i)), dfft%nsw(ranks(i)), purpose == densities))
        places = [places, dfft%ismap(first:first + sticks - 1)]
      end associate
    end do
  end function

  !> The plan of a sphere of plane waves.
  subroutine plan_of_sphere(dfft, nl, gamma, plan)
    type(fft_type_descriptor), intent(in) :: dfft
    integer, intent(in) :: nl(:)
    logical, intent(in) :: gamma
    type(known_plan), pointer, intent(out) :: plan
    type(weft_sphere_transform), pointer :: other
    integer :: purpose, indices(3, size(nl)), place, i
    purpose = merge(half_spheres, spheres, gamma)
    ! Ranks have different waves: those of one rank may be the same for two k-points, and those of another rank not.
    call find_plan(dfft%comm, [description(dfft, purpose), nl], .false., plan, other)
    if (associated(plan%fft)) return
    do i = 1, size(nl)
      if (dfft%lpara) then
        place = dfft%ismap(dfft%iss(dfft%mype + 1) + (nl(i) - 1) / dfft%nr3 + 1) - 1
        indices(:, i) = [mod(place, dfft%nr1), place / dfft%nr1, mod(nl(i) - 1, dfft%nr3)]
      else
        place = (nl(i) - 1) / dfft%nr1
        indices(:, i) = [mod(nl(i) - 1, dfft%nr1), mod(place, dfft%nr2), place / dfft%nr2]
      end if
    end do
    call make(dfft, dfft%comm, purpose, indices, plan, other)
  end subroutine

  subroutine make(dfft, comm, purpose, indices, plan, other)
    type(fft_type_descriptor), intent(in) :: dfft
    integer, intent(in) :: comm, purpose, indices(:, :)
    type(known_plan), intent(inout) :: plan
    type(weft_sphere_transform), pointer, intent(in) :: other
    character(len=*), parameter :: what(half_spheres) = [character(len=44) :: 'FFTs of densities and potentials', &
      'FFTs of wave functions', 'FFTs of wave functions in task groups', 'v psi and densities of wave functions', &
      'v psi and densities of wave functions, Gamma']
    integer, allocatable :: planes
    type(weft_options) :: options
    character(len=24) :: process_grid
    integer :: rank, ignored
    options = made_quickly()
    if (on_grid(dfft, purpose)) then
      write (process_grid, '(i0, "x", i0)') size(dfft%nr3p), dfft%nproc2
      call options%set('process_grid', trim(process_grid))
    else
      allocate (planes, source=merge(planes_of_weft(dfft), dfft%nr3p(dfft%mype3 + 1), purpose >= spheres))
    end if
    allocate (plan%fft)
    associate (grid => [dfft%nr1, dfft%nr2, dfft%nr3], gamma => purpose == half_spheres, &
               bands => merge(streaming, 1, purpose >= spheres))
      ! Planes that are not allocated are not given.
      if (associated(other)) then
        call plan%fft%create(grid, indices, other, gamma, normalization='forward', howmany=bands, options=options, planes=planes)
      else
        call plan%fft%create(grid, indices, comm, gamma, normalization='forward', howmany=bands, options=options, planes=planes)
      end if
    end associate
    if (told(purpose)) return
    told(purpose) = .true.
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ignored)
    if (rank == 0) write (output_unit, '(/,5x,"Weft does the ",a)') trim(what(purpose))
  end subroutine
end module
