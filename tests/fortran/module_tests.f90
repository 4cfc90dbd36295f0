! Tests of the module, called by module_test.cpp on any number of ranks.
module fortran_tests
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi_f08
  use weft
  implicit none
  private

  integer, parameter :: n(3) = [8, 6, 5]
  real(real64), parameter :: pi = acos(-1._real64)
  integer :: lines_heard = 0

  interface
    subroutine weft_test_failed(message) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: message(*)
    end subroutine
  end interface

contains

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (.not. condition) call weft_test_failed(what//c_null_char)
  end subroutine

  !> A failure, with the same message on all ranks, that has `part` in it. errmsg is blank before each call.
  subroutine expect_refused(stat, errmsg, part)
    integer, intent(in) :: stat
    character(len=*), intent(inout) :: errmsg
    character(len=*), intent(in) :: part
    character(len=len(errmsg)) :: first
    call expect(stat /= 0, 'nothing was wrong; expected: '//part)
    call expect(index(errmsg, part) > 0, "'"//part//"' is not in: "//trim(errmsg))
    first = errmsg
    call MPI_Bcast(first, len(first), MPI_CHARACTER, 0, MPI_COMM_WORLD)
    call expect(errmsg == first, 'the message differs from that of rank 0: '//trim(errmsg))
    errmsg = ''
  end subroutine

  integer function my_rank()
    call MPI_Comm_rank(MPI_COMM_WORLD, my_rank)
  end function

  integer function ranks()
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  end function

  !> Whether this is the rank that makes the mistake.
  logical function wrong_here()
    wrong_here = my_rank() == ranks() - 1
  end function

  real(real64) function sum_of_all(part) result(total)
    real(real64), intent(in) :: part
    call MPI_Allreduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function

  !> The plane wave with `wave` turns along each axis.
  complex(real64) function wave_at(at, extents, wave)
    integer(int64), intent(in) :: at(3), extents(3)
    integer, intent(in) :: wave(3)
    real(real64) :: turns
    turns = sum(wave * real(at - 1, real64) / real(extents, real64))
    wave_at = exp(cmplx(0, 2 * pi * turns, real64))
  end function

  subroutine allocate_on(array, box)
    complex(real64), allocatable, intent(out) :: array(:, :, :)
    type(weft_box), intent(in) :: box
    allocate (array(box%lower(1):box%upper(1), box%lower(2):box%upper(2), box%lower(3):box%upper(3)))
  end subroutine

  subroutine set_wave(field, wave)
    complex(real64), allocatable, intent(inout) :: field(:, :, :)
    integer, intent(in) :: wave(3)
    integer(int64) :: x, y, z
    do z = lbound(field, 3), ubound(field, 3)
      do y = lbound(field, 2), ubound(field, 2)
        do x = lbound(field, 1), ubound(field, 1)
          field(x, y, z) = wave_at([x, y, z], int(n, int64), wave)
        end do
      end do
    end do
  end subroutine

  !> A plane wave has one peak, at its own place, whatever the type of communicator and shape.
  subroutine axes() bind(c, name='weft_test_axes')
    type(weft_transform) :: by_f08, by_integer
    type(MPI_Comm) :: half
    type(weft_layout) :: slabs
    type(weft_box) :: here, slab
    call by_f08%create(n, MPI_COMM_WORLD, normalization='forward')
    here = by_f08%input_box()
    call slabs%slabs(n, ranks(), 3)
    slab = slabs%box(my_rank())
    call expect(all(here%lower == slab%lower) .and. all(here%upper == slab%upper), 'the planes of the last axis are dealt')
    call expect(nint(sum_of_all(real(here%points(), real64))) == product(n), 'the boxes are the grid')
    call expect(all(here%extents() == by_f08%input_shape()), 'extents of the input')
    call check(by_f08)
    call by_f08%destroy()
    call by_f08%destroy()
    call MPI_Comm_split(MPI_COMM_WORLD, mod(my_rank(), 2), 0, half)
    call by_integer%create(int(n, int64), half%MPI_VAL, normalization='forward')
    call check(by_integer)
    call by_integer%destroy()
    call MPI_Comm_free(half)
  contains
    subroutine check(fft)
      type(weft_transform), intent(inout) :: fft
      complex(real64), allocatable :: field(:, :, :), spectrum(:, :, :), again(:, :, :)
      type(weft_box) :: there
      there = fft%output_box()
      call allocate_on(field, fft%input_box())
      call allocate_on(again, fft%input_box())
      call allocate_on(spectrum, there)
      call set_wave(field, [3, 1, 4])
      call fft%forward(field, spectrum)
      call fft%backward(spectrum, again)
      call expect(maxval(abs(again - field)) < 1e-13_real64, 'round trip')
      if (all(there%lower <= [4, 2, 5]) .and. all([4, 2, 5] <= there%upper)) spectrum(4, 2, 5) = spectrum(4, 2, 5) - 1
      call expect(maxval(abs(spectrum)) < 1e-14_real64, 'one peak')
    end subroutine
  end subroutine

  !> The half spectrum is cut along the first axis; and arrays of all ranks, also by their addresses, are the same.
  subroutine real_fields() bind(c, name='weft_test_real_fields')
    type(weft_transform) :: fft
    real(real32), allocatable, target :: field(:, :, :, :), again(:, :, :, :)
    complex(real32), allocatable, target :: spectrum(:, :, :, :), wanted(:, :, :, :)
    complex(real32), allocatable :: flat(:)
    integer(int64) :: extents(3)
    call fft%create(n, MPI_COMM_WORLD, kind='r2c', precision='single', batch=2, normalization='backward')
    extents = fft%output_shape()
    call expect(extents(1) == 5 .and. extents(2) == 6, 'half of the first axis')
    call expect(fft%output_size() == 2 * product(extents), 'size with the batch')
    ! The last extent may be larger than what is needed.
    allocate (spectrum(extents(1), extents(2), extents(3), 3), wanted(extents(1), extents(2), extents(3), 2))
    extents = fft%input_shape()
    allocate (field(extents(1), extents(2), extents(3), 2), again(extents(1), extents(2), extents(3), 2))
    call random_number(field)
    call fft%forward(field, wanted)
    spectrum = 0
    call fft%forward(field, spectrum)
    call expect(all(spectrum(:, :, :, :2) == wanted), 'larger arrays')
    call fft%backward(spectrum, again)
    call expect(maxval(abs(again - field)) < 1e-5, 'round trip')
    allocate (flat(fft%output_size()))
    call fft%forward(reshape(field, [size(field)]), flat)
    call expect(all(flat == reshape(wanted, [size(wanted)])), 'assumed size')
    spectrum = 0
    call fft%forward(c_loc(field), c_loc(spectrum))
    call expect(all(spectrum(:, :, :, :2) == wanted), 'addresses')
  end subroutine

  subroutine in_place() bind(c, name='weft_test_in_place')
    type(weft_transform) :: apart, fft
    type(weft_options) :: options
    real(real64), allocatable, target :: data(:)
    real(real64), pointer :: field(:, :, :)
    complex(real64), pointer :: modes(:, :, :)
    real(real64), allocatable :: before(:, :, :)
    real(real32) :: single(10)
    complex(real64), allocatable :: wanted(:, :, :)
    integer(int64) :: extents(3), full(3)
    integer :: stat
    character(len=200) :: errmsg
    errmsg = ''
    call options%set('in_place', .true.)
    call fft%create(n, MPI_COMM_WORLD, kind='r2c', options=options)
    call apart%create(n, MPI_COMM_WORLD, kind='r2c')
    extents = apart%output_shape()
    allocate (wanted(extents(1), extents(2), extents(3)))
    extents = apart%input_shape()
    allocate (before(extents(1), extents(2), extents(3)))
    call random_number(before)
    call apart%forward(before, wanted)

    full = fft%input_shape()
    call expect(full(1) == 10 .or. full(3) == 0, 'rows are padded')
    allocate (data(max(fft%input_size(), 2 * fft%output_size())))
    field(1:full(1), 1:full(2), 1:full(3)) => data
    call c_f_pointer(c_loc(data), modes, int(fft%output_shape()))
    field(:n(1), :, :) = before
    call fft%forward(field)
    call expect(all(abs(modes - wanted) < 1e-12_real64), 'forward in place')
    call fft%backward(modes)
    call expect(all(abs(field(:n(1), :, :) - product(n) * before) < 1e-11_real64), 'backward in place')
    call fft%forward(data)
    call fft%backward(c_loc(data))

    call apart%forward(data, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'without the option in_place takes two')
    call fft%forward(before, wanted, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'in_place takes one')
    deallocate (before)
    allocate (before(2, 2, merge(1, 50, wrong_here())))
    call fft%forward(before, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'data has 32 bytes')
    call fft%backward(single, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'data is real, single; this transform takes real, double to complex, double')
  end subroutine

  !> Arrays of rank 2, with a batch of rank 3; boxes have the axes 1 and 3.
  subroutine memory() bind(c, name='weft_test_memory')
    type(weft_transform) :: fft
    real(real64), pointer, contiguous :: field(:, :, :)
    complex(real64), pointer, contiguous :: spectrum(:, :, :)
    complex(real32), pointer, contiguous :: line(:), many(:, :, :, :, :, :, :, :, :)
    integer :: stat
    character(len=200) :: errmsg
    errmsg = ''
    call fft%create(n, MPI_COMM_WORLD, kind='r2c')
    call weft_allocate(field, fft%input_shape())
    call weft_allocate(spectrum, fft%output_shape())
    field = 1
    call fft%forward(field, spectrum)
    call expect(abs(sum_of_all(sum(abs(spectrum))) - product(n)) < 1e-10_real64, 'the spectrum of 1')
    call weft_deallocate(field)
    call expect(.not. associated(field), 'an array that has ended')
    call weft_deallocate(field, stat)
    call expect(stat == 0, 'the end of nothing')
    call weft_deallocate(spectrum)
    call fft%destroy()
    call weft_allocate(line, [5])
    call expect(size(line) == 5 .and. modulo(transfer(c_loc(line), 0_int64), 64_int64) == 0, 'a line')
    call weft_allocate(many, [1, 2, 1, 3, 1, 1, 2, 1, 2], stat, errmsg)
    call expect(stat == 0 .and. all(shape(many) == [1, 2, 1, 3, 1, 1, 2, 1, 2]), 'nine axes')
    call weft_deallocate(line)
    call weft_deallocate(many)
    call weft_allocate(line, [-5], stat, errmsg)
    call expect_refused(stat, errmsg, 'shape has the extent -5; at least 0 is needed')
    call expect(.not. associated(line), 'an array that could not be had')
  end subroutine

  subroutine two_dimensions() bind(c, name='weft_test_two_dimensions')
    type(weft_transform) :: fft
    type(weft_options) :: options
    type(weft_box) :: here, there
    complex(real64), allocatable :: field(:, :, :), modes(:, :, :), one(:, :)
    integer(int64) :: x, y
    integer :: stat
    character(len=400) :: errmsg
    errmsg = ''
    call options%set('transposed', .true.)
    call fft%create([8, 6], MPI_COMM_WORLD, normalization='forward', batch=2, options=options)
    here = fft%input_box()
    there = fft%output_box()
    call expect(here%upper(2) == 1 .and. here%lower(1) == 1 .and. here%upper(1) == 8, 'lines of the last axis are dealt')
    call expect(there%lower(3) == 1 .and. there%upper(3) == 6, 'and of the first, transposed')
    allocate (field(8, here%lower(3):here%upper(3), 2), modes(there%lower(1):there%upper(1), 6, 2))
    do y = here%lower(3), here%upper(3)
      do x = 1, 8
        field(x, y, 1) = wave_at([x, 1_int64, y], [8_int64, 1_int64, 6_int64], [3, 0, 1])
        field(x, y, 2) = wave_at([x, 1_int64, y], [8_int64, 1_int64, 6_int64], [5, 0, 2])
      end do
    end do
    call fft%forward(field, modes)
    if (there%lower(1) <= 4 .and. 4 <= there%upper(1)) modes(4, 2, 1) = modes(4, 2, 1) - 1
    if (there%lower(1) <= 6 .and. 6 <= there%upper(1)) modes(6, 3, 2) = modes(6, 3, 2) - 1
    call expect(all(abs(modes) < 1e-14_real64), 'two peaks')
    allocate (one(8, size(field, 2)))
    one = field(:, :, 1)
    call fft%forward(one, modes(:, :, 1), stat, errmsg)
    call expect_refused(stat, errmsg, 'x 2')
    call fft%destroy()
    call fft%create([8, 6], MPI_COMM_WORLD, normalization='forward')
    call fft%forward(one, field(:, :, 2))
    call fft%backward(field(:, :, 2:), field(:, :, :1), stat, errmsg)
    call expect(stat == 0, 'one field may come as a batch of one: '//trim(errmsg))
    call expect(all(abs(field(:, :, 1) - one) < 1e-14_real64), 'round trip')
    call fft%backward(field(:merge(7, 8, wrong_here()), :, 2), one, stat, errmsg)
    call expect_refused(stat, errmsg, 'in is an array of 7 x')
  end subroutine

  !> A wave on a grid of five axes, of which the last three are dealt, with a batch.
  subroutine five_dimensions() bind(c, name='weft_test_five_dimensions')
    integer, parameter :: n(5) = [6, 2, 5, 4, 3], k(5) = [2, 1, 3, 0, 1]
    type(weft_transform) :: fft
    type(weft_box) :: here, there
    real(real64), allocatable :: field(:, :, :, :, :, :)
    complex(real64), allocatable :: modes(:, :, :, :, :, :)
    real(real64) :: angle
    integer(int64) :: i1, i2, i3, i4, i5, e(3)
    call fft%create(n, MPI_COMM_WORLD, kind='r2c', normalization='forward', batch=2)
    here = fft%input_box()
    there = fft%output_box()
    e = here%extents()
    call expect(all(fft%input_shape() == [6_int64, 2_int64, e]), 'extents of the input')
    call expect(size(fft%input_strides()) == 6, 'a stride of each axis, and of fields')
    allocate (field(n(1), n(2), here%lower(1):here%upper(1), here%lower(2):here%upper(2), here%lower(3):here%upper(3), 2))
    allocate (modes(n(1) / 2 + 1, n(2), there%lower(1):there%upper(1), there%lower(2):there%upper(2), &
                    there%lower(3):there%upper(3), 2))
    do i5 = here%lower(3), here%upper(3)
      do i4 = here%lower(2), here%upper(2)
        do i3 = here%lower(1), here%upper(1)
          do i2 = 1, n(2)
            do i1 = 1, n(1)
              angle = 2 * acos(-1.0_real64) * sum(real(k * ([i1, i2, i3, i4, i5] - 1), real64) / n)
              field(i1, i2, i3, i4, i5, :) = 2 * cos(angle) * [1, 3]
            end do
          end do
        end do
      end do
    end do
    call fft%forward(field, modes)
    if (there%lower(1) <= 4 .and. 4 <= there%upper(1) .and. there%lower(2) == 1 .and. there%lower(3) <= 2 &
        .and. 2 <= there%upper(3)) then
      call expect(all(abs(modes(3, 2, 4, 1, 2, :) - [1, 3]) < 1e-14_real64), 'the wave')
      modes(3, 2, 4, 1, 2, :) = 0
    end if
    call expect(all(abs(modes) < 1e-13_real64), 'and nothing else')
  end subroutine

  !> One long line over all ranks: its points and its modes lie in order.
  subroutine one_dimension() bind(c, name='weft_test_one_dimension')
    type(weft_transform) :: fft
    type(weft_box) :: here, there
    complex(real64), allocatable :: points(:), modes(:), again(:)
    real(real64), allocatable :: reals(:), reals_again(:)
    integer(int64) :: first, i
    call fft%create([36], MPI_COMM_WORLD, normalization='forward')
    allocate (points(fft%input_size()), again(fft%input_size()), modes(fft%output_size()))
    here = fft%input_box()
    there = fft%output_box()
    first = 6 * (here%lower(3) - 1)
    do i = 1, size(points)
      points(i) = exp(cmplx(0, 2 * acos(-1.0_real64) * 5 * (first + i - 1) / 36, real64))
    end do
    call fft%forward(points, modes)
    call fft%backward(modes, again)
    call expect(all(abs(points - again) < 1e-14_real64), 'round trip')
    first = 6 * (there%lower(1) - 1)
    do i = 1, size(modes)
      call expect(abs(modes(i) - merge(1, 0, first + i - 1 == 5)) < 1e-14_real64, 'a peak')
    end do
    call fft%destroy()
    deallocate (modes)

    ! Of real numbers half the modes.
    call fft%create([36], MPI_COMM_WORLD, kind='r2c', normalization='forward')
    allocate (reals(fft%input_size()), reals_again(fft%input_size()), modes(fft%output_size()))
    here = fft%input_box()
    there = fft%output_box()
    first = 6 * (here%lower(1) - 1)
    do i = 1, size(reals)
      reals(i) = cos(2 * acos(-1.0_real64) * 15 * (first + i - 1) / 36)
    end do
    call fft%forward(reals, modes)
    call fft%backward(modes, reals_again)
    call expect(all(abs(reals - reals_again) < 1e-14_real64), 'round trip of real numbers')
    call expect(sum_of_all(real(size(modes), real64)) == 19, 'the modes 0 to 18')
    do i = 1, size(modes)
      call expect(abs(modes(i) - merge(0.5_real64, 0.0_real64, there%lower(1) + i - 2 == 15)) < 1e-14_real64, 'a peak of half')
    end do
  end subroutine

  !> Fewer lines, or points, than ranks: what has nothing has the size 0, in boxes as in arrays.
  subroutine ranks_without_points() bind(c, name='weft_test_ranks_without_points')
    character(len=6), parameter :: ways(2) = ['auto  ', 'pencil']
    integer, parameter :: shapes(2, 3) = reshape([13, 1, 13, 13, 1, 1], [2, 3])
    type(weft_transform) :: fft
    type(weft_options) :: options
    complex(real64), allocatable :: field(:, :, :), spectrum(:, :, :), again(:, :, :)
    integer :: shape_, way
    do way = 1, 2
      call options%set('decomposition', trim(ways(way)))
      do shape_ = 1, 3
        call fft%create(shapes(:, shape_), MPI_COMM_WORLD, normalization='forward', options=options)
        call allocate_on(field, fft%input_box())
        call allocate_on(again, fft%input_box())
        call allocate_on(spectrum, fft%output_box())
        call expect(size(field) == fft%input_size() .and. size(spectrum) == fft%output_size(), 'sizes')
        call expect(all(shape(field) == fft%input_shape()), 'extents of the input')
        call expect(all(shape(spectrum) == fft%output_shape()), 'extents of the output')
        field = 1
        call fft%forward(field, spectrum)
        call expect(abs(sum_of_all(sum(real(spectrum))) - 1) < 1e-13_real64, 'one peak')
        call fft%backward(spectrum, again)
        call expect(all(abs(again - field) < 1e-13_real64), 'round trip')
        call fft%destroy()
      end do
    end do
  end subroutine

  !> Interleaved fields, axes in another order, padded rows: the same numbers at other places.
  subroutine orders() bind(c, name='weft_test_orders')
    type(weft_transform) :: plain, fft
    type(weft_options) :: options
    real(real64), allocatable :: field(:, :, :, :), other_field(:, :, :, :)
    complex(real64), allocatable :: modes(:, :, :, :), other_modes(:, :, :, :)
    integer(int64) :: e(3), full(3), strides(4)
    integer :: stat, b
    character(len=400) :: errmsg
    errmsg = ''
    call options%set('transposed', .true.)
    call plain%create(n, MPI_COMM_WORLD, kind='r2c', batch=2, options=options)
    e = plain%input_shape()
    allocate (field(e(1), e(2), e(3), 2))
    call random_number(field)
    e = plain%output_shape()
    allocate (modes(e(1), e(2), e(3), 2))
    call plain%forward(field, modes)

    call fft%create(n, MPI_COMM_WORLD, kind='r2c', batch=2, interleaved=.true., output_order=[1, 3, 2], options=options)
    e = fft%input_shape()
    call expect(all(e == plain%input_shape()), 'the order of the input')
    allocate (other_field(2, e(1), e(2), e(3)))
    do b = 1, 2
      other_field(b, :, :, :) = field(:, :, :, b)
    end do
    e = fft%output_shape()
    call expect(all(e([1, 3, 2]) == plain%output_shape()), 'the order of the output')
    allocate (other_modes(2, e(1), e(2), e(3)))
    call fft%forward(other_field, other_modes)
    full = plain%output_shape()
    do b = 1, 2
      call expect(all(abs(reshape(other_modes(b, :, :, :), full, order=[1, 3, 2]) - modes(:, :, :, b)) < 1e-12_real64), &
                  'the same numbers')
    end do
    strides = fft%output_strides()
    if (all(e > 0)) call expect(all(strides == [2_int64, 2 * e(1) * e(2), 2 * e(1), 1_int64]), 'strides')
    call fft%forward(field, other_modes, stat, errmsg)
    call expect_refused(stat, errmsg, 'needed are 2 x 8 x 6 x')
    call fft%destroy()
    deallocate (other_field)

    call fft%create(n, MPI_COMM_WORLD, kind='r2c', batch=2, padded_rows=.true., options=options)
    e = fft%input_shape()
    call expect(e(1) == 10 .or. e(3) == 0, 'rows are padded')
    allocate (other_field(e(1), e(2), e(3), 2))
    other_field(:n(1), :, :, :) = field
    deallocate (other_modes)
    allocate (other_modes, mold=modes)
    call fft%forward(other_field, other_modes)
    call expect(all(abs(other_modes - modes) < 1e-12_real64), 'the same numbers')
    call fft%destroy()
    call fft%create(n, MPI_COMM_WORLD, input_order=[1, 2, merge(2, 3, wrong_here())], stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'input_order is 1 2 2; it must be the numbers from 1 to 3 in any order')
    call fft%create([8, 6], MPI_COMM_WORLD, output_order=[1, 3, 2], stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'output_order is 1 3 2; it must be the numbers from 1 to 2 in any order')
    call fft%create([8, 6], MPI_COMM_WORLD, output_order=[2, 1], options=options)
    e = fft%output_shape()
    call expect(e(1) == 6 .and. e(2) == 1, 'two axes the other way round')
  end subroutine

  subroutine lines() bind(c, name='weft_test_lines')
    type(weft_transform) :: fft
    real(real64), allocatable :: field(:, :, :), modes(:, :, :)
    complex(real64), allocatable :: halved(:, :, :)
    real(real64), parameter :: pi = acos(-1.0_real64)
    integer :: lower(3), i, j, k
    integer(int64) :: e(3)
    type(weft_box) :: box

    ! One wave of each kind: a sine along the fastest axis, a cosine along the second, a constant along the third.
    call fft%create(n, MPI_COMM_WORLD, kind='dst2-dct2-dht')
    call expect(fft%option('kind') == 'dst2-dct2-dht', 'the lines of Fortran''s axes')
    e = fft%input_shape()
    allocate (field(e(1), e(2), e(3)))
    e = fft%output_shape()
    allocate (modes(e(1), e(2), e(3)))
    box = fft%input_box()
    lower = int(box%lower)
    do k = 1, size(field, 3)
      do j = 1, size(field, 2)
        do i = 1, size(field, 1)
          field(i, j, k) = sin(pi * (lower(1) + i - 1.5_real64) * 2 / n(1)) * cos(pi * (lower(2) + j - 1.5_real64) * 3 / n(2))
        end do
      end do
    end do
    call fft%forward(field, modes)
    box = fft%output_box()
    lower = int(box%lower)
    do k = 1, size(modes, 3)
      do j = 1, size(modes, 2)
        do i = 1, size(modes, 1)
          call expect(abs(modes(i, j, k) - merge(real(product(n), real64), 0.0_real64, &
                                                 all(lower + [i, j, k] - 1 == [2, 4, 1]))) < 1e-10_real64, 'one wave')
        end do
      end do
    end do
    call fft%backward(modes, field)
    call fft%destroy()

    call fft%create(n, MPI_COMM_WORLD, kind='r2c-none-dct4')
    e = fft%output_shape()
    allocate (halved(e(1), e(2), e(3)))
    deallocate (field)
    e = fft%input_shape()
    allocate (field(e(1), e(2), e(3)))
    call random_number(field)
    call fft%forward(field, halved)
    modes = field
    call fft%backward(halved, field)
    call expect(all(abs(field - modes * n(1) * 2 * n(3)) < 1e-9_real64), 'a round trip')
    call fft%destroy()
  end subroutine

  subroutine layouts() bind(c, name='weft_test_layouts')
    type(weft_layout) :: regular, slabs, bricks, gathered, copy
    type(weft_box) :: box, boxes(2)
    type(weft_transform) :: fft
    integer, allocatable :: owners(:)
    type(weft_box), allocatable :: parts(:)
    integer :: stat
    character(len=200) :: errmsg
    errmsg = ''
    call regular%regular(n, [2, 1, 3])
    call expect(all(regular%shape() == n), 'the shape')
    call regular%overlaps(weft_box([4, 2, 3], [5, 3, 3]), owners, parts)
    call expect(size(owners) == 2 .and. size(parts) == 2, 'two parts')
    if (size(owners) == 2) then
      call expect(all(owners == [2, 3]) .and. all(parts(1)%upper == [4, 3, 3]) .and. all(parts(2)%lower == [5, 2, 3]), 'which')
    end if
    call regular%overlaps(weft_box([4, 2, 3], [9, 3, 3]), owners, parts, stat, errmsg)
    call expect(stat == 0 .or. errmsg /= '', 'outside of the grid')
    errmsg = ''
    call expect(regular%ranks() == 6, 'ranks of a regular grid')
    box = regular%box(5)
    call expect(all(box%lower == [5, 1, 5]) .and. all(box%upper == [8, 6, 5]), 'the last box')
    box = regular%box(1)
    call expect(all(box%lower == [5, 1, 1]) .and. all(box%upper == [8, 6, 2]), 'the first axis is counted first')
    call expect(regular%describe() == 'pencil 3 x 2, axis 1 local', 'a regular grid: '//regular%describe())

    call slabs%slabs(n, ranks(), 2)
    box = slabs%box(my_rank())
    call gathered%gather(n, box, MPI_COMM_WORLD)
    call gathered%gather(int(n, int64), box, MPI_COMM_WORLD%MPI_VAL)
    copy = gathered
    box = copy%box(ranks() - 1)
    call expect(copy%ranks() == ranks() .and. box%upper(2) == 6, 'gathered and copied')
    call fft%create(n, MPI_COMM_WORLD, input=slabs, output=copy)
    box = fft%output_box()
    call expect(box%lower(1) == 1 .and. box%upper(1) == 8 .and. box%lower(3) == 1 .and. box%upper(3) == 5, 'slabs of axis 2')

    boxes(1) = weft_box([1, 1, 1], [3, 6, 5])
    boxes(2) = weft_box([4, 1, 1], [8, 6, 5])
    call bricks%irregular(n, boxes)
    box = bricks%box(1)
    call expect(bricks%ranks() == 2 .and. box%lower(1) == 4, 'irregular boxes')
    call bricks%irregular(n, boxes(:1), stat, errmsg)
    call expect(stat /= 0 .and. errmsg /= '', 'boxes that do not cover the grid')
    call expect(bricks%ranks() == 2, 'a layout stays as it was')
    errmsg = ''
    call slabs%slabs(n, 2, 4, stat, errmsg)
    call expect_refused(stat, errmsg, 'axis is 4; allowed are 1, 2, 3')
    call slabs%regular([8, -1, 5], [1, 1, 1], stat, errmsg)
    call expect_refused(stat, errmsg, '-1')
    box = regular%box(6, stat, errmsg)
    call expect_refused(stat, errmsg, '6')
    call gathered%gather(n, weft_box([1, 1, 1], [8, 6, 4]), MPI_COMM_WORLD, stat, errmsg)
    call expect_refused(stat, errmsg, trim(merge('192 of the 240', 'overlap       ', ranks() == 1)))
    call fft%destroy()
    call fft%create(n, MPI_COMM_WORLD, input=regular, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, '6')
  end subroutine

  subroutine options_by_name() bind(c, name='weft_test_options')
    type(weft_options) :: options, copy
    integer :: stat
    character(len=400) :: errmsg
    errmsg = 'as it was'
    call options%set('strategy', 'pairwise', stat, errmsg)
    call expect(stat == 0 .and. errmsg == 'as it was', 'errmsg is changed by errors only')
    errmsg = ''
    call options%set('tile', 4)
    call options%set('tile', 3)
    call options%set('transposed ', .true.)
    copy = options
    call options%set('tile', '7')
    call expect(copy%get('tile') == '3' .and. options%get('tile') == '7', 'a copy is its own')
    call expect(copy%get('strategy') == 'pairwise' .and. copy%get('transposed') == 'true' .and. copy%get('window') == '0', &
                'values and defaults')
    call options%set('strategie', 'pairwise', stat, errmsg)
    call expect_refused(stat, errmsg, "strategy")
    call options%set('strategy', 'telepathy', stat, errmsg)
    call expect_refused(stat, errmsg, 'alltoallv')
    call options%set('tile', -1, stat, errmsg)
    call expect_refused(stat, errmsg, '-1')
    call options%set('tile', .true., stat, errmsg)
    call expect_refused(stat, errmsg, 'true')
    call expect(options%get('colour', stat, errmsg) == '', 'no such option')
    call expect_refused(stat, errmsg, 'colour')
    call expect(len(weft_version()) >= 5 .and. index(weft_error_message(), 'colour') > 0, 'version and message')
  end subroutine

  subroutine plans() bind(c, name='weft_test_plans')
    type(weft_transform) :: fft
    type(weft_statistics) :: statistics
    type(weft_traffic) :: traffic
    type(weft_options) :: options
    complex(real64), allocatable :: x(:), y(:)
    integer :: stat, i
    character(len=200) :: errmsg
    errmsg = ''
    call expect(fft%option('tile', stat, errmsg) == '', 'no transform yet')
    call expect_refused(stat, errmsg, 'NULL')
    call options%set('strategy', 'pairwise')
    call options%set('wire', 'block24')
    call options%set('measure_wire', 'true')
    call fft%create(n, MPI_COMM_WORLD, options=options)
    allocate (x(fft%input_size()), y(fft%output_size()))
    do i = 1, size(x)
      x(i) = cmplx(sin(1.1_real64*i), cos(0.7_real64*i + my_rank()), real64)
    end do
    call fft%forward(x, y)
    call fft%backward(y, x)
    call fft%forward(x, y)
    statistics = fft%statistics()
    call expect(statistics%executions == 3 .and. statistics%total > 0, 'executions are counted')
    call expect(statistics%wire_error < 2.7e-6_real64, 'errors of the wire')
    call expect(statistics%wire_error > 1e-8_real64 .or. ranks() == 1 .or. statistics%bytes_sent == 0, 'errors are measured')
    call expect(statistics%core_round_trip >= 0 .and. statistics%core_moves <= 3, 'cores')
    call expect(size(statistics%exchanges) > 0 .or. ranks() == 1, 'exchanges')
    if (ranks() > 1) then
      call expect(sum(statistics%exchanges%bytes_sent) == statistics%bytes_sent .and. statistics%bytes_sent > 0, 'bytes')
      call expect(all(abs(statistics%exchanges%direction) == 1), 'directions')
    end if
    call fft%reset_statistics()
    statistics = fft%statistics()
    call expect(statistics%executions == 0, 'counted anew')
    call expect(fft%option('strategy') == 'pairwise' .and. fft%option('kind') == 'c2c', 'options as planned')
    call expect(index(fft%explain(), 'pairwise') > 0 .or. ranks() == 1, 'the plan in words: '//fft%explain())
    i = index(fft%json(), '{')
    call expect(i == 1, 'the plan as JSON')
    call expect(fft%workspace_bytes() >= 0, 'workspace')
    call expect(fft%option('colour', stat, errmsg) == '', 'no such option')
    call expect_refused(stat, errmsg, 'colour')
    traffic = fft%traffic(0, stat, errmsg)
    call expect_refused(stat, errmsg, 'direction is 0')
    call fft%drop_trace()
    call fft%write_trace(stat, errmsg)
    call expect(stat == 0 .or. errmsg /= '', 'no trace')
  end subroutine

  !> Those of other ranks, without MPI: what transforms of this rank have.
  subroutine plans_alone() bind(c, name='weft_test_plans_alone')
    type(weft_transform) :: fft
    type(weft_plan) :: plan, other
    type(weft_options) :: options
    type(weft_layout) :: slabs
    type(weft_flow), allocatable :: flows(:)
    type(weft_traffic) :: traffic
    type(weft_prediction) :: prediction, farther
    type(weft_box) :: here, there
    integer :: stat, direction
    character(len=400) :: errmsg
    errmsg = ''
    call options%set('strategy', 'pairwise')
    call fft%create(n, MPI_COMM_WORLD, kind='r2c', batch=2, output_order=[1, 3, 2], options=options)
    call options%apply_environment('transform')
    call plan%create(n, ranks(), my_rank(), kind='r2c', batch=2, output_order=[1, 3, 2], options=options)
    call expect(plan%rank() == my_rank() .and. plan%ranks() == ranks() .and. fft%ranks() == ranks(), 'rank and ranks')
    here = fft%output_box()
    there = plan%output_box()
    call expect(all(here%lower == there%lower) .and. all(here%upper == there%upper), 'boxes')
    call expect(all(plan%input_shape() == fft%input_shape()) .and. all(plan%output_strides() == fft%output_strides()), 'arrays')
    call expect(plan%input_size() == fft%input_size(), 'sizes')
    call expect(plan%option('strategy') == 'pairwise' .and. plan%option('batch') == '2', 'options')
    do direction = weft_forward, weft_backward, 2
      call plan%flows(direction, flows)
      traffic = plan%traffic(direction)
      call expect(sum(flows%bytes, flows%from /= flows%to) == traffic%all_bytes, 'flows are the bytes of all ranks')
      call expect(sum(flows%bytes, flows%from == my_rank() .and. flows%to /= my_rank()) == traffic%bytes, 'and those of this one')
    end do
    call fft%flows(weft_forward, flows)
    call expect(all(flows%from < ranks()) .and. all(flows%exchange >= 0), 'of a transform, too')

    ! Of more ranks than there are.
    call slabs%slabs(int(n, int64), 6, 2)
    call options%set_nodes([0, 0, 0, 1, 1, 1])
    call other%create(int(n, int64), 6, 4, precision='single', options=options, input=slabs, output=slabs)
    here = other%input_box()
    call expect(all(here%lower == [1, 5, 1]) .and. all(here%upper == [8, 5, 5]), 'the box of another rank')
    traffic = other%traffic(weft_forward)
    call expect(traffic%network_bytes > 0 .and. traffic%network_bytes < traffic%all_bytes, 'two nodes')
    call expect(index(other%explain(), 'pairwise') > 0 .and. index(other%json(), '{') == 1 .and. other%workspace_bytes() > 0, &
                'in words')
    call other%destroy()
    call other%destroy()
    call other%create([64, 64], 4, 3, options=options, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'nodes')
    call options%set_nodes([integer ::])
    call other%create([64, 64], 4, 3, options=options)
    call expect(other%rank() == 3, 'a plane')

    prediction = weft_predict([128, 128, 128], 16, 4, kind='r2c', options=options)
    call expect(prediction%forward > 0 .and. prediction%backward > 0 .and. prediction%memory_bytes > 16 * 128**3 / 16, 'seconds')
    farther = weft_predict([128_int64, 128_int64, 256_int64], 16, 4, kind='r2c', options=options)
    call expect(farther%forward > prediction%forward, 'more takes longer')

    call plan%create(n, 2, 0, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'created already')
    call plan%destroy()
    call plan%create(n, 2, 2, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'rank is 2')
    call plan%create(n, 2, 1, input_order=[1, 1, 2], stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'input_order is 1 1 2')
    call plan%create(n, 2, 1, kind='q2c', stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'q2c')
    call expect(plan%rank() == -1 .or. plan%option('kind', stat, errmsg) == '', 'there is no plan')
    errmsg = ''
    call plan%flows(weft_forward, flows, stat, errmsg)
    call expect_refused(stat, errmsg, 'NULL')
    prediction = weft_predict(n, 0, 1, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, '0')
    prediction = weft_predict(n, 4, 2, machine='/nowhere.toml', stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, '/nowhere.toml')
    call options%apply_environment('walk', stat, errmsg)
    call expect_refused(stat, errmsg, "operation is 'walk'")
    call options%set_nodes([0, -1], stat, errmsg)
    call expect(stat == 0, 'any numbers name nodes')
  end subroutine

  !> What there is to choose from.
  subroutine descriptions() bind(c, name='weft_test_descriptions')
    type(weft_option_description), allocatable :: all(:)
    type(weft_strategy_description), allocatable :: strategies(:)
    character(len=16), allocatable :: backends(:)
    type(weft_options) :: options
    integer :: i, stat
    character(len=400) :: errmsg
    errmsg = ''
    call weft_describe_options(all)
    call expect(size(all) > 10, 'options')
    do i = 1, size(all)
      call expect(options%get(all(i)%name) == all(i)%usual .and. all(i)%help /= '', 'the default of '//all(i)%name)
      call expect(all(i)%values /= '' .and. all(i)%applies_to /= '', 'values of '//all(i)%name)
    end do
    call weft_describe_strategies(strategies)
    call expect(any([(strategies(i)%name == 'pairwise', i=1, size(strategies))]), 'strategies')
    do i = 1, size(strategies)
      call expect(strategies(i)%summary /= '', 'what it does: '//strategies(i)%name)
    end do
    call weft_describe_backends(backends)
    call expect(any(backends == 'fftw') .and. any(backends == 'reference'), 'serial libraries')
    call expect(weft_strategy_obstacle('pairwise', MPI_COMM_WORLD) == '' .and. &
                weft_strategy_obstacle('pairwise', MPI_COMM_WORLD%MPI_VAL) == '', 'nothing is in its way')
    call expect(weft_strategy_obstacle('sharde', MPI_COMM_WORLD, stat, errmsg) == '', 'no such strategy')
    call expect_refused(stat, errmsg, "did you mean 'shared'?")
  end subroutine

  !> What wrappers refuse on one rank, while the others execute.
  subroutine raised() bind(c, name='weft_test_raised')
    type(weft_transform) :: fft
    type(weft_redistribution) :: move
    type(weft_sphere_transform) :: sphere
    type(weft_layout) :: slabs
    integer(int64), allocatable :: waves(:, :)
    complex(real64), allocatable :: x(:), y(:), c(:, :), psi(:, :, :, :)
    integer(int64) :: grid(3), e(3)
    type(weft_box) :: box
    integer :: stat
    character(len=400) :: errmsg
    errmsg = ''
    call weft_agree('', MPI_COMM_WORLD)
    call weft_agree(merge('not today', '         ', wrong_here()), MPI_COMM_WORLD, stat, errmsg)
    call expect_refused(stat, errmsg, 'not today')
    call weft_agree(merge('not today', '         ', wrong_here()), MPI_COMM_WORLD%MPI_VAL, stat, errmsg)
    call expect_refused(stat, errmsg, 'not today')

    call fft%create(n, MPI_COMM_WORLD)
    allocate (x(fft%input_size()), y(fft%output_size()))
    x = 0
    if (wrong_here()) then
      call fft%raise(weft_forward, 'not now', stat, errmsg)
    else
      call fft%forward(x, y, stat, errmsg)
    end if
    call expect_refused(stat, errmsg, 'not now')
    call fft%forward(x, y)

    call slabs%slabs(n, ranks(), 3)
    call move%create(slabs, slabs, 16, MPI_COMM_WORLD)
    if (wrong_here()) then
      call move%raise('not here', stat, errmsg)
    else
      call move%apply(x, y, stat=stat, errmsg=errmsg)
    end if
    call expect_refused(stat, errmsg, 'not here')

    call make_sphere(grid, waves, .false.)
    call sphere%create(grid, waves, MPI_COMM_WORLD)
    box = sphere%space_box()
    e = box%extents()
    allocate (c(sphere%waves(), 1), psi(e(1), e(2), e(3), 1))
    c = 0
    if (wrong_here()) then
      call sphere%raise('not so', stat, errmsg)
    else
      call sphere%backward(c, psi, stat=stat, errmsg=errmsg)
    end if
    call expect_refused(stat, errmsg, 'not so')
    call sphere%backward(c, psi)
    call fft%destroy()
    call fft%raise(weft_forward, 'too late', stat, errmsg)
    call expect_refused(stat, errmsg, 'NULL')
  end subroutine

  subroutine create_errors() bind(c, name='weft_test_create_errors')
    type(weft_transform) :: fft, other
    type(weft_options) :: options
    integer :: stat
    character(len=400) :: errmsg
    errmsg = ''
    call fft%create([8, 6, 5, 4, 1, 1, 1, 1, 2], MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'axes is 9')
    call fft%create([8, 6, 5, 4], MPI_COMM_WORLD, modes=[7, 6, 5, 4], stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'all along the axes before the last three')
    call fft%create([8, 6, 5, 4], MPI_COMM_WORLD, input_order=[2, 1, 3, 4], stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'in their places')
    call fft%create([8, 0, 5], MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, '0')
    call fft%create(n, MPI_COMM_NULL, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'MPI_COMM_NULL')
    ! What is wrong on one rank alone is wrong on all.
    call fft%create(n, MPI_COMM_WORLD, kind=merge('q2c', 'c2c', wrong_here()), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'q2c')
    call fft%create(n, MPI_COMM_WORLD, precision=merge('half  ', 'double', wrong_here()), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'half')
    call fft%create(n, MPI_COMM_WORLD, batch=merge(-1, 1, wrong_here()), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, '-1')
    call fft%create(n, MPI_COMM_WORLD, normalization=merge('some', 'none', wrong_here()), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'some')
    if (wrong_here()) call options%set('tile', 3)
    if (ranks() > 1) then
      call fft%create(n, MPI_COMM_WORLD, options=options, stat=stat, errmsg=errmsg)
      call expect_refused(stat, errmsg, 'tile')
      call fft%create(merge(n, n + 1, wrong_here()), MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
      call expect_refused(stat, errmsg, 'the same on all ranks')
    end if
    ! What is too large is refused at once.
    call fft%create([1_int64, 1_int64, 2_int64**40], MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, '1099511627776')
    call fft%create([1_int64, 2_int64**24, 1_int64], MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, '16777216')
    call fft%create(n, MPI_COMM_WORLD, batch=huge(1), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'batch (of spheres howmany) is 2147483647')
    ! errmsg is cut; the whole message can be had.
    call fft%create(n, MPI_COMM_WORLD, kind='q2c', stat=stat, errmsg=errmsg(:4))
    call expect(stat /= 0 .and. errmsg(5:) == '' .and. index(weft_error_message(), errmsg(:4)) == 1, 'a short errmsg')
    errmsg = ''
    call fft%create(n, MPI_COMM_WORLD)
    call fft%create(n, MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'created already')
    call fft%destroy(stat)
    call expect(stat == 0, 'destroyed')
    call other%destroy(stat)
    call expect(stat == 0, 'never created')
  end subroutine

  subroutine array_errors() bind(c, name='weft_test_array_errors')
    type(weft_transform) :: fft
    complex(real64), allocatable, target :: x(:, :, :)
    complex(real64), allocatable :: y(:, :, :), batch(:, :, :, :)
    complex(real32), allocatable :: single(:, :, :)
    real(real64), allocatable :: real_field(:, :, :)
    integer(int64) :: e(3)
    integer :: stat
    character(len=400) :: errmsg
    errmsg = ''
    call fft%create(n, MPI_COMM_WORLD)
    e = fft%input_shape()
    allocate (x(e(1), e(2), e(3)), y(e(1), e(2), e(3)), single(e(1), e(2), e(3)), real_field(e(1), e(2), e(3)))
    x = 0
    call fft%forward(x(:, :merge(5, 6, wrong_here()), :), y, stat, errmsg)
    call expect_refused(stat, errmsg, 'in is an array of 8 x 5 x')
    call fft%backward(x, y(:, :, :merge(e(3) - 1, e(3), wrong_here())), stat, errmsg)
    call expect_refused(stat, errmsg, 'out is an array of 8 x 6 x')
    allocate (batch(e(1), e(2), e(3), 2))
    batch = 0
    call fft%forward(c_loc(x), c_loc(x), stat, errmsg)
    call expect_refused(stat, errmsg, 'in_place')
    call fft%forward(batch(:, :, :, :1), batch(:, :, :, 2:))
    call fft%forward(single, single, stat, errmsg)
    call expect_refused(stat, errmsg, 'float')
    call fft%forward(real_field, y, stat, errmsg)
    call expect_refused(stat, errmsg, 'double')
    call fft%forward(c_null_ptr, c_null_ptr, stat, errmsg)
    call expect_refused(stat, errmsg, 'null')
    call fft%forward(x, y)
    call fft%destroy()
    call fft%forward(x, y, stat, errmsg)
    call expect_refused(stat, errmsg, 'NULL')
    call fft%create(n, MPI_COMM_WORLD, batch=3)
    call fft%forward(batch, batch, stat, errmsg)
    call expect_refused(stat, errmsg, 'x 2 numbers')
    call fft%forward(x, y, stat, errmsg)
    call expect_refused(stat, errmsg, 'x 3')
  end subroutine

  !> Rows of boxes of a layout of patches, with ghosts around each, at an end of a transform.
  subroutine patches() bind(c, name='weft_test_patches')
    type(weft_layout) :: layout, slabs
    type(weft_box), allocatable :: boxes(:), mine(:)
    integer, allocatable :: owners(:), who(:)
    type(weft_transform) :: fft
    type(weft_options) :: options
    type(weft_ghost_exchange) :: exchange
    complex(real64), allocatable :: row(:), spectrum(:), back(:)
    real(real64), allocatable :: parts(:), field(:)
    integer(int64) :: x, y, z, i, at
    integer :: stat
    character(len=400) :: errmsg
    errmsg = ''
    allocate (boxes(n(1)), owners(n(1)))
    do i = 1, n(1)
      boxes(i) = weft_box([i, 1_int64, 1_int64], [i, int(n(2), int64), int(n(3), int64)])
      owners(i) = int(mod(i, int(ranks(), int64)))
    end do
    call layout%patches(n, boxes, owners, ranks())
    call expect(layout%ranks() == ranks(), 'ranks of patches')
    mine = layout%boxes_of(my_rank())
    call expect(size(mine) == count(owners == my_rank()), 'patches of this rank')
    call layout%overlaps(boxes(2), who, mine, stat, errmsg)
    call expect(size(who) == 1 .and. all(who == owners(2)), 'overlaps of patches')
    mine = layout%boxes_of(my_rank())

    call options%set('input_ghosts', '1x0x0')
    call expect(options%get('input_ghosts') == '1x0x0', 'widths in the order of the axes')
    call fft%create(n, MPI_COMM_WORLD, normalization='backward', options=options, input=layout)
    allocate (row(3*n(2)*n(3)*size(mine)), back(3*n(2)*n(3)*size(mine)))
    at = 0
    do i = 1, size(mine)
      do z = 1, n(3)
        do y = 1, n(2)
          do x = mine(i)%lower(1) - 1, mine(i)%upper(1) + 1
            at = at + 1
            row(at) = cmplx(modulo(x - 1, int(n(1), int64)) + 1, 100*y + z, real64)
          end do
        end do
      end do
    end do
    allocate (spectrum(product(int(n, int64))))
    call fft%forward(row, spectrum)
    call fft%backward(spectrum, back)
    call expect(all(abs(back - row) < 1e-10_real64), 'round trip, with ghosts')

    call slabs%slabs(n, ranks(), 3)
    call exchange%create(slabs, layout, [1, 0, 0], [1, 0, 0], MPI_COMM_WORLD)
    mine = exchange%part_boxes()
    if (size(mine) > 0) call expect(all(mine(1)%extents() == int([3, n(2), n(3)], int64)), 'a part with ghosts')
    allocate (parts(3*n(2)*n(3)*size(mine)))
    mine = slabs%boxes_of(my_rank())
    allocate (field(mine(1)%points()))
    field = 1
    call exchange%scatter(field, parts)
    call expect(all(nint(parts) == 1), 'scattered to patches')
    call exchange%accumulate(parts, field)
    call expect(all(nint(field) == 3), 'summed from patches')
    call layout%patches(n, boxes, owners(2:), ranks(), stat, errmsg)
    call expect_refused(stat, errmsg, 'each box needs one')
    call layout%patches(n, boxes(2:), owners(2:), ranks(), stat, errmsg)
    call expect_refused(stat, errmsg, 'together they must cover it')
  end subroutine

  subroutine ghosts() bind(c, name='weft_test_ghosts')
    type(weft_layout) :: slabs, parts
    type(weft_box) :: here, around
    type(weft_ghost_exchange) :: exchange
    type(weft_moved) :: moved
    complex(real64), allocatable :: field(:, :, :), part(:, :, :), sums(:, :, :)
    real(real32), allocatable :: single(:, :, :, :), more(:, :, :, :)
    integer(int64) :: x, y, z, e(3)
    integer :: stat
    character(len=400) :: errmsg
    errmsg = ''
    call slabs%slabs(n, ranks(), 3)
    call parts%slabs(n, ranks(), 1)
    call exchange%create(slabs, parts, [1, 0, 2], [0, 1, 1], MPI_COMM_WORLD, periodic=[.true., .true., .false.], complex=.true.)
    here = slabs%box(my_rank())
    around = exchange%part_box()
    e = max(here%extents(), 0_int64)
    allocate (field(e(1), e(2), e(3)), sums(e(1), e(2), e(3)))
    e = max(around%extents(), 0_int64)
    allocate (part(e(1), e(2), e(3)))
    part = -1
    do z = here%lower(3), here%upper(3)
      do y = 1, 6
        do x = 1, 8
          field(x, y, z - here%lower(3) + 1) = number_at(x, y, z)
        end do
      end do
    end do
    call exchange%scatter(field, part, moved)
    call expect(all_placed(), 'parts with ghosts')
    call expect(moved%bytes_sent + moved%bytes_kept >= 16 * here%points(), 'bytes')
    call exchange%update(part)
    call expect(all_placed(), 'ghosts anew')
    call exchange%gather(part, sums)
    call expect(all(sums == field), 'gathered')
    part = 1
    call exchange%accumulate(part, sums)
    ! A point is seen twice along the first two axes where a neighbour has it as a ghost, up to 4 times along the third.
    call expect(all(nint(real(sums)) >= 1), 'summed')
    call exchange%fold(part)

    allocate (single(2, 2, 2, 1), more(2, 2, 2, 1))
    call exchange%gather(single, more, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'the arrays are real, single; this ghost exchange moves numbers complex, double')
    call exchange%scatter(field(:, :merge(5, 6, wrong_here()), :), part, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'the first argument is an array of 8 x 5 x')
    call exchange%update(part)
    call exchange%create(slabs, parts, [0, 0, 0], [0, 0, 0], MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'created already')
    call exchange%destroy()
    call exchange%update(part, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'NULL')
    call exchange%create(slabs, parts, [0, merge(7, 0, wrong_here()), 0], [0, 0, 0], MPI_COMM_WORLD%MPI_VAL, stat=stat, &
                         errmsg=errmsg)
    call expect_refused(stat, errmsg, 'below is 7 along axis 1')
    call exchange%create(slabs, parts, [0, 0, 0], [0, 0, 0], MPI_COMM_WORLD, precision=merge('half  ', 'double', wrong_here()), &
                         stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'type is -1')
    call exchange%create(slabs, parts, [0, 0, 0], [0, 0, 0], MPI_COMM_WORLD, precision='single', batch=2, check=.false.)
    call exchange%destroy()
  contains
    pure complex(real64) function number_at(x, y, z)
      integer(int64), intent(in) :: x, y, z
      number_at = cmplx(100 * x + 10 * y + z, x - y, real64)
    end function
    !> Every number is that of the point that it is an image of; beyond the third axis it is untouched.
    logical function all_placed()
      integer(int64) :: x, y, z
      complex(real64) :: wanted
      all_placed = .true.
      do z = around%lower(3), around%upper(3)
        do y = around%lower(2), around%upper(2)
          do x = around%lower(1), around%upper(1)
            wanted = -1
            if (z >= 1 .and. z <= 5) wanted = number_at(modulo(x - 1, 8_int64) + 1, modulo(y - 1, 6_int64) + 1, z)
            if (part(x - around%lower(1) + 1, y - around%lower(2) + 1, z - around%lower(3) + 1) /= wanted) all_placed = .false.
          end do
        end do
      end do
    end function
  end subroutine

  subroutine redistributions() bind(c, name='weft_test_redistributions')
    type(weft_layout) :: from, to, other
    type(weft_box) :: here, there
    type(weft_redistribution) :: move
    type(weft_moved) :: moved
    real(real64), allocatable :: in(:, :, :, :), out(:, :, :, :), flat(:)
    real(real32), allocatable :: single(:, :, :, :)
    integer(int64) :: x, y, z, e(3)
    integer :: b, stat
    character(len=400) :: errmsg
    errmsg = ''
    call from%slabs(n, ranks(), 3)
    call to%slabs(n, ranks(), 1)
    here = from%box(my_rank())
    there = to%box(my_rank())
    e = here%extents()
    allocate (in(e(1), e(2), e(3), 2))
    e = there%extents()
    allocate (out(e(1), e(2), e(3), 2), flat(2 * there%points()))
    do b = 1, 2
      do z = here%lower(3), here%upper(3)
        do y = 1, 6
          do x = 1, 8
            in(x, y, z - here%lower(3) + 1, b) = real(1000 * b + 100 * x + 10 * y + z, real64)
          end do
        end do
      end do
    end do
    call move%create(from, to, storage_size(in) / 8, MPI_COMM_WORLD, batch=2)
    call move%apply(in, out, moved)
    do b = 1, 2
      do z = 1, 5
        do y = 1, 6
          do x = there%lower(1), there%upper(1)
            call expect(nint(out(x - there%lower(1) + 1, y, z, b)) == 1000 * b + 100 * x + 10 * y + z, 'a number at its place')
          end do
        end do
      end do
    end do
    call expect(moved%bytes_sent + moved%bytes_kept == 16 * here%points(), 'bytes')
    call move%apply(reshape(in, [size(in)]), flat)
    call expect(all(flat == reshape(out, [size(out)])), 'assumed size')

    allocate (single, source=real(in, real32))
    call move%apply(single, single, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'numbers of 4 bytes; this redistribution moves those of 8')
    call move%apply(in(:, :merge(5, 6, wrong_here()), :, :), out, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'in is an array of 8 x 5 x')
    call move%apply(in, out(:, :, :, :merge(1, 2, wrong_here())), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'x 1 numbers')
    call move%apply(in, out)
    call move%create(from, to, 8, MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'created already')
    call move%drop_trace()
    call move%destroy()
    call move%apply(in, out, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'NULL')
    call move%create(from, to, merge(7, 8, wrong_here()), MPI_COMM_WORLD%MPI_VAL, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, '7')
    call other%regular(n, [1, 1, ranks() + 1])
    call move%create(from, other, 8, MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'ranks')
  end subroutine

  !> A cube's sphere, dealt to the ranks.
  subroutine make_sphere(grid, waves, gamma)
    integer(int64), intent(out) :: grid(3)
    integer(int64), allocatable, intent(out) :: waves(:, :)
    logical, intent(in) :: gamma
    integer(int64), allocatable :: all_waves(:, :)
    integer, allocatable :: owner(:)
    real(real64) :: lattice(3, 3)
    integer(int64) :: i
    lattice = reshape([6, 0, 0, 0, 7, 0, 0, 0, 8], [3, 3])
    call weft_plane_waves(lattice, 5._real64, all_waves, gamma=gamma)
    call expect(size(all_waves, 2) > 20, 'plane waves')
    grid = weft_sphere_grid(lattice, 5._real64)
    call expect(grid(1) <= grid(3) .and. all(2 * maxval(abs(all_waves), 2) < grid), 'the grid holds the sphere')
    call weft_deal_columns(all_waves, ranks(), owner)
    waves = all_waves(:, pack([(i, i=1, size(all_waves, 2, int64))], owner == my_rank()))
  end subroutine

  subroutine spheres() bind(c, name='weft_test_spheres')
    type(weft_sphere_transform) :: fft, sharing, padded
    type(weft_statistics) :: statistics
    type(weft_box) :: box
    integer(int64), allocatable :: waves(:, :)
    complex(real64), allocatable :: c(:, :), again(:, :), added(:, :), psi(:, :, :, :), one(:, :, :), wide(:, :, :, :)
    complex(real64), allocatable :: fewer(:, :)
    real(real64), allocatable :: rho(:, :, :), v(:, :, :), wanted(:, :, :), matrix(:, :, :, :), n(:, :, :, :)
    integer(int64) :: grid(3), e(3), x, y, z, i, found
    integer :: first, last, status
    character(len=200) :: errmsg
    call make_sphere(grid, waves, .false.)
    call fft%create(grid, waves, MPI_COMM_WORLD, howmany=2, normalization='forward')
    call expect(fft%waves() == size(waves, 2), 'plane waves of this rank')
    box = fft%space_box()
    e = box%extents()
    call expect(all(e(:2) == grid(:2)) .and. nint(sum_of_all(real(e(3), real64))) == grid(3), 'planes of the last axis are dealt')
    ! Columns of coefficients may be longer than there are waves, and there may be more planes than needed.
    allocate (c(fft%waves() + 2, 2), again(fft%waves() + 2, 2), psi(e(1), e(2), e(3) + 1, 2), one(e(1), e(2), e(3)))
    allocate (rho(e(1), e(2), e(3)), v(e(1), e(2), e(3)), wanted(e(1), e(2), e(3)))
    c = 0
    found = 0
    do i = 1, fft%waves()
      if (all(waves(:, i) == [1, -2, 1])) found = i
    end do
    call expect(nint(sum_of_all(real(min(found, 1_int64), real64))) == 1, 'a wave is on one rank')
    if (found > 0) c(found, 2) = 1
    call fft%backward(c, psi)
    do z = 1, e(3)
      do y = 1, e(2)
        do x = 1, e(1)
          call expect(abs(psi(x, y, z, 2) - wave_at([x, y, z + box%lower(3) - 1], grid, [1, -2, 1])) < 1e-13_real64 &
                      .and. abs(psi(x, y, z, 1)) < 1e-13_real64, 'a plane wave in space')
        end do
      end do
    end do

    do i = 1, fft%waves()
      c(i, :) = [cmplx(i, my_rank(), real64), cmplx(-1, i, real64)] / 100
    end do
    call fft%backward(c, psi)
    call fft%forward(psi, again)
    call expect(maxval(abs(again(:fft%waves(), :) - c(:fft%waves(), :))) < 1e-13_real64, 'round trip')
    call fft%backward(c(:, 2), one)
    call expect(maxval(abs(one - psi(:, :, :e(3), 2))) < 1e-13_real64, 'one band')
    call padded%create(grid, waves, fft, howmany=2, normalization='forward', padded=int(grid(:2)) + [1, 2])
    allocate (wide(e(1) + 1, e(2) + 2, e(3), 2))
    wide = 7
    call padded%backward(c, wide)
    call expect(all(wide(:e(1), :e(2), :, :) == psi(:, :, :e(3), :)), 'rows and planes apart')
    call expect(all(wide(e(1) + 1, :, :, :) == 7) .and. all(wide(:, e(2) + 1:, :, :) == 7), 'what lies beyond is not written')
    call padded%forward(wide, again)
    call expect(maxval(abs(again(:fft%waves(), :) - c(:fft%waves(), :))) < 1e-13_real64, 'round trip of rows and planes apart')
    call padded%destroy()
    deallocate (wide)
    ! From these waves to every second one of them, in reverse.
    call padded%create(grid, waves, fft, howmany=2, normalization='forward', results=waves(:, size(waves, 2):1:-2))
    call expect(padded%waves() == size(waves, 2) .and. padded%results() == (size(waves, 2) + 1) / 2, 'other waves come back')
    allocate (fewer(padded%results() + 1, 2))
    call padded%forward(psi(:, :, :e(3), :), fewer)
    call expect(maxval(abs(fewer(:padded%results(), :) - c(fft%waves():1:-2, :))) < 1e-13_real64, 'forward of others')
    call random_number(v)
    call padded%apply(v, c, fewer)
    call fft%apply(v, c, again)
    call expect(maxval(abs(fewer(:padded%results(), :) - again(fft%waves():1:-2, :))) < 1e-12_real64, 'v psi of others')
    call padded%destroy()
    deallocate (fewer)
    ! A spinor, and a matrix at each point.
    call padded%create(grid, waves, fft, howmany=1, normalization='forward', spinors=.true.)
    allocate (matrix(e(1), e(2), e(3), 4), n(e(1), e(2), e(3), 4))
    call random_number(matrix)
    call padded%apply(matrix, c, again)
    allocate (fewer(fft%waves() + 2, 2), wide(e(1), e(2), e(3) + 1, 2))
    wide(:, :, :e(3), 1) = matrix(:, :, :, 1) * psi(:, :, :e(3), 1) &
                           + cmplx(matrix(:, :, :, 3), matrix(:, :, :, 4), real64) * psi(:, :, :e(3), 2)
    wide(:, :, :e(3), 2) = matrix(:, :, :, 2) * psi(:, :, :e(3), 2) &
                           + cmplx(matrix(:, :, :, 3), -matrix(:, :, :, 4), real64) * psi(:, :, :e(3), 1)
    call fft%forward(wide, fewer)
    call expect(maxval(abs(again(:fft%waves(), :) - fewer(:fft%waves(), :))) < 1e-12_real64, 'a matrix times spinors')
    n = 1
    call padded%density(c, n, [0.5_real64, 0._real64])
    call expect(maxval(abs(n(:, :, :, 2) - 1 - 0.5_real64 * abs(psi(:, :, :e(3), 2))**2)) < 1e-11_real64, 'n22 of spinors')
    call expect(maxval(abs(n(:, :, :, 4) - 1 - 0.5_real64 * aimag(psi(:, :, :e(3), 1) * conjg(psi(:, :, :e(3), 2))))) &
                < 1e-11_real64, 'Im n12 of spinors')
    call padded%density(c, v, stat=status, errmsg=errmsg)
    call expect_refused(status, errmsg, 'x 4')
    call padded%destroy()
    call random_number(v)
    do i = 1, 2
      psi(:, :, :e(3), i) = v * psi(:, :, :e(3), i)
    end do
    call fft%forward(psi, again)
    call sharing%create(grid, waves, fft, howmany=1, normalization='forward')
    added = again
    call sharing%apply(v, c, added, accumulate=.true.)
    call expect(maxval(abs(added(:fft%waves(), :) - 2 * again(:fft%waves(), :))) < 1e-12_real64, 'v psi, added')
    call sharing%forward(psi, added, accumulate=.true.)
    call expect(maxval(abs(added(:fft%waves(), :) - 3 * again(:fft%waves(), :))) < 1e-12_real64, 'forward, added')
    call sharing%apply(cmplx(0, v, real64), c, added)
    call expect(maxval(abs(added(:fft%waves(), :) - (0, 1) * again(:fft%waves(), :))) < 1e-12_real64, 'a complex v')
    call fft%apply(v, c, c)
    call expect(maxval(abs(again(:fft%waves(), :) - c(:fft%waves(), :))) < 1e-12_real64, 'v psi')
    call fft%backward(c, psi)
    wanted = 1 + 0.5_real64 * abs(psi(:, :, :e(3), 1))**2 + 2 * abs(psi(:, :, :e(3), 2))**2
    rho = 1
    call fft%density(c, rho, [0.5_real64, 2._real64])
    call expect(maxval(abs(rho - wanted)) < 1e-11_real64, 'density')
    rho = 0
    call fft%density(c, rho, [0.5_real64, 2._real64], imaginary_weights=[3._real64, 4._real64])
    wanted = 0.5_real64 * real(psi(:, :, :e(3), 1))**2 + 3 * aimag(psi(:, :, :e(3), 1))**2 &
             + 2 * real(psi(:, :, :e(3), 2))**2 + 4 * aimag(psi(:, :, :e(3), 2))**2
    call expect(maxval(abs(rho - wanted)) < 1e-11_real64, 'density by parts')
    rho = 1
    call fft%density(c(:, 1), rho)
    call expect(maxval(abs(rho - 1 - abs(psi(:, :, :e(3), 1))**2)) < 1e-11_real64, 'density of one band')

    call fft%bands_here(5, first, last)
    call expect(first == 1 .and. last == 5, 'all bands are here')
    statistics = fft%statistics()
    call expect(statistics%executions == 12, 'executions are counted')
    call fft%reset_statistics()
    call fft%drop_trace()
    call expect(len(fft%explain()) > 100 .and. index(fft%json(), '{') == 1 .and. fft%workspace_bytes() >= 0, 'the plan')
    call fft%destroy()
    again = 0
    one = 1
    call sharing%apply(real(one, real64), c, again, accumulate=.false.)
    call expect(maxval(abs(again(:size(waves, 2), :) - c(:size(waves, 2), :))) < 1e-12_real64, 'memory outlives who made it')
    call sharing%destroy()
  end subroutine

  subroutine real_spheres() bind(c, name='weft_test_real_spheres')
    type(weft_sphere_transform) :: fft
    type(weft_options) :: options, forward_options
    integer(int64), allocatable :: waves(:, :)
    complex(real32), allocatable :: c(:, :), again(:, :)
    real(real32), allocatable :: psi(:, :, :, :), rho(:)
    integer(int64) :: grid(3), e(3), i
    type(weft_box) :: box
    call make_sphere(grid, waves, .true.)
    call options%set('strategy', 'pairwise')
    forward_options = options
    call forward_options%set('tile', 2)
    call fft%create(int(grid), int(waves), MPI_COMM_WORLD%MPI_VAL, gamma=.true., precision='single', howmany=3, &
                    normalization='forward', options=options, forward_options=forward_options)
    box = fft%space_box()
    e = box%extents()
    allocate (c(fft%waves(), 3), again(fft%waves(), 3), psi(e(1), e(2), e(3), 3), rho(product(e)))
    do i = 1, fft%waves()
      c(i, :) = cmplx(0.01 * real(i), merge(0., 0.02, all(waves(:, i) == 0)))
    end do
    call fft%backward(c, psi)
    call fft%forward(psi, again)
    call expect(maxval(abs(again - c)) < 1e-4, 'round trip')
    rho = 0
    call fft%density(c, rho)
    call expect(maxval(abs(rho - reshape(sum(psi**2, 4), [product(e)]))) < 1e-2 * max(1., maxval(rho)), 'density')
    rho = 1
    call fft%apply(rho, c, again)
    call expect(maxval(abs(again - c)) < 1e-4, 'a potential of 1')
  end subroutine

  subroutine sphere_errors() bind(c, name='weft_test_sphere_errors')
    type(weft_sphere_transform) :: fft, sharing
    integer(int64), allocatable :: waves(:, :), none(:, :)
    integer, allocatable :: owner(:)
    complex(real64), allocatable :: c(:, :), psi(:, :, :, :)
    complex(real32), allocatable :: single(:, :)
    real(real64), allocatable :: v(:, :, :), real_psi(:, :, :, :)
    real(real32) :: single_rho(1, 1, 1)
    real(real64) :: lattice(3, 3)
    integer(int64) :: grid(3), e(3)
    type(weft_box) :: box
    integer :: stat
    character(len=400) :: errmsg
    errmsg = ''
    call make_sphere(grid, waves, .false.)
    lattice = 0
    call weft_plane_waves(lattice, 5._real64, none, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'volume')
    grid = weft_sphere_grid(lattice, 5._real64, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'volume')
    call weft_deal_columns(waves(:2, :), 2, owner, stat, errmsg)
    call expect_refused(stat, errmsg, 'first extent of 2')
    call weft_deal_columns(int(waves), 3, owner, stat, errmsg, sharing=2)
    call expect_refused(stat, errmsg, 'sharing is 2')
    call weft_deal_columns(int(waves), 0, owner, stat, errmsg)
    call expect_refused(stat, errmsg, '0')

    call make_sphere(grid, waves, .false.)
    call fft%create(grid, waves(:merge(2, 3, wrong_here()), :), MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'first extent of 2')
    call fft%create(grid, merge(waves, 100 * waves + 99, .not. wrong_here()), MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'wave')
    call fft%create(grid, waves, MPI_COMM_WORLD, precision=merge('half  ', 'double', wrong_here()), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'half')
    call fft%create(grid, waves, MPI_COMM_WORLD, planes=merge(-2, 1, wrong_here()), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'planes')
    call fft%create(grid, waves, MPI_COMM_WORLD, howmany=2)
    call fft%create(grid, waves, MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'created already')
    call sharing%create(grid, waves(:merge(2, 3, wrong_here()), :), fft, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'first extent of 2')
    call sharing%create(grid, waves, fft, precision=merge('half  ', 'double', wrong_here()), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'half')
    box = fft%space_box()
    e = box%extents()
    allocate (c(fft%waves(), 2), psi(e(1), e(2), e(3), 2), v(e(1), e(2), e(3)))
    c = 0
    call fft%backward(c(:fft%waves() - merge(1, 0, wrong_here()), :), psi, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'waves is an array of')
    call fft%backward(c, psi(:, :, :, :merge(1, 2, wrong_here())), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'space is an array of')
    call fft%forward(psi(:, :, :e(3) - merge(1, 0, wrong_here()), :), c, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'space is an array of')
    call fft%backward(c, psi, bands=3, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'waves is an array of')
    allocate (single(fft%waves(), 2), real_psi(e(1), e(2), e(3), 2))
    call fft%backward(c, real_psi, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'space is real, double; this transform needs complex, double')
    call fft%apply(v, c, c(:merge(1_int64, fft%waves(), wrong_here()), :), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'out is an array of')
    call fft%density(c, v, [1._real64], stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'weights has 1 numbers for 2 bands')
    call fft%density(c, v, imaginary_weights=[1._real64], stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'imaginary_weights has 1 numbers for 2 bands')
    call fft%density(single, single_rho, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'waves is complex, single')
    call fft%backward(c, psi)
    call fft%destroy()
    call fft%backward(c, psi, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'NULL')
  end subroutine

  subroutine sphere_plans() bind(c, name='weft_test_sphere_plans')
    type(weft_sphere_transform) :: fft
    type(weft_sphere_plan) :: plan
    type(weft_options) :: options
    type(weft_traffic) :: traffic, planned
    type(weft_prediction) :: prediction
    type(weft_box) :: here, there
    integer(int64), allocatable :: waves(:, :), all_waves(:, :)
    integer(int64) :: grid(3), sent(3), full(3)
    integer, allocatable :: counts(:), places(:)
    integer :: axes(3), stat, i
    character(len=400) :: errmsg
    errmsg = ''
    call make_sphere(grid, waves, .false.)
    allocate (counts(ranks()))
    call MPI_Allgather(size(waves), 1, MPI_INTEGER, counts, 1, MPI_INTEGER, MPI_COMM_WORLD)
    places = [(sum(counts(:i - 1)), i=1, ranks())]
    allocate (all_waves(3, sum(counts) / 3))
    call MPI_Allgatherv(waves, size(waves), MPI_INTEGER8, all_waves, counts, places, MPI_INTEGER8, MPI_COMM_WORLD)
    counts = counts / 3
    call options%set('strategy', 'pairwise')
    call fft%create(grid, waves, MPI_COMM_WORLD, howmany=2, options=options)
    call options%apply_environment('sphere')
    call plan%create(grid, counts, all_waves, my_rank(), howmany=2, options=options, result_counts=counts, &
                     results=all_waves(:, :1), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'results has the extents 3 x 1')
    call plan%create(grid, counts, all_waves, my_rank(), howmany=2, options=options, results=all_waves, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'of results and result_counts only one is given')
    call plan%create(grid, counts, all_waves, my_rank(), howmany=2, options=options, result_counts=counts, results=all_waves)
    call expect(plan%results() == counts(my_rank() + 1), 'results of a plan')
    call plan%destroy()
    call plan%create(grid, counts, all_waves, my_rank(), howmany=2, options=options)
    call expect(plan%rank() == my_rank() .and. plan%ranks() == ranks() .and. fft%ranks() == ranks(), 'rank and ranks')
    call expect(plan%waves() == fft%waves() .and. plan%columns() == fft%columns(), 'waves and columns')
    call expect(plan%columns() <= plan%all_columns() .and. plan%columns() <= plan%waves(), 'columns of all')
    here = fft%space_box()
    there = plan%space_box()
    call expect(all(here%lower == there%lower) .and. all(here%upper == there%upper), 'boxes')
    call plan%lines(axes, sent, full)
    call expect(axes(1) == 3 .and. all(sent <= full) .and. full(1) == grid(1) * grid(2), 'lines')
    call expect(sent(1) == plan%all_columns(), 'a line for each column')
    traffic = fft%traffic(weft_backward)
    planned = plan%traffic(weft_backward)
    call expect(traffic%all_bytes == planned%all_bytes .and. (planned%all_bytes > 0 .or. ranks() == 1), 'traffic')
    call expect(plan%option(weft_forward, 'strategy') == 'pairwise' .and. fft%option(weft_backward, 'strategy') == 'pairwise', &
                'options')
    call expect(plan%json() == fft%json() .and. plan%workspace_bytes() == fft%workspace_bytes(), 'the same plan')
    prediction = plan%predict(ranks())
    call expect(prediction%forward > 0 .and. prediction%backward > 0, 'predicted')

    call plan%create(grid, counts, all_waves, 0, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'created already')
    call plan%destroy()
    call plan%create(grid, counts, all_waves(:2, :), 0, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'extents 2 x')
    call plan%create(grid, counts + 1, all_waves, 0, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'the sum of counts')
    call plan%create(int(grid), counts, int(all_waves), ranks(), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'rank is ')
    call plan%create(grid, counts, all_waves, 0, normalization='some', stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'some')
    planned = plan%traffic(weft_forward, stat, errmsg)
    call expect_refused(stat, errmsg, 'NULL')
    prediction = plan%predict(1, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'NULL')
  end subroutine

  !> Called by leaks_test.cpp, which counts what is left.
  subroutine variables_that_end() bind(c, name='weft_test_variables_that_end')
    type(weft_transform) :: fft, failed
    type(weft_redistribution) :: move
    type(weft_sphere_transform) :: sphere
    type(weft_operator) :: op
    type(weft_layout) :: from, to
    type(weft_plan) :: plan
    integer :: stat
    call fft%create(n, MPI_COMM_WORLD)
    call plan%create(n, 4, 0)
    call op%create_own(n, damp, MPI_COMM_WORLD, 1, 1)
    call failed%create(n, MPI_COMM_WORLD, kind=merge('q2c', 'c2c', wrong_here()), stat=stat)
    call expect(stat /= 0, 'q2c')
    call from%slabs(n, ranks(), 3)
    call to%gather(n, from%box(my_rank()), MPI_COMM_WORLD)
    call move%create(from, to, 8, MPI_COMM_WORLD)
    call sphere%create(n, reshape([mod(my_rank(), 4), my_rank() / 4, 0], [3, 1]), MPI_COMM_WORLD)
    call expect(fft%input_size() >= 0 .and. sphere%waves() == 1, 'made')
  end subroutine

  !> Coordinates of this rank's part, in a box of these lengths.
  subroutine coordinates(box, lengths, x, y, z)
    type(weft_box), intent(in) :: box
    real(real64), intent(in) :: lengths(3)
    real(real64), allocatable, intent(out) :: x(:, :, :), y(:, :, :), z(:, :, :)
    integer(int64) :: i, j, k
    allocate (x(box%lower(1):box%upper(1), box%lower(2):box%upper(2), box%lower(3):box%upper(3)))
    allocate (y, z, mold=x)
    do k = box%lower(3), box%upper(3)
      do j = box%lower(2), box%upper(2)
        do i = box%lower(1), box%upper(1)
          x(i, j, k) = lengths(1) * real(i - 1, real64) / n(1)
          y(i, j, k) = lengths(2) * real(j - 1, real64) / n(2)
          z(i, j, k) = lengths(3) * real(k - 1, real64) / n(3)
        end do
      end do
    end do
  end subroutine

  real(real64) function largest(part)
    real(real64), intent(in) :: part(:, :, :)
    largest = maxval(abs(part))
    if (size(part) == 0) largest = 0
  end function

  !> Axes and components of vectors are in Fortran's order.
  subroutine operators() bind(c, name='weft_test_operators')
    real(real64), parameter :: lengths(3) = [2 * pi, 2 * pi, 4 * pi]
    type(weft_operator) :: op
    type(weft_options) :: in_place
    real(real64), allocatable :: x(:, :, :), y(:, :, :), z(:, :, :), u(:, :, :), v(:, :, :), w(:, :, :, :), c(:, :, :, :)
    real(real64), allocatable :: table(:, :, :), along(:)
    complex(real64), allocatable :: turned(:, :, :)
    type(weft_box) :: here, middle
    type(weft_statistics) :: statistics
    integer(int64) :: e(3)
    integer :: i, stat
    character(len=400) :: errmsg

    call op%create(n, 'gradient', MPI_COMM_WORLD, kind='r2c', lengths=lengths)
    here = op%input_box()
    e = here%extents()
    call coordinates(here, lengths, x, y, z)
    allocate (u, v, mold=x)
    allocate (w(e(1), e(2), e(3), 3), c(e(1), e(2), e(3), 3))
    u = sin(3 * x + 2 * y + z / 2)
    call op%apply(u, w)
    v = cos(3 * x + 2 * y + z / 2)
    call expect(largest(w(:, :, :, 1) - 3 * v) < 1e-12_real64, 'gradient 1')
    call expect(largest(w(:, :, :, 2) - 2 * v) < 1e-12_real64, 'gradient 2')
    call expect(largest(w(:, :, :, 3) - v / 2) < 1e-12_real64, 'gradient 3')
    call expect(op%input_fields() == 1 .and. op%output_fields() == 3, 'fields')
    call expect(op%output_size() == 3 * op%input_size(), 'sizes')
    middle = op%middle_box()
    call expect(nint(sum_of_all(real(middle%points(), real64))) == 5 * 6 * 5, 'the half spectrum')
    along = op%places(3)
    call expect(all(abs(along - [0._real64, 0.5_real64, 1._real64, -1._real64, -0.5_real64]) < 1e-14_real64), 'places')
    along = op%places(2, odd=.true.)
    call expect(size(along) == 6 .and. abs(along(4)) < 1e-14_real64, 'odd places')
    statistics = op%statistics()
    call expect(statistics%executions == 1, 'executions')
    call op%reset_statistics()
    statistics = op%statistics()
    call expect(statistics%executions == 0, 'executions counted anew')
    call expect(index(op%explain(), '1 field to 3') > 0 .and. index(op%json(), 'wavenumbers') > 0, 'plan')
    call expect(op%option('kind') == 'r2c' .and. op%option('in_place') == 'false', 'option')
    block
      type(weft_operator_plan) :: plan
      type(weft_prediction) :: prediction
      call plan%create(n, 'gradient', op%ranks(), op%rank(), kind='r2c', lengths=lengths)
      call expect(index(plan%explain(), 'Weft operator plan') == 1 .and. index(plan%json(), 'wavenumbers') > 0, 'a plan alone')
      here = plan%middle_box()
      middle = op%middle_box()
      call expect(all(here%lower == middle%lower) .and. all(here%upper == middle%upper), 'its middle')
      here = op%input_box()
      call expect(plan%output_fields() == 3 .and. plan%input_size() == op%input_size(), 'its sizes')
      call expect(all(abs(plan%places(2) - op%places(2)) < 1e-14_real64), 'its places')
      prediction = plan%predict(1)
      call expect(prediction%forward > 0 .and. prediction%memory_bytes > 0, 'its prediction')
      call plan%destroy()
      call plan%create_own(int(n, int64), 6, 3, 4, 1, in_space=.true.)
      call expect(plan%ranks() == 4 .and. plan%rank() == 1, 'ranks that are not there')
      call expect(index(plan%explain(), '6 fields to 3, function at points') > 0, 'a plan for a procedure')
      errmsg = ''
      call plan%create(n, 'gradient', 1, 0, stat=stat, errmsg=errmsg)
      call expect_refused(stat, errmsg, 'created already')
    end block
    call op%destroy()

    call op%create(int(n, int64), 'divergence', MPI_COMM_WORLD%MPI_VAL, kind='r2c', lengths=lengths)
    call op%apply(w, u)
    call expect(largest(u + (9 + 4 + 0.25_real64) * sin(3 * x + 2 * y + z / 2)) < 1e-11_real64, 'divergence')
    call op%destroy()

    call in_place%set('in_place', .true.)
    call op%create(n, 'curl', MPI_COMM_WORLD, kind='r2c', lengths=lengths, options=in_place)
    c(:, :, :, 1) = sin(y)
    c(:, :, :, 2) = sin(z)
    c(:, :, :, 3) = sin(x)
    call op%apply(c)
    call expect(largest(c(:, :, :, 1) + cos(z)) < 1e-12_real64, 'curl 1')
    call expect(largest(c(:, :, :, 2) + cos(x)) < 1e-12_real64, 'curl 2')
    call expect(largest(c(:, :, :, 3) + cos(y)) < 1e-12_real64, 'curl 3')
    call op%set_function('projection')
    w = c
    call op%apply(w)
    call expect(maxval([abs(w - c), 0._real64]) < 1e-12_real64, 'without divergence')
    c(:, :, :, 1) = c(:, :, :, 1) + cos(x)
    call op%apply(c)
    call expect(maxval([abs(w - c), 0._real64]) < 1e-12_real64, 'what has divergence goes')
    call op%destroy()

    call op%create(n, 'derivative', MPI_COMM_WORLD, values=[1._real64, 2._real64], kind='r2c', lengths=lengths)
    u = sin(3 * x + 2 * y)
    call op%apply(u, v)
    call expect(largest(v - 2 * cos(3 * x + 2 * y)) < 1e-12_real64, 'derivative along axis 2')
    call op%set_function('shift', [0.25_real64, -1._real64, 0._real64])
    call op%apply(u, v)
    call expect(largest(v - sin(3 * (x - 0.25_real64) + 2 * (y + 1))) < 1e-12_real64, 'shift')
    call op%set_function('inverse_laplacian')
    call op%apply(u, v)
    call expect(largest(v + u / 13) < 1e-13_real64, 'inverse Laplacian')
    ! A table of one's own in its place.
    middle = op%middle_box()
    e = middle%extents()
    allocate (table(e(1), e(2), e(3)))
    table = 2
    call op%multiply(table)
    call op%apply(u, v)
    call expect(largest(v - 2 * u) < 1e-13_real64, 'table')
    allocate (turned(e(1), e(2), e(3)))
    turned = cmplx(0, 1, real64)
    if (middle%lower(1) == 1 .and. e(1) > 0) turned(1, :, :) = 0
    call op%multiply(turned)
    u = sin(x)
    call op%apply(u, v)
    call expect(largest(v - sin(x + pi / 2)) < 1e-13_real64, 'turned by a quarter')
    ! And by factors: the same but for the last axis.
    block
      complex(real64), allocatable :: phases(:)
      phases = op%places(1)
      phases = merge((0._real64, 0._real64), (0._real64, 1._real64), abs(phases) < 0.5_real64)
      call op%multiply_separable(phases, [(cmplx(1, 0, real64), i=1, 6)], [(cmplx(3, 0, real64), i=1, 5)])
      call op%apply(u, w(:, :, :, 1))
      call expect(largest(w(:, :, :, 1) - 3 * v) < 1e-13_real64, 'factors')
      call op%multiply_separable([(1._real64, i=1, 5)], [(2._real64, i=1, 6)], [(1._real64, i=1, 5)])
      call op%apply(u, v)
      call expect(largest(v - 2 * u) < 1e-13_real64, 'real factors')
    end block
    ! The kernel that is 1 at one point shifts by as much.
    v = 0
    if (all(here%lower <= [3, 1, 1]) .and. all(here%upper >= [3, 1, 1])) v(3, 1, 1) = 1
    call op%convolve(v, MPI_COMM_WORLD)
    u = sin(3 * x + 2 * y)
    call op%apply(u, v)
    call expect(largest(v - sin(3 * (x - lengths(1) / 4) + 2 * y)) < 1e-12_real64, 'convolution')
    call op%destroy()

    call op%create(n, 'cross', MPI_COMM_WORLD)
    call expect(op%input_fields() == 6 .and. op%output_fields() == 3, 'cross')
    along = op%places(1)
    call expect(abs(along(2) - 2 * pi / 8) < 1e-14_real64, 'coordinates')
  end subroutine

  !> exp(-0.1 k^2) u, as 'heat' has it.
  subroutine damp(tile, stat)
    type(weft_tile), intent(in) :: tile
    integer, intent(inout) :: stat
    complex(real64), pointer :: from(:), to(:)
    complex(real32), pointer :: wrong(:)
    integer(int64) :: j, k
    call tile%input(1, tile%box%lower(2), tile%box%lower(3), wrong)
    if (associated(wrong) .or. tile%inputs /= 1 .or. .not. associated(tile%odd1)) stat = 3
    call tile%output(2, tile%box%lower(2), tile%box%lower(3), to)
    if (associated(to)) stat = 4
    do k = tile%box%lower(3), tile%box%upper(3)
      do j = tile%box%lower(2), tile%box%upper(2)
        call tile%input(1, j, k, from)
        call tile%output(1, j, k, to)
        if (lbound(to, 1) /= tile%box%lower(1) .or. ubound(to, 1) /= tile%box%upper(1)) stat = 5
        to = from * exp(-0.1_real64 * (tile%at1(tile%box%lower(1):tile%box%upper(1))**2 + tile%at2(j)**2 + tile%at3(k)**2))
      end do
    end do
  end subroutine

  !> Two real fields to one in space.
  subroutine times(tile, stat)
    type(weft_tile), intent(in) :: tile
    integer, intent(inout) :: stat
    real(real32), pointer :: a(:), b(:), to(:)
    integer(int64) :: i, j, k
    if (associated(tile%odd1)) stat = 3
    do k = tile%box%lower(3), tile%box%upper(3)
      do j = tile%box%lower(2), tile%box%upper(2)
        call tile%input(1, j, k, a)
        call tile%input(2, j, k, b)
        call tile%output(1, j, k, to)
        do i = tile%box%lower(1), tile%box%upper(1)
          to(i) = real(tile%at1(i) + tile%at2(j), real32) * a(i) * b(i)
        end do
      end do
    end do
  end subroutine

  subroutine fails(tile, stat)
    type(weft_tile), intent(in) :: tile
    integer, intent(inout) :: stat
    if (tile%outputs == 1 .and. wrong_here()) stat = 7
  end subroutine

  !> sin(pi x) along the first axis, between walls on which points lie; x y + z, which is harmonic, with values at walls.
  subroutine poisson() bind(c, name='weft_test_poisson')
    type(weft_poisson) :: solver, walls
    type(weft_options) :: options
    type(weft_layout) :: layout
    type(weft_box) :: box
    type(weft_statistics) :: statistics
    real(real64), allocatable :: f(:, :, :), u(:, :, :), x(:), y(:), z(:), side(:, :), several(:, :, :, :), means(:)
    real(real32), allocatable :: half(:, :, :), found(:, :, :)
    integer(int64) :: i, j, k, at
    integer :: axis, end, m(3)
    real(real64) :: shift

    call solver%create(n, MPI_COMM_WORLD, lengths=[2._real64, 1._real64, 3._real64], sides='odd,periodic,even', &
                       points='nodes,cells,cells')
    box = solver%input_box()
    m = int(box%extents())
    allocate (f(m(1), m(2), m(3)), u(m(1), m(2), m(3)))
    call expect(all(shape(f) == solver%input_shape()) .and. solver%input_size() == size(f), 'extents of f')
    call expect(all(shape(u) == solver%output_shape()) .and. solver%output_size() == size(u), 'extents of u')
    layout = solver%input_layout()
    call expect(all(layout%shape() == n), 'the layout of f')
    call expect(solver%rank() == my_rank() .and. solver%ranks() == ranks(), 'ranks')
    call expect(.not. solver%singular() .and. solver%workspace_bytes() >= 0, 'not singular')
    x = solver%coordinates(1)
    call expect(size(x) == n(1) .and. x(1) == 0 .and. abs(x(n(1)) - 2) < 1e-14_real64, 'coordinates of nodes')
    y = solver%coordinates(2)
    call expect(size(y) == n(2) .and. abs(y(1) - 0.5_real64 / n(2)) < 1e-14_real64, 'coordinates of cells')
    do i = 1, size(f, 1)
      f(i, :, :) = sin(pi * x(box%lower(1) + i - 1) / 2)
    end do
    do at = 1, 2
      shift = 3 * (at - 1)
      if (at == 2) call solver%set_shift(shift)
      call solver%solve(f, u)
      call expect(all(abs(u + f / ((pi / 2)**2 + shift)) < 1e-13_real64), 'sin(pi x / 2) is its own solution')
    end do
    call solver%solve(c_loc_of(f), c_loc_of(u))
    call expect(index(solver%explain(), 'Helmholtz') == 1, 'explain')
    statistics = solver%statistics()
    call expect(statistics%executions == 3, 'three executions')
    call solver%reset_statistics()
    call solver%drop_trace()
    call solver%destroy()

    call walls%create(int(n, int64), MPI_COMM_WORLD%MPI_VAL, sides='odd,even-odd,even', points='nodes,cells,nodes', &
                      stencil='second_order')
    box = walls%input_box()
    m = int(box%extents())
    x = walls%coordinates(1)
    y = walls%coordinates(2)
    z = walls%coordinates(3)
    deallocate (f, u)
    allocate (f(m(1), m(2), m(3)), u(m(1), m(2), m(3)))
    f = 0
    u = 7
    do axis = 1, 3
      do end = 0, 1
        if (walls%wall_size(axis, merge('high', 'low ', end == 1)) == 0) then
          call walls%set_wall(axis, merge('high', 'low ', end == 1), f(:, :0, 1))
          cycle
        end if
        select case (axis)
        case (1)  ! u: y x + z
          side = reshape([((y(j) * end + z(k), j=box%lower(2), box%upper(2)), k=box%lower(3), box%upper(3))], &
                         [m(2), m(3)])
        case (2)  ! its derivative x below, u above
          side = reshape([((x(i) + end * z(k), i=box%lower(1), box%upper(1)), k=box%lower(3), box%upper(3))], &
                         [m(1), m(3)])
        case (3)  ! its derivative 1
          side = reshape([((1._real64, i=box%lower(1), box%upper(1)), j=box%lower(2), box%upper(2))], &
                         [m(1), m(2)])
        end select
        call walls%set_wall(axis, merge('high', 'low ', end == 1), side)
      end do
    end do
    call walls%solve(f, u)
    do k = 1, m(3)
      do j = 1, m(2)
        do i = 1, m(1)
          f(i, j, k) = x(box%lower(1) + i - 1) * y(box%lower(2) + j - 1) + z(box%lower(3) + k - 1)
        end do
      end do
    end do
    call expect(all(abs(u - f) < 1e-12_real64), 'x y + z is harmonic')
    call walls%destroy()

    ! y, between nodes that lie unevenly.
    call walls%create(n, MPI_COMM_WORLD, sides='periodic,odd,periodic', points='cells,nodes,cells', stretched=2, &
                      spacings=[(0.25_real64 * i, i=1, n(2) - 1)])
    y = walls%coordinates(2)
    call expect(y(1) == 0 .and. y(2) == 0.25_real64 .and. y(3) == 0.75_real64, 'coordinates of uneven nodes')
    box = walls%input_box()
    m = int(box%extents())
    deallocate (f, u)
    allocate (f(m(1), m(2), m(3)), u(m(1), m(2), m(3)))
    f = 0
    side = reshape([(y(n(2)), i=1, m(1) * m(3))], [m(1), m(3)])
    if (walls%wall_size(2, 'high') == 0) side = side(:0, :)
    call walls%set_wall(2, 'high', side)
    call walls%solve(f, u)
    do j = 1, m(2)
      call expect(all(abs(u(:, j, :) - y(box%lower(2) + j - 1)) < 1e-12_real64), 'y is harmonic')
    end do
    call walls%destroy()

    call options%set('in_place', .true.)
    call solver%create(n, MPI_COMM_WORLD, precision='single', options=options)
    box = solver%input_box()
    m = int(box%extents())
    allocate (half(m(1), m(2), m(3)))
    half = 2
    call solver%solve(half)
    call expect(all(abs(half) < 1e-5), 'of a constant only the mean is left, which is 0')
    allocate (means(2))
    found = half + 2
    call solver%mean(found, means(:1))
    call expect(abs(means(1) - 2) < 1e-5 .and. solver%singular(), 'the mean of 2')
    call solver%destroy()

    call solver%create(n, MPI_COMM_WORLD, batch=2, mean='remove')
    box = solver%input_box()
    m = int(box%extents())
    allocate (several(m(1), m(2), m(3), 2))
    several(:, :, :, 1) = 1
    several(:, :, :, 2) = 5
    call solver%mean(several, means)
    call expect(all(abs(means - [1, 5]) < 1e-13_real64), 'means of two fields')
  end subroutine

  type(c_ptr) function c_loc_of(array)
    real(real64), intent(in), target, contiguous :: array(:, :, :)
    c_loc_of = c_loc(array)
  end function

  !> Components are in the order of Fortran's axes.
  subroutine poisson_results() bind(c, name='weft_test_poisson_results')
    type(weft_poisson) :: solver
    type(weft_tuning), target :: how
    type(weft_tuned) :: tuned
    type(weft_box) :: box
    real(real64), allocatable :: f(:, :, :, :), u(:, :, :, :), w(:, :, :, :), g(:, :, :), v(:, :, :)
    real(real64), parameter :: tau = 6.283185307179586477_real64
    real(real64) :: a, b, c
    integer :: m(3), i, j, k
    call solver%create(n, MPI_COMM_WORLD, lengths=[tau, tau, tau], points='nodes', result='gradient')
    m = int(solver%input_shape())
    box = solver%input_box()
    allocate (f(m(1), m(2), m(3), 1), u(m(1), m(2), m(3), 3), w(m(1), m(2), m(3), 3))
    do concurrent (i=1:m(1), j=1:m(2), k=1:m(3))
      a = tau*(box%lower(1) + i - 2)/n(1)
      b = tau*(box%lower(2) + j - 2)/n(2)
      c = tau*(box%lower(3) + k - 2)/n(3)
      f(i, j, k, 1) = -3*sin(a)*cos(b)*sin(c)
      w(i, j, k, 1) = cos(a)*cos(b)*sin(c)
      w(i, j, k, 2) = -sin(a)*sin(b)*sin(c)
      w(i, j, k, 3) = sin(a)*cos(b)*cos(c)
    end do
    call solver%solve(f, u)
    call expect(all(abs(u - w) < 1e-12_real64), 'a gradient')
    call solver%destroy()
    ! The flow of Arnold, Beltrami and Childress is its own vorticity.
    call solver%create(n, MPI_COMM_WORLD, lengths=[tau, tau, tau], points='nodes', result='velocity')
    do concurrent (i=1:m(1), j=1:m(2), k=1:m(3))
      a = tau*(box%lower(1) + i - 2)/n(1)
      b = tau*(box%lower(2) + j - 2)/n(2)
      c = tau*(box%lower(3) + k - 2)/n(3)
      w(i, j, k, 1) = sin(c) + 3*cos(b)
      w(i, j, k, 2) = 2*sin(a) + cos(c)
      w(i, j, k, 3) = 3*sin(b) + 2*cos(a)
    end do
    call solver%solve(w, u)
    call expect(all(abs(u - w) < 1e-12_real64), 'the flow of a vorticity')
    call solver%destroy()
    ! A kernel that is 1 at neighbours along the first axis gives their sum.
    call solver%create(n, MPI_COMM_WORLD, lengths=real(n, real64), sides='open', kernel=neighbour)
    m = int(solver%input_shape())
    box = solver%input_box()
    allocate (g(m(1), m(2), m(3)), v(m(1), m(2), m(3)))
    g = 2
    call solver%solve(g, v)
    do i = 1, m(1)
      a = merge(0, 2, box%lower(1) + i - 1 == 1) + merge(0, 2, box%lower(1) + i - 1 == n(1))
      call expect(all(abs(v(i, :, :) - a) < 1e-12_real64), 'a kernel of the caller')
    end do
    call solver%destroy()
    call solver%create(n, MPI_COMM_WORLD, sides='open', green='regularized', green_order=4, green_width=0.5_real64)
    call expect(index(solver%explain(), 'regularized by a Gaussian of order 4, 0.5 wide') > 0, 'a regularized kernel')
    call solver%destroy()
    how%effort = 'estimate'
    how%file = 'none'
    call solver%create(n, MPI_COMM_WORLD, lengths=[tau, tau, tau], points='nodes', tuning=how, tuned=tuned)
    call expect(tuned%source == 'model', 'a tuned solver')
  end subroutine

  function neighbour(at) result(value)
    real(real64), intent(in) :: at(3)
    real(real64) :: value
    value = merge(1, 0, abs(at(1) - 1) < 1e-9_real64 .and. at(2) + at(3) < 1e-9_real64)
  end function

  subroutine poisson_errors() bind(c, name='weft_test_poisson_errors')
    type(weft_poisson) :: solver
    real(real64), allocatable :: f(:, :, :), u(:, :, :), small(:, :, :)
    real(real64) :: means(1)
    integer :: stat, m(3), at
    character(len=400) :: errmsg
    errmsg = ''
    call solver%create(n, MPI_COMM_WORLD, sides=merge('evn ', 'even', wrong_here()), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, "sides 'evn' is unknown; did you mean 'even'?")
    call solver%create(n, MPI_COMM_WORLD, sides='odd,odd,periodic-odd', stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'sides are periodic and odd along axis 0')
    call solver%create(n, MPI_COMM_WORLD, sides='open', shift=-1._real64, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'with open sides at least 0 is needed')
    call solver%create(n, MPI_COMM_WORLD, points='edges', stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, "points 'edges' is unknown")
    call solver%create(n, MPI_COMM_WORLD, spacings=[1._real64], stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'spacings and stretched belong together')
    call solver%create(n, MPI_COMM_WORLD, spacings=[1._real64], stretched=4, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'stretched is 4; allowed are 1, 2 and 3')
    call solver%create(n, MPI_COMM_WORLD, sides='odd', stretched=merge(1, 2, wrong_here()), stat=stat, errmsg=errmsg, &
                       spacings=[(1._real64, at=1, n(2))])
    call expect_refused(stat, errmsg, 'spacings of axis 2 are 6; of 8 cells 8 are needed')
    call solver%solve(u, f, stat, errmsg)
    call expect_refused(stat, errmsg, 'solver is NULL')
    call solver%create(n, MPI_COMM_WORLD)
    call solver%create(n, MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'created already')
    m = int(solver%input_shape())
    allocate (f(m(1), m(2), m(3)), u(m(1), m(2), m(3)), small(2, 1, 1))
    if (wrong_here()) then
      call solver%solve(small, u, stat, errmsg)
    else
      call solver%solve(f, u, stat, errmsg)
    end if
    call expect_refused(stat, errmsg, 'f is an array of 2 x 1 x 1 numbers on rank ')
    call solver%solve(f, stat, errmsg)
    call expect_refused(stat, errmsg, 'without the option in_place takes two')
    call solver%mean(f, means(:0), stat, errmsg)
    call expect_refused(stat, errmsg, 'means has 0 numbers')
    call solver%mean(real(f, real32), means, stat, errmsg)
    call expect_refused(stat, errmsg, 'f is real, single; this solver takes real, double')
    call solver%set_wall(4, 'low', stat, errmsg)
    call expect_refused(stat, errmsg, 'axis is 4; allowed are 1, 2 and 3')
    call solver%set_wall(1, 'left', stat, errmsg)
    call expect_refused(stat, errmsg, "end is 'left'; allowed are low, high")
    call solver%set_wall(1, 'low', small, stat, errmsg)
    call expect_refused(stat, errmsg, 'is periodic; values have those that are even or odd')
    call expect(size(solver%coordinates(0, stat, errmsg)) == 0, 'no axis, no coordinates')
    call expect_refused(stat, errmsg, 'axis is 0; allowed are 1, 2 and 3')
  end subroutine

  subroutine operator_procedures() bind(c, name='weft_test_operator_procedures')
    type(weft_operator) :: own, heat, product
    type(weft_transform) :: fft
    complex(real64), allocatable :: u(:, :, :), v(:, :, :), w(:, :, :)
    complex(real32), allocatable :: both(:, :, :, :), one(:, :, :)
    real(real32), allocatable :: field(:, :, :)
    real(real64), allocatable :: x(:, :, :), y(:, :, :), z(:, :, :)
    integer(int64) :: e(3)
    integer :: stat
    character(len=400) :: errmsg
    errmsg = ''
    call own%create_own(n, damp, MPI_COMM_WORLD, 1, 1, lengths=[1._real64, 2._real64, 3._real64])
    call heat%create(n, 'heat', MPI_COMM_WORLD, values=[0.1_real64], lengths=[1._real64, 2._real64, 3._real64])
    call allocate_on(u, own%input_box())
    call allocate_on(v, own%input_box())
    call allocate_on(w, own%input_box())
    call set_wave(u, [3, 1, 4])
    call own%apply(u, v)
    call heat%apply(u, w)
    call expect(maxval([abs(v - w), 0._real64]) < 1e-14_real64, 'a procedure of one''s own')
    call own%set_procedure(fails)
    call own%apply(u, v, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'it returned 7')
    call own%set_procedure(damp)
    call own%apply(u, v)
    call expect(maxval([abs(v - w), 0._real64]) < 1e-14_real64, 'and it goes on')
    call own%create_own(n, fails, MPI_COMM_WORLD, 1, 1, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'created already')
    call own%apply(u, v)
    call heat%set_procedure(damp, stat, errmsg)
    call expect_refused(stat, errmsg, 'needs outputs apart from its inputs')

    call product%create_own(n, times, MPI_COMM_WORLD, 2, 1, in_space=.true., kind='r2c', precision='single')
    call fft%create(n, MPI_COMM_WORLD, kind='r2c', precision='single', output=product%input_layout(), &
                    normalization='backward')
    call coordinates(fft%input_box(), [2 * pi, 2 * pi, 2 * pi], x, y, z)
    e = fft%output_shape()
    allocate (both(e(1), e(2), e(3), 2), one(e(1), e(2), e(3)))
    allocate (field(size(x, 1), size(x, 2), size(x, 3)))
    field = real(cos(x + z), real32)
    call fft%forward(field, both(:, :, :, 1))
    field = real(sin(y), real32)
    call fft%forward(field, both(:, :, :, 2))
    call product%apply(both, one)
    call fft%backward(one, field)
    call expect(maxval([abs(field - real((x + y) * cos(x + z) * sin(y), real32)), 0._real32]) < 1e-5_real32, 'a product')
  end subroutine

  !> A field on a plane and on a grid of four axes, of which the first is whole on every rank.
  subroutine operators_of_axes() bind(c, name='weft_test_operators_of_axes')
    integer, parameter :: m(4) = [6, 5, 8, 7], plane(2) = [8, 7]
    real(real64), parameter :: lengths(4) = [1, 2, 3, 4]
    type(weft_operator) :: op
    type(weft_box) :: here
    real(real64), allocatable :: u(:, :, :, :), v(:, :, :, :), slope(:, :, :, :, :), small(:, :), spread(:, :)
    real(real64), allocatable :: ones(:)
    real(real64) :: place(4)
    integer(int64) :: e(3), i, j, k, l
    integer :: axis, stat
    character(len=400) :: errmsg
    errmsg = ''

    call op%create(m, 'gradient', MPI_COMM_WORLD, kind='r2c', lengths=lengths)
    here = op%input_box()
    e = here%extents()
    allocate (u(m(1), e(1), e(2), e(3)), slope(m(1), e(1), e(2), e(3), 4))
    allocate (v, mold=u)
    do l = 1, e(3)
      do k = 1, e(2)
        do j = 1, e(1)
          do i = 1, m(1)
            place = [i - 1, here%lower(1) + j - 2, here%lower(2) + k - 2, here%lower(3) + l - 2] * (2 * pi / m)
            u(i, j, k, l) = sin(place(1) + 2 * place(2) - 3 * place(3) + place(4))
            v(i, j, k, l) = cos(place(1) + 2 * place(2) - 3 * place(3) + place(4))
          end do
        end do
      end do
    end do
    call op%apply(u, slope)
    do axis = 1, 4
      call expect(maxval([abs(slope(:, :, :, :, axis) - 2 * pi / lengths(axis) * merge(axis, merge(-3, 1, axis == 3), axis == 2) &
                              * v), 0._real64]) < 1e-11_real64, 'gradient of four axes')
    end do
    call expect(size(op%places(4)) == 7 .and. size(op%places(1)) == 4 * 5, 'places of four axes')
    call op%destroy()

    call op%create_own(m, damp_all, MPI_COMM_WORLD, 1, 1, kind='r2c', lengths=lengths)
    call op%apply(u, v)
    place = 2 * pi * [1, 2, 3, 1] / lengths
    call expect(maxval([abs(v - u * exp(-0.01_real64 * sum(place**2))), 0._real64]) < 1e-12_real64, 'a procedure of four axes')
    call op%destroy()

    call op%create(m, 'laplacian', MPI_COMM_WORLD, kind='r2c')
    allocate (ones(8))
    ones = 1
    call op%multiply_separable(ones(:4), ones(:5), 2 * ones(:8), stat, errmsg, ones(:7))
    call expect(stat == 0, 'factors: '//trim(errmsg))
    call op%apply(u, v)
    call expect(maxval([abs(v - 2 * u), 0._real64]) < 1e-13_real64, 'a factor for each axis')
    call op%multiply_separable(ones(:4), ones(:5), ones(:8), stat, errmsg)
    call expect(stat /= 0 .and. errmsg == 'factor4 is not given; 4 factors are needed, one for each axis', trim(errmsg))
    ! The kernel is 3 where all indices are 1.
    slope = 0
    if (all(here%lower == 1) .and. all(here%upper > 0)) slope(1, 1, 1, 1, 1) = 3
    call op%convolve(slope(:, :, :, :, 1), MPI_COMM_WORLD)
    call op%apply(u, v)
    call expect(maxval([abs(v - 3 * u), 0._real64]) < 1e-12_real64, 'a convolution')
    errmsg = ''
    call op%apply(u(:, :, :, 1), v, stat, errmsg)
    call expect_refused(stat, errmsg, 'in is an array of ')
    call op%destroy()
    errmsg = ''
    call op%create(m, 'laplacian', MPI_COMM_WORLD, lengths=lengths(:3), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'lengths has 3 numbers; 4 are needed, one for each axis')

    call op%create(plane, 'derivative', MPI_COMM_WORLD, [1._real64, 1._real64], kind='r2c')
    here = op%input_box()
    e = here%extents()
    call expect(e(2) == min(e(2), 1_int64), 'a plane')
    allocate (small(e(1), e(3)), spread(e(1), e(3)))
    do k = 1, e(3)
      do i = 1, e(1)
        small(i, k) = sin(2 * pi * (3 * real(here%lower(1) + i - 2, real64) / 8 + real(here%lower(3) + k - 2, real64) / 7))
        spread(i, k) = 3 * cos(2 * pi * (3 * real(here%lower(1) + i - 2, real64) / 8 + real(here%lower(3) + k - 2, real64) / 7))
      end do
    end do
    block
      real(real64), allocatable :: found(:, :)
      allocate (found, mold=small)
      call op%apply(small, found)
      call expect(maxval([abs(found - spread), 0._real64]) < 1e-12_real64, 'a derivative on a plane')
      call op%destroy()
      call op%create_own(plane, damp_all, MPI_COMM_WORLD, 1, 1, kind='r2c')
      call op%apply(small, found)
      call expect(maxval([abs(found - small * exp(-0.1_real64)), 0._real64]) < 1e-12_real64, 'a procedure on a plane')
    end block
  end subroutine

  !> exp(-0.01 k^2), of any number of axes.
  subroutine damp_all(tile, stat)
    type(weft_tile), intent(in) :: tile
    integer, intent(inout) :: stat
    complex(real64), pointer :: from(:), to(:)
    real(real64) :: squares
    integer(int64) :: i, j, k
    integer :: axis
    if (tile%shape(tile%axes) /= 7) stat = 3
    do k = tile%box%lower(3), tile%box%upper(3)
      do j = tile%box%lower(2), tile%box%upper(2)
        call tile%input(1, j, k, from)
        call tile%output(1, j, k, to)
        do i = tile%box%lower(1), tile%box%upper(1)
          squares = tile%at(tile%axes)%values(k)**2
          if (tile%axes > 2) squares = squares + tile%at(tile%axes - 1)%values(j)**2
          do axis = 1, max(tile%axes - 2, 1)
            squares = squares + tile%at(axis)%values(i)**2
          end do
          to(i) = exp(-0.01_real64 * squares) * from(i)
        end do
      end do
    end do
  end subroutine

  subroutine operator_errors() bind(c, name='weft_test_operator_errors')
    type(weft_operator) :: op
    complex(real64), allocatable :: u(:, :, :), v(:, :, :), small(:, :, :)
    real(real64), allocatable :: part(:, :, :), again(:, :, :)
    real(real32), allocatable :: single(:, :, :)
    real(real64) :: values(2)
    integer :: stat
    character(len=400) :: errmsg
    errmsg = ''
    call op%create(n, merge('laplacain', 'laplacian', wrong_here()), MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, "function 'laplacain' is unknown; did you mean 'laplacian'?")
    values = [1, 4]
    call op%create(n, 'derivative', MPI_COMM_WORLD, values, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'axis is 4; allowed are 1, 2 and 3')
    call op%create(n, 'gaussian', MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'sigma is not given')
    call op%create(n, 'curl', MPI_COMM_WORLD, kind=merge('q2c', 'c2c', wrong_here()), stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, "kind is 'q2c'")
    call op%create_own(n, damp, MPI_COMM_WORLD, 0, 1, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'inputs is 0; at least 1 is needed')
    call op%apply(u, v, stat, errmsg)
    call expect_refused(stat, errmsg, 'operator is NULL')
    call op%create(n, 'laplacian', MPI_COMM_WORLD)
    call op%create(n, 'laplacian', MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'created already')
    call allocate_on(u, op%input_box())
    call allocate_on(v, op%output_box())
    allocate (small(2, 1, 1))
    if (wrong_here()) then
      call op%apply(small, v, stat, errmsg)
    else
      call op%apply(u, v, stat, errmsg)
    end if
    call expect_refused(stat, errmsg, 'in is an array of 2 x 1 x 1 numbers on rank ')
    call op%apply(u, stat, errmsg)
    call expect_refused(stat, errmsg, 'without the option in_place takes two')
    part = real(u, real64)
    again = part
    call op%apply(part, again, stat, errmsg)
    call expect_refused(stat, errmsg, 'in holds double')
    call op%multiply_separable([1._real32], [1._real32], [1._real32], stat, errmsg)
    call expect_refused(stat, errmsg, 'factor1 is real, single; this operator takes double precision')
    call op%multiply(small(:, :, :0), stat, errmsg)
    call expect(stat /= 0 .and. index(errmsg, 'table is an array of 2 x 1 x 0') > 0, 'table: '//trim(errmsg))
    single = real(u, real32)
    call op%multiply(single, stat, errmsg)
    call expect(stat /= 0 .and. index(errmsg, 'table is real, single') > 0, 'type of table: '//trim(errmsg))
    errmsg = ''
    if (wrong_here()) then
      call op%convolve(small, MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    else
      call op%convolve(u, MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    end if
    call expect_refused(stat, errmsg, 'kernel is an array of 2 x 1 x 1')
    call op%set_function('gradient', stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'the new function is one of 1 to 3 fields')
  end subroutine

  subroutine tuning() bind(c, name='weft_test_tuning')
    type(weft_options) :: options, backward_options, forward_options
    type(weft_tuning) :: how
    type(weft_tuned) :: tuned, forward_tuned
    integer(int64), allocatable :: waves(:, :)
    integer(int64) :: grid(3)
    integer :: stat
    character(len=400) :: errmsg
    errmsg = ''
    how%file = 'none'
    how%progress => heard
    lines_heard = 0
    how%budget = 0.05_real64
    how%keep = 'window'
    how%tolerance = 1e-6_real64
    call options%set('strategy', 'pairwise')
    call weft_tune(options, n, MPI_COMM_WORLD, kind='r2c', tuning=how, tuned=tuned)
    call expect(tuned%source == 'timed' .and. tuned%seconds > 0 .and. tuned%tried >= 1, 'timed')
    call expect(index(tuned%text, 'chosen') > 0 .and. index(tuned%json, '{') == 1, 'what was found: '//tuned%text)
    call expect(options%get('strategy') == 'pairwise', 'what is given stays')
    call expect(lines_heard > 0 .eqv. my_rank() == 0, 'rank 0 is told what is done')
    how%effort = 'estimate'
    call make_sphere(grid, waves, .false.)
    call weft_tune_sphere(backward_options, forward_options, grid, waves, MPI_COMM_WORLD, tuning=how, tuned=tuned, &
                          forward_tuned=forward_tuned)
    call expect(tuned%source == 'model' .and. forward_tuned%source == 'model', 'by the model')
    call weft_tune_operator(options, n, 'gradient', MPI_COMM_WORLD, kind='r2c', tuning=how, tuned=tuned)
    call expect(tuned%source == 'model' .and. tuned%seconds > 0, 'an operator, by the model')
    call weft_tune_operator(options, int(n, int64), 2, 1, MPI_COMM_WORLD%MPI_VAL, in_space=.true., tuning=how, tuned=tuned)
    call expect(tuned%source == 'model' .and. tuned%seconds > 0, 'an operator of a procedure')
    call weft_tune_operator(options, n, 'gradeint', MPI_COMM_WORLD, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'gradeint')
    how%effort = merge('some    ', 'estimate', wrong_here())
    call weft_tune(options, n, MPI_COMM_WORLD, tuning=how, stat=stat, errmsg=errmsg)
    call expect_refused(stat, errmsg, 'some')
  end subroutine

  !> Called by the tuner.
  subroutine heard(line)
    character(len=*), intent(in) :: line
    call expect(line /= '', 'an empty line')
    lines_heard = lines_heard + 1
  end subroutine

  !> In `folder`, a text with a slash at its end, where first.json has one entry; a folder for each rank.
  subroutine tuning_files(folder) bind(c, name='weft_test_tuning_files')
    character(kind=c_char), intent(in) :: folder(*)
    character(len=:), allocatable :: first, second, json
    integer :: taken, stat
    character(len=400) :: errmsg
    errmsg = ''
    first = text_of(folder)//'first.json'
    second = text_of(folder)//'second.json'
    json = weft_tuning_file_entries(first)
    call expect(index(json, '"tile":"3"') > 0, 'an entry: '//json)
    call expect(weft_tuning_file_entries(second) == '[]', 'no file, no entries')
    call weft_tuning_file_merge(first, taken, second)
    call expect(taken == 1 .and. weft_tuning_file_entries(second) == json, 'taken over')
    call weft_tuning_file_merge(first, taken, second)
    call expect(taken == 0, 'nothing is better')
    call weft_tuning_file_forget([2], second, stat, errmsg)
    call expect(stat /= 0 .and. errmsg /= '', 'there is one entry')
    call weft_tuning_file_forget([1], second)
    call expect(weft_tuning_file_entries(second) == '[]', 'forgotten: '//weft_tuning_file_entries(second))
    call weft_tuning_file_merge(text_of(folder)//'none.json', taken, 'none', stat, errmsg)
    call expect(stat /= 0, 'no file')
    json = weft_tuning_file_entries('none', stat, errmsg)
    call expect(stat /= 0 .and. json == '', 'no file to look into')
  end subroutine

  function text_of(letters) result(text)
    character(kind=c_char), intent(in) :: letters(*)
    character(len=:), allocatable :: text
    integer :: i
    text = ''
    i = 1
    do while (letters(i) /= c_null_char)
      text = text//letters(i)
      i = i + 1
    end do
  end function
end module
