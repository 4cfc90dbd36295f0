"""Ghost layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _arguments, _core, _mpi
from ._arguments import BoxLike
from ._collective import Collective
from ._errors import Error
from ._parts import Parts, dense_side
from ._redistribution import Moved, form
from ._side import Side, two_arrays

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

#: Of an axis: as many below as above, or each by itself.
Width = Union[int, Sequence[int]]


class GhostExchange(Collective[_core.GhostExchange]):
    """Moves a field between any layout and parts that overlap: with ghosts, which are copies of what other ranks hold.

    Particles in cells and finite differences need them beside every FFT. Creation, calls and `close` are collective over the
    communicator. Arguments other than boxes and arrays must be the same on all ranks.

    Parameters
    ----------
    shape : two to eight integers
        Shape of the global grid. Axes after the third are whole on every rank, without ghosts.
    source : weft.Layout, or this rank's box
        What each rank holds of the field: ``fft.input_slice`` of a transform, for example. A box is a pair of corners
        ``(lo, hi)`` or as many slices as `shape` has axes; if one rank gives a box all must.
    target : weft.Layout, or this rank's box, optional
        The parts that get ghosts around them; `source` if not given. In a layout of patches ranks have several: then arrays
        are rows of all their points, in which `target_parts` shows each.
    width : integer, or an integer or a pair ``(below, above)`` for each axis
        Ghosts below and above a part along the first three axes, at most as many as an axis has points.
    dtype : dtype
        float32, float64, complex64 or complex128.
    comm : mpi4py.MPI.Intracomm, optional
        MPI.COMM_WORLD by default. It is duplicated.
    periodic : bool, or one for each axis
        Whether the grid begins again where it ends. Where it does not, nothing is beyond it, and numbers there are neither
        written nor read.
    batch : int
        Fields moved by one call; with more than one, arrays have a leading axis of that length.
    check : bool
        Whether the ranks agree on the arguments of each call.

    Raises
    ------
    weft.Error
        On every rank alike, naming the bad argument, its value and what is allowed.

    Examples
    --------
    >>> ghosts = weft.GhostExchange(shape, fft.input_slice, bricks, width=2)
    >>> part = ghosts.scatter(fft.backward(y))             # with two points of the neighbours on each side
    >>> density = ghosts.accumulate(deposited)             # sums of what parts and ghosts have gathered
    """

    def __init__(
        self,
        shape: Sequence[int],
        source: _core.Layout | BoxLike,
        target: _core.Layout | BoxLike | None = None,
        width: Width | Sequence[Width] = 1,
        dtype: DTypeLike = np.float64,
        comm: Intracomm | None = None,
        *,
        periodic: bool | Sequence[bool] = True,
        batch: int = 1,
        check: bool = True,
    ) -> None:
        agreement = _mpi.agreement(comm)
        ends = {"source": source} if target is None else {"source": source, "target": target}

        def checked() -> tuple[Any, ...]:
            grid, axes = _arguments.extents(shape, "shape")
            if axes == 1:
                raise Error(f"shape is {shape!r}; two to {_arguments.MOST_AXES} integers are needed")
            for argument, value in ends.items():
                _arguments.layout_or_box(value, argument, grid[:3], agreement.size, axes)
            divided = min(axes, 3)
            below, above = _widths(width, divided)
            along = [_arguments.flag(one, "periodic") for one in _each(periodic, "periodic", divided)]
            fields, agree = _arguments.integer(batch, "batch", 1), _arguments.flag(check, "check")
            return grid, axes, below, above, _three(along, True), _number_type(dtype), fields, agree

        grid, axes, below, above, along, number, fields, agree = _mpi.agreed(agreement, checked)
        forms = {"target": "not given", **{name: form(value) for name, value in ends.items()}}
        _mpi.require_same(agreement, "weft.GhostExchange", shape=grid, axes=axes, dtype=number, **forms)
        layouts = {
            name: value if isinstance(value, _core.Layout) else _mpi.layout(agreement, grid, value, None, name, axes)
            for name, value in ends.items()
        }
        of_source = layouts["source"]
        of_target = layouts.get("target", of_source)
        reals = int(np.prod(grid[3:], dtype=np.int64)) * (2 if number.kind == "c" else 1)
        precision = "single" if number.char in "fF" else "double"
        exchange = _core.GhostExchange(
            agreement,
            of_source,  # type: ignore[arg-type]  # there is one
            of_target,  # type: ignore[arg-type]
            below,
            above,
            along,
            precision,
            fields,
            reals,
            agree,
        )
        self._held = exchange, agreement
        kept = (0, 2) if axes == 2 else tuple(range(axes))
        self._source_parts = Parts(of_source, exchange.field_boxes, agreement.rank, grid, kept)  # type: ignore[arg-type]
        self._target_parts = Parts(of_target, exchange.part_boxes, agreement.rank, grid, kept)  # type: ignore[arg-type]
        self._source = dense_side(self._source_parts, number, fields, grid, kept)
        self._target = dense_side(self._target_parts, number, fields, grid, kept)
        self._moved: Moved | None = None

    def scatter(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Fill this rank's part and its ghosts. Collective.

        Parameters
        ----------
        x : array of `source_shape` and `dtype`, C-contiguous
            This rank's part of the field; left unchanged.
        out : array of `target_shape` and `dtype`, C-contiguous, optional
            Where to write, apart from `x`; allocated if not given, with zeros where the grid ends.

        Returns
        -------
        array
            `out`. What was moved is in `moved`.
        """
        return self._run("scatter", x, "x", out, self._source, self._target)

    def gather(self, part: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Make the field of the parts without their ghosts, which are not read: `scatter` the other way round. Collective.

        Parameters
        ----------
        part : array of `target_shape` and `dtype`, C-contiguous
            This rank's part with its ghosts; left unchanged.
        out : array of `source_shape` and `dtype`, C-contiguous, optional
            Where to write, apart from `part`; allocated if not given.

        Returns
        -------
        array
            `out`.
        """
        return self._run("gather", part, "part", out, self._target, self._source)

    def accumulate(self, part: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Make each point of the field the sum of all that stand for it, in parts and in ghosts: the adjoint of `scatter`.
        Collective; the same bits every time. Arguments and result are those of `gather`."""
        return self._run("accumulate", part, "part", out, self._target, self._source)

    def update(self, part: NDArray[Any]) -> NDArray[Any]:
        """Fill the ghosts around this rank's part from the parts that they are copies of, in place. Collective.

        Parameters
        ----------
        part : array of `target_shape` and `dtype`, C-contiguous

        Returns
        -------
        array
            `part`.
        """
        return self._run_in_place("update", part)

    def fold(self, part: NDArray[Any]) -> NDArray[Any]:
        """Add the ghosts to the points that they are copies of, in place; they stay as they are. Collective. Argument and
        result are those of `update`."""
        return self._run_in_place("fold", part)

    def _run(self, name: str, x: Any, argument: str, out: Any, source: Side, target: Side) -> NDArray[Any]:
        exchange, agreement = self._alive()

        def prepare() -> tuple[NDArray[Any], NDArray[Any]]:
            return two_arrays(source, target, x, out, argument, lambda: np.zeros(target.shape, target.dtype))

        given, written = _mpi.agreed(agreement, prepare, exchange.raise_any)
        self._moved = Moved(*getattr(exchange, name)(given, written))
        return written if out is None else out  # type: ignore[no-any-return]

    def _run_in_place(self, name: str, part: Any) -> NDArray[Any]:
        exchange, agreement = self._alive()
        given = _mpi.agreed(agreement, lambda: self._target.check(part, "part", written=True), exchange.raise_any)
        self._moved = Moved(*getattr(exchange, name)(given))
        return part  # type: ignore[no-any-return]

    @property
    def moved(self) -> Moved | None:
        """What the last call moved; None before the first."""
        return self._moved

    @property
    def source_shape(self) -> tuple[int, ...]:
        """Shape of this rank's part of the field, with a leading axis for a batch of more than one."""
        return self._source.shape

    @property
    def target_shape(self) -> tuple[int, ...]:
        """Shape of this rank's part with its ghosts, with a leading axis for a batch of more than one."""
        return self._target.shape

    @property
    def source_slice(self) -> tuple[slice, ...]:
        """Slices that cut this rank's part of the field out of the global grid."""
        return _only(self._source_parts).slices[0]

    @property
    def source_boxes(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Corners ``(lo, hi)`` of this rank's boxes of the field, in the order of its array."""
        return self._source_parts.boxes

    @property
    def target_box(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Corners ``(lo, hi)`` of this rank's part with its ghosts, by global index: below 0 and above the grid's shape where
        they are images of points of the other side."""
        return _only(self._target_parts).boxes[0]

    @property
    def target_boxes(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The same of all parts that this rank has, in the order of its array: one, unless `target` is a layout of patches."""
        return self._target_parts.boxes

    @property
    def inner(self) -> tuple[slice, ...]:
        """Slices that cut this rank's part without its ghosts out of an array of `target_shape`: ``x[(..., *inner)]``."""
        return _only(self._target_parts).inner[0]

    @property
    def inners(self) -> list[tuple[slice, ...]]:
        """The same of all parts, for what `target_parts` gives."""
        return self._target_parts.inner

    def source_parts(self, x: NDArray[Any]) -> list[NDArray[Any]]:
        """The boxes in an array of `source_shape`, each in its own shape, in the same memory."""
        return self._source_parts.views(x, self._source)

    def target_parts(self, part: NDArray[Any]) -> list[NDArray[Any]]:
        """The parts in an array of `target_shape`, each in its own shape with its ghosts, in the same memory."""
        return self._target_parts.views(part, self._target)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""
        return self._source.dtype

    def __repr__(self) -> str:
        if self._held is None:
            return "<weft.GhostExchange, closed>"
        agreement = self._held[1]
        size = " x ".join(map(str, self._source.grid))
        return f"<weft.GhostExchange {size}, {self.dtype}, rank {agreement.rank} of {agreement.size}>"


def _each(value: Any, argument: str, axes: int) -> list[Any]:
    """One for each of the axes that are divided."""
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return [value] * axes
    found = _arguments.items(value, argument)
    if len(found) != axes:
        raise Error(f"{argument} is {value!r}; one is needed, or one for each of {axes} axes")
    return found


def _three(values: list[Any], middle: Any) -> tuple[Any, Any, Any]:
    """Those of a plane have nothing along the axis in the middle."""
    first, *others, last = values
    return first, others[0] if others else middle, last


def _widths(width: Any, axes: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    pairs = []
    for axis, one in enumerate(_each(width, "width", axes)):
        pair = [one, one] if isinstance(one, (int, np.integer)) else _arguments.items(one, f"width[{axis}]")
        if len(pair) != 2:
            raise Error(f"width[{axis}] is {one!r}; an integer or a pair (below, above) is needed")
        pairs.append([_arguments.integer(number, f"width[{axis}]", 0) for number in pair])
    return _three([pair[0] for pair in pairs], 0), _three([pair[1] for pair in pairs], 0)


def _number_type(dtype: DTypeLike) -> np.dtype[Any]:
    allowed = "float32, float64, complex64 and complex128 are allowed"
    try:
        number = np.dtype(dtype)
    except TypeError:
        raise Error(f"dtype is {dtype!r}; {allowed}") from None
    if number.char not in "fdFD" or not number.isnative:
        raise Error(f"dtype is {number}; {allowed}")
    return number


def _only(parts: Parts) -> Parts:
    if parts.several:
        raise Error("ranks have several boxes at this end; source_boxes and target_boxes tell which")
    return parts
