"""Weft's own transforms with mpi4py-fft's layouts, factors and calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core, _mpi
from .._arguments import MOST_AXES
from .._errors import Error
from .._fft import FFT
from .._side import hosted
from .libfft import Arrays
from .pencil import Pencil, spanning


def obstacle(
    groups: Sequence[tuple[int, ...]],
    pencils: Sequence[Pencil],
    dtype: np.dtype[Any],
    backend: str,
    transforms: Mapping[tuple[int, ...], Any] | None,
    modes: Sequence[int],
) -> str:
    """Why Weft's transforms will not do; empty if they will."""
    shape, comms = pencils[0].shape, pencils[0].subcomm
    if dtype.char not in "fdFD":
        return f"the type is {dtype}, and Weft has single and double precision"
    if any(group in (transforms or {}) for group in groups):
        return "transforms are given"
    if backend == "scipy" and dtype.kind == "f":
        return "the backend scipy has no half spectra"
    axes = [axis for group in groups for axis in group]
    if len(axes) not in range(2, MOST_AXES + 1):
        return f"the number of transformed axes is {len(axes)}, and Weft transforms two to {MOST_AXES}"
    low, high = min(axes), max(axes)
    if high - low >= len(axes) or (low > 0 and high < len(shape) - 1):
        return f"the axes {sorted(axes)} are not the first or the last ones"
    if any(shape[axis] < comms[axis].Get_size() for axis in range(len(shape)) if axis not in axes):
        return "there are fewer points than ranks along an axis that is not transformed"
    if len(axes) > 3 and axes[3:] != sorted(axes)[3:]:
        return f"the axes {axes} are in another order, and Weft splits the first three, of more than three"
    if any(pencil.subcomm[axis].Get_size() > 1 for axis in axes[3:] for pencil in pencils):
        return f"one of the axes {axes[3:]} is split, and Weft splits the first three"
    if len(axes) > 3 and any(modes[axis] != shape[axis] for axis in axes[2:]):
        return f"one of the axes {axes[2:]} is padded, and Weft pads the first two of more than three"
    return ""


def _box(pencil: Pencil, axes: Sequence[int]) -> Any:
    return [pencil.local_slice[axis] for axis in axes]


class Native:
    """A `weft.FFT` over some axes of arrays; the others are its batch.

    Weft's axes are those of `groups`, the first transformed last: so the stages of both lie in the same layouts. Axes that are not
    transformed may be split, too: then several groups of ranks transform at the same time. Of each axis of the whole array the
    spectrum keeps so many `modes`: fewer than there are points in space where the field is padded. `agreement` is that of all
    ranks.
    """

    def __init__(
        self,
        groups: Sequence[tuple[int, ...]],
        pencils: Sequence[Pencil],
        modes: Sequence[int],
        dtype: np.dtype[Any],
        options: Mapping[str, Any],
        agreement: _core.Agreement,
    ) -> None:
        axes = [axis for group in groups for axis in group]
        space, spectrum = pencils
        order = sorted(range(len(axes)), key=lambda place: axes[place])
        others = [axis for axis in range(len(space.shape)) if axis not in axes]
        parts = [space.subcomm[axis].Get_size() for axis in axes]
        # Pencils where more than the first axis is split; slabs need no word.
        layout = {"decomposition": "pencil", "grid": (parts[0], parts[1])} if len(axes) > 2 and parts[1] > 1 else {}
        with spanning([space.subcomm[axis] for axis in axes]) as comm:
            # What a part of the ranks agrees on, the others do not learn.
            everyone = agreement if comm.Get_size() < agreement.size else None
            self._fft = FFT(
                [space.shape[axis] for axis in axes],
                comm,
                "r2c" if dtype.kind == "f" else "c2c",
                dtype=dtype,
                batch=prod(space.subshape[axis] for axis in others),
                interleaved=bool(others) and others[-1] > axes[0],
                normalization="forward",
                input_order=order,
                output_order=order,
                modes=[modes[axis] for axis in axes],
                input_box=_box(space, axes),
                output_box=_box(spectrum, axes),
                **{**layout, **options},
            )
        arrays = Arrays((space.subshape, spectrum.subshape), (self._fft.input_dtype, self._fft.output_dtype))
        points = float(prod(space.shape[axis] for axis in axes))
        self.forward = Direction(self._fft, arrays, pencils, points, True, everyone)
        self.backward = Direction(self._fft, arrays, pencils, points, False, everyone)

    def explain(self) -> str:
        """What Weft does, in words."""
        return self._fft.explain()

    def close(self) -> None:
        """Release memory and communicators. Collective."""
        self._fft.close()


class Direction:
    """One direction, called as `mpifft.Transform` is.

    Arrays of the right shape, type and order that a call names are read and written where they are; `input_array` and
    `output_array` are made, and used, where it does not.
    """

    def __init__(
        self,
        fft: FFT,
        arrays: Arrays,
        pencils: Sequence[Pencil],
        points: float,
        forward: bool,
        everyone: _core.Agreement | None,
    ) -> None:
        self._fft, self._arrays, self._points, self._forward = fft, arrays, points, forward
        self._everyone = everyone
        self.input_pencil, self.output_pencil = pencils if forward else pencils[::-1]
        self.dtypes = arrays.dtypes if forward else arrays.dtypes[::-1]

    @property
    def input_array(self) -> NDArray[Any]:
        """What is transformed where a call names no input. The output array of the other direction."""
        return self._arrays.space if self._forward else self._arrays.spectrum

    @property
    def output_array(self) -> NDArray[Any]:
        """Where results are where a call names no output. The input array of the other direction."""
        return self._arrays.spectrum if self._forward else self._arrays.space

    def __call__(
        self,
        input_array: NDArray[Any] | None = None,
        output_array: NDArray[Any] | None = None,
        normalize: bool | None = None,
        **options: Any,
    ) -> NDArray[Any]:
        """Transform. Collective; see `mpifft.Transform`. Options of serial transforms change nothing.

        Raises
        ------
        weft.Error
            On every rank alike, if an array does not fit.
        """
        given: Any = output_array
        output_array = _hosted(output_array, "output_array")
        input_array = _hosted(input_array, "input_array")
        result = self._fitting(output_array, 1)
        out = self.output_array if result is None else result
        x = self.input_array if input_array is None else self._fitting(input_array, 0)
        if x is None or np.may_share_memory(x, out):
            x = self._copied(input_array if x is None else x)
            if np.may_share_memory(x, out):  # an output that lies in the plan's own input
                x = x.copy()
        run: Any = self._fft.forward if self._forward else self._fft.backward
        shapes = (self._fft.input_shape, self._fft.output_shape)[:: 1 if self._forward else -1]
        # What does not fit is handed on as it is: Weft then raises the same error on all ranks.
        y = output_array if output_array is not None and result is None and not _takes(output_array, out) else out
        if self._everyone is not None:
            _mpi.agreed(self._everyone, lambda: self._check(x, y))
        run(_in_shape(x, shapes[0]), _in_shape(y, shapes[1]))
        scaled = self._forward if normalize is None else bool(normalize)
        if scaled != self._forward:
            out *= 1 / self._points if scaled else self._points
        if output_array is None:
            return out
        if result is None:
            output_array[...] = out
        return given  # type: ignore[no-any-return]

    def _check(self, x: Any, y: Any) -> None:
        for name, array, pencil, dtype in zip(
            ("input_array", "output_array"), (x, y), (self.input_pencil, self.output_pencil), self.dtypes
        ):
            if not isinstance(array, np.ndarray) or array.shape != pencil.subshape or array.dtype != dtype:
                found = f"shape {np.shape(array)} and type {getattr(array, 'dtype', type(array).__name__)}"
                raise Error(f"{name} has {found}; the shape {pencil.subshape} and {dtype} are needed")
        if not y.flags.writeable:
            raise Error("output_array is read-only; it is written")

    def _fitting(self, array: Any, end: int) -> NDArray[Any] | None:
        """The array as Weft takes it; None if it cannot."""
        shape = (self.output_pencil if end else self.input_pencil).subshape
        if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != self.dtypes[end]:
            return None
        if not array.flags.c_contiguous or (end and not array.flags.writeable):
            return None
        return array.view(np.ndarray)

    def _copied(self, array: Any) -> Any:
        try:
            self.input_array[...] = array
        except (TypeError, ValueError):
            return array
        return self.input_array


def _hosted(array: Any, argument: str) -> Any:
    """What cannot be taken over is handed on as it is: Weft then raises the same error on all ranks."""
    try:
        return hosted(array, argument)
    except Error:
        return array


def _takes(array: Any, values: NDArray[Any]) -> bool:
    """Whether what was computed can be written to an array of another type or order."""
    if not isinstance(array, np.ndarray):
        return False
    return array.shape == values.shape and array.flags.writeable and np.can_cast(values.dtype, array.dtype, "unsafe")


def _in_shape(array: Any, shape: tuple[int, ...]) -> Any:
    return array.reshape(shape) if isinstance(array, np.ndarray) and array.size == prod(shape) else array
