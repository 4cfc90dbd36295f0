"""Prediction: the schedule of a placed process graph, event by event.

A processor runs one process at a time. `run`: until it waits or ends; then the ready process with the longest way to
the end of the program is next. `slices`: each ready process in turn, for a slice of time. A message inside a node is a
copy that keeps its sender's processor busy; one between nodes leaves the processors alone, and shares the ports of its
nodes, or the bus, with what else is on its way (network.py).
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from weft import Error

from .graph import Compute, Graph, Send
from .machine import Machine
from .network import Network

POLICIES = ("run", "slices")
#: Of all processes together, in one prediction: some seconds of simulation.
MOST_SLICES = 1_000_000
_COMPUTE, _SEND, _RECEIVE = range(3)


@dataclass
class Activity:
    """Something that takes time. `cause` is the activity whose end it began at, or that it had to wait for."""

    what: str
    """compute or send (a processor is busy), or message (a link is)."""
    process: int
    to: int
    step: int
    processor: int
    begin: float
    end: float
    arrival: float
    """When the receiver has it; of a message later than its end, by the latency."""
    bytes: int = 0
    cause: int = -1


@dataclass
class Schedule:
    """What the prediction says of one placement."""

    graph: Graph
    machine: Machine
    placement: tuple[int, ...]
    policy: str
    seconds: float
    activities: list[Activity] = field(default_factory=list)

    def network_bytes(self) -> int:
        """Bytes that cross between nodes."""
        return sum(item.bytes for item in self.activities if item.what == "message")

    def link_bytes(self) -> dict[tuple[int, int], int]:
        """Bytes from node to node; inside of a node too."""
        total: dict[tuple[int, int], int] = {}
        for item in self.activities:
            if item.to >= 0:
                pair = tuple(self.machine.node_of(self.placement[p]) for p in (item.process, item.to))
                total[pair] = total.get(pair, 0) + item.bytes  # type: ignore[index, arg-type]
        return total  # type: ignore[return-value]

    def busy(self) -> list[float]:
        """Seconds that each processor computes or copies."""
        out = [0.0] * self.machine.processors
        for item in self.activities:
            if item.what != "message":
                out[item.processor] += item.end - item.begin
        return out

    def critical_path(self) -> list[Activity]:
        """Activities from the start to the end, each of which had to wait for the one before."""
        if not self.activities:
            return []
        at = max(range(len(self.activities)), key=lambda i: self.activities[i].arrival)
        out = []
        while at >= 0:
            out.append(self.activities[at])
            at = out[-1].cause
        return out[::-1]


class Model:
    """A graph on a machine, made ready for the prediction of many placements."""

    def __init__(self, graph: Graph, machine: Machine) -> None:
        self.graph, self.machine = graph, machine
        number = {message.sender: m for m, message in enumerate(graph.messages)}
        number.update({message.receiver: m for m, message in enumerate(graph.messages)})
        self.steps: list[list[tuple[int, float, int]]] = []
        for p, process in enumerate(graph.processes):
            row = []
            for place, step in enumerate(process.steps):
                if isinstance(step, Compute):
                    seconds = machine.seconds(step)
                    if not math.isfinite(seconds):
                        raise Error(
                            f"amount of {step.formula} is {step.amount}; it takes {seconds} s on {machine.name}"
                        )
                    row.append((_COMPUTE, seconds, -1))
                else:
                    row.append((_SEND if isinstance(step, Send) else _RECEIVE, 0.0, number[p, place]))
            self.steps.append(row)
        self.ends = [(message.source, message.to) for message in graph.messages]
        self.bytes = [message.bytes for message in graph.messages]
        self.wire = [message.bytes / machine.network.bandwidth for message in graph.messages]
        self.copy = [machine.node.latency + message.bytes / machine.node.bandwidth for message in graph.messages]
        # Of all processors together, at most: where no message leaves its node.
        self.busy = sum(seconds for row in self.steps for _, seconds, _ in row) + sum(self.copy)
        self.urgency = self._urgency()

    def _urgency(self) -> list[list[float]]:
        """The longest way from each step to the end of the program, of computation alone."""
        out = [[0.0] * (len(row) + 1) for row in self.steps]
        receivers = {message.sender: message.receiver for message in self.graph.messages}
        for p, place in reversed(self.graph.order):
            rest = out[p][place + 1]
            if (p, place) in receivers:
                q, at = receivers[p, place]
                rest = max(rest, out[q][at])
            out[p][place] = self.steps[p][place][1] + rest
        return out

    def _check_slices(self, time_slice: float) -> None:
        """Each slice is an event of the simulation: an answer that would take minutes is refused."""
        if self.busy / time_slice > MOST_SLICES:
            raise Error(
                f"time_slice is {time_slice} s; the processes need up to {self.busy:.3g} s, so it must be at least "
                f"{self.busy / MOST_SLICES:.3g} s"
            )

    def predict(
        self,
        placement: Sequence[int],
        policy: str = "run",
        time_slice: float = 0.01,
        record: bool = True,
        stop: float = float("inf"),
    ) -> Schedule:
        """The schedule of a placement: the processor of each process. Given up, with infinite seconds, after `stop`."""
        machine = self.machine
        if len(placement) != len(self.steps):
            raise Error(f"placement has {len(placement)} processors; the graph has {len(self.steps)} processes")
        for processor in placement:
            if not 0 <= processor < machine.processors:
                raise Error(f"placement has processor {processor}; the machine has 0 to {machine.processors - 1}")
        if policy not in POLICIES:
            raise Error(f"policy is '{policy}'; allowed are {', '.join(POLICIES)}")
        if not time_slice > 0:
            raise Error(f"time_slice is {time_slice} s; it must be above 0")
        if policy == "slices":
            self._check_slices(time_slice)
        run = _Run(self, tuple(placement), time_slice if policy == "slices" else float("inf"), record)
        seconds = run.all(stop)
        return Schedule(self.graph, machine, tuple(placement), policy, seconds, run.activities)


def predict(
    graph: Graph, machine: Machine, placement: Sequence[int], policy: str = "run", time_slice: float = 0.01
) -> Schedule:
    """The schedule of one placement."""
    return Model(graph, machine).predict(placement, policy, time_slice)


class _Run:
    """One simulation. Events are (time, number, kind, of what)."""

    def __init__(self, model: Model, placement: tuple[int, ...], time_slice: float, record: bool) -> None:
        machine, processes = model.machine, len(model.steps)
        self.model, self.placement, self.slice, self.record = model, placement, time_slice, record
        self.node = [machine.node_of(processor) for processor in placement]
        self.activities: list[Activity] = []
        self.events: list[tuple[float, int, int, int]] = []
        self.number = 0
        self.at = [0] * processes
        self.left = [-1.0] * processes  # of a step that has begun
        self.quantum = [0.0] * processes  # what is left of its slice
        self.come = [False] * len(model.ends)
        self.waiting = [-1] * processes  # for which message
        self.running = [-1] * machine.processors
        self.ready: list[deque[int]] = [deque() for _ in range(machine.processors)]
        self.network = Network(machine.network)
        self.looked = 0  # at the network, the last time
        self.activity_of: dict[int, int] = {}  # of a message
        self.by_process = [-1] * processes  # what a process had to wait for last
        self.by_processor = [-1] * machine.processors

    def all(self, stop: float) -> float:
        for p in range(len(self.at)):
            self.ready[self.placement[p]].append(p)
        for processor in range(len(self.running)):
            self._dispatch(processor, 0.0)
        end = 0.0
        while self.events:
            now, _, kind, of = heapq.heappop(self.events)
            if now > stop:
                return float("inf")
            if kind == 0:
                self._arrived(of, now)
            elif kind == 1:
                self._slice_over(of, now)
            elif of == self.looked:
                self._sent(now)
            else:
                continue  # something has begun since
            end = now
        return end

    def _event(self, time: float, kind: int, of: int) -> None:
        self.number += 1
        heapq.heappush(self.events, (time, self.number, kind, of))

    def _dispatch(self, processor: int, now: float) -> None:
        """Give the processor to the next process that can use it."""
        while self.running[processor] < 0 and self.ready[processor]:
            queue = self.ready[processor]
            if self.slice == float("inf") and len(queue) > 1:
                urgency, at = self.model.urgency, self.at
                p = max(queue, key=lambda q: (urgency[q][at[q]], -q))
                queue.remove(p)
            else:
                p = queue.popleft()
            self.quantum[p] = self.slice
            self._go_on(p, processor, now)

    def _go_on(self, p: int, processor: int, now: float) -> None:
        """Run the process until it needs time, waits or ends."""
        model, steps = self.model, self.model.steps[p]
        while self.at[p] < len(steps):
            kind, seconds, m = steps[self.at[p]]
            if kind == _RECEIVE:
                if not self.come[m]:
                    self.waiting[p] = m
                    return
            elif kind == _SEND and self.node[model.ends[m][1]] != self.node[p]:
                self._onto_network(m, p, now)
            else:
                if self.left[p] < 0:
                    self.left[p] = model.copy[m] if kind == _SEND else seconds
                self._occupy(p, processor, now, kind, m)
                return
            self.at[p] += 1

    def _occupy(self, p: int, processor: int, now: float, kind: int, m: int) -> None:
        seconds = min(self.left[p], self.quantum[p])
        self.left[p] -= seconds
        self.quantum[p] -= seconds
        self.running[processor] = p
        self._event(now + seconds, 1, processor)
        if not self.record:
            return
        cause = self._latest(self.by_process[p], self.by_processor[processor])
        if cause >= 0:
            last = self.activities[cause]
            if (last.process, last.step, last.what == "message") == (p, self.at[p], False) and last.end == now:
                last.end = last.arrival = now + seconds  # another slice of the same
                return
        name, to, size = ("send", self.model.ends[m][1], self.model.bytes[m]) if kind == _SEND else ("compute", -1, 0)
        self._note(Activity(name, p, to, self.at[p], processor, now, now + seconds, now + seconds, size, cause), m)
        self.by_process[p] = self.by_processor[processor] = len(self.activities) - 1

    def _slice_over(self, processor: int, now: float) -> None:
        p = self.running[processor]
        if self.left[p] <= 0:
            self.left[p] = -1.0
            kind, _, m = self.model.steps[p][self.at[p]]
            self.at[p] += 1
            if kind == _SEND:
                self._arrived(m, now)
        self.running[processor] = -1
        if self.quantum[p] > 0:
            self._go_on(p, processor, now)
        else:
            self.ready[processor].append(p)
        self._dispatch(processor, now)

    def _onto_network(self, m: int, p: int, now: float) -> None:
        q = self.model.ends[m][1]
        if self.record:
            # When it is on its way, and when it has come, is not known yet.
            cause = self._latest(self.by_process[p], self.by_processor[self.placement[p]])
            self._note(Activity("message", p, q, self.at[p], -1, now, now, now, self.model.bytes[m], cause), m)
        if self.network.start(m, (p, q), self.model.bytes[m], self.node[p], self.node[q], now):
            self._look(now)

    def _look(self, now: float) -> None:
        self.looked += 1
        self._event(max(now, self.network.next()), 2, self.looked)

    def _sent(self, now: float) -> None:
        done, begun = self.network.ended(now)
        for m in done:
            arrival = now + self.model.machine.network.latency
            self._event(arrival, 0, m)
            if self.record:
                item = self.activities[self.activity_of[m]]
                item.end, item.arrival = now, arrival
        for m in begun:
            if self.record:
                item = self.activities[self.activity_of[m]]
                before = next(other for other in done if self.model.ends[other] == self.model.ends[m])
                item.begin, item.cause = now, self.activity_of[before]
        if self.network.left:
            self._look(now)

    def _arrived(self, m: int, now: float) -> None:
        self.come[m] = True
        p = self.model.ends[m][1]
        if self.waiting[p] != m:
            return
        self.waiting[p] = -1
        if self.record:
            self.by_process[p] = self.activity_of[m]
        processor = self.placement[p]
        self.ready[processor].append(p)
        self._dispatch(processor, now)

    def _note(self, activity: Activity, m: int) -> None:
        self.activity_of[m] = len(self.activities)
        self.activities.append(activity)

    def _latest(self, *candidates: int) -> int:
        return max(candidates, key=lambda i: (self.activities[i].arrival, i) if i >= 0 else (-1.0, -1))
