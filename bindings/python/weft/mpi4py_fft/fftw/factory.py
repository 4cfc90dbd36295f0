"""A planned transform from one array to another, and what FFTW has beside its plans."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..._errors import Error
from .. import serial
from ..pencil import axis_of
from .utilities import *

#: What each kind of real-to-real transform is for `serial`.
_REAL = {
    **{kind: partial(serial.real_to_real, family="dct", number=number) for number, kind in dct_type.items()},
    **{kind: partial(serial.real_to_real, family="dst", number=number) for number, kind in dst_type.items()},
    FFTW_R2HC: partial(serial.halfcomplex, kind="r2hc"),
    FFTW_HC2R: partial(serial.halfcomplex, kind="hc2r"),
    FFTW_DHT: partial(serial.halfcomplex, kind="dht"),
}


_ONE_POINT = "axis {} has 1 point; cosine transforms of type 1 (FFTW_REDFT00) need 2 or more"


def axes_of(axes: Any, dimensions: int) -> tuple[int, ...]:
    """The axes of a transform, counted from the front."""
    found = tuple(axis_of(axis, dimensions, "axes") for axis in (axes if hasattr(axes, "__iter__") else [axes]))
    if not found or len(set(found)) < len(found):
        raise Error(f"axes is {axes!r}; at least one axis, and none twice, is needed")
    return found


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
        self.axes = axes_of(axes, input_array.ndim)
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
            try:
                self._kinds = tuple(int(item) for item in (kind if np.ndim(kind) else [kind] * len(self.axes)))
            except (TypeError, ValueError):
                self._kinds = ()
            if len(self._kinds) != len(self.axes) or not set(self._kinds) <= set(_REAL):
                raise Error(f"kind is {kind!r}; {len(self.axes)} of FFTW's real-to-real kinds, 0 to 10, are needed")
        for number, axis in zip(self._kinds, self.axes):
            if number == FFTW_REDFT00 and input_array.shape[axis] == 1:
                raise Error(_ONE_POINT.format(axis))
        real = input_array if there else output_array
        wanted = list(real.shape)
        self._points = wanted[self.axes[-1]]
        if here != there:
            wanted[self.axes[-1]] = self._points // 2 + 1
        other = output_array if there else input_array
        if list(other.shape) != wanted:
            shapes = f"input_array has shape {input_array.shape}, output_array {output_array.shape}"
            raise Error(f"{shapes}; beside {real.shape} the shape {tuple(wanted)} is needed")

    def destroy(self) -> None:
        """Nothing: there is nothing to release."""

    def print_plan(self) -> None:
        """Print what is transformed, and by what."""
        kind = self._name or f"real to real, kinds {self._kinds}"
        print(f"{kind} over axes {self.axes} of {self.input_array.shape}, by {serial.library('fftw').__name__}")

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


def get_fftw_lib(dtype: DTypeLike) -> Any:
    """``mpi4py_fft.fftw`` for the types f, d, g, F, D, G as far as they are transformed without loss, None for others."""
    char = np.dtype(dtype).char.upper()
    return sys.modules[__package__] if char in fftlib else None


def _precisions() -> str:
    # NumPy before 2.0 computes in double precision.
    exact = [
        char
        for char in "FDG"
        if serial.fourier(np.ones(2, char), "fftn", (0,), 2, False).dtype.itemsize >= np.dtype(char).itemsize
    ]
    return "".join(exact)


#: The types that are transformed without loss, each with the module that does: ``mpi4py_fft.fftw``.
fftlib = dict.fromkeys(_precisions(), sys.modules[__package__])


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
