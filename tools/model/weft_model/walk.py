"""Walks the schedule of a plan as the executor does, with a clock instead of work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .cost import TERMS, Site, TileCost, Work, blocks, eager, tile_cost, unit_seconds


@dataclass
class Stage:
    """A pass or a reshape: seconds by term, and what of a reshape was hidden behind computation."""

    name: str
    terms: dict[str, float] = field(default_factory=dict)
    hidden: float = 0.0

    @property
    def seconds(self) -> float:
        return sum(self.terms.values())

    def add(self, term: str, seconds: float) -> None:
        self.terms[term] = self.terms.get(term, 0.0) + seconds


@dataclass
class Walk:
    """The time of one direction, and where it went."""

    stages: list[Stage]

    @property
    def seconds(self) -> float:
        return sum(stage.seconds for stage in self.stages)

    @property
    def terms(self) -> dict[str, float]:
        return {term: sum(stage.terms.get(term, 0.0) for stage in self.stages) for term in TERMS}


def walk(
    site: Site,
    route: Mapping[str, Any],
    works: Sequence[Work],
    footprint: float,
    tests: int = 0,
    thread: bool = False,
    factor: float = 1.0,
    inside: float = 1.0,
) -> Walk:
    """Time one rank's schedule; all ranks do the same at the same time. `factor`: by which passes take longer than the
    formulas say; `inside`: the same of what the ranks of a node do together."""
    passes, links = route["passes"], route["links"]
    stages = [Stage(f"pass {i}") for i in range(len(passes))]
    reshapes = [Stage(f"reshape {i}") for i in range(len(links))]
    tiles = [[tile_cost(site, link, tile) for tile in link.get("tiles", ())] for link in links]
    clock = 0.0
    link_free = 0.0
    arrival: dict[tuple[int, int], float] = {}
    begun: dict[tuple[int, int], float] = {}
    unit_costs: dict[tuple[int, tuple[int, int]], tuple[float, float]] = {}

    def spend(stage: Stage, terms: Mapping[str, float]) -> None:
        nonlocal clock
        for term, seconds in terms.items():
            stage.add(term, seconds)
            clock += seconds

    def wait(link: int, cost: TileCost, until: float) -> None:
        """What is left of a tile's way, shared out among its terms."""
        exposed = max(0.0, until - clock)
        reshapes[link].hidden += max(0.0, cost.on_the_way - exposed)
        if cost.on_the_way > 0:
            spend(reshapes[link], {t: exposed * s / cost.on_the_way for t, s in cost.network.items()})

    for what, stage, index in route["schedule"]:
        if what == "compute":
            points = passes[stage]["units"][index]
            key = (stage, points)
            if key not in unit_costs:
                link = links[stage - 1] if stage > 0 and links[stage - 1]["exchange"] else None
                near = _neighbours(link) if link else 0.0
                unit_costs[key] = unit_seconds(site, works[stage], points, footprint, near)
            computation, memory = unit_costs[key]
            spend(stages[stage], {"computation": inside * factor * computation, "memory": inside * factor * memory})
        elif what == "start":
            cost = tiles[stage][index]
            spend(reshapes[stage], {t: s for t, s in cost.processor.items() if t == "overhead"})
            begun[stage, index] = clock
            link_free = max(clock, link_free) + cost.on_the_way
            arrival[stage, index] = link_free
            if blocks(links[stage]):
                wait(stage, cost, link_free)
        elif what == "finish":
            cost = tiles[stage][index]
            until = arrival[stage, index]
            if not thread and not blocks(links[stage]) and not eager(site, links[stage], links[stage]["tiles"][index]):
                # Large messages move on only inside MPI calls: of what computation could hide, tests reach a part.
                covered = min(clock, until) - begun[stage, index]
                lost = max(0.0, covered) / (tests + 1)
                until += lost
                link_free = max(link_free, until)
            if not blocks(links[stage]):
                wait(stage, cost, until)
            spend(reshapes[stage], {t: inside * s for t, s in cost.processor.items() if t != "overhead"})
    ordered = [part for pair in zip(stages, reshapes) for part in pair] + [stages[-1]]
    return Walk([part for part in ordered if part.name.startswith("pass") or part.terms])


def _neighbours(link: Mapping[str, Any]) -> float:
    """The part of an exchange that its ranks read where their neighbours have written it."""
    shared = sum(tile["shared_bytes"] for tile in link["tiles"])
    if shared == 0:
        return 0.0
    moved = sum(tile["node_bytes"] + tile["network_bytes"] + tile["kept_bytes"] for tile in link["tiles"])
    return float(shared) / (shared + moved)
