"""Placements with real MPI: the merge sort and ranks of transforms on two emulated nodes of two processors."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import weft
from weft import place
from weft.cli import launch
from weft.cli.placement.inputs import rates_named
from weft.cli.placement.runs import bench_arguments, sort_arguments
from weft.lab import emulate
from weft.lab.experiment import Lab, Plot, Result, Table
from weft.lab.experiments.emulated import finish, milliseconds, start

TITLE = "Placements with real MPI, on network namespaces: merge sort, ranks of transforms"
PAPER = "G. Brown, Parallel Processing and Process Placement, 2001"
WHERE = "placements of figures 9 to 13 over a slow and a fast network; mappings of 2 x 2 ranks"
METHOD = (
    "Wall time of weft-sort and weft-bench with real MPI over TCP, two nodes of two ranks, best of the repetitions, beside "
    "weft.place with rates and messages measured here. The 10 Mbit/s network is one shared wire, as Brown's Ethernet. All "
    "nodes share this machine's cores, which the prediction does not know: without the limit of the wire it is too good."
)
NEEDS_ROOT = True

NODES, CORES = 2, 2
SLOW = "10mbit"
#: Elements that are sorted: what crosses takes a good part of a second at most.
SIZES = {SLOW: 50_000, emulate.UNLIMITED: 2_000_000}


def run(lab: Lab) -> Result:
    result = Result({"mpi": "Open MPI" if launch.is_open_mpi() else "MPICH", "n": SIZES})
    names = ["fig9", "fig10", "fig12"] if lab.quick else [*place.TOPOLOGIES]
    with tempfile.TemporaryDirectory(prefix="weft-lab-") as folder:
        with emulate.cluster(NODES, emulate.UNLIMITED):
            fast = measured_machine(Path(folder))
            unlimited = sort(Path(folder), fast, emulate.UNLIMITED, names, 3 if lab.quick else 7, result)
        with emulate.cluster(NODES, SLOW, "hub"):
            # TCP over frames of 1500 bytes has 94 % of the wire.
            wire = place.Link(fast.network.latency, 0.94 * 10e6 / 8, shared=True)
            slow = place.Machine(SLOW, NODES, CORES, wire, fast.node, rates=fast.rates)
            limited = sort(Path(folder), slow, SLOW, names, 2 if lab.quick else 3, result)
        if launch.is_open_mpi():
            with emulate.cluster(NODES, "20mbit"):
                mappings(
                    Path(folder), place.Machine("20mbit", NODES, CORES, place.Link(1e-4, 2.35e6), fast.node), result
                )
    judge(result, limited, unlimited)
    return result


def measured_machine(folder: Path) -> place.Machine:
    """What the cluster that is up is, as its messages and the work of one core take."""
    words = ("--only", "messages", "--rounds", 1, "--seconds", 0)
    probes = finish(folder, "job", start(folder, "job", NODES * CORES, words, program="weft-calibrate"))["probes"]
    links = {}
    for where in ("network", "node"):
        seconds = {p["bytes"]: p["seconds"] for p in probes if (p["group"], p.get("where")) == ("exchange", where)}
        least, most = min(seconds), max(seconds)
        links[where] = place.Link(seconds[least], (most - least) / max(1e-9, seconds[most] - seconds[least]))
    return place.Machine("unlimited", NODES, CORES, links["network"], links["node"], rates=rates_named("here"))


def sort(
    folder: Path, machine: place.Machine, rate: str, names: list[str], repeats: int, result: Result
) -> dict[str, tuple[int, float, float]]:
    """Bytes that cross, predicted and measured ms, by placement."""
    graph = place.tree_sort(SIZES[rate])
    rows: dict[str, tuple[int, float, float]] = {}
    for name in names:
        found = place.place_topology(name, graph, machine)
        across = place.predict(graph, machine, found.placement).network_bytes()
        words = (*sort_arguments(graph, found.placement), "--repeats", repeats, "--warmup", 1)
        ms = milliseconds(finish(folder, "job", start(folder, "job", machine.processors, words, program="weft-sort")))
        rows[name] = (across, 1e3 * found.seconds, ms)
    title = f"{SIZES[rate]} ints, {rate}"
    table = [[name, across, round(predicted, 2), round(ms, 2)] for name, (across, predicted, ms) in rows.items()]
    result.tables.append(Table(title, ["placement", "bytes across", "predicted ms", "measured ms"], table))
    series = {
        what: sorted((row[0] / 1e3, row[k]) for row in rows.values()) for k, what in ((1, "predicted"), (2, "measured"))
    }
    result.plots.append(Plot(title, "KB that cross", "ms", series))
    return rows


def judge(result: Result, slow: dict[str, tuple[int, float, float]], fast: dict[str, tuple[int, float, float]]) -> None:
    ms = {name: row[2] for name, row in slow.items()}
    result.finds(
        f"{SLOW}: one node is faster than two",
        ms["fig9"] < 0.5 * min(time for name, time in ms.items() if name != "fig9"),
        f"{ms['fig9']:.1f} ms, figure 10 {ms['fig10']:.1f}",
    )
    across, times = np.array([(row[0], row[2]) for row in slow.values()]).T
    linear = float(np.corrcoef(across, times)[0, 1])
    result.finds(f"{SLOW}: time is nearly linear in the data that cross", linear > 0.98, f"correlation {linear:.4f}")
    if "fig11" in ms:
        result.finds(
            f"{SLOW}: figures 10 and 11 are not significantly different",
            abs(ms["fig10"] / ms["fig11"] - 1) < 0.1,
            f"{ms['fig10']:.1f} and {ms['fig11']:.1f} ms",
        )
    off = {name: row[2] / row[1] - 1 for name, row in slow.items() if row[0] > 0}
    worst = max(off, key=lambda name: abs(off[name]))
    result.finds(
        f"{SLOW}: what crosses the wire takes what was predicted",
        abs(off[worst]) < 0.25,
        f"{off[worst]:+.0%} at {worst}",
    )
    predicted, measured = (min(fast, key=lambda name, k=k: fast[name][k]) for k in (1, 2))
    result.finds(
        "without the limit, too, the prediction names the fastest placement",
        fast[predicted][2] <= 1.1 * fast[measured][2],
        f"{predicted}, {fast[predicted][2]:.1f} ms; the fastest measured is {measured}, {fast[measured][2]:.1f} ms",
        "nodes share cores here, which the prediction does not know",
    )


def mappings(folder: Path, machine: place.Machine, result: Result) -> None:
    """2 x 2 ranks where the flags or the rank file of each mapping put them."""
    n, ranks, rows = 32, machine.processors, []
    cases: dict[str, dict[str, Any]] = {
        "pencils": {"decomposition": "pencil", "grid": "2x2", "batch": 1},
        "groups of two": {"decomposition": "slab", "groups": "2", "batch": 2},
    }
    for case, words in cases.items():
        problem = {**words, "strategy": "alltoallv"}
        plan = weft.plan((n, n, n), ranks, **problem)
        found = place.map_ranks(plan, machine)
        ms = {}
        for item in found.mappings:
            flags = item.flags(machine.cores).get("Open MPI", f"--rankfile {folder / 'ranks'}")
            (folder / "ranks").write_text(item.rankfile([f"node{node}" for node in range(NODES)]))
            arguments = tuple(bench_arguments(plan, problem, 5))
            job = start(folder, "job", ranks, arguments, flags=shlex.split(flags))
            ms[item.name] = milliseconds(finish(folder, "job", job))
            rows.append(
                [
                    case,
                    item.name,
                    flags.partition(" /")[0],
                    item.network_bytes / 1e6,
                    1e3 * item.link_seconds,
                    ms[item.name],
                ]
            )
        here = ", ".join(f"{name} {time:.0f} ms" for name, time in ms.items())
        if found.gain < place.WORTH and found.mappings[1].link_seconds < 1.1 * found.mappings[0].link_seconds:
            holds = abs(ms["round-robin"] / ms["consecutive"] - 1) < 0.25
            why = "from one job to the next the same mapping takes 225 to 340 ms here"
            result.finds(f"{case} on 2 x 2: no mapping gains anything", holds, here, why)
        else:
            holds = 1.25 * ms["consecutive"] < ms["round-robin"]
            result.finds(f"{case} on 2 x 2: consecutive ranks are faster, as predicted", holds, here)
    header = ["plan", "mapping", "mpiexec", "MB between nodes", "busiest link ms", "measured ms"]
    result.tables.append(Table(f"{n}^3 on 2 x 2 ranks, 20 Mbit/s a node", header, rows))
