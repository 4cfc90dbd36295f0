! Texts on their way from and to C, and errors as Fortran has them: stat= and errmsg=.
module weft_errors_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: output_unit
  use weft_c_module
  implicit none
  private
  public :: weft_error_text, weft_version_text, settle, fail, to_c, from_c, number_from, text_of

  !> The text of a number or a truth, as options take it.
  interface text_of
    module procedure text_of_integer, text_of_long, text_of_real, text_of_logical
  end interface

contains

  !> The end of every call: `code` is what Weft's function has returned. Without stat= a failure ends the program. errmsg
  !> is changed after failures only.
  subroutine settle(code, stat, errmsg)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (present(stat)) stat = code
    if (code == weft_c_success) return
    call give(weft_error_text(), stat, errmsg)
  end subroutine

  !> The same of what the module has found by itself.
  subroutine fail(message, stat, errmsg)
    character(len=*), intent(in) :: message
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (present(stat)) stat = weft_c_error
    call give(message, stat, errmsg)
  end subroutine

  subroutine give(message, stat, errmsg)
    character(len=*), intent(in) :: message
    integer, intent(in), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (present(errmsg)) errmsg = message
    if (present(stat)) return
    flush (output_unit)
    call weft_fortran_stop(to_c(message))
  end subroutine

  !> The whole text of the last failure of this thread; what errmsg= has is cut to its length.
  function weft_error_text() result(text)
    character(len=:), allocatable :: text
    text = from_c(weft_error_message())
  end function

  !> Major, minor and patch number: "1.0.0".
  function weft_version_text() result(text)
    character(len=:), allocatable :: text
    text = from_c(weft_version())
  end function

  !> Without blanks at the end, with C's mark there.
  pure function to_c(text)
    character(len=*), intent(in) :: text
    character(kind=c_char, len=:), allocatable :: to_c
    to_c = trim(text)//c_null_char
  end function

  function from_c(at) result(text)
    type(c_ptr), intent(in) :: at
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    if (.not. c_associated(at)) then
      text = ''
      return
    end if
    call c_f_pointer(at, letters, [strlen(at)])
    allocate (character(len=size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  !> The number that a text is.
  integer(c_int64_t) function number_from(text) result(number)
    character(len=*), intent(in) :: text
    read (text, *) number
  end function

  pure function text_of_integer(value) result(text)
    integer(c_int), intent(in) :: value
    character(len=:), allocatable :: text
    text = text_of_long(int(value, c_int64_t))
  end function

  pure function text_of_long(value) result(text)
    integer(c_int64_t), intent(in) :: value
    character(len=:), allocatable :: text
    character(len=20) :: digits
    write (digits, '(i0)') value
    text = trim(digits)
  end function

  pure function text_of_real(value) result(text)
    real(c_double), intent(in) :: value
    character(len=:), allocatable :: text
    character(len=32) :: digits
    write (digits, '(es24.16e3)') value
    text = trim(adjustl(digits))
  end function

  pure function text_of_logical(value) result(text)
    logical, intent(in) :: value
    character(len=:), allocatable :: text
    text = trim(merge('true ', 'false', value))
  end function
end module
