! Weft's functions in C (weft/weft.h), as far as the module calls them. Arguments are told there.
module weft_c_module
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int), parameter :: weft_c_success = 0, weft_c_error = 1
  !> The sign of the exponent.
  integer(c_int), parameter :: weft_forward = -1, weft_backward = +1
  integer(c_int), parameter :: weft_c_float = 1, weft_c_double = 2, weft_c_complex_float = 3, weft_c_complex_double = 4

  !> Axes in C's order, from 0, without the upper end.
  type, bind(c) :: weft_c_box
    integer(c_int64_t) :: lo(3), hi(3)
  end type

  type, bind(c) :: weft_c_array
    type(weft_c_box) :: box
    integer(c_int64_t) :: size, bytes, row, field
    integer(c_int32_t) :: type, reserved
    integer(c_int64_t) :: stride(3)
  end type

  !> Messages and bytes of one direction: of this rank, of all ranks, and of all ranks between nodes. Data that a rank keeps,
  !> or that others read from its memory, is not sent. Collectives count a message for each pair of their ranks, also an empty
  !> one; data_messages are those that are not.
  type, bind(c) :: weft_traffic
    integer(c_int64_t) :: messages = 0, data_messages = 0, bytes = 0
    integer(c_int64_t) :: all_messages = 0, all_data_messages = 0, all_bytes = 0
    integer(c_int64_t) :: network_messages = 0, network_data_messages = 0, network_bytes = 0
  end type

  !> What moves from one rank to another in one exchange of a direction, however it travels. Exchanges and ranks are counted
  !> from 0.
  type, bind(c) :: weft_flow
    integer(c_int32_t) :: exchange = 0, from = 0, to = 0, reserved = 0
    integer(c_int64_t) :: bytes = 0
  end type

  !> By the model: seconds of one execution on the slowest rank; of their exchanges, what is hidden behind computation; and
  !> bytes of a rank, its arrays and what the transform allocates.
  type, bind(c) :: weft_prediction
    real(c_double) :: forward = 0, backward = 0
    real(c_double) :: forward_hidden = 0, backward_hidden = 0
    integer(c_int64_t) :: memory_bytes = 0
  end type

  type, bind(c) :: weft_c_statistics
    integer(c_int64_t) :: executions
    real(c_double) :: total, compute, start, test, wait, check
    integer(c_int64_t) :: bytes_read, bytes_written, messages, bytes_sent, exchanges
    real(c_double) :: wire_error, core_round_trip
    integer(c_int64_t) :: core_moves
  end type

  type, bind(c) :: weft_c_exchange_statistics
    integer(c_int32_t) :: direction, number
    real(c_double) :: start, test, wait, in_flight, hidden
    integer(c_int64_t) :: messages, bytes_sent
  end type

  type, bind(c) :: weft_c_moved
    integer(c_int64_t) :: bytes_sent, bytes_kept, bytes_sent_all
  end type

  type, bind(c) :: weft_c_ghosts
    integer(c_int64_t) :: below(3), above(3)
    integer(c_int) :: periodic(3)
  end type

  type, bind(c) :: weft_c_cutoff
    real(c_double) :: lattice(3, 3)
    real(c_double) :: energy
    real(c_double) :: k(3)
  end type

  type, bind(c) :: weft_c_sphere_sizes
    integer(c_int64_t) :: waves, columns, all_columns
    type(weft_c_box) :: space_box
    integer(c_int64_t) :: space_size, workspace_bytes
    integer(c_int32_t) :: rank = -1, ranks = 0, waves_type = 0, space_type = 0
    integer(c_int64_t) :: line_axis(3), lines(3), full_lines(3), space_extents(3), results
  end type

  type, bind(c) :: weft_c_bands
    integer(c_int64_t) :: count, waves_apart, points_apart
    integer(c_int32_t) :: accumulate = 0
    integer(c_int64_t) :: results_apart = 0
  end type

  integer(c_int), parameter :: weft_c_at_wavenumbers = 0, weft_c_at_points = 1

  type, bind(c) :: weft_c_tile
    integer(c_int64_t) :: lo(3), hi(3), middle_lo(3), middle_hi(3), strides(3), inputs, outputs
    type(c_ptr) :: in, out, at(3), odd(3)
    integer(c_int32_t) :: type, axes
    integer(c_int64_t) :: shape(8)
    type(c_ptr) :: more_at(5), more_odd(5)
  end type

  type, bind(c) :: weft_c_operator_sizes
    type(weft_c_box) :: input_box = weft_c_box(0, 0), output_box = weft_c_box(0, 0), middle_box = weft_c_box(0, 0)
    integer(c_int64_t) :: input_size = 0, output_size = 0, inputs = 0, outputs = 0, batch = 0, workspace_bytes = 0
    integer(c_int32_t) :: rank = -1, ranks = 0, type = 0, middle_type = 0, at = 0, reserved = 0
  end type

  type, bind(c) :: weft_c_poisson_sizes
    type(weft_c_box) :: input_box = weft_c_box(0, 0), output_box = weft_c_box(0, 0)
    integer(c_int64_t) :: input_size = 0, output_size = 0, batch = 0, workspace_bytes = 0
    integer(c_int32_t) :: rank = -1, ranks = 0, type = 0, singular = 0
    integer(c_int64_t) :: inputs = 1, outputs = 1
  end type

  type, bind(c) :: weft_c_tuned_summary
    real(c_double) :: seconds, default_seconds, sureness, spent
    integer(c_int64_t) :: tried
  end type

  interface
    function weft_error_message() bind(c) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function weft_version() bind(c) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function

    integer(c_int) function weft_memory_create(bytes, memory) bind(c)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: bytes
      type(c_ptr), intent(out) :: memory
    end function
    integer(c_int) function weft_memory_destroy(memory) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: memory
    end function

    integer(c_int) function weft_agree_f(message, comm) bind(c)
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: message(*)
      integer(c_int), value :: comm
    end function

    integer(c_int) function weft_layout_create_grid(shape, parts, layout) bind(c)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), intent(in) :: shape(3)
      integer(c_int), intent(in) :: parts(3)
      type(c_ptr), intent(out) :: layout
    end function
    integer(c_int) function weft_layout_create_boxes(shape, ranks, boxes, layout) bind(c)
      import :: c_int, c_int64_t, c_ptr, weft_c_box
      integer(c_int64_t), intent(in) :: shape(3)
      integer(c_int), value :: ranks
      type(weft_c_box), intent(in) :: boxes(*)
      type(c_ptr), intent(out) :: layout
    end function
    integer(c_int) function weft_layout_create_patches(shape, ranks, count, boxes, owners, layout) bind(c)
      import :: c_int, c_int64_t, c_ptr, weft_c_box
      integer(c_int64_t), intent(in) :: shape(3)
      integer(c_int), value :: ranks
      integer(c_int64_t), value :: count
      type(weft_c_box), intent(in) :: boxes(*)
      integer(c_int), intent(in) :: owners(*)
      type(c_ptr), intent(out) :: layout
    end function
    integer(c_int) function weft_layout_gather_f(shape, mine, comm, layout) bind(c)
      import :: c_int, c_int64_t, c_ptr, weft_c_box
      integer(c_int64_t), intent(in) :: shape(3)
      type(weft_c_box), intent(in) :: mine
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: layout
    end function
    integer(c_int) function weft_layout_destroy(layout) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: layout
    end function
    integer(c_int) function weft_layout_ranks(layout, ranks) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      integer(c_int), intent(out) :: ranks
    end function
    integer(c_int) function weft_layout_shape(layout, shape) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: layout
      integer(c_int64_t), intent(out) :: shape(3)
    end function
    integer(c_int) function weft_layout_box(layout, rank, box) bind(c)
      import :: c_int, c_ptr, weft_c_box
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      type(weft_c_box), intent(out) :: box
    end function
    integer(c_int) function weft_layout_boxes(layout, rank, capacity, boxes, count) bind(c)
      import :: c_int, c_int64_t, c_ptr, weft_c_box
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      integer(c_int64_t), value :: capacity
      type(weft_c_box), intent(inout) :: boxes(*)
      integer(c_int64_t), intent(out) :: count
    end function
    integer(c_int) function weft_layout_overlaps(layout, box, capacity, ranks, boxes, count) bind(c)
      import :: c_int, c_int64_t, c_ptr, weft_c_box
      type(c_ptr), value :: layout
      type(weft_c_box), intent(in) :: box
      integer(c_int64_t), value :: capacity
      integer(c_int), intent(inout) :: ranks(*)
      type(weft_c_box), intent(inout) :: boxes(*)
      integer(c_int64_t), intent(out) :: count
    end function
    integer(c_int) function weft_layout_describe(layout, text) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_ptr), intent(out) :: text
    end function

    integer(c_int) function weft_problem_create(axes, shape, problem) bind(c)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: axes
      integer(c_int64_t), intent(in) :: shape(*)
      type(c_ptr), intent(out) :: problem
    end function
    integer(c_int) function weft_problem_destroy(problem) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: problem
    end function
    integer(c_int) function weft_problem_set(problem, name, text) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: problem
      character(kind=c_char), intent(in) :: name(*), text(*)
    end function
    integer(c_int) function weft_problem_set_lengths(problem, lengths) bind(c)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: problem
      real(c_double), intent(in) :: lengths(*)
    end function

    integer(c_int) function weft_options_create(options) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: options
    end function
    integer(c_int) function weft_options_destroy(options) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: options
    end function
    integer(c_int) function weft_options_set(options, name, text) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*), text(*)
    end function
    integer(c_int) function weft_options_get(options, name, text) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function weft_options_set_layout(options, end, layout) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: end(*)
      type(c_ptr), value :: layout
    end function
    integer(c_int) function weft_options_set_nodes(options, count, nodes) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: count
      integer(c_int), intent(in) :: nodes(*)
    end function
    integer(c_int) function weft_options_apply_environment(options, operation) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: operation(*)
    end function
    integer(c_int) function weft_option_count(count) bind(c)
      import :: c_int
      integer(c_int), intent(out) :: count
    end function
    integer(c_int) function weft_option_at(index, name, values, help, usual, applies_to) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: index
      type(c_ptr), intent(out) :: name, values, help, usual, applies_to
    end function

    integer(c_int) function weft_strategy_count(count) bind(c)
      import :: c_int
      integer(c_int), intent(out) :: count
    end function
    integer(c_int) function weft_strategy_at(index, name, summary, obstacle) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: index
      type(c_ptr), intent(out) :: name, summary, obstacle
    end function
    integer(c_int) function weft_strategy_obstacle_f(name, comm, obstacle) bind(c)
      import :: c_int, c_ptr, c_char
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: obstacle
    end function
    integer(c_int) function weft_backend_count(count) bind(c)
      import :: c_int
      integer(c_int), intent(out) :: count
    end function
    integer(c_int) function weft_backend_at(index, name) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: index
      type(c_ptr), intent(out) :: name
    end function

    integer(c_int) function weft_plan_create(problem, options, ranks, rank, plan) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: problem, options
      integer(c_int), value :: ranks, rank
      type(c_ptr), intent(out) :: plan
    end function
    integer(c_int) function weft_plan_destroy(plan) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: plan
    end function
    integer(c_int) function weft_plan_rank(plan, rank, ranks) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), intent(out) :: rank, ranks
    end function
    integer(c_int) function weft_plan_input(plan, size, array) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_array
      type(c_ptr), value :: plan
      integer(c_size_t), value :: size
      type(weft_c_array), intent(out) :: array
    end function
    integer(c_int) function weft_plan_output(plan, size, array) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_array
      type(c_ptr), value :: plan
      integer(c_size_t), value :: size
      type(weft_c_array), intent(out) :: array
    end function
    integer(c_int) function weft_plan_input_layout(plan, layout) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: layout
    end function
    integer(c_int) function weft_plan_output_layout(plan, layout) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: layout
    end function
    integer(c_int) function weft_plan_traffic(plan, direction, size, traffic) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_traffic
      type(c_ptr), value :: plan
      integer(c_int), value :: direction
      integer(c_size_t), value :: size
      type(weft_traffic), intent(out) :: traffic
    end function
    integer(c_int) function weft_plan_flows(plan, direction, capacity, flows, count) bind(c)
      import :: c_int, c_int64_t, c_ptr, weft_flow
      type(c_ptr), value :: plan
      integer(c_int), value :: direction
      integer(c_int64_t), value :: capacity
      type(weft_flow), intent(inout) :: flows(*)
      integer(c_int64_t), intent(out) :: count
    end function
    integer(c_int) function weft_plan_workspace_bytes(plan, bytes) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(out) :: bytes
    end function
    integer(c_int) function weft_plan_option(plan, name, text) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: plan
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function weft_plan_explain(plan, text) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function weft_plan_json(plan, text) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: text
    end function

    integer(c_int) function weft_transform_create_f(problem, options, comm, transform) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: problem, options
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: transform
    end function
    integer(c_int) function weft_transform_destroy(transform) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: transform
    end function
    integer(c_int) function weft_transform_get_plan(transform, plan) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: transform
      type(c_ptr), intent(out) :: plan
    end function
    integer(c_int) function weft_transform_execute(transform, direction, in, in_type, in_size, out, out_type, out_size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transform
      integer(c_int), value :: direction
      type(c_ptr), value :: in
      integer(c_int), value :: in_type
      integer(c_int64_t), value :: in_size
      type(c_ptr), value :: out
      integer(c_int), value :: out_type
      integer(c_int64_t), value :: out_size
    end function
    integer(c_int) function weft_transform_raise(transform, direction, message) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: transform
      integer(c_int), value :: direction
      character(kind=c_char), intent(in) :: message(*)
    end function
    integer(c_int) function weft_transform_statistics(transform, size, statistics) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_statistics
      type(c_ptr), value :: transform
      integer(c_size_t), value :: size
      type(weft_c_statistics), intent(out) :: statistics
    end function
    integer(c_int) function weft_transform_exchange(transform, index, size, statistics) bind(c)
      import :: c_int, c_int64_t, c_ptr, c_size_t, weft_c_exchange_statistics
      type(c_ptr), value :: transform
      integer(c_int64_t), value :: index
      integer(c_size_t), value :: size
      type(weft_c_exchange_statistics), intent(out) :: statistics
    end function
    integer(c_int) function weft_transform_reset_statistics(transform) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: transform
    end function
    integer(c_int) function weft_transform_write_trace(transform) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: transform
    end function
    integer(c_int) function weft_transform_drop_trace(transform) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: transform
    end function

    integer(c_int) function weft_redistribution_create_f(from, to, element_bytes, batch, options, comm, redistribution) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: from, to
      integer(c_int), value :: element_bytes
      integer(c_int64_t), value :: batch
      type(c_ptr), value :: options
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: redistribution
    end function
    integer(c_int) function weft_redistribution_destroy(redistribution) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: redistribution
    end function
    integer(c_int) function weft_redistribution_execute(redistribution, in, out, size, moved) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_moved
      type(c_ptr), value :: redistribution, in, out
      integer(c_size_t), value :: size
      type(weft_c_moved), intent(out) :: moved
    end function
    integer(c_int) function weft_redistribution_raise(redistribution, message) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: redistribution
      character(kind=c_char), intent(in) :: message(*)
    end function
    integer(c_int) function weft_redistribution_drop_trace(redistribution) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: redistribution
    end function

    integer(c_int) function weft_ghost_exchange_create_f(field, parts, ghosts, type, batch, numbers, check, comm, exchange) bind(c)
      import :: c_int, c_int64_t, c_ptr, weft_c_ghosts
      type(c_ptr), value :: field, parts
      type(weft_c_ghosts), intent(in) :: ghosts
      integer(c_int), value :: type
      integer(c_int64_t), value :: batch, numbers
      integer(c_int), value :: check, comm
      type(c_ptr), intent(out) :: exchange
    end function
    integer(c_int) function weft_ghost_exchange_destroy(exchange) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: exchange
    end function
    integer(c_int) function weft_ghost_exchange_part_box(exchange, box) bind(c)
      import :: c_int, c_ptr, weft_c_box
      type(c_ptr), value :: exchange
      type(weft_c_box), intent(out) :: box
    end function
    integer(c_int) function weft_ghost_exchange_part_boxes(exchange, capacity, boxes, count) bind(c)
      import :: c_int, c_int64_t, c_ptr, weft_c_box
      type(c_ptr), value :: exchange
      integer(c_int64_t), value :: capacity
      type(weft_c_box), intent(inout) :: boxes(*)
      integer(c_int64_t), intent(out) :: count
    end function
    integer(c_int) function weft_ghost_exchange_scatter(exchange, field, parts, size, moved) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_moved
      type(c_ptr), value :: exchange, field, parts
      integer(c_size_t), value :: size
      type(weft_c_moved), intent(out) :: moved
    end function
    integer(c_int) function weft_ghost_exchange_gather(exchange, parts, field, size, moved) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_moved
      type(c_ptr), value :: exchange, parts, field
      integer(c_size_t), value :: size
      type(weft_c_moved), intent(out) :: moved
    end function
    integer(c_int) function weft_ghost_exchange_accumulate(exchange, parts, field, size, moved) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_moved
      type(c_ptr), value :: exchange, parts, field
      integer(c_size_t), value :: size
      type(weft_c_moved), intent(out) :: moved
    end function
    integer(c_int) function weft_ghost_exchange_update(exchange, parts, size, moved) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_moved
      type(c_ptr), value :: exchange, parts
      integer(c_size_t), value :: size
      type(weft_c_moved), intent(out) :: moved
    end function
    integer(c_int) function weft_ghost_exchange_fold(exchange, parts, size, moved) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_moved
      type(c_ptr), value :: exchange, parts
      integer(c_size_t), value :: size
      type(weft_c_moved), intent(out) :: moved
    end function
    integer(c_int) function weft_ghost_exchange_raise(exchange, message) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: exchange
      character(kind=c_char), intent(in) :: message(*)
    end function

    integer(c_int) function weft_plane_waves_c(cutoff, gamma, capacity, waves, count) bind(c, name='weft_plane_waves')
      import :: c_int, c_int64_t, weft_c_cutoff
      type(weft_c_cutoff), intent(in) :: cutoff
      integer(c_int), value :: gamma
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout) :: waves(*)
      integer(c_int64_t), intent(out) :: count
    end function
    integer(c_int) function weft_sphere_grid_c(cutoff, box_cut, grid) bind(c, name='weft_sphere_grid')
      import :: c_int, c_int64_t, c_double, weft_c_cutoff
      type(weft_c_cutoff), intent(in) :: cutoff
      real(c_double), value :: box_cut
      integer(c_int64_t), intent(out) :: grid(3)
    end function
    integer(c_int) function weft_deal_columns_c(count, waves, ranks, sharing, owners) &
        bind(c, name='weft_deal_columns')
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: waves(*)
      integer(c_int), value :: ranks, sharing
      integer(c_int), intent(out) :: owners(*)
    end function
    integer(c_int) function weft_sphere_problem_create(grid, problem) bind(c)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), intent(in) :: grid(3)
      type(c_ptr), intent(out) :: problem
    end function
    integer(c_int) function weft_sphere_problem_destroy(problem) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: problem
    end function
    integer(c_int) function weft_sphere_problem_set(problem, name, text) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: problem
      character(kind=c_char), intent(in) :: name(*), text(*)
    end function
    integer(c_int) function weft_sphere_problem_set_results(problem, ranks, counts, results) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: problem
      integer(c_int), value :: ranks
      integer(c_int64_t), intent(in) :: counts(*), results(*)
    end function
    integer(c_int) function weft_sphere_plan_create(problem, ranks, counts, waves, backward, forward, rank, plan) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: problem
      integer(c_int), value :: ranks
      integer(c_int64_t), intent(in) :: counts(*), waves(*)
      type(c_ptr), value :: backward, forward
      integer(c_int), value :: rank
      type(c_ptr), intent(out) :: plan
    end function
    integer(c_int) function weft_sphere_plan_destroy(plan) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: plan
    end function
    integer(c_int) function weft_sphere_create_f(problem, count, waves, planes, backward, forward, comm, sphere) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: problem
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: waves(*)
      integer(c_int64_t), value :: planes
      type(c_ptr), value :: backward, forward
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: sphere
    end function
    integer(c_int) function weft_sphere_create_sharing(problem, count, waves, planes, backward, forward, share, sphere) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: problem
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: waves(*)
      integer(c_int64_t), value :: planes
      type(c_ptr), value :: backward, forward, share
      type(c_ptr), intent(out) :: sphere
    end function
    integer(c_int) function weft_sphere_destroy(sphere) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: sphere
    end function
    integer(c_int) function weft_sphere_get_plan(sphere, plan) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: sphere
      type(c_ptr), intent(out) :: plan
    end function
    integer(c_int) function weft_sphere_plan_sizes(plan, size, sizes) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_sphere_sizes
      type(c_ptr), value :: plan
      integer(c_size_t), value :: size
      type(weft_c_sphere_sizes), intent(out) :: sizes
    end function
    integer(c_int) function weft_sphere_plan_traffic(plan, direction, size, traffic) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_traffic
      type(c_ptr), value :: plan
      integer(c_int), value :: direction
      integer(c_size_t), value :: size
      type(weft_traffic), intent(out) :: traffic
    end function
    integer(c_int) function weft_sphere_plan_option(plan, direction, name, text) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: plan
      integer(c_int), value :: direction
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function weft_sphere_plan_explain(plan, text) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function weft_sphere_plan_json(plan, text) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function weft_sphere_bands_here(sphere, count, first, end) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sphere
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(out) :: first, end
    end function
    integer(c_int) function weft_sphere_backward(sphere, waves, space, bands) bind(c)
      import :: c_int, c_ptr, weft_c_bands
      type(c_ptr), value :: sphere, waves, space
      type(weft_c_bands), intent(in) :: bands
    end function
    integer(c_int) function weft_sphere_forward(sphere, space, waves, bands) bind(c)
      import :: c_int, c_ptr, weft_c_bands
      type(c_ptr), value :: sphere, space, waves
      type(weft_c_bands), intent(in) :: bands
    end function
    integer(c_int) function weft_sphere_apply(sphere, v, waves, out, bands) bind(c)
      import :: c_int, c_ptr, weft_c_bands
      type(c_ptr), value :: sphere, v, waves, out
      type(weft_c_bands), intent(in) :: bands
    end function
    integer(c_int) function weft_sphere_apply_complex(sphere, v, waves, out, bands) bind(c)
      import :: c_int, c_ptr, weft_c_bands
      type(c_ptr), value :: sphere, v, waves, out
      type(weft_c_bands), intent(in) :: bands
    end function
    integer(c_int) function weft_sphere_density_by_parts(sphere, waves, weights, imaginary_weights, rho, bands) bind(c)
      import :: c_int, c_ptr, weft_c_bands
      type(c_ptr), value :: sphere, waves, weights, imaginary_weights, rho
      type(weft_c_bands), intent(in) :: bands
    end function
    integer(c_int) function weft_sphere_density(sphere, waves, weights, rho, bands) bind(c)
      import :: c_int, c_ptr, weft_c_bands
      type(c_ptr), value :: sphere, waves, weights, rho
      type(weft_c_bands), intent(in) :: bands
    end function
    integer(c_int) function weft_sphere_raise(sphere, message) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: sphere
      character(kind=c_char), intent(in) :: message(*)
    end function
    integer(c_int) function weft_sphere_statistics(sphere, size, statistics) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_statistics
      type(c_ptr), value :: sphere
      integer(c_size_t), value :: size
      type(weft_c_statistics), intent(out) :: statistics
    end function
    integer(c_int) function weft_sphere_exchange(sphere, index, size, statistics) bind(c)
      import :: c_int, c_int64_t, c_ptr, c_size_t, weft_c_exchange_statistics
      type(c_ptr), value :: sphere
      integer(c_int64_t), value :: index
      integer(c_size_t), value :: size
      type(weft_c_exchange_statistics), intent(out) :: statistics
    end function
    integer(c_int) function weft_sphere_reset_statistics(sphere) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: sphere
    end function
    integer(c_int) function weft_sphere_drop_trace(sphere) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: sphere
    end function

    integer(c_int) function weft_tuning_create(tuning) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: tuning
    end function
    integer(c_int) function weft_tuning_destroy(tuning) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: tuning
    end function
    integer(c_int) function weft_tuning_set(tuning, name, text) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: tuning
      character(kind=c_char), intent(in) :: name(*), text(*)
    end function
    integer(c_int) function weft_tuning_set_progress(tuning, progress, data) bind(c)
      import :: c_int, c_ptr, c_funptr
      type(c_ptr), value :: tuning
      type(c_funptr), value :: progress
      type(c_ptr), value :: data
    end function
    integer(c_int) function weft_tune_f(problem, options, tuning, comm, tuned) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: problem, options, tuning
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: tuned
    end function
    integer(c_int) function weft_tune_sphere_f(problem, count, waves, planes, backward, forward, tuning, comm, &
                                               tuned_backward, tuned_forward) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: problem
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: waves(*)
      integer(c_int64_t), value :: planes
      type(c_ptr), value :: backward, forward, tuning
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: tuned_backward, tuned_forward
    end function
    integer(c_int) function weft_tune_poisson_f(problem, options, tuning, comm, tuned) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: problem, options, tuning
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: tuned
    end function
    integer(c_int) function weft_tune_operator_f(problem, function, options, tuning, comm, tuned) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: problem, function, options, tuning
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: tuned
    end function
    integer(c_int) function weft_tuned_destroy(tuned) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: tuned
    end function
    integer(c_int) function weft_tuned_options(tuned, options) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: tuned
      type(c_ptr), intent(out) :: options
    end function
    integer(c_int) function weft_tuned_get_summary(tuned, size, summary) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_tuned_summary
      type(c_ptr), value :: tuned
      integer(c_size_t), value :: size
      type(weft_c_tuned_summary), intent(out) :: summary
    end function
    integer(c_int) function weft_tuned_source(tuned, text) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: tuned
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function weft_tuned_text(tuned, text) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: tuned
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function weft_tuned_json(tuned, text) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: tuned
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function weft_tuning_file_entries_c(path, text) bind(c, name='weft_tuning_file_entries')
      import :: c_int, c_ptr, c_char
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function weft_tuning_file_merge_c(path, other, taken) bind(c, name='weft_tuning_file_merge')
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: path(*), other(*)
      integer(c_int), intent(out) :: taken
    end function
    integer(c_int) function weft_tuning_file_forget_c(path, count, places) bind(c, name='weft_tuning_file_forget')
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: count
      integer(c_int), intent(in) :: places(*)
    end function

    integer(c_int) function weft_predict_c(problem, options, machine, ranks, ranks_on_node, size, prediction) &
      bind(c, name='weft_predict')
      import :: c_int, c_ptr, c_char, c_size_t, weft_prediction
      type(c_ptr), value :: problem, options
      character(kind=c_char), intent(in) :: machine(*)
      integer(c_int), value :: ranks, ranks_on_node
      integer(c_size_t), value :: size
      type(weft_prediction), intent(out) :: prediction
    end function
    integer(c_int) function weft_sphere_predict(plan, machine, ranks_on_node, size, prediction) bind(c)
      import :: c_int, c_ptr, c_char, c_size_t, weft_prediction
      type(c_ptr), value :: plan
      character(kind=c_char), intent(in) :: machine(*)
      integer(c_int), value :: ranks_on_node
      integer(c_size_t), value :: size
      type(weft_prediction), intent(out) :: prediction
    end function
    integer(c_int) function weft_operator_predict(plan, machine, ranks_on_node, size, prediction) bind(c)
      import :: c_int, c_ptr, c_char, c_size_t, weft_prediction
      type(c_ptr), value :: plan
      character(kind=c_char), intent(in) :: machine(*)
      integer(c_int), value :: ranks_on_node
      integer(c_size_t), value :: size
      type(weft_prediction), intent(out) :: prediction
    end function

    integer(c_int) function weft_function_named_f(problem, name, count, values, function) bind(c)
      import :: c_char, c_double, c_int, c_ptr
      type(c_ptr), value :: problem
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: count
      real(c_double), intent(in) :: values(*)
      type(c_ptr), intent(out) :: function
    end function
    integer(c_int) function weft_function_of_tiles(problem, at, inputs, outputs, call, context, function) bind(c)
      import :: c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: problem
      integer(c_int), value :: at
      integer(c_int64_t), value :: inputs, outputs
      type(c_funptr), value :: call
      type(c_ptr), value :: context
      type(c_ptr), intent(out) :: function
    end function
    integer(c_int) function weft_function_multiply(problem, at, table, real, count, function) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: problem, table
      integer(c_int), value :: at, real
      integer(c_int64_t), value :: count
      type(c_ptr), intent(out) :: function
    end function
    integer(c_int) function weft_function_multiply_separable(problem, factors, counts, function) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: problem
      type(c_ptr), intent(in) :: factors(3)
      integer(c_int64_t), intent(in) :: counts(3)
      type(c_ptr), intent(out) :: function
    end function
    integer(c_int) function weft_function_convolution_f(problem, kernel, count, correlate, options, comm, function) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: problem, kernel, options
      integer(c_int64_t), value :: count
      integer(c_int), value :: correlate, comm
      type(c_ptr), intent(out) :: function
    end function
    integer(c_int) function weft_function_destroy(function) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: function
    end function
    integer(c_int) function weft_operator_plan_create(problem, function, options, ranks, rank, plan) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: problem, function, options
      integer(c_int), value :: ranks, rank
      type(c_ptr), intent(out) :: plan
    end function
    integer(c_int) function weft_operator_plan_destroy(plan) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: plan
    end function
    integer(c_int) function weft_operator_plan_layout(plan, which, layout) bind(c)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: plan
      character(kind=c_char), intent(in) :: which(*)
      type(c_ptr), intent(out) :: layout
    end function
    integer(c_int) function weft_operator_plan_places(plan, axis, odd, values, count) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: axis, odd
      type(c_ptr), intent(out) :: values
      integer(c_int64_t), intent(out) :: count
    end function
    integer(c_int) function weft_operator_plan_sizes(plan, size, sizes) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_operator_sizes
      type(c_ptr), value :: plan
      integer(c_size_t), value :: size
      type(weft_c_operator_sizes), intent(inout) :: sizes
    end function
    integer(c_int) function weft_operator_plan_traffic(plan, size, traffic) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_traffic
      type(c_ptr), value :: plan
      integer(c_size_t), value :: size
      type(weft_traffic), intent(inout) :: traffic
    end function
    integer(c_int) function weft_operator_plan_option(plan, name, value) bind(c)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: plan
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: value
    end function
    integer(c_int) function weft_operator_plan_explain(plan, text) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: text
    end function
    integer(c_int) function weft_operator_plan_json(plan, text) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: text
    end function
    integer(c_int) function weft_operator_create_f(problem, function, options, comm, op) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: problem, function, options
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: op
    end function
    integer(c_int) function weft_operator_destroy(op) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: op
    end function
    integer(c_int) function weft_operator_get_plan(op, plan) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: op
      type(c_ptr), intent(out) :: plan
    end function
    integer(c_int) function weft_operator_set_function(op, function) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: op, function
    end function
    integer(c_int) function weft_operator_execute(op, in, in_type, in_size, out, out_type, out_size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: op, in, out
      integer(c_int), value :: in_type, out_type
      integer(c_int64_t), value :: in_size, out_size
    end function
    integer(c_int) function weft_operator_raise(op, message) bind(c)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: op
      character(kind=c_char), intent(in) :: message(*)
    end function
    integer(c_int) function weft_operator_statistics(op, size, statistics) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_statistics
      type(c_ptr), value :: op
      integer(c_size_t), value :: size
      type(weft_c_statistics), intent(inout) :: statistics
    end function
    integer(c_int) function weft_operator_exchange(op, index, size, statistics) bind(c)
      import :: c_int, c_int64_t, c_ptr, c_size_t, weft_c_exchange_statistics
      type(c_ptr), value :: op
      integer(c_int64_t), value :: index
      integer(c_size_t), value :: size
      type(weft_c_exchange_statistics), intent(inout) :: statistics
    end function
    integer(c_int) function weft_operator_reset_statistics(op) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: op
    end function
    integer(c_int) function weft_operator_drop_trace(op) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: op
    end function

    integer(c_int) function weft_poisson_problem_create(axes, shape, problem) bind(c)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: axes
      integer(c_int64_t), intent(in) :: shape(*)
      type(c_ptr), intent(out) :: problem
    end function
    integer(c_int) function weft_poisson_problem_destroy(problem) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: problem
    end function
    integer(c_int) function weft_poisson_problem_set(problem, name, value) bind(c)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: problem
      character(kind=c_char), intent(in) :: name(*), value(*)
    end function
    integer(c_int) function weft_poisson_problem_set_spacings(problem, axis, values, count) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: problem
      integer(c_int), value :: axis
      real(c_double), intent(in) :: values(*)
      integer(c_int64_t), value :: count
    end function
    integer(c_int) function weft_poisson_problem_set_kernel(problem, kernel, data) bind(c)
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: problem, data
      type(c_funptr), value :: kernel
    end function
    integer(c_int) function weft_poisson_create_f(problem, options, comm, solver) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: problem, options
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: solver
    end function
    integer(c_int) function weft_poisson_destroy(solver) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: solver
    end function
    integer(c_int) function weft_poisson_get_sizes(solver, size, sizes) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_poisson_sizes
      type(c_ptr), value :: solver
      integer(c_size_t), value :: size
      type(weft_c_poisson_sizes), intent(inout) :: sizes
    end function
    integer(c_int) function weft_poisson_layout(solver, which, layout) bind(c)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: solver
      character(kind=c_char), intent(in) :: which(*)
      type(c_ptr), intent(out) :: layout
    end function
    integer(c_int) function weft_poisson_coordinates(solver, axis, values, count) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solver
      integer(c_int), value :: axis
      type(c_ptr), intent(out) :: values
      integer(c_int64_t), intent(out) :: count
    end function
    integer(c_int) function weft_poisson_explain(solver, text) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: solver
      type(c_ptr), intent(inout) :: text
    end function
    integer(c_int) function weft_poisson_execute(solver, f, f_type, f_size, u, u_type, u_size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solver, f, u
      integer(c_int), value :: f_type, u_type
      integer(c_int64_t), value :: f_size, u_size
    end function
    integer(c_int) function weft_poisson_set_shift(solver, shift) bind(c)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: solver
      real(c_double), value :: shift
    end function
    integer(c_int) function weft_poisson_set_wall(solver, axis, end, values, count) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solver, values
      integer(c_int), value :: axis, end
      integer(c_int64_t), value :: count
    end function
    integer(c_int) function weft_poisson_wall_size(solver, axis, end, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solver
      integer(c_int), value :: axis, end
      integer(c_int64_t), intent(out) :: size
    end function
    integer(c_int) function weft_poisson_mean(solver, f, means) bind(c)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: solver, f
      real(c_double), intent(out) :: means(*)
    end function
    integer(c_int) function weft_poisson_raise(solver, message) bind(c)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: solver
      character(kind=c_char), intent(in) :: message(*)
    end function
    integer(c_int) function weft_poisson_statistics(solver, size, statistics) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_c_statistics
      type(c_ptr), value :: solver
      integer(c_size_t), value :: size
      type(weft_c_statistics), intent(inout) :: statistics
    end function
    integer(c_int) function weft_poisson_exchange(solver, index, size, statistics) bind(c)
      import :: c_int, c_int64_t, c_ptr, c_size_t, weft_c_exchange_statistics
      type(c_ptr), value :: solver
      integer(c_int64_t), value :: index
      integer(c_size_t), value :: size
      type(weft_c_exchange_statistics), intent(inout) :: statistics
    end function
    integer(c_int) function weft_poisson_reset_statistics(solver) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: solver
    end function
    integer(c_int) function weft_poisson_drop_trace(solver) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: solver
    end function

    !> Of mpi.c.
    subroutine weft_fortran_stop(message) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: message(*)
    end subroutine
    integer(c_int) function weft_fortran_rank(comm) bind(c)
      import :: c_int
      integer(c_int), value :: comm
    end function
    !> Of C itself.
    integer(c_size_t) function strlen(text) bind(c)
      import :: c_size_t, c_ptr
      type(c_ptr), value :: text
    end function
  end interface
end module
