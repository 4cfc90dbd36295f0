! What executions have cost.
module weft_statistics_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use weft_c_module
  implicit none
  private
  public :: weft_statistics, weft_exchange_statistics, statistics_from_c, exchange_from_c

  !> Of one exchange, on this rank. Its time is exposed (start, test, wait) where the rank did nothing else, hidden where it
  !> computed.
  type :: weft_exchange_statistics
    !> -1 forward, +1 backward; and which of its exchanges, as `explain` counts them.
    integer :: direction = 0, number = 0
    !> Seconds of handing tiles to MPI, of progressing MPI from inside the computation, and of waiting for tiles.
    real(real64) :: start = 0, test = 0, wait = 0
    !> Seconds from the start of a tile to the end of the wait for it, where several overlap counted once; and those of them
    !> in which the rank computed.
    real(real64) :: in_flight = 0, hidden = 0
    integer(int64) :: messages = 0, bytes_sent = 0
  end type

  !> Of all executions so far, on this rank. Seconds are wall clock; compute, start, test, wait and check together are all of
  !> `total` but what it takes to look at the clock.
  type :: weft_statistics
    integer(int64) :: executions = 0
    real(real64) :: total = 0
    !> Local FFTs with their gathers and scatters; agreeing on arguments, which is the synchronisation of all ranks.
    real(real64) :: compute = 0, start = 0, test = 0, wait = 0, check = 0
    !> Of arrays and exchange buffers, by Weft itself.
    integer(int64) :: bytes_read = 0, bytes_written = 0
    !> To other ranks.
    integer(int64) :: messages = 0, bytes_sent = 0
    !> With the option measure_wire: the largest error of a number that this rank has rounded for the wire, relative to its
    !> magnitude.
    real(real64) :: wire_error = 0
    !> Seconds that a cache line took last to the core of another rank of the node, or another thread, and back (0: that was not
    !> timed); and how often passes have been run otherwise since that time had changed.
    real(real64) :: core_round_trip = 0
    integer(int64) :: core_moves = 0
    !> Forward's first.
    type(weft_exchange_statistics), allocatable :: exchanges(:)
  end type

contains

  type(weft_statistics) function statistics_from_c(from) result(statistics)
    type(weft_c_statistics), intent(in) :: from
    statistics%executions = from%executions
    statistics%total = from%total
    statistics%compute = from%compute
    statistics%start = from%start
    statistics%test = from%test
    statistics%wait = from%wait
    statistics%check = from%check
    statistics%bytes_read = from%bytes_read
    statistics%bytes_written = from%bytes_written
    statistics%messages = from%messages
    statistics%bytes_sent = from%bytes_sent
    statistics%wire_error = from%wire_error
    statistics%core_round_trip = from%core_round_trip
    statistics%core_moves = from%core_moves
    allocate (statistics%exchanges(from%exchanges))
  end function

  type(weft_exchange_statistics) function exchange_from_c(from) result(statistics)
    type(weft_c_exchange_statistics), intent(in) :: from
    statistics%direction = from%direction
    statistics%number = from%number
    statistics%start = from%start
    statistics%test = from%test
    statistics%wait = from%wait
    statistics%in_flight = from%in_flight
    statistics%hidden = from%hidden
    statistics%messages = from%messages
    statistics%bytes_sent = from%bytes_sent
  end function
end module
