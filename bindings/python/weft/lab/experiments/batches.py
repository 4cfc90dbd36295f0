"""Many fields at once: all ranks together, or a group of ranks for each share of them?"""

from __future__ import annotations

from typing import Any

import weft
from weft import model
from weft.cli.placement.runs import bench_arguments
from weft.lab.experiment import Lab, Result, Table

TITLE = "A batch of fields: all ranks on each of them, or groups of ranks that are nodes"
PAPER = "Weft's own"
WHERE = (
    "no paper: Shimizu's independent transforms on network segments and the task groups of plane-wave codes keep fields where they "
    "are used; here they lie on all ranks before and after"
)
METHOD = (
    "weft-bench, c2c, double, slabs, as many fields as nodes, forward and backward, sizes only; beside it what `weft predict` says. "
    "groups: every field crosses the network twice a direction, in one large message for each pair of ranks, and is transformed "
    "inside a node; together: it crosses as often, in messages to all ranks."
)

#: `fields` of the batch share a tile; without, as many as messages are worth.
PLANS: dict[str, dict[str, Any]] = {
    "alltoallv, field by field": {"strategy": "alltoallv", "fields": 1, "tile": 1},
    "alltoallv, fields together": {"strategy": "alltoallv"},
    "node-shm, field by field": {"strategy": "node-shm", "fields": 1, "tile": 1},
    "node-shm, fields together": {"strategy": "node-shm", "fields": "{nodes}", "tile": 1},
    "groups, alltoallv inside": {"strategy": "alltoallv", "groups": "{nodes}"},
    "groups, shared inside": {"strategy": "shared", "groups": "{nodes}"},
}


def run(lab: Lab) -> Result:
    names = [lab.given] if lab.given else ["cloud-25g"] if lab.quick else ["tantale", "cloud-25g", "hector-2b"]
    sizes = [32] if lab.quick else [48, 96]
    plans = dict(list(PLANS.items())[::4]) if lab.quick else PLANS
    result = Result({"machines": names, "grids": sizes})
    for name in names:
        machine, priced = lab.machine(name), lab.modelled(name)
        rows: list[list[Any]] = []
        for n in sizes:
            nodes = max(2, min(n // machine["cores"], 2 if lab.quick else 8))
            ranks = nodes * machine["cores"]
            found = {plan: measure(lab, machine, priced, n, ranks, nodes, words) for plan, words in plans.items()}
            rows += [
                [f"{nodes} x {n}^3", ranks, nodes, plan, round(ms, 3), round(predicted, 3), round(predicted / ms, 2)]
                for plan, (ms, predicted) in found.items()
            ]
            judge(f"{machine['name']}, {nodes} fields of {n}^3 on {nodes} nodes", found, result)
        header = ["fields", "ranks", "nodes", "plan", "simulated ms", "predicted ms", "over simulated"]
        result.tables.append(Table(machine["title"], header, rows))
    return result


def measure(
    lab: Lab, machine: dict[str, Any], priced: Any, n: int, ranks: int, nodes: int, words: dict[str, Any]
) -> tuple[float, float]:
    """Milliseconds of a field for each node, simulated and predicted."""
    options = {key: value.format(nodes=nodes) if isinstance(value, str) else value for key, value in words.items()}
    problem = {"decomposition": "slab", "batch": nodes, **options}
    plan = weft.plan((n, n, n), ranks, **problem)
    report = lab.simulator.run(machine, ranks, "weft-bench", *bench_arguments(plan, problem), data=False)
    # Simulated messages move on by themselves.
    options |= {"decomposition": "slab", "check": False, "progress": "thread"}
    predicted = model.predict(model.Problem(plan.shape, batch=nodes, options=options), priced, ranks, {})
    return 1e3 * report["seconds"]["median"], 1e3 * predicted.seconds


def judge(where: str, found: dict[str, tuple[float, float]], result: Result) -> None:
    def fastest(word: str) -> str:
        return min((plan for plan in found if plan.startswith(word)), key=lambda plan: found[plan][0])

    together, groups = fastest("alltoallv"), fastest("groups")
    result.finds(
        f"{where}: groups that are nodes are faster than all-to-alls of all ranks",
        found[groups][0] < found[together][0],
        f"{groups} {found[groups][0]:.2f} ms; {together} {found[together][0]:.2f} ms",
        "the same bytes fill the links; what groups save is messages, which are large here, and every field is copied twice more",
    )
    pick, best = (min(found, key=lambda plan, i=i: found[plan][i]) for i in (1, 0))
    result.finds(
        f"{where}: the model's pick is within a tenth of the best",
        found[pick][0] <= 1.1 * found[best][0],
        f"{pick} {found[pick][0]:.2f} ms; {best} {found[best][0]:.2f} ms",
    )
