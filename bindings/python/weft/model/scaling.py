"""Many plans and rank counts: the best plan at each, and where scaling stops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from weft import Error, _arguments, _core
from weft._core import Machine

from .predict import TERMS, Prediction, Problem, predict, ranks_of_node, threads_of


def candidates(problem: Problem, ranks: int, ranks_on_node: int, tolerance: float = 0) -> list[dict[str, str]]:
    """Plans worth a look: what the tuner would time. Each has the options that are not the library's defaults. Formats for
    the wire are among them whose error in an exchange is at most `tolerance`."""
    fixed = _arguments.option_texts(problem.options)
    where = fixed, ranks, ranks_on_node, sorted(fixed), False, tolerance
    if problem.function is not None:
        found = _core.operator_candidates(problem.operator(1), *where)
    elif problem.waves is not None:
        sphere = _core.SphereProblem(problem.shape, problem.gamma, problem.precision, problem.batch)
        found = _core.sphere_candidates(sphere, *where)
    else:
        found = _core.candidates(problem.transform().core, *where)
    return [{name: value for name, value in one.items() if name not in fixed} for one in found]


@dataclass(frozen=True)
class Row:
    """One rank count: all plans, the fastest first."""

    ranks: int  #: or cores, of plans that are hybrids
    plans: Sequence[Prediction]
    efficiency: float  #: against the first rank count

    @property
    def best(self) -> Prediction:
        return self.plans[0]


@dataclass(frozen=True)
class Setback:
    """A step to more ranks that takes longer than before."""

    before: int  #: ranks
    ranks: int
    factor: float  #: the time's
    because: str  #: the term that grew most, against an ideal step


@dataclass(frozen=True)
class Scaling:
    """Predictions by rank count, and where more ranks stop helping."""

    problem: Problem
    machine: Machine
    rows: Sequence[Row]
    #: The rank count after which no other is a tenth faster for each doubling, or None.
    stops_at: int | None
    #: The term that keeps it from falling.
    because: str | None
    #: Steps to more ranks that take longer, wherever they are.
    setbacks: Sequence[Setback]
    #: Whether numbers of rows are those of cores, and plans have different numbers of threads on them.
    hybrids: bool = False


def scaling(
    problem: Problem,
    machine: Machine,
    ranks: Iterable[int],
    ranks_on_node: int | None = None,
    tolerance: float = 0,
    *,
    hybrids: bool = False,
) -> Scaling:
    """The best plan at each rank count. No MPI is used. Formats for the wire may be chosen that bring an error of at most
    `tolerance` into a direction (see `weft.tune`). With `hybrids` the numbers are those of cores, and there are also plans
    with fewer ranks on them, of 2, 4, 8, ... threads each."""
    fixed = tolerance == 0 or "wire" in problem.options
    rows: list[Row] = []
    for count in ranks:
        plans: list[Prediction] = []
        refused: list[Error] = []
        for threads in _shares(machine, count) if hybrids else [threads_of(problem.options)]:
            mine = replace(problem, options={**problem.options, "threads": threads}) if hybrids else problem
            there = count // threads if hybrids else count
            on_node = min(there, ranks_on_node or ranks_of_node(machine, threads))
            for options in candidates(mine, there, on_node, tolerance):
                try:
                    plan = predict(mine, machine, there, options, on_node)
                    if fixed or plan.found.wire_error <= tolerance:
                        plans.append(plan)
                except Error as error:  # not every candidate suits every problem
                    refused.append(error)
        if not plans:
            raise refused[0]
        plans.sort(key=lambda one: one.seconds)
        first = rows[0] if rows else None
        ideal = first.best.seconds * first.ranks / count if first else plans[0].seconds
        rows.append(Row(count, plans, ideal / plans[0].seconds))
    stops_at, because = _end(rows)
    setbacks = [
        Setback(one.ranks, more.ranks, more.best.seconds / one.best.seconds, _grown(one, more))
        for one, more in itertools.pairwise(rows)
        if more.ranks > one.ranks and more.best.seconds > 1.02 * one.best.seconds
    ]
    return Scaling(problem, machine, rows, stops_at, because, setbacks, hybrids)


def _shares(machine: Machine, cores: int) -> list[int]:
    """How many threads ranks may have that share cores evenly."""
    powers = (2**i for i in range(machine.cores.bit_length()))
    return [one for one in powers if machine.cores % one == 0 and cores % one == 0]


def _end(rows: Sequence[Row]) -> tuple[int | None, str | None]:
    """The first rank count after which none is worth its ranks: a tenth faster for each doubling."""
    for i, (one, more) in enumerate(itertools.pairwise(rows)):
        allowed = [one.best.seconds * 0.9 ** math.log2(later.ranks / one.ranks) for later in rows[i + 1 :]]
        if all(later.best.seconds > limit for later, limit in zip(rows[i + 1 :], allowed)):
            return one.ranks, _grown(one, more)
    return None, None


def _grown(one: Row, more: Row) -> str:
    """The term that keeps a step from being ideal."""
    ideal = {term: seconds * one.ranks / more.ranks for term, seconds in one.best.terms.items()}
    return max(TERMS, key=lambda term: more.best.terms[term] - ideal[term])
