"""What the scripts share: they are run by `mpiexec ... python -m mpi4py SCRIPT`, so that an exception ends the job."""

from __future__ import annotations

import faulthandler
import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from mpi4py import MPI

import weft

sys.path.insert(0, str(Path(__file__).parents[1]))

COMM = MPI.COMM_WORLD
#: Seconds, after which a rank says where it is; less than the job's limit.
PATIENCE = 60


def run_checks(checks):
    """Run every function check_* and say how many there were."""
    functions = [f for name, f in checks.items() if name.startswith("check_")]
    for function in functions:
        faulthandler.dump_traceback_later(PATIENCE)
        function()
        COMM.Barrier()
    faulthandler.cancel_dump_traceback_later()
    if COMM.rank == 0:
        print(f"{Path(sys.argv[0]).stem}: {len(functions)} checks passed on {COMM.size} ranks", flush=True)


def same_error(pattern, work):
    """Every rank raises weft.Error with one and the same message, which matches."""
    try:
        work()
        message = None
    except weft.Error as error:
        message = str(error)
    messages = COMM.allgather(message)
    assert len(set(messages)) == 1, messages
    assert message is not None, f"no error; {pattern} expected"
    assert re.search(pattern, message), (message, pattern)


@contextmanager
def moving_cores():
    """Plans made here pass blocks on past the caches in every second walk, as if cores were moved after each."""
    before = os.environ.get("WEFT_TEST_PAST_CACHES")
    os.environ["WEFT_TEST_PAST_CACHES"] = "turns"
    try:
        yield
    finally:
        del os.environ["WEFT_TEST_PAST_CACHES"]
        if before is not None:
            os.environ["WEFT_TEST_PAST_CACHES"] = before


def same_bits(*runs):
    """Each gives the same bits again and again."""
    for run in runs:
        first, *others = (np.array(run()).tobytes() for _ in range(3))
        assert others == [first, first]


def around(whole, box):
    """A part of a periodic field whose indices may lie beyond it."""
    found = whole
    for axis, (lo, hi) in enumerate(zip(*box)):
        found = found.take(range(lo, hi), axis, mode="wrap")
    return found


def random_bricks(shape, ranks, seed):
    """Boxes from cutting the grid again and again, in random order; some are empty when the grid gets too small."""
    rng = np.random.default_rng(seed)
    boxes = [((0, 0, 0), tuple(shape))]
    while len(boxes) < ranks:
        boxes.sort(key=lambda box: np.prod(np.subtract(box[1], box[0])))
        lo, hi = boxes.pop()
        axes = [axis for axis in range(3) if hi[axis] - lo[axis] > 1]
        if not axes:
            boxes += [(lo, hi), (lo, lo)]
            continue
        axis = rng.choice(axes)
        cut = int(rng.integers(lo[axis] + 1, hi[axis]))
        boxes.append((lo, tuple(cut if i == axis else hi[i] for i in range(3))))
        boxes.append((tuple(cut if i == axis else lo[i] for i in range(3)), hi))
    rng.shuffle(boxes)
    return [(tuple(map(int, lo)), tuple(map(int, hi))) for lo, hi in boxes]
