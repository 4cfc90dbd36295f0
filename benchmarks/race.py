#!/usr/bin/env python3
"""Races Weft, FFTW, FFTW-MPI, dtFFT, mpi4py-fft, SciPy, pyFFTW, ducc0, oneMKL and SpFFT, interleaved in one run:

    ./run exec python benchmarks/race.py --quick

Writes NAME.json, NAME.md and NAME.png into results/PROCESSOR; --publish also copies the tables of all processors
into README.md, and their overview into that of the project.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from racing import launching, limits, machine, overview, publish, results, rivals
from racing.plot import draw
from racing.programme import HEATS, cases_of, jobs
from racing.regret import regrets
from racing.settings import (
    Settings,
    list_of,
    parse_configuration,
    parse_kind,
    parse_number,
    parse_precision,
    parse_size,
)
from racing.table import ratios, report, title

from weft.cli.busy import busy_text, look
from weft.cli.output import CommandError, write_text

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"


def main() -> int:
    arguments = _parse()
    try:
        document = results.read(arguments.read) if arguments.read else _race(arguments)
        _write(arguments, document)
    except CommandError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    wrong = [case for case in document["cases"] if any(not item.get("right", True) for item in case["contestants"])]
    return 1 if wrong or document["problems"] else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], formatter_class=argparse.HelpFormatter)
    add = parser.add_argument
    add("--quick", action="store_true", help="a race of some minutes: smaller, fewer rounds, no hopeless contestants")
    add("--heats", type=list_of(_heat), metavar="H,...", help=f"parts of the race: {', '.join(HEATS)} (all)")
    add("--shapes", type=list_of(parse_size), help="cases of your own: N, N0xN1xN2 or B*N, separated by commas")
    add("--kind", type=list_of(parse_kind), help="of them: c2c, r2c, sphere, gamma, separated by commas (c2c,r2c)")
    add("--precision", type=list_of(parse_precision), help="double, single or both (double)")
    add("--ranks", type=list_of(parse_number), help="numbers of ranks, separated by commas (1,2)")
    add("--threads", type=list_of(parse_number), help="numbers of threads of each rank, separated by commas (1)")
    add("--rounds", type=parse_number, help="turns that every contestant has (11; quick: 3)")
    add(
        "--weft",
        type=parse_configuration,
        action="append",
        metavar="NAME=VALUE,...",
        help="a contestant: options of "
        "weft.FFT; may be repeated (default options, in place and in normal order too; all strategies and backends)",
    )
    add("--out", type=Path, metavar="DIR", help="folder of the results (benchmarks/results/PROCESSOR)")
    add("--name", default="race", help="name of the results' files (race)")
    add(
        "--publish",
        action="store_true",
        help="copy the tables of all processors into benchmarks/README.md and README.md",
    )
    add(
        "--rivals",
        type=list_of(_rival),
        metavar="R,...",
        help=f"only these beside Weft: {', '.join(rivals.NAMES)} (all)",
    )
    add("--wisdom", type=Path, metavar="DIR", help="keep FFTW's plans there for the next race (they last for one race)")
    add("--fftw-mpi", metavar="PATH", help="FFTW's MPI library, where the linker does not find it")
    add("--time-limit", type=parse_number, default=3600, metavar="SECONDS", help="for each job (3600)")
    add("--read", type=Path, metavar="JSON", help="race nothing: make table and picture anew from such results")
    return parser.parse_args()


def _rival(text: str) -> str:
    if text not in rivals.NAMES:
        raise argparse.ArgumentTypeError(f"'{text}' is no rival; allowed are {', '.join(rivals.NAMES)}")
    return text


def _heat(text: str) -> str:
    if text not in HEATS:
        raise argparse.ArgumentTypeError(f"'{text}' is no part of the race; allowed are {', '.join(HEATS)}")
    return text


# ---- racing


def _race(arguments: argparse.Namespace) -> dict[str, Any]:
    begin = time.monotonic()
    cases = cases_of(arguments)
    found = rivals.find(arguments.rivals or rivals.NAMES, arguments.fftw_mpi)
    missing = [item for item in found.values() if isinstance(item, rivals.Missing)]
    there = {name: item for name, item in found.items() if isinstance(item, str)}
    for item in missing:
        print(f"note: {item}", file=sys.stderr)
    before = look()
    if not machine.is_quiet(before):
        print(f"note: the machine is busy: {busy_text(before)}", file=sys.stderr)
    here = machine.describe()
    if arguments.out is None:
        results.require_own(_folder(arguments, here["slug"]) / f"{arguments.name}.json", here["slug"])
    document: dict[str, Any] = {
        "format": results.FORMAT,
        "made": datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"),
        "machine": here,
        "rivals": {name: item for name, item in found.items() if name in rivals.PACKAGES and isinstance(item, str)},
        "missing": [{"name": item.name, "why": item.why, "how": item.how} for item in missing],
        "load": {"before": machine.load()},
        "problems": [],
        "cases": [],
    }
    rounds = arguments.rounds or (3 if arguments.quick else 11)
    document["settings"] = {"rounds": rounds, "quick": arguments.quick, "weft": arguments.weft or []}
    with tempfile.TemporaryDirectory(prefix="race-") as scratch:
        wisdom = arguments.wisdom or Path(scratch)
        _make_folder("--wisdom", wisdom)
        for (ranks, threads), of_job in jobs(cases):
            settings = Settings(
                cases=of_job,
                rounds=rounds,
                quick=arguments.quick,
                weft=arguments.weft or [],
                fftw_mpi=there.get("FFTW-MPI"),
                rivals=[name for name in there if name != "FFTW-MPI"],
                wisdom=str(wisdom.resolve()),
                turn=0.05 if arguments.quick else 0.1,
            )
            _run_job(settings, ranks, threads, arguments.time_limit, document)
    for case in document["cases"] if not arguments.quick else []:
        if not case.get("skipped") and case["kind"] in ("c2c", "r2c"):
            case["limit"] = limits.measure(case, launching.environment(case["ranks"], case["threads"]))
    document["load"]["after"] = machine.load()
    document["seconds"] = round(time.monotonic() - begin)
    if not document["cases"]:
        raise CommandError("nothing was raced: " + "; ".join(document["problems"]))
    return document


def _run_job(settings: Settings, ranks: int, threads: int, limit: float, document: dict[str, Any]) -> None:
    """All cases of some ranks and threads, in one job; what was measured is added to the document."""
    with tempfile.TemporaryDirectory(prefix="race-") as folder:
        settings_file, results_file = Path(folder, "settings.json"), Path(folder, "results.jsonl")
        settings.save(settings_file)
        files = [str(settings_file), str(results_file)]
        command = launching.command("job", ranks, threads, *files)
        environment = launching.environment(ranks, threads)
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
        problem = ""
        try:
            code = process.wait(limit)
            problem = f"the job on {ranks} ranks ended with exit code {code}" if code else ""
        except subprocess.TimeoutExpired:
            problem = f"the job on {ranks} ranks was not done in {limit} s"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if problem:
            print(f"error: {problem}", file=sys.stderr)
            document["problems"].append(problem)
        for line in results_file.read_text(encoding="utf-8").splitlines() if results_file.exists() else []:
            item = json.loads(line)
            document.setdefault("software", item.get("software"))
            document["cases"] += [item["case"]] if "case" in item else []


# ---- results


def _folder(arguments: argparse.Namespace, slug: str) -> Path:
    return arguments.out or RESULTS / slug


def _make_folder(option: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{option} is '{folder}'; it cannot be made: {error.strerror}") from None


def _write(arguments: argparse.Namespace, document: dict[str, Any]) -> None:
    slug, name = document["machine"]["slug"], arguments.name
    folder = _folder(arguments, slug)
    _make_folder("--out", folder)
    files = [folder / f"{name}.{end}" for end in ("json", "md", "png")]
    results.require_own(files[0], slug)
    if not arguments.read:
        write_text(files[0], json.dumps(document, indent=1, allow_nan=False) + "\n")
    picture = _draw(files[2], document)
    write_text(files[1], f"# Weft raced on {title(document)}\n\n{report(document, picture.name if picture else None)}")
    if arguments.publish:
        publish.publish(HERE / "README.md", publish.all_summaries(RESULTS, name, HERE))
        overview.draw(RESULTS, name, RESULTS / "overview.png")
        publish.publish(HERE.parent / "README.md", overview.overview(RESULTS, name, "benchmarks/results/overview.png"))
    print(ratios(document))
    print(regrets(document))
    disturbed = [case for case in document["cases"] if not case.get("quiet", True)]
    if disturbed:
        print(
            f"WARNING: {len(disturbed)} of {len(document['cases'])} cases were disturbed by other load (marked ~): "
            "their figures are worthless. Race again when the machine is quiet.",
            file=sys.stderr,
        )
    for file in files:
        if file.exists():
            print(file)


def _draw(path: Path, document: dict[str, Any]) -> Path | None:
    try:
        draw(path, document)
    except ImportError:
        print("note: no picture: it needs matplotlib: python -m pip install matplotlib", file=sys.stderr)
        return None
    return path


if __name__ == "__main__":
    sys.exit(main())
