"""A rank's part of a distributed array, as a NumPy array that knows the whole."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .. import _mpi
from .._errors import Error
from .._memory import empty_bytes
from .pencil import Pencil, Subcomm, Transfer, axis_of, extents_of, grid_of, spanning

if TYPE_CHECKING:
    from .io import FileBase
    from .mpifft import PFFT


class DistArray(np.ndarray):
    """This rank's part of a global array, of tensors where `rank` is above 0.

    Parameters
    ----------
    global_shape : sequence of integers
        Of the whole array: the lengths of `rank` axes for the components of a tensor, which are never split, then those of
        the grid. With one axis for the grid every rank holds all.
    subcomm : Subcomm, sequence of communicators, or sequence of integers, optional
        How the grid is split; integers as for `Subcomm`, on MPI.COMM_WORLD. By default all axes but the alignment may be.
    val : number, optional
        What the array is filled with, unless `buffer` is given.
    dtype : dtype
    buffer : object with a buffer, optional
        Memory for this rank's part.
    strides : sequence of integers, optional
        As `numpy.ndarray` has them; for one axis only.
    alignment : int, optional
        The axis of the grid (`rank` is not counted) along which this rank's part is whole; by default the last that is.
    rank : int
        0 for scalars, 1 for vectors, 2 for matrices.

    Notes
    -----
    Making one is collective where `subcomm` is not given as communicators. Slices that take components of a tensor are
    DistArrays; slices of the grid are plain arrays.
    """

    _p0: Pencil | None
    _rank: int

    def __new__(
        cls,
        global_shape: Sequence[int],
        subcomm: Any = None,
        val: Any = None,
        dtype: DTypeLike = float,
        buffer: Any = None,
        strides: Sequence[int] | None = None,
        alignment: int | None = None,
        rank: int = 0,
    ) -> DistArray:
        MPI = _mpi.mpi()
        given = isinstance(subcomm, (tuple, list)) and all(isinstance(comm, MPI.Comm) for comm in subcomm)

        def check() -> tuple[tuple[int, ...], tuple[int, ...], int | None]:
            shape, grid = _extents(global_shape, rank)
            if len(grid) < 2:
                return shape, (), None
            axis = None if alignment is None else axis_of(alignment, len(grid), "alignment")
            if subcomm is not None and (not isinstance(subcomm, (tuple, list)) or len(subcomm) != len(grid)):
                raise Error(
                    f"subcomm is {subcomm!r}; {len(grid)} integers or communicators are needed, one for each axis"
                )
            extents_of(grid, "global_shape")
            return shape, grid, axis

        if given:
            shape, grid, axis = check()
        else:
            agreement = _mpi.agreement(MPI.COMM_WORLD)
            shape, grid, axis = _mpi.agreed(agreement, check)
        pencil = None
        if grid:
            if subcomm is None:
                axis = len(grid) - 1 if axis is None else axis
                subcomm = [int(other == axis) for other in range(len(grid))]
            if not given:
                dims = _mpi.agreed(agreement, lambda: _whole(grid_of(agreement.size, subcomm, "subcomm"), axis))
                _mpi.require_same(agreement, "DistArray", global_shape=shape, rank=rank, subcomm=dims)
                subcomm = Subcomm.dealt(MPI.COMM_WORLD, dims)
            whole = [place for place, comm in enumerate(subcomm) if comm.Get_size() == 1]
            _whole([comm.Get_size() for comm in subcomm], axis)
            pencil = Pencil(subcomm, grid, whole[-1] if axis is None else axis)
            shape = shape[:rank] + pencil.subshape
        memory = buffer
        if buffer is None and strides is None:
            memory = empty_bytes(prod(shape) * np.dtype(dtype).itemsize)
        self = np.ndarray.__new__(cls, shape, dtype=dtype, buffer=memory, strides=None if pencil else strides)
        if buffer is None and isinstance(val, Number):
            self.fill(val)
        self._p0, self._rank = pencil, rank
        return self

    def __array_finalize__(self, obj: Any) -> None:
        self._p0 = getattr(obj, "_p0", None)
        self._rank = getattr(obj, "_rank", 0)

    def __getitem__(self, key: Any) -> Any:
        places = key if isinstance(key, tuple) else (key,)
        simple = all(isinstance(place, (int, np.integer, slice)) for place in places)
        if self.ndim == 1 or (simple and len(places) <= self._rank):
            part = super().__getitem__(key)
            if isinstance(part, DistArray):
                part._rank = self._rank - (self.ndim - part.ndim)
            return part
        return self.v[key]

    @property
    def pencil(self) -> Pencil:
        """How the grid is split; None where it has one axis."""
        return self._p0  # type: ignore[return-value]

    def _split(self) -> Pencil:
        if self._p0 is None:
            raise Error("the array has a grid of one axis, which every rank has whole; two axes or more are needed")
        return self._p0

    @property
    def rank(self) -> int:
        """Rank of the tensor at a point: 0 for scalars."""
        return self._rank

    @property
    def dimensions(self) -> int:
        """Axes of the grid."""
        return self.ndim - self._rank

    @property
    def alignment(self) -> int:
        """The axis of the grid along which this rank's part is whole."""
        return self._split().axis

    @property
    def global_shape(self) -> tuple[int, ...]:
        """Shape of the whole array."""
        return self.shape if self._p0 is None else self.shape[: self._rank] + self._p0.shape

    @property
    def substart(self) -> tuple[int, ...]:
        """Where this rank's part starts in the whole array."""
        return (0,) * self._rank + ((0,) if self._p0 is None else self._p0.substart)

    @property
    def subcomm(self) -> tuple[Any, ...]:
        """A communicator for each axis of the array."""
        alone = _mpi.mpi().COMM_SELF
        return (alone,) * self._rank + ((alone,) if self._p0 is None else self._p0.subcomm)

    @property
    def commsizes(self) -> list[int]:
        """Among how many ranks each axis of the array is split."""
        return [comm.Get_size() for comm in self.subcomm]

    @property
    def v(self) -> NDArray[Any]:
        """This rank's part as a plain NumPy array."""
        return self.view(np.ndarray)

    def local_slice(self) -> tuple[slice, ...]:
        """The slices that cut this rank's part out of the whole array."""
        return tuple(slice(start, start + length) for start, length in zip(self.substart, self.shape))

    def get(self, gslice: Sequence[Any]) -> NDArray[Any] | None:
        """A slice of the whole array, on the lowest rank of MPI.COMM_WORLD that has a part; None on the others. Collective.

        Parameters
        ----------
        gslice : for each axis of the whole array ``slice(None)`` or an integer
        """
        with spanning(self.subcomm) as comm:
            piece = _mpi.agreed(_mpi.agreement(comm), lambda: self.part_of(gslice))
            places = comm.allgather(_mpi.mpi().COMM_WORLD.Get_rank())
            pieces = comm.gather(piece, root=places.index(min(places)))
        if pieces is None:
            return None
        kept = [extent for extent, place in zip(self.global_shape, gslice) if isinstance(place, slice)]
        whole: NDArray[Any] = np.empty(kept, self.dtype)
        for found in pieces:
            if found is not None:
                whole[found[0]] = found[1]
        return whole

    def part_of(self, gslice: Sequence[Any]) -> tuple[tuple[slice, ...], NDArray[Any]] | None:
        """What this rank holds of a slice of the whole array: its place in the slice, and the values; None if nothing."""
        if not isinstance(gslice, (tuple, list)):
            raise Error(f"the slice is {gslice!r}; a sequence of slice(None) and integers is needed")
        if len(gslice) != self.ndim:
            raise Error(f"the slice {gslice!r} has {len(gslice)} entries; {self.ndim} are needed, one for each axis")
        inside, places = [], []
        for axis, (place, mine, extent) in enumerate(zip(gslice, self.local_slice(), self.global_shape)):
            if isinstance(place, slice):
                if place != slice(None):
                    raise Error(
                        f"the slice {gslice!r} has {place!r} for axis {axis}; slice(None) or an integer is needed"
                    )
                inside.append(place)
                places.append(mine)
            else:
                index = axis_of(place, extent, f"the slice's entry for axis {axis}")
                if not mine.start <= index < mine.stop:
                    return None
                inside.append(index - mine.start)
        return tuple(places), self.v[tuple(inside)]

    def get_pencil_and_transfer(self, axis: int) -> tuple[Pencil, Transfer]:
        """The pencil aligned with `axis` of the grid, and the exchange of one component to it."""
        pencil = self._split().pencil(axis)
        return pencil, self._split().transfer(pencil, self.dtype)

    def redistribute(self, axis: int | None = None, out: DistArray | None = None) -> DistArray:
        """Align along another axis of the grid. Collective.

        Parameters
        ----------
        axis : int, optional
            The new alignment; where the array is whole along it already, this array is aligned so and returned.
        out : DistArray, optional
            Where to write, aligned as is wanted; a new array by default. `axis` or `out` must be given.

        Returns
        -------
        DistArray
            `out`, a new array, or this one.
        """
        with spanning(self.subcomm) as everyone:
            agreement = _mpi.agreement(everyone)
        move = _mpi.agreed(agreement, lambda: self._move(axis, out))
        if move is None:
            return self if out is None else out
        # A part of the ranks exchanges: what it cannot do is an error on all.
        found: DistArray = _mpi.agreed(agreement, move)
        return found

    def _move(self, axis: int | None, out: DistArray | None) -> Callable[[], DistArray] | None:
        """The exchange that `redistribute` is to make; None where nothing is to be moved, and that is done then."""
        if axis is None and out is None:
            raise Error("neither axis nor out is given; one of them is needed")
        pencil = self._split()
        if axis is not None:
            axis = axis_of(axis, self.dimensions)
            if isinstance(out, DistArray) and out.alignment != axis:
                raise Error(f"axis is {axis}, but out is aligned with axis {out.alignment}; the same axis is needed")
        if out is not None:
            if not isinstance(out, DistArray) or out.global_shape != self.global_shape:
                raise Error(f"out is {type(out).__name__}; a DistArray of the shape {self.global_shape} is needed")
            axis = out.alignment
            if (out.commsizes, out.local_slice()) == (self.commsizes, self.local_slice()):
                out[...] = self
                return None
        assert axis is not None
        if out is None:
            if axis == pencil.axis:
                return None
            if pencil.subcomm[axis].Get_size() == 1:
                self._p0 = Pencil(pencil.subcomm, pencil.shape, axis)
                return None
            target = pencil.pencil(axis)
            out = DistArray(self.global_shape, target.subcomm, dtype=self.dtype, alignment=axis, rank=self._rank)
        return partial(self._exchange, pencil.transfer(out.pencil, self.dtype), out)

    def _exchange(self, one: Transfer, out: DistArray) -> DistArray:
        # All components of a tensor at once: they are one more axis in front.
        components = (prod(self.shape[: self._rank]),)
        shapes = [components + shape for shape in (one.shape, one.subshapeA, one.subshapeB)]
        move = Transfer(one.comm, shapes[0], self.dtype, shapes[1], one.axisA + 1, shapes[2], one.axisB + 1)
        result = out.v if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        move.forward(self.v.reshape(shapes[1]), result.reshape(shapes[2]))
        move.destroy()
        if not out.flags.c_contiguous:
            out[...] = result
        return out

    def write(
        self,
        filename: str | FileBase,
        name: str = "darray",
        step: int = 0,
        global_slice: Sequence[Any] | None = None,
        domain: Sequence[Any] | None = None,
        as_scalar: bool = False,
    ) -> None:
        """Write this array, or a slice of the whole one, to a file. Collective.

        Parameters
        ----------
        filename : str or open file object
            Names that end in ``.h5`` are HDF5 files, others NetCDF. What they hold already is kept.
        name, step
            Under what name, and as which snapshot.
        global_slice : sequence of ``slice(None)`` and integers, optional
            Without the axes of tensor components, which are written all.
        domain : sequence, optional
            As for `HDF5File`.
        as_scalar : bool
            Whether each component of a tensor becomes a field of its own.
        """
        from .io import named

        field: Any = self if global_slice is None else (self, global_slice)
        named(filename, "a", domain).write(step, {name: [field]}, as_scalar=as_scalar)

    def read(self, filename: str | FileBase, name: str = "darray", step: int = 0) -> None:
        """Read this rank's part of a snapshot that was written whole. Collective; arguments as for `write`."""
        from .io import named

        named(filename, "r", None).read(self, name, step=step)


def _extents(global_shape: Any, rank: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The global shape, and that of the grid."""
    try:
        shape = tuple(operator.index(extent) for extent in global_shape)
    except TypeError:
        shape = ()
    if not shape or min(shape) < 0:
        raise Error(f"global_shape is {global_shape!r}; integers from 0 are needed")
    if isinstance(rank, bool) or not isinstance(rank, (int, np.integer)) or not 0 <= rank < len(shape):
        raise Error(f"rank is {rank!r}; an integer from 0 to {len(shape) - 1} is needed, for the shape {shape}")
    return shape, shape[rank:]


def _whole(sizes: list[int], axis: int | None) -> list[int]:
    """The ranks along each axis, if they leave one whole, and that which is asked for."""
    if 1 not in sizes:
        raise Error("subcomm splits all axes; one must be whole")
    if axis is not None and sizes[axis] > 1:
        raise Error(f"alignment is {axis}, which subcomm splits among {sizes[axis]} ranks; it must be whole")
    return sizes


def newDistArray(  # noqa: N802
    pfft: PFFT, forward_output: bool = True, val: Any = 0, rank: int = 0, view: bool = False
) -> NDArray[Any]:
    """A new array for one end of a transform. Not collective.

    Parameters
    ----------
    pfft : PFFT
    forward_output : bool
        For the spectrum (True) or for the field in space.
    val : number
        What it is filled with.
    rank : int
        1 for vectors, with as many components as the transform has dimensions; 2 for matrices.
    view : bool
        Return a plain NumPy array; its ``base`` is the DistArray.
    """
    pencil = pfft.pencil[bool(forward_output)]
    shape = (pfft.dimensions,) * rank + tuple(pfft.global_shape(forward_output))
    array = DistArray(
        shape, subcomm=pencil.subcomm, val=val, dtype=pfft.dtype(forward_output), alignment=pencil.axis, rank=rank
    )
    return array.v if view else array


def Function(*args: Any, **kwargs: Any) -> NDArray[Any]:  # noqa: N802
    """The name that `newDistArray` had before; ``tensor`` means ``rank=1``."""
    import warnings

    warnings.warn("Function() is deprecated; use newDistArray()", FutureWarning, stacklevel=2)
    if kwargs.pop("tensor", None):
        kwargs["rank"] = 1
    return newDistArray(*args, **kwargs)
