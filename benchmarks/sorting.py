#!/usr/bin/env python3
"""weft-sort beside std::sort, numpy.sort and parallel sorts of PyPI, in turns: ./run exec python benchmarks/sorting.py

Writes sorting.json and sorting.md into the folder of results. Sorts of other packages are left out where they are not
installed: python -m pip install polars quill-fastsort-ips4o quill-fastsort-parallel
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from weft.cli import launch
from weft.cli.output import write_text

HERE = Path(__file__).resolve().parent
MISSING = "not installed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=100_000_000, help="elements")
    parser.add_argument("--dtype", default="int32")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    arguments = parser.parse_args()

    seconds: dict[str, list[float]] = {}
    notes: dict[str, str] = {}
    contestants = {**_weft(arguments, notes), **_python(arguments, notes)}
    before = os.getloadavg()[0]
    for _ in range(arguments.rounds):
        for run in contestants.values():
            for name, value in run().items():
                seconds.setdefault(name, []).append(value)
    document = {
        "n": arguments.n,
        "dtype": arguments.dtype,
        "rounds": arguments.rounds,
        "processor": _processor(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "load_before": before,
        "load_after": os.getloadavg()[0],
        "seconds": seconds,
        "notes": notes,
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_text(arguments.out / "sorting.json", json.dumps(document, indent=2) + "\n")
    table = _table(document)
    write_text(arguments.out / "sorting.md", table)
    print(table)
    return 0


def _weft(arguments: argparse.Namespace, notes: dict[str, str]) -> dict[str, Callable[[], dict[str, float]]]:
    """weft-sort on one and on all ranks; on one with std::sort and its own leaves' sort in the same process."""

    def run(ranks: int, *more: str) -> dict[str, Any]:
        command = [str(launch.program("weft-sort")), "--n", str(arguments.n), "--dtype", arguments.dtype, *more]
        command = [*launch.job_command(ranks), *command, "--repeats", "3", "--json", "-"]
        environment = launch.launch_environment(ranks)
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        report: dict[str, Any] = json.loads(done.stdout)
        notes["leaves of weft-sort"] = report["leaf_sort"]
        return report

    def alone() -> dict[str, float]:
        one = run(1, "--compare")["one_core"]
        return {"std::sort, one core": one["std::sort"], "vqsort, one core": one["leaf_sort"]}

    def together(algorithm: str) -> Callable[[], dict[str, float]]:
        name = f"weft-sort {algorithm}, {arguments.ranks} ranks"
        return lambda: {name: run(arguments.ranks, "--algorithm", algorithm)["seconds"]["min"]}

    return {"alone": alone, "tree": together("tree"), "sample": together("sample")}


def _python(arguments: argparse.Namespace, notes: dict[str, str]) -> dict[str, Callable[[], dict[str, float]]]:
    """Sorts that Python can call, of an array of the same kind, in place where they can."""
    original = np.frombuffer(
        np.random.default_rng(1).bytes(arguments.n * np.dtype(arguments.dtype).itemsize), arguments.dtype
    )
    right = np.sort(original)

    def timed(sort: Callable[[np.ndarray], Any], what: str) -> Callable[[], dict[str, float]]:
        def run() -> dict[str, float]:
            data = original.copy()
            begin = time.perf_counter()
            found = sort(data)
            elapsed = time.perf_counter() - begin
            # In place, or a new array.
            result = data if found is None else np.asarray(found)
            return {what if np.array_equal(result, right) else f"{what} (WRONG)": elapsed}

        return run

    contestants = {"numpy": timed(lambda data: data.sort(), "numpy.sort, one core")}
    short = {"int32": "i32", "int64": "i64", "float32": "f32", "float64": "f64"}.get(arguments.dtype)
    for module, function in (
        ("quill_fastsort_ips4o", f"sort_{short}"),
        ("quill_fastsort_parallel", f"parallel_sort_{short}"),
    ):
        sort = getattr(_module(module, notes), function, None)
        if sort is not None:
            contestants[module] = timed(sort, f"{module.replace('_', '-')}, {launch.cores()} threads")
    polars = _module("polars", notes)
    if polars is not None:
        # Made before the clock starts; sorted into a new column.
        series = polars.Series(original)
        contestants["polars"] = timed(lambda _: series.sort().to_numpy(), f"polars, {launch.cores()} threads")
    return contestants


def _module(name: str, notes: dict[str, str]) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        notes[name] = MISSING
        return None


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{line.split(':', 1)[1].strip()}, {launch.cores()} cores"
    return platform.machine()


def _table(document: dict[str, Any]) -> str:
    least = {name: min(values) for name, values in document["seconds"].items()}
    usual = least["std::sort, one core"]
    lines = [
        f"{document['n']:,} {document['dtype']}, random; {document['processor']}; NumPy {document['numpy']}; leaves of weft-sort: "
        f"{document['notes']['leaves of weft-sort']}. Least of {document['rounds']} rounds in turns; load average "
        f"{document['load_before']:.1f} before, {document['load_after']:.1f} after.",
        "",
        "| | seconds | times as fast as std::sort |",
        "|---|---|---|",
        *(
            f"| {name} | {value:.3f} | {usual / value:.1f} |"
            for name, value in sorted(least.items(), key=lambda row: -row[1])
        ),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
