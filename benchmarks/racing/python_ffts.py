"""SciPy's and pyFFTW's transforms within one process, with as many threads as the case has."""

from __future__ import annotations

from typing import Any

from .contestant import Arrays, Contestant, Maker, nothing, of_batch, view, whole
from .settings import Case

SCIPY, PYFFTW = "SciPy", "pyFFTW"


def makers(rivals: list[str], case: Case, quick: bool) -> list[tuple[str, str, Maker]]:
    """Family, name, maker. Of one rank; quickly, of several threads only, since of one FFTW itself takes part."""
    if case.ranks > 1 or (quick and case.threads == 1):
        return []
    return [
        *([(SCIPY, "fftn", _scipy)] if SCIPY in rivals else []),
        *([(PYFFTW, "out of place", _pyfftw)] if PYFFTW in rivals else []),
    ]


def _scipy(case: Case, arrays: Arrays) -> Contestant:
    from scipy import fft

    # It returns arrays of its own. Complex ones it may overwrite, which saves it one.
    options: dict[str, Any] = {"axes": _axes(case), "workers": case.threads, "overwrite_x": True}
    there, back = (fft.fftn, fft.ifftn) if case.kind == "c2c" else (fft.rfftn, fft.irfftn)
    size = {} if case.kind == "c2c" else {"s": case.shape}
    found = _contestant(case, arrays, SCIPY, "fftn")

    def forward() -> None:
        found.spectrum = there(found.field, **options)

    def backward() -> None:
        found.field = back(found.spectrum, norm="forward", **options, **size)

    found.forward, found.backward = forward, backward
    return found


def _pyfftw(case: Case, arrays: Arrays) -> Contestant:
    import pyfftw

    found = _contestant(case, arrays, PYFFTW, "out of place")
    options = {"axes": _axes(case), "flags": ("FFTW_MEASURE", "FFTW_DESTROY_INPUT"), "threads": case.threads}
    found.forward = pyfftw.FFTW(found.field, found.spectrum, direction="FFTW_FORWARD", **options).execute
    found.backward = pyfftw.FFTW(found.spectrum, found.field, direction="FFTW_BACKWARD", **options).execute
    return found


def _axes(case: Case) -> list[int]:
    """All but that of the batch."""
    return list(range(-len(case.shape), 0))


def _contestant(case: Case, arrays: Arrays, family: str, name: str) -> Contestant:
    batch = (case.batch,) if case.batch > 1 else ()
    field = view(arrays.first, (*batch, *case.shape), case.field_type)
    spectrum = view(arrays.second, (*batch, *case.spectrum_shape), case.complex_type)
    slices, wave_slices = (of_batch(case, *whole(shape)) for shape in (case.shape, case.spectrum_shape))
    return Contestant(family, name, field, slices, spectrum, wave_slices, nothing, nothing)
