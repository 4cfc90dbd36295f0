"""Brown 2001: merge sort on a tree of processes, placed on two nodes in all of his ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import place
from weft.cli.placement.runs import ranks_of, sort_arguments
from weft.lab.experiment import Lab, Plot, Result, Table

TITLE = "Merge sort on a tree of processes: which should run where"
PAPER = "G. Brown, Parallel Processing and Process Placement, 2001"
WHERE = "the placements of figures 9 to 13, the comparisons of figures 15 and 16, and what the text says of them"
METHOD = (
    "weft-sort sorts 50 000 ints on two nodes of two processors, real data verified under simulation, beside what weft.place "
    "predicts from the same machine file. The prediction has free messages inside a node, as in the paper's model; the "
    "simulated program copies them through memory, and pays for starting messages."
)

N = 50_000
NETWORKS = {"ServerNet": "brown-servernet", "Ethernet": "brown-ethernet"}
#: The paper's times, ms.
MEASURED = {("ServerNet", "best"): 32.0, ("ServerNet", "fig9"): 49.0, ("Ethernet", "fig9"): 49.0}
MEASURED |= {("ServerNet", "fig10"): 32.0, ("Ethernet", "fig10"): 212.0}
SINGLE = 85.0
SIZES = (12_500, 25_000, 50_000, 100_000, 200_000)

Times = dict[str, tuple[int, float, float]]
"""Elements that cross each way, predicted and simulated ms, by placement."""


def simulated(lab: Lab, machine: dict[str, Any], graph: place.Graph, placement: tuple[int, ...]) -> float:
    words = (*sort_arguments(graph, placement), "--repeats", 1, "--warmup", 0)
    return 1e3 * float(lab.simulator.run(machine, ranks_of(placement), "weft-sort", *words)["seconds"]["median"])


def run(lab: Lab) -> Result:
    networks = {lab.given: lab.given} if lab.given else NETWORKS
    result = Result({"machines": [*networks.values()], "n": N, "levels": 3})
    graph = place.tree_sort(N)
    # The same on all networks, as in figure 15: which processor of a node matters most where the network is fast.
    first = place.machine_of(lab.machine(next(iter(networks.values()))))
    found = {name: place.place_topology(name, graph, first).placement for name in place.TOPOLOGIES}
    times: dict[str, Times] = {}
    for network, name in networks.items():
        machine = lab.machine(name)
        times[network] = placements(lab, network, machine, graph, found, result)
        singly = simulated(lab, machine, place.tree_sort(N, levels=1), (0,))
    by_bytes = {
        f"{network}, {what}": sorted((row[0], row[k]) for row in rows.values())
        for network, rows in times.items()
        for k, what in ((1, "predicted"), (2, "simulated"))
    }
    title = "Figure 16: time and elements that cross each way"
    result.plots.append(Plot(title, "elements", "ms", by_bytes))
    for network, rows in times.items():
        judge_search(result, network, rows)
    if not lab.given:
        judge(result, times["ServerNet"], times["Ethernet"], singly)
        compare(lab, result, SIZES[2:3] if lab.quick else SIZES)
    result.notes.append(
        "The text says two things of figure 13 that cannot both be: with all leaves away from the root as many bytes cross as in "
        "figure 12; only where every edge crosses are they twice as many. Both are here."
    )
    return result


def placements(
    lab: Lab,
    network: str,
    machine: dict[str, Any],
    graph: place.Graph,
    named: dict[str, tuple[int, ...]],
    result: Result,
) -> Times:
    modelled = place.machine_of(machine)
    best = place.best(graph, modelled)
    rows: Times = {}
    for name, placement in {**named, "best": best.placement}.items():
        schedule = place.predict(graph, modelled, placement)
        across = schedule.network_bytes() // 2 // graph.facts["itemsize"]
        rows[name] = (across, 1e3 * schedule.seconds, simulated(lab, machine, graph, placement))
    titles = {name: topology.title for name, topology in place.TOPOLOGIES.items()}
    titles["best"] = f"the algorithm's: {best.algorithm}"
    header = ["placement", "", "elements across each way", "predicted ms", "simulated ms", "the paper's ms"]
    table = [
        [name, titles[name], across, round(predicted, 2), round(ms, 2), MEASURED.get((network, name), "")]
        for name, (across, predicted, ms) in rows.items()
    ]
    result.tables.append(Table(f"{network}: {N} ints", header, table))
    return rows


def judge_search(result: Result, network: str, rows: Times) -> None:
    best = rows["best"][2]
    fastest = min(rows, key=lambda name: rows[name][2])
    result.finds(
        f"{network}: the algorithm predicts the best allocation of processes to processors",
        best <= 1.02 * rows[fastest][2],
        f"its placement takes {best:.1f} ms, the fastest one simulated ({fastest}) {rows[fastest][2]:.1f} ms",
    )
    off = max(abs(ms / predicted - 1) for _, predicted, ms in rows.values())
    result.finds(
        f"{network}: predictions are in the right ball-park (his were 14 to 22 % too low)",
        off < 0.25,
        f"simulated times are within {off:.0%} of predicted ones",
    )


def judge(result: Result, fast: Times, slow: Times, singly: float) -> None:
    ms = {name: row[2] for name, row in slow.items()}
    via, node = fast["best"][2], fast["fig9"][2]
    gain = 1 - ms["fig9"] / ms["fig10"]
    result.finds(
        "Ethernet: one node is 77 % faster than two",
        0.6 < gain < 0.9,
        f"{gain:.0%}: {ms['fig9']:.1f} ms, not {ms['fig10']:.1f}",
    )
    across, times = np.array([(row[0], row[2]) for row in slow.values()]).T
    linear = float(np.corrcoef(across, times)[0, 1])
    result.finds("Ethernet: time is nearly linear in the data that cross", linear > 0.99, f"correlation {linear:.4f}")
    for network, rows in (("Ethernet", slow), ("ServerNet", fast)):
        one, other = rows["fig10"][2], rows["fig11"][2]
        result.finds(
            f"{network}: figures 10 and 11 are not significantly different",
            abs(one / other - 1) < 0.05,
            f"{one:.1f} and {other:.1f} ms",
        )
    twice = ms["fig12"] / ms["fig10"]
    result.finds(
        "Ethernet: twice the data, twice the time (figure 12)", 1.7 < twice < 2.2, f"{twice:.2f} times figure 10"
    )
    edges, leaves = ms["fig13-edges"] / ms["fig12"], ms["fig13-leaves"] / ms["fig12"]
    result.finds(
        "Ethernet: figure 13 takes twice as long as figure 12",
        1.7 < edges < 2.2,
        f"{edges:.2f} times where every edge crosses, {leaves:.2f} times where all leaves are away from the root",
    )
    gain = 1 - via / node
    result.finds("ServerNet beats one node by 35 %", 0.25 < gain < 0.45, f"{gain:.0%}: {via:.1f} ms, not {node:.1f}")
    result.finds(
        "one node beats a single process 1.75 times, four processors over ServerNet 2.7 times",
        1.5 < singly / node <= 2 and 2.2 < singly / via <= 4,
        f"{singly / node:.2f} and {singly / via:.2f} times ({singly:.1f} ms alone; the paper's {SINGLE:.0f})",
    )


def compare(lab: Lab, result: Result, sizes: tuple[int, ...]) -> None:
    """Figure 15, by size, with his placement on four processors."""
    series: dict[str, list[tuple[float, float]]] = {"over ServerNet": [], "over Ethernet": [], "one workstation": []}
    fast, slow = (lab.machine(name) for name in NETWORKS.values())
    modelled = place.machine_of(fast)
    for n in sizes:
        graph = place.tree_sort(n)
        apart, together = (place.place_topology(name, graph, modelled).placement for name in ("fig10", "fig9"))
        for name, machine, placement in zip(series, (fast, slow, fast), (apart, apart, together)):
            series[name].append((n, simulated(lab, machine, graph, placement)))
    title = "Figure 15: the same placement over both networks"
    result.plots.append(Plot(title, "ints", "ms", series, log_x=True, log_y=True))
    rows = [[n, *(round(points[i][1], 2) for points in series.values())] for i, n in enumerate(sizes)]
    result.tables.append(Table(f"{title}, simulated ms", ["ints", *series], rows))
