"""Process graphs: what each process computes, sends and receives, in order. No machine and no placement."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Union

from weft import Error
from weft._inputs import read_json
from weft._toml import read_toml

#: Units of work of an amount, by formula; a machine's rate says what a unit costs.
FORMULAS = {
    "sort": lambda n: n * math.log2(n) if n > 1 else 0.0,
    "merge": float,
    "split": float,
    "fft": lambda n: 5 * n * math.log2(n) if n > 1 else 0.0,
    "flops": float,
}


@dataclass(frozen=True)
class Compute:
    """Keeps a processor busy: for `amount` seconds, or for the `amount` of work of a formula at the machine's rate."""

    amount: float
    formula: str = "seconds"

    def __post_init__(self) -> None:
        if self.formula != "seconds" and self.formula not in FORMULAS:
            raise Error(f"formula is '{self.formula}'; allowed are seconds, {', '.join(FORMULAS)}")
        if not (math.isfinite(self.amount) and self.amount >= 0):
            raise Error(f"amount of {self.formula} is {self.amount}; it must be at least 0")


@dataclass(frozen=True)
class Send:
    """Hands a message over; the process goes on when its processor is free again."""

    to: int
    bytes: int

    def __post_init__(self) -> None:
        if self.bytes < 0:
            raise Error(f"bytes is {self.bytes}; it must be at least 0")


@dataclass(frozen=True)
class Receive:
    """Waits for the next message of a process that has not been received yet."""

    source: int


Step = Union[Compute, Send, Receive]


@dataclass(frozen=True)
class Process:
    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Message:
    """The `send` of one step, and the step that receives it: (process, place among its steps)."""

    sender: tuple[int, int]
    receiver: tuple[int, int]
    bytes: int

    @property
    def source(self) -> int:
        return self.sender[0]

    @property
    def to(self) -> int:
        return self.receiver[0]


@dataclass(frozen=True)
class Graph:
    """Processes and their messages. Error for messages that nobody receives, and for deadlocks."""

    name: str
    processes: tuple[Process, ...]
    facts: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        names = [process.name for process in self.processes]
        if not names:
            raise Error(f"the graph '{self.name}' has no process")
        if len(set(names)) < len(names):
            raise Error(f"the graph '{self.name}' has two processes of the same name")
        self.order  # noqa: B018  # finds what is wrong with the messages

    def __len__(self) -> int:
        return len(self.processes)

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The k-th message from one process to another is received by its k-th receive from there."""
        sent: dict[tuple[int, int], list[tuple[int, int]]] = {}
        received: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for p, process in enumerate(self.processes):
            for place, step in enumerate(process.steps):
                if isinstance(step, Compute):
                    continue
                other = step.to if isinstance(step, Send) else step.source
                if not 0 <= other < len(self.processes) or other == p:
                    raise Error(f"process '{process.name}' has a message to or from process {other}")
                if isinstance(step, Send):
                    sent.setdefault((p, other), []).append((p, place))
                else:
                    received.setdefault((other, p), []).append((p, place))
        out = []
        for pair in sorted({*sent, *received}):
            out_of, into = sent.get(pair, []), received.get(pair, [])
            if len(out_of) != len(into):
                a, b = (self.processes[p].name for p in pair)
                raise Error(f"process '{a}' sends {len(out_of)} messages to '{b}', which receives {len(into)}")
            for sender, receiver in zip(out_of, into):
                step = self.processes[sender[0]].steps[sender[1]]
                assert isinstance(step, Send)
                out.append(Message(sender, receiver, step.bytes))
        return tuple(out)

    @cached_property
    def order(self) -> tuple[tuple[int, int], ...]:
        """All steps, (process, place), each after those that it waits for."""
        needs = {message.receiver: message.sender for message in self.messages}
        wakes = {message.sender: message.receiver for message in self.messages}
        done: set[tuple[int, int]] = set()
        out: list[tuple[int, int]] = []
        at = [0] * len(self.processes)
        ready = list(range(len(self.processes)))
        while ready:
            p = ready.pop()
            while at[p] < len(self.processes[p].steps):
                step = (p, at[p])
                if step in needs and needs[step] not in done:
                    break
                done.add(step)
                out.append(step)
                at[p] += 1
                if step in wakes and at[wakes[step][0]] == wakes[step][1]:
                    ready.append(wakes[step][0])
        stuck = [process.name for process, place in zip(self.processes, at) if place < len(process.steps)]
        if stuck:
            raise Error(f"the graph '{self.name}' is deadlocked: {', '.join(stuck)} wait for each other")
        return tuple(out)

    def bytes_between(self) -> dict[tuple[int, int], int]:
        """Bytes from each process to each other one."""
        total: dict[tuple[int, int], int] = {}
        for message in self.messages:
            pair = (message.source, message.to)
            total[pair] = total.get(pair, 0) + message.bytes
        return total


def load_graph(path: str | Path) -> Graph:
    """Read a graph from TOML or JSON:

    ```toml
    name = "two"
    [[process]]
    name = "root"
    steps = [{send = "leaf", bytes = 4000}, {receive = "leaf"}, {compute = 1e-3}]
    [[process]]
    name = "leaf"
    steps = [{receive = "root"}, {compute = {sort = 1000}}, {send = "root", bytes = 4000}]
    ```
    """
    path = Path(path)
    content = read_json(path, "graph") if path.suffix == ".json" else read_toml(path, "graph")
    try:
        return graph_of(content, path.stem)
    except (KeyError, TypeError, AttributeError) as error:
        raise Error(f"'{path}' is not a process graph: {type(error).__name__} {error}") from None


def graph_of(content: Mapping[str, Any], name: str = "graph") -> Graph:
    """The graph from what a file of it holds."""
    rows: Sequence[Mapping[str, Any]] = content["process"]
    number = {row["name"]: p for p, row in enumerate(rows)}
    if len(number) < len(rows):
        raise Error("two processes have the same name")
    processes = tuple(Process(row["name"], tuple(_step(step, number) for step in row["steps"])) for row in rows)
    return Graph(content.get("name", name), processes)


def _step(step: Mapping[str, Any], number: Mapping[str, int]) -> Step:
    def other(name: str) -> int:
        if name not in number:
            raise Error(f"a message goes to or comes from '{name}'; the processes are {', '.join(number)}")
        return number[name]

    kinds = [kind for kind in ("compute", "send", "receive") if kind in step]
    if len(kinds) != 1:
        raise Error(f"a step is {dict(step)}; it must have one of compute, send (with bytes), receive")
    if kinds == ["send"]:
        return Send(other(step["send"]), int(step["bytes"]))
    if kinds == ["receive"]:
        return Receive(other(step["receive"]))
    cost = step["compute"]
    if isinstance(cost, Mapping):
        if len(cost) != 1:
            raise Error(f"compute is {dict(cost)}; it must be seconds, or one formula with its amount")
        (formula, amount), *_ = cost.items()
        return Compute(float(amount), formula)
    return Compute(float(cost))
