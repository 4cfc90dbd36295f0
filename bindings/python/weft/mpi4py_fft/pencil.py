"""Who holds what, dealt as mpi4py-fft deals it, and the exchange between two alignments."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .. import _mpi
from .._errors import Error
from .._redistribution import Redistribution


def block(points: int, parts: int, part: int) -> tuple[int, int]:
    """Length and start of a part: the first ``points % parts`` parts have one point more."""
    length, left = divmod(points, parts)
    return length + (part < left), part * length + min(part, left)


def axis_of(axis: Any, dimensions: int, argument: str = "axis") -> int:
    """An axis counted from the front."""
    if isinstance(axis, bool) or not isinstance(axis, (int, np.integer)) or not -dimensions <= axis < dimensions:
        raise Error(f"{argument} is {axis!r}; an integer from {-dimensions} to {dimensions - 1} is needed")
    return int(axis) % dimensions


def extents_of(shape: Any, argument: str = "shape") -> list[int]:
    """The extents of a global array."""
    try:
        extents = [operator.index(extent) for extent in shape]
    except TypeError:
        extents = []
    if not extents or min(extents) < 1:
        raise Error(f"{argument} is {shape!r}; positive integers are needed")
    if prod(extents) >= 2**58:
        raise Error(f"{argument} is {shape!r}; less than 2**58 points are needed")
    return extents


@cache
def _freed() -> Any:
    """The type of communicators that are freed with their last reference, if nobody has freed them before."""
    MPI = _mpi.mpi()

    class Freed(MPI.Cartcomm):  # type: ignore[misc, name-defined, unused-ignore]
        def __del__(self) -> None:
            if self and not MPI.Is_finalized():
                self.Free()

    return Freed


class Subcomm(tuple):  # type: ignore[type-arg]  # of communicators
    """A communicator for each axis: the ranks among which this axis is split, where this rank is.

    Parameters
    ----------
    comm : mpi4py.MPI.Intracomm
        One with a Cartesian topology is taken as it is, without `dims`. Collective.
    dims : integer or sequence of integers, optional
        Ranks along each axis; 0 lets MPI choose, 1 leaves the axis whole. An integer is that many zeroes.
    reorder : bool
        Whether MPI may number the ranks of the grid anew.

    Notes
    -----
    A communicator is freed by `destroy`, or when nothing refers to it any more: neither this object nor a plan, a Pencil or a
    DistArray that was made with it.

    Raises
    ------
    weft.Error
        If the ranks cannot be split so; on every rank alike.
    """

    def __new__(cls, comm: Any, dims: Any = None, reorder: bool = True) -> Subcomm:
        MPI = _mpi.mpi()
        if not isinstance(comm, MPI.Intracomm):
            raise Error(f"comm is {comm!r}; an intra-communicator of mpi4py is needed")
        agreement = _mpi.agreement(comm)

        def check() -> list[int]:
            if comm.Get_topology() != MPI.CART:
                return grid_of(comm.Get_size(), dims)
            if dims is not None:
                raise Error(f"dims is {dims!r}, but comm has a Cartesian topology already; None is needed")
            return []

        grid = _mpi.agreed(agreement, check)
        _mpi.require_same(agreement, "Subcomm", dims=grid, reorder=bool(reorder))
        return cls.dealt(comm, grid, reorder)

    @classmethod
    def dealt(cls, comm: Any, grid: Sequence[int], reorder: bool = True) -> Subcomm:
        """Those of a grid that fits `comm`; of `comm` itself if there are no numbers."""
        freed = _freed()
        whole = freed(_mpi.communicator(lambda: comm.Create_cart(grid, reorder=reorder))) if grid else comm
        axes = range(whole.Get_dim())
        parts = [freed(_mpi.communicator(partial(whole.Sub, [axis == along for along in axes]))) for axis in axes]
        return super().__new__(cls, parts)

    def destroy(self) -> None:
        """Free the communicators. Collective."""
        for comm in self:
            if comm:
                comm.Free()


def grid_of(ranks: int, dims: Any, argument: str = "dims") -> list[int]:
    """Ranks along each axis, all of them together."""
    try:
        given = [0] if dims is None else [0] * operator.index(dims) if np.ndim(dims) == 0 else dims
        wanted = [max(0, operator.index(number)) for number in given]
    except (TypeError, ValueError):
        wanted = []
    fixed = prod(number for number in wanted if number)
    if not wanted or isinstance(dims, bool) or ranks % fixed or (fixed != ranks and 0 not in wanted):
        raise Error(
            f"{argument} is {dims!r}; integers whose product is the {ranks} ranks of comm are needed, 0 for any"
        )
    return list(_mpi.mpi().Compute_dims(ranks, wanted))


@contextmanager
def spanning(comms: Sequence[Any]) -> Iterator[Any]:
    """The communicator of all ranks that this one reaches through `comms`: rows of the last one, one after the other. Collective."""
    MPI = _mpi.mpi()
    world = MPI.COMM_WORLD
    ranks = [world.Get_rank()]
    for comm in comms[::-1]:
        if comm.Get_size() > 1:
            ranks = [rank for part in comm.allgather(ranks) for rank in part]
    if len(ranks) == 1 or ranks == list(range(world.Get_size())):
        yield world if len(ranks) > 1 else MPI.COMM_SELF
        return
    everyone = world.Get_group()
    group = everyone.Incl(ranks)
    comm = _mpi.communicator(lambda: world.Create_group(group))
    group.Free()
    everyone.Free()
    try:
        yield comm
    finally:
        comm.Free()


class Pencil:
    """A rank's part of a global array that is whole along one axis.

    Parameters
    ----------
    subcomm : sequence of communicators
        One for each axis. If there are fewer, `axis` and the last ones are not split.
    shape : sequence of integers
        Of the global array.
    axis : int
        The axis along which the array is whole: the alignment.

    Attributes
    ----------
    subshape, substart : tuples of integers
        Shape of this rank's part, and where it starts in the global array.
    """

    def __init__(self, subcomm: Sequence[Any], shape: Sequence[int], axis: int = -1) -> None:
        MPI = _mpi.mpi()
        extents = extents_of(shape)
        dimensions = len(extents)
        axis = axis_of(axis, dimensions)
        if not isinstance(subcomm, (tuple, list)) or not all(isinstance(comm, MPI.Comm) for comm in subcomm):
            raise Error(f"subcomm is {subcomm!r}; communicators of mpi4py are needed, one for each axis")
        if not 1 <= len(subcomm) <= dimensions:
            raise Error(f"subcomm has {len(subcomm)} communicators; 1 to {dimensions} are needed, one for each axis")
        comms = list(subcomm)
        if len(comms) < dimensions:
            comms += [MPI.COMM_SELF] * (dimensions - 1 - len(comms))
            comms.insert(axis, MPI.COMM_SELF)
        if comms[axis].Get_size() != 1:
            raise Error(f"axis is {axis}, which subcomm splits among {comms[axis].Get_size()} ranks; it must be whole")
        parts = [block(points, comm.Get_size(), comm.Get_rank()) for points, comm in zip(extents, comms)]
        self.shape = tuple(extents)
        self.axis = axis
        self.subcomm = tuple(comms)
        self.subshape = tuple(length for length, _ in parts)
        self.substart = tuple(start for _, start in parts)

    @property
    def local_slice(self) -> tuple[slice, ...]:
        """The slices that cut this rank's part out of the global array."""
        return tuple(slice(start, start + length) for start, length in zip(self.substart, self.subshape))

    def pencil(self, axis: int) -> Pencil:
        """The pencil aligned with `axis`: its communicator and that of the present alignment change places."""
        axis = axis_of(axis, len(self.shape))
        comms = list(self.subcomm)
        comms[axis], comms[self.axis] = comms[self.axis], comms[axis]
        return Pencil(comms, self.shape, axis)

    def transfer(self, pencil: Pencil, dtype: DTypeLike) -> Transfer:
        """The exchange from this pencil to another of the same array, which `pencil` made."""
        if not isinstance(pencil, Pencil):
            raise Error(f"pencil is {pencil!r}; a Pencil is needed")
        here, there = self.axis, pencil.axis
        if self.shape != pencil.shape:
            raise Error(f"pencil is of an array of shape {pencil.shape}; the shape {self.shape} is needed")
        if here == there:
            raise Error(f"pencil is aligned with axis {there}, as this one is; another axis is needed")
        turned = list(self.subcomm)
        turned[here], turned[there] = turned[there], turned[here]
        if any(mine != theirs for mine, theirs in zip(turned, pencil.subcomm)):
            raise Error(f"pencil splits other axes among other ranks; Pencil.pencil({there}) of this one is needed")
        comm = self.subcomm[there]
        shape = list(self.subshape)
        shape[there] = self.shape[there]
        return Transfer(comm, shape, dtype, self.subshape, here, pencil.subshape, there)


class Transfer:
    """The exchange between two alignments of an array, by `weft.Redistribution`.

    Parameters
    ----------
    comm : mpi4py.MPI.Intracomm
        The ranks that exchange.
    shape : sequence of integers
        Of the array that these ranks hold together.
    dtype : dtype
        Of its elements.
    subshapeA, axisA, subshapeB, axisB
        Shapes of this rank's part before and after, and the axes that are whole then.

    Notes
    -----
    `forward` and `backward` are collective over `comm`; the first call of each plans, unless `plan` has done so. The ranks may
    hold nothing together: a group of those of an array with fewer points than groups. Any number of axes will do: those
    before, between and after the two that matter are taken together.
    """

    def __init__(
        self,
        comm: Any,
        shape: Sequence[int],
        dtype: DTypeLike,
        subshapeA: Sequence[int],
        axisA: int,
        subshapeB: Sequence[int],
        axisB: int,
    ) -> None:
        self.comm = comm
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        self.subshapeA, self.axisA = tuple(subshapeA), axisA
        self.subshapeB, self.axisB = tuple(subshapeB), axisB
        self._moves: dict[bool, Redistribution] = {}

    def forward(self, arrayA: NDArray[Any], arrayB: NDArray[Any]) -> None:
        """Move from `arrayA` of shape `subshapeA` to `arrayB` of shape `subshapeB`. Collective."""
        self._move(True, arrayA, arrayB)

    def backward(self, arrayB: NDArray[Any], arrayA: NDArray[Any]) -> None:
        """Move from `arrayB` of shape `subshapeB` to `arrayA` of shape `subshapeA`. Collective."""
        self._move(False, arrayB, arrayA)

    def plan(self, forward: bool) -> None:
        """Plan one direction. Collective."""
        if self.comm.Get_size() > 1 and forward not in self._moves:
            self._moves[forward] = self._planned((self.axisA, self.axisB) if forward else (self.axisB, self.axisA))

    def destroy(self) -> None:
        """Release what the exchanges hold. Collective."""
        for move in self._moves.values():
            move.close()
        self._moves.clear()

    def _move(self, forward: bool, source: NDArray[Any], target: NDArray[Any]) -> None:
        shapes = (self.subshapeA, self.subshapeB) if forward else (self.subshapeB, self.subshapeA)

        def check() -> None:
            for name, array, shape in zip(("arrayA", "arrayB")[:: 1 if forward else -1], (source, target), shapes):
                if array.shape != shape or array.dtype != self.dtype:
                    raise Error(
                        f"{name} has shape {array.shape} and dtype {array.dtype}; "
                        f"the shape {shape} and {self.dtype} are needed"
                    )

        if self.comm.Get_size() == 1:
            check()
            if target is not source:
                target[...] = source
            return
        self.plan(forward)
        move = self._moves[forward]
        written = target

        def prepare() -> tuple[NDArray[Any], NDArray[Any]]:
            nonlocal written
            check()
            if not target.flags.c_contiguous or np.may_share_memory(source, target):
                written = np.empty(target.shape, target.dtype)
            return _seen_as(source, move.dtype, move.source_shape), _seen_as(written, move.dtype, move.target_shape)

        move._run(prepare)
        if written is not target:
            target[...] = written

    def _planned(self, whole: Sequence[int]) -> Redistribution:
        """The exchange between arrays that are whole along the first and the second of two axes."""
        first, last = sorted(whole)
        before, between = prod(self.shape[:first]), prod(self.shape[first + 1 : last])
        if not before:  # a batch of nothing
            before, between = 1, 0
        # What lies behind the later axis, and the bytes of an element, make its points longer.
        run = prod(self.shape[last + 1 :]) * self.dtype.itemsize
        unit = next((unit for unit in _UNITS if run % unit.itemsize == 0), self.dtype)
        steps = {first: 1, last: run // unit.itemsize}
        points = {axis: self.shape[axis] * step for axis, step in steps.items()}

        def three(along_first: Any, along_last: Any, along_other: Callable[[int], Any]) -> list[Any]:
            if between == 1:
                return [along_other(before), along_first, along_last]
            return [along_first, along_other(between), along_last]

        def box(axis: int) -> Any:
            split = first + last - axis
            length, start = block(self.shape[split], self.comm.Get_size(), self.comm.Get_rank())
            step = steps[split]
            ranges = {axis: slice(0, points[axis]), split: slice(start * step, (start + length) * step)}
            return tuple(three(ranges[first], ranges[last], lambda extent: slice(0, extent)))

        shape = three(points[first], points[last], lambda extent: extent)
        batch = 1 if between == 1 else before
        return Redistribution(shape, box(whole[0]), box(whole[1]), unit, self.comm, batch=batch)


#: Elements that Weft moves; any others are moved as some of these.
_UNITS = tuple(np.dtype(unit) for unit in (np.complex128, np.float64, np.float32))


def _seen_as(array: NDArray[Any], unit: np.dtype[Any], shape: Sequence[int]) -> NDArray[Any]:
    """The same memory, or a copy where it has gaps, as an array of other elements."""
    return np.ascontiguousarray(array).view(np.ndarray).reshape(-1).view(unit).reshape(shape)
