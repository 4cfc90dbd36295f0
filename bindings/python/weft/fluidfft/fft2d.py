"""``fft2d.mpi_with_weft``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._field import Field


class FFT2DMPIWithWeft(Field):
    """Fields of ``n0 x n1`` points: y and x. The axes of the spectrum are x and y."""

    def __init__(self, n0: int = 2, n1: int = 2) -> None:
        super().__init__(n0, n1)

    def get_is_transposed(self) -> bool:
        """Whether the axes of the spectrum are x and y."""
        return True

    def get_x_adim_loc(self) -> tuple[NDArray[Any], ...]:
        """Indices of this process's points along each axis in space."""
        return tuple(np.arange(part.start, part.stop) for part in self._fft.input_slice)


FFTclass = FFT2DMPIWithWeft
