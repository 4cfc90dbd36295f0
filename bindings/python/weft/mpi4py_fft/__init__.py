"""mpi4py-fft's interface on Weft: a program changes one import.

>>> from mpi4py import MPI
>>> from weft.mpi4py_fft import PFFT, newDistArray    # was: from mpi4py_fft import PFFT, newDistArray
>>> fft = PFFT(MPI.COMM_WORLD, (32, 32, 32), dtype=float)
>>> u = newDistArray(fft, False, val=1)
>>> u_hat = fft.forward(u)                            # divided by 32**3, as mpi4py-fft does
>>> fft.engine
'weft'

Layouts, shapes, types and factors are mpi4py-fft's. What Weft transforms (any axes, complex, real to complex, cosines and sines, single
or double precision) runs on `weft.FFT`; all else runs on serial FFTs between exchanges of `weft.Redistribution`. `PFFT.engine` and `PFFT.reason` tell which, and so does the logger ``weft.mpi4py_fft``.
"""

import sys
from importlib import import_module
from pkgutil import walk_packages

from .._instead import stand_in
from . import fftw
from .distarray import DistArray, Function, newDistArray
from .fftw import fftlib
from .io import HDF5File, NCFile, generate_xdmf
from .mpifft import PFFT

__all__ = [
    "PFFT",
    "DistArray",
    "Function",
    "HDF5File",
    "NCFile",
    "fftlib",
    "fftw",
    "generate_xdmf",
    "install",
    "newDistArray",
]

#: The version of mpi4py-fft whose interface this is.
__version__ = "2.0.6"

#: mpi4py-fft's modules whose names are those of another one here.
_ELSEWHERE = {"io.file_base": "io", "io.h5py_file": "io", "io.nc_file": "io"}


def install() -> None:
    """Have every later ``import mpi4py_fft`` of this process find this package, submodules included. Not collective.

    For programs and packages that cannot be changed: call it before they are imported. mpi4py-fft itself need not be installed,
    and is not used where it is.

    Raises
    ------
    weft.Error
        If mpi4py-fft itself has been imported already: some would use it, and others this.
    """
    stand_in("mpi4py_fft", __name__)
    own = {module.name.removeprefix(f"{__name__}."): module.name for module in walk_packages(__path__, f"{__name__}.")}
    for name, module in {**own, **{name: f"{__name__}.{there}" for name, there in _ELSEWHERE.items()}}.items():
        sys.modules[f"mpi4py_fft.{name}"] = import_module(module)
