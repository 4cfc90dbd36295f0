"""The model judged against truth: predicted over measured times on this machine, and whether the model picks good plans.

    python benchmarks/prediction.py --machine machine.toml --shapes 32,48,64,96,128 --ranks 1,2,4
    python benchmarks/prediction.py --simulated --machine cloud-25g,hector-2b --nodes 1,2,4 --shapes 96

Every case (a machine, shape, kind and number of ranks) is one run of weft-bench, in which the strategies take turns; the
median of its repetitions counts. On machines of the lab each strategy is simulated once. A case's pick is what the model
thinks fastest among what was measured.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import weft
from weft import model
from weft.cli import launch
from weft.cli.output import write_json, write_text

STRATEGIES = ("alltoallv", "ialltoallv", "padded", "pairwise", "zerocopy", "rma", "shared", "node-shm", "node-gather")
GOOD_PICK = 1.10


def measured(shape: tuple[int, int, int], kind: str, ranks: int, tile: int, settings: argparse.Namespace) -> Any:
    """Median seconds by strategy."""
    usable = [name for name in settings.strategies if name in weft.strategies()]
    names = usable if ranks > 1 else usable[:1]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "bench.json"
        command = [
            *shlex.split(settings.prefix),
            *launch.mpiexec(),
            *shlex.split(settings.mpiexec_options),
            "-n",
            str(ranks),
        ]
        command += [str(launch.program("weft-bench")), "--no-limits", "--shape", *map(str, shape), "--kind", kind]
        command += [
            "--strategies",
            ",".join(names),
            "--repeats",
            str(settings.repeats),
            "--seconds",
            str(settings.seconds),
        ]
        if tile:
            command += ["--tile", str(tile)]
        command += ["--json", str(target)]
        environment = launch.launch_environment(ranks)
        if ranks > launch.cores():
            environment.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{shlex.join(command)}\nended with {done.returncode}:\n{done.stderr}")
        report = json.loads(target.read_text(encoding="utf-8"))
    return {item["strategy"]: item["seconds"]["median"] for item in report.get("runs", [report])}


def simulated(shape: tuple[int, int, int], kind: str, ranks: int, tile: int, name: str, settings: Any) -> Any:
    """Simulated seconds by strategy: a machine of the lab, and only times, no data."""
    from weft.lab.machines import load
    from weft.lab.simulate import Simulator

    machine, simulator = load(name), Simulator(settings.cache)
    words = ["--no-limits", "--shape", *shape, "--kind", kind, "--repeats", 1, "--warmup", 0]
    if tile:
        words += ["--tile", tile]

    def seconds(strategy: str) -> float:
        report = simulator.run(machine, ranks, "weft-bench", *words, "--strategies", strategy, data=False)
        return float(report["seconds"]["median"])

    with ThreadPoolExecutor(settings.jobs) as pool:
        return dict(zip(settings.strategies, pool.map(seconds, settings.strategies), strict=True))


def judge(machines: list[model.Machine], settings: argparse.Namespace) -> list[dict[str, Any]]:
    """Every strategy of every case: predicted and measured."""
    found = []
    cases = [
        (machine, ranks, shape, kind, tile)
        for machine in machines
        for ranks in ([machine.cores * nodes for nodes in settings.nodes] or settings.ranks)
        for shape in settings.shapes
        for kind in settings.kinds
        for tile in settings.tiles
    ]
    for machine, ranks, shape, kind, tile in cases:
        options: dict[str, Any] = {"tile": tile} if tile else {}
        if settings.simulated:
            times = simulated(shape, kind, ranks, tile, machine.name, settings)
            options["progress"] = "thread"  # simulated messages move on by themselves
        else:
            times = measured(shape, kind, ranks, tile, settings)
        on_node = settings.ranks_per_node or (machine.cores if settings.simulated else ranks)
        problem = model.Problem(shape, kind, options=options)
        case = f"{'x'.join(map(str, shape))} {kind} on {ranks}" + (f", {tile} tiles" if tile else "")
        for name, seconds in times.items():
            one = model.predict(problem, machine, ranks, {"strategy": name}, on_node)
            found.append(
                {
                    "machine": machine.name,
                    "case": f"{machine.name}: {case}" if len(machines) > 1 else case,
                    "ranks": ranks,
                    "strategy": name,
                    "measured": seconds,
                    "predicted": one.seconds,
                }
            )
            print(
                f"{found[-1]['case']:28} {name:12} {seconds * 1e3:9.3f} ms, predicted {one.seconds * 1e3:9.3f}: "
                f"{one.seconds / seconds:.2f}"
            )
            sys.stdout.flush()
    return found


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Errors of the predictions, and how good the picks are."""

    def error(row: dict[str, Any]) -> float:
        """How far off, the same for twice and for half: 1 means a factor of two."""
        return math.exp(abs(math.log(row["predicted"] / row["measured"]))) - 1

    cases: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        cases.setdefault(row["case"], []).append(row)
    picks = []
    for members in cases.values():
        if len(members) < 2:
            continue
        pick = min(members, key=lambda row: row["predicted"])
        picks.append(pick["measured"] / min(row["measured"] for row in members))
    worst = max(rows, key=error)
    several = len({row["machine"] for row in rows}) > 1
    by_ranks: dict[str, list[float]] = {}
    for row in sorted(rows, key=lambda row: (row["machine"], row["ranks"])):
        by_ranks.setdefault(f"{row['ranks']}" + (f" of {row['machine']}" if several else ""), []).append(error(row))
    by_strategy = {
        name: statistics.median(row["predicted"] / row["measured"] for row in rows if row["strategy"] == name)
        for name in {row["strategy"] for row in rows}
    }
    return {
        "predictions": len(rows),
        "median_error": statistics.median(map(error, rows)),
        "median_error_by_ranks": {name: statistics.median(errors) for name, errors in by_ranks.items()},
        "median_ratio_by_strategy": dict(sorted(by_strategy.items())),
        "worst_error": error(worst),
        "worst": f"{worst['case']}, {worst['strategy']}",
        "cases_with_a_choice": len(picks),
        "good_picks": sum(pick <= GOOD_PICK for pick in picks),
        "worst_pick": max(picks, default=1.0),
    }


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Predicted over measured times, a colour for each number of ranks of a machine."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 5), layout="constrained")
    several = len({row["machine"] for row in rows}) > 1
    for machine, ranks in sorted({(row["machine"], row["ranks"]) for row in rows}):
        some = [row for row in rows if (row["machine"], row["ranks"]) == (machine, ranks)]
        x, y = [row["measured"] * 1e3 for row in some], [row["predicted"] * 1e3 for row in some]
        where = f" of {machine}" if several else ""
        axes.plot(x, y, ".", label=f"{ranks} rank{'s' if ranks > 1 else ''}{where}")
    low, high = (end(row["measured"] * 1e3 for row in rows) for end in (min, max))
    for factor, line in ((1.0, "-"), (1.2, ":"), (1 / 1.2, ":")):
        axes.plot([low, high], [low * factor, high * factor], line, color="#7b8794", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="measured, ms", ylabel="predicted, ms", title="dotted: 20 % off")
    axes.legend(frameon=False)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    figure.savefig(beside, format="png", dpi=120)
    beside.replace(path)
    pyplot.close(figure)


def text(facts: dict[str, Any]) -> str:
    """The summary in words."""
    ranks = ", ".join(f"{error:.0%} on {n}" for n, error in facts["median_error_by_ranks"].items())
    strategies = ", ".join(f"{name} {ratio:.2f}" for name, ratio in facts["median_ratio_by_strategy"].items())
    return (
        f"{facts['predictions']} predictions: median error {facts['median_error']:.0%} ({ranks}), "
        f"worst {facts['worst_error']:.0%} ({facts['worst']})\n"
        f"median of predicted over measured: {strategies}\n"
        f"the model's pick is within 10 % of the best measured in {facts['good_picks']} of {facts['cases_with_a_choice']} "
        f"cases; at worst {facts['worst_pick']:.2f} times the best\n"
    )


def shape_of(word: str) -> tuple[int, int, int]:
    parts = [int(part) for part in word.split("x")]
    if len(parts) not in (1, 3):
        raise argparse.ArgumentTypeError(f"'{word}' is no shape; 64 or 64x48x32 is")
    return (parts[0], parts[0], parts[0]) if len(parts) == 1 else (parts[0], parts[1], parts[2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--machine", required=True, help="machine file of weft calibrate, or machines of the lab")
    parser.add_argument("--simulated", action="store_true", help="on a machine of the lab (./run build smpi), not here")
    parser.add_argument("--cache", type=Path, help="folder that keeps simulated times, which are the same on every run")
    parser.add_argument("--shapes", default="32,48,64,96,128", type=lambda t: [shape_of(w) for w in t.split(",")])
    parser.add_argument("--ranks", default="1,2,4", type=lambda t: [int(w) for w in t.split(",")])
    parser.add_argument("--nodes", default=[], type=lambda t: [int(w) for w in t.split(",")], help="instead of --ranks")
    parser.add_argument("--ranks-per-node", default=0, type=int, help="0: all cores if simulated, else all on one")
    parser.add_argument("--jobs", default=os.cpu_count() or 1, type=int, help="simulations at a time")
    parser.add_argument("--kinds", default="c2c,r2c", type=lambda t: t.split(","))
    parser.add_argument("--tiles", default="0", type=lambda t: [int(w) for w in t.split(",")], help="0: the default")
    parser.add_argument("--strategies", default=",".join(STRATEGIES), type=lambda t: t.split(","))
    parser.add_argument("--repeats", default=30, type=int)
    parser.add_argument("--seconds", default=8.0, type=float, help="at most for a run of weft-bench")
    parser.add_argument("--prefix", default="", help="before mpiexec, such as 'chrt -r 20'")
    parser.add_argument("--mpiexec-options", default="", help="such as '--bind-to none'")
    parser.add_argument("--out", default=".", type=Path, help="folder for the results")
    parser.add_argument("--name", default="prediction", help="results are NAME.json, NAME.md and NAME.png")
    settings = parser.parse_args()
    machines = [model.load(name) for name in settings.machine.split(",")]
    if len(machines) > 1 and not settings.simulated:
        parser.error("several machines can only be judged with --simulated")
    rows = judge(machines, settings)
    facts = summary(rows)
    print("\n" + text(facts))
    settings.out.mkdir(parents=True, exist_ok=True)
    write_json(
        str(settings.out / f"{settings.name}.json"), {"machine": settings.machine, "summary": facts, "rows": rows}
    )
    write_text(settings.out / f"{settings.name}.md", text(facts))
    draw(rows, settings.out / f"{settings.name}.png")


if __name__ == "__main__":
    main()
