"""What Quantum ESPRESSO leaves in a `.save` folder: one module a kind of file.

All of it is opened by every rank and read through memory maps (or HDF5's slices), so that a rank touches no more of a large file
than it needs. What is wrong with a file is a CommandError with the file's name.
"""

from .charge import Charge, open_charge
from .schema import Calculation, KPoint, read_calculation
from .wavefunctions import WaveFunctions, open_wavefunctions

__all__ = [
    "Calculation",
    "Charge",
    "KPoint",
    "WaveFunctions",
    "open_charge",
    "open_wavefunctions",
    "read_calculation",
]
