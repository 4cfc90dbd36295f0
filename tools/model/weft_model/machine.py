"""Machines: the rates that the model asks of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Table = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Calibration:
    """What was measured, as tables of (size, value, spread) by ascending size. All ranks of a node were busy."""

    ranks: int = 0
    copy_all: Table = ()  #: size of an array; bytes read and written a second by each rank
    copy_one: Table = ()
    neighbour: Table = ()  #: size; seconds of copying what a neighbour has just written
    exchange_node: Table = ()  #: bytes; seconds of an exchange of two ranks, both ways at once
    exchange_network: Table = ()
    pieces_node: Table = ()  #: the same of data in pieces of 512 bytes, described by an MPI datatype
    alltoall: Table = ()  #: bytes for each pair; seconds
    barrier: float = 0.0
    allreduce: float = 0.0
    lines: Mapping[str, Table] = field(default_factory=dict)  #: "rows_double": length; operations a second
    transforms: Mapping[str, Table] = field(default_factory=dict)  #: "c2c_double": n of n^3; seconds there and back
    strategies: Mapping[str, Table] = field(default_factory=dict)  #: n of n^3 on all ranks; seconds there and back


@dataclass(frozen=True)
class Machine:
    """Nodes that are alike, with cores that are alike. Without a calibration, rates do not depend on sizes."""

    name: str
    nodes: int
    cores: int
    flops: float
    memory_bandwidth: float
    core_bandwidth: float
    latency: float
    bandwidth: float
    shared: bool = False
    nodes_per_segment: int = 0
    efficiency: float = 1.0
    gap: float = 0.0
    overhead: float = 0.0
    copy_bandwidth: float = math.inf
    node_latency: float = 0.5e-6
    node_bandwidth: float = 5e9
    node_gap: float = 0.0
    eager: int = 16384
    alltoall_short: int = 256
    assumed: tuple[str, ...] = ()
    calibration: Calibration = Calibration()
    #: Seconds of a call beyond its passes, and by what factor passes take longer than the formulas say: rows of
    #: (bytes gone through, factor) by "c2c_double". `fit` finds them.
    call: float = 0.0
    pass_factors: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    #: The same of everything that ranks of a node do together, by strategy.
    strategy_factors: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)

    @property
    def memory_hidden(self) -> float:
        """The part of the shorter of the two, memory and computation, that the longer one hides. Where it was measured
        they add up; of a machine that is only described one expects the best, as the lab does."""
        return 0.0 if self.calibration.copy_all else 1.0

    def memory_rate(self, footprint: float, ranks: int) -> float:
        """Bytes read and written a second by each of `ranks` ranks of a node that go through `footprint` bytes."""
        share = min(self.core_bandwidth, self.memory_bandwidth / min(ranks, self.cores))
        measured = self.calibration
        if not measured.copy_all:
            return share
        # A copied array is half of what a copy touches.
        alone = interpolated(measured.copy_one, footprint / 2)
        busy = interpolated(measured.copy_all, footprint / 2)
        if self.cores == 1 or ranks == 1:
            return alone
        return alone + (busy - alone) * (min(ranks, self.cores) - 1) / (self.cores - 1)

    def pass_factor(self, kind: str, precision: str, footprint: float) -> float:
        """By what factor passes take longer than the formulas say."""
        table = self.pass_factors.get(f"{'c2c' if kind == 'c2c' else 'r2c'}_{precision}")
        return interpolated(table, footprint) if table else 1.0

    def strategy_factor(self, strategy: str, footprint: float) -> float:
        """By what factor the ranks of a node take longer with a strategy than the formulas say."""
        table = self.strategy_factors.get(strategy)
        return interpolated(table, footprint) if table else 1.0

    def neighbour_seconds(self, size: float) -> float:
        """How much longer a core takes to copy so many bytes, in all, where another core has just written them."""
        measured = self.calibration
        if not measured.neighbour:
            return 0.0
        return max(0.0, interpolated(measured.neighbour, size) - 2 * size / interpolated(measured.copy_all, size))

    def line_rate(self, lines: str, precision: str, n: int) -> float:
        """Operations (5 n log2 n a line) a second of one core: `lines` are rows, real_rows or columns."""
        table = self.calibration.lines.get(f"{lines}_{precision}")
        if not table:
            return self.flops * (2 if precision == "single" else 1)
        # Lengths of a kind are alike: powers of two, products of small primes, and those with a large prime.
        alike = [row for row in table if _kind(round(row[0])) == _kind(n)]
        return interpolated(alike or table, n)

    def node_exchange(self, size: float, pieces: bool, busy: bool) -> float:
        """Seconds of a rank that exchanges messages of `size` bytes with a neighbour; `busy`: all others do so too."""
        measured = self.calibration
        if not measured.exchange_node:
            return self.node_latency + self.node_gap + size / self.node_bandwidth
        seconds = interpolated(measured.exchange_node, size)
        if busy and measured.ranks > 1 and measured.alltoall:
            apart = (measured.ranks - 1) * seconds
            seconds *= max(1.0, interpolated(measured.alltoall, size) / apart)
        if pieces:
            ratio = [
                (row[0], row[1] / interpolated(measured.exchange_node, row[0]), 0.0) for row in measured.pieces_node
            ]
            seconds *= max(1.0, interpolated(ratio, size)) if ratio else 1.0
        return seconds


def interpolated(table: Table, at: float) -> float:
    """Between the rows of a table, linear in the logarithms; beyond its ends as far as the end goes, a rate stays, and
    what grows with size (seconds) goes on growing."""
    if len(table) == 1 or at <= table[0][0]:
        return table[0][1]
    for (x0, y0, *_), (x1, y1, *_) in itertools.pairwise(table):
        if at <= x1:
            part = math.log(at / x0) / math.log(x1 / x0)
            return y0 * (y1 / y0) ** part
    (x0, y0, *_), (x1, y1, *_) = table[-2], table[-1]
    slope = math.log(y1 / y0) / math.log(x1 / x0)
    return y1 * (at / x1) if slope > 0.7 else y1


def _kind(n: int) -> str:
    if n & (n - 1) == 0:
        return "power"
    for prime in (2, 3, 5, 7):
        while n % prime == 0:
            n //= prime
    return "smooth" if n == 1 else "rough"
