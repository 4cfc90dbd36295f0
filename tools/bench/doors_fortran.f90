! The door of Fortran; see doors.h.
module doors_fortran
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use weft
  implicit none
  private

  type(weft_transform) :: fft

contains

  integer(c_int) function make(shape, comm) bind(c, name='weft_doors_fortran_make')
    integer(c_int64_t), intent(in) :: shape(3)
    integer(c_int), value :: comm
    type(weft_options) :: options
    call options%set('effort', 'estimate')
    call fft%create(shape(3:1:-1), comm, options=options, stat=make)
  end function

  integer(c_int) function run(in, out, again, pairs) bind(c, name='weft_doors_fortran_run')
    type(c_ptr), value :: in, out, again
    integer(c_int), value :: pairs
    complex(c_double_complex), pointer, contiguous :: x(:, :, :), y(:, :, :), z(:, :, :)
    integer :: i
    call c_f_pointer(in, x, fft%input_shape())
    call c_f_pointer(out, y, fft%output_shape())
    call c_f_pointer(again, z, fft%input_shape())
    run = 0
    do i = 1, pairs
      call fft%forward(x, y, stat=run)
      if (run == 0) call fft%backward(y, z, stat=run)
      if (run /= 0) return
    end do
  end function

  integer(c_int) function end() bind(c, name='weft_doors_fortran_end')
    call fft%destroy(stat=end)
  end function
end module
