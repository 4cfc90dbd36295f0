"""Where the time went: the parts of each rank's time, and how much of each exchange was hidden behind computation."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from rich.table import Table

from .events import Flight, Slice, Trace

#: Key, and heading of the table.
PARTS = (
    ("compute", "calculation"),
    ("start", "start"),
    ("test", "test"),
    ("wait", "waiting"),
    ("check", "synchronisation"),
    ("total", "total"),
)
_RANKS_SHOWN = 8


def breakdown(trace: Trace) -> dict[str, Any]:
    """Seconds of every rank, and of every exchange on every rank: what `weft.Statistics` counts."""
    ranks = []
    exchanges: dict[tuple[str, int], list[dict[str, float]]] = {item: [] for item in trace.exchanges()}
    for rank in trace.ranks:
        slices = [item for item in trace.slices if item.rank == rank]
        parts = {key: _sum(slices, category) for key, category in _CATEGORIES.items()}
        parts["compute"] -= parts["test"]  # tests lie inside of what is computed
        # What ends with ghosts exchange lies beside executions, as agreements do.
        beside = sum(item.seconds for item in slices if item.name == "parts")
        parts["total"] = parts.pop("execution") + parts["check"] + beside
        ranks.append({"rank": rank, **parts})
        computes = _without_tests(slices)
        for (direction, exchange), found in exchanges.items():
            flights = [
                item
                for item in trace.flights
                if (item.rank, item.direction, item.exchange) == (rank, direction, exchange)
            ]
            found.append(_exchange(rank, direction, exchange, slices, flights, computes))
    return {
        "executions": {
            direction: sum(item.name == direction for item in trace.executions) // len(trace.ranks)
            for direction in sorted({item.name for item in trace.executions}, reverse=True)
        },
        "ranks": ranks,
        "exchanges": [
            {"direction": direction, "number": number, "ranks": found}
            for (direction, number), found in exchanges.items()
        ],
    }


_CATEGORIES = {
    "compute": "compute",
    "start": "start",
    "test": "test",
    "wait": "wait",
    "check": "synchronisation",
    "execution": "execution",
}


def _sum(slices: list[Slice], category: str) -> float:
    return sum(item.seconds for item in slices if item.category == category)


def _without_tests(slices: list[Slice]) -> list[tuple[float, float]]:
    """Beginning and seconds of what was computed."""
    computes = [item for item in slices if item.category == "compute"]
    begins = [item.begin for item in computes]
    seconds = [item.seconds for item in computes]
    for item in slices:
        if item.category == "test":
            seconds[bisect_right(begins, item.begin) - 1] -= item.seconds
    return list(zip(begins, seconds))


def _exchange(
    rank: int,
    direction: str,
    exchange: int,
    slices: list[Slice],
    flights: list[Flight],
    computes: list[tuple[float, float]],
) -> dict[str, float]:
    mine = [
        item
        for item in slices
        if item.arguments.get("direction") == direction and item.arguments.get("exchange") == exchange
    ]
    together = _union([(item.begin, item.end) for item in flights])
    begins = [begin for begin, _ in together]
    hidden = 0.0
    for begin, seconds in computes:
        # A tile leaves and arrives between units, never inside one. (The file has nanoseconds.)
        at = bisect_right(begins, begin + 1e-9) - 1
        if at >= 0 and begin + 2e-9 < together[at][1]:
            hidden += seconds
    parts = {category: _sum(mine, category) for category in ("start", "test", "wait")}
    return {
        "rank": rank,
        **parts,
        "exposed": sum(parts.values()),
        "in_flight": sum(end - begin for begin, end in together),
        "hidden": hidden,
        "tiles": len(flights),
        "bytes_sent": sum(item.arguments["bytes"] for item in flights),
        "messages": sum(item.arguments["messages"] for item in flights),
    }


def _union(pieces: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Pieces of time, those that touch joined."""
    out: list[tuple[float, float]] = []
    for begin, end in sorted(pieces):
        if out and begin <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((begin, end))
    return out


def part_table(found: dict[str, Any]) -> Table:
    """Milliseconds of an execution in each direction."""
    table = _table("rank", *(heading for _, heading in PARTS))
    ranks, times = found["ranks"], 1e3 / max(found["executions"].values())
    if len(ranks) <= _RANKS_SHOWN:
        for item in ranks:
            table.add_row(str(item["rank"]), *(f"{item[key] * times:.3f}" for key, _ in PARTS))
    means = {key: sum(item[key] for item in ranks) / len(ranks) for key, _ in PARTS}
    table.add_row("mean", *(f"{means[key] * times:.3f}" for key, _ in PARTS))
    table.add_row("", *(f"{100 * means[key] / means['total']:.1f} %" for key, _ in PARTS), style="dim")
    return table


def exchange_table(found: dict[str, Any]) -> Table:
    """Milliseconds of one execution, mean over ranks."""
    table = _table("exchange", "tiles", "in flight", "exposed", "hidden", "of it", "sent/rank")
    for item in found["exchanges"]:
        ranks = item["ranks"]
        runs = found["executions"][item["direction"]]
        mean = {key: sum(rank[key] for rank in ranks) / len(ranks) / runs for key in ranks[0]}
        of_it = mean["hidden"] / mean["in_flight"] if mean["in_flight"] > 0 else 0.0
        table.add_row(
            f"{item['direction']} {item['number']}",
            f"{mean['tiles']:.0f}",
            *(f"{mean[key] * 1e3:.3f}" for key in ("in_flight", "exposed", "hidden")),
            f"{100 * of_it:.0f} %",
            f"{mean['bytes_sent'] / 2**20:.2f} MiB",
        )
    return table


def _table(*headings: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in headings:
        table.add_column(heading, justify="right")
    return table
