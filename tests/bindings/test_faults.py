"""What dies, or is told to, in the middle: the job ends, with a message, and nothing half-written stays."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from launching import TIME_LIMIT, Outcome, clean_environment, run, run_on, start, weft_command

from weft.cli.launch import launch_environment, mpiexec, program

KILLED = """
import os, signal, sys, threading
from mpi4py import MPI
import weft

trace, after = sys.argv[1], float(sys.argv[2])
fft = weft.FFT((24, 20, 18), tile=2, trace=trace, effort="estimate")
x, y = fft.empty_input(), fft.empty_output()
x[...] = 1
fft.forward(x, y)
MPI.COMM_WORLD.Barrier()
if MPI.COMM_WORLD.rank == 1:
    # Anywhere: the calls take less than a millisecond, and follow each other. (At each action: tests/mpi/killed.py.)
    threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
while True:
    fft.forward(x, y)
    fft.backward(y, x)
    x[...] = 1
"""


def left_by_weft() -> set[str]:
    """What has our name where shared memory lies."""
    return {str(path) for path in Path("/dev/shm").glob("*weft*")}


def test_a_rank_that_is_killed_ends_the_job(tmp_path):
    before = left_by_weft()
    trace = tmp_path / "trace.json"
    after = random.uniform(0, 0.2)
    outcome = run_on(3, [sys.executable, "-c", KILLED, str(trace), str(after)], cwd=tmp_path, limit=60)
    assert outcome.code != 0
    assert outcome.out + outcome.err != "", "it ended without a word"
    assert not trace.exists(), "a trace is written at the end of a transform, or not at all"
    assert left_by_weft() <= before
    assert list(tmp_path.iterdir()) == []


def end_by(process: subprocess.Popen[str], number: int) -> None:
    """Send a signal, and two more to a launcher that has not ended long after: Open MPI's, told to end at the moment at
    which a rank connects to it, kills the ranks and then waits for itself. Two within five seconds end it."""
    for patience in (TIME_LIMIT / 4, 2, TIME_LIMIT / 4):
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=patience)
            return
    raise AssertionError(f"not ended by three signals {number}: {process.args}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_job_without_half_a_report(number, tmp_path):
    report = tmp_path / "report.json"
    words = ["bench", "--shape", "16x16x16", "--repeats", "100000000", "--no-limits", "--json", str(report), "-n", "2"]
    environment = {**launch_environment(2), **clean_environment()}
    process = start([sys.executable, "-m", "weft", *words], tmp_path, environment)
    try:
        assert process.stderr is not None
        while "timing" not in (line := process.stderr.readline()):
            assert line != "", "it ended before it began"
        process.send_signal(number)
        process.communicate(timeout=TIME_LIMIT)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    # The exit code is the launcher's: MPICH's is 0 after Ctrl-C.
    assert not report.exists()


COMMANDS = {
    "explain": ["explain", "--shape", "64x64x64", "-n", "4", "--json", "out.json"],
    "verify": ["verify", "-n", "2", "--json", "out.json"],
    "tune": ["tune", "--shape", "16x16x16", "-n", "2", "--budget", "20s", "--file", "out.json", "--json", "a.json"],
    "sort": ["sort", "--n", "1000000", "--repeats", "3", "-n", "2", "-o", "out.npy", "--json", "report.json"],
    "trace": ["trace", "--shape", "32x32x32", "-n", "2", "-o", "new/"],
}


def processes_with(mark: str) -> list[str]:
    """Those in whose environment the mark is."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is not ours
            if mark.encode() in (process / "environ").read_bytes():
                found.append(f"{process.name} {(process / 'comm').read_text().strip()}")
    return found


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_signal_at_any_time(name, number, tmp_path):
    """As Ctrl-C, or a batch system at the end of the time: the command ends, and what it has written is whole."""
    for attempt in range(2):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        mark = f"WEFT_TEST_MARK={folder}"
        environment = {**launch_environment(2), **clean_environment(), "WEFT_TEST_MARK": str(folder)}
        process = start([sys.executable, "-m", "weft", *COMMANDS[name]], folder, environment)
        try:
            time.sleep(random.uniform(0, 2.5))
            end_by(process, number)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        # MPICH's launcher, told to end while its ranks are being started, may leave them: they end when they are done.
        end = time.monotonic() + TIME_LIMIT
        while (left := processes_with(mark)) and time.monotonic() < end:
            time.sleep(0.1)
        assert left == [], f"processes of {name} are left"
        for path in folder.rglob("*.json"):
            json.loads(path.read_text())
        for path in folder.rglob("*.npy"):
            assert (np.diff(np.load(path)) >= 0).all()


WRITERS = """
import json, os, random, signal, sys, time
from weft import _core

folder, writers = sys.argv[1], int(sys.argv[2])
target = os.path.join(folder, "all.json")
children = []
for number in range(writers):
    child = os.fork()
    if child == 0:
        while True:
            _core.tuning_merge(target, os.path.join(folder, f"{number}.json"))
            _core.tuning_forget(target, [0])
    children.append(child)
random.seed(writers)
victims = random.sample(children, writers // 2)
reads = 0
end = time.monotonic() + 3
while time.monotonic() < end or victims:
    if victims:
        os.kill(victims.pop(), signal.SIGKILL)
    if os.path.exists(target):
        with open(target) as file:
            assert isinstance(json.load(file)["entries"], list)
        reads += 1
    time.sleep(0.01)
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
# Nobody holds what the dead had locked.
_, taken, warnings = _core.tuning_merge(target, os.path.join(folder, "0.json"))
assert taken <= 1 and not warnings, warnings
print(reads)
"""


def test_killed_writers_of_a_tuning_file_damage_nothing(tmp_path):
    from test_tuning import entry

    for number in range(50):
        (tmp_path / f"{number}.json").write_text(json.dumps({"weft_tuning": 1, "entries": [entry(number)]}))
    outcome = run([sys.executable, "-c", WRITERS, str(tmp_path), "50"])
    assert outcome.code == 0, outcome
    assert int(outcome.out) > 20


def test_memory_that_is_refused_is_an_error_with_a_number(tmp_path):
    """`ulimit -v`: the address space is full before the arrays are."""
    script = (
        "import weft\n"
        "try:\n"
        "    weft.FFT((512, 512, 512), tile=1, strategy='alltoallv', effort='estimate').empty_input()\n"
        "except (weft.Error, MemoryError) as error:\n"
        "    print('said:', error)\n"
    )
    limited = f"ulimit -v 1500000; exec '{sys.executable}' -c \"{script}\""
    outcome = run(["bash", "-c", limited], cwd=tmp_path)
    assert outcome.code == 0, outcome
    assert "said:" in outcome.out


def test_a_full_disk_under_an_output_is_an_error(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    outcome = run([sys.executable, "-m", "weft", "explain", "--shape", "8x8x8", "--json", "/dev/full"])
    assert outcome.code != 0
    assert "/dev/full" in outcome.err
    assert "Traceback" not in outcome.err


def on_small_disk(folder: Path, pages: int, command: list[str], ranks: int, cwd: Path) -> Outcome:
    """Run a command that finds a file system with so many free pages of 4 KiB at `folder`, and then say on standard
    error what is left there, which only the command sees. Skip where that needs rights that we have not."""
    space = ["unshare", "--mount", "--propagation", "private", "sh", "-c"]
    mount = f'mount -t tmpfs -o size={4 * (pages + 1)}k tmpfs "{folder}" && head -c 4096 /dev/zero >"{folder}/full"'
    if not shutil.which("unshare") or run([*space, mount]).code != 0:
        pytest.skip("a file system of its own needs root")
    script = f'{mount}; "$@"; code=$?; echo "left:" $(ls -A "{folder}") >&2; exit $code'
    environment = {**launch_environment(ranks), **clean_environment()}
    return run([*space, script, "sh", *command], cwd, environment=environment)


TRACED = """
import weft
fft = weft.FFT((8, 8, 8), trace="small/trace.json", effort="estimate")
x, y = fft.empty_input(), fft.empty_output()
x[...] = 1
for _ in range(300):
    fft.forward(x, y)
del fft
print("done")
"""

#: Everything of Python's that writes, each into a disk that is full or gets so: an error, nothing left, and files that were
#: there are as they were. HDF5 crashes at the end of a process in which a write failed.
FIELDS = """
import os, sys
from pathlib import Path
import h5py, numpy as np
import weft
from weft import _outputs
from weft.mpi4py_fft import HDF5File, PFFT, newDistArray
from mpi4py import MPI

small, filler = Path("small"), Path("small/full")
fft = weft.FFT((8, 8, 8), effort="estimate")
x = fft.empty_input()
x[...] = 1
pfft = PFFT(MPI.COMM_WORLD, (8, 8, 8))
u = newDistArray(pfft, False)
u[:] = 2
fft.write_input(small / "x.h5", x)
snapshots = HDF5File("small/u.h5", mode="w")
snapshots.write(0, {"u": [u]})
before = {path.name: path.read_bytes() for path in small.glob("*.h5")}
for free in (0, 1, 2):  # pages
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            file.truncate(max(0, file.tell() - 4096 * free))
    for what, call in {
        "x.h5": lambda: fft.write_input(small / "x.h5", x),
        "x.h5 again": lambda: fft.write_input(small / "x.h5", x, "more", mode="a"),
        "u.h5": lambda: snapshots.write(1, {"u": [u]}),
        "new.h5": lambda: HDF5File("small/new.h5", mode="w").write(0, {"u": [u]}),
        "text": lambda: _outputs.write_text(small / "text", "x" * 20000),
    }.items():
        try:
            call()
            print("written:", what, free)
        except weft.Error as error:
            assert "small/" in str(error) and "No space left on device" in str(error), error
            said = error
        (small / "new.h5").unlink(missing_ok=True)
    assert {path.name: path.read_bytes() for path in small.iterdir() if path != filler} == before, free
for name in before:
    with h5py.File(small / name) as file:
        file.visititems(lambda _, item: None)
with h5py.File(small / "u.h5") as file:
    assert (file["u/3D/0"][()] == 2).all() and list(file["u/3D"]) == ["0"]
for name in before:
    (small / name).unlink()
print("done:", said)
"""

#: The state to go on from, of two pages, is replaced by a whole one or not at all.
TURBULENCE = """
"$0" n=8 end=0 out=small && cp small/restart.bin before && "$0" restart=small/restart.bin end=0.2 out=small && exit 1
cmp small/restart.bin before && echo done
"""

#: Pages that are free, and the command.
WRITING = {
    "json": (0, ["bench", "--shape", "8x8x8", "--repeats", "2", "--no-limits", "--json", "small/report.json"]),
    "trace": (2, []),
    "tuning": (0, ["tune", "--shape", "8x8x8", "--budget", "1s", "--file", "small/tuning.json"]),
    "fields": (30, []),
    "turbulence": (5, []),
    "sort": (2, ["sort", "--n", "100000", "--repeats", "1", "-o", "small/sorted.npy"]),
}


@pytest.mark.parametrize("what", WRITING)
def test_a_disk_that_fills_up(what, tmp_path):
    """In the middle of the output: an error that names the file, of which nothing is left."""
    small = tmp_path / "small"
    small.mkdir()
    pages, words = WRITING[what]
    if what == "trace":
        command = [*mpiexec(), "-n", "2", sys.executable, "-c", TRACED]
    elif what == "fields":
        command = [sys.executable, "-c", FIELDS]
    elif what == "turbulence":
        command = ["sh", "-c", TURBULENCE, str(program("weft-turbulence"))]
    else:
        command = [sys.executable, "-m", "weft", *words]
    outcome = on_small_disk(small, pages, command, 2, tmp_path)
    # A transform is as good without its trace, and what was tuned is as good if it is not kept.
    assert (outcome.code == 0) == (what in ("trace", "tuning", "fields", "turbulence")), outcome
    assert outcome.out.count("done") == {"trace": 2, "fields": 1, "turbulence": 1}.get(what, 0), outcome
    said = outcome.out + outcome.err
    assert "small/" in said, outcome
    assert "no space left on device" in said.lower(), outcome
    assert "Traceback" not in said, outcome
    # Who writes a tuning file locks a file beside it.
    left = {"tuning": "full tuning.json.lock", "turbulence": "full restart.bin series.csv spectra.csv"}.get(
        what, "full"
    )
    assert outcome.err.endswith(f"left: {left}\n"), outcome


SMALL_SHM = """
import sys, weft
try:
    fft = weft.FFT((64, 64, 32), strategy=sys.argv[1], tile=2, effort="estimate", normalization="backward")
except weft.Error as error:
    print("said:", error)
    sys.exit()
x = fft.empty_input(); x[...] = weft.__name__.count("e")
y = fft.forward(x)
assert abs(fft.backward(y) - x).max() < 1e-12
print("said: done")
"""


@pytest.mark.parametrize("strategy", ["shared", pytest.param("rma", marks=pytest.mark.long)])
def test_a_small_dev_shm(strategy, tmp_path):
    """It works, or an error says why not. (MPI itself may need /dev/shm to begin with, and says so then.)"""
    command = [*mpiexec(), "-n", "2", sys.executable, "-c", SMALL_SHM, strategy]
    outcome = on_small_disk(Path("/dev/shm"), 16, command, 2, tmp_path)
    assert outcome.code != 0 or outcome.out.count("said:") == 2, outcome
    assert outcome.out + outcome.err != "", "it ended without a word"


@pytest.mark.long
def test_messages_without_single_copy():
    """Open MPI where no process may read another one's memory, as in most containers; other libraries ignore it."""
    outcome = weft_command("verify", "-n", 2, "--strategy", "pairwise", OMPI_MCA_btl_vader_single_copy_mechanism="none")
    assert outcome.code == 0, outcome


def test_a_slow_rank_is_waited_for():
    script = (
        "import time, weft\n"
        "from mpi4py import MPI\n"
        "fft = weft.FFT((12, 10, 8), effort='estimate', normalization='backward')\n"
        "x = fft.empty_input(); x[...] = MPI.COMM_WORLD.rank + 1\n"
        "before = x.copy()\n"
        "time.sleep(0.7 * (MPI.COMM_WORLD.rank == 1))\n"
        "y = fft.forward(x)\n"
        "assert abs(fft.backward(y) - before).max() < 1e-12\n"
        "print('done')\n"
    )
    began = time.monotonic()
    outcome = run_on(2, [sys.executable, "-c", script])
    assert outcome.code == 0, outcome
    assert outcome.out.count("done") == 2
    assert time.monotonic() - began >= 0.7
