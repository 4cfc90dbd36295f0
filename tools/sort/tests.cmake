# weft-sort verifies what it sorts: every run is a test.
weft_add_mpi_run(sort.tree "1;2;3;4;5;6;7;8;9" COMMAND weft-sort --n 30011 --chunk 1000 --repeats 2 LABELS tools)
weft_add_mpi_run(sort.sample "1;2;3;5;8" COMMAND weft-sort --n 30011 --algorithm sample --chunk 1000 --repeats 2 LABELS tools)
