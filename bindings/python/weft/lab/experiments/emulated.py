"""The same questions with a real MPI library on the emulated cluster: does overlap gain, do segments?"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft._inputs import read_json
from weft.cli import launch
from weft.cli.output import CommandError
from weft.lab import emulate
from weft.lab.experiment import Lab, Plot, Result, Table

TITLE = "Overlap and segments with real MPI, on network namespaces"
PAPER = "T. Hoefler and G. Zérah 2007; Shimizu 1997"
WHERE = "overlap, MPI_Test interval and window; segmented networks (tables 9 and 10), at small size"
METHOD = (
    "Wall time of real MPI jobs over TCP between network namespaces: weft-bench, best of the repetitions, ms for forward and "
    "backward; weft-alltoall; weft-npb. All nodes share this machine's cores, so the wire is made slow enough to be what counts; differences of 10 % are "
    "noise."
)
NEEDS_ROOT = True

FIXED = ("--warmup", 1, "--no-limits", "--transposed", "--check", "false", "--decomposition", "slab")


def start(
    folder: Path,
    name: str,
    ranks: int,
    words: tuple[Any, ...],
    nodes: range | None = None,
    program: str = "weft-bench",
    flags: Sequence[str] = (),
) -> subprocess.Popen[str]:
    job = [str(launch.program(program)), *map(str, words), "--json", str(folder / f"{name}.json")]
    command = emulate.command(ranks, job, nodes, flags)
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, env=emulate.environment(), cwd=folder, stdout=pipe, stderr=subprocess.STDOUT, text=True
    )


def finish(folder: Path, name: str, job: subprocess.Popen[str]) -> dict[str, Any]:
    """The report of a job."""
    try:
        output, _ = job.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        raise CommandError("a job on the emulated cluster took longer than 300 s") from None
    if job.returncode != 0:
        raise CommandError(f"a job on the emulated cluster failed:\n{output[-2000:]}")
    report: dict[str, Any] = read_json(folder / f"{name}.json")
    return report


def milliseconds(report: dict[str, Any]) -> float:
    """The best of weft-bench's repetitions."""
    return 1e3 * float(report["seconds"]["min"])


def run(lab: Lab) -> Result:
    result = Result({"mpi": "Open MPI" if launch.is_open_mpi() else "MPICH"})
    with tempfile.TemporaryDirectory(prefix="weft-lab-") as folder:
        latency(result, Path(folder), lab.quick)
        overlap(result, Path(folder), 3 if lab.quick else 7)
        segments(result, Path(folder), 3 if lab.quick else 5)
        kernel(result, Path(folder))
    return result


def latency(result: Result, folder: Path, quick: bool) -> None:
    """Hoefler & Zerah's first figure, and whether a real library moves messages while nobody calls it."""
    sizes = [1024, 65536] if quick else [64, 1024, 8192, 65536, 262144]
    words = ("--bytes", *sizes, "--repeats", 3 if quick else 7, "--tests", 16)
    with emulate.cluster(2, "100mbit"):  # a core for each: what computes all the time leaves none for the others
        rows = finish(folder, "job", start(folder, "job", 2, words, program="weft-alltoall"))["rows"]
    header = ["bytes a pair", "MPI_Alltoall", "MPI_Ialltoall, MPI_Wait", "hidden without tests %", "with 16 tests %"]
    table = [
        [
            row["bytes"],
            *(round(1e3 * row[name], 3) for name in ("blocking", "non_blocking")),
            *(round(100 * row[name]) for name in ("hidden_without_tests", "hidden_with_tests")),
        ]
        for row in rows
    ]
    result.tables.append(Table("All-to-all on 2 nodes of one rank, 100 Mbit/s switch, ms", header, table))
    large = [row for row in rows if row["bytes"] >= 65536]
    result.finds(
        "MPI_Test progresses messages: large ones hide behind computation only with tests",
        all(row["hidden_with_tests"] > row["hidden_without_tests"] for row in large),
        "; ".join(
            f"{row['bytes']} bytes: {100 * row['hidden_without_tests']:.0f} % hidden without, "
            f"{100 * row['hidden_with_tests']:.0f} % with 16 tests"
            for row in large
        ),
        "the ranks of all nodes share this machine's cores, and the kernel's buffers move what fits into them by themselves",
    )


def overlap(result: Result, folder: Path, repeats: int) -> None:
    ranks, n = 4, 96
    words = ("--shape", n, n, n, "--repeats", repeats, *FIXED)
    pipeline = ("--strategies", "ialltoallv", "--tile", 8, "--window", 8)
    cases = {"alltoallv": ("--strategies", "alltoallv", "--tile", 1)}
    cases |= {f"ialltoallv, {tests} tests": (*pipeline, "--tests", tests) for tests in (0, 1, 4, 16)}
    cases["pairwise, 4 tests"] = ("--strategies", "pairwise", "--tile", 8, "--window", 8, "--tests", 4)
    with emulate.cluster(ranks, "100mbit"):
        times = {
            name: milliseconds(finish(folder, "job", start(folder, "job", ranks, (*words, *case))))
            for name, case in cases.items()
        }
    rows = [[name, round(ms, 1)] for name, ms in times.items()]
    result.tables.append(Table(f"{n}^3, {ranks} nodes of one rank, 100 Mbit/s switch", ["", "ms"], rows))
    blocking, best = times["alltoallv"], min(ms for name, ms in times.items() if name != "alltoallv")
    result.finds(
        "overlap gains in wall time",
        best < 0.95 * blocking,
        f"{blocking:.0f} ms blocking, {best:.0f} ms at best with overlap",
        "other work on this machine, or an MPI library that moves nothing between tests" if best < blocking else "",
    )


def segments(result: Result, folder: Path, repeats: int) -> None:
    """Each segment of two nodes transforms its share of the fields, all segments at once."""
    n, fields, seconds = 48, 6, {}
    for number in (1, 2, 3):
        words = (
            "--shape",
            n,
            n,
            n,
            "--batch",
            fields // number,
            "--repeats",
            repeats,
            *FIXED,
            "--strategies",
            "pairwise",
        )
        with emulate.cluster(2 * number, "20mbit", "segments", 2):
            jobs = {f"s{s}": start(folder, f"s{s}", 2, words, range(2 * s, 2 * s + 2)) for s in range(number)}
            seconds[number] = max(milliseconds(finish(folder, name, job)) for name, job in jobs.items())
    rows = [[s, round(ms, 1), round(seconds[1] / ms, 2)] for s, ms in seconds.items()]
    title = f"{fields} fields of {n}^3 on segments of two nodes, 20 Mbit/s shared"
    result.tables.append(Table(title, ["segments", "ms", "times as fast"], rows))
    result.plots.append(
        Plot(
            "Speed-up over segments",
            "segments",
            "times as fast",
            {"here": [(s, seconds[1] / ms) for s, ms in seconds.items()], "linear": [(s, float(s)) for s in seconds]},
        )
    )
    gain = seconds[1] / seconds[3]
    result.finds("almost linear in the number of segments", gain > 2.4, f"{gain:.2f} times as fast on three")


def kernel(result: Result, folder: Path) -> None:
    """Shimizu's own: NPB kernel FT, class S, its inverse transforms shared out to the segments."""
    words = ("--class", "S", "--strategy", "pairwise", "--check", "false")
    seconds = {}
    for number in (1, 2, 3):
        with emulate.cluster(2 * number, "20mbit", "segments", 2):
            job = start(folder, "job", 2 * number, (*words, "--groups", number), program="weft-npb")
            seconds[number] = finish(folder, "job", job)["seconds"]
    ideal = {s: 7 / (1 + 6 / s) for s in seconds}
    rows = [[s, round(of, 2), round(seconds[1] / of, 2), round(ideal[s], 2)] for s, of in seconds.items()]
    header = ["segments", "s", "times as fast", "7 transforms, the first by all"]
    result.tables.append(
        Table("NPB kernel FT, class S, verified, segments of two nodes, 20 Mbit/s shared", header, rows)
    )
    gain = seconds[1] / seconds[3]
    result.finds(
        "NPB's inverse transforms spread over segments: almost as fast as one can expect",
        gain > 0.85 * ideal[3],
        f"{gain:.2f} times as fast on three; {ideal[3]:.2f} if nothing else took time",
    )
