"""Serial FFTs of whichever library there is: unscaled or scaled, over some axes of an array.

Complex and real transforms are SciPy's, NumPy's, pyFFTW's or mkl_fft's. Real-to-real transforms are SciPy's; without it they
are real FFTs of sequences continued by symmetry.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import Error

#: Module for each backend of mpi4py-fft's. fftw, its default, is the best of those that need no other package than SciPy.
_MODULES = {
    "fftw": ("scipy.fft", "numpy.fft"),
    "numpy": ("numpy.fft",),
    "scipy": ("scipy.fft",),
    "pyfftw": ("pyfftw.interfaces.numpy_fft",),
    "mkl_fft": ("mkl_fft.interfaces.numpy_fft",),
}

_NUMPY_HAS_OUT = int(np.__version__.split(".")[0]) >= 2


def check_backend(backend: Any) -> None:
    """weft.Error if there is no such word."""
    if not isinstance(backend, str) or backend not in _MODULES:
        raise Error(f"backend is {backend!r}; one of {', '.join(_MODULES)} is needed")


@cache
def library(backend: str) -> Any:
    """The module that a backend stands for; weft.Error if there is none."""
    check_backend(backend)
    for name in _MODULES[backend]:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise Error(f"backend is {backend!r}, whose package is not installed: {_MODULES[backend][0]} cannot be imported")


def fourier(
    x: NDArray[Any],
    kind: str,
    axes: Sequence[int],
    points: int,
    scaled: bool,
    backend: str = "fftw",
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """A transform of one of the kinds fftn, ifftn, rfftn, irfftn; `scaled`: divided by the number of points.

    `points` is the length of the last of `axes` in space, which irfftn cannot tell from the spectrum. `out`, where that is
    given, is written and returned; it must be apart from `x`.
    """
    module = library(backend)
    # "forward" divides forward transforms, "backward" backward ones.
    norm = "forward" if scaled == (kind in ("fftn", "rfftn")) else "backward"
    sizes: dict[str, Any] = {"s": [x.shape[axis] for axis in axes[:-1]] + [points]} if kind == "irfftn" else {}
    if out is not None and module is np.fft and _NUMPY_HAS_OUT:
        sizes["out"] = out
    result: NDArray[Any] = getattr(module, kind)(x, axes=tuple(axes), norm=norm, **sizes)
    if out is None or result is out:
        return result
    out[...] = result
    return out


def real_to_real(x: NDArray[Any], family: str, number: int, axis: int) -> NDArray[Any]:
    """The cosine (family dct) or sine transform (dst) of type 1 to 4 along one axis, unscaled, as FFTW and SciPy define it."""
    try:
        from scipy import fft
    except ImportError:
        return _by_symmetry(x, family, number, axis)
    result: NDArray[Any] = getattr(fft, family)(x, number, axis=axis)
    return result


def _by_symmetry(x: NDArray[Any], family: str, number: int, axis: int) -> NDArray[Any]:
    """The same by a real FFT of the sequence's even or odd continuation, on a grid of half or quarter steps."""
    n = x.shape[axis]
    j = np.arange(n)
    even = family == "dct"
    ends = {1: 2 * (n - 1) if even else 2 * (n + 1), 2: 4 * n, 3: 4 * n, 4: 8 * n}
    whole, halves = (j if even else j + 1), 2 * j + 1
    places, wanted = {1: (whole, whole), 2: (halves, whole), 3: (whole, halves), 4: (halves, halves)}[number]
    length = ends[number]
    lines = np.moveaxis(x, axis, -1)
    if number == 3 and not even:
        lines = lines * np.where(j == n - 1, x.dtype.type(0.5), x.dtype.type(1))
    continued = np.zeros((*lines.shape[:-1], length), x.dtype)
    continued[..., -places % length] = lines if even else -lines
    continued[..., places] = lines
    spectrum = np.fft.rfft(continued)[..., wanted]
    return np.moveaxis(spectrum.real if even else -spectrum.imag, -1, axis)


def halfcomplex(x: NDArray[Any], kind: str, axis: int) -> NDArray[Any]:
    """FFTW's r2hc, hc2r (unscaled) and dht along one axis."""
    lines = np.moveaxis(x, axis, -1)
    n = lines.shape[-1]
    found: NDArray[Any]
    if kind == "hc2r":
        half = np.zeros((*lines.shape[:-1], n // 2 + 1), np.result_type(x.dtype, np.complex64))
        half.real = lines[..., : n // 2 + 1]
        half.imag[..., 1 : (n + 1) // 2] = lines[..., : n // 2 : -1]
        found = np.fft.irfft(half, n, norm="forward")
    elif kind == "r2hc":
        half = np.fft.rfft(lines)
        found = np.concatenate((half.real, half.imag[..., (n - 1) // 2 : 0 : -1]), axis=-1)
    else:
        whole = np.fft.fft(lines)
        found = whole.real - whole.imag
    return np.moveaxis(found, -1, axis)
