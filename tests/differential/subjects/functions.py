"""weft.fftn and its like: planes dealt at random, along some axes, of all types."""

from __future__ import annotations

from typing import Any

import numpy as np
from reference import along_axis, line_matrix, line_scale, with_lengths

import weft
from differential.cases import Case, Chance
from differential.findings import Findings, Senseless

from . import common


def draw(chance: Chance, ranks: int) -> Case:
    name = chance.one("fftn", "ifftn", "rfftn", "irfftn", "dctn", "dstn", "idctn", "idstn")
    shape = chance.shape(chance.one(2, 3, 3, 4, 5))
    case: Case = {"name": name, "shape": shape, "dtype": chance.one(*"dddDDDfFeib")}
    if name == "rfftn" and case["dtype"] in "DF":
        case["dtype"] = case["dtype"].lower()
    if name[-4:] in FAMILIES:
        case |= chance.some(type=(0.7, lambda: chance.random.randint(1, 4)))
        case["dtype"] = case["dtype"].lower()
    axes = chance.random.sample(range(len(shape)), chance.random.randint(1, len(shape)))
    if name in ("rfftn", "irfftn"):
        # Of more than three axes not the one whose planes ranks have.
        halved = chance.one(len(shape) - 1, chance.random.randint(len(shape) > 3, len(shape) - 1))
        axes = [*(axis for axis in axes if axis != halved), halved]
    case |= chance.some(
        axes=(0.4, axes),
        s=(0.3, [chance.one(-1, chance.extent()) for _ in axes]),
        norm=(0.6, lambda: chance.one("backward", "ortho", "forward")),
        dealt=(0.6, lambda: chance.random.randint(0, 99)),
        odd=(0.5, True),
        view=(0.3, lambda: chance.one("reversed", "steps", "turned")),
    )
    options = common.draw_options(chance, ranks, "transform")
    return case | {key: value for key, value in options.items() if chance.happens(0.5) and key != "measure_wire"}


#: Of cosines and of sines.
FAMILIES = ("dctn", "dstn")


def planes_of(case: Case, comm: Any) -> slice:
    """Evenly, or at random: a rank may have none."""
    planes = case["shape"][0]
    cuts = [planes * rank // comm.size for rank in range(comm.size + 1)]
    if "dealt" in case:
        rng = np.random.default_rng(case["dealt"])
        cuts = [0, *sorted(map(int, rng.integers(0, planes + 1, comm.size - 1))), planes]
    return slice(cuts[comm.rank], cuts[comm.rank + 1])


def evenly(planes: int, comm: Any) -> slice:
    """As Weft deals those that come out, where it is they that are halved."""
    least, more = divmod(planes, comm.size)
    first = comm.rank * least + min(comm.rank, more)
    return slice(first, first + least + (comm.rank < more))


def check(case: Case, comm: Any, findings: Findings) -> None:
    name, shape, dtype = case["name"], tuple(case["shape"]), np.dtype(case["dtype"])
    rng = np.random.default_rng(case.get("numbers", 0))
    field = 8 * common.random_field(rng, shape, dtype.kind == "c")
    chosen = tuple(case.get("axes", range(len(shape))))
    if sorted(set(chosen)) != sorted(chosen) or max(chosen) >= len(shape):
        raise Senseless
    s: tuple[int, ...] | None = tuple(case["s"]) if "s" in case else None
    if s is not None:
        if "axes" not in case:
            chosen = chosen[len(shape) - len(s) :]
        if len(s) != len(chosen) or (name == "irfftn" and s[-1] == -1):
            raise Senseless
    elif name == "irfftn":
        # Half a spectrum of a real field, of which the axis that is halved had an odd or an even number of points.
        halved = chosen[-1]
        last = 2 * shape[halved] - (1 if case.get("odd") or shape[halved] == 1 else 2)
        whole = common.random_field(rng, (*shape[:halved], last, *shape[halved + 1 :]), False)
        others = (axis for axis in range(len(shape)) if axis != halved)
        field = np.fft.rfftn(whole, axes=(*others, halved))
        s = (*(shape[axis] for axis in chosen[:-1]), last) if last % 2 or case["dtype"] in "dF" else None
    if name == "irfftn":
        dtype = np.dtype("F" if dtype.char in "fFe" else "D")
    field = field.astype(dtype)
    single = dtype.char in "fFe"
    precise = field.astype("D" if field.dtype.kind == "c" else "d")
    mine = planes_of(case, comm)
    arguments: dict[str, Any] = {"axes": chosen} if "axes" in case else {}
    arguments |= {} if s is None else {"s": s}
    lengths = tuple(shape[axis] for axis in chosen)
    if s is not None:
        lengths = tuple(old if n == -1 else n for n, old in zip(s, lengths))
    if name[-4:] in FAMILIES:
        arguments["type"] = case.get("type", 2)
        if arguments["type"] == 1 and name.endswith("dctn") and 1 in lengths:
            raise Senseless
        wanted = cosines_or_sines(
            with_lengths(precise, chosen, lengths), name, arguments["type"], chosen, case.get("norm")
        )
    else:
        wanted = getattr(np.fft, name)(precise, s=None if s is None else lengths, axes=chosen, norm=case.get("norm"))
    given = _view(field[mine], case.get("view", ""))
    before = given.copy()
    found = getattr(weft, name)(
        given, comm=comm, norm=case.get("norm"), effort="estimate", **arguments, **common.options_of(case)
    )
    findings.equal(
        found.dtype, np.dtype({"f": "f", "c": "F"}[wanted.dtype.kind] if single else wanted.dtype.char), "dtype"
    )
    limit = common.allowed(case, "single" if single else "double", shape)
    if name in ("rfftn", "irfftn") and chosen[-1] == 0:
        mine = evenly(len(wanted), comm)
    elif 0 in chosen:
        # Planes that are added are the last rank's.
        whole = lengths[chosen.index(0)]
        last = whole if comm.rank == comm.size - 1 else min(mine.stop, whole)
        mine = slice(min(mine.start, whole), last)
    findings.close(found, wanted[mine], common.largest(wanted), limit, name)
    findings.same(given, before, "the input")
    weft.clear_plans(comm)


def cosines_or_sines(x: Any, name: str, type_: int, axes: tuple[int, ...], norm: str | None) -> Any:
    """As scipy.fft has them. The inverse of a type is the way back of its lines; `ortho` has orthogonal lines."""
    inverse = name.startswith("i")
    for axis in axes:
        n, line = x.shape[axis], f"{name[-4:-1]}{type_}"
        rows = line_matrix(line, n, norm == "ortho")
        scale = float(line_scale(line, n)) if norm == "forward" else 1.0
        along = np.linalg.inv(rows) * scale if inverse else rows / scale
        x = along_axis(along, x, axis)
    return x


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
