"""The planners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._errors import Error
from .factory import _ONE_POINT, FFT, axes_of
from .utilities import *


def get_normalization(kind: Any, shape: Sequence[int], axes: Sequence[int]) -> float:
    """What a transform over `axes` and its inverse together must be multiplied by; `shape` is that of the real field."""
    axes = axes_of(axes, len(shape))
    kinds = [kind] * len(axes) if np.ndim(kind) == 0 else list(kind)
    if len(kinds) != len(axes):
        raise Error(f"kind is {kind!r}; one kind, or one for each of the {len(axes)} axes, is needed")
    product = 1
    for number, axis in zip(kinds, axes):
        n = int(shape[axis])
        if number == FFTW_REDFT00:
            if n == 1:
                raise Error(_ONE_POINT.format(axis))
            n = 2 * (n - 1)
        elif number == FFTW_RODFT00:
            n = 2 * (n + 1)
        elif number > FFTW_DHT:
            n = 2 * n
        product *= n
    return 1.0 / product


def _check(input_array: NDArray[Any], types: str, planner: str) -> None:
    if not isinstance(input_array, np.ndarray):
        raise Error(f"input_array is a {type(input_array).__name__}; {planner} needs a NumPy array")
    if input_array.dtype.char not in types:
        raise Error(f"input_array has dtype {input_array.dtype}; {planner} needs one of the types {', '.join(types)}")


def _complex(input_array: NDArray[Any], kind: int, axes: Sequence[int], output_array: NDArray[Any] | None) -> FFT:
    _check(input_array, "FDG", "fftn" if kind == FFTW_FORWARD else "ifftn")
    result = aligned_like(input_array) if output_array is None else output_array
    return FFT(input_array, result, axes, kind, normalization=get_normalization(kind, input_array.shape, axes))


def fftn(
    input_array: NDArray[Any],
    s: Any = None,
    axes: Sequence[int] = (-1,),
    threads: int = 1,
    flags: Any = (FFTW_MEASURE,),
    output_array: NDArray[Any] | None = None,
) -> FFT:
    """Plan a complex transform with the exponent -1."""
    return _complex(input_array, FFTW_FORWARD, axes, output_array)


def ifftn(
    input_array: NDArray[Any],
    s: Any = None,
    axes: Sequence[int] = (-1,),
    threads: int = 1,
    flags: Any = (FFTW_MEASURE,),
    output_array: NDArray[Any] | None = None,
) -> FFT:
    """Plan a complex transform with the exponent +1."""
    return _complex(input_array, FFTW_BACKWARD, axes, output_array)


def rfftn(
    input_array: NDArray[Any],
    s: Any = None,
    axes: Sequence[int] = (-1,),
    threads: int = 1,
    flags: Any = (FFTW_MEASURE,),
    output_array: NDArray[Any] | None = None,
) -> FFT:
    """Plan a transform from a real field to its half spectrum, of which the last of `axes` has ``n // 2 + 1`` points."""
    _check(input_array, "fdg", "rfftn")
    if output_array is None:
        shape = list(input_array.shape)
        last = axes_of(axes, len(shape))[-1]
        shape[last] = shape[last] // 2 + 1
        output_array = aligned(shape, get_alignment(input_array), input_array.dtype.char.upper())
    return FFT(input_array, output_array, axes, R2C, normalization=get_normalization(R2C, input_array.shape, axes))


def irfftn(
    input_array: NDArray[Any],
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-1,),
    threads: int = 1,
    flags: Any = (FFTW_MEASURE,),
    output_array: NDArray[Any] | None = None,
) -> FFT:
    """Plan a transform from a half spectrum to the real field.

    `s` has the lengths of `axes` in space; without it and without `output_array` that of the last one is even.
    """
    _check(input_array, "FDG", "irfftn")
    if output_array is None:
        shape = list(input_array.shape)
        last = axes_of(axes, len(shape))[-1]
        shape[last] = 2 * (shape[last] - 1) if s is None else int(s[-1])
        output_array = aligned(shape, get_alignment(input_array), input_array.dtype.char.lower())
    return FFT(input_array, output_array, axes, C2R, normalization=get_normalization(C2R, output_array.shape, axes))


#: As mpi4py-fft has them: transforms between half spectra and real fields like irfftn and rfftn, the exponents included.
hfftn, ihfftn = irfftn, rfftn


def _real(types: dict[int, int], planner: str) -> Any:
    def plan(
        input_array: NDArray[Any],
        s: Any = None,
        axes: Sequence[int] = (-1,),
        type: int = 2,
        threads: int = 1,
        flags: Any = (FFTW_MEASURE,),
        output_array: NDArray[Any] | None = None,
    ) -> FFT:
        _check(input_array, "fdg", planner)
        if type not in types:
            raise Error(f"type is {type!r}; 1, 2, 3 or 4 is needed")
        result = aligned_like(input_array) if output_array is None else output_array
        axes = axes_of(axes, input_array.ndim)
        kinds = [types[type]] * len(axes)
        factor = get_normalization(kinds, input_array.shape, axes)
        return FFT(input_array, result, axes, kinds, normalization=factor)

    plan.__name__ = plan.__qualname__ = planner
    plan.__doc__ = (
        f"Plan FFTW's unscaled {'cosine' if 'c' in planner else 'sine'} transform"
        f"{', the inverse' if planner.startswith('i') else ''} of `type` 1 to 4, over `axes` of a real array."
    )
    return plan


dctn, idctn = _real(dct_type, "dctn"), _real(idct_type, "idctn")
dstn, idstn = _real(dst_type, "dstn"), _real(idst_type, "idstn")

#: The inverse of each real-to-real kind and of each planner.
inverse: dict[Any, Any] = {
    FFTW_REDFT00: FFTW_REDFT00,
    FFTW_REDFT01: FFTW_REDFT10,
    FFTW_REDFT10: FFTW_REDFT01,
    FFTW_REDFT11: FFTW_REDFT11,
    FFTW_RODFT00: FFTW_RODFT00,
    FFTW_RODFT01: FFTW_RODFT10,
    FFTW_RODFT10: FFTW_RODFT01,
    FFTW_RODFT11: FFTW_RODFT11,
    fftn: ifftn,
    ifftn: fftn,
    rfftn: irfftn,
    irfftn: rfftn,
    dctn: idctn,
    idctn: dctn,
    dstn: idstn,
    idstn: dstn,
}
