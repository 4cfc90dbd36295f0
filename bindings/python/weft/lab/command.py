"""``weft lab``: machines, experiments and their report."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.markup import escape
from rich.table import Table

from .. import model
from ..cli import launch
from ..cli.options import Json
from ..cli.output import CommandError, console, people, require_writable, write_json, write_text
from ..cli.reading import reading
from . import emulate, experiment, machines
from .report import markdown, page
from .simulate import Simulator

lab = typer.Typer(
    name="lab",
    help="Clusters that you do not have: Weft's programs on simulated machines, and the papers' experiments re-run.",
    no_args_is_help=True,
)

Out = Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Where results are kept.")]
MachineName = Annotated[
    Optional[str],
    typer.Option("--machine", metavar="NAME|FILE", help="Instead of the experiment's own machine."),
]
_OUT = Path("weft-lab")


@lab.command("list")
def list_all(json: Json = None) -> None:
    """List machines and experiments."""
    require_writable(json)
    known = {
        "machines": {name: str(machines.load(name)["title"]) for name in model.machine_names()},
        "experiments": {name: str(experiment.find(name).TITLE) for name in experiment.names()},
    }
    for word, titles in known.items():
        if json == "-":
            break
        table = Table(word.rstrip("s"), "what", box=None)
        for name, title in titles.items():
            table.add_row(name, escape(title))
        people(json).print(table, "")
    write_json(json, known)


@lab.command()
def show(machine: Annotated[str, typer.Argument(metavar="MACHINE|FILE")], json: Json = None) -> None:
    """Show a machine: its figures, where they come from, and which are assumed."""
    require_writable(json)
    content = machines.load(machine)
    write_json(json, content)
    if json == "-":
        return
    out = console()
    out.print(f"[bold]{escape(content['title'])}[/] ({content['year']})")
    table = Table("", "", "", "source", box=None, show_header=False)
    for name, fields in machines.FIELDS.items():
        place: dict[str, Any] = content.get(name, {}) if name else content
        for field in fields:
            if field not in place or field in ("name", "title", "year", "assumed"):
                continue
            full = f"{name}.{field}" if name else field
            value = place[field]
            text = f"{value:g}" if isinstance(value, float) else str(value)
            assumed = full in content["assumed"] or name in content["assumed"]
            source = content.get("sources", {}).get(full, "")
            table.add_row(full, text, "[yellow]assumed[/]" if assumed else "", escape(source))
    out.print(table)


@lab.command()
def run(
    names: Annotated[list[str], typer.Argument(metavar="EXPERIMENT...|all")],
    machine: MachineName = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few points, in seconds.")] = False,
    out: Out = _OUT,
    json: Json = None,
) -> None:
    """Run experiments; exit code 1 if a finding of a paper does not hold that should."""
    modules = {name: experiment.find(name) for name in (experiment.names() if names == ["all"] else names)}
    require_writable(json)
    screen = people(json)
    say = console(stderr=True)
    simulator = Simulator(out / "cache", say=lambda text: say.print(f"[dim]{escape(text)}[/]", soft_wrap=True))

    def possible(module: Any) -> bool:
        if hasattr(module, "NEEDS_PROGRAM") and not simulator.has(module.NEEDS_PROGRAM):
            return False
        return os.geteuid() == 0 or not hasattr(module, "NEEDS_ROOT")

    failed, reports = 0, []
    for name in [name for name, module in modules.items() if names != ["all"] or possible(module)]:
        report = experiment.run(name, experiment.Lab(simulator, machine, quick))
        path = experiment.keep(report, out)
        reports.append(report)
        failed += _show(report, screen)
        screen.print(f"written: {path}\n")
    write_json(json, reports)
    if failed:
        raise typer.Exit(1)


def _show(report: dict[str, Any], out: Any) -> int:
    """Prints tables and findings; how many do not hold, and nothing says why."""
    out.print(f"[bold]{escape(report['title'])}[/]\n{escape(report['paper'])}: {escape(report['where'])}")
    for content in report["tables"]:
        table = Table(*content["header"], title=content["title"], title_justify="left", box=None)
        for row in content["rows"]:
            table.add_row(*(f"{value:.5g}" if isinstance(value, float) else str(value) for value in row))
        out.print(table)
    unexplained = 0
    for finding in report["findings"]:
        mark = "[green]holds        [/]" if finding["holds"] else "[red]does not hold[/]"
        out.print(f"{mark} {escape(finding['claim'])}: {escape(finding['here'])}", soft_wrap=True)
        if not finding["holds"]:
            unexplained += not finding["why"]
            if finding["why"]:
                out.print(f"              why: {escape(finding['why'])}", soft_wrap=True)
    return unexplained


@lab.command()
def report(
    out: Out = _OUT,
    findings: Annotated[
        Optional[Path], typer.Option("--markdown", metavar="FILE", help="Findings alone, for documentation.")
    ] = None,
    json: Json = None,
) -> None:
    """Write DIR/report.html, one page of all results in DIR that needs nothing else."""
    require_writable(json)
    reports = experiment.kept(out) if out.is_dir() else []
    if not reports:
        raise CommandError(f"there are no results in '{out}'; `weft lab run all` makes some")
    path = out / "report.html"
    with reading(out, "one of its results is not as `weft lab run` writes it"):
        texts = (markdown(reports), page(reports))
    if findings is not None:
        write_text(findings, texts[0])
    write_text(path, texts[1])
    people(json).print(f"written: {path}")
    write_json(
        json, {"page": str(path), "markdown": None if findings is None else str(findings), "results": len(reports)}
    )


@lab.command()
def up(
    nodes: Annotated[int, typer.Option("--nodes", help="Nodes of the cluster.")] = 4,
    rate: Annotated[str, typer.Option("--rate", help="Of every cable: 10mbit, 100mbit, 1gbit, unlimited.")] = "100mbit",
    topology: Annotated[
        str, typer.Option("--topology", help="switch, hub or segments (hubs, joined by a switch).")
    ] = "switch",
    per_segment: Annotated[int, typer.Option("--per-segment", help="Nodes of a segment.")] = 2,
    json: Json = None,
) -> None:
    """Make an emulated cluster of network namespaces on this machine (root)."""
    require_writable(json)
    emulate.up(nodes, rate, topology, per_segment)
    people(json).print(f"{nodes} nodes are up; `weft lab exec -n {2 * nodes} -- PROGRAM`, then `weft lab down`")
    write_json(json, {"nodes": nodes, "rate": rate, "topology": topology, "per_segment": per_segment})


@lab.command(
    "exec",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False},
)
def execute(
    ctx: typer.Context,
    ranks: Annotated[int, typer.Option("-n", help="Ranks, spread over the nodes.")],
    mpi: Annotated[
        Optional[str], typer.Option("--mpi", metavar="openmpi|mpich", help="The program's MPI library, if not Weft's.")
    ] = None,
) -> None:
    """Run an MPI program on the emulated cluster: weft lab exec -n 8 -- weft-bench --shape 64 64 64.

    With WEFT_MPIEXEC='weft lab exec', all commands of weft start their jobs there."""
    os.environ.pop("WEFT_MPIEXEC", None)  # it would be this very command
    if not ctx.args:
        raise CommandError("which program? e.g. weft lab exec -n 8 -- weft-bench --shape 64 64 64")
    program, *words = ctx.args
    if program.startswith("weft-"):
        program = str(launch.program(program))
    command = emulate.command(ranks, [program, *words], mpi=mpi)
    raise typer.Exit(subprocess.run(command, env=emulate.environment(mpi), check=False).returncode)


@lab.command()
def down(json: Json = None) -> None:
    """Take the emulated cluster down, with all that runs on it."""
    require_writable(json)
    emulate.down()
    write_json(json, {"nodes": 0})
