"""Predictions for people: a table, and a picture."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from weft import model

from ..drawing import save, style
from ..output import seconds_text

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_COLOURS = ("#2a6f97", "#61a5c2", "#52796f", "#b08968", "#e09f3e", "#bc4749", "#7b2cbf", "#adb5bd")


def show(screen: Console, found: model.Scaling) -> None:
    """The best plan at each rank count, the parts of its time, and why more ranks do not help."""
    problem, machine = found.problem, found.machine
    what = " x ".join(map(str, problem.shape))
    words = f"{problem.batch} bands of a sphere in {what}" if problem.waves is not None else f"{problem.kind} {what}"
    if problem.modes is not None:
        words += f" with {' x '.join(map(str, problem.modes))} modes"
    if problem.function is None:
        words += f"[/], {problem.precision}, forward and backward"
    else:
        words = f"{problem.function.text} of {words}[/], {problem.precision}"
    screen.print(f"[bold]{words}, on {machine.name}: predicted\n")
    terms = [term for term in model.TERMS if any(row.best.terms[term] > 0.005 * row.best.seconds for row in found.rows)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("ranks", "time", "efficiency", "memory a rank", *(f"{term} %" for term in terms), "hidden"):
        table.add_column(column, justify="right")
    table.add_column("best plan")
    for row in found.rows:
        best = row.best
        parts = [f"{best.terms[term] / best.seconds:.0%}".rstrip("%") for term in terms]
        table.add_row(
            str(row.ranks),
            seconds_text(best.seconds),
            f"{row.efficiency:.0%}",
            _bytes_text(best.memory_bytes),
            *parts,
            seconds_text(best.hidden) if best.hidden > 1e-9 else "",
            best.label,
        )
    screen.print(table)
    screen.print()
    if found.stops_at is None:
        screen.print(
            "scaling: to the end, twice the ranks make it faster by a tenth or more"
            if not found.setbacks
            else f"scaling: to {found.rows[-1].ranks} ranks, but not at every step"
        )
    else:
        why = model.MEANING[found.because or ""]
        screen.print(f"scaling stops at {found.stops_at} ranks: {found.because} ({why})")
    for step in found.setbacks:
        why = model.MEANING[step.because]
        screen.print(
            f"{step.ranks} ranks take {step.factor:.2f} times as long as {step.before}: {step.because} ({why})"
        )
    led = [str(row.ranks) for row in found.rows if str(row.best.options.get("strategy", "")).startswith("node-")]
    if led:
        screen.print(
            f"memory on {', '.join(led)} ranks: that of a rank that leads its node, and so holds what all of the node "
            "send and receive; the others need less"
        )
    if found.rows[-1].ranks > machine.nodes * machine.cores:
        screen.print(f"beyond the machine's {machine.nodes} x {machine.cores} cores: as if it had more such nodes")
    if machine.assumed:
        screen.print(f"assumed, not measured: {', '.join(machine.assumed)}", style="dim")


def _bytes_text(size: float) -> str:
    for unit in _UNITS:
        if size < 1024 or unit == _UNITS[-1]:
            return f"{size:.3g} {unit}" if unit != "B" else f"{size:.0f} B"
        size /= 1024
    raise AssertionError


def draw(found: model.Scaling, path: Path) -> None:
    """Left: the time of every plan and the best; right: the parts of the best one's time."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    ranks = [row.ranks for row in found.rows]
    with pyplot.rc_context(style(9)):
        figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
        every = [(row.ranks, one.seconds) for row in found.rows for one in row.plans]
        left.plot(*zip(*every), ".", color="#ced4da", zorder=1, label="another plan")
        left.plot(ranks, [row.best.seconds for row in found.rows], "o-", color=_COLOURS[0], label="best plan")
        first = found.rows[0]
        left.plot(ranks, [first.best.seconds * first.ranks / n for n in ranks], ":", color="#7b8794", label="ideal")
        if found.stops_at is not None:
            left.axvline(found.stops_at, color=_COLOURS[5], linewidth=0.8)
            left.annotate(f" stops: {found.because}", (found.stops_at, left.get_ylim()[1]), va="top", color=_COLOURS[5])
        left.set(
            xscale="log",
            yscale="log",
            xlabel="ranks",
            ylabel=f"seconds, {'forward and backward' if found.problem.function is None else 'an execution'}",
        )
        figure.suptitle(f"{' x '.join(map(str, found.problem.shape))} on {found.machine.name}, predicted")
        left.legend(frameon=False)
        below = [0.0] * len(ranks)
        for term, colour in zip(model.TERMS, _COLOURS):
            heights = [row.best.terms[term] / row.best.seconds for row in found.rows]
            right.bar(range(len(ranks)), heights, bottom=below, color=colour, label=term)
            below = [a + b for a, b in zip(below, heights)]
        right.set_xticks(range(len(ranks)), [str(n) for n in ranks], rotation=45)
        right.set(xlabel="ranks", ylabel="part of the time")
        right.legend(frameon=False, bbox_to_anchor=(1, 1), loc="upper left")
        save(figure, path, 150)
