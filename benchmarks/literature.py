"""The model judged against measurements that others have published: `prediction.py --published`.

Each file of `published/` has the figures of one source: the machine of weft.model, the problem, the plan of Weft's that is
nearest to what was run, and the anchor, one of its rows. A machine file has the rate of kernels alone; a library computes
more than that, such as copies before and after its exchanges. So each source is judged twice: with the machine as it is
described, and with the one rate of computation that makes the anchor right, which then does not count. Nothing else is fitted.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft import model
from weft._toml import read_toml

FOLDER = Path(__file__).parent / "published"
#: Nodes that rarely share links inside a network.
FEW_NODES = 32


@dataclass(frozen=True)
class Row:
    """A published time."""

    shape: tuple[int, int, int]
    ranks: int
    grid: str
    seconds: float
    on_node: int


@dataclass(frozen=True)
class Source:
    """What was run where, and its times."""

    name: str
    content: dict[str, Any]

    @property
    def rows(self) -> list[Row]:
        return [Row(tuple(shape), *others) for shape, *others in self.content["rows"]]

    @property
    def anchor(self) -> Row:
        return self.rows[self.content["anchor"]]

    def predicted(self, machine: model.Machine, row: Row) -> float:
        """Seconds of what the source has timed."""
        content = self.content
        problem = model.Problem(row.shape, content["kind"], content["precision"], options=content["options"])
        found = model.predict(problem, machine, row.ranks, {"grid": row.grid}, row.on_node).found
        return found.seconds if content["directions"] == 2 else found.forward.seconds


def sources() -> list[Source]:
    return [Source(path.stem, read_toml(path, "published figures")) for path in sorted(FOLDER.glob("*.toml"))]


def anchored(source: Source, machine: model.Machine) -> model.Machine:
    """The machine with the rate of computation that makes the anchor right, or nearly so where no rate does."""
    low, high = machine.flops / 100, machine.flops * 100
    for _ in range(50):
        rate = math.sqrt(low * high)
        if source.predicted(machine.replaced(flops=rate), source.anchor) > source.anchor.seconds:
            low = rate
        else:
            high = rate
    return machine.replaced(flops=high)


def judge(source: Source) -> list[dict[str, Any]]:
    """Each row of a source: published, and predicted in both ways."""
    machine = model.load(source.content["machine"])
    fitted = anchored(source, machine)
    return [
        {
            "source": source.name,
            "machine": machine.name,
            "shape": list(row.shape),
            "ranks": row.ranks,
            "ranks_on_node": row.on_node,
            "published": row.seconds,
            "described": source.predicted(machine, row),
            "anchored": source.predicted(fitted, row),
            "flops": fitted.flops,
            "anchor": row == source.anchor,
        }
        for row in source.rows
    ]


def error(row: dict[str, Any], how: str) -> float:
    """How far off, the same for twice and for half: 1 means a factor of two."""
    return math.exp(abs(math.log(row[how] / row["published"]))) - 1


def nodes(row: dict[str, Any]) -> str:
    """A class of runs: what a network has to do with them."""
    count = math.ceil(row["ranks"] / row["ranks_on_node"])
    return "1" if count == 1 else f"2 to {FEW_NODES}" if count <= FEW_NODES else f"more than {FEW_NODES}"


def counted(rows: Sequence[dict[str, Any]], how: str) -> list[dict[str, Any]]:
    """Rows that were not fitted to."""
    return [row for row in rows if how == "described" or not row["anchor"]]


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {"rows": len(rows)}
    for how in ("described", "anchored"):
        some = counted(rows, how)
        if not some:
            continue
        worst = max(some, key=lambda row: error(row, how))
        found[how] = {
            "rows": len(some),
            "median_error": statistics.median(error(row, how) for row in some),
            "median_ratio": statistics.median(row[how] / row["published"] for row in some),
            "worst_error": error(worst, how),
            "worst": f"{worst['source']}: {size(worst)} on {worst['ranks']}",
        }
    return found


def size(row: dict[str, Any]) -> str:
    n = row["shape"]
    return f"{n[0]}^3" if n[0] == n[1] == n[2] else "x".join(map(str, n))


def described(rows: list[dict[str, Any]]) -> str:
    """The rest of a line of the table."""
    facts = summary(rows)
    words = [str(facts["rows"])]
    for how in ("described", "anchored"):
        one = facts[how]
        words += [f"{one['median_error']:.0%}", f"{one['median_ratio']:.2f}"]
    return " ".join(f"| {word}" for word in [*words, f"{facts['anchored']['worst_error']:.0%}"]) + " |"


def text(rows: list[dict[str, Any]]) -> str:
    """A summary by source and nodes, and all of it."""
    lines = [
        "| source | nodes | times | as described: median error | predicted / published | anchored: median error "
        "| predicted / published | worst |",
        "|---|---|---|---|---|---|---|---|",
    ]
    named = {
        name: [row for row in rows if row["source"] == name] for name in dict.fromkeys(row["source"] for row in rows)
    }
    for name, some in [*named.items(), ("all", rows)]:
        for count in sorted(set(map(nodes, some))):
            lines.append(f"| {name} | {count} {described([row for row in some if nodes(row) == count])}")
    lines.append(f"| all | all {described(rows)}")
    for name, some in named.items():
        content = next(source for source in sources() if source.name == name).content
        lines += [
            "",
            f"**{content['title']}** ({content['authors']}, {content['year']}): {content['source']}. {content['kind']}, "
            f"{content['precision']}, {'forward and backward' if content['directions'] == 2 else 'forward'}, "
            f"`{content['options']['strategy']}`; {some[0]['machine']}, anchored at {some[0]['flops'] / 1e9:.2f} Gflop/s "
            "a core.",
            "",
            "| grid | ranks | published, ms | described, ms | ratio | anchored, ms | ratio |",
            "|---|---|---|---|---|---|---|",
        ]
        several = len({row["ranks_on_node"] for row in some}) > 1
        for row in some:
            where = f"{row['ranks']}, {row['ranks_on_node']} a node" if several else f"{row['ranks']}"
            ratios = [f"{row[how] / row['published']:.2f}" for how in ("described", "anchored")]
            last = "anchor" if row["anchor"] else ratios[1]
            lines.append(
                f"| {size(row)} | {where} | {row['published'] * 1e3:.4g} | {row['described'] * 1e3:.4g} | {ratios[0]} "
                f"| {row['anchored'] * 1e3:.4g} | {last} |"
            )
    return "\n".join(lines) + "\n"


def results() -> tuple[dict[str, Any], str]:
    """All of it, as JSON and in words."""
    rows = [row for source in sources() for row in judge(source)]
    return {"summary": summary(rows), "rows": rows}, text(rows)
