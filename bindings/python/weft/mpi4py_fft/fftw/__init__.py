"""mpi4py-fft's planners of serial transforms, ``mpi4py_fft.fftw``, on the libraries of `serial`.

A planner returns an object that transforms from its `input_array` to its `output_array`, or between the arrays of a call.
FFTW itself is not called: flags, threads, wisdom and time limits are taken, and change nothing.
"""

from .factory import *
from .utilities import *
from .xfftn import *
