"""Which rank of a transform on which node: does it matter, and does the prediction know?"""

from __future__ import annotations

from typing import Any

import weft
from weft import place
from weft.cli.placement.runs import bench_arguments
from weft.lab.experiment import Lab, Result, Table

TITLE = "Ranks of a transform on nodes: consecutive, in turns, or the best mapping found"
PAPER = "Weft's own"
WHERE = "no paper: `weft place fft` predicts what a mapping is worth; here it is simulated"
METHOD = (
    "weft-bench, c2c, double, alltoallv, forward and backward, sizes only, each rank on the node that the mapping says; beside it "
    "the bytes between nodes and what the busiest node's link needs for them (weft.place)."
)

CASES: dict[str, dict[str, Any]] = {
    "slabs": {"decomposition": "slab"},
    "pencils": {"decomposition": "pencil"},
    "pencils, a row a node": {"decomposition": "pencil", "grid": "{nodes}x{cores}"},
    "groups of a node's size": {"decomposition": "slab", "groups": "{nodes}", "batch": "{nodes}"},
}


def run(lab: Lab) -> Result:
    names = [lab.given] if lab.given else ["cloud-25g"] if lab.quick else ["cloud-25g", "hector-2b"]
    n, ranks = (48, 16) if lab.quick else (96, 96)
    cases = {case: CASES[case] for case in ("pencils", "groups of a node's size")} if lab.quick else CASES
    result = Result({"machines": names, "grid": n, "ranks": ranks})
    for name in names:
        machine = lab.machine(name)
        nodes = max(2, ranks // machine["cores"])
        rows = []
        for case, words in cases.items():
            problem = {
                key: value.format(nodes=nodes, cores=ranks // nodes) if isinstance(value, str) else value
                for key, value in words.items()
            }
            problem["batch"] = int(problem.get("batch", 1))
            rows += measure(lab, machine, nodes, n, ranks, case, {**problem, "strategy": "alltoallv"}, result)
        header = ["plan", "mapping", "MB between nodes", "busiest link ms", "simulated ms"]
        title = f"{machine['title']}: {n}^3 on {ranks} ranks, {nodes} nodes"
        result.tables.append(Table(title, header, rows))
    return result


def measure(
    lab: Lab,
    machine: dict[str, Any],
    nodes: int,
    n: int,
    ranks: int,
    case: str,
    problem: dict[str, Any],
    result: Result,
) -> list[list[Any]]:
    used = {**machine, "cores": ranks // nodes, "nodes": nodes}
    plan = weft.plan((n, n, n), ranks, **problem)
    found = place.map_ranks(plan, place.machine_of(used))
    words = bench_arguments(plan, problem)
    times = {}
    for item in found.mappings:
        report = lab.simulator.run(machine, ranks, "weft-bench", *words, mapping=item.nodes, data=False)
        times[item.name] = 1e3 * float(report["seconds"]["median"])
    usual, dealt, _ = found.mappings
    here = ", ".join(f"{name} {ms:.3f} ms" for name, ms in times.items())
    where = f"{machine['name']}, {case}"
    link = 1e3 * usual.link_seconds
    why = (
        f"the busiest link would need {link:.1f} ms; the rest is messages that wait for each other, which a mapping changes "
        "too and bytes do not show"
    )
    if found.gain >= place.WORTH:
        result.finds(
            f"{where}: the best mapping is faster than consecutive ranks ({found.gain:.0%} of the busiest link's time predicted)",
            times["best"] < times["consecutive"],
            here,
            why,
        )
    else:
        result.finds(
            f"{where}: no mapping gains {place.WORTH:.0%} over consecutive ranks",
            times["consecutive"] * (1 - place.WORTH) <= min(times.values()),
            here,
            why,
        )
    change = dealt.link_seconds / usual.link_seconds if usual.link_seconds else float("inf")
    if not 0.8 < change < 1.25:
        faster, slower = ("consecutive", "round-robin") if change > 1 else ("round-robin", "consecutive")
        result.finds(f"{where}: {faster} ranks are faster than {slower}", times[faster] < times[slower], here, why)
    sizes = ((item.name, item.network_bytes / 1e6, 1e3 * item.link_seconds) for item in found.mappings)
    return [[case, name, round(mb, 3), round(link, 3), round(times[name], 3)] for name, mb, link in sizes]
