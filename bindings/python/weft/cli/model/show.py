"""Predictions for people: a table, and a picture."""

from __future__ import annotations

import math
from pathlib import Path

from rich.console import Console
from rich.table import Table

from weft import model

from ..drawing import save, style
from ..output import seconds_text
from .where import Where

#: Times that others have published agree with the model up to so many nodes (docs/model.md).
_FEW_NODES = 32
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_COLOURS = ("#2a6f97", "#61a5c2", "#52796f", "#b08968", "#e09f3e", "#bc4749", "#7b2cbf", "#adb5bd")


def show(screen: Console, found: model.Scaling, on: Where) -> None:
    """The best plan at each rank count, the parts of its time, and why more ranks do not help."""
    problem, machine = found.problem, found.machine
    directions = ", forward and backward" if problem.function is None else ""
    screen.print(
        f"[bold]{words_of(problem)}[/], {problem.precision}{directions}, on {machine.name}, {_nodes(found, on)}: predicted\n"
    )
    terms = [term for term in model.TERMS if any(row.best.terms[term] > 0.005 * row.best.seconds for row in found.rows)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    what_counts = "cores" if found.hybrids else "ranks"
    for column in (what_counts, "time", "efficiency", "memory a rank", *(f"{term} %" for term in terms), "hidden"):
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
            f"{best.ranks} x {best.threads} threads, {best.label}" if found.hybrids else best.label,
        )
    screen.print(table)
    screen.print()
    if len(found.rows) == 1:
        pass  # nothing can be said of more of them
    elif found.stops_at is None:
        screen.print(
            f"scaling: to the end, twice the {what_counts} make it faster by a tenth or more"
            if not found.setbacks
            else f"scaling: to {found.rows[-1].ranks} {what_counts}, but not at every step"
        )
    else:
        why = model.MEANING[found.because or ""]
        screen.print(f"scaling stops at {found.stops_at} {what_counts}: {found.because} ({why})")
    for step in found.setbacks:
        why = model.MEANING[step.because]
        screen.print(
            f"{step.ranks} {what_counts} take {step.factor:.2f} times as long as {step.before}: {step.because} ({why})"
        )
    led = [str(row.ranks) for row in found.rows if str(row.best.options.get("strategy", "")).startswith("node-")]
    if led:
        screen.print(
            f"memory on {', '.join(led)} {what_counts}: that of a rank that leads its node, and so holds what all of the node "
            "send and receive; the others need less"
        )
    last = found.rows[-1].best
    if last.ranks * last.threads > machine.nodes * machine.cores:
        screen.print(f"beyond the machine's {machine.nodes} x {machine.cores} cores: as if it had more such nodes")
    nodes = math.ceil(last.ranks / last.ranks_on_node)
    if nodes > _FEW_NODES and not machine.shared:
        screen.print(
            f"on more than {_FEW_NODES} nodes: as if the network had room for all of their links at once; published times "
            "there were about twice as long"
        )
    backend = str(problem.options.get("backend", "auto"))
    if backend != "auto" and backend not in machine.calibration.backends:
        screen.print(f"backend {backend} was not measured on {machine.name}: it has the rate of all lines", style="dim")
    if on.assumed():
        screen.print(on.assumed(), style="dim", markup=False, soft_wrap=True)


def _nodes(found: model.Scaling, on: Where) -> str:
    """Its nodes, and how many ranks are on each."""
    cores = f"nodes of {found.machine.cores} core{'' if found.machine.cores == 1 else 's'}"
    on_node = on.ranks_on_node(found.rows[-1].ranks)
    if found.hybrids:
        return cores
    crowded = ", which take turns" if on_node * on.threads > found.machine.cores else ""
    return f"{cores} with up to {on_node} rank{'' if on_node == 1 else 's'} each{crowded}"


def words_of(problem: model.Problem) -> str:
    """What is transformed."""
    shape = " x ".join(map(str, problem.shape))
    words = f"{problem.batch} bands of a sphere in {shape}" if problem.waves is not None else f"{problem.kind} {shape}"
    if problem.modes is not None:
        words += f" with {' x '.join(map(str, problem.modes))} modes"
    return words if problem.function is None else f"{problem.function.text} of {words}"


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
            xlabel="cores" if found.hybrids else "ranks",
            ylabel=f"seconds, {'forward and backward' if found.problem.function is None else 'an execution'}",
        )
        figure.suptitle(f"{words_of(found.problem)} on {found.machine.name}, predicted")
        left.legend(frameon=False)
        below = [0.0] * len(ranks)
        for term, colour in zip(model.TERMS, _COLOURS):
            heights = [row.best.terms[term] / row.best.seconds for row in found.rows]
            right.bar(range(len(ranks)), heights, bottom=below, color=colour, label=term)
            below = [a + b for a, b in zip(below, heights)]
        right.set_xticks(range(len(ranks)), [str(n) for n in ranks], rotation=45)
        right.set(ylim=(0, 1), xlabel="cores" if found.hybrids else "ranks", ylabel="part of the time")
        right.legend(frameon=False, bbox_to_anchor=(1, 1), loc="upper left")
        save(figure, path, 150)
