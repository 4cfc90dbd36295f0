"""``weft place``: what a program takes, wherever its processes are, and where they should be."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.console import Console
from rich.table import Table

import weft
from weft import place as model

from ..options import Batch, Json, Kind, Precision, library_options, shape_of, whole
from ..output import CommandError, people, require_writable, write_json
from ..reading import reading
from .inputs import DEFAULT_MACHINE, machine_named, placement_named, rates_named, read_file
from .mappings import RankFile, show_mappings
from .runs import Simulation, run_here


@library_options
def place(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help="sort, fft, or the .toml or .json file of a process graph.")
    ],
    machine: Annotated[
        str, typer.Option("--machine", metavar="M", help="A machine by name or .toml file; `here` is this one.")
    ] = DEFAULT_MACHINE,
    topology: Annotated[
        Optional[str],
        typer.Option(
            "--topology", metavar="T", help="fig9 ... fig13-edges, a file, or processors: 0,0,1. Default: all."
        ),
    ] = None,
    best: Annotated[bool, typer.Option("--best", help="The best placement only.")] = False,
    policy: Annotated[
        str, typer.Option("--policy", metavar="P", help="Processors run processes until they wait, or in slices.")
    ] = "run",
    time_slice: Annotated[str, typer.Option("--slice", metavar="S", help="Seconds of a slice.")] = "0.01",
    n: Annotated[str, typer.Option("--n", metavar="N", help="sort: elements.")] = "50000",
    levels: Annotated[str, typer.Option("--levels", metavar="L", help="sort: levels of the tree.")] = "3",
    arity: Annotated[str, typer.Option("--arity", metavar="K", help="sort: children of a process.")] = "2",
    itemsize: Annotated[str, typer.Option("--itemsize", metavar="B", help="sort: bytes of an element.")] = "4",
    chunks: Annotated[
        str, typer.Option("--chunks", metavar="N", help="sort: messages that a result goes up in.")
    ] = "1",
    measured: Annotated[
        Optional[str],
        typer.Option("--measured", metavar="FILE", help="sort: JSON or TOML with seconds by topology, shown beside."),
    ] = None,
    run: Annotated[bool, typer.Option("--run", help="sort: run weft-sort here, and show its times beside.")] = False,
    simulate: Annotated[
        bool,
        typer.Option("--simulate", help="sort, fft: run it on the machine, simulated, and show its times beside."),
    ] = False,
    rates: Annotated[
        Optional[str],
        typer.Option("--rates", metavar="R", help="What work costs: FILE of weft-sort --rates --json, or `here`."),
    ] = None,
    figure: Annotated[
        Optional[str], typer.Option("--figure", metavar="FILE", help="The activity of processors: .png or .svg.")
    ] = None,
    shape: Annotated[Optional[str], typer.Option("--shape", metavar="N0 N1 N2", help="fft: global grid.")] = None,
    ranks: Annotated[Optional[str], typer.Option("-n", "--ranks", metavar="N", help="fft: ranks.")] = None,
    kind: Kind = "c2c",
    precision: Precision = "double",
    batch: Batch = "1",
    rankfile: Annotated[
        Optional[str], typer.Option("--rankfile", metavar="FILE", help="fft: write the best mapping for mpiexec.")
    ] = None,
    hosts: Annotated[
        Optional[str],
        typer.Option("--hosts", metavar="A,B,...", help="fft: the nodes' names in it; without, it needs a batch job."),
    ] = None,
    json: Json = None,
    options: dict[str, Any] = {},  # noqa: B006  # filled by the decorator
) -> None:
    """Predict where processes should run (sort --machine brown-ethernet; fft --shape 256 256 256 -n 16 --machine M)."""
    for target in (json, figure, rankfile):
        require_writable(target)
    where = machine_named(machine)
    given = {} if rates is None else rates_named(rates)
    where = where.with_rates(given)
    simulation = Simulation(machine, given) if simulate else None
    if program == "fft":
        if shape is None:
            raise CommandError("fft needs its --shape")
        problem: dict[str, Any] = {"kind": kind, "precision": precision, "batch": whole(batch, "--batch"), **options}
        count = where.processors if ranks is None else whole(ranks, "-n")
        # On nodes that are filled one after the other, whose grid counts for all mappings.
        planned = {"node_size": min(where.cores, count), **problem}
        plan = weft.plan(shape_of(shape, axes=3), count, **planned)
        ranks_to = RankFile(rankfile, hosts.split(",") if hosts else None)
        show_mappings(people(json), plan, problem, where, simulation, json, ranks_to)
        return
    if program == "sort":
        sizes = ((n, "--n"), (levels, "--levels"), (arity, "--arity"), (itemsize, "--itemsize"), (chunks, "--chunks"))
        graph = model.tree_sort(*(whole(text, name) for text, name in sizes))
    elif program.endswith((".toml", ".json")):
        with reading(program):
            graph = model.load_graph(program)
    else:
        raise CommandError(f"PROGRAM is '{program}'; allowed are sort, fft, or a .toml or .json file")
    try:
        seconds = float(time_slice)
    except ValueError:
        raise CommandError(f"--slice is '{time_slice}'; seconds are needed") from None

    usual = [name for name, item in model.TOPOLOGIES.items() if where.nodes > 1 or not item.away]
    usual = usual if _is_browns(graph) else []
    names = ["best"] if best else [topology] if topology else [*usual, "best"]
    found = {name: placement_named(name, graph, where, policy, seconds) for name in names}
    beside: dict[str, dict[str, float]] = {}
    if graph.name in where.measured:
        beside["published"] = dict(where.measured[graph.name])
    if measured is not None:
        beside["measured"] = _seconds_of(Path(measured))
    if run:
        if program != "sort":
            raise CommandError("--run is for the program sort")
        beside["run here"] = {name: run_here(graph, item.placement) for name, item in found.items()}
    if simulation is not None:
        if program != "sort":
            raise CommandError("--simulate is for the programs sort and fft")
        beside["simulated"] = {name: simulation.sort(graph, item.placement) for name, item in found.items()}
    _show(people(json), graph, where, policy, found, beside)
    report = [_row(graph, where, name, item, policy, seconds, beside) for name, item in found.items()]
    write_json(json, {"program": graph.name, "machine": where.name, "policy": policy, "placements": report})
    if figure is not None:
        last = found[names[-1]]
        model.draw(figure, model.predict(graph, where, last.placement, policy, seconds))


def _is_browns(graph: model.Graph) -> bool:
    return (graph.facts.get("program"), graph.facts.get("levels"), graph.facts.get("arity")) == ("sort", 3, 2)


def _seconds_of(path: Path) -> dict[str, float]:
    content = read_file(path)
    if not isinstance(content, dict) or not all(isinstance(value, (int, float)) for value in content.values()):
        raise CommandError(f"'{path}' must have seconds by topology, like fig10 = 0.032")
    return {name: float(value) for name, value in content.items()}


def _row(
    graph: model.Graph,
    machine: model.Machine,
    name: str,
    found: model.Found,
    policy: str,
    time_slice: float,
    beside: dict[str, dict[str, float]],
) -> dict[str, Any]:
    schedule = model.predict(graph, machine, found.placement, policy, time_slice)
    names = [process.name for process in graph.processes]
    return {
        "name": name,
        "placement": list(found.placement),
        "seconds": found.seconds,
        "lower_bound": found.lower_bound,
        "proven": found.proven,
        "algorithm": found.algorithm,
        "network_bytes": schedule.network_bytes(),
        "link_bytes": {f"{a}-{b}": size for (a, b), size in schedule.link_bytes().items()},
        "busy": schedule.busy(),
        "critical_path": [
            {"what": item.what, "process": names[item.process], "begin": item.begin, "end": item.arrival}
            for item in schedule.critical_path()
        ],
        **{source: values[name] for source, values in beside.items() if name in values},
    }


def _show(
    screen: Console,
    graph: model.Graph,
    machine: model.Machine,
    policy: str,
    found: dict[str, model.Found],
    beside: dict[str, dict[str, float]],
) -> None:
    screen.print(
        f"[bold]{graph.name}[/] on {machine.name}: {machine.nodes} nodes of {machine.cores}, policy {policy}\n"
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in (
        "placement",
        "processes of each node's processors",
        "KB across",
        "predicted ms",
        *(f"{what} ms" for what in beside),
    ):
        table.add_column(column, justify="right" if "ms" in column.split() or "KB" in column else "left")
    fastest = min(item.seconds for item in found.values())
    for name, item in found.items():
        across = sum(
            size
            for (a, b), size in graph.bytes_between().items()
            if machine.node_of(item.placement[a]) != machine.node_of(item.placement[b])
        )
        style = "green" if item.seconds <= fastest * 1.000001 else ""
        times = [f"{values[name] * 1e3:.3f}" if name in values else "" for values in beside.values()]
        where = _where(item.placement, machine) if len(graph) <= 16 else ""
        table.add_row(name, where, f"{across / 1e3:.0f}", f"{item.seconds * 1e3:.3f}", *times, style=style)
    screen.print(table)
    screen.print()
    for name, item in found.items():
        if name in model.TOPOLOGIES:
            screen.print(f"{name}: {model.TOPOLOGIES[name].title}")
        elif item.algorithm != "given":
            gap = (
                "proven"
                if item.proven
                else f"at most {item.gap:.0%} above the best: lower bound {item.lower_bound * 1e3:.3f} ms"
            )
            screen.print(f"{name}: {item.algorithm}; {item.schedules} placements predicted; {gap}")
    for note in machine.assumed:
        screen.print(f"assumed: {note}", style="dim")


def _where(placement: tuple[int, ...], machine: model.Machine) -> str:
    nodes = model.canonical(placement, machine)
    return " | ".join(" ".join("{" + ",".join(map(str, one)) + "}" for one in node) for node in nodes)
