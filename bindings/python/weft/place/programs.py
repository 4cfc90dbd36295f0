"""Process graphs of programs: the tree merge sort, and the exchanges of an FFT plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weft import Error

from .graph import Compute, Graph, Process, Receive, Send, Step


def tree_sort(n: int = 50_000, levels: int = 3, arity: int = 2, itemsize: int = 4, chunks: int = 1) -> Graph:
    """The parallel merge sort: the root splits, inner processes split again, leaves sort, results merge upward.

    Processes are numbered level by level, as in Brown's figures: the children of p are arity * p + 1, and following.
    With `chunks` above 1, merged results go upward in so many messages, each as soon as it is merged.
    """
    for name, value, least in (("n", n, 1), ("levels", levels, 1), ("arity", arity, 2), ("chunks", chunks, 1)):
        if value < least:
            raise Error(f"{name} is {value}; it must be at least {least}")
    leaves = arity ** (levels - 1)
    processes = (arity**levels - 1) // (arity - 1)
    inner = processes - leaves
    if n < leaves:
        raise Error(f"n is {n}; there are {leaves} leaves")
    share = [0] * processes
    for leaf in range(leaves):
        share[inner + leaf] = n * (leaf + 1) // leaves - n * leaf // leaves
    for p in range(inner - 1, -1, -1):
        share[p] = sum(share[arity * p + 1 : arity * p + arity + 1])

    def pieces(p: int) -> list[int]:
        return [share[p] * (k + 1) // chunks - share[p] * k // chunks for k in range(chunks)]

    out = []
    for p in range(processes):
        parent, children = (p - 1) // arity, range(arity * p + 1, arity * p + arity + 1)
        steps: list[Step] = [Receive(parent)] if p > 0 else []
        if p >= inner:
            steps.append(Compute(share[p], "sort"))
            steps += [Send(parent, piece * itemsize) for piece in pieces(p) if p > 0]
        else:
            steps.append(Compute(share[p], "split"))
            steps += [Send(child, share[child] * itemsize) for child in children]
            # A merge of k ways is log2(k) merges of two.
            ways = (arity - 1).bit_length()
            for piece in pieces(p):
                steps += [Receive(child) for child in children]
                steps.append(Compute(piece * ways, "merge"))
                if p > 0:
                    steps.append(Send(parent, piece * itemsize))
        out.append(Process(f"p{p}", tuple(steps)))
    facts = {"program": "sort", "n": n, "levels": levels, "arity": arity, "itemsize": itemsize, "chunks": chunks}
    return Graph(f"sort n={n} levels={levels}" + (f" arity={arity}" if arity != 2 else ""), tuple(out), facts)


def alltoall(plan: Any, direction: str = "forward") -> Graph:
    """The exchanges of one direction of a `weft.Plan`: a process for each rank, which transforms its lines before and
    after each of them."""
    flows = plan.flows(direction)
    ranks = plan.ranks
    n0, n1, n2 = plan.shape
    lengths = {0: n0, 1: n1, 2: n2}
    share = plan.batch * n0 * n1 * n2 / ranks
    stages = max((stage for stage, *_ in flows), default=-1) + 1
    between: list[Mapping[tuple[int, int], int]] = [
        {(a, b): size for at, a, b, size in flows if at == stage} for stage in range(stages)
    ]
    # The work of a direction, spread over the stages between its exchanges.
    flops = sum(5 * share * max(1, lengths[axis] - 1).bit_length() for axis in lengths) / (stages + 1)
    programs: list[list[Step]] = [[Compute(flops, "flops")] for _ in range(ranks)]
    for pairs in between:
        to: list[list[int]] = [[] for _ in range(ranks)]
        source: list[list[int]] = [[] for _ in range(ranks)]
        for a, b in pairs:
            to[a].append(b)
            source[b].append(a)
        for rank, steps in enumerate(programs):
            # In turns, so that not everybody sends to the same rank first.
            steps += [Send(b, pairs[rank, b]) for b in sorted(to[rank], key=lambda b: (b - rank) % ranks)]
            steps += [Receive(a) for a in sorted(source[rank], key=lambda a: (rank - a) % ranks)]
            steps.append(Compute(flops, "flops"))
    processes = tuple(Process(f"rank {rank}", tuple(steps)) for rank, steps in enumerate(programs))
    return Graph(f"fft {n0}x{n1}x{n2} {direction}", processes, {"program": "fft", "ranks": ranks})
