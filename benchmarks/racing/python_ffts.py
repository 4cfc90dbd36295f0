"""Transforms of SciPy, pyFFTW, ducc0 and oneMKL (mkl_fft) within one process, with as many threads as the case has."""

from __future__ import annotations

from typing import Any

from .contestant import Arrays, Contestant, Maker, nothing, of_batch, view, whole
from .settings import Case

SCIPY, PYFFTW, DUCC, MKL = "SciPy", "pyFFTW", "ducc0", "oneMKL"


def makers(rivals: list[str], case: Case, quick: bool) -> list[tuple[str, str, Maker]]:
    """Family, name, maker. Of one rank; quickly, of several threads only, since of one FFTW itself takes part."""
    if case.ranks > 1 or (quick and case.threads == 1):
        return []
    return [
        *([(SCIPY, "fftn", _scipy)] if SCIPY in rivals else []),
        *([(PYFFTW, "out of place", _pyfftw)] if PYFFTW in rivals else []),
        *([(DUCC, "out of place", _ducc)] if DUCC in rivals else []),
        *([(MKL, "out of place", _mkl)] if MKL in rivals else []),
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


def _ducc(case: Case, arrays: Arrays) -> Contestant:
    from ducc0 import fft

    found = _contestant(case, arrays, DUCC, "out of place")
    first = 1 if case.batch > 1 else 0
    options: dict[str, Any] = {"axes": [first + axis for axis in range(len(case.shape))], "nthreads": case.threads}
    field, spectrum = found.field, found.spectrum

    def forward() -> None:
        (fft.c2c if case.kind == "c2c" else fft.r2c)(field, forward=True, out=spectrum, **options)

    def backward() -> None:
        if case.kind == "c2c":
            fft.c2c(spectrum, forward=False, out=field, **options)
        else:
            fft.c2r(
                spectrum, lastsize=case.shape[-1], forward=False, out=field, allow_overwriting_input=True, **options
            )

    found.forward, found.backward = forward, backward
    return found


def _mkl(case: Case, arrays: Arrays) -> Contestant:
    import mkl
    import mkl_fft

    found = _contestant(case, arrays, MKL, "out of place")
    size = {} if case.kind == "c2c" else {"s": case.shape}
    there, back = (mkl_fft.fftn, mkl_fft.ifftn) if case.kind == "c2c" else (mkl_fft.rfftn, mkl_fft.irfftn)
    # One by one: mkl_fft 2.3 takes another factor for 1 where some axes are not transformed.
    fields = list(zip(found.field, found.spectrum)) if case.batch > 1 else [(found.field, found.spectrum)]

    def forward() -> None:
        mkl.set_num_threads(case.threads)
        for field, spectrum in fields:
            there(field, out=spectrum)

    def backward() -> None:
        mkl.set_num_threads(case.threads)
        for field, spectrum in fields:
            back(spectrum, norm="forward", out=field, **size)

    found.forward, found.backward = forward, backward
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
