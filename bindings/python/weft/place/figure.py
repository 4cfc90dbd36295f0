"""The activity of each processor over time, with numbered points, as in Brown's figures 9 and 14: PNG or SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weft import Error
from weft._outputs import written

from .graph import Compute, Receive
from .schedule import Activity, Schedule

_COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#eeca3b", "#9d755d", "#ff9da6")
_INK, _SOFT = "#1f2933", "#7b8794"


def moments(schedule: Schedule) -> list[tuple[float, str]]:
    """The points of the figure, numbered from 1: when a process has got what it waits for, and when it has computed."""
    found: list[tuple[float, str]] = []
    arrived: dict[tuple[int, int], float] = {}
    by_step = {message.sender: message.receiver for message in schedule.graph.messages}
    for item in schedule.activities:
        if item.to >= 0:
            arrived[by_step[item.process, item.step]] = item.arrival
    for item in schedule.activities:
        process = schedule.graph.processes[item.process]
        if item.what != "compute" or item.end == item.begin:
            continue
        step = process.steps[item.step]
        assert isinstance(step, Compute)
        found.append((item.end, f"{process.name} has done: {step.formula if step.formula != 'seconds' else 'work'}"))
    for p, process in enumerate(schedule.graph.processes):
        for place, step in enumerate(process.steps):
            following = process.steps[place + 1] if place + 1 < len(process.steps) else None
            if isinstance(step, Receive) and not isinstance(following, Receive):
                found.append((arrived[p, place], f"{process.name} has received"))
    merged: list[tuple[float, list[str]]] = []
    for time, text in sorted(found):
        if merged and time - merged[-1][0] <= 0.004 * schedule.seconds:
            merged[-1] = (time, [*merged[-1][1], text])
        else:
            merged.append((time, [text]))
    return [(time, _joined(texts)) for time, texts in merged]


def _joined(texts: list[str]) -> str:
    """ "p5 has received", "p6 has received" -> "p5, p6 have received"."""
    subjects: dict[str, list[str]] = {}
    for text in texts:
        subject, rest = text.split(" has ", 1)
        subjects.setdefault(rest, []).append(subject)
    return "; ".join(
        f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} {rest}" for rest, names in subjects.items()
    )


def draw(path: str | Path, schedule: Schedule, title: str = "") -> None:
    """Write the figure; PNG or SVG as the name ends."""
    path = Path(path)
    if path.suffix not in (".png", ".svg"):
        raise Error(f"figure is '{path}'; its name must end with .png or .svg")
    try:
        import matplotlib
    except ImportError:
        raise Error("the figure needs matplotlib: python -m pip install matplotlib") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    machine = schedule.machine
    rows = sorted({*schedule.placement}, reverse=True)
    points = moments(schedule)
    height = 0.55 * len(rows) + 0.19 * len(points) + 1.7
    style = {"font.size": 9, "text.color": _INK, "axes.edgecolor": _SOFT, "svg.hashsalt": "weft"}
    with pyplot.rc_context(style):
        figure, axes = pyplot.subplots(figsize=(10, height), layout="constrained")
        for item in schedule.activities:
            _activity(axes, schedule, rows, item)
        axes.set_yticks(range(len(rows)), [f"P{p}, node {machine.node_of(p)}" for p in rows])
        axes.set_ylim(-0.6, len(rows) - 0.1)
        axes.set_xlim(0, schedule.seconds * 1e3 or 1)
        axes.set_xlabel("milliseconds")
        axes.spines[["top", "right"]].set_visible(False)
        for number, (time, _) in enumerate(points, 1):
            axes.axvline(time * 1e3, color=_SOFT, linewidth=0.5, linestyle=":")
            axes.annotate(
                str(number), (time * 1e3, len(rows) - 0.1), ha="center", va="bottom", fontsize=7, annotation_clip=False
            )
        legend = "\n".join(f"{n}  {time * 1e3:.2f} ms  {text}" for n, (time, text) in enumerate(points, 1))
        axes.annotate(
            legend, (0, 0), (0, -34), xycoords="axes fraction", textcoords="offset points", va="top", fontsize=7
        )
        axes.set_title(title or f"{schedule.graph.name} on {machine.name}", loc="left", fontsize=11, pad=14)
        _save(figure, path)


def _activity(axes: Any, schedule: Schedule, rows: list[int], item: Activity) -> None:
    bar = [(item.begin * 1e3, (item.end - item.begin) * 1e3)]
    colour = _COLOURS[item.process % len(_COLOURS)]
    name = schedule.graph.processes[item.process].name
    if item.what == "message":
        start, end = (rows.index(schedule.placement[p]) for p in (item.process, item.to))
        axes.annotate(
            "", (item.arrival * 1e3, end), (item.begin * 1e3, start), arrowprops={"arrowstyle": "->", "color": colour}
        )
        return
    row = rows.index(item.processor)
    sending = item.what == "send"
    axes.broken_barh(bar, (row - 0.3, 0.6), facecolors="white" if sending else colour, edgecolor=colour, linewidth=0.6)
    if not sending and item.end - item.begin > 0.03 * schedule.seconds:
        axes.text((item.begin + item.end) * 5e2, row, name, ha="center", va="center", fontsize=8, color="white")


def _save(figure: Any, path: Path) -> None:
    from matplotlib import pyplot

    try:
        with written(path) as beside:
            figure.savefig(beside, format=path.suffix[1:], dpi=110, facecolor="white", bbox_inches="tight")
    finally:
        pyplot.close(figure)
