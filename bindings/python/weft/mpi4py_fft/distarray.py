"""A rank's part of a distributed array, as a NumPy array that knows the whole."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .. import _mpi
from .._errors import Error
from .pencil import Pencil, Subcomm, Transfer, axis_of, spanning

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
        shape = tuple(int(extent) for extent in global_shape)
        grid = shape[rank:]
        pencil = None
        if len(grid) > 1:
            pencil = _pencil(grid, subcomm, alignment)
            shape = shape[:rank] + pencil.subshape
        self = np.ndarray.__new__(cls, shape, dtype=dtype, buffer=buffer, strides=None if pencil else strides)
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
        return self.pencil.axis

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
        piece = self.part_of(gslice)
        with spanning(self.subcomm) as comm:
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
        pencil = self.pencil.pencil(axis)
        return pencil, self.pencil.transfer(pencil, self.dtype)

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
        if axis is None and out is None:
            raise Error("neither axis nor out is given; one of them is needed")
        pencil = self.pencil
        if axis is not None:
            axis = axis_of(axis, self.dimensions)
            if isinstance(out, DistArray) and out.alignment != axis:
                raise Error(f"axis is {axis}, but out is aligned with axis {out.alignment}; the same axis is needed")
            if axis == pencil.axis:
                return self
            if pencil.subcomm[axis].Get_size() == 1:
                self._p0 = Pencil(pencil.subcomm, pencil.shape, axis)
                return self
        if out is not None:
            if not isinstance(out, DistArray) or out.global_shape != self.global_shape:
                raise Error(f"out is {type(out).__name__}; a DistArray of the shape {self.global_shape} is needed")
            axis = out.alignment
            if self.commsizes == out.commsizes:
                out[...] = self
                return out
        assert axis is not None
        target = pencil.pencil(axis)
        if out is None:
            out = DistArray(self.global_shape, target.subcomm, dtype=self.dtype, alignment=axis, rank=self._rank)
        one = pencil.transfer(out.pencil, self.dtype)
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


def _pencil(grid: tuple[int, ...], subcomm: Any, alignment: int | None) -> Pencil:
    MPI = _mpi.mpi()
    if alignment is not None:
        alignment = axis_of(alignment, len(grid), "alignment")
    if subcomm is None:
        if alignment is None:
            alignment = len(grid) - 1
        subcomm = [int(axis == alignment) for axis in range(len(grid))]
    if not isinstance(subcomm, (tuple, list)) or len(subcomm) != len(grid):
        raise Error(f"subcomm is {subcomm!r}; {len(grid)} integers or communicators are needed, one for each axis")
    if not all(isinstance(comm, MPI.Comm) for comm in subcomm):
        subcomm = Subcomm(MPI.COMM_WORLD, subcomm)
    whole = [axis for axis, comm in enumerate(subcomm) if comm.Get_size() == 1]
    if not whole:
        raise Error("subcomm splits all axes; one must be whole")
    return Pencil(subcomm, grid, whole[-1] if alignment is None else alignment)


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
