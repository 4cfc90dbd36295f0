# weft-sort verifies what it sorts: every run is a test. Chunks are small, so that many are on their way.
set(sort_problem --n 30011 --chunk 1000 --repeats 2 --warmup 0)
weft_add_mpi_run(sort.tree "1;2;3;4;5;6;7;8;9" COMMAND weft-sort ${sort_problem} LABELS tools)
weft_add_mpi_run(sort.sample "1;2;3;5;8" COMMAND weft-sort ${sort_problem} --algorithm sample LABELS tools)
weft_add_mpi_run(sort.arity "4;7" COMMAND weft-sort ${sort_problem} --arity 3 --dtype float64 LABELS tools)
# Placements: Brown's best, one that goes back and forth between ranks, more processes than ranks, any tree.
weft_add_mpi_run(
  sort.placed "4"
  COMMAND weft-sort ${sort_problem} --levels 3 --placement 0,0,2,0,1,2,3
  LABELS tools)
weft_add_mpi_run(
  sort.to_and_fro "2;3"
  COMMAND weft-sort ${sort_problem} --levels 4 --placement 0,1,1,0,0,0,1,1,0,1,1,0,0,0,1 --window 1
  LABELS tools)
weft_add_mpi_run(sort.dealt "3" COMMAND weft-sort ${sort_problem} --levels 5 --dtype uint8 LABELS tools)
weft_add_mpi_run(
  sort.any_tree "3"
  COMMAND weft-sort ${sort_problem} --parents -1,0,0,0,1,1,1,4,4 --placement 0,1,2,0,2,1,0,1,2 --distribution few
  LABELS tools)
# Few elements: some leaves, or all, have none.
weft_add_mpi_run(sort.three "5" COMMAND weft-sort --n 3 --repeats 2 LABELS tools)
weft_add_mpi_run(sort.none "3" COMMAND weft-sort --n 0 --repeats 1 LABELS tools)
weft_add_mpi_run(sort.sample_three "5" COMMAND weft-sort --n 3 --algorithm sample --repeats 2 LABELS tools)
foreach(distribution few equal sorted reversed)
  weft_add_mpi_run(
    sort.sample_${distribution} "3"
    COMMAND weft-sort ${sort_problem} --algorithm sample --distribution ${distribution} --dtype int64
    LABELS tools)
endforeach()
