"""The model judged against truth: predicted over measured times on this machine, and whether the model picks good plans.

    python benchmarks/prediction.py --machine machine.toml --shapes 32,48,64,96,128 --ranks 1,2,4
    python benchmarks/prediction.py --simulated --machine cloud-25g,hector-2b --nodes 1,2,4 --shapes 96
    python benchmarks/prediction.py --machine machine.toml --ranks 1 --variants threads=2 backend=fftw --rounds 3
    python benchmarks/prediction.py --published

Every case (a machine, shape, kind and number of ranks) is one run of weft-bench, in which the strategies take turns; the
median of its repetitions counts. Variants, which are options of the library, take turns as well: each has a run in every
round, and the median of its rounds counts. On machines of the lab each strategy is simulated once. A case's pick is what the model
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

import literature

import weft
from weft import model
from weft.cli import launch
from weft.cli.output import write_json, write_text

STRATEGIES = ("alltoallv", "ialltoallv", "padded", "pairwise", "zerocopy", "rma", "shared", "node-shm", "node-gather")
GOOD_PICK = 1.10


def measured(
    shape: tuple[int, int, int], kind: str, ranks: int, options: dict[str, str], settings: argparse.Namespace
) -> dict[str, float]:
    """Median seconds by strategy."""
    usable = [name for name in settings.strategies if name in weft.strategies()]
    names = usable if ranks > 1 else usable[:1]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "bench.json"
        starter = [*launch.mpiexec(), *shlex.split(settings.mpiexec_options)]
        binding = launch.binding(starter, ranks, launch.threads_of(options.get("threads")))
        command = [*shlex.split(settings.prefix), *starter, *binding, "-n", str(ranks)]
        command += [str(launch.program("weft-bench")), "--no-limits", "--shape", *map(str, shape), "--kind", kind]
        command += [
            "--strategies",
            ",".join(names),
            "--repeats",
            str(settings.repeats),
            "--seconds",
            str(settings.seconds),
        ]
        command += [f"--{name}={value}" for name, value in options.items()]
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
    from weft.lab.simulate import Simulator, padded_block

    machine, simulator = load(name), Simulator(settings.cache)
    words = ["--no-limits", "--shape", *shape, "--kind", kind, "--repeats", 1, "--warmup", 0]
    if tile:
        words += ["--tile", tile]

    def seconds(strategy: str) -> float:
        report = simulator.run(
            machine,
            ranks,
            *("weft-bench", *words, "--strategies", strategy),
            block_bytes=padded_block(shape, ranks, kind=kind, tile=tile, node_size=machine["cores"])
            if strategy == "padded"
            else None,
            data=False,
        )
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
            times = {"": simulated(shape, kind, ranks, tile, machine.name, settings)}
            options["progress"] = "thread"  # simulated messages move on by themselves
        else:
            times = in_turns(shape, kind, ranks, options, settings)
        on_node = settings.ranks_per_node or (machine.cores if settings.simulated else ranks)
        where = f"{'x'.join(map(str, shape))} {kind} on {ranks}" + (f", {tile} tiles" if tile else "")
        runs = [(variant, name, seconds) for variant, some in times.items() for name, seconds in some.items()]
        for variant, name, seconds in runs:
            problem = model.Problem(shape, kind, options=options | words_of(variant))
            one = model.predict(problem, machine, ranks, {"strategy": name}, on_node)
            case = f"{where}, {variant}" if variant else where
            found.append(
                {
                    "machine": machine.name,
                    "case": case,
                    "ranks": ranks,
                    "variant": variant,
                    "strategy": name,
                    "measured": seconds,
                    "predicted": one.seconds,
                }
            )
            print(
                f"{machine.name} {case:40} {name:12} {seconds * 1e3:9.3f} ms, predicted {one.seconds * 1e3:9.3f}: "
                f"{one.seconds / seconds:.2f}"
            )
            sys.stdout.flush()
    return found


def words_of(variant: str) -> dict[str, str]:
    """Options of a variant: "threads=2,backend=fftw"."""
    return dict(word.split("=", 1) for word in variant.split(",") if word)


def in_turns(
    shape: tuple[int, int, int], kind: str, ranks: int, options: dict[str, Any], settings: argparse.Namespace
) -> dict[str, dict[str, float]]:
    """Median seconds of the rounds by variant and strategy."""
    rounds = [
        {variant: measured(shape, kind, ranks, options | words_of(variant), settings) for variant in settings.variants}
        for _ in range(settings.rounds)
    ]
    return {
        variant: {name: statistics.median(one[variant][name] for one in rounds) for name in rounds[0][variant]}
        for variant in settings.variants
    }


def error(row: dict[str, Any]) -> float:
    """How far off, the same for twice and for half: 1 means a factor of two."""
    return math.exp(abs(math.log(row["predicted"] / row["measured"]))) - 1


def picks(rows: list[dict[str, Any]]) -> list[float]:
    """By case with a choice: the measured time of what the model thinks fastest, over the best."""
    cases: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        cases.setdefault((row["machine"], row["case"]), []).append(row)
    found = []
    for members in cases.values():
        pick = min(members, key=lambda row: row["predicted"])
        if len(members) > 1:
            found.append(pick["measured"] / min(row["measured"] for row in members))
    return found


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Errors of the predictions, and how good the picks are."""
    worst, chosen = max(rows, key=error), picks(rows)
    by_strategy = {
        name: statistics.median(row["predicted"] / row["measured"] for row in rows if row["strategy"] == name)
        for name in {row["strategy"] for row in rows}
    }
    return {
        "predictions": len(rows),
        "median_error": statistics.median(map(error, rows)),
        "median_ratio_by_strategy": dict(sorted(by_strategy.items())),
        "worst_error": error(worst),
        "worst": f"{worst['machine']}: {worst['case']}, {worst['strategy']}",
        "cases_with_a_choice": len(chosen),
        "good_picks": sum(pick <= GOOD_PICK for pick in chosen),
        "worst_pick": max(chosen, default=1.0),
    }


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Predicted over measured times, a colour for each machine, or number of ranks."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 5), layout="constrained")
    several = len({row["machine"] for row in rows}) > 1
    series: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        label = row["machine"] if several else f"{row['ranks']} rank{'s' if row['ranks'] > 1 else ''}"
        series.setdefault(label, []).append(row)
    for label, some in series.items():
        x, y = [row["measured"] * 1e3 for row in some], [row["predicted"] * 1e3 for row in some]
        axes.plot(x, y, ".", label=label)
    low, high = (end(row["measured"] * 1e3 for row in rows) for end in (min, max))
    for factor, line in ((1.0, "-"), (1.2, ":"), (1 / 1.2, ":")):
        axes.plot([low, high], [low * factor, high * factor], line, color="#7b8794", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="measured, ms", ylabel="predicted, ms", title="dotted: 20 % off")
    axes.legend(frameon=False)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    figure.savefig(beside, format="png", dpi=120)
    beside.replace(path)
    pyplot.close(figure)


def ranks_of(row: dict[str, Any]) -> str:
    variant = row.get("variant", "")
    return f"{row['ranks']}, {variant}" if variant else str(row["ranks"])


def text(rows: list[dict[str, Any]]) -> str:
    """A table by machine and ranks, and all of it in words."""
    lines = [
        "| machine | ranks | predictions | median error | worst | picks within 10 % of the best | worst pick |",
        "|---|---|---|---|---|---|---|",
    ]
    for machine, ranks in dict.fromkeys((row["machine"], ranks_of(row)) for row in rows):
        facts = summary([row for row in rows if (row["machine"], ranks_of(row)) == (machine, ranks)])
        cases = facts["cases_with_a_choice"]
        chosen = f"{facts['good_picks']} of {cases} | {facts['worst_pick']:.2f}" if cases else "|"
        lines.append(
            f"| {machine} | {ranks} | {facts['predictions']} | {facts['median_error']:.0%} | {facts['worst_error']:.0%} | {chosen} |"
        )
    facts = summary(rows)
    strategies = ", ".join(f"{name} {ratio:.2f}" for name, ratio in facts["median_ratio_by_strategy"].items())
    return "\n".join(lines) + (
        f"\n\n{facts['predictions']} predictions: median error {facts['median_error']:.0%}, "
        f"worst {facts['worst_error']:.0%} ({facts['worst']}).\n"
        f"Median of predicted over measured: {strategies}.\n"
        f"The model's pick is within 10 % of the best measured in {facts['good_picks']} of {facts['cases_with_a_choice']} "
        f"cases; at worst {facts['worst_pick']:.2f} times the best.\n"
    )


def shape_of(word: str) -> tuple[int, int, int]:
    parts = [int(part) for part in word.split("x")]
    if len(parts) not in (1, 3):
        raise argparse.ArgumentTypeError(f"'{word}' is no shape; 64 or 64x48x32 is")
    return (parts[0], parts[0], parts[0]) if len(parts) == 1 else (parts[0], parts[1], parts[2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--machine", default="", help="machine file of weft calibrate, or machines of the lab")
    parser.add_argument("--read", nargs="+", type=Path, help="measure nothing: sum up what such JSON files have")
    parser.add_argument("--published", action="store_true", help="measure nothing: against times that others published")
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
    parser.add_argument(
        "--variants", default=[""], nargs="+", help="options, such as '' threads=2 threads=2,backend=fftw"
    )
    parser.add_argument("--rounds", default=1, type=int, help="runs of each variant")
    parser.add_argument("--repeats", default=30, type=int)
    parser.add_argument("--seconds", default=8.0, type=float, help="at most for a run of weft-bench")
    parser.add_argument("--prefix", default="", help="before mpiexec, such as 'chrt -r 20'")
    parser.add_argument("--mpiexec-options", default="", help="such as '--bind-to none'")
    parser.add_argument("--out", default=".", type=Path, help="folder for the results")
    parser.add_argument("--name", default="prediction", help="results are NAME.json, NAME.md and NAME.png")
    settings = parser.parse_args()
    if sum(map(bool, (settings.read, settings.machine, settings.published))) != 1:
        parser.error("one of --machine, --read and --published is needed")
    if settings.published:
        content, words = literature.results()
        print(words)
        settings.out.mkdir(parents=True, exist_ok=True)
        write_json(str(settings.out / "published.json"), content)
        write_text(settings.out / "published.md", words)
        return
    if settings.read:
        rows = [row for path in settings.read for row in json.loads(path.read_text(encoding="utf-8"))["rows"]]
    else:
        machines = [model.load(name) for name in settings.machine.split(",")]
        if len(machines) > 1 and not settings.simulated:
            parser.error("several machines can only be judged with --simulated")
        rows = judge(machines, settings)
    print("\n" + text(rows))
    settings.out.mkdir(parents=True, exist_ok=True)
    write_json(str(settings.out / f"{settings.name}.json"), {"summary": summary(rows), "rows": rows})
    write_text(settings.out / f"{settings.name}.md", text(rows))
    draw(rows, settings.out / f"{settings.name}.png")


if __name__ == "__main__":
    main()
