! An error that is not asked for ends the program, on all ranks: stop.cmake looks at how.
program stop_without_stat
  use mpi_f08
  use weft
  implicit none
  type(weft_transform) :: fft
  character(len=8) :: errmsg
  call MPI_Init()
  print '(a)', 'before the error'
  call fft%create([8, 6, 5], MPI_COMM_WORLD, kind='q2c', errmsg=errmsg)
  print '(a)', 'after the error'
  call MPI_Finalize()
end program
