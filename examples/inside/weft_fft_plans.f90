! Plans that have been made inside of another program, by what they were made for.
module weft_fft_plans
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi
  use weft, only: weft_options, weft_redistribution, weft_sphere_transform, weft_transform
  implicit none
  private
  public :: known_plan, find_plan, made_quickly

  !> Plans for each communicator: a few for each grid, and one for each k-point. They share the memory that they work in, and keep
  !> tables of their plane waves. The limit bounds these; beyond it the one that was not used for longest goes.
  integer, public :: most_plans = 500

  !> What was made, and what for: a sphere's transform, or one of whole fields, or moves to whole planes and from there. A new plan
  !> has none of them yet.
  type :: known_plan
    integer, allocatable :: key(:)
    integer(int64) :: mark = 0, used = 0
    type(weft_sphere_transform), pointer :: fft => null()
    type(weft_transform), pointer :: whole => null()
    type(weft_redistribution), pointer :: to_planes => null(), from_planes => null()
  end type

  !> The plans of a communicator. Its ranks ask for plans in the same order, so they find, make and drop the same ones.
  type :: family
    integer :: comm, known = 0
    integer(int64) :: questions = 0
    type(known_plan), pointer :: plans(:)
  end type

  type(family), allocatable, target, save :: families(:)

contains

  !> The plan that was made for `key`; if there is none, an empty one. A sphere's transform the caller then makes over the
  !> communicator and with the memory of `other`, if that is associated. Collective over comm.
  !> Without `same_everywhere` the key may be another one on each rank, and the plan is one that fits all.
  subroutine find_plan(comm, key, same_everywhere, plan, other)
    integer, intent(in) :: comm, key(:)
    logical, intent(in) :: same_everywhere
    type(known_plan), pointer, intent(out) :: plan
    type(weft_sphere_transform), pointer, intent(out) :: other
    type(family), pointer :: here
    logical, allocatable :: fitting(:)
    integer(int64) :: mark
    integer :: i, j, ignored
    here => family_of(comm)
    other => null()
    mark = mark_of(key)
    allocate (fitting(here%known))
    do i = 1, here%known
      fitting(i) = here%plans(i)%mark == mark
      if (fitting(i)) fitting(i) = size(here%plans(i)%key) == size(key)
      if (fitting(i)) fitting(i) = all(here%plans(i)%key == key)
    end do
    if (.not. same_everywhere) then
      call MPI_Allreduce(MPI_IN_PLACE, fitting, size(fitting), MPI_LOGICAL, MPI_LAND, comm, ignored)
    end if
    i = findloc(fitting, .true., 1)
    if (i == 0) then
      if (here%known < size(here%plans)) then
        here%known = here%known + 1
        i = here%known
      else
        i = minloc(here%plans%used, 1)
      end if
      call forget(here%plans(i))
      plan => here%plans(i)
      do j = 1, here%known
        if (associated(here%plans(j)%fft)) other => here%plans(j)%fft
      end do
      if (allocated(plan%key)) deallocate (plan%key)
      allocate (plan%key, source=key)
      plan%mark = mark
    end if
    plan => here%plans(i)
    here%questions = here%questions + 1
    plan%used = here%questions
  end subroutine

  !> Options of plans that are executed some hundred times in a run of some seconds: to measure what is fastest takes up to
  !> 0.1 s, and gains nothing that shows.
  type(weft_options) function made_quickly() result(options)
    call options%set('effort', 'estimate')
  end function

  subroutine forget(plan)
    type(known_plan), intent(inout) :: plan
    if (associated(plan%fft)) then
      call plan%fft%destroy()
      deallocate (plan%fft)
    end if
    if (associated(plan%whole)) then
      call plan%whole%destroy()
      deallocate (plan%whole)
    end if
    if (associated(plan%to_planes)) then
      call plan%to_planes%destroy()
      call plan%from_planes%destroy()
      deallocate (plan%to_planes, plan%from_planes)
    end if
  end subroutine

  !> What most often tells different keys apart, so that few are compared number by number.
  pure integer(int64) function mark_of(key) result(mark)
    integer, intent(in) :: key(:)
    integer :: i
    mark = 0
    do i = 1, size(key)
      mark = ieor(ishftc(mark, 5), int(key(i), int64))
    end do
  end function

  function family_of(comm) result(here)
    integer, intent(in) :: comm
    type(family), pointer :: here
    type(family) :: new
    integer :: i
    if (.not. allocated(families)) allocate (families(0))
    do i = 1, size(families)
      if (families(i)%comm == comm) exit
    end do
    if (i > size(families)) then
      new%comm = comm
      allocate (new%plans(most_plans))
      families = [families, new]
    end if
    here => families(i)
  end function
end module
