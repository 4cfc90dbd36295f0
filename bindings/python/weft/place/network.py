"""Messages between nodes as flows: those that are on their way at once share the ports of their nodes (or the bus) fairly.

Max-min fairness, by progressive filling (Bertsekas & Gallager 1992): all flows grow together until a port is full. The
messages from one process to another follow each other, as on a connection.
"""

from __future__ import annotations

from collections import deque

from .machine import Link

Port = tuple[str, int]


class Network:
    """What is on its way. Times only grow from call to call."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.left: dict[int, float] = {}  # bytes of each flow
        self.rate: dict[int, float] = {}
        self.ports: dict[int, tuple[Port, ...]] = {}
        self.pair: dict[int, tuple[int, int]] = {}
        self.queue: dict[tuple[int, int], deque[tuple[int, int, tuple[Port, ...]]]] = {}
        self.now = 0.0

    def start(self, m: int, pair: tuple[int, int], size: int, out_of: int, into: int, now: float) -> bool:
        """Message m of a pair of processes is handed over; whether it is on its way at once."""
        ports: tuple[Port, ...] = (("bus", 0),) if self.link.shared else (("out", out_of), ("in", into))
        if pair in self.queue:
            self.queue[pair].append((m, size, ports))
            return False
        self.queue[pair] = deque()
        self._advance(now)
        self._begin(m, pair, size, ports)
        self._share()
        return True

    def next(self) -> float:
        """When the next flow ends, if nothing is added; infinity without flows."""
        return self.now + min((left / self.rate[m] for m, left in self.left.items()), default=float("inf"))

    def ended(self, now: float) -> tuple[list[int], list[int]]:
        """Messages whose last byte has left, and those that begin in their stead."""
        self._advance(now)
        done = [m for m, left in self.left.items() if left <= 1e-6]
        begun = []
        for m in done:
            pair = self.pair.pop(m)
            for table in (self.left, self.rate, self.ports):
                del table[m]
            if self.queue[pair]:
                following, size, ports = self.queue[pair].popleft()
                self._begin(following, pair, size, ports)
                begun.append(following)
            else:
                del self.queue[pair]
        if done:
            self._share()
        return done, begun

    def _begin(self, m: int, pair: tuple[int, int], size: int, ports: tuple[Port, ...]) -> None:
        self.left[m], self.pair[m], self.ports[m] = float(size), pair, ports

    def _advance(self, now: float) -> None:
        for m in self.left:
            self.left[m] -= self.rate[m] * (now - self.now)
        self.now = now

    def _share(self) -> None:
        if len(self.left) == 1:
            self.rate = dict.fromkeys(self.left, self.link.bandwidth)
            return
        room: dict[Port, float] = {}
        flows: dict[Port, set[int]] = {}
        for m, ports in self.ports.items():
            for port in ports:
                room[port] = self.link.bandwidth
                flows.setdefault(port, set()).add(m)
        self.rate = {}
        while flows:
            port = min(flows, key=lambda p: (room[p] / len(flows[p]), p))
            fair = room[port] / len(flows[port])
            for m in flows.pop(port):
                self.rate[m] = fair
                for other in self.ports[m]:
                    if other in flows:
                        flows[other].discard(m)
                        room[other] -= fair
                        if not flows[other]:
                            del flows[other]
