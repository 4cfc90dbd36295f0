"""Hoefler & Zerah 2007: non-blocking collectives in a parallel 3-D FFT, and the avoidance of zeroes."""

from __future__ import annotations

from typing import Any

from weft.lab.experiment import Lab, Plot, Result, Table

TITLE = "Non-blocking all-to-alls in a 3-D FFT: overlap, tile factor, window, zeroes"
PAPER = "T. Hoefler and G. Zérah, Optimization of a parallel 3d-FFT with non-blocking collective operations, ABINIT workshop, 2007"
WHERE = "results for 128^3 (strong scaling; 16 CPUs on 4 nodes), parameters, avoidance of zeroes"
METHOD = (
    "weft-bench, 128^3 c2c, slabs, spectrum left transposed, ms for forward and backward; real data verified. traditional = "
    "alltoallv; maximum overlap = ialltoallv, tiles consumed as each arrives; cache-optimised = ialltoallv, whole planes in "
    "cache, consumed when all have come. Zeroes: weft-waves, a sphere of a quarter of the box's side (boxcut 2), against the "
    "full box."
)

N = 128
VARIANTS: dict[str, dict[str, Any]] = {
    "traditional": {"strategy": "alltoallv", "tile": 1},
    "maximum overlap": {"strategy": "ialltoallv", "consume": "early", "window": 2},
    "cache-optimised": {"strategy": "ialltoallv", "consume": "late"},
}


def seconds(lab: Lab, machine: dict[str, Any], ranks: int, **options: Any) -> dict[str, Any]:
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return lab.simulator.slabs(machine, ranks, N, *words)


def milliseconds(lab: Lab, machine: dict[str, Any], ranks: int, **options: Any) -> float:
    return 1e3 * seconds(lab, machine, ranks, **options)["seconds"]["median"]


def tiles(ranks: int) -> int:
    """Eight all-to-alls of a plane each on 16 ranks, as in the paper; no less than two."""
    return max(2, min(8, N // ranks))


def run(lab: Lab) -> Result:
    machine = lab.machine("tantale")
    result = Result({"machine": machine["name"], "grid": N})
    scaling(lab, machine, result)
    parameters(lab, machine, result)
    zeroes(lab, machine, result)
    result.notes.append(
        "The paper goes to 128 processes; simulating non-blocking all-to-alls takes minutes from there on, so this stops at 64."
    )
    result.notes.append(
        "Simulated messages move while ranks compute, with MPI_Test or without: how much testing a real MPI library needs is "
        "for the emulated cluster to show. The blocking and non-blocking latency of MPI_Alltoall itself (the paper's first "
        "figure) is a property of an MPI library, which a simulation cannot find out, and is not repeated."
    )
    return result


def scaling(lab: Lab, machine: dict[str, Any], result: Result) -> None:
    counts = [4, 16] if lab.quick else [1, 4, 8, 16, 32, 64]
    ms: dict[str, dict[int, float]] = {}
    for name, options in VARIANTS.items():
        ms[name] = {}
        for ranks in counts:
            given = {"tile": tiles(ranks), "window": tiles(ranks), **options}
            ms[name][ranks] = milliseconds(lab, machine, ranks, **given)
    title = f"{N}^3, ms for forward and backward"
    result.tables.append(
        Table(title, ["processes", *ms], [[p, *(round(t[p], 3) for t in ms.values())] for p in counts])
    )
    lines = {name: [(p, times[p]) for p in counts] for name, times in ms.items()}
    result.plots.append(Plot(title, "processes", "ms", lines, log_x=True, log_y=True))
    blocking, overlap, cache = ms.values()
    several = [p for p in counts if p > 1]
    result.finds(
        "non-blocking collectives improve parallel efficiency: maximum overlap beats the traditional transform",
        all(overlap[p] < blocking[p] for p in several),
        "; ".join(f"{p}: {overlap[p]:.2f} against {blocking[p]:.2f} ms" for p in several),
    )
    result.finds(
        "the cache-optimised transform gains, too",
        all(cache[p] < blocking[p] for p in several),
        "; ".join(f"{p}: {cache[p]:.2f} against {blocking[p]:.2f} ms" for p in several),
    )
    result.finds(
        "all variants scale to the largest number of processes",
        all(times[several[-1]] == min(times[p] for p in several) for times in ms.values()),
        f"on {several[-1]}: " + ", ".join(f"{name} {times[several[-1]]:.2f} ms" for name, times in ms.items()),
    )


def parameters(lab: Lab, machine: dict[str, Any], result: Result) -> None:
    ranks, base = 16, {"strategy": "ialltoallv", "consume": "late"}
    depths = (1, 2, 4, 8) if lab.quick else (1, 2, 4, 8, 16, 32, 64, 128)
    early = {**base, "consume": "early", "window": 2}
    by_tile = {k: milliseconds(lab, machine, ranks, **early, tile=k) for k in depths}
    by_window = {w: milliseconds(lab, machine, ranks, **base, tile=8, window=w) for w in (2, 4, 8)}
    by_tests = {t: milliseconds(lab, machine, ranks, **base, tile=8, window=8, tests=t) for t in (0, 1, 4, 16)}
    rows = [["all-to-alls (maximum overlap)", k, round(v, 3)] for k, v in by_tile.items()]
    rows += [["window, of 8 (cache-optimised)", k, round(v, 3)] for k, v in by_window.items()]
    rows += [["tests a tile (cache-optimised)", k, round(v, 3)] for k, v in by_tests.items()]
    result.tables.append(Table(f"{N}^3 on 16 processes of 4 nodes", ["parameter", "value", "ms"], rows))
    spread = {name: max(v.values()) / min(v.values()) for name, v in (("tile", by_tile), ("window", by_window))}
    result.finds(
        "the tile factor is very performance critical, the window is not",
        spread["tile"] - 1 > 2 * (spread["window"] - 1),
        f"slowest over fastest: tile factor {spread['tile']:.3f}, window {spread['window']:.3f}",
    )


def zeroes(lab: Lab, machine: dict[str, Any], result: Result) -> None:
    ranks, bands = 16, 2 if lab.quick else 8
    full = seconds(lab, machine, ranks, strategy="alltoallv", tile=1)
    sphere = lab.simulator.run(
        machine,
        ranks,
        *("weft-waves", "--shape", N, N, N, "--radius", N // 4, "--bands", bands),
        *("--strategy", "alltoallv", "--tile", 1, "--check", "false"),
    )
    with_zeroes = 1e3 * full["seconds"]["median"]
    without = 1e3 * (sphere["backward"]["seconds"] + sphere["forward"]["seconds"]) / bands
    sent = sphere["backward"]["bytes"] / bands
    all_sent = full["traffic"]["forward"]["all_bytes"]
    rows = [["with zeroes", round(with_zeroes, 3), round(all_sent)], ["without", round(without, 3), round(sent)]]
    result.tables.append(Table("One band on 16 processes", ["", "ms, both ways", "bytes exchanged a way"], rows))
    result.finds(
        "without the zeroes there is less computation and less communication: at most a quarter is sent, and it is faster",
        sent <= all_sent / 4 and without < with_zeroes,
        f"{sent / all_sent:.3f} of the bytes, {with_zeroes / without:.2f} times as fast",
    )
