"""Files that somebody has damaged, of every format that Weft reads: each is read, or refused in a message of Weft's.

    python hostile.py FOLDER COUNT SEED [FORMAT...]

damages COUNT copies of a file of each format, the same ones for a seed, and reads them, here or by the programs of C++. It
ends with an error where a reader fails otherwise, is killed by a signal, wants much memory, or takes too long; what it was
about is the last line that it prints.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import damaged_volumes
import numpy as np
from espresso_files import Save
from launching import TIME_LIMIT, weft_here

import weft
from weft.cli.launch import launch_environment, program
from weft.model.machine_file import path_of

#: Bytes. No file here holds more than some thousand.
MOST_MEMORY = 1 << 30
#: Seconds of a processor for one file. (Whoever waits for something is ended by the limit of the whole.)
PATIENCE = 20
#: Numbers that are a bit beyond what is meant.
NUMBERS = ("-1", "0", "1e308", "nan", "99999999999999999999", "4294967296", "2147483648", "1e-320", "[", '"x"', "null")


def damaged(base: bytes, chance: random.Random) -> bytes:
    """A file with one to three changes, each of which leaves most of it as it was."""
    content = bytearray(base)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at = chance.randrange(len(content) or 1)
        length = chance.choice((1, 2, 4, 8, chance.randrange(1, 200)))
        kind = chance.randrange(8)
        digits = [i for i, letter in enumerate(content) if chr(letter).isdigit()]
        if kind == 0 and content:
            content[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            content[at : at + length] = chance.randbytes(length)
        elif kind == 2:
            del content[at : at + length]
        elif kind == 3:
            content[at:at] = content[at : at + length]
        elif kind == 4:
            del content[at:]
        elif kind == 5:  # a length or an offset
            content[at : at + 4] = struct.pack("<I", chance.choice((0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)))
        elif kind == 6:
            content[at : at + 8] = struct.pack("<d", chance.choice((float("nan"), float("inf"), -1.0, 1e300)))
        elif digits:  # a number of a text
            at = end = chance.choice(digits)
            while end < len(content) and chr(content[end]).isdigit():
                end += 1
            content[at:end] = chance.choice(NUMBERS).encode()
    return bytes(content)


def command(*words: object) -> Callable[[Path], None]:
    """The command line reads the file, whose name stands in the place of FILE, or of FOLDER that of its folder."""

    def read(path: Path) -> None:
        names = {"FILE": str(path), "FOLDER": str(path.parent)}
        outcome = weft_here(*(names.get(str(word), word) for word in words), cwd=path.parent.parent)
        # 1: what `planewave` compares does not agree.
        assert outcome.code in (0, 1, 2), outcome
        assert "Traceback" not in outcome.err, outcome
        assert outcome.code != 2 or outcome.err.count("weft:") == 1 + outcome.err.count("; it is called "), outcome

    return read


def executable(name: str, *words: str) -> Callable[[Path], None]:
    """A program of C++ reads it."""

    def read(path: Path) -> None:
        line = [str(program(name)), *(word.replace("FILE", str(path)) for word in words)]
        done = subprocess.run(
            line, capture_output=True, timeout=TIME_LIMIT, cwd=path.parent, env=launch_environment(1), check=False
        )
        assert done.returncode in (0, 1, 2), done
        assert done.returncode == 0 or done.stderr.strip(), done

    return read


def function(call: Callable[[Path], object]) -> Callable[[Path], None]:
    """A function of Python reads it."""

    def read(path: Path) -> None:
        with contextlib.suppress(weft.Error):
            call(path)

    return read


def formats(folder: Path) -> dict[str, tuple[Path, Callable[[Path], None]]]:
    """By name: a good file of each, and what reads it."""
    found: dict[str, tuple[Path, Callable[[Path], None]]] = {}

    def add(name: str, content: bytes | str, read: Callable[[Path], None]) -> None:
        path = folder / Path(name).stem / f"file{Path(name).suffix}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        found[name] = (path, read)

    problem = ("--shape", 4, 4, 4, "-n", 2)
    add("tuning.json", json.dumps(tuned()), command("tune", "list", "--file", "FILE"))
    add("merged.json", json.dumps(tuned()), command("tune", "merge", "FILE", "--file", folder / "all.json"))
    add("tuned.json", json.dumps(tuned()), command("explain", *problem, "--file", "FILE"))
    machine = path_of(weft.model.machine_names()[0]).read_text(encoding="utf-8")
    add("machine.toml", machine, command("predict", *problem, "--machine", "FILE", "--strategy", "pairwise"))
    add("place.toml", machine, command("place", "fft", "--shape", 4, 4, 4, "-n", 2, "--machine", "FILE"))
    add("trace.json", json.dumps(traced()), command("trace", "FILE", "--no-plot"))
    graph = (
        'name = "two"\n[[process]]\nname = "root"\nsteps = [{send = "leaf", bytes = 4000}, {receive = "leaf"}, '
        '{compute = 1e-3}]\n[[process]]\nname = "leaf"\nsteps = [{receive = "root"}, {compute = {sort = 1000}}, '
        '{send = "root", bytes = 4000}]\n'
    )
    add("graph.toml", graph, command("place", "FILE", "--topology", "0,0"))
    add(
        "rates.json",
        '{"rates": {"sort": 1e-8, "merge": 2e-9}}',
        command("place", "sort", "--topology", "0,0,0,0,0,0,0", "--rates", "FILE"),
    )
    for suffix, content in {
        "npy": damaged_volumes.npy(),
        "nii": damaged_volumes.nifti(),
        "h5": damaged_volumes.hdf5(),
        "cube": damaged_volumes.cube(),
    }.items():
        add(f"volume-{suffix}.{suffix}", content, command("spectrum", "FILE", "--no-plot"))
    for form in ("dat", "hdf5"):
        save = Save(form=form).write(folder / f"{form}.save")
        for name in ("data-file-schema.xml", f"wfc1.{form}", f"charge-density.{form}"):
            found[f"{form} {name}"] = (save / name, command("planewave", "--wfc", "FOLDER"))
    report = {"name": "x", "quick": True, "machine": "", "title": "t", "paper": "p", "where": "w", "method": "m"}
    report |= {"findings": [{"claim": "c", "here": "h", "holds": True, "why": ""}], "notes": ["n"], "parameters": {}}
    report |= {"plots": [], "tables": [{"title": "t", "header": ["a", "b"], "rows": [["x", 1.5]]}]}
    add("results.json", json.dumps(report), command("lab", "report", "--out", "FOLDER"))

    fft = weft.FFT((4, 4, 4), kind="r2c", effort="estimate")
    fft.write_input(folder / "field.h5", np.ones(fft.input_shape))
    found["field.h5"] = (folder / "field.h5", function(fft.read_input))
    snapshots(folder / "snapshots.h5")
    found["snapshots.h5"] = (folder / "snapshots.h5", function(read_snapshots))
    wisdom = "(fftw-3.3.10 fftw_wisdom #x458a31c8 #x92381c4c #x4f974889 #xcd46f97e\n  (fftw_codelet_n1_4 0 #x1040 #x1040 #x0)\n)\n"
    add(
        "wise.fftw-double",
        wisdom,
        function(lambda path: weft.tune((4, 4, 4), effort="estimate", file=str(path.parent / "file.json"))),
    )

    subprocess.run(
        [str(program("weft-turbulence")), "n=8", "end=0", f"out={folder / 'flow'}"],
        env=launch_environment(1),
        check=True,
        capture_output=True,
    )
    found["restart.bin"] = (
        folder / "flow" / "restart.bin",
        executable("weft-turbulence", "restart=FILE", "end=0", "out=again"),
    )
    add("sorted.npy", b"", executable("weft-sort", "FILE", "--repeats", "1"))
    np.save(found["sorted.npy"][0], np.arange(100)[::-1])
    return found


def tuned() -> dict[str, Any]:
    """A tuning file with one entry."""
    key: dict[str, Any] = {"transform": "c2c", "precision": "double", "shape": [8, 8, 8], "ranks": 2, "nodes": 1}
    key |= {"given": {"tile": "2"}, "batch": 1}
    times = {"seconds": 1e-3, "predicted": 1e-3, "low": 1e-3, "high": 2e-3, "rounds": 3}
    entry: dict[str, Any] = {"key": key, "options": {"strategy": "pairwise"}, "effort": "measure", "when": "2026-01-01"}
    entry |= {"seconds": 1e-3, "default_seconds": 2e-3, "sureness": 0.9}
    entry["tried"] = [{"options": {"strategy": "pairwise"}, **times}]
    return {"weft_tuning": 1, "entries": [entry]}


def traced() -> dict[str, Any]:
    """As the library writes it: an execution on each of two ranks, with a tile on its way."""
    events: list[dict[str, Any]] = []
    for rank in (0, 1):
        given = {"direction": "forward", "exchange": 0, "tile": 0, "bytes": 8, "messages": 1, "strategy": "pairwise"}
        parts = (
            ("forward", "execution", 0.0, 9.0, {"direction": "forward", "what": "4 x 4 x 4"}),
            ("produce", "compute", 1.0, 2.0, {"direction": "forward", "pass": 0}),
            ("test", "test", 1.5, 0.1, {"direction": "forward", "exchange": 0}),
            ("start", "start", 3.0, 1.0, given),
            ("wait", "wait", 5.0, 1.0, given),
        )
        for name, category, begin, length, arguments in parts:
            common = {"name": name, "cat": category, "pid": rank, "tid": 0}
            events.append({**common, "ph": "X", "ts": begin, "dur": length, "args": arguments})
        tile = {"name": "tile", "cat": "flight", "pid": rank, "tid": 0, "id": f"{rank}.0"}
        events.append({**tile, "ph": "b", "ts": 3.0, "args": given})
        events.append({**tile, "ph": "e", "ts": 6.0})
    events.append({"name": "1 executions were left out", "ph": "i", "pid": 0, "ts": 9.0})
    return {"otherData": {"program": "weft"}, "traceEvents": events}


def snapshots(path: Path) -> None:
    """A file of `weft.mpi4py_fft`."""
    from mpi4py import MPI

    from weft.mpi4py_fft import PFFT, HDF5File, newDistArray

    u = newDistArray(PFFT(MPI.COMM_WORLD, (4, 4, 4)), False)
    u[:] = 1
    HDF5File(str(path), mode="w").write(0, {"u": [u]})


def read_snapshots(path: Path) -> None:
    from mpi4py import MPI

    from weft.mpi4py_fft import PFFT, HDF5File, generate_xdmf, newDistArray

    u = newDistArray(PFFT(MPI.COMM_WORLD, (4, 4, 4)), False)
    with contextlib.suppress(weft.Error):
        HDF5File(str(path), mode="r").read(u, "u", 0)
    generate_xdmf(str(path))


def strange(path: Path) -> Iterator[Path]:
    """What is no file, in the place of one or beside it: nobody waits for it, and nobody fails but by a message."""
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    yield path
    for target in (path.name, "/dev/zero"):  # a loop, and what never ends
        path.unlink(missing_ok=True)
        path.symlink_to(target)
        yield path
    path.unlink(missing_ok=True)
    path.mkdir()
    yield path
    path.rmdir()
    yield path
    for name in (b"\xff".decode(errors="surrogateescape"), "x" * 5000):
        yield path.with_name(name + path.suffix)


def main() -> None:
    folder, count, seed, wanted = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    for name, (path, read) in formats(folder).items():
        if wanted and name not in wanted:
            continue
        whole = path.read_bytes()
        read(path)  # as it is
        chance = random.Random(f"{name} {seed}")
        for number in range(count):
            print(f"{name} {seed} {number}", flush=True)
            path.write_bytes(damaged(whole, chance))
            for left in path.parent.glob(f"{path.name}.damaged-*"):
                left.unlink()
            signal.setitimer(signal.ITIMER_PROF, PATIENCE)
            read(path)
            signal.setitimer(signal.ITIMER_PROF, 0)
            used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
            assert used < MOST_MEMORY, f"{used} bytes of memory were used"
        for number, other in enumerate(strange(path)):
            print(f"{name} strange {number}", flush=True)
            read(other)
        path.write_bytes(whole)
    print("done")


if __name__ == "__main__":
    main()
