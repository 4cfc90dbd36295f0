! Weft in Fortran: distributed FFTs for MPI.
!
!   use mpi_f08
!   use weft
!   type(weft_transform) :: fft
!   complex(real64), allocatable :: field(:, :, :), spectrum(:, :, :)
!   integer(int64) :: n(3)
!
!   call fft%create([128, 128, 128], MPI_COMM_WORLD)
!   n = fft%input_shape()
!   allocate (field(n(1), n(2), n(3)))                ! this rank's part of the grid: fft%input_box()
!   n = fft%output_shape()
!   allocate (spectrum(n(1), n(2), n(3)))
!   call fft%forward(field, spectrum)                 ! exponent -1, unnormalised
!   call fft%backward(spectrum, field)                ! exponent +1: the field times 128^3
!   call fft%destroy()
!
! Axes are counted from 1 and the first is the fastest, in shapes, boxes and arrays alike. Every call has the optional
! arguments stat= and errmsg= at its end; without stat=, an error ends the program with its message.
module weft
  use weft_c_module, only: weft_backward, weft_flow, weft_forward, weft_prediction, weft_traffic
  use weft_descriptions_module, only: weft_describe_backends, weft_describe_options, weft_describe_strategies, &
    weft_option_description, weft_strategy_description, weft_strategy_obstacle
  use weft_errors_module, only: weft_agree, weft_error_message => weft_error_text, weft_version => weft_version_text
  use weft_ghosts_module, only: weft_ghost_exchange
  use weft_layouts_module, only: weft_box, weft_layout
  use weft_memory_module, only: weft_allocate, weft_deallocate
  use weft_operator_module, only: weft_operator, weft_places, weft_tile, weft_tile_procedure
  use weft_operator_plan_module, only: weft_operator_plan
  use weft_options_module, only: weft_options
  use weft_plan_module, only: weft_plan, weft_predict
  use weft_poisson_module, only: weft_poisson
  use weft_problems_module, only: weft_three_halves, weft_two_thirds
  use weft_redistribution_module, only: weft_moved, weft_redistribution
  use weft_sphere_module, only: weft_deal_columns, weft_plane_waves, weft_sphere_grid, weft_sphere_transform
  use weft_sphere_plan_module, only: weft_sphere_plan
  use weft_statistics_module, only: weft_exchange_statistics, weft_statistics
  use weft_transform_module, only: weft_transform
  use weft_tuning_module, only: weft_progress, weft_tune, weft_tune_operator, weft_tune_sphere, weft_tuned, weft_tuning, &
    weft_tuning_file_entries, weft_tuning_file_forget, weft_tuning_file_merge
  implicit none
  public
end module
