"""Machines: nodes with some processors each, and what a message costs inside a node and between nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from weft import Error, model

from .graph import FORMULAS, Compute


@dataclass(frozen=True)
class Link:
    """A message takes latency + bytes / bandwidth. A shared link is a bus: one message at a time between all nodes."""

    latency: float
    bandwidth: float
    shared: bool = False

    def __post_init__(self) -> None:
        if self.latency < 0:
            raise Error(f"latency is {self.latency} s; it must be at least 0")
        if self.bandwidth <= 0:
            raise Error(f"bandwidth is {self.bandwidth} bytes/s; it must be above 0")


@dataclass(frozen=True)
class Machine:
    """Processor p is core p % cores of node p // cores. Nodes are alike, and so are processors."""

    name: str
    nodes: int
    cores: int
    network: Link
    node: Link
    flops: float = 1e9
    memory_bandwidth: float = 1e10
    """What one processor reads and writes."""
    rates: Mapping[str, float] = field(default_factory=dict)
    """Seconds of a unit of work, by formula."""
    measured: Mapping[str, Mapping[str, float]] = field(default_factory=dict, compare=False)
    """Seconds by program and placement, as somebody measured them."""
    source: str = ""
    assumed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what in ("nodes", "cores"):
            if getattr(self, what) < 1:
                raise Error(f"{what} is {getattr(self, what)}; it must be at least 1")
        unknown = sorted(set(self.rates) - set(FORMULAS))
        if unknown:
            raise Error(f"rates has '{unknown[0]}'; the formulas are {', '.join(FORMULAS)}")

    @property
    def processors(self) -> int:
        return self.nodes * self.cores

    def node_of(self, processor: int) -> int:
        return processor // self.cores

    def seconds(self, step: Compute) -> float:
        """What a computation costs."""
        if step.formula == "seconds":
            return step.amount
        work = FORMULAS[step.formula](step.amount)
        if step.formula in self.rates:
            return work * self.rates[step.formula]
        # Of a sort that is not measured: one comparison and one move for each element and level, from memory.
        default = 1 / self.flops if step.formula in ("fft", "flops") else 8 / self.memory_bandwidth
        return work * (0.0 if step.formula == "split" else default)

    def with_rates(self, rates: Mapping[str, float]) -> Machine:
        return replace(self, rates={**self.rates, **rates})


def load_machine(name: str | Path) -> Machine:
    """A machine by name, or from a TOML file."""
    return machine_of(model.content_of(name), str(model.path_of(name)))


def machine_of(content: Mapping[str, Any], where: str = "machine") -> Machine:
    """The machine from what a file of it holds: the model's figures, and the tables `rates`, `measured` and `sources`."""
    known = model.machine_of(content, where)
    if known.nodes_per_segment:
        raise Error(f"machine '{known.name}' has network.nodes_per_segment; networks of segments are not modelled")
    sources = content.get("sources", {})
    try:
        return Machine(
            name=known.name,
            nodes=known.nodes,
            cores=known.cores,
            network=Link(known.latency, known.bandwidth * known.efficiency, known.shared),
            node=Link(known.node_latency, known.node_bandwidth),
            flops=known.flops,
            memory_bandwidth=known.core_bandwidth,
            rates={formula: float(rate) for formula, rate in content.get("rates", {}).items()},
            measured=content.get("measured", {}),
            source=known.source,
            assumed=tuple(f"{field}: {sources[field]}" if field in sources else field for field in known.assumed),
        )
    except Error:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise Error(f"machine file '{where}': {type(error).__name__} {error}") from None
