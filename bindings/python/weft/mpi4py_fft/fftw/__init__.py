"""mpi4py-fft's planners of serial transforms, ``mpi4py_fft.fftw``, on the libraries of `serial`.

A planner returns an object that transforms from its `input_array` to its `output_array`, or between the arrays of a call.
FFTW itself is not called: flags, threads, wisdom and time limits are taken, and change nothing.
"""

from .factory import (
    FFT,
    cleanup,
    export_wisdom,
    fftlib,
    forget_wisdom,
    get_fftw_lib,
    get_planned_FFT,
    import_wisdom,
    set_timelimit,
)
from .utilities import *
from .xfftn import *
