# Tests of the benchmark programs: NPB FT must verify, and the command lines do what they say.
weft_add_mpi_run(npb.S "1;2;3;5" COMMAND weft-npb --class S LABELS tools)
weft_add_mpi_run(npb.W "2;4" COMMAND weft-npb --class W LABELS tools)
weft_add_mpi_run(npb.S.in_place "3" COMMAND weft-npb --class S --in-place --strategy ialltoallv --tile 3 LABELS tools)
# Three groups, of two ranks each, share out six iterations; four groups leave two of them with one more than the others.
weft_add_mpi_run(npb.S.groups "6" COMMAND weft-npb --class S --groups 3 LABELS tools)
weft_add_mpi_run(npb.S.groups.in_place "4" COMMAND weft-npb --class S --groups 4 --in-place LABELS tools)
weft_add_mpi_run(
  npb.S.natural_order "4"
  COMMAND weft-npb --class S --transposed false --decomposition pencil
  LABELS tools)
if(NOT WEFT_SANITIZE)
  # More ranks than the 32 planes of class W's slowest axis: as Weft chooses, and with ranks that have nothing to do.
  weft_add_mpi_run(npb.W.many_ranks "34" COMMAND weft-npb --class W LABELS tools long)
  weft_add_mpi_run(npb.W.empty_ranks "34" COMMAND weft-npb --class W --decomposition slab LABELS tools long)
endif()

weft_add_mpi_run(
  bench.batch "1;3"
  COMMAND weft-bench --shape 8 9 10 --kind r2c --precision single --batch 3 --repeats 3
          --strategies alltoallv,ialltoallv
  LABELS tools)
weft_add_mpi_run(
  bench.in_place "4"
  COMMAND weft-bench --shape 5x7x6 --kind c2r --in-place --batch 2 --no-limits
  LABELS tools)

foreach(operator poisson gradient)
  weft_add_mpi_run(bench.operators_${operator} "2"
                   COMMAND weft-operators --shape 6 10 7 --operator ${operator} --rounds 3 LABELS tools)
endforeach()
weft_add_mpi_run(bench.kernels "2" COMMAND weft-kernels --lengths 8 11 30 --milliseconds 1 LABELS tools)
weft_add_mpi_run(bench.kernel_errors "1" COMMAND weft-kernels --lengths 8 47 --errors LABELS tools)
if(TARGET weft-doors)
  weft_add_mpi_run(bench.doors "2" COMMAND weft-doors --points 7 --turns 3 --pairs 2 LABELS tools)
endif()

set(launch ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 2 ${MPIEXEC_PREFLAGS})
foreach(program npb bench)
  add_test(NAME ${program}.command_line
           COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:weft-${program}> "-DLAUNCH=${launch}"
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/${program}_command_line.cmake)
  set_tests_properties(${program}.command_line PROPERTIES PROCESSORS 2 TIMEOUT 240 LABELS tools
                                                          ENVIRONMENT "${WEFT_TEST_ENVIRONMENT}")
endforeach()
