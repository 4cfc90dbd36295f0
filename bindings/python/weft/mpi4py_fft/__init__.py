"""mpi4py-fft's interface on Weft: a program changes one import.

>>> from mpi4py import MPI
>>> from weft.mpi4py_fft import PFFT, newDistArray    # was: from mpi4py_fft import PFFT, newDistArray
>>> fft = PFFT(MPI.COMM_WORLD, (32, 32, 32), dtype=float)
>>> u = newDistArray(fft, False, val=1)
>>> u_hat = fft.forward(u)                            # divided by 32**3, as mpi4py-fft does
>>> fft.engine
'weft'

Layouts, shapes, types and factors are mpi4py-fft's. What Weft transforms (two or three neighbouring axes, complex or
real to complex, single or double precision) runs on `weft.FFT`; all else runs on serial FFTs between exchanges of
`weft.Redistribution`. `PFFT.engine` and `PFFT.reason` tell which, and so does the logger ``weft.mpi4py_fft``.
"""

from . import fftw
from .distarray import DistArray, Function, newDistArray
from .fftw import fftlib
from .io import HDF5File, NCFile, generate_xdmf
from .mpifft import PFFT

__all__ = ["PFFT", "DistArray", "Function", "HDF5File", "NCFile", "fftlib", "fftw", "generate_xdmf", "newDistArray"]
