"""mpi4py-fft's planners of serial transforms, ``mpi4py_fft.fftw``, on the libraries of `serial`.

A planner returns an object that transforms from its `input_array` to its `output_array`, or between the arrays of a call.
FFTW itself is not called: flags, threads, wisdom and time limits are taken, and change nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._errors import Error
from . import serial

FFTW_FORWARD, FFTW_BACKWARD = -1, 1
FFTW_R2HC, FFTW_HC2R, FFTW_DHT = 0, 1, 2
FFTW_REDFT00, FFTW_REDFT01, FFTW_REDFT10, FFTW_REDFT11 = 3, 4, 5, 6
FFTW_RODFT00, FFTW_RODFT01, FFTW_RODFT10, FFTW_RODFT11 = 7, 8, 9, 10
C2C_FORWARD, C2C_BACKWARD, R2C, C2R = -1, 1, -2, 2

FFTW_MEASURE, FFTW_DESTROY_INPUT, FFTW_UNALIGNED, FFTW_CONSERVE_MEMORY, FFTW_EXHAUSTIVE = 0, 1, 2, 4, 8
FFTW_PRESERVE_INPUT, FFTW_PATIENT, FFTW_ESTIMATE, FFTW_WISDOM_ONLY = 16, 32, 64, 2097152

flag_dict = {name: value for name, value in globals().items() if name.startswith("FFTW_")}

dct_type = {1: FFTW_REDFT00, 2: FFTW_REDFT10, 3: FFTW_REDFT01, 4: FFTW_REDFT11}
idct_type = {1: FFTW_REDFT00, 2: FFTW_REDFT01, 3: FFTW_REDFT10, 4: FFTW_REDFT11}
dst_type = {1: FFTW_RODFT00, 2: FFTW_RODFT10, 3: FFTW_RODFT01, 4: FFTW_RODFT11}
idst_type = {1: FFTW_RODFT00, 2: FFTW_RODFT01, 3: FFTW_RODFT10, 4: FFTW_RODFT11}

#: What each kind of real-to-real transform is for `serial`.
_REAL = {
    **{kind: partial(serial.real_to_real, family="dct", number=number) for number, kind in dct_type.items()},
    **{kind: partial(serial.real_to_real, family="dst", number=number) for number, kind in dst_type.items()},
    FFTW_R2HC: partial(serial.halfcomplex, kind="r2hc"),
    FFTW_HC2R: partial(serial.halfcomplex, kind="hc2r"),
    FFTW_DHT: partial(serial.halfcomplex, kind="dht"),
}


def get_alignment(array: NDArray[Any]) -> int:
    """The largest power of two up to 32 that divides the address of the array."""
    address: int = array.ctypes.data
    return min(address & -address, 32) if address else 32


def aligned(
    shape: int | Sequence[int], n: int = 32, dtype: DTypeLike = np.float64, fill: float | None = None
) -> NDArray[Any]:
    """A new array at an address that `n` divides, filled with `fill` if that is given."""
    dtype = np.dtype(dtype)
    shape = (int(shape),) if np.ndim(shape) == 0 else tuple(int(extent) for extent in shape)  # type: ignore[arg-type, union-attr]
    nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = np.empty(nbytes + n, np.uint8)
    array: NDArray[Any] = np.ndarray(shape, dtype, memory.data, offset=-memory.ctypes.data % n)
    if fill is not None:
        array.fill(fill)
    return array


def aligned_like(z: NDArray[Any], fill: float | None = None) -> NDArray[Any]:
    """A new array with the shape, the type and the alignment of another."""
    return aligned(z.shape, get_alignment(z), z.dtype, fill)


class FFT:
    """A planned serial transform.

    Parameters
    ----------
    input_array, output_array : arrays
        Real or complex, which decides between complex, real-to-complex, complex-to-real and real-to-real transforms.
    axes : sequence of integers
        The last one is halved where real numbers become complex ones.
    kind : integer or sequence of integers
        FFTW_FORWARD or FFTW_BACKWARD for complex arrays; one of FFTW's real-to-real kinds, or one an axis, for real ones.
    threads, flags
        Not used.
    normalization : float
        What results are multiplied by where a call says ``normalize=True``.
    """

    def __init__(
        self,
        input_array: NDArray[Any],
        output_array: NDArray[Any],
        axes: Sequence[int] = (-1,),
        kind: Any = FFTW_FORWARD,
        threads: int = 1,
        flags: Any = FFTW_MEASURE,
        normalization: float = 1.0,
    ) -> None:
        self.axes = tuple(int(axis) % input_array.ndim for axis in axes)
        self.kind = kind
        self.input_array, self.output_array = input_array, output_array
        self._normalization = normalization
        here, there = np.iscomplexobj(input_array), np.iscomplexobj(output_array)
        self._kinds: tuple[int, ...] = ()
        if here and there:
            if kind not in (FFTW_FORWARD, FFTW_BACKWARD):
                raise Error(f"kind is {kind!r}; complex arrays need FFTW_FORWARD (-1) or FFTW_BACKWARD (1)")
            self._name = "fftn" if kind == FFTW_FORWARD else "ifftn"
        elif here or there:
            self._name = "irfftn" if here else "rfftn"
        else:
            self._name = ""
            self._kinds = tuple([int(kind)] * len(self.axes) if np.ndim(kind) == 0 else (int(item) for item in kind))
            if len(self._kinds) != len(self.axes) or not set(self._kinds) <= set(_REAL):
                raise Error(f"kind is {kind!r}; {len(self.axes)} of FFTW's real-to-real kinds, 0 to 10, are needed")
        real = input_array if there else output_array
        wanted = list(real.shape)
        self._points = wanted[self.axes[-1]]
        if here != there:
            wanted[self.axes[-1]] = self._points // 2 + 1
        other = output_array if there else input_array
        if list(other.shape) != wanted:
            shapes = f"input_array has shape {input_array.shape}, output_array {output_array.shape}"
            raise Error(f"{shapes}; beside {real.shape} the shape {tuple(wanted)} is needed")

    def get_normalization(self) -> float:
        """What results are multiplied by where a call says ``normalize=True``."""
        return self._normalization

    def update_arrays(self, input_array: NDArray[Any], output_array: NDArray[Any]) -> None:
        """Use other arrays of the same shapes and types from now on."""
        for name, old, new in (
            ("input_array", self.input_array, input_array),
            ("output_array", self.output_array, output_array),
        ):
            if (old.shape, old.dtype) != (new.shape, new.dtype):
                raise Error(
                    f"{name} has shape {new.shape} and dtype {new.dtype}; {old.shape} and {old.dtype} are needed"
                )
        self.input_array, self.output_array = input_array, output_array

    def __call__(
        self,
        input_array: NDArray[Any] | None = None,
        output_array: NDArray[Any] | None = None,
        implicit: bool = True,
        normalize: bool = False,
        **options: Any,
    ) -> NDArray[Any]:
        """Transform, and return the array that was written: `output_array`, or the one planned with.

        With ``implicit=False`` a given input is first copied to the array planned with. Inputs are never changed.
        """
        if input_array is None or not implicit or input_array.shape != self.input_array.shape:
            if input_array is not None:
                self.input_array[...] = input_array
            input_array = self.input_array
        result = self.output_array if output_array is None else output_array
        if self._name:
            result[...] = serial.fourier(input_array, self._name, self.axes, self._points, False)
        else:
            found = input_array
            for kind, axis in zip(self._kinds, self.axes):
                found = _REAL[kind](found, axis=axis)
            result[...] = found
        if normalize:
            result *= self._normalization
        return result


def get_planned_FFT(  # noqa: N802
    input_array: NDArray[Any],
    output_array: NDArray[Any],
    axes: Sequence[int] = (-1,),
    kind: Any = FFTW_FORWARD,
    threads: int = 1,
    flags: Any = (FFTW_MEASURE,),
    normalization: float = 1.0,
) -> FFT:
    """A planned transform: see `FFT`."""
    return FFT(input_array, output_array, axes, kind, threads, flags, normalization)


def get_normalization(kind: Any, shape: Sequence[int], axes: Sequence[int]) -> float:
    """What a transform over `axes` and its inverse together must be multiplied by; `shape` is that of the real field."""
    kinds = [kind] * len(axes) if np.ndim(kind) == 0 else list(kind)
    if len(kinds) != len(axes):
        raise Error(f"kind is {kind!r}; one kind, or one for each of the {len(axes)} axes, is needed")
    product = 1
    for number, axis in zip(kinds, axes):
        n = int(shape[axis])
        if number == FFTW_REDFT00:
            n = 2 * (n - 1)
        elif number == FFTW_RODFT00:
            n = 2 * (n + 1)
        elif number > FFTW_DHT:
            n = 2 * n
        product *= n
    return 1.0 / product


def _check(input_array: NDArray[Any], types: str, planner: str) -> None:
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
        shape[axes[-1]] = shape[axes[-1]] // 2 + 1
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
        shape[axes[-1]] = 2 * (shape[axes[-1]] - 1) if s is None else int(s[-1])
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


def get_fftw_lib(dtype: DTypeLike) -> Any:
    """This module for the types f, d, g, F, D, G as far as they are transformed without loss, None for others."""
    char = np.dtype(dtype).char.upper()
    return sys.modules[__name__] if char in fftlib else None


def _precisions() -> str:
    # NumPy before 2.0 computes in double precision.
    exact = [
        char
        for char in "FDG"
        if serial.fourier(np.ones(2, char), "fftn", (0,), 2, False).dtype.itemsize >= np.dtype(char).itemsize
    ]
    return "".join(exact)


#: The types that are transformed without loss, each with the module that does: this one.
fftlib = dict.fromkeys(_precisions(), sys.modules[__name__])


def export_wisdom(filename: str) -> None:
    """Nothing: there is no wisdom to keep."""


def import_wisdom(filename: str) -> None:
    """Nothing: there is no wisdom to use."""


def forget_wisdom() -> None:
    """Nothing: there is no wisdom to forget."""


def set_timelimit(limit: float) -> None:
    """Nothing: planning takes no time."""


def cleanup() -> None:
    """Nothing: there is nothing to release."""
