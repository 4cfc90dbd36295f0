"""A function between two transforms: one operator, or forward, the function and backward?"""

from __future__ import annotations

from typing import Any

from weft.lab.experiment import Lab, Result, Table
from weft.lab.simulate import ONCE

TITLE = "Operators, and the same in steps"
PAPER = "Weft's own"
WHERE = "no paper: forward, a function at every wave number, backward, as programs have it"
METHOD = (
    "weft-bench --operator, r2c, double, slabs, sizes only: the operator; forward, the function on an array, backward of Weft's own "
    "transforms whose spectra stay transposed; and both transforms with spectra in normal order, without the function. The function "
    "itself takes no time in any of them; in steps it reads and writes its arrays."
)

#: One field to one, one field to three.
OPERATORS = ("inverse_laplacian", "gradient")


def run(lab: Lab) -> Result:
    names = [lab.given] if lab.given else ["cloud-25g"] if lab.quick else ["hector-2b", "cloud-25g"]
    sizes = [32] if lab.quick else [96, 192]
    result = Result({"machines": names, "grids": sizes})
    for name in names:
        machine = lab.machine(name)
        cases = [(machine["cores"], "shared"), (96, "alltoallv"), (96, "node-shm")]
        if lab.quick:
            cases = [(8, "shared"), (2 * machine["cores"], "node-shm")]
        rows: list[list[Any]] = []
        found: dict[bool, list[tuple[str, float, float]]] = {True: [], False: []}
        for ranks, strategy in cases:
            for n in sizes:
                normal = 1e3 * bench(lab, machine, ranks, n, strategy)["seconds"]["median"]
                for operator in OPERATORS:
                    report = bench(lab, machine, ranks, n, strategy, "--operator", operator)
                    ms, steps = 1e3 * report["seconds"]["median"], 1e3 * report["steps"]["seconds"]["median"]
                    alike = operator == "inverse_laplacian"  # the two transforms have as many fields
                    ratios = steps / ms, normal / ms if alike else 0.0
                    found[ranks <= machine["cores"]].append((f"{operator} of {n}^3 by {strategy}", *ratios))
                    rest = (round(normal, 3), round(ratios[1], 2)) if alike else ("", "")
                    rows.append(
                        [operator, f"{n}^3", ranks, strategy, round(ms, 3), round(steps, 3), round(ratios[0], 2), *rest]
                    )
        header = ["operator", "grid", "ranks", "strategy", "operator ms", "steps ms", "x", "normal order ms", "x"]
        result.tables.append(Table(machine["title"], header, rows))
        judge(machine["name"], found[True], found[False], result)
    return result


def bench(lab: Lab, machine: dict[str, Any], ranks: int, n: int, strategy: str, *operator: str) -> dict[str, Any]:
    """weft-bench's report of one execution."""
    words = ("--shape", n, n, n, *operator, "--strategy", strategy, "--kind", "r2c", "--decomposition", "slab", *ONCE)
    return lab.simulator.run(machine, ranks, "weft-bench", *words, data=False)


def judge(
    where: str, on_node: list[tuple[str, float, float]], on_nodes: list[tuple[str, float, float]], result: Result
) -> None:
    def times(found: list[tuple[str, float, float]], number: int) -> str:
        ends = (one(found, key=lambda case: case[number]) for one in (min, max))
        return " to ".join(f"{end[number]:.2f} times ({end[0]})" for end in ends)

    result.finds(
        f"{where}: on one node operators are faster than their steps, which go through memory more often",
        all(steps > 1 for _, steps, _ in on_node),
        times(on_node, 1),
    )
    result.finds(
        f"{where}: between nodes, where both have the same exchanges, operators take no longer than their steps",
        all(steps > 0.99 for _, steps, _ in on_nodes),
        times(on_nodes, 1),
        "the function needs the points of all fields, so that the first tile leaves after half of the pass, where transforms send "
        "the first after a sixth",
    )
    alike = [one for one in on_nodes if one[2] > 0]
    result.finds(
        f"{where}: between nodes operators are half as fast again as transforms with spectra in normal order, which have twice as "
        "many exchanges",
        all(normal > 1.5 for _, _, normal in alike),
        times(alike, 2),
    )
