"""``fft3d.mpi_with_weft``."""

from __future__ import annotations

from fluidfft.fft3d.base import BaseFFTMPI

from ._field import Field


class FFT3DMPIWithWeft(Field, BaseFFTMPI):  # type: ignore[misc]  # fluidfft has no types
    """Fields of ``n0 x n1 x n2`` points: z, y and x. The axes of the spectrum are y, z and x."""

    def __init__(self, n0: int = 2, n1: int = 2, n2: int = 4) -> None:
        Field.__init__(self, n0, n1, n2)
        BaseFFTMPI.__init__(self, n0, n1, n2)

    def get_dimX_K(self) -> tuple[int, int, int]:
        """Which axis in space each axis of the spectrum is."""
        return 1, 0, 2


FFTclass = FFT3DMPIWithWeft
