"""Weft on machines of today: how it scales, and which strategy wins where."""

from __future__ import annotations

from typing import Any

from weft.lab.experiment import Lab, Plot, Result, Table

TITLE = "Strong scaling on machines of today, and which strategy wins where"
PAPER = "Weft's own"
WHERE = "no paper: what to expect of a machine before applying for it"
METHOD = (
    "weft-bench, c2c, double, spectrum left transposed, one tile an exchange, ms for forward and backward; sizes only (no pass "
    "computes, nothing is verified). --machine takes any other machine file."
)

STRATEGIES = ("alltoallv", "shared", "node-shm")


def milliseconds(lab: Lab, machine: dict[str, Any], n: int, ranks: int, strategy: str) -> float:
    report = lab.simulator.run(
        machine,
        ranks,
        *("weft-bench", "--shape", n, n, n, "--strategies", strategy, "--repeats", 1, "--warmup", 0, "--no-limits"),
        *("--transposed", "--check", "false", "--tile", 1),
        data=False,
    )
    return 1e3 * report["seconds"]["median"]


def run(lab: Lab) -> Result:
    machines = (
        [lab.machine("cloud-25g")] if lab.given or lab.quick else [lab.machine("cloud-25g"), lab.machine("slingshot")]
    )
    grids = [64] if lab.quick else [64, 128]
    result = Result({"machines": [machine["name"] for machine in machines], "grids": grids})
    for machine in machines:
        cores = machine["cores"]
        nodes = [1, 2, 4] if lab.quick else [k for k in (1, 2, 4, 8, 16) if k * cores <= 512]
        winners = []
        for n in grids:
            times = {s: {k * cores: milliseconds(lab, machine, n, k * cores, s) for k in nodes} for s in STRATEGIES}
            title = f"{machine['name']}, {n}^3"
            series = {s: list(t.items()) for s, t in times.items()}
            result.plots.append(Plot(title, "ranks", "ms", series, log_x=True, log_y=True))
            for ranks in (k * cores for k in nodes):
                best = min(STRATEGIES, key=lambda s, ranks=ranks, times=times: times[s][ranks])
                winners.append([n, ranks, *(round(times[s][ranks], 4) for s in STRATEGIES), best])
            most = nodes[-1] * cores
            result.finds(
                f"{title}: on {nodes[-1]} nodes one message from node to node is better than one from core to core",
                times["node-shm"][most] < times["alltoallv"][most],
                f"{times['node-shm'][most]:.3f} against {times['alltoallv'][most]:.3f} ms",
                "where blocks are large, bandwidth decides, and one leader a node sends alone" if n > 64 else "",
            )
        header = ["grid", "ranks", *STRATEGIES, "best"]
        result.tables.append(Table(f"{machine['title']}: ms, and the winner", header, winners))
    return result
