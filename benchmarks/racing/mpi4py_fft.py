"""mpi4py-fft, in the arrays that it makes itself, which is how it copies least."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from .contestant import Contestant, Maker
from .settings import Case

FAMILY = "mpi4py-fft"


def prepare() -> None:
    """To be called before anybody plans: its first plan turns on FFTW's threads (of which it uses one), and FFTW then
    forgets every solver that was registered before, those of FFTW-MPI too."""
    from mpi4py_fft import fftw

    fftw.fftn(fftw.aligned((2,), dtype=np.complex128))


def makers(case: Case, quick: bool) -> list[tuple[str, Maker]]:
    """It has neither threads nor batches."""
    if quick or case.threads > 1 or case.batch > 1 or case.precision != "double":
        return []
    # Its default is one serial FFT for each axis; with `collapse` it does two axes in one.
    return [
        ("slab", lambda case, arrays: _make(case, False)),
        ("slab, collapsed axes", lambda case, arrays: _make(case, True)),
    ]


def _make(case: Case, collapse: bool) -> Contestant:
    from mpi4py_fft import PFFT

    # grid (-1,): a slab along axis 0. Its plans are made with FFTW_MEASURE.
    fft = PFFT(MPI.COMM_WORLD, list(case.shape), dtype=np.dtype(case.field_type), grid=(-1,), collapse=collapse)
    return Contestant(
        family=FAMILY,
        name="slab, collapsed axes" if collapse else "slab",
        field=fft.forward.input_array,
        field_slices=fft.local_slice(False),
        spectrum=fft.forward.output_array,
        spectrum_slices=fft.local_slice(True),
        # Nobody else normalises here.
        forward=lambda: fft.forward(normalize=False),
        backward=lambda: fft.backward(normalize=False),
        close=fft.destroy,
    )
