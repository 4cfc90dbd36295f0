"""The timeline as PNG: the ranks' activities, and below it one rank's tiles on their way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..drawing import INK, SOFT, save, style
from .colours import FAINT, FLIGHT, SLICES
from .events import Trace

_TILE_ROWS = 24


def draw(path: Path, trace: Trace, rank: int, title: str) -> None:
    """Write the picture as PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    ranks, exchanges = trace.ranks, trace.exchanges()
    rows = {item: _tile_rows(trace, rank, *item) for item in exchanges}
    heights = [0.42 * min(len(ranks), 48) + 0.3] + [0.13 * len(rows[item]) + 0.35 for item in exchanges]
    with pyplot.rc_context(style(9, yticks=INK)):
        figure, axes = pyplot.subplots(
            len(heights),
            1,
            figsize=(11, sum(heights) + 1.5),
            sharex=True,
            squeeze=False,
            layout="constrained",
            gridspec_kw={"height_ratios": heights},
        )
        _activities(axes[0][0], trace)
        for (item, tiles), row in zip(rows.items(), axes[1:]):
            _tiles(row[0], trace, rank, *item, tiles)
        axes[-1][0].set_xlabel("milliseconds")
        axes[0][0].set_xlim(0, (trace.end() - trace.begin()) * 1e3)
        figure.suptitle(title, fontsize=12, fontweight="bold", x=0.01, ha="left", parse_math=False)
        _legend(figure, trace)
        save(figure, path, dpi=110)


def _activities(axes: Any, trace: Trace) -> None:
    begin, rows = trace.begin(), {rank: row for row, rank in enumerate(trace.ranks)}
    # Tests lie inside of what is computed, and are drawn over it.
    for name, (_, colour) in SLICES.items():
        for rank, row in rows.items():
            bars = [
                ((item.begin - begin) * 1e3, item.seconds * 1e3)
                for item in trace.slices
                if item.rank == rank and item.name == name
            ]
            axes.broken_barh(bars, (row - 0.4, 0.8), facecolors=colour, linewidth=0)
    _label_rows(axes, [f"rank {rank}" for rank in rows])
    axes.set_title("what each rank does", fontsize=9, color=SOFT, loc="left")


def _label_rows(axes: Any, labels: list[str]) -> None:
    step = -(-len(labels) // 48)
    axes.set_yticks(range(0, len(labels), step), labels[::step])
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(True, axis="x", color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)


def _tile_rows(trace: Trace, rank: int, direction: str, exchange: int) -> dict[int, int]:
    """The row of every tile; many tiles share rows, one after the other."""
    tiles = sorted(
        {
            item.tile
            for item in trace.flights
            if (item.rank, item.direction, item.exchange) == (rank, direction, exchange)
        }
    )
    return {tile: place % _TILE_ROWS for place, tile in enumerate(tiles)}


def _tiles(axes: Any, trace: Trace, rank: int, direction: str, exchange: int, rows: dict[int, int]) -> None:
    begin = trace.begin()
    for flight in trace.flights:
        if (flight.rank, flight.direction, flight.exchange) != (rank, direction, exchange):
            continue
        bar = ((flight.begin - begin) * 1e3, (flight.end - flight.begin) * 1e3)
        axes.broken_barh([bar], (rows[flight.tile] - 0.45, 0.9), facecolors=FLIGHT, linewidth=0)
    for item in trace.slices:
        given = item.arguments
        if item.rank != rank or item.name not in ("start", "wait", "acquire"):
            continue
        if (given["direction"], given["exchange"]) == (direction, exchange) and given["tile"] in rows:
            bar = ((item.begin - begin) * 1e3, item.seconds * 1e3)
            axes.broken_barh([bar], (rows[given["tile"]] - 0.45, 0.9), facecolors=SLICES[item.name][1], linewidth=0)
    count = max(rows.values(), default=0) + 1
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_yticks(range(count), [str(tile) if tile % 4 == 0 or len(rows) <= 8 else "" for tile in list(rows)[:count]])
    axes.tick_params(axis="y", length=0, labelsize=7)
    axes.grid(True, axis="x", color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    title = f"{direction}, exchange {exchange}: tiles of rank {rank} on their way"
    axes.set_title(title, fontsize=9, color=SOFT, loc="left")


def _legend(figure: Any, trace: Trace) -> None:
    from matplotlib.patches import Patch

    used = {item.name for item in trace.slices}
    patches = [Patch(color=colour, label=label) for name, (label, colour) in SLICES.items() if name in used]
    if trace.flights:
        patches.append(Patch(color=FLIGHT, label="tile on its way"))
    figure.legend(handles=patches, loc="outside lower center", ncol=len(patches), frameon=False, fontsize=8)
