"""``weft calibrate``: measures this machine for the model."""

from __future__ import annotations

import datetime
import math
import platform
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Optional

import tomli_w
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from weft import _core, model
from weft._inputs import read_json
from weft.model.calibrate import machine_from, spread

from .. import busy, launch
from ..options import Json, Ranks, at_least
from ..output import CommandError, console, people, require_writable, write_json, write_text

#: What weft-calibrate says on its way.
_PROGRESS = re.compile(r"(preparing|round|\d+ (of \d+ )?quantities) ")
#: What a quantity was measured to be, and not what it is.
_FIGURES = ("seconds", "low", "high", "operations")


def calibrate(
    ranks: Ranks = None,
    seconds: Annotated[
        str, typer.Option("--seconds", metavar="S", help="Time that it may take, preparing included.")
    ] = "30",
    rounds: Annotated[
        str,
        typer.Option("--rounds", metavar="N", help="Times that everything is measured, however long that takes."),
    ] = "0",
    force: Annotated[
        bool, typer.Option("--force", help="Measure a busy machine, too, and keep what was measured too seldom.")
    ] = False,
    name: Annotated[Optional[str], typer.Option("--name", metavar="NAME", help="The machine's name.")] = None,
    out: Annotated[
        Optional[str],
        typer.Option(
            "-o", "--out", metavar="FILE", help="The machine file (else weft/machine.toml in the user's cache)."
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Measure this machine's memory, transforms of lines and messages, for `weft tune`, `weft explain` and `weft predict`,
    which find the file where it is put without -o."""
    if out is None:
        out = _usual()
    require_writable(out)
    require_writable(json)
    count = launch.cores() if ranks is None else at_least(ranks, "-n", 1)
    try:
        budget = float(seconds)
    except ValueError:
        budget = -1.0
    if not 0 <= budget < math.inf:
        raise CommandError(f"--seconds is '{seconds}'; a number of seconds is needed, from 0 on")
    least = at_least(rounds, "--rounds", 0)
    if force:
        least = max(1, least)
    else:
        require_quiet(busy.look())
    report = measured(count, budget, least)
    when = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    content = machine_from(report, name or platform.node() or "machine", when)
    model.machine_of(content, out)  # what is written can be read
    if not force:
        require_sure(content["calibration"], report)
    write_text(Path(out), tomli_w.dumps(content))
    if json != "-":
        _show(people(json), content, report, out)
    write_json(json, {"file": out, "machine": content})


def _usual() -> str:
    out = _core.usual_machine_file()
    if not out:
        raise CommandError("where shall the machine file be? there is no cache folder: give -o FILE")
    try:
        Path(out).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"cannot make '{Path(out).parent}': {error.strerror}; give -o FILE") from None
    return out


#: Fewer times tell nothing of what disturbs the machine.
_ROUNDS = 3


def require_quiet(shares: Mapping[str, float]) -> None:
    """Refuse to measure a machine on which others work."""
    if sum(shares.values()) > _core.BUSY_LIMIT:
        raise CommandError(
            f"the machine is too busy to be measured: in one second {busy.busy_text(shares)}; "
            "wait until it is quiet, or give --force"
        )


def require_sure(facts: Mapping[str, Any], report: Mapping[str, Any]) -> None:
    """Refuse what was measured too seldom, or while others disturbed it."""
    rounds = report["rounds"]
    if rounds < _ROUNDS:
        needed = math.ceil(report["seconds"] + (_ROUNDS + 1 - rounds) * report["round_seconds"])
        raise CommandError(
            f"{report['seconds']:.0f} s were enough to measure everything {rounds} times; {_ROUNDS} are needed to tell what "
            f"disturbs it. Nothing is written: give about --seconds {needed}, or --force"
        )
    if facts["median_spread"] > _core.SPREAD_LIMIT:
        raise CommandError(
            f"the machine was too busy to be measured: half of the quantities spread by {facts['median_spread']:.0%} or more "
            f"(usual are some per cent), {_widest(report)} by {facts['widest_spread']:.0%}. Nothing is written: "
            "wait until it is quiet, or give --force"
        )


def _widest(report: Mapping[str, Any]) -> str:
    """Which quantity spread the most, in words."""
    probe = max(report["probes"], key=spread)
    return " ".join(f"{name} {value}" for name, value in probe.items() if name not in _FIGURES)


def measured(ranks: int, seconds: float, rounds: int) -> dict[str, Any]:
    """What weft-calibrate reports."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "report.json"
        command = [str(launch.program("weft-calibrate")), "--seconds", str(seconds)]
        command += ["--rounds", str(rounds), "--json", str(target)]
        if launch.stays_here(ranks):
            raise CommandError("weft calibrate starts an MPI job of its own; start it outside of one")
        command = [*launch.job_command(ranks), *command]
        words = _told(command, launch.launch_environment(ranks))
        if not target.is_file():
            raise CommandError(words.splitlines()[0] if words else "weft-calibrate failed and did not say why")
        return dict(read_json(target))


def _told(command: list[str], environment: Mapping[str, str]) -> str:
    """Run it, and show what it says of its progress as it goes on; all of that, and what it says last."""
    screen, said = console(stderr=True), []
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            if _PROGRESS.match(line):
                screen.print(f"[dim]{escape(line.rstrip())}[/]", soft_wrap=True)
    return "".join(line for line in said if not _PROGRESS.match(line)).strip()


def _show(screen: Console, content: dict[str, Any], report: dict[str, Any], out: str) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    facts = content["calibration"]
    node, network = content["node"], content["network"]
    network_text = "not measured: one node"
    if "network" not in content["assumed"]:
        network_text = f"{network['latency'] * 1e6:.1f} us, {network['bandwidth'] / 1e9:.2f} GB/s"
    for label, text in (
        ("machine", f"{facts['processor']}, {content['nodes']} x {content['cores']} cores"),
        (
            "memory",
            f"{content['memory_bandwidth'] / 1e9:.1f} GB/s a node, {content['core_bandwidth'] / 1e9:.1f} a core",
        ),
        ("lines", f"{content['flops'] / 1e9:.1f} Gflop/s a core"),
        ("in a node", f"{node['latency'] * 1e6:.1f} us, {node['bandwidth'] / 1e9:.1f} GB/s each way"),
        ("across nodes", network_text),
        (
            "measured",
            f"{len(report['probes'])} quantities, {report['rounds']} times each, in {report['seconds']:.0f} s; "
            f"spread {facts['median_spread']:.0%} in the middle, {facts['widest_spread']:.0%} at most ({_widest(report)})",
        ),
        ("written", out),
    ):
        table.add_row(f"[bold]{label}[/]", text)
    screen.print(table)
