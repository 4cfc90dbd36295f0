"""Lower bounds of the time of a placement that may be known in part: what no schedule whatever can beat.

* The longest way through the steps, with messages at what they cost between these processors, or at the least they
  can cost.
* A processor does its steps one after the other, and each has a head (what must come before it) and a tail (what must
  come after it). Jackson's preemptive schedule of such steps is a lower bound of every schedule of them (Carlier 1982).
  The same holds for a bus, and for each port of a node.
* All work, however it is spread over the processors that there are.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from .schedule import _COMPUTE, _SEND, Model

Job = tuple[float, float, float]  # head, seconds, tail


def one_machine(jobs: Iterable[Job]) -> float:
    """Jackson's preemptive schedule: whatever has come and has the longest tail is next."""
    waiting = sorted(jobs)
    ready: list[tuple[float, float]] = []  # -tail, seconds left
    now, end, i = 0.0, 0.0, 0
    while i < len(waiting) or ready:
        if not ready:
            now = max(now, waiting[i][0])
        while i < len(waiting) and waiting[i][0] <= now:
            heapq.heappush(ready, (-waiting[i][2], waiting[i][1]))
            i += 1
        tail, left = heapq.heappop(ready)
        until = waiting[i][0] if i < len(waiting) else float("inf")
        if now + left > until:
            heapq.heappush(ready, (tail, now + left - until))
            now = until
        else:
            now += left
            end = max(end, now - tail)
    return end


class Bounds:
    """Lower bounds for one model. A placement has -1 for a process that is not placed yet."""

    def __init__(self, model: Model) -> None:
        self.model = model
        network = model.machine.network
        self.delay = [network.latency + seconds for seconds in model.wire]
        self.least = [min(copy, delay) for copy, delay in zip(model.copy, self.delay)]
        self.receiver = {message.sender: message.receiver for message in model.graph.messages}
        self.sender = {message.receiver: message.sender for message in model.graph.messages}

    def bound(self, placement: Sequence[int]) -> float:
        """No schedule of a placement that has these processes where they are can be shorter."""
        model, machine = self.model, self.model.machine
        node = [machine.node_of(p) if p >= 0 else -1 for p in placement]
        cost: dict[tuple[int, int], tuple[float, float, int]] = {}  # on the processor, on the way, message
        for p, steps in enumerate(model.steps):
            for place, (kind, seconds, m) in enumerate(steps):
                if kind == _COMPUTE:
                    cost[p, place] = (seconds, 0.0, -1)
                elif kind == _SEND:
                    a, b = node[p], node[model.ends[m][1]]
                    if a < 0 or b < 0:
                        cost[p, place] = (0.0, self.least[m], m)
                    elif a == b:
                        cost[p, place] = (model.copy[m], 0.0, m)
                    else:
                        cost[p, place] = (0.0, self.delay[m], m)
                else:
                    cost[p, place] = (0.0, 0.0, m)

        head: dict[tuple[int, int], float] = {}
        for p, place in model.graph.order:
            begin = 0.0
            if place > 0:
                begin = head[p, place - 1] + cost[p, place - 1][0]
            if (p, place) in self.sender:
                sender = self.sender[p, place]
                begin = max(begin, head[sender] + cost[sender][0] + cost[sender][1])
            head[p, place] = begin
        tail: dict[tuple[int, int], float] = {}  # from the end of a step to the end of the program
        longest = 0.0
        for p, place in reversed(model.graph.order):
            after = 0.0
            if place + 1 < len(model.steps[p]):
                after = cost[p, place + 1][0] + tail[p, place + 1]
            if (p, place) in self.receiver:
                receiver = self.receiver[p, place]
                after = max(after, cost[p, place][1] + cost[receiver][0] + tail[receiver])
            tail[p, place] = after
            longest = max(longest, head[p, place] + cost[p, place][0] + after)

        processors: dict[int, list[Job]] = {}
        links: dict[tuple[str, int], list[Job]] = {}
        total, heads, tails = 0.0, [], []
        for (p, place), (seconds, delay, m) in cost.items():
            h, t = head[p, place], tail[p, place]
            if seconds > 0:
                total += seconds
                heads.append(h)
                tails.append(t)
                if placement[p] >= 0:
                    processors.setdefault(placement[p], []).append((h, seconds, t))
            if delay > 0 and model.steps[p][place][0] == _SEND:
                a, b = node[p], node[model.ends[m][1]]
                if a >= 0 and b >= 0 and a != b:
                    # Behind the wire come the latency and what the receiver does next.
                    receiver = self.receiver[p, place]
                    rest = machine.network.latency + cost[receiver][0] + tail[receiver]
                    for port in [("bus", 0)] if machine.network.shared else [("out", a), ("in", b)]:
                        links.setdefault(port, []).append((h, model.wire[m], rest))
        best = longest
        for jobs in (*processors.values(), *links.values()):
            if len(jobs) > 1:
                best = max(best, one_machine(jobs))
        # If k processors are used: each waits for its first step, does its share, and is followed by what remains.
        heads.sort()
        tails.sort()
        spread = float("inf")
        sums = total
        for k in range(min(machine.processors, len(heads))):
            sums += heads[k] + tails[k]
            spread = min(spread, sums / (k + 1))
        if heads:
            best = max(best, spread)
        return best * (1 - 1e-12)  # sums in another order than the schedule's
