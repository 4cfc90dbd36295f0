"""``weft calibrate``: measures this machine for the model."""

from __future__ import annotations

import datetime
import json
import platform
import subprocess
import tempfile
from pathlib import Path
from typing import Annotated, Any, Optional

import tomli_w
import typer
from rich.table import Table

from weft import _core, model
from weft.model.calibrate import machine_from

from .. import launch
from ..options import Ranks, at_least
from ..output import CommandError, console, require_writable, write_text


def calibrate(
    ranks: Ranks = None,
    seconds: Annotated[
        str, typer.Option("--seconds", metavar="S", help="Time to measure for; preparing takes some more.")
    ] = "30",
    rounds: Annotated[
        str, typer.Option("--rounds", metavar="N", help="Times that everything is measured in any case.")
    ] = "3",
    name: Annotated[Optional[str], typer.Option("--name", metavar="NAME", help="The machine's name.")] = None,
    out: Annotated[
        Optional[str],
        typer.Option(
            "-o", "--out", metavar="FILE", help="The machine file (else weft/machine.toml in the user's cache)."
        ),
    ] = None,
) -> None:
    """Measure this machine's memory, transforms of lines and messages, for `weft tune`, `weft explain` and `weft predict`,
    which find the file where it is put without -o."""
    if out is None:
        out = _usual()
    require_writable(out)
    count = launch.cores() if ranks is None else at_least(ranks, "-n", 1)
    try:
        budget = float(seconds)
    except ValueError:
        raise CommandError(f"--seconds is '{seconds}'; a number of seconds is needed") from None
    report = measured(count, budget, at_least(rounds, "--rounds", 1))
    when = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    content = machine_from(report, name or platform.node() or "machine", when)
    model.machine_of(content, out)  # what is written can be read
    write_text(Path(out), tomli_w.dumps(content))
    _show(content, report, out)


def _usual() -> str:
    out = _core.usual_machine_file()
    if not out:
        raise CommandError("where shall the machine file be? there is no cache folder: give -o FILE")
    try:
        Path(out).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"cannot make '{Path(out).parent}': {error.strerror}; give -o FILE") from None
    return out


def measured(ranks: int, seconds: float, rounds: int) -> dict[str, Any]:
    """What weft-calibrate reports."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "report.json"
        command = [str(launch.program("weft-calibrate")), "--seconds", str(seconds)]
        command += ["--rounds", str(rounds), "--json", str(target)]
        if launch.stays_here(ranks):
            raise CommandError("weft calibrate starts an MPI job of its own; start it outside of one")
        command = [*launch.job_command(ranks), *command]
        done = subprocess.run(
            command, env=launch.launch_environment(ranks), capture_output=True, text=True, check=False
        )
        if done.returncode != 0 or not target.is_file():
            raise CommandError(
                f"weft-calibrate failed ({done.returncode}): {done.stderr.strip() or done.stdout.strip()}"
            )
        return dict(json.loads(target.read_text(encoding="utf-8")))


def _show(content: dict[str, Any], report: dict[str, Any], out: str) -> None:
    screen = console()
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
            f"{len(report['probes'])} quantities, {report['rounds']} times each; spread {facts['median_spread']:.0%} "
            f"in the middle, {facts['widest_spread']:.0%} at most",
        ),
        ("written", out),
    ):
        table.add_row(f"[bold]{label}[/]", text)
    screen.print(table)
