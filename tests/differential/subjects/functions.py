"""weft.fftn and its like: planes dealt at random, of all types."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft
from differential.cases import Case, Chance
from differential.findings import Findings

from . import common


def draw(chance: Chance, ranks: int) -> Case:
    name = chance.one("fftn", "ifftn", "rfftn", "irfftn")
    case: Case = {"name": name, "shape": chance.shape(chance.one(2, 3)), "dtype": chance.one(*"dddDDDfFeib")}
    if name == "rfftn" and case["dtype"] in "DF":
        case["dtype"] = case["dtype"].lower()
    case |= chance.some(
        norm=(0.6, lambda: chance.one("backward", "ortho", "forward")),
        dealt=(0.6, lambda: chance.random.randint(0, 99)),
        odd=(0.5, True),
        view=(0.3, lambda: chance.one("reversed", "steps", "turned")),
    )
    options = common.draw_options(chance, ranks, "transform")
    return case | {key: value for key, value in options.items() if chance.happens(0.5) and key != "measure_wire"}


def planes_of(case: Case, comm: Any) -> slice:
    """Evenly, or at random: a rank may have none."""
    planes = case["shape"][0]
    cuts = [planes * rank // comm.size for rank in range(comm.size + 1)]
    if "dealt" in case:
        rng = np.random.default_rng(case["dealt"])
        cuts = [0, *sorted(map(int, rng.integers(0, planes + 1, comm.size - 1))), planes]
    return slice(cuts[comm.rank], cuts[comm.rank + 1])


def check(case: Case, comm: Any, findings: Findings) -> None:
    name, shape, dtype = case["name"], tuple(case["shape"]), np.dtype(case["dtype"])
    rng = np.random.default_rng(case.get("numbers", 0))
    field = 8 * common.random_field(rng, shape, dtype.kind == "c")
    s = None
    if name == "irfftn":
        # Half a spectrum of a real field, of which the last axis had an odd or an even number of points.
        last = 2 * shape[-1] - (1 if case.get("odd") or shape[-1] == 1 else 2)
        field = np.fft.rfftn(common.random_field(rng, (*shape[:-1], last), False))
        dtype = np.dtype("F" if dtype.char in "fFe" else "D")
        s = (*shape[:-1], last) if last % 2 or case["dtype"] in "dF" else None
    field = field.astype(dtype)
    single = dtype.char in "fFe"
    precise = field.astype("D" if field.dtype.kind == "c" else "d")
    mine = planes_of(case, comm)
    arguments = {} if s is None else {"s": s}
    axes = {} if s is None else {"axes": tuple(range(len(shape)))}
    wanted = getattr(np.fft, name)(precise, norm=case.get("norm"), **arguments, **axes)
    given = _view(field[mine], case.get("view", ""))
    before = given.copy()
    found = getattr(weft, name)(
        given, *arguments.values(), comm=comm, norm=case.get("norm"), effort="estimate", **common.options_of(case)
    )
    findings.equal(
        found.dtype, np.dtype({"f": "f", "c": "F"}[wanted.dtype.kind] if single else wanted.dtype.char), "dtype"
    )
    limit = common.allowed(case, "single" if single else "double", shape)
    findings.close(found, wanted[mine], common.largest(wanted), limit, name)
    findings.same(given, before, "the input")
    weft.clear_plans(comm)


def _view(x: Any, how: str) -> Any:
    """The same numbers in other strides."""
    if how == "reversed":
        return np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    if how == "steps":
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    if how == "turned":
        return np.ascontiguousarray(x.T).T
    return x
