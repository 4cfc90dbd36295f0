! What is to be transformed, for C. The texts that are not given have their defaults.
module weft_problems_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use weft_c_module
  use weft_errors_module
  use weft_layouts_module
  use weft_options_module
  implicit none
  private
  public :: problem_to_c, sphere_problem_to_c, options_to_c, order_from_c, agreed

contains

  integer(c_int) function problem_to_c(handle, shape, kind, precision, batch, normalization, interleaved, padded_rows, &
                                       input_order, output_order, message) result(code)
    type(c_ptr), intent(out) :: handle
    integer(int64), intent(in) :: shape(:)
    character(len=*), intent(in), optional :: kind, precision, normalization
    integer, intent(in), optional :: batch, input_order(:), output_order(:)
    logical, intent(in), optional :: interleaved, padded_rows
    !> What is wrong, where C has not found it.
    character(len=:), allocatable, intent(out) :: message
    message = ''
    code = weft_problem_create(size(shape), last_first(shape), handle)
    call set('kind', kind)
    call set('precision', precision)
    call set('normalization', normalization)
    if (present(batch)) call set('batch', text_of(batch))
    if (present(interleaved)) call set('interleaved', text_of(interleaved))
    if (present(padded_rows)) call set('padded_rows', text_of(padded_rows))
    if (present(input_order)) call set_order('input_order', input_order)
    if (present(output_order)) call set_order('output_order', output_order)
  contains
    subroutine set(name, value)
      character(len=*), intent(in) :: name
      character(len=*), intent(in), optional :: value
      if (present(value) .and. code == weft_c_success) code = weft_problem_set(handle, to_c(name), to_c(value))
    end subroutine

    subroutine set_order(name, order)
      character(len=*), intent(in) :: name
      integer, intent(in) :: order(:)
      integer :: axis
      if (code /= weft_c_success) return
      if (size(order) /= size(shape) .or. .not. all([(any(order == axis), axis=1, size(shape))])) then
        message = name//' is'
        do axis = 1, size(order)
          message = message//' '//text_of(order(axis))
        end do
        message = message//'; it must be the numbers from 1 to '//text_of(size(shape))//' in any order'
        code = weft_c_error
      else
        call set(name, order_to_c(order))
      end if
    end subroutine
  end function

  !> C names the slowest axis first. In two dimensions the grid has a middle axis of one point.
  function order_to_c(order) result(text)
    integer, intent(in) :: order(:)
    character(len=3) :: text
    integer :: axes(3)
    if (size(order) == 2) then
      axes = [2 * order(1) - 1, 2, 2 * order(2) - 1]
    else
      axes = order
    end if
    write (text, '(3i1)') 3 - axes(3:1:-1)
  end function

  !> Of three axes, the fastest first.
  function order_from_c(text) result(axes)
    character(len=*), intent(in) :: text
    integer :: axes(3)
    read (text, '(3i1)') axes
    axes = 3 - axes(3:1:-1)
  end function

  integer(c_int) function sphere_problem_to_c(handle, grid, gamma, precision, howmany, normalization) result(code)
    type(c_ptr), intent(out) :: handle
    integer(int64), intent(in) :: grid(3)
    logical, intent(in), optional :: gamma
    character(len=*), intent(in), optional :: precision, normalization
    integer, intent(in), optional :: howmany
    code = weft_sphere_problem_create(grid, handle)
    if (present(gamma)) call set('gamma', text_of(gamma))
    call set('precision', precision)
    call set('normalization', normalization)
    if (present(howmany)) call set('howmany', text_of(howmany))
  contains
    subroutine set(name, value)
      character(len=*), intent(in) :: name
      character(len=*), intent(in), optional :: value
      if (present(value) .and. code == weft_c_success) code = weft_sphere_problem_set(handle, to_c(name), to_c(value))
    end subroutine
  end function

  !> Options, if there are any, with the layouts of both ends.
  integer(c_int) function options_to_c(handle, options, input, output) result(code)
    type(c_ptr), intent(out) :: handle
    type(weft_options), intent(in), optional :: options
    type(weft_layout), intent(in), optional :: input, output
    type(weft_options) :: defaults
    handle = c_null_ptr
    if (present(options)) then
      code = options%to_c(handle)
    else
      code = defaults%to_c(handle)
    end if
    call set('input', input)
    call set('output', output)
  contains
    subroutine set(end, layout)
      character(len=*), intent(in) :: end
      type(weft_layout), intent(in), optional :: layout
      type(c_ptr) :: layout_handle
      integer(c_int) :: ignored
      if (.not. present(layout) .or. code /= weft_c_success) return
      code = layout%to_c(layout_handle)
      if (code == weft_c_success) code = weft_options_set_layout(handle, to_c(end), layout_handle)
      ignored = weft_layout_destroy(layout_handle)
    end subroutine
  end function

  !> What has failed on one rank alone fails on all, with the same message; so do plane waves that are not (3, count).
  !> Collective.
  integer(c_int) function agreed(code, comm, message, waves)
    integer(c_int), intent(in) :: code
    integer, intent(in) :: comm
    !> Instead of C's, if it is not empty.
    character(len=*), intent(in), optional :: message
    integer(int64), intent(in), optional :: waves(:, :)
    character(len=:), allocatable :: wrong
    wrong = ''
    if (present(waves)) then
      if (size(waves, 1) /= 3) wrong = 'waves has a first extent of '//text_of(size(waves, 1))//'; it must be 3'
    end if
    if (present(message)) wrong = message
    if (code /= weft_c_success .and. wrong == '') wrong = weft_error_text()
    agreed = weft_agree_f(to_c(wrong), comm)
  end function
end module
