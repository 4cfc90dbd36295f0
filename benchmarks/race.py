#!/usr/bin/env python3
"""Races Weft, FFTW-MPI and mpi4py-fft, interleaved in one run: ./run exec python benchmarks/race.py

Writes NAME.json, NAME.md and NAME.png into the folder of results; --publish also copies the table into README.md.
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
from pathlib import Path
from typing import Any

from racing import limits, machine, publish, rivals
from racing.plot import draw
from racing.settings import Settings, parse_configuration, parse_kind, parse_number, parse_shape
from racing.table import markdown, ratios

from weft.cli.launch import launch_environment, mpiexec
from weft.cli.output import CommandError, write_text

HERE = Path(__file__).resolve().parent


def main() -> int:
    arguments = _parse()
    try:
        document = _read(arguments.read) if arguments.read else _race(arguments)
        _write(arguments, document)
    except CommandError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    wrong = [case for case in document["cases"] if any(not item.get("right", True) for item in case["contestants"])]
    return 1 if wrong or document["problems"] else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], formatter_class=argparse.HelpFormatter)
    add = parser.add_argument
    add(
        "--shapes",
        type=_list(parse_shape),
        default="64,128,256",
        help="N or N0xN1xN2, separated by commas (64,128,256)",
    )
    add("--ranks", type=_list(parse_number), default="1,2,4", help="numbers of ranks, separated by commas (1,2,4)")
    add("--kind", type=_list(parse_kind), default="c2c,r2c", help="c2c, r2c or both, separated by a comma (both)")
    add("--rounds", type=parse_number, default=11, help="turns that every contestant has (11)")
    add(
        "--weft",
        type=parse_configuration,
        action="append",
        metavar="NAME=VALUE,...",
        help="a contestant: options of "
        "weft.FFT; may be repeated (all strategies, transposed and in normal order; the default one in place too)",
    )
    add("--out", type=Path, default=HERE / "results", help="folder of the results (benchmarks/results)")
    add("--name", default="race", help="name of the results' files (race)")
    add("--publish", action="store_true", help="copy the table into benchmarks/README.md")
    add("--fftw-mpi", metavar="PATH", help="FFTW's MPI library, where the linker does not find it")
    add("--time-limit", type=parse_number, default=3600, metavar="SECONDS", help="for each number of ranks (3600)")
    add("--read", type=Path, metavar="JSON", help="race nothing: make table and picture anew from such results")
    return parser.parse_args()


def _list(parse: Any) -> Any:
    def parse_list(text: str) -> list[Any]:
        return list(dict.fromkeys(parse(word) for word in text.split(",")))

    return parse_list


# ---- racing


def _race(arguments: argparse.Namespace) -> dict[str, Any]:
    fftw_mpi, mpi4py_fft = rivals.find_fftw_mpi(arguments.fftw_mpi), rivals.find_mpi4py_fft()
    missing = [found for found in (fftw_mpi, mpi4py_fft) if isinstance(found, rivals.Missing)]
    for item in missing:
        print(f"note: {item}", file=sys.stderr)
    settings = Settings(
        shapes=arguments.shapes,
        kinds=arguments.kind,
        rounds=arguments.rounds,
        weft=arguments.weft or [],
        fftw_mpi=fftw_mpi if isinstance(fftw_mpi, str) else None,
        mpi4py_fft=isinstance(mpi4py_fft, str),
    )
    document: dict[str, Any] = {
        "format": 1,
        "made": datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"),
        "settings": {"rounds": settings.rounds, "weft": settings.weft},
        "machine": machine.describe(),
        "mpi4py_fft": mpi4py_fft if isinstance(mpi4py_fft, str) else None,
        "missing": [{"name": item.name, "why": item.why, "how": item.how} for item in missing],
        "load": {"before": machine.load()},
        "problems": [],
        "cases": [],
    }
    for ranks in arguments.ranks:
        _run_job(settings, ranks, arguments.time_limit, document)
    for case in document["cases"]:
        if not case.get("skipped"):
            case["limit"] = limits.measure(case, _environment(case["ranks"]))
    document["load"]["after"] = machine.load()
    if not document["cases"]:
        raise CommandError("nothing was raced: " + "; ".join(document["problems"]))
    return document


def _run_job(settings: Settings, ranks: int, limit: float, document: dict[str, Any]) -> None:
    """All cases on some ranks, in one job; what was measured is added to the document."""
    with tempfile.TemporaryDirectory(prefix="race-") as folder:
        settings_file, results_file = Path(folder, "settings.json"), Path(folder, "results.jsonl")
        settings.save(settings_file)
        files = [str(settings_file), str(results_file)]
        command = [*mpiexec(), "-n", str(ranks), sys.executable, "-m", "mpi4py", "-m", "racing.job", *files]
        environment = _environment(ranks)
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


def _environment(ranks: int) -> dict[str, str]:
    """For mpiexec. Options of Weft that lie in the environment would make all its contestants the same."""
    environment = launch_environment(ranks)
    import weft

    for option in weft.options():
        if environment.pop(name := f"WEFT_{option.name.upper()}", None) is not None:
            print(f"note: {name} is not handed to the race; use --weft {option.name}=VALUE", file=sys.stderr)
    paths = [str(HERE), *filter(None, [environment.get("PYTHONPATH")])]
    # One thread for each rank, whatever libraries would like.
    return {**environment, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}


# ---- results


def _read(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CommandError(f"--read is '{path}'; it cannot be read: {error}") from None
    if document.get("format") != 1 or "cases" not in document:
        raise CommandError(f"--read is '{path}'; it holds no results of a race")
    return document


def _write(arguments: argparse.Namespace, document: dict[str, Any]) -> None:
    folder, name = arguments.out, arguments.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"--out is '{folder}'; it cannot be made: {error.strerror}") from None
    files = [folder / f"{name}.{end}" for end in ("json", "md", "png")]
    if not arguments.read:
        write_text(files[0], json.dumps(document, indent=1, allow_nan=False) + "\n")
    picture = _draw(files[2], document)
    text = markdown(document, picture.name if picture else None)
    write_text(files[1], f"# Weft raced\n\n{text}")
    if arguments.publish:
        relative = os.path.relpath(files[2], HERE) if picture else None
        publish.publish(HERE / "README.md", markdown(document, relative))
    print(ratios(document))
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
