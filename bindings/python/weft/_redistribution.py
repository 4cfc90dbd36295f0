"""Moving a field between any two layouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _arguments, _core, _mpi
from ._arguments import BoxLike
from ._collective import Collective
from ._errors import Error
from ._side import Side, dense_steps, two_arrays

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


class Moved(NamedTuple):
    """What one call of a `Redistribution` moved."""

    bytes_sent: int
    """By this rank to others."""
    bytes_kept: int
    """From this rank to itself."""
    bytes_sent_all: int
    """By all ranks to others."""


class Redistribution(Collective[_core.Redistribution]):
    """Moves a field from one layout to another of the same global grid.

    Creation, calls and `close` are collective over the communicator. Arguments other than boxes and arrays must be the
    same on all ranks.

    Parameters
    ----------
    shape : three integers
        Shape of the global grid. Extents may be 0: then nothing is moved.
    source, target : weft.Layout, or this rank's box
        What each rank holds before and after. A box is a pair of corners ``(lo, hi)`` or three slices; if one rank gives
        a box all must.
    dtype : dtype
        Type of the elements: any of 4, 8 or 16 bytes but objects of Python (numbers, texts, times, structures).
    comm : mpi4py.MPI.Intracomm, optional
        MPI.COMM_WORLD by default. It is duplicated.
    batch : int
        Fields moved by one call; with more than one, arrays have a leading axis of that length.
    **options
        Library options by name, of those that apply to a redistribution: see `weft.options`.

    Raises
    ------
    weft.Error
        On every rank alike, naming the bad argument, its value and what is allowed.

    Examples
    --------
    >>> move = weft.Redistribution(shape, weft.Layout.slab(shape, 4), weft.Layout.pencil(shape, 2, 2))
    >>> pencils = move(slabs)
    >>> move.moved.bytes_sent_all
    """

    def __init__(
        self,
        shape: Sequence[int],
        source: _core.Layout | BoxLike,
        target: _core.Layout | BoxLike,
        dtype: DTypeLike = np.complex128,
        comm: Intracomm | None = None,
        *,
        batch: int = 1,
        **options: Any,
    ) -> None:
        agreement = _mpi.agreement(comm)

        def check() -> tuple[tuple[int, int, int], np.dtype[Any], int, dict[str, str]]:
            grid = _arguments.triple(shape, "shape", 0)
            for argument, value in (("source", source), ("target", target)):
                _arguments.layout_or_box(value, argument, grid, agreement.size)
            texts = _arguments.option_texts(options, ("dtype", "batch"))
            _core.check_words("c2c", "double", "none", texts)
            return grid, _element_type(dtype), _arguments.integer(batch, "batch", 1), texts

        grid, element, fields, texts = _mpi.agreed(agreement, check)
        forms = {"source": form(source), "target": form(target)}
        _mpi.require_same(agreement, "weft.Redistribution", shape=grid, dtype=element, batch=fields, **forms)
        layouts = [
            value if isinstance(value, _core.Layout) else _mpi.layout(agreement, grid, value, None, argument)
            for argument, value in (("source", source), ("target", target))
        ]
        move = _core.Redistribution(agreement, layouts[0], layouts[1], element.itemsize, fields, texts)  # type: ignore[arg-type]
        self._held = move, agreement
        self._source, self._target = (_side(layout, agreement.rank, element, fields) for layout in layouts)
        self._moved: Moved | None = None

    def __call__(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Move one field (or batch). Collective.

        Parameters
        ----------
        x : array of `source_shape` and `dtype`, C-contiguous
            This rank's part in the source layout; left unchanged.
        out : array of `target_shape` and `dtype`, C-contiguous, optional
            Where to write, apart from `x`; allocated if not given.

        Returns
        -------
        array
            `out`. What was moved is in `moved`.
        """

        def prepare() -> tuple[NDArray[Any], NDArray[Any]]:
            return two_arrays(self._source, self._target, x, out, "x", self._target.empty)

        result = self._run(prepare)
        return result if out is None else out

    def _run(self, prepare: Callable[[], tuple[NDArray[Any], NDArray[Any]]]) -> NDArray[Any]:
        """Move between the arrays that `prepare` finds; what it raises on any rank is raised on all."""
        move, agreement = self._alive()
        given, result = _mpi.agreed(agreement, prepare)
        self._moved = Moved(*move.execute(_bytes(given), _bytes(result)))
        return result

    @property
    def moved(self) -> Moved | None:
        """What the last call moved; None before the first."""
        return self._moved

    @property
    def source_shape(self) -> tuple[int, ...]:
        """Shape of this rank's part before the move, with a leading axis for a batch of more than one."""
        return self._source.shape

    @property
    def target_shape(self) -> tuple[int, ...]:
        """Shape of this rank's part after the move, with a leading axis for a batch of more than one."""
        return self._target.shape

    @property
    def source_slice(self) -> tuple[slice, ...]:
        """Three slices that cut this rank's part before the move out of the global grid."""
        return self._source.slices

    @property
    def target_slice(self) -> tuple[slice, ...]:
        """Three slices that cut this rank's part after the move out of the global grid."""
        return self._target.slices

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""
        return self._source.dtype

    def __repr__(self) -> str:
        if self._held is None:
            return "<weft.Redistribution, closed>"
        agreement = self._held[1]
        size = " x ".join(map(str, self._source.grid))
        return f"<weft.Redistribution {size}, {self.dtype}, rank {agreement.rank} of {agreement.size}>"


def _element_type(dtype: DTypeLike) -> np.dtype[Any]:
    try:
        element = np.dtype(dtype)
    except TypeError:
        raise Error(f"dtype is {dtype!r}; a NumPy type of 4, 8 or 16 bytes is needed") from None
    if element.itemsize not in (4, 8, 16) or element.hasobject:
        raise Error(f"dtype is {element} of {element.itemsize} bytes; plain types of 4, 8 or 16 bytes are allowed")
    return element


def _bytes(x: NDArray[Any]) -> NDArray[np.uint8]:
    """The memory of a C-contiguous array, whatever its elements are."""
    return x.reshape(-1).view(np.uint8)


def form(value: Any) -> str:
    """What a caller gave, in words."""
    return "a layout" if isinstance(value, _core.Layout) else "a box"


def _side(layout: Any, rank: int, element: np.dtype[Any], batch: int) -> Side:
    box = layout.box(rank)
    lo, hi = box
    extents = [max(0, b - a) for a, b in zip(lo, hi)]
    field = extents[0] * extents[1] * extents[2]
    return Side(box, element, batch, (dense_steps(extents), field), batch * field, layout.shape)
