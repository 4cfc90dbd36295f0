"""A trace as the library writes it, read back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft._inputs import read_text

from ..output import CommandError
from ..reading import reading

NO_TRACE = "it is not a trace that Weft has written"


@dataclass(frozen=True)
class Slice:
    """A piece of one rank's time, in seconds."""

    rank: int
    name: str
    """agree, acquire, produce, consume, consume + produce, compute, start, test or wait; of executions the direction."""
    category: str
    """execution, synchronisation, compute, start, test or wait."""
    begin: float
    end: float
    arguments: dict[str, Any]

    @property
    def seconds(self) -> float:
        return self.end - self.begin


@dataclass(frozen=True)
class Flight:
    """A tile on its way, from the beginning of its start to the end of the wait for it."""

    rank: int
    direction: str
    exchange: int
    tile: int
    begin: float
    end: float
    arguments: dict[str, Any]


@dataclass
class Trace:
    """All ranks' slices and flights, by their beginnings."""

    slices: list[Slice] = field(default_factory=list)
    flights: list[Flight] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def ranks(self) -> list[int]:
        return sorted({item.rank for item in self.slices})

    @property
    def executions(self) -> list[Slice]:
        return [item for item in self.slices if item.category == "execution"]

    def exchanges(self) -> list[tuple[str, int]]:
        """Every exchange: its direction and number, forward's first."""
        found = {(item.direction, item.exchange) for item in self.flights}
        return sorted(found, key=lambda item: (item[0] == "backward", item[1]))

    def last(self, count: int) -> Trace:
        """The last `count` executions of every rank, with the agreements before them."""
        since, before = {}, {}
        for rank in self.ranks:
            mine = [item for item in self.executions if item.rank == rank]
            since[rank] = mine[-count].begin if len(mine) >= count else float("-inf")
            before[rank] = mine[-count - 1].end if len(mine) > count else float("-inf")
        kept = [
            item
            for item in self.slices
            if item.begin >= since[item.rank]
            or ((item.category == "synchronisation" or item.name == "parts") and item.begin >= before[item.rank])
        ]
        return Trace(kept, [item for item in self.flights if item.begin >= since[item.rank]], self.notes)

    def begin(self) -> float:
        return min((item.begin for item in self.slices), default=0.0)

    def end(self) -> float:
        return max((item.end for item in self.slices), default=0.0)


def read(path: Path) -> Trace:
    """Read a trace file; CommandError if it is none."""
    with reading(path, NO_TRACE):
        content = json.loads(read_text(path))
        if content["otherData"]["program"] != "weft":
            raise ValueError("it is of another program")
        return _trace(path, content["traceEvents"])


def _trace(path: Path, events: list[dict[str, Any]]) -> Trace:
    trace = Trace()
    started: dict[str, dict[str, Any]] = {}
    for event in events:
        phase, rank = event["ph"], event["pid"]
        begin = event.get("ts", 0.0) * 1e-6
        if phase == "X":
            end = begin + event["dur"] * 1e-6
            trace.slices.append(Slice(rank, event["name"], event["cat"], begin, end, event["args"]))
        elif phase == "b":
            started[event["id"]] = event
        elif phase == "e":
            first = started.pop(event["id"])
            given = first["args"]
            trace.flights.append(
                Flight(rank, given["direction"], given["exchange"], given["tile"], first["ts"] * 1e-6, begin, given)
            )
        elif phase == "i":
            trace.notes.append(f"rank {rank}: {event['name']}")
    if not trace.executions:
        raise CommandError(f"'{path}' has no executions")
    trace.slices.sort(key=lambda item: (item.begin, -item.end))
    trace.flights.sort(key=lambda item: item.begin)
    return trace
