! How to transform: options by name.
module weft_options_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use weft_c_module
  use weft_errors_module
  implicit none
  private
  public :: weft_options

  !> What has not been set has its default. Names, values and meaning are told by `weft info`. A value like any other: it may
  !> be copied, and nothing need be freed.
  type :: weft_options
    private
    !> name, null, value, null, name ...
    character(len=:), allocatable :: texts
    integer(c_int), allocatable :: nodes(:)
  contains
    !> call options%set(name, value): the value is a text, an integer or a logical. An unknown name is an error that says
    !> which one is nearest, a bad value one that lists the good ones. 'input_ghosts' and 'output_ghosts' have their axes in
    !> Fortran's order.
    procedure, private :: set_text, set_integer, set_logical
    generic :: set => set_text, set_integer, set_logical
    !> The text of a value.
    procedure :: get => options_get
    !> call options%set_nodes(nodes [, stat, errmsg]): the node of each rank, for plans without MPI; with none, as the option
    !> node_size says.
    procedure :: set_nodes => options_set_nodes
    !> call options%apply_environment(operation [, stat, errmsg]): what variables WEFT_* say, as every transform applies it by
    !> itself; for plans without MPI. operation: 'transform', 'redistribution' or 'sphere'.
    procedure :: apply_environment => options_apply_environment
    !> For the rest of the module: in C, to be destroyed; and taken from there.
    procedure :: to_c => options_to_c
    procedure :: take => options_take
    procedure, private :: add
    procedure, private :: next
  end type

contains

  subroutine add(self, name, value)
    class(weft_options), intent(inout) :: self
    character(len=*), intent(in) :: name, value
    if (.not. allocated(self%texts)) self%texts = ''
    self%texts = self%texts//to_c(name)//to_c(value)
  end subroutine

  !> In turn, for C: those at `at`, which is then the place of the next ones. `at` begins with 1; 0 is after the last ones.
  subroutine next(self, at, name, value)
    class(weft_options), intent(in) :: self
    integer, intent(inout) :: at
    character(len=:), allocatable, intent(out) :: name, value
    if (.not. allocated(self%texts)) then
      at = 0
    else if (at > len(self%texts)) then
      at = 0
    else
      call cut(self%texts, at, name)
      call cut(self%texts, at, value)
    end if
  end subroutine

  !> The text that begins at `at`, with its null, and the place behind it.
  subroutine cut(texts, at, text)
    character(len=*), intent(in) :: texts
    integer, intent(inout) :: at
    character(len=:), allocatable, intent(out) :: text
    integer :: length
    length = index(texts(at:), c_null_char)
    text = texts(at:at + length - 1)
    at = at + length
  end subroutine

  subroutine set_text(self, name, value, stat, errmsg)
    class(weft_options), intent(inout) :: self
    character(len=*), intent(in) :: name, value
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int) :: code, ignored
    code = weft_options_create(handle)
    if (code == weft_c_success) code = weft_options_set(handle, to_c(name), to_c(turned(name, value)))
    if (code == weft_c_success) call self%add(name, turned(name, value))
    ignored = weft_options_destroy(handle)
    call settle(code, stat, errmsg)
  end subroutine

  !> Widths of ghosts, which are in the order of the axes here; C has the last one first.
  recursive function turned(name, value) result(text)
    character(len=*), intent(in) :: name, value
    character(len=:), allocatable :: text
    integer :: x
    x = 0
    if (name == 'input_ghosts' .or. name == 'output_ghosts') x = index(value, 'x')
    if (x == 0) then
      text = value
    else
      text = turned(name, value(x + 1:))//'x'//value(:x - 1)
    end if
  end function

  subroutine set_integer(self, name, value, stat, errmsg)
    class(weft_options), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer, intent(in) :: value
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call self%set(name, text_of(value), stat, errmsg)
  end subroutine

  subroutine set_logical(self, name, value, stat, errmsg)
    class(weft_options), intent(inout) :: self
    character(len=*), intent(in) :: name
    logical, intent(in) :: value
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call self%set(name, text_of(value), stat, errmsg)
  end subroutine

  !> Empty after a failure.
  function options_get(self, name, stat, errmsg) result(value)
    class(weft_options), intent(in) :: self
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: value
    type(c_ptr) :: handle, text
    integer(c_int) :: code, ignored
    text = c_null_ptr
    code = self%to_c(handle)
    if (code == weft_c_success) code = weft_options_get(handle, to_c(name), text)
    value = turned(name, from_c(text))
    ignored = weft_options_destroy(handle)
    call settle(code, stat, errmsg)
  end function

  subroutine options_set_nodes(self, nodes, stat, errmsg)
    class(weft_options), intent(inout) :: self
    integer, intent(in) :: nodes(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int) :: code, ignored
    code = weft_options_create(handle)
    if (code == weft_c_success) code = weft_options_set_nodes(handle, size(nodes), nodes)
    if (code == weft_c_success) self%nodes = nodes
    ignored = weft_options_destroy(handle)
    call settle(code, stat, errmsg)
  end subroutine

  subroutine options_apply_environment(self, operation, stat, errmsg)
    class(weft_options), intent(inout) :: self
    character(len=*), intent(in) :: operation
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    integer(c_int) :: code, ignored
    code = self%to_c(handle)
    if (code == weft_c_success) code = weft_options_apply_environment(handle, to_c(operation))
    if (code == weft_c_success) code = self%take(handle)
    ignored = weft_options_destroy(handle)
    call settle(code, stat, errmsg)
  end subroutine

  integer(c_int) function options_to_c(self, handle) result(code)
    class(weft_options), intent(in) :: self
    type(c_ptr), intent(out) :: handle
    character(len=:), allocatable :: name, value
    integer :: at
    at = 1
    code = weft_options_create(handle)
    do while (code == weft_c_success)
      call self%next(at, name, value)
      if (at == 0) exit
      code = weft_options_set(handle, name, value)
    end do
    if (code == weft_c_success .and. allocated(self%nodes)) code = weft_options_set_nodes(handle, size(self%nodes), self%nodes)
  end function

  !> Whatever differs from the defaults; the nodes stay.
  integer(c_int) function options_take(self, handle) result(code)
    class(weft_options), intent(inout) :: self
    type(c_ptr), intent(in) :: handle
    type(c_ptr) :: name, values, help, usual, applies_to, value
    integer(c_int) :: count, i
    if (allocated(self%texts)) deallocate (self%texts)
    count = 0
    code = weft_option_count(count)
    do i = 0, count - 1
      if (code == weft_c_success) code = weft_option_at(i, name, values, help, usual, applies_to)
      if (code == weft_c_success) code = weft_options_get(handle, to_c(from_c(name)), value)
      if (code /= weft_c_success) return
      if (from_c(value) /= from_c(usual)) call self%add(from_c(name), from_c(value))
    end do
  end function
end module
