"""pfft-python's interface on Weft: what pmesh and nbodykit call of it.

>>> from mpi4py import MPI
>>> from weft import pfft                             # was: import pfft
>>> procmesh = pfft.ProcMesh(pfft.split_size_2d(MPI.COMM_WORLD.size), MPI.COMM_WORLD)
>>> flags = pfft.Flags.PFFT_TRANSPOSED_OUT | pfft.Flags.PFFT_PADDED_R2C
>>> partition = pfft.Partition(pfft.Type.PFFT_R2C, [32, 32, 32], procmesh, flags)
>>> buffer = pfft.LocalBuffer(partition)
>>> plan = pfft.Plan(partition, pfft.Direction.PFFT_FORWARD, buffer)
>>> buffer.view_input()[...] = 1
>>> plan.execute(buffer)                              # in place: buffer.view_output()

Names, arguments, layouts, strides and factors (none in either direction) are pfft-python's, with two differences: an axis is dealt as
evenly as it can be (4 points on 3 ranks are 2, 1 and 1 of them, not 2, 2 and 0), and a C2R or R2C plan never destroys its input, unless it
is in place. Programs that ask the partition see neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, IntFlag
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _calls, _core, _mpi
from ._arguments import MOST_AXES
from ._errors import Error
from ._fft import FFT
from ._instead import stand_in
from ._memory import empty_bytes
from ._side import Side

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

__all__ = ["Direction", "Flags", "LocalBuffer", "Partition", "Plan", "ProcMesh", "Type", "install", "split_size_2d"]

#: The version of pfft-python whose interface this is.
__version__ = "0.1.21"


def install() -> None:
    """Have every later ``import pfft`` of this process find this module. Not collective.

    For programs and packages that cannot be changed: call it before they are imported. pfft-python itself need not be installed,
    and is not used where it is.

    Raises
    ------
    weft.Error
        If pfft-python itself has been imported already: some would use it, and others this.
    """
    stand_in("pfft", __name__)


class Flags(IntFlag):
    """What may be combined with ``|``; names with and without ``PFFT_``.

    The way of planning is Weft's `effort`: ESTIMATE none, MEASURE little, PATIENT and EXHAUSTIVE all. TUNE, PRESERVE_INPUT,
    DESTROY_INPUT and BUFFERED_INPLACE are taken and change nothing.
    """

    PFFT_TRANSPOSED_NONE = TRANSPOSED_NONE = 0
    PFFT_SHIFTED_NONE = SHIFTED_NONE = 0
    PFFT_MEASURE = MEASURE = 0
    PFFT_NO_TUNE = NO_TUNE = 0
    TRANSPOSED_IN = PFFT_TRANSPOSED_IN = 1 << 0
    TRANSPOSED_OUT = PFFT_TRANSPOSED_OUT = 1 << 1
    SHIFTED_IN = PFFT_SHIFTED_IN = 1 << 2
    SHIFTED_OUT = PFFT_SHIFTED_OUT = 1 << 3
    ESTIMATE = PFFT_ESTIMATE = 1 << 4
    PATIENT = PFFT_PATIENT = 1 << 5
    EXHAUSTIVE = PFFT_EXHAUSTIVE = 1 << 6
    TUNE = PFFT_TUNE = 1 << 7
    PRESERVE_INPUT = PFFT_PRESERVE_INPUT = 1 << 8
    DESTROY_INPUT = PFFT_DESTROY_INPUT = 1 << 9
    BUFFERED_INPLACE = PFFT_BUFFERED_INPLACE = 1 << 10
    PADDED_R2C = PFFT_PADDED_R2C = 1 << 11
    PADDED_C2R = PFFT_PADDED_C2R = 1 << 12


class Direction(IntEnum):
    """The sign of the exponent."""

    FORWARD = PFFT_FORWARD = -1
    BACKWARD = PFFT_BACKWARD = 1


class Type(IntEnum):
    """What is transformed into what, in double precision; with ``PFFTF_``, or an F at the end, in single precision."""

    C2C = PFFT_C2C = 0
    R2C = PFFT_R2C = 1
    C2R = PFFT_C2R = 2
    R2R = PFFT_R2R = 3
    C2CF = PFFTF_C2C = 4
    R2CF = PFFTF_R2C = 5
    C2RF = PFFTF_C2R = 6
    R2RF = PFFTF_R2R = 7

    def is_inverse_of(self, other: Type) -> bool:
        """Whether this leads back."""
        return self == other.inverse

    @property
    def inverse(self) -> Type:
        """The type that leads back."""
        return Type(_INVERSE[self % 4] + self // 4 * 4)


_INVERSE = (0, 2, 1, 3)
_TRANSPOSED = Flags.TRANSPOSED_IN | Flags.TRANSPOSED_OUT
#: What can be transposed, by type: complex ends.
_TURNED = (_TRANSPOSED, Flags.TRANSPOSED_OUT, Flags.TRANSPOSED_IN, Flags(0))
_PADDED = Flags.PADDED_R2C | Flags.PADDED_C2R


def split_size_2d(s: int) -> tuple[int, int]:
    """The two factors of `s` that are closest to each other, the smaller one first."""
    first = next(a for a in range(int(s**0.5), 0, -1) if s % a == 0)
    return first, s // first


class ProcMesh:
    """The ranks of `comm`, by default MPI.COMM_WORLD, as a grid of ``np[0] x np[1] x ...``, the last place running fastest.

    Attributes
    ----------
    comm, rank : the communicator, and this rank's number in it
    np, ndim : shape of the grid, and how many numbers it has
    this : this rank's place in the grid
    """

    @classmethod
    def split(cls, ndim: int, comm: Intracomm | None = None) -> Sequence[int]:
        """A grid of one or two dimensions for all ranks."""
        size = (_mpi.mpi().COMM_WORLD if comm is None else comm).Get_size()
        if ndim not in (1, 2):
            raise Error(f"ndim is {ndim}; 1 or 2 is needed")
        return split_size_2d(size) if ndim == 2 else [size]

    def __init__(self, np: Sequence[int], comm: Intracomm | None = None) -> None:
        self.comm: Intracomm = _mpi.mpi().COMM_WORLD if comm is None else comm
        self.rank = self.comm.Get_rank()
        self.np = _integers("np", np)
        self.ndim = len(self.np)
        if prod(self.np.tolist()) != self.comm.Get_size() or min(self.np, default=1) < 1:
            raise Error(f"np is {self.np.tolist()}; the product must be the number of ranks, {self.comm.Get_size()}")
        self.this = _places(self.rank, self.np)


class _End(NamedTuple):
    """One end of a transform on this rank.

    Of each axis: how many points there are, in which direction of the grid of ranks it is dealt (-1: it is whole), and where all
    parts begin and end. `order` has the axes from the slowest to the fastest in memory.
    """

    points: tuple[int, ...]
    directions: tuple[int, ...]
    edges: tuple[NDArray[np.intp], ...]
    start: tuple[int, ...]
    shape: tuple[int, ...]
    order: tuple[int, ...]
    dtype: np.dtype[Any]
    padded: bool

    @property
    def rows(self) -> tuple[int, ...]:
        """The shape with the numbers by which rows are padded."""
        last = 2 * (self.points[-1] // 2 + 1) if self.padded else self.shape[-1]
        return (*self.shape[:-1], last)

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes, from point to point along each axis."""
        found, step = [0] * len(self.order), self.dtype.itemsize
        for axis in reversed(self.order):
            found[axis], step = step, step * self.rows[axis]
        return tuple(found)

    @property
    def nbytes(self) -> int:
        return prod(self.rows) * self.dtype.itemsize

    @property
    def slices(self) -> tuple[slice, ...]:
        return tuple(slice(first, first + count) for first, count in zip(self.start, self.shape))


def _end(type_: Type, n: Sequence[int], procmesh: ProcMesh, flags: Flags, is_input: bool) -> _End:
    kind, axes = type_ % 4, len(n)
    real = kind == (Type.R2C if is_input else Type.C2R)
    transposed = bool(flags & (Flags.TRANSPOSED_IN if is_input else Flags.TRANSPOSED_OUT))
    padded = real and bool(flags & _PADDED)
    points = list(n)
    if kind != Type.C2C and not real:
        points[-1] = n[-1] // 2 + 1
    directions = [axis if axis < procmesh.ndim else -1 for axis in range(axes)]
    order = list(range(axes))
    if transposed:
        turned = min(procmesh.ndim + 1, axes)
        directions[:turned] = directions[turned - 1 : turned] + directions[: turned - 1]
        order[:turned] = order[1:turned] + order[:1]
    if real and transposed and procmesh.ndim < axes:
        raise Error(f"flags is {flags!r}; real fields cannot be transposed")
    edges = []
    for count, direction in zip(points, directions):
        parts = 1 if direction < 0 else int(procmesh.np[direction])
        dealt = _core.Layout.slab((count, 1, 1), parts)
        ends = [0]
        for part in range(parts):
            low, high = dealt.box(part)
            ends.append(max(ends[-1], high[0] if high[0] > low[0] else 0))
        edges.append(np.array(ends, np.intp))
    here = [0 if direction < 0 else int(procmesh.this[direction]) for direction in directions]
    start = tuple(int(ends[place]) for ends, place in zip(edges, here))
    shape = tuple(int(ends[place + 1] - ends[place]) for ends, place in zip(edges, here))
    dtype = np.dtype(("f8", "f4")[type_ // 4] if real else ("c16", "c8")[type_ // 4])
    return _End(tuple(points), tuple(directions), tuple(edges), start, shape, tuple(order), dtype, padded)


class Partition:
    """Which points of a mesh of shape `n` each rank has, at both ends of a transform. Not collective.

    The grid of ranks deals the first axes; the others are whole. At a transposed end axis 0 is whole (or is dealt as the last direction
    of a grid that has as many as the mesh), axis 1 is dealt as axis 0 was, and so on, and axis 0 is the fastest of these in memory.

    Attributes
    ----------
    type, n, ndim, procmesh, flags : what the partition was made of
    ni, no : points of the whole mesh, of the input and of the output
    local_i_start, local_o_start, local_i_shape, local_o_shape, local_i_slice, local_o_slice : this rank's part
    local_i_strides, local_o_strides : in bytes, as views of a `LocalBuffer` have them
    local_ni, local_no : the shapes, and the numbers by which rows of real fields are padded
    i_edges, o_edges : of each axis, where all parts begin and end
    i_dtype, o_dtype : the types of numbers
    alloc_local : complex numbers that a `LocalBuffer` holds
    """

    def __init__(self, type: int, n: Sequence[int], procmesh: ProcMesh, flags: int) -> None:
        self.type, self.flags, self.procmesh = Type(type), Flags(flags), procmesh
        self.n = _integers("n", n)
        self.ndim = len(self.n)
        self._input, self._output = _ends(self.type, self.n.tolist(), procmesh, self.flags)
        for side, letter in ((self._input, "i"), (self._output, "o")):
            integers = {f"n{letter}": side.points, f"local_n{letter}": side.rows}
            integers.update({f"local_{letter}_start": side.start, f"local_{letter}_shape": side.shape})
            integers[f"local_{letter}_strides"] = side.strides
            for name, values in integers.items():
                setattr(self, name, np.array(values, np.intp))
            setattr(self, f"local_{letter}_slice", side.slices)
            setattr(self, f"{letter}_edges", list(side.edges))
            setattr(self, f"{letter}_dtype", side.dtype)
        # The same for all partitions of a mesh: pmesh has buffers that are seen as transposed and as they are.
        straight = self.flags & ~_TRANSPOSED
        every = {self.flags, straight, straight | _TURNED[self.type % 4]}
        ends = [end for flags in every for end in _ends(self.type, self.n.tolist(), procmesh, flags)]
        self.alloc_local = max(1, -(-max(end.nbytes for end in ends) // self._complex_bytes))

    @property
    def _complex_bytes(self) -> int:
        return 8 if self.type > Type.R2R else 16

    ni: NDArray[np.intp]
    no: NDArray[np.intp]
    local_ni: NDArray[np.intp]
    local_no: NDArray[np.intp]
    local_i_start: NDArray[np.intp]
    local_o_start: NDArray[np.intp]
    local_i_shape: NDArray[np.intp]
    local_o_shape: NDArray[np.intp]
    local_i_strides: NDArray[np.intp]
    local_o_strides: NDArray[np.intp]
    local_i_slice: tuple[slice, ...]
    local_o_slice: tuple[slice, ...]
    i_edges: list[NDArray[np.intp]]
    o_edges: list[NDArray[np.intp]]
    i_dtype: np.dtype[Any]
    o_dtype: np.dtype[Any]

    def __repr__(self) -> str:
        parts = ("n", "local_ni", "local_no", "local_i_start", "local_o_start", "flags", "type")
        return f"Partition({','.join(f'{name} = {getattr(self, name)!s}' for name in parts)})"


def _ends(type_: Type, n: Sequence[int], procmesh: ProcMesh, flags: Flags) -> tuple[_End, _End]:
    """Both ends of a transform; an error if Weft has none of the kind."""
    mesh = procmesh.ndim
    if not 1 <= len(n) <= MOST_AXES or min(n) < 1:
        raise Error(f"n is {list(n)}; one to {MOST_AXES} positive numbers are needed")
    if type_ % 4 == Type.R2R:
        raise Error(f"type is {type_!r}; C2C, R2C and C2R are needed (weft.FFT has cosine and sine transforms)")
    if flags & (Flags.SHIFTED_IN | Flags.SHIFTED_OUT):
        raise Error(f"flags is {flags!r}; fields cannot be shifted (numpy.fft.fftshift shifts one)")
    if mesh > len(n) or (len(n) == 1 and prod(procmesh.np.tolist()) > 1):
        allowed = f"at most {len(n)} numbers" if len(n) > 1 else "1 (weft.FFT deals one long line)"
        raise Error(f"np is {procmesh.np.tolist()}; a mesh of {len(n)} axes allows {allowed}")
    if mesh == len(n) > 1 and type_ % 4 != Type.C2C and flags & _PADDED:
        raise Error(
            f"flags is {flags!r}; rows are padded only where they are whole, with fewer numbers in np than axes"
        )
    return _end(type_, n, procmesh, flags, True), _end(type_, n, procmesh, flags, False)


class LocalBuffer:
    """Memory of this rank for either end of a transform, or for both; with `base`, that of another buffer. Not collective."""

    def __init__(self, partition: Partition, base: LocalBuffer | None = None) -> None:
        self.partition, self.base = partition, base
        size = partition.alloc_local * partition._complex_bytes
        if base is None:
            self._memory = empty_bytes(size)
        else:
            if base._memory.nbytes < size:
                raise Error(f"base has {base._memory.nbytes} bytes; the partition needs {size}")
            self._memory = base._memory
        self.address: int = self._memory.ctypes.data

    def __contains__(self, other: LocalBuffer) -> bool:
        """Whether both are the same memory."""
        return self.address == other.address

    def view_raw(self, type: type = np.ndarray) -> Any:
        """All of it, as real numbers."""
        return self._memory.view("f4" if self.partition.type > Type.R2R else "f8").view(type)

    def view_input(self, type: type = np.ndarray) -> Any:
        """It as the input of the partition; its axes are those of the mesh, in their order."""
        return self._view(self.partition._input).view(type)

    def view_output(self, type: type = np.ndarray) -> Any:
        """It as the output of the partition; its axes are those of the mesh, in their order."""
        return self._view(self.partition._output).view(type)

    def _view(self, end: _End) -> NDArray[Any]:
        return np.ndarray(end.shape, end.dtype, self._memory, strides=end.strides)


class Plan:
    """A transform from a buffer to another one, or in place where both are one (`o` is `i` by default). Collective.

    `type` and `flags` are those of the partition by default; backward its inverse, with the transposed end at the other side. What is
    behind plans of one problem is kept with the communicator, the last 16 used, and made again where it is gone.

    Raises
    ------
    weft.Error
        On every rank alike, naming what is wrong.
    """

    def __init__(
        self,
        partition: Partition,
        direction: int,
        i: LocalBuffer,
        o: LocalBuffer | None = None,
        type: int | None = None,
        flags: int | None = None,
    ) -> None:
        self.direction = Direction(direction)
        back = self.direction == Direction.BACKWARD
        self.type = (partition.type.inverse if back else partition.type) if type is None else Type(type)
        if flags is None:
            flags = partition.flags
            if back and self.type.is_inverse_of(partition.type) and flags & _TRANSPOSED not in (0, _TRANSPOSED):
                flags ^= _TRANSPOSED
        self.flags = Flags(flags)
        self.inplace = o is None or o in i
        self._procmesh = partition.procmesh
        n = partition.n.tolist()
        if self.type % 4 in (Type.R2C, Type.C2R) and (self.type % 4 == Type.C2R) != back:
            raise Error(f"type is {self.type!r}; {self.direction!r} is not its direction")
        ends = _ends(self.type, n, self._procmesh, self.flags)
        for end in ends:
            dealt = [axis for axis in range(3, len(n)) if len(end.edges[axis]) > 2]
            if dealt:
                raise Error(
                    f"np is {self._procmesh.np.tolist()}; axis {dealt[0]} would be dealt, only axes 0 to 2 can be"
                )
        self._nbytes = max(end.nbytes for end in ends)
        space, spectrum = ends[::-1] if back else ends
        # In place, Weft wants rows that have room for what they become.
        self._moves = self.inplace and (space.padded or space.dtype.kind == "c")
        effort = "patient" if self.flags & (Flags.PATIENT | Flags.EXHAUSTIVE) else "measure"
        self._options: dict[str, Any] = {"effort": "estimate" if self.flags & Flags.ESTIMATE else effort}
        if len(n) > 2 and self._procmesh.ndim == 2 and self._procmesh.np[1] > 1:
            self._options.update(decomposition="pencil", grid=tuple(self._procmesh.np.tolist()))
        self._ends = space, spectrum
        self._plans = _calls.plans_of(self._procmesh.comm)
        self._scratch: NDArray[np.uint8] | None = None
        self._fft()

    def _fft(self) -> FFT:
        """Collective."""
        space, spectrum = self._ends
        key = "pfft", space[:2], space.order, spectrum[:2], spectrum.order, space.dtype, space.padded, self._moves
        options = tuple(self._options.items())
        return self._plans.keep((*key, *self._procmesh.np.tolist(), options), self._make)

    def _make(self) -> FFT:
        space, spectrum = self._ends
        alone = len(space.points) == 1  # Weft's own line of one axis is dealt among ranks
        return FFT(
            (1, *space.points) if alone else space.points,
            self._plans.comm,
            "r2c" if space.dtype.kind == "f" else "c2c",
            dtype=space.dtype,
            input_order=None if alone else space.order,
            output_order=None if alone else spectrum.order,
            padded_rows=space.padded,
            in_place=self._moves,
            input_box=(slice(0, 1), *space.slices) if alone else space.slices,
            output_box=(slice(0, 1), *spectrum.slices) if alone else spectrum.slices,
            **self._options,
        )

    def execute(self, i: LocalBuffer, o: LocalBuffer | None = None) -> None:
        """Transform `i` into `o`, or in place. Collective; the buffers need not be those of planning.

        Raises
        ------
        weft.Error
            On every rank alike, if buffers are too small, or in place where the plan is not, or the other way round.
        """
        fft, out, back = self._fft(), i if o is None else o, self.direction == Direction.BACKWARD
        _mpi.agreed(fft._alive()[1], lambda: self._check(i, out), fft._agree(not back), not back)
        run = fft.backward if back else fft.forward
        source, target = (fft._output, fft._input) if back else (fft._input, fft._output)
        if self._moves:
            run(source.view(i._memory))
        elif self.inplace:
            if self._scratch is None:
                self._scratch = np.empty(target.nbytes, np.uint8)
            run(_of(source, i._memory), _of(target, self._scratch))
            i._memory[: target.nbytes] = self._scratch
        else:
            run(_of(source, i._memory), _of(target, out._memory))

    def _check(self, i: LocalBuffer, o: LocalBuffer) -> None:
        if (o in i) != self.inplace:
            wanted = "one buffer is" if self.inplace else "two buffers are"
            raise Error(f"the plan is {'' if self.inplace else 'not '}in place; {wanted} needed")
        for name, buffer in (("i", i), ("o", o)):
            if buffer._memory.nbytes < self._nbytes:
                raise Error(f"{name} has {buffer._memory.nbytes} bytes; the plan needs {self._nbytes}")

    def __repr__(self) -> str:
        parts = ("flags", "type", "direction", "inplace")
        return f"Plan({','.join(f'{name} = {getattr(self, name)!r}' for name in parts)})"


def _of(side: Side, memory: NDArray[np.uint8]) -> NDArray[Any]:
    return side.view(memory[: side.nbytes])


def _integers(name: str, values: Any) -> NDArray[np.intp]:
    found = np.array(values)
    if found.ndim > 1 or (found.size and found.dtype.kind not in "iu"):
        raise Error(f"{name} is {values!r}; integers are needed")
    return np.atleast_1d(found).astype(np.intp) if found.size else np.zeros(0, np.intp)


def _places(rank: int, shape: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.array(np.unravel_index(rank, shape) if len(shape) else (), np.intp)
