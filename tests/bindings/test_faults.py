"""What dies, or is told to, in the middle: the job ends, with a message, and nothing half-written stays."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from launching import clean_environment, run, run_on, start

import weft
from weft.cli.launch import launch_environment

KILLED = """
import os, signal, sys, threading
from mpi4py import MPI
import weft

strategy, trace, after = sys.argv[1], sys.argv[2], float(sys.argv[3])
fft = weft.FFT((24, 20, 18), strategy=strategy, tile=2, trace=trace, effort="estimate")
x, y = fft.empty_input(), fft.empty_output()
x[...] = 1
fft.forward(x, y)
MPI.COMM_WORLD.Barrier()
if MPI.COMM_WORLD.rank == 1:
    # At any action of the schedule: the calls take less than a millisecond, and follow each other.
    threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
while True:
    fft.forward(x, y)
    fft.backward(y, x)
    x[...] = 1
"""


def left_by_weft() -> set[str]:
    """What has our name where shared memory lies."""
    return {str(path) for path in Path("/dev/shm").glob("*weft*")}


@pytest.mark.parametrize("strategy", [one for one in weft.strategies() if one != "auto"])
def test_a_rank_that_is_killed_ends_the_job(strategy, tmp_path):
    before = left_by_weft()
    trace = tmp_path / "trace.json"
    after = 0.05 + 0.01 * len(strategy)
    outcome = run_on(3, [sys.executable, "-c", KILLED, strategy, str(trace), str(after)], cwd=tmp_path, limit=60)
    assert outcome.code != 0
    assert outcome.out + outcome.err != "", "it ended without a word"
    assert not trace.exists(), "a trace is written at the end of a transform, or not at all"
    assert left_by_weft() <= before
    assert list(tmp_path.iterdir()) == []


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
        process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    # The exit code is the launcher's: MPICH's is 0 after Ctrl-C.
    assert not report.exists()


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
