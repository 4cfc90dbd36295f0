"""A round trip of a transform on all ranks of a job, by the weft that is installed."""

import numpy as np
from mpi4py import MPI

import weft
from weft import _mpi

fft = weft.FFT((6, 5, 7), comm=MPI.COMM_WORLD)
rng = np.random.default_rng(MPI.COMM_WORLD.rank)
shape = fft.input_shape
x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
again = fft.backward(fft.forward(x)) / (6 * 5 * 7)
error = float(np.max(np.abs(again - x), initial=0))
worst = MPI.COMM_WORLD.allreduce(error, op=MPI.MAX)
agreement = _mpi.agreement(MPI.COMM_WORLD)  # which goes to Weft, and comes back as one of mpi4py
if MPI.Comm.Compare(_mpi.comm_of(agreement), MPI.COMM_WORLD) != MPI.CONGRUENT:
    raise SystemExit("Weft's copy of a communicator is another one")
if MPI.COMM_WORLD.rank == 0:
    print(weft.__file__, MPI.COMM_WORLD.size, "ranks", "right" if worst < 1e-13 else f"wrong by {worst}")
