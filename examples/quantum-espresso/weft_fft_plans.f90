! Plans that have been made, by what they were made for.
module weft_fft_plans
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi
  use weft, only: weft_sphere_transform
  implicit none
  private
  public :: known_plan, find_plan

  !> Plans for each communicator: one or two for each descriptor, and one for each k-point. The limit bounds the memory that they
  !> hold; beyond it the one that was not used for longest goes. They are the bits of an integer.
  integer, parameter :: most_plans = 30

  !> A transform, and what it was made for. A new one has no transform yet.
  type :: known_plan
    integer, allocatable :: key(:)
    type(weft_sphere_transform), pointer :: fft => null()
    integer(int64) :: used = 0
  end type

  !> The plans of a communicator. Its ranks ask for plans in the same order, so they find, make and drop the same ones.
  type :: family
    integer :: comm
    integer(int64) :: questions = 0
    type(known_plan), pointer :: plans(:)
  end type

  type(family), allocatable, target, save :: families(:)

contains

  !> The plan that was made for `key`; if there is none, one without a transform, which the caller makes. Collective over comm.
  !> Without `same_everywhere` the key may be another one on each rank, and the plan is one that fits all.
  subroutine find_plan(comm, key, same_everywhere, plan)
    integer, intent(in) :: comm, key(:)
    logical, intent(in) :: same_everywhere
    type(known_plan), pointer, intent(out) :: plan
    type(family), pointer :: here
    integer :: fitting, i, ignored
    here => family_of(comm)
    fitting = 0
    do i = 1, most_plans
      if (fits(here%plans(i), key)) fitting = ibset(fitting, i - 1)
    end do
    if (.not. same_everywhere) call MPI_Allreduce(MPI_IN_PLACE, fitting, 1, MPI_INTEGER, MPI_BAND, comm, ignored)
    if (fitting /= 0) then
      plan => here%plans(trailz(fitting) + 1)
    else
      plan => here%plans(minloc(here%plans%used, 1))
      if (associated(plan%fft)) then
        call plan%fft%destroy()
        deallocate (plan%fft)
      end if
      plan%key = key
    end if
    here%questions = here%questions + 1
    plan%used = here%questions
  end subroutine

  logical function fits(plan, key)
    type(known_plan), intent(in) :: plan
    integer, intent(in) :: key(:)
    fits = .false.
    if (.not. allocated(plan%key)) return
    if (size(plan%key) == size(key)) fits = all(plan%key == key)
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
