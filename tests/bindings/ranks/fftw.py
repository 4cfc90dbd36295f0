"""A program for FFTW-MPI in Python: it finds FFTW's functions among those of the process, wherever they come from."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_double, c_int, c_ssize_t, c_uint, c_void_p

import numpy as np
from mpi4py import MPI

SHAPE = (6, 5, 4)
FORWARD, ESTIMATE = -1, 1 << 6

fftw = ctypes.CDLL(None)
comm = MPI.COMM_WORLD
fftw.fftw_mpi_init()

planes, first = c_ssize_t(), c_ssize_t()
fftw.fftw_mpi_local_size_3d_f03.restype = c_ssize_t
fftw.fftw_mpi_local_size_3d_f03.argtypes = [c_ssize_t] * 3 + [c_int, POINTER(c_ssize_t), POINTER(c_ssize_t)]
numbers = fftw.fftw_mpi_local_size_3d_f03(*SHAPE, comm.py2f(), byref(planes), byref(first))
data = np.zeros(numbers, complex)
fftw.fftw_mpi_plan_dft_3d_f03.restype = c_void_p
fftw.fftw_mpi_plan_dft_3d_f03.argtypes = [c_ssize_t] * 3 + [c_void_p, c_void_p, c_int, c_int, c_uint]
plan = fftw.fftw_mpi_plan_dft_3d_f03(*SHAPE, data.ctypes.data, data.ctypes.data, comm.py2f(), FORWARD, ESTIMATE)
assert plan

field = np.random.default_rng(1).normal(size=SHAPE) + 1j
mine = slice(first.value, first.value + planes.value)
part = data[: planes.value * SHAPE[1] * SHAPE[2]].reshape(planes.value, *SHAPE[1:])
part[...] = field[mine]
fftw.fftw_execute.argtypes = fftw.fftw_destroy_plan.argtypes = [c_void_p]
fftw.fftw_execute(plan)
np.testing.assert_allclose(part, np.fft.fftn(field)[mine], atol=1e-12)
add, multiply, both = c_double(), c_double(), c_double()
fftw.fftw_flops.argtypes = [c_void_p] + [POINTER(c_double)] * 3
fftw.fftw_flops(plan, byref(add), byref(multiply), byref(both))
assert add.value > 0
fftw.fftw_destroy_plan(plan)
comm.Barrier()
if comm.rank == 0:
    print(f"right on {comm.size} ranks")
