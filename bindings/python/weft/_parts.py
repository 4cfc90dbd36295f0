"""Ends whose arrays hold several boxes of a rank, or ghosts around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arguments, _core
from ._arguments import Box
from ._side import Side, dense_steps


class Parts:
    """The boxes of this rank at one end, of `axes`, as its array has them: with their ghosts, one after the other."""

    def __init__(
        self, layout: _core.Layout, around: Sequence[Any], rank: int, grid: Sequence[int], axes: Sequence[int]
    ) -> None:
        def corners(box: Any) -> Box:
            lo, hi = _arguments.with_inner(box, tuple(grid))
            return tuple(lo[axis] for axis in axes), tuple(hi[axis] for axis in axes)

        own = [corners(box) for box in layout.boxes(rank)]
        #: Some rank has several boxes: then arrays are rows of points.
        self.several = layout.has_several
        #: Corners by global index, ghosts included.
        self.boxes = [corners(box) for box in around]
        #: Slices that cut a box without its ghosts out of what the array has of it, and out of the grid.
        self.inner = [
            tuple(slice(a - first, b - first) for a, b, first in zip(lo, hi, outer))
            for (lo, hi), (outer, _) in zip(own, self.boxes)
        ]
        self.slices = [tuple(slice(a, b) for a, b in zip(lo, hi)) for lo, hi in own]
        self.ghosted = self.several or own != self.boxes

    def side(self, dtype: np.dtype[Any], batch: int | tuple[int, ...], size: int, *, interleaved: bool = False) -> Side:
        """The array of several boxes: a row of their points."""
        count = sum(_points(box) for box in self.boxes)
        fields = int(np.prod(batch))
        steps = ((fields,), 1) if interleaved else ((1,), size // fields)
        side = Side(
            ((0,), (count,)), dtype, batch, steps, size, (count,), axes=(0,), order=(0,), interleaved=interleaved
        )
        side.ghosted = True
        return side

    def views(self, x: NDArray[Any], side: Side) -> list[NDArray[Any]]:
        """The boxes in an array of this end, in the same memory."""
        if not self.several:
            return [x]
        views, first = [], 0
        for lo, hi in self.boxes:
            extents = tuple(b - a for a, b in zip(lo, hi))
            last = first + _points((lo, hi))
            if side.interleaved:
                views.append(x[first:last].reshape(*extents, *side.fields))
            else:
                views.append(x[..., first:last].reshape(*side.fields, *extents))
            first = last
        return views


def dense_side(parts: Parts, dtype: np.dtype[Any], batch: int, grid: Sequence[int], axes: Sequence[int]) -> Side:
    """An end in C order without gaps."""
    if parts.several:
        return parts.side(dtype, batch, batch * sum(_points(box) for box in parts.boxes))
    lo, hi = parts.boxes[0]
    extents = [b - a for a, b in zip(lo, hi)]
    field = max(0, int(np.prod(extents, dtype=np.int64)))
    side = Side(
        (lo, hi), dtype, batch, (dense_steps(extents), field), batch * field, [grid[axis] for axis in axes],
        axes=range(len(axes)), order=range(len(axes)),
    )  # fmt: skip
    return marked(side, parts)


def marked(side: Side, parts: Parts) -> Side:
    """An end with one box: its slices are those without ghosts."""
    if parts.ghosted and not parts.several:
        side.slices = parts.slices[0]
        side.ghosted = True
    return side


def _points(box: Box) -> int:
    return int(np.prod([max(0, b - a) for a, b in zip(*box)], dtype=np.int64))
