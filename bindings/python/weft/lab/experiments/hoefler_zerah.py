"""Hoefler & Zerah 2007: non-blocking collectives in a parallel 3-D FFT, and the avoidance of zeroes."""

from __future__ import annotations

from typing import Any

from weft import model
from weft.lab.experiment import Lab, Plot, Result, Table

TITLE = "Non-blocking all-to-alls in a 3-D FFT: overlap, tile factor, window, zeroes"
PAPER = "T. Hoefler and G. Zérah, Optimization of a parallel 3d-FFT with non-blocking collective operations, ABINIT workshop, 2007"
WHERE = (
    "latency of MPI_Alltoall, results for 128^3 (strong scaling; 16 CPUs on 4 nodes), parameters, avoidance of zeroes, Si with "
    "60 bands"
)
METHOD = (
    "weft-bench, 128^3 c2c, slabs, spectrum left transposed, ms for forward and backward; real data verified. traditional = "
    "alltoallv; maximum overlap = ialltoallv, tiles consumed as each arrives; cache-optimised = ialltoallv, whole planes in "
    "cache, consumed when all have come. Zeroes: weft-waves, a sphere of a quarter of the box's side (boxcut 2), against the "
    "full box. Latency: weft-alltoall."
)

N = 128
VARIANTS: dict[str, dict[str, Any]] = {
    "traditional": {"strategy": "alltoallv", "tile": 1},
    "maximum overlap": {"strategy": "ialltoallv", "consume": "early", "window": 2},
    "cache-optimised": {"strategy": "ialltoallv", "consume": "late"},
}
#: Of many bands, a pipeline runs across them.
METHODS: dict[str, tuple[Any, ...]] = {
    "blocking": ("--strategy", "alltoallv", "--tile", 1),
    "pipelined": ("--strategy", "ialltoallv", "--tile", 2, "--window", 3),
}


def seconds(lab: Lab, machine: dict[str, Any], ranks: int, **options: Any) -> dict[str, Any]:
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return lab.simulator.slabs(machine, ranks, N, *words, data=not lab.quick)  # times are the same without


def milliseconds(lab: Lab, machine: dict[str, Any], ranks: int, **options: Any) -> float:
    return 1e3 * seconds(lab, machine, ranks, **options)["seconds"]["median"]


def tiles(ranks: int) -> int:
    """Eight all-to-alls of a plane each on 16 ranks, as in the paper; no less than two."""
    return max(2, min(8, N // ranks))


def run(lab: Lab) -> Result:
    machine = lab.machine("tantale")
    result = Result({"machine": machine["name"], "grid": N})
    latency(lab, machine, result)
    scaling(lab, machine, result)
    parameters(lab, machine, result)
    zeroes(lab, machine, result)
    result.notes.append(
        "Overlap is too good here: SMPI moves messages while ranks compute, with MPI_Test or without, and so even those above "
        "the eager limit, whose receiver a real library asks first, inside some MPI call. The model has a term for that (of what "
        "could be hidden, k tests lose 1/(k + 1)); its column beside the simulated one says what tests are worth. The experiment "
        "`emulated` measures it with a real library."
    )
    result.notes.append(
        "Caches are not simulated either: lines cost the same wherever they come from, so what the cache-optimised transform "
        "gains by them does not show, only what it loses in overlap."
    )
    result.notes.append(
        "The figures of the paper are lost; what is judged is what its text says, and that its methods win where they are said to."
    )
    return result


def latency(lab: Lab, machine: dict[str, Any], result: Result) -> None:
    sizes = [64, 4096, 65536] if lab.quick else [16, 64, 256, 1024, 4096, 16384, 65536, 262144]
    words = ("--tests", 8, "--flops", machine["flops"], "--bytes", *sizes)
    rows = lab.simulator.run(machine, 16, "weft-alltoall", *words)["rows"]
    names = {"blocking": "MPI_Alltoall", "non_blocking": "MPI_Ialltoall, MPI_Wait"}
    table = [
        [row["bytes"], *(round(1e6 * row[name], 1) for name in names), round(100 * row["hidden_without_tests"])]
        for row in rows
    ]
    title = "Latency of an all-to-all, 16 processes on 4 nodes, us"
    result.tables.append(Table(title, ["bytes a pair", *names.values(), "hidden %"], table))
    series = {text: [(row["bytes"], 1e6 * row[name]) for row in rows] for name, text in names.items()}
    result.plots.append(Plot(title, "bytes a pair", "us", series, log_x=True, log_y=True))
    large = [row for row in rows if row["bytes"] >= 4096]
    result.finds(
        "non-blocking all-to-alls take no longer than blocking ones where blocks are large, and computation hides most of them",
        all(row["non_blocking"] < 1.1 * row["blocking"] and row["hidden_without_tests"] > 0.5 for row in large),
        "; ".join(
            f"{row['bytes']} bytes: {row['non_blocking'] / row['blocking']:.2f} times as long, "
            f"{100 * row['hidden_without_tests']:.0f} % hidden"
            for row in large
        ),
    )


def scaling(lab: Lab, machine: dict[str, Any], result: Result) -> None:
    counts = [4, 16] if lab.quick else [1, 4, 8, 16, 32, 64, 128]
    ms: dict[str, dict[int, float]] = {}
    for name, options in VARIANTS.items():
        ms[name] = {}
        for ranks in counts:
            given = {"tile": tiles(ranks), "window": tiles(ranks), **options}
            ms[name][ranks] = milliseconds(lab, machine, ranks, **given)
    title = f"{N}^3, ms for forward and backward"
    alone = "efficiency of the best %"
    one = ms["traditional"].get(1)
    rows = []
    for p in counts:
        best = min(times[p] for times in ms.values())
        rows.append([p, *(round(t[p], 3) for t in ms.values()), *([round(100 * one / p / best)] if one else [])])
    result.tables.append(Table(title, ["processes", *ms, *([alone] if one else [])], rows))
    if one:
        lines = {name: [(p, 100 * one / p / times[p]) for p in counts] for name, times in ms.items()}
        result.plots.append(Plot(f"{N}^3: parallel efficiency, %", "processes", "%", lines, log_x=True))
    blocking, overlap, cache = ms.values()
    several = [p for p in counts if p > 1]
    result.finds(
        "non-blocking collectives improve parallel efficiency: maximum overlap beats the traditional transform",
        all(overlap[p] < blocking[p] for p in several),
        "; ".join(f"{p}: {overlap[p]:.2f} against {blocking[p]:.2f} ms" for p in several),
    )
    planes = [p for p in several if p < N]
    result.finds(
        "the cache-optimised transform gains, too, while a process has several planes",
        all(cache[p] < blocking[p] for p in planes),
        "; ".join(f"{p}: {cache[p]:.2f} against {blocking[p]:.2f} ms" for p in several),
    )
    result.finds(
        "it overlaps less than maximum overlap: all planes are needed before the last transform",
        all(cache[p] >= overlap[p] for p in several),
        "; ".join(f"{p}: {cache[p]:.2f} against {overlap[p]:.2f} ms" for p in several),
        "caches are not simulated: the cache-optimised transform's gain inside a node does not show"
        if lab.given
        else "",
    )
    result.finds(
        "all variants scale to the largest number of processes",
        all(times[several[-1]] == min(times[p] for p in several) for times in ms.values()),
        f"on {several[-1]}: " + ", ".join(f"{name} {times[several[-1]]:.2f} ms" for name, times in ms.items()),
    )


def predicted(lab: Lab, ranks: int, **options: Any) -> float:
    """The model's figure for what `milliseconds` simulates."""
    problem = model.Problem(shape=(N, N, N), options={"transposed": True, "check": False, "decomposition": "slab"})
    return 1e3 * model.predict(problem, lab.modelled("tantale"), ranks, options).seconds


def parameters(lab: Lab, machine: dict[str, Any], result: Result) -> None:
    ranks, base = 16, {"strategy": "ialltoallv", "consume": "late"}
    depths = (1, 2, 8) if lab.quick else (1, 2, 4, 8, 16, 32, 64, 128)
    early = {**base, "consume": "early", "window": 2}
    settings = {
        "all-to-alls (maximum overlap)": [(k, {**early, "tile": k}) for k in depths],
        "window, of 8 (cache-optimised)": [
            (w, {**base, "tile": 8, "window": w}) for w in ((2, 8) if lab.quick else (2, 4, 8))
        ],
        "tests a tile (cache-optimised)": [
            (t, {**base, "tile": 8, "window": 8, "tests": t}) for t in ((0, 16) if lab.quick else (0, 1, 4, 16, 64))
        ],
    }
    rows, spread = [], {}
    for name, cases in settings.items():
        simulated = [milliseconds(lab, machine, ranks, **options) for _, options in cases]
        modelled = [predicted(lab, ranks, **options) for _, options in cases]
        rows += [[name, k, round(a, 3), round(b, 3)] for (k, _), a, b in zip(cases, simulated, modelled)]
        spread[name.split(",")[0].split(" ")[0]] = max(simulated) / min(simulated), max(modelled) / min(modelled)
        if name.startswith("all"):
            lines = {"simulated": simulated, "model": modelled}
            series = {label: [(k, v) for (k, _), v in zip(cases, line)] for label, line in lines.items()}
            result.plots.append(Plot("Tile factor, 16 processes", "all-to-alls", "ms", series, log_x=True))
    result.tables.append(
        Table(f"{N}^3 on 16 processes of 4 nodes, ms", ["parameter", "value", "simulated", "model"], rows)
    )
    result.finds(
        "the tile factor is very performance critical, the window is not",
        spread["all-to-alls"][0] - 1 > 2 * (spread["window"][0] - 1),
        f"slowest over fastest: tile factor {spread['all-to-alls'][0]:.3f}, window {spread['window'][0]:.3f}",
    )
    tests = spread["tests"]
    result.finds(
        "MPI_Test progresses messages: without it there is less overlap",
        tests[0] > 1.01,
        f"slowest over fastest: {tests[0]:.3f} simulated, {tests[1]:.3f} by the model",
        "SMPI moves messages by itself, see below; the model has the term",
    )


def zeroes(lab: Lab, machine: dict[str, Any], result: Result) -> None:
    ranks, bands, all_bands = 16, 1 if lab.quick else 12, 60
    words = ("--shape", N, N, N, "--check", "false")
    # Without data: those of 12 bands with zeroes are gigabytes, and others verify.
    full = {
        name: lab.simulator.run(
            machine,
            ranks,
            *("weft-bench", *words, "--batch", bands, "--repeats", 1, "--warmup", 0, "--no-limits", "--transposed"),
            *("--decomposition", "slab", *how),
            data=False,
        )
        for name, how in METHODS.items()
    }
    sphere = {
        name: lab.simulator.run(machine, ranks, "weft-waves", *words, "--radius", N // 4, "--bands", bands, *how)
        for name, how in METHODS.items()
    }
    seconds = {f"with zeroes, {name}": report["seconds"]["median"] for name, report in full.items()}
    seconds |= {
        f"without, {name}": report["backward"]["seconds"] + report["forward"]["seconds"]
        for name, report in sphere.items()
    }
    sent = sphere["blocking"]["backward"]["bytes"] / bands
    all_sent = full["blocking"]["traffic"]["forward"]["all_bytes"] / bands
    volume = {name: all_sent if name.startswith("with zeroes") else sent for name in seconds}
    rows = [[name, round(value * all_bands / bands, 4), round(volume[name])] for name, value in seconds.items()]
    title = f"Si, {all_bands} bands in calls of {bands}, 16 processes on 4 nodes"
    result.tables.append(Table(title, ["", "s, to space and back", "bytes exchanged a band and way"], rows))
    slow, fast = seconds["with zeroes, blocking"], seconds["without, blocking"]
    result.finds(
        "without the zeroes there is less computation and less communication: at most a quarter is sent, and it is faster",
        sent <= all_sent / 4 and fast < slow,
        f"{sent / all_sent:.3f} of the bytes, {slow / fast:.2f} times as fast",
    )
    piped = seconds["without, pipelined"]
    result.finds(
        "non-blocking all-to-alls gain for wave functions, too",
        piped < fast and seconds["with zeroes, pipelined"] < slow,
        f"{all_bands} bands without zeroes: {fast * all_bands / bands:.3f} s blocking, {piped * all_bands / bands:.3f} pipelined",
    )
