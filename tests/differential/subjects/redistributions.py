"""weft.Redistribution: any type between any layouts, some ranks with nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft
from differential.cases import Case, Chance
from differential.findings import Findings, Guarded

from . import common

DTYPES = (
    "f4",
    "i4",
    "u4",
    "c8",
    "f8",
    "i8",
    "u8",
    "c16",
    ">f4",
    ">f8",
    "S4",
    "S8",
    "S16",
    "U1",
    "U4",
    "V8",
    "V16",
    "M8[s]",
)


def draw(chance: Chance, ranks: int) -> Case:
    case: Case = {
        "shape": chance.shape(3),
        "source": common.draw_layout(chance, ranks),
        "target": common.draw_layout(chance, ranks),
        "dtype": chance.one(*DTYPES),
    }
    case |= chance.some(batch=(0.4, lambda: chance.one(2, 3)), boxes=(0.3, True), shift=(0.1, 1))
    return case | common.draw_options(chance, ranks, "redistribution")


def check(case: Case, comm: Any, findings: Findings) -> None:
    shape, batch, dtype = tuple(case["shape"]), case.get("batch", 1), np.dtype(case["dtype"])
    source, target = (common.layout(case[end], shape, comm.size) for end in ("source", "target"))
    rng = np.random.default_rng(case.get("numbers", 0))
    many = (batch, *shape) if batch > 1 else shape
    # Any bits that are no NaN, so that arrays can be compared.
    bits = rng.integers(1, 0x7F, (int(np.prod(many)), dtype.itemsize), np.uint8)
    whole = bits.view(dtype).reshape(many) if dtype.kind != "U" else rng.integers(1, 9, many).astype(dtype)
    given = [one.box(comm.rank) if case.get("boxes") else one for one in (source, target)]
    with weft.Redistribution(shape, *given, dtype, comm, batch=batch, **common.options_of(case)) as move:
        guard, shift = Guarded(), case.get("shift", 0)
        for end in ("source", "target"):
            part = getattr(move, f"{end}_slice")
            findings.equal(whole[(..., *part)].shape, getattr(move, f"{end}_shape"), f"{end}_shape")
            common.check_cover(findings, comm, part, shape, f"the {end}'s part")
        for turn in range(2):
            x = guard.copy(np.ascontiguousarray(whole[(..., *move.source_slice)]), shift)
            kept = x.copy()
            y = move(x, guard.empty(move.target_shape, dtype, shift) if turn else None)
            findings.same(y, whole[(..., *move.target_slice)], "the target")
            findings.same(x, kept, "the source")
            guard.check(findings)
        item = dtype.itemsize * batch
        shared = [_overlap(source.box(comm.rank), target.box(other)) * item for other in range(comm.size)]
        moved = move.moved
        assert moved is not None
        findings.equal(moved.bytes_kept, shared[comm.rank], "bytes_kept")
        findings.equal(moved.bytes_sent, sum(shared) - shared[comm.rank], "bytes_sent")
        findings.equal(moved.bytes_sent_all, comm.allreduce(sum(shared) - shared[comm.rank]), "bytes_sent_all")


def _overlap(a: Any, b: Any) -> int:
    extents = np.minimum(a[1], b[1]) - np.maximum(a[0], b[0])
    return int(np.prod(extents)) if (extents > 0).all() else 0
