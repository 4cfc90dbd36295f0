"""What transforms and operators have in common: an array at each end, and what executions have cost."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _files, _mpi
from ._collective import Collective
from ._errors import Error
from ._memory import empty_bytes
from ._parts import Parts
from ._side import Side


@dataclass(frozen=True)
class ExchangeStatistics:
    """What one exchange has cost so far on this rank. Times are wall-clock seconds."""

    direction: str
    """forward or backward."""
    number: int
    """As `FFT.explain` counts."""
    start: float
    """Handing its tiles to MPI."""
    test: float
    """Progressing MPI from inside the computation."""
    wait: float
    """Waiting for its tiles."""
    in_flight: float
    """From the start of a tile to its end; where several overlap, counted once."""
    hidden: float
    """Of this, while the rank computed."""
    messages: int
    bytes_sent: int

    @property
    def exposed(self) -> float:
        """Start, test and wait: the rank did nothing else."""
        return self.start + self.test + self.wait


@dataclass(frozen=True)
class Statistics:
    """What executions have cost so far on this rank. Times are wall-clock seconds."""

    executions: int
    total: float
    """From beginning to end of the executions: compute, start, test, wait and check."""
    compute: float
    """Local FFTs with their gathers and scatters."""
    start: float
    """Handing tiles to MPI (all of the exchange where the strategy blocks)."""
    test: float
    """Progressing MPI from inside the computation."""
    wait: float
    """Waiting for tiles."""
    check: float
    """Agreeing on arguments: the synchronisation of all ranks."""
    bytes_read: int
    """Bytes of arrays and exchange buffers that Weft itself read."""
    bytes_written: int
    messages: int
    """Messages to other ranks."""
    bytes_sent: int
    wire_error: float
    """With the option `measure_wire`: the largest error of a number that this rank has rounded for the wire, relative to its
    magnitude."""
    core_round_trip: float
    """Seconds that a cache line took, when that was last timed, from this rank's core to that of the rank half of the
    node's ranks away and back (of a rank without others on its node: between two threads); 0: it was not timed."""
    core_moves: int
    """How often passes have begun to write past the caches what they pass on there, or have stopped to, since that time
    had changed: the host of a virtual machine had moved its cores."""
    exchanges: tuple[ExchangeStatistics, ...]
    """The same for each exchange, forward's first."""

    @classmethod
    def of(cls, found: dict[str, Any]) -> Statistics:
        """From what the library counts."""
        exchanges = tuple(ExchangeStatistics(**exchange) for exchange in found["exchanges"])
        return cls(**{**found, "exchanges": exchanges})


class _Call(NamedTuple):
    """A checked call: out-of-place when `source` is there, in place otherwise."""

    source: NDArray[Any] | None
    target: NDArray[Any]
    result: NDArray[Any]


class _Counting(Protocol):
    def drop_trace(self) -> None: ...
    def statistics(self) -> dict[str, Any]: ...
    def reset_statistics(self) -> None: ...


Bound = TypeVar("Bound", bound=_Counting)


class TwoEnds(Collective[Bound]):
    """Something that takes an array of this rank and gives one."""

    _input: Side
    _output: Side
    _input_parts: Parts
    _output_parts: Parts
    _in_place: bool
    _check: bool

    def _prepared(
        self,
        agree: Callable[[str], None] | None,
        x: Any,
        out: Any,
        name: str,
        source: Side,
        target: Side,
        forward: bool | None = None,
    ) -> _Call:
        """The arrays of a call, checked; an error on any rank is one on all, unless the option ``check`` is off.

        Agreed through what is to run, if that is given: its execution agrees as well, so that ranks without an error go on
        to it.
        """

        def prepare() -> _Call:
            if self._in_place:
                return self._prepare_in_place(x, out, name, source, target)
            return self._prepare(x, out, name, source, target)

        return _mpi.agreed(self._alive()[1], prepare, agree, forward) if self._check else prepare()

    @staticmethod
    def _prepare(x: Any, out: Any, name: str, source: Side, target: Side) -> _Call:
        given = source.check(x, name, written=False)
        result = target.empty() if out is None else out
        written = target.check(result, "out", written=True)
        if np.may_share_memory(given, written):
            raise Error(f"out overlaps {name}; separate arrays are needed, or a plan with in_place=True")
        return _Call(given, written, result)

    def _prepare_in_place(self, x: Any, out: Any, name: str, source: Side, target: Side) -> _Call:
        if out is not None and out is not x:
            raise Error(f"out is given, but the plan is in place: the result lies in the memory of {name}")
        memory = source.memory(x, name, self._shared_bytes())
        return _Call(None, memory, target.view(memory))

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Shape of this rank's input, with a leading axis for several fields (a last one if interleaved)."""
        return self._input.shape

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Shape of this rank's output, with a leading axis for several fields (a last one if interleaved)."""
        return self._output.shape

    @property
    def input_slice(self) -> tuple[slice, ...]:
        """The slices that cut this rank's input out of the global grid, ghosts left out."""
        return self._slices(self._input_parts, self._input)

    @property
    def output_slice(self) -> tuple[slice, ...]:
        """The slices that cut this rank's output out of the global grid, ghosts left out."""
        return self._slices(self._output_parts, self._output)

    @staticmethod
    def _slices(parts: Parts, side: Side) -> tuple[slice, ...]:
        if parts.several:
            raise Error("ranks have several boxes at this end; input_boxes and output_boxes tell which")
        return side.slices

    @property
    def input_boxes(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """This rank's boxes at the input as corners ``(lo, hi)``, with their ghosts, in the order of its array. Indices of ghosts
        may be below 0 and above the grid's shape, where they are images of points of the other side."""
        return self._input_parts.boxes

    @property
    def output_boxes(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The same at the output."""
        return self._output_parts.boxes

    @property
    def input_inner(self) -> list[tuple[slice, ...]]:
        """For each of `input_boxes` the slices that cut it without its ghosts out of what `input_parts` gives."""
        return self._input_parts.inner

    @property
    def output_inner(self) -> list[tuple[slice, ...]]:
        """The same at the output."""
        return self._output_parts.inner

    def input_parts(self, x: NDArray[Any]) -> list[NDArray[Any]]:
        """The boxes in an array of `input_shape`, each in its own shape, in the same memory."""
        return self._input_parts.views(x, self._input)

    def output_parts(self, y: NDArray[Any]) -> list[NDArray[Any]]:
        """The boxes in an array of `output_shape`, each in its own shape, in the same memory."""
        return self._output_parts.views(y, self._output)

    @property
    def input_box(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """This rank's input as corners ``(lo, hi)``, half open."""
        return self._input.box

    @property
    def output_box(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """This rank's output as corners ``(lo, hi)``, half open."""
        return self._output.box

    @property
    def input_dtype(self) -> np.dtype[Any]:
        """Type of the input."""
        return self._input.dtype

    @property
    def output_dtype(self) -> np.dtype[Any]:
        """Type of the output."""
        return self._output.dtype

    @property
    def in_place(self) -> bool:
        """Whether input and output share one array."""
        return self._in_place

    def empty_input(self) -> NDArray[Any]:
        """A new, uninitialised array for the input; for in-place plans large enough for both sides."""
        return self._empty(self._input)

    def empty_output(self) -> NDArray[Any]:
        """A new, uninitialised array for the output; for in-place plans large enough for both sides."""
        return self._empty(self._output)

    def _empty(self, side: Side) -> NDArray[Any]:
        if not self._in_place:
            return side.empty()
        return side.view(empty_bytes(self._shared_bytes()))

    def _shared_bytes(self) -> int:
        return max(self._input.nbytes, self._output.nbytes)

    def write_input(
        self,
        path: str | os.PathLike[str],
        x: NDArray[Any],
        name: str = "field",
        *,
        mode: str = "w",
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the input of all ranks to an HDF5 file, as one dataset of the global grid. Collective; needs h5py.

        All ranks write at once where h5py is built with MPI. Otherwise rank 0 writes, some megabytes at a time. The file is whole
        or not there: it is written beside its path, and gets its name at the end.

        Parameters
        ----------
        path : path of the file
        x : array of `input_shape` and `input_dtype`
            This rank's part.
        name : str
            Of the dataset. Its axes are those of the grid, in the grid's order, before them the axes for several fields (behind them if
            interleaved).
        mode : {'w', 'a'}
            Whether the file is made anew, or keeps its other datasets if it is there; for that it is copied first.
        attributes : mapping, optional
            Attributes of the dataset, the same on all ranks: ``{'time': 0.5}``.

        Raises
        ------
        weft.Error
            On every rank alike; an existing file is then as it was.
        """
        _files.write(self._alive()[1], path, name, self._input, x, mode, attributes)

    def write_output(
        self,
        path: str | os.PathLike[str],
        y: NDArray[Any],
        name: str = "field",
        *,
        mode: str = "w",
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the output of all ranks to an HDF5 file. Collective; as `write_input`, with arrays of `output_shape`."""
        _files.write(self._alive()[1], path, name, self._output, y, mode, attributes)

    def read_input(
        self, path: str | os.PathLike[str], name: str = "field", out: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """Read this rank's part of the input from an HDF5 file. Collective; needs h5py.

        Any number of ranks, layout and order of axes may have written it, or another program. Every rank reads its own part, so
        each must see the file.

        Parameters
        ----------
        path : path of the file
        name : str
            Of the dataset: an array of the global grid, as `write_input` writes it. Single precision may be read as double, and the
            other way round; real numbers as complex ones.
        out : array of `input_shape` and `input_dtype`, optional
            Where to write; what `empty_input` gives by default.

        Returns
        -------
        array
            `out`.

        Raises
        ------
        weft.Error
            On every rank alike.
        """
        return self._read(path, name, self._input, out)

    def read_output(
        self, path: str | os.PathLike[str], name: str = "field", out: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """Read this rank's part of the output from an HDF5 file. Collective; as `read_input`, with arrays of `output_shape`."""
        return self._read(path, name, self._output, out)

    def _read(self, path: Any, name: str, side: Side, out: NDArray[Any] | None) -> NDArray[Any]:
        target = self._empty(side) if out is None else out
        _files.read(self._alive()[1], path, name, side, target)
        return target

    @property
    def statistics(self) -> Statistics:
        """What executions have cost so far on this rank."""
        return Statistics.of(self._alive()[0].statistics())

    def reset_statistics(self) -> None:
        """Start counting anew, and forget what has been traced."""
        self._alive()[0].reset_statistics()
