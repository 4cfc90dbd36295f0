"""Weft on machines of today: how it scales, and which strategy wins where, simulated and by the model."""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt
from typing import Any

import weft
from weft import model
from weft.lab.experiment import Lab, Plot, Result, Table
from weft.lab.machines import varied

TITLE = "Strong and weak scaling on machines of today, and which strategy wins where"
PAPER = "Weft's own"
WHERE = "no paper: what to expect of a machine before applying for it"
METHOD = (
    "c2c, double, spectrum left transposed, forward and backward. To 256 ranks simulated: weft-bench, one tile an exchange, "
    "slabs or the squarest pencils, sizes only (no pass computes, nothing is verified). Beyond that the model of `weft predict`: "
    "the best of strategies, process grids and tiles. --machine takes any other machine file."
)

FIXED = {"transposed": True, "check": False}
SIMULATED = ("alltoallv", "shared", "node-shm")
#: What the model tries: strategies with their tiles.
MODELLED: dict[str, tuple[dict[str, int], ...]] = {
    "alltoallv": ({"tile": 1},),
    "ialltoallv": ({"tile": 4, "window": 2, "tests": 8}, {"tile": 8, "window": 3}),
    "padded": ({"tile": 1},),
    "pairwise": ({"tile": 1}, {"tile": 4}),
    "shared": ({"tile": 1}, {"tile": 4}),
    "node-shm": ({"tile": 1}, {"tile": 4}, {"tile": 1, "leaders": 4}),
}
RANKS = [16, 64, 256, 1024, 4096, 16384]
POINTS_A_RANK = 64**3
Plans = dict[tuple[int, int], dict[str, model.Prediction]]


def run(lab: Lab) -> Result:
    names = ["cloud-25g"] if lab.given or lab.quick else ["cloud-25g", "slingshot"]
    result = Result({"machines": [lab.machine(name)["name"] for name in names]})
    for name in names:
        simulated(lab, name, result)
        if "topology" in lab.machine(name):
            switches(lab, name, result)
        machine = lab.modelled(name)
        ranks = [p for p in (RANKS[:4] if lab.quick else RANKS) if p <= machine.nodes * machine.cores]
        sizes = [64, 256] if lab.quick else [32, 64, 128, 256, 512, 1024, 2048]
        plans = {(n, p): best(machine, (n, n, n), p) for n in sizes for p in ranks}
        strong(machine, plans, result)
        weak(machine, ranks, result)
        winners(machine, plans, result)
    result.notes.append(
        "Where simulated times jump down, slabs end: from as many ranks as the grid has planes on, pencils share both axes, and "
        "of their two exchanges one stays inside the nodes."
    )
    result.notes.append(
        "The model prices ranks and links, not routes: what a tapered tree or the minimal routes of a dragonfly cost is in the "
        "simulated figures only, and the simulated dragonfly does not avoid busy cables, as a real one does."
    )
    return result


def grids(shape: tuple[int, int, int], ranks: int, cores: int) -> Iterator[dict[str, Any]]:
    """Slabs; the squarest pencils, both ways round; pencils whose rows are nodes."""
    if ranks <= min(shape[:2]):
        yield {"decomposition": "slab"}
    a = next(d for d in range(isqrt(ranks), 0, -1) if ranks % d == 0)
    pairs = {(a, ranks // a), (ranks // a, a)} | (
        {(ranks // cores, cores), (cores, ranks // cores)} if ranks % cores == 0 else set()
    )
    for rows, columns in sorted(pairs):
        if min(rows, columns) > 1 and rows <= min(shape[:2]) and columns <= min(shape[1:]):
            yield {"decomposition": "pencil", "grid": f"{rows}x{columns}"}


def best(machine: Any, shape: tuple[int, int, int], ranks: int, kind: str = "c2c") -> dict[str, model.Prediction]:
    """The model's best plan of each strategy, the fastest first; none where no grid has room for the ranks."""
    problem = model.Problem(shape=shape, kind=kind, options=FIXED)
    found: dict[str, model.Prediction] = {}
    for grid in grids(shape, ranks, machine.cores):
        for strategy, settings in MODELLED.items():
            for more in settings:
                try:
                    one = model.predict(problem, machine, ranks, {"strategy": strategy, **grid, **more})
                except weft.Error:  # not every plan suits every problem
                    continue
                if strategy not in found or one.seconds < found[strategy].seconds:
                    found[strategy] = one
    return dict(sorted(found.items(), key=lambda item: item[1].seconds))


def milliseconds(
    lab: Lab, machine: dict[str, Any], n: int, ranks: int, strategy: str, each: int | None = None
) -> float:
    report = lab.simulator.run(
        machine,
        ranks,
        *("weft-bench", "--shape", n, n, n, "--strategies", strategy, "--repeats", 1, "--warmup", 0, "--no-limits"),
        *("--transposed", "--check", "false", "--tile", 1),
        ranks_per_node=each,
        data=False,
    )
    return 1e3 * report["seconds"]["median"]


def counts(lab: Lab, cores: int) -> list[int]:
    return [k * cores for k in ([1, 4] if lab.quick else [1, 2, 4, 8, 16]) if k * cores <= 256]


def simulated(lab: Lab, name: str, result: Result) -> None:
    machine, priced = lab.machine(name), lab.modelled(name)
    ranks = counts(lab, machine["cores"])
    rows, near = [], []
    for n in [64] if lab.quick else [64, 128]:
        times = {s: {p: milliseconds(lab, machine, n, p, s) for p in ranks} for s in SIMULATED}
        title = f"{machine['name']}, {n}^3, simulated"
        result.plots.append(
            Plot(title, "ranks", "ms", {s: list(t.items()) for s, t in times.items()}, log_x=True, log_y=True)
        )
        problem = model.Problem(shape=(n, n, n), options=FIXED)
        for p in ranks:
            predicted = {
                s: 1e3 * model.predict(problem, priced, p, {"strategy": s, "tile": 1}).seconds for s in SIMULATED
            }
            first = min(SIMULATED, key=lambda s, p=p, times=times: times[s][p])
            pick = min(SIMULATED, key=lambda s, predicted=predicted: predicted[s])
            near.append(times[pick][p] / times[first][p])
            rows.append([n, p, *(round(times[s][p], 4) for s in SIMULATED), first, pick, round(near[-1], 3)])
        if n == 64:
            most = ranks[-1]
            result.finds(
                f"{title}: on {most} ranks one message from node to node is better than one from core to core",
                times["node-shm"][most] < times["alltoallv"][most],
                f"{times['node-shm'][most]:.3f} against {times['alltoallv'][most]:.3f} ms",
            )
    header = ["grid", "ranks", *SIMULATED, "best", "model's pick", "its time over the best"]
    result.tables.append(Table(f"{machine['title']}: simulated ms, and the winner", header, rows))
    good = sum(ratio <= 1.1 for ratio in near)
    result.finds(
        f"{machine['name']}: the model's pick is within a tenth of the best simulated strategy in nine cases of ten",
        good >= 0.9 * len(near),
        f"{good} of {len(near)}, at worst {max(near):.2f} times the best",
    )


def switches(lab: Lab, name: str, result: Result) -> None:
    """What is lost on switches that share cables."""
    machine = lab.machine(name)
    kind = machine["topology"]["kind"]
    one_switch = varied(machine, topology=None)
    ranks = 64 if lab.quick else 256
    each = min(machine["cores"], 16) if kind == "fat-tree" else 4  # a dragonfly's groups are large
    nodes = ranks // each
    taper = 2 if lab.quick else 4
    if kind == "fat-tree":  # two leaves, however few nodes are used
        leaf = max(1, nodes // 2)
        leaves = {"leaf_nodes": leaf, "leaves": machine["nodes"] // leaf, "spines": max(1, leaf // taper), "cables": 1}
        machine = varied(machine, **{f"topology__{key}": value for key, value in leaves.items()})
    rows, lost = [], {}
    for n in [64] if lab.quick else [32, 128]:
        for strategy in ("alltoallv",) if lab.quick else ("alltoallv", "node-shm"):
            joined = milliseconds(lab, machine, n, ranks, strategy, each)
            alone = milliseconds(lab, one_switch, n, ranks, strategy, each)
            lost[n, strategy] = joined / alone
            rows.append([n, ranks, nodes, strategy, round(alone, 4), round(joined, 4), round(joined / alone, 2)])
    header = ["grid", "ranks", "nodes", "strategy", "one switch, ms", f"{kind}, ms", "times as long"]
    result.tables.append(Table(f"{machine['name']}: what a {kind} costs against one switch", header, rows))
    if kind == "fat-tree":
        result.finds(
            f"{machine['name']}: leaves that share a cable upwards among {taper} nodes cost time, but no more than {taper} times as much",
            all(0.9 < ratio < 1.1 * taper for ratio in lost.values()) and max(lost.values()) > 1.1,
            "; ".join(f"{n}^3, {s}: {ratio:.2f} times" for (n, s), ratio in lost.items()),
        )


def strong(machine: Any, plans: Plans, result: Result) -> None:
    rows, lines, useful = [], {}, {}
    for n in [n for n in (64, 256, 1024) if any(n == size for size, _ in plans)]:
        firsts = {p: next(iter(of.values())) for (size, p), of in plans.items() if size == n and of}
        times = {p: 1e3 * one.seconds for p, one in firsts.items()}
        fewest = min(times)
        for p, one in firsts.items():
            limit = max(one.terms, key=lambda term, one=one: one.terms[term])
            efficiency = 100 * times[fewest] * fewest / times[p] / p
            rows.append([n, p, round(times[p], 4), round(efficiency, 1), one.label, limit])
        lines[f"{n}^3"] = list(times.items())
        useful[n] = min(times, key=lambda p, times=times: times[p])
    title = f"{machine.name}: strong scaling by the model"
    result.tables.append(Table(title, ["grid", "ranks", "ms", "efficiency %", "best plan", "most time goes to"], rows))
    result.plots.append(Plot(title, "ranks", "ms", lines, log_x=True, log_y=True))
    result.finds(
        f"{machine.name}: the larger the grid, the more ranks are of use",
        list(useful.values()) == sorted(useful.values()) and useful[max(useful)] >= 1024,
        ", ".join(f"{n}^3 is fastest on {p}" for n, p in useful.items()),
    )


def weak(machine: Any, ranks: list[int], result: Result) -> None:
    rows, line = [], []
    for p in ranks:
        n = [1, 1, 1]
        for i in range((p * POINTS_A_RANK).bit_length() - 1):  # powers of two, as cubic as can be
            n[2 - i % 3] *= 2
        shape = (n[0], n[1], n[2])
        one = next(iter(best(machine, shape, p).values()))
        line.append((p, 1e3 * one.seconds))
        rows.append(
            [
                "x".join(map(str, shape)),
                p,
                round(1e3 * one.seconds, 2),
                round(100 * line[0][1] / line[-1][1]),
                one.label,
            ]
        )
    title = f"{machine.name}: weak scaling by the model, 64^3 points a rank"
    result.tables.append(Table(title, ["grid", "ranks", "ms", "efficiency %", "best plan"], rows))
    result.plots.append(Plot(title, "ranks", "ms", {"best plan": line}, log_x=True))
    several = [(p, ms) for p, ms in line if p > machine.cores]
    result.finds(
        f"{machine.name}: weak scaling holds once there are several nodes: it never takes twice as long on 16 times the ranks",
        all(later < 2 * ms for (_, ms), (_, later) in zip(several, several[2:])),
        "; ".join(f"{p}: {ms:.1f} ms" for p, ms in line),
    )


def winners(machine: Any, plans: Plans, result: Result) -> None:
    won = {cell: next(iter(of), "") for cell, of in plans.items()}
    sizes, ranks = sorted({n for n, _ in won}), sorted({p for _, p in won})
    rows = [[f"{n}^3", *(won[n, p] for p in ranks)] for n in sizes]
    title = f"{machine.name}: which strategy wins where, by the model (empty: more ranks than the grid has pencils)"
    result.tables.append(Table(title, ["grid", *(f"{p} ranks" for p in ranks)], rows, map=True))
    corner = {cell: s for cell, s in won.items() if s and cell[1] >= 4 * machine.cores}
    small = min(corner, key=lambda cell: cell[0] ** 3 / cell[1] ** 2, default=None)
    if small is not None:
        result.finds(
            f"{machine.name}: where messages are smallest, those between nodes are what counts: node-shm or padded wins",
            corner[small] in ("node-shm", "padded"),
            f"{small[0]}^3 on {small[1]} ranks: {corner[small]}",
        )
