"""Weft's own transforms with mpi4py-fft's layouts, factors and calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core, _mpi
from .._arguments import MOST_AXES
from .._errors import Error
from .._fft import FFT
from .._side import hosted
from . import fftw
from .libfft import Arrays
from .pencil import Pencil, spanning


class Arrangement(NamedTuple):
    """How `weft.FFT` sees the axes of arrays: which of them it has, each with its line, and which are its batch.

    `named` are its axes in the order in which it has them, the first transformed last, so that the stages of both lie in the same layouts;
    each stands for an axis of the arrays, or for some that are neighbours and not transformed. `batch` are those before or behind.
    `shared` says which of `named` a transform's ranks share; of the others each group of ranks transforms what it has, by itself.
    """

    named: tuple[tuple[int, ...], ...]
    lines: tuple[str, ...]
    batch: tuple[int, ...]
    shared: tuple[bool, ...]

    @property
    def order(self) -> list[int]:
        """The places in `named`, as the axes lie in memory."""
        return sorted(range(len(self.named)), key=lambda place: self.named[place])


def _line_of(pair: Any) -> str:
    """The line along the axes of a group for which the caller gives transforms, if they are those of `fftw`; nothing if they are others."""
    kinds = []
    for one in pair:
        plan, keywords = (one.func, one.keywords) if isinstance(one, partial) and not one.args else (one, {})
        if plan not in (fftw.dctn, fftw.idctn, fftw.dstn, fftw.idstn) or set(keywords) - {"type"}:
            return ""
        kinds.append((plan, keywords.get("type", 2)))
    (there, number), (back, same) = kinds
    if (
        there not in (fftw.dctn, fftw.dstn)
        or fftw.inverse[there] is not back
        or number != same
        or number not in range(1, 5)
    ):
        return ""
    return f"{'dct' if there is fftw.dctn else 'dst'}{number}"


def _lines(
    groups: Sequence[tuple[int, ...]], dtype: np.dtype[Any], own: Mapping[tuple[int, ...], Any]
) -> dict[int, str] | str:
    """The line of each axis that is transformed; why there are none."""
    found: dict[int, str] = {}
    real = dtype.kind == "f"
    for group in groups[::-1]:
        line = _line_of(own[group]) if group in own else "dft"
        if not line:
            return "transforms are given"
        if line != "dft" and not real:
            return f"the transforms given for {group} are of real fields, and the field is complex there"
        found.update(dict.fromkeys(group, line))
        if line == "dft" and real:
            found[group[-1]], real = "r2c", False
    return found


def arrangement(
    groups: Sequence[tuple[int, ...]],
    pencils: Sequence[Pencil],
    dtype: np.dtype[Any],
    backend: str,
    transforms: Mapping[tuple[int, ...], Any] | None,
    modes: Sequence[int],
) -> Arrangement | str:
    """How Weft transforms this; if it cannot, why."""
    shape, comms = pencils[0].shape, pencils[0].subcomm
    if dtype.char not in "fdFD":
        return f"the type is {dtype}, and Weft has single and double precision"
    if backend == "scipy" and dtype.kind == "f":
        return "the backend scipy has no half spectra"
    lines = _lines(groups, dtype, transforms or {})
    if isinstance(lines, str):
        return lines
    axes = [axis for group in groups for axis in group]
    low, high, end = min(axes), max(axes) + 1, len(shape)
    # A batch lies before or behind. Of few axes all are taken as they are: they are faster than fields of a batch one by one.
    if len(axes) > 1 and (low == 0 or high == end):
        regions = [(low, high)]
    elif len(axes) == 1:
        regions = [(0, end), *([(low, end)] if high < end else [])]
    else:
        regions = [(low, end), (0, high)]
    # No group of ranks may have nothing.
    apart = all(shape[axis] >= comms[axis].Get_size() for axis in range(end) if axis not in lines)
    found = [
        _seen(region, axes, lines, pencils, modes, apart) for region in (*regions[: len(regions) * apart], (0, end))
    ]
    return next((one for one in found if isinstance(one, Arrangement)), found[0])


def _seen(
    region: tuple[int, int],
    axes: Sequence[int],
    lines: Mapping[int, str],
    pencils: Sequence[Pencil],
    modes: Sequence[int],
    apart: bool,
) -> Arrangement | str:
    """The axes from the first of `region` to before its end; why Weft does not transform these."""
    shape = pencils[0].shape
    whole = [all(pencil.subcomm[axis].Get_size() == 1 for pencil in pencils) for axis in range(len(shape))]
    runs = [[axis] for axis in range(*region)]
    place = 1
    while len(runs) > 3 and place < len(runs):
        # Neighbours that are not transformed can be one.
        if not {runs[place - 1][0], runs[place][0]} & set(lines) and (apart or whole[runs[place][0]]):
            runs[place - 1] += runs.pop(place)
        else:
            place += 1
    if len(runs) > MOST_AXES:
        return f"there are {len(runs)} axes, and Weft has {MOST_AXES}"
    # The first three in any order, those that are transformed last in front; half spectra are halved along the last one.
    turn = {axis: number for number, axis in enumerate(axes)}
    half = [axis for axis in axes if lines[axis] == "r2c"]
    first = sorted(runs[:3], key=lambda run: (run[0] in half, turn.get(run[0], -1)))
    named = [tuple(run) for run in (*first, *runs[3:])]
    if half and named[-1] != (half[0],):
        return f"axis {half[0]} is halved, and of more than three axes Weft halves the last one"
    shared = tuple(run[0] in lines or not apart for run in named)
    split = [run[0] for run, between in zip(named[3:], shared[3:]) if between and not whole[run[0]]]
    if split:
        return f"axis {split[0]} is split, and Weft splits the first three"
    padded = [axis for axis in axes if modes[axis] != shape[axis]]
    if len(named) > 3 and any((axis,) in named[2:] for axis in padded):
        return f"axis {padded[-1]} is padded, and Weft pads the first two of more than three"
    if any(lines[axis] not in ("dft", "r2c") for axis in padded):
        return "an axis of a cosine or sine transform is padded"
    batch = (*range(region[0]), *range(region[1], len(shape)))
    return Arrangement(tuple(named), tuple(lines.get(run[0], "none") for run in named), batch, shared)


def _box(pencil: Pencil, arranged: Arrangement) -> list[slice]:
    """This rank's part. Of axes that are one to Weft the first alone is split, if any is."""
    found = []
    for run, shared in zip(arranged.named, arranged.shared):
        if shared:
            behind = prod(pencil.shape[axis] for axis in run[1:])
            part = pencil.local_slice[run[0]]
            found.append(slice(part.start * behind, part.stop * behind))
        else:
            found.append(slice(0, prod(pencil.subshape[axis] for axis in run)))
    return found


def _factor(line: str, n: int) -> int:
    """What a line of n points and its inverse multiply by."""
    return {"none": 1, "dft": n, "r2c": n, "dct1": 2 * (n - 1), "dst1": 2 * (n + 1)}.get(line, 2 * n)


class Native:
    """A `weft.FFT` over some axes of arrays; the others are its batch.

    Axes of a batch may be split, too: then several groups of ranks transform at the same time. Of each axis of the whole array the
    spectrum keeps so many `modes`: fewer than there are points in space where the field is padded. `agreement` is that of all
    ranks.
    """

    def __init__(
        self,
        arranged: Arrangement,
        pencils: Sequence[Pencil],
        modes: Sequence[int],
        dtype: np.dtype[Any],
        options: Mapping[str, Any],
        agreement: _core.Agreement,
    ) -> None:
        named, lines, others, dealt = arranged
        space, spectrum = pencils
        boxes = [_box(pencil, arranged) for pencil in pencils]
        extents = [space.shape if shared else space.subshape for shared in dealt]
        shape = [prod(whole[axis] for axis in run) for run, whole in zip(named, extents)]
        kept = [
            modes[run[0]] if len(run) == 1 and shared else extent for run, shared, extent in zip(named, dealt, shape)
        ]
        order = arranged.order
        if len(named) == 1:  # one axis alone would be dealt
            shape, kept, lines, order = [1, *shape], [1, *kept], ("none", *lines), [0, 1]
            boxes = [[slice(0, 1), *box] for box in boxes]
        parts = [space.subcomm[run[0]].Get_size() if shared else 1 for run, shared in zip(named, dealt)]
        # Pencils where more than the first axis is split; slabs need no word.
        layout = {"decomposition": "pencil", "grid": (parts[0], parts[1])} if len(named) > 2 and parts[1] > 1 else {}
        with spanning([space.subcomm[axis] for run, shared in zip(named, dealt) if shared for axis in run]) as comm:
            # What a part of the ranks agrees on, the others do not learn.
            everyone = agreement if comm.Get_size() < agreement.size else None
            self._fft = FFT(
                shape,
                comm,
                lines,
                dtype=dtype,
                batch=prod(space.subshape[axis] for axis in others),
                interleaved=bool(others) and others[-1] > named[0][0],
                normalization="forward",
                input_order=order,
                output_order=order,
                modes=kept,
                input_box=boxes[0],
                output_box=boxes[1],
                **{**layout, **options},
            )
        arrays = Arrays((space.subshape, spectrum.subshape), (self._fft.input_dtype, self._fft.output_dtype))
        points = float(prod(_factor(line, n) for line, n in zip(lines, shape)))
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
