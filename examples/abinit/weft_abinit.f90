! Weft for fourwf and fourdp of ABINIT, through which its ground states do their FFTs: the hooks call these functions.
!
! Each tells whether it has done its work; if not, the caller goes on with ABINIT's own. They are collective over the
! communicator, and answer the same on all its ranks. They take plain numbers and arrays, those of fourwf and fourdp.
module weft_abinit
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc
  use, intrinsic :: iso_fortran_env, only: int64, output_unit, real64
  use mpi
  use weft, only: weft_layout, weft_sphere_transform
  use weft_fft_plans, only: known_plan, find_plan, made_quickly
  implicit none
  private
  public :: weft_fourwf, weft_fourdp

  ! What a plan is for, the first number of its key.
  integer, parameter :: spheres = 1, half_spheres = 2, fields = 3

  ! The options of fourwf, and isign of fourdp.
  integer, parameter :: to_space = 0, density = 1, potential = 2, to_waves = 3, from_coefficients = 1

  !> Bands that stream through one execution.
  integer, parameter :: streaming = 8

  logical, save :: told(fields) = .false.

contains

  !> The work of fourwf on `ndat` functions. They have coefficients of the plane waves kg_kin in fofgin, and of kg_kout in
  !> fofgout; all plane waves of one y are on one rank. With istwf_k = 2 (Gamma, on one rank only, as in ABINIT) the functions
  !> are real, and one plane wave of each pair G, -G is there.
  !>
  !>   option 0  fofr = the functions in space
  !>   option 1  denpot = denpot + weight_r Re(function)^2 + weight_i Im(function)^2, for each of them
  !>   option 2  fofgout = the coefficients of denpot times function; denpot is real with cplex = 1 and complex with 2
  !>   option 3  fofgout = the coefficients of the functions in fofr
  !>
  !> In space a rank has n3 / ranks planes, rank after rank, in arrays of n4 x n5 points a plane: fofr has the planes of this
  !> rank, function after function, and denpot those of all ranks.
  logical function weft_fourwf(cplex, denpot, fofgin, fofgout, fofr, istwf_k, kg_kin, kg_kout, n1, n2, n3, npwin, npwout, n4, &
                               n5, n6, ndat, option, weight_r, weight_i, comm) result(done)
    integer, intent(in) :: cplex, istwf_k, n1, n2, n3, npwin, npwout, n4, n5, n6, ndat, option, comm
    integer, intent(in) :: kg_kin(3, npwin), kg_kout(3, npwout)
    real(real64), intent(inout), target :: denpot(cplex * n4, n5, n6), fofr(2, n4, n5, n6 * ndat)
    real(real64), intent(in), target :: fofgin(2, npwin * ndat)
    real(real64), intent(inout), target :: fofgout(2, npwout * ndat)
    real(real64), intent(in) :: weight_r, weight_i
    complex(real64), allocatable, target :: products(:, :, :, :)
    complex(real64), pointer, contiguous :: in(:, :), out(:, :), space(:, :, :, :), complex_field(:, :, :)
    real(real64), pointer, contiguous :: field(:, :, :)
    type(known_plan), pointer :: from, to
    logical :: gamma
    integer :: rank, ranks, planes, band, ignored

    call MPI_Comm_size(comm, ranks, ignored)
    call MPI_Comm_rank(comm, rank, ignored)
    gamma = istwf_k == 2
    done = (istwf_k == 1 .or. (gamma .and. ranks == 1)) .and. mod(n3, ranks) == 0 .and. mod(n6, ranks) == 0
    if (option == density .or. (option == potential .and. gamma)) done = done .and. cplex == 1
    if (.not. done) return

    planes = n3 / ranks
    in(1:npwin, 1:ndat) => complex_of(fofgin, npwin * ndat)
    out(1:npwout, 1:ndat) => complex_of(fofgout, npwout * ndat)
    field => denpot(:, :, 1 + planes * rank:planes * (rank + 1))
    if (cplex == 2) complex_field(1:n4, 1:n5, 1:planes) => complex_of(field, n4 * n5 * planes)
    if (option /= to_waves) call plan_of_sphere(comm, [n1, n2, n3], [n4, n5], gamma, kg_kin, from)
    if (option == potential .or. option == to_waves) call plan_of_sphere(comm, [n1, n2, n3], [n4, n5], gamma, kg_kout, to)
    select case (option)
    case (density)
      if (gamma) call from%fft%density(in, field, spread(weight_r, 1, ndat))
      if (.not. gamma) call from%fft%density(in, field, spread(weight_r, 1, ndat), imaginary_weights=spread(weight_i, 1, ndat))
      return
    case (potential)
      if (associated(from, to)) then
        if (cplex == 1) call from%fft%apply(field, in, out)
        if (cplex == 2) call from%fft%apply(complex_field, in, out)
        return
      end if
      allocate (products(n4, n5, planes, ndat))
      space => products
    case default
      space(1:n4, 1:n5, 1:n6 / ranks, 1:ndat) => complex_of(fofr, n4 * n5 * (n6 / ranks) * ndat)
    end select

    if (option /= to_waves) call put_in_space(from, gamma, in, space, [n1, n2, planes])
    do band = 1, merge(ndat, 0, option == potential)
      associate (here => space(:n1, :n2, :planes, band))
        if (cplex == 1) here = field(:n1, :n2, :) * here
        if (cplex == 2) here = complex_field(:n1, :n2, :) * here
      end associate
    end do
    if (option /= to_space) call take_from_space(to, gamma, space, out)
  end function

  !> Functions in space, which are complex numbers here even if the functions are real, on n points.
  subroutine put_in_space(plan, gamma, coefficients, space, n)
    type(known_plan), intent(inout) :: plan
    logical, intent(in) :: gamma
    complex(real64), intent(in), contiguous :: coefficients(:, :)
    complex(real64), intent(inout), contiguous :: space(:, :, :, :)
    integer, intent(in) :: n(3)
    real(real64), allocatable :: values(:, :, :, :)
    if (gamma) then
      allocate (values(size(space, 1), size(space, 2), size(space, 3), size(space, 4)))
      call plan%fft%backward(coefficients, values)
      space(:n(1), :n(2), :n(3), :) = values(:n(1), :n(2), :n(3), :)
    else
      call plan%fft%backward(coefficients, space)
    end if
  end subroutine

  subroutine take_from_space(plan, gamma, space, coefficients)
    type(known_plan), intent(inout) :: plan
    logical, intent(in) :: gamma
    complex(real64), intent(in), contiguous :: space(:, :, :, :)
    complex(real64), intent(inout), contiguous :: coefficients(:, :)
    if (gamma) then
      call plan%fft%forward(real(space), coefficients)
    else
      call plan%fft%forward(space, coefficients)
    end if
  end subroutine

  !> The work of fourdp on `ndat` fields, which are real with cplex = 1 and complex with 2: with isign = 1 from fofg to fofr,
  !> otherwise from fofr to fofg, divided by the number of points. A rank has n2 / ranks rows of each plane in fofg, which is
  !> (x, y, z), and n3 / ranks planes in fofr. Real fields have all their coefficients there, too.
  logical function weft_fourdp(cplex, isign, n1, n2, n3, nfft, ndat, fofg, fofr, comm) result(done)
    integer, intent(in) :: cplex, isign, n1, n2, n3, nfft, ndat, comm
    real(real64), intent(inout), target :: fofg(2, nfft, ndat), fofr(cplex * nfft, ndat)
    complex(real64), allocatable, target :: of_real(:)
    complex(real64), pointer, contiguous :: coefficients(:), space(:)
    type(known_plan), pointer :: plan
    integer :: ranks, field, ignored

    call MPI_Comm_size(comm, ranks, ignored)
    done = mod(n2, ranks) == 0 .and. mod(n3, ranks) == 0 .and. int(nfft, int64) * ranks == int(n1, int64) * n2 * n3
    if (.not. done) return

    call plan_of_fields(comm, [n1, n2, n3], plan)
    if (cplex == 1) allocate (of_real(nfft))
    do field = 1, ndat
      coefficients => complex_of(fofg(:, :, field), nfft)
      space => complex_of(fofr(:, field), merge(nfft, 0, cplex == 2))
      if (cplex == 1) space => of_real
      if (isign == from_coefficients) then
        call plan%whole%backward(coefficients, space)
        if (cplex == 1) fofr(:, field) = real(of_real)
      else
        if (cplex == 1) of_real = fofr(:, field)
        call plan%whole%forward(space, coefficients)
      end if
    end do
  end function

  !> Complex numbers where ABINIT has pairs of real ones.
  function complex_of(pairs, count) result(numbers)
    real(real64), intent(in), target :: pairs(*)
    integer, intent(in) :: count
    complex(real64), pointer, contiguous :: numbers(:)
    call c_f_pointer(c_loc(pairs), numbers, [count])
  end function

  !> The plan of wave functions with the plane waves kg on this rank; at Gamma with one of each pair. `padded`: the first two
  !> extents of arrays in space.
  subroutine plan_of_sphere(comm, grid, padded, gamma, kg, plan)
    integer, intent(in) :: comm, grid(3), padded(2), kg(:, :)
    logical, intent(in) :: gamma
    type(known_plan), pointer, intent(out) :: plan
    type(weft_sphere_transform), pointer :: other
    integer :: purpose, ranks, ignored
    purpose = merge(half_spheres, spheres, gamma)
    ! Each plane wave as one number.
    associate (waves => kg(1, :) + 2 * grid(1) * (kg(2, :) + 2 * grid(2) * kg(3, :)))
      call find_plan(comm, [purpose, grid, padded, waves], .false., plan, other)
    end associate
    if (associated(plan%fft)) return
    call MPI_Comm_size(comm, ranks, ignored)
    allocate (plan%fft)
    if (associated(other)) then
      call plan%fft%create(grid, kg, other, gamma, normalization='forward', howmany=streaming, options=made_quickly(), &
                           planes=grid(3) / ranks, padded=padded)
    else
      call plan%fft%create(grid, kg, comm, gamma, normalization='forward', howmany=streaming, options=made_quickly(), &
                           planes=grid(3) / ranks, padded=padded)
    end if
    call tell(purpose)
  end subroutine

  !> The plan of whole fields: planes in space, rows of all planes of coefficients.
  subroutine plan_of_fields(comm, grid, plan)
    integer, intent(in) :: comm, grid(3)
    type(known_plan), pointer, intent(out) :: plan
    type(weft_sphere_transform), pointer :: ignored_other
    type(weft_layout) :: planes, rows
    integer :: ranks, ignored
    call find_plan(comm, [fields, grid], .true., plan, ignored_other)
    if (associated(plan%whole)) return
    call MPI_Comm_size(comm, ranks, ignored)
    call planes%slabs(grid, ranks, 3)
    call rows%slabs(grid, ranks, 2)
    allocate (plan%whole)
    call plan%whole%create(grid, comm, normalization='forward', input=planes, output=rows, options=made_quickly())
    call tell(fields)
  end subroutine

  !> Once, in ABINIT's log.
  subroutine tell(purpose)
    integer, intent(in) :: purpose
    character(len=*), parameter :: what(fields) = [character(len=38) :: 'fourwf, FFTs of wave functions', &
      'fourwf, FFTs of wave functions, Gamma', 'fourdp, FFTs of whole fields']
    integer :: rank, ignored
    if (told(purpose)) return
    told(purpose) = .true.
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ignored)
    if (rank == 0) write (output_unit, '(" Weft does ",a)') trim(what(purpose))
  end subroutine
end module
