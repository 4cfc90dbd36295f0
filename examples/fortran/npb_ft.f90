! The NAS Parallel Benchmarks' kernel FT: a diffusion equation, solved by one forward transform and an inverse one for
! every step of time, and held to the checksums of the reference implementation.
!
!   mpiexec -n 2 npb_ft S tools/bench/npb_checksums.inc
program npb_ft
  use, intrinsic :: iso_fortran_env, only: int64, real64, error_unit
  use mpi_f08
  use weft
  implicit none

  type :: problem_class
    character :: name
    integer :: grid(3), steps
  end type
  type(problem_class), parameter :: classes(5) = [ &
    problem_class('S', [64, 64, 64], 6), problem_class('W', [128, 128, 32], 6), problem_class('A', [256, 256, 128], 6), &
    problem_class('B', [512, 256, 256], 20), problem_class('C', [512, 512, 512], 20)]
  real(real64), parameter :: alpha = 1e-6_real64, pi = acos(-1._real64), tolerance = 1e-12_real64

  type(problem_class) :: problem
  type(weft_options) :: options
  type(weft_transform) :: fft
  type(weft_box) :: here, there
  complex(real64), allocatable :: field(:, :, :), spectrum(:, :, :), wanted(:)
  complex(real64) :: checksum
  real(real64) :: seconds, error, worst
  integer :: rank, step

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call read_arguments()

  ! The spectrum may stay as the last stage of the transform leaves it: an exchange less in each direction.
  call options%set('transposed', .true.)
  call fft%create(problem%grid, MPI_COMM_WORLD, options=options)
  here = fft%input_box()
  there = fft%output_box()
  allocate (field(here%lower(1):here%upper(1), here%lower(2):here%upper(2), here%lower(3):here%upper(3)))
  allocate (spectrum(there%lower(1):there%upper(1), there%lower(2):there%upper(2), there%lower(3):there%upper(3)))

  seconds = MPI_Wtime()
  call set_initial_conditions(field)
  call fft%forward(field, spectrum)
  worst = 0
  do step = 1, problem%steps
    call evolve(spectrum)
    call fft%backward(spectrum, field)
    checksum = checksum_of(field)
    error = abs((checksum - wanted(step)) / wanted(step))
    worst = max(worst, error)
    if (rank == 0) print '(a, i4, a, 2es22.12)', ' T =', step, '     Checksum =', checksum
  end do
  seconds = MPI_Wtime() - seconds
  if (rank == 0) then
    print '(3a, es8.1, a, f8.3, a)', ' class ', problem%name, ': largest difference from the checksums', worst, ', ', seconds, ' s'
    print '(2a)', ' Result verification ', merge('successful', 'failed    ', worst <= tolerance)
  end if
  call fft%destroy()
  call MPI_Finalize()
  if (.not. worst <= tolerance) error stop 1

contains

  subroutine read_arguments()
    character(len=4096) :: name, file, line
    character :: letter
    real(real64) :: re, im
    integer :: i, unit, status

    call get_command_argument(1, name)
    call get_command_argument(2, file)
    i = findloc_class(name)
    if (i == 0 .or. len_trim(file) == 0) call give_up('usage: npb_ft S|W|A|B|C CHECKSUMS (tools/bench/npb_checksums.inc)')
    problem = classes(i)
    allocate (wanted(problem%steps))
    wanted = 0

    ! Lines {'S', 1, 5.546e2, 4.845e2}, and comments.
    open (newunit=unit, file=trim(file), status='old', action='read', iostat=status)
    if (status /= 0) call give_up('cannot read '//trim(file))
    do
      read (unit, '(a)', iostat=status) line
      if (status /= 0) exit
      if (line(1:1) /= '{') cycle
      read (line(2:index(line, '}') - 1), *) letter, step, re, im
      if (letter == problem%name) wanted(step) = cmplx(re, im, real64)
    end do
    close (unit)
    if (any(abs(wanted) <= 0)) call give_up(trim(file)//' has not all checksums of class '//problem%name)
  end subroutine

  integer function findloc_class(name) result(found)
    character(len=*), intent(in) :: name
    do found = size(classes), 1, -1
      if (classes(found)%name == name) return
    end do
  end function

  subroutine give_up(message)
    character(len=*), intent(in) :: message
    if (rank == 0) write (error_unit, '(a)') message
    call MPI_Finalize()
    error stop 2
  end subroutine

  ! The product of two numbers below 2^46, modulo 2^46: in halves, of which no product overflows.
  elemental integer(int64) function product46(a, b)
    integer(int64), intent(in) :: a, b
    integer(int64), parameter :: half = 2_int64**23
    product46 = mod(mod((a / half) * mod(b, half) + mod(a, half) * (b / half), half) * half &
                    + mod(a, half) * mod(b, half), half * half)
  end function

  ! Two numbers a point, real then imaginary, of the sequence x <- 5^13 x mod 2^46, x fastest. Any place of the sequence
  ! is reached by squaring, so that every rank makes its own part.
  subroutine set_initial_conditions(u)
    complex(real64), intent(inout), allocatable :: u(:, :, :)
    integer(int64), parameter :: seed = 314159265_int64, multiplier = 1220703125_int64
    real(real64) :: pair(2)
    integer(int64) :: x, square, place, i, j, k, n

    do k = lbound(u, 3), ubound(u, 3)
      do j = lbound(u, 2), ubound(u, 2)
        place = 2 * (((k - 1) * problem%grid(2) + j - 1) * problem%grid(1) + here%lower(1) - 1)
        x = seed
        square = multiplier
        do while (place > 0)
          if (mod(place, 2_int64) == 1) x = product46(x, square)
          square = product46(square, square)
          place = place / 2
        end do
        do i = lbound(u, 1), ubound(u, 1)
          do n = 1, 2
            x = product46(x, multiplier)
            pair(n) = scale(real(x, real64), -46)
          end do
          u(i, j, k) = cmplx(pair(1), pair(2), real64)
        end do
      end do
    end do
  end subroutine

  ! One step of time further. Factors of a point are the products of those of its three axes.
  subroutine evolve(u)
    complex(real64), intent(inout), allocatable :: u(:, :, :)
    integer(int64) :: j, k
    real(real64), allocatable, save :: x(:), y(:), z(:)

    if (.not. allocated(x)) then
      x = decay(1)
      y = decay(2)
      z = decay(3)
    end if
    do k = 1, size(z, kind=int64)
      do j = 1, size(y, kind=int64)
        associate (row => u(:, there%lower(2) + j - 1, there%lower(3) + k - 1))
          row = row * (x * (y(j) * z(k)))
        end associate
      end do
    end do
  end subroutine

  function decay(axis)
    integer, intent(in) :: axis
    real(real64), allocatable :: decay(:)
    integer(int64) :: i, n
    real(real64) :: wavenumber
    n = problem%grid(axis)
    allocate (decay(there%upper(axis) - there%lower(axis) + 1))
    do i = 1, size(decay, kind=int64)
      wavenumber = real(mod(there%lower(axis) + i - 2 + n / 2, n) - n / 2, real64)
      decay(i) = exp(-4 * alpha * pi**2 * wavenumber**2)
    end do
  end function

  ! The sum over 1024 points of the grid, wherever they are.
  complex(real64) function checksum_of(u) result(total)
    complex(real64), intent(in), allocatable :: u(:, :, :)
    integer :: j, at(3)
    complex(real64) :: mine
    mine = 0
    do j = 1, 1024
      at = mod([1, 3, 5] * j, problem%grid) + 1
      if (all(at >= here%lower) .and. all(at <= here%upper)) mine = mine + u(at(1), at(2), at(3))
    end do
    call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD)
    total = total / product(real(problem%grid, real64))
  end function
end program
