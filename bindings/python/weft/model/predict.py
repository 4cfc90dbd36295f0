"""Plan and machine give a predicted time. The library computes it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import weft
from weft import _arguments, _core
from weft._planning import defaults
from weft._problem import options_of

_TERMS = _core.describe_terms()
#: Where time goes. What overlaps is counted once, where it is longer.
TERMS = tuple(name for name, _ in _TERMS)
MEANING = dict(_TERMS)
_DEFAULTS = defaults()


@dataclass(frozen=True)
class Problem:
    """What to transform: a grid, or a sphere's bands on one; or an operator's grid."""

    #: Of one to eight axes; a sphere's of three.
    shape: tuple[int, ...]
    kind: str = "c2c"
    precision: str = "double"
    batch: int = 1
    #: Plane waves of the whole sphere, as weft.cutoff_sphere gives them; then shape is the grid (x, y, z).
    waves: Any = None
    gamma: bool = False
    #: Library options that every plan has.
    options: Mapping[str, Any] = field(default_factory=dict)
    #: Modes that the spectrum keeps of each axis; None: all.
    modes: tuple[int, ...] | None = None
    #: Of an operator, as `weft.Operator` takes it; None: a round trip of a transform. What it computes itself is not known,
    #: and left out.
    function: Any = None
    #: Of the operator's box, one number or three.
    lengths: Any = 2 * math.pi
    _spheres: dict[int, _core.SpherePlan] = field(default_factory=dict, init=False, repr=False, compare=False)

    def sphere(self, ranks: int) -> _core.SpherePlan:
        """The sphere dealt over so many ranks."""
        if ranks not in self._spheres:
            dealt = _core.deal_columns(self.waves, ranks)
            self._spheres[ranks] = weft.sphere_plan(
                self.shape, dealt, gamma=self.gamma, precision=self.precision, howmany=self.batch
            )
        return self._spheres[ranks]

    @classmethod
    def of(cls, problem: weft.Problem) -> Problem:
        """That of a transform."""
        return cls(problem.shape, problem.kind, problem.precision, problem.batch, modes=problem.modes)

    def transform(self) -> weft.Problem:
        """The transform."""
        return weft.Problem(self.shape, self.kind, self.precision, batch=self.batch, modes=self.modes)

    def operator(self, ranks: int, options: Mapping[str, Any] = MappingProxyType({})) -> _core.OperatorPlan:
        """The operator on so many ranks, with these options."""
        return weft.operator_plan(
            self.shape,
            self.function,
            ranks,
            kind=self.kind,
            precision=self.precision,
            batch=self.batch,
            modes=self.modes,
            lengths=self.lengths,
            **options,
        )


@dataclass(frozen=True)
class Prediction:
    """Forward plus backward, or an operator, on the slowest rank."""

    ranks: int
    ranks_on_node: int
    options: Mapping[str, Any]
    threads: int  #: of each rank
    found: _core.Prediction | _core.OperatorPrediction

    @property
    def seconds(self) -> float:
        return self.found.seconds

    @property
    def terms(self) -> Mapping[str, float]:
        return self.found.terms

    @property
    def stages(self) -> Mapping[str, Sequence[_core.Stage]]:
        if isinstance(self.found, _core.OperatorPrediction):
            return {"operator": self.found.walk.stages}
        return {"forward": self.found.forward.stages, "backward": self.found.backward.stages}

    @property
    def hidden(self) -> float:
        return self.found.hidden

    @property
    def memory_bytes(self) -> int:
        return self.found.memory_bytes

    @property
    def label(self) -> str:
        """The options in a few words."""
        words = [str(self.options.get("strategy", _DEFAULTS["strategy"]))]
        shape = str(
            self.options.get("grid") or self.options.get("process_grid") or self.options.get("decomposition", "")
        )
        words += [shape] if shape else []
        known = ("strategy", "decomposition", "grid", "process_grid")
        words += [f"{name} {value}" for name, value in self.options.items() if name not in known]
        return ", ".join(words)


def threads_of(options: Mapping[str, Any]) -> int:
    """Threads of each rank."""
    given = options.get("threads")
    return _arguments.threads_of(None if given is None else str(given))


def ranks_of_node(machine: _core.Machine, threads: int) -> int:
    """How many ranks a node has if all of its cores compute."""
    return max(1, machine.cores // threads)


def predict(
    problem: Problem | weft.Problem,
    machine: _core.Machine,
    ranks: int,
    options: Mapping[str, Any] = MappingProxyType({}),
    ranks_on_node: int | None = None,
) -> Prediction:
    """The time of one plan. By default a node has a rank for each core, or for so many as a rank has threads."""
    if isinstance(problem, weft.Problem):
        problem = Problem.of(problem)
    chosen = {**problem.options, **options}
    threads = threads_of(chosen)
    on_node = min(ranks, ranks_on_node or ranks_of_node(machine, threads))
    found: _core.Prediction | _core.OperatorPrediction
    if problem.waves is not None:
        texts = _arguments.option_texts(
            {name: value for name, value in chosen.items() if name not in ("decomposition", "grid")}
        )
        found = _core.predict_sphere(problem.sphere(ranks), texts, texts, machine, on_node)
    elif problem.function is not None:
        found = _core.predict_operator(problem.operator(ranks, chosen | {"node_size": on_node}), machine, on_node)
    else:
        given = problem.transform()
        texts = options_of(given, chosen)
        found = _core.predict_transform(given.core, texts, machine, _arguments.small(ranks, "ranks"), on_node)
    return Prediction(ranks, on_node, options, threads, found)
