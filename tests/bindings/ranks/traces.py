"""What the trace says is what the statistics say, on every rank."""

import sys
from itertools import product
from pathlib import Path

import numpy as np
from checking import COMM, run_checks

import weft
from weft.cli.trace.breakdown import breakdown
from weft.cli.trace.events import read

PATH = Path(sys.argv[1]) / "trace.json"


def check_trace_and_statistics_agree():
    for strategy, kind in product(weft.strategies(), ("c2c", "r2c")):
        options = {"strategy": strategy, "tile": 3, "tests": 2, "decomposition": "pencil", "effort": "estimate"}
        if COMM.rank == 0:
            PATH.unlink(missing_ok=True)
        with weft.FFT((12, 10, 16), kind=kind, trace=PATH, **options) as fft:
            x = np.zeros(fft.input_shape, fft.input_dtype)
            y = fft.forward(x)
            fft.reset_statistics()
            for _ in range(3):
                fft.forward(x, y)
                fft.backward(y, x)
            wanted = fft.statistics
        COMM.Barrier()
        found = breakdown(read(PATH))
        COMM.Barrier()
        assert found["executions"] == {"forward": 3, "backward": 3}
        parts = found["ranks"][COMM.rank]
        for key in ("total", "compute", "start", "test", "wait", "check"):
            close(parts[key], getattr(wanted, key), (strategy, key))
        exchanged = [item for item in wanted.exchanges if item.in_flight > 0]
        assert len(found["exchanges"]) == len(exchanged)
        for mine, theirs in zip(found["exchanges"], exchanged):
            assert (mine["direction"], mine["number"]) == (theirs.direction, theirs.number)
            ours = mine["ranks"][COMM.rank]
            assert (ours["messages"], ours["bytes_sent"]) == (theirs.messages, theirs.bytes_sent)
            for key in ("start", "test", "wait", "exposed", "in_flight", "hidden"):
                close(ours[key], getattr(theirs, key), (strategy, theirs.direction, key))


def close(found, wanted, what):
    # The file has nanoseconds, of some hundred events.
    assert abs(found - wanted) < 3e-6, (what, found, wanted)


def check_a_failing_rank_does_not_wait_for_the_others():
    # Only rank 0 leaves the block with an exception: it must not gather a trace that nobody else sends.
    fft = weft.FFT((4, 4, 4), trace=PATH, effort="estimate")
    if COMM.rank == 0:
        try:
            with fft:
                raise KeyError("on purpose")
        except KeyError:
            pass
    else:
        fft._alive()[0].drop_trace()
        fft.close()


run_checks(globals())
