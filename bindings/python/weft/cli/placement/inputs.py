"""What the commands of placement take: machines, placements, and runs of weft-sort."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft import place
from weft._inputs import read_json

from .. import launch
from ..output import CommandError
from ..reading import reading

#: Where nothing else is said of a machine: Brown's.
DEFAULT_MACHINE = "brown-servernet"


def machine_named(name: str) -> place.Machine:
    """A machine by name or file; `here` is this one, its rates measured."""
    if name != "here":
        with reading(name):
            return place.load_machine(name)
    cores = launch.cores()
    # One node: the network is never used. Messages inside of it: about what a copy through a second buffer costs.
    machine = place.Machine("here", 1, cores, place.Link(1e-5, 1e9), place.Link(1e-6, 5e9))
    return machine.with_rates(rates_named("here"))


def rates_named(name: str) -> dict[str, float]:
    """Seconds of a unit of work, by formula: of this machine, or from a file."""
    content = run_sort(["--rates"], 1) if name == "here" else read_file(Path(name))
    rates = content.get("rates") if isinstance(content, dict) else None
    if not isinstance(rates, dict) or not all(isinstance(rate, (int, float)) for rate in rates.values()):
        raise CommandError(f"'{name}' has no rates = {{formula = seconds of a unit}}")
    return {formula: float(rate) for formula, rate in rates.items()}


def placement_named(
    name: str, graph: place.Graph, machine: place.Machine, policy: str = "run", time_slice: float = 0.01
) -> place.Found:
    """A placement: a named topology, `best`, a file with `placement = [...]`, or processors with commas between."""
    if name == "best":
        return place.best(graph, machine, policy, time_slice)
    if name in place.TOPOLOGIES:
        return place.place_topology(name, graph, machine, policy, time_slice)
    placement = _processors(name)
    schedule = place.predict(graph, machine, placement, policy, time_slice)
    bound = place.Bounds(place.Model(graph, machine)).bound([-1] * len(graph))
    return place.Found(tuple(placement), schedule.seconds, bound, False, "given", 1)


def _processors(name: str) -> list[int]:
    if name.replace(",", "").isdigit():
        return [int(word) for word in name.split(",")]
    path = Path(name)
    if path.suffix not in (".toml", ".json"):
        good = ", ".join(("best", *place.TOPOLOGIES))
        raise CommandError(f"--topology is '{name}'; allowed are {good}, a .toml or .json file, or numbers like 0,0,1")
    content = read_file(path)
    found = content.get("placement") if isinstance(content, dict) else None
    if not isinstance(found, list) or not all(type(p) is int for p in found):
        raise CommandError(f"'{path}' has no placement = [processor of each process]")
    return found


def read_file(path: Path) -> Any:
    """The content of a TOML or JSON file."""
    with reading(path):
        return place.read_toml(path, "file") if path.suffix == ".toml" else read_json(path)


def run_sort(arguments: Sequence[str], ranks: int) -> Any:
    """The report of a run of weft-sort on this machine."""
    command = [str(launch.program("weft-sort")), *arguments, "--json", "-"]
    environment = None
    if ranks > 1:
        if not launch.stays_here(ranks):
            command = [*launch.mpiexec(), "-n", str(ranks), *command]
        environment = launch.launch_environment(ranks)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CommandError(f"{' '.join(command)} failed: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout)
