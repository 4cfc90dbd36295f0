"""`weft spectrum` on every damaged file: one message, exit code 2, the same on all ranks, and never a traceback."""

import re
import sys
from pathlib import Path

from checking import COMM, run_checks
from damaged_volumes import expected
from launching import weft_here

FOLDER = Path(sys.argv[1])


def check_every_file():
    wrong = []
    for name, words in sorted(expected().items()):
        outcome = weft_here("spectrum", FOLDER / name, "--no-plot", "--out", FOLDER / "out")
        codes = COMM.allgather(outcome.code)
        said = COMM.bcast(outcome.err)
        if codes != [2 if words is not None else codes[0]] * COMM.size or codes[0] not in (0, 2):
            wrong.append(f"{name}: exit codes {codes}: {said}")
        if codes[0] == 2 and not (said.count("weft:") == 1 and Path(name).stem in said and (words or "") in said):
            wrong.append(f"{name}: {said}")
        if "Traceback" in said or re.search(r"pickle|unsafe", said.replace(name, "")):
            wrong.append(f"{name}: {said}")
        if COMM.rank > 0 and outcome.err:
            wrong.append(f"{name} on rank {COMM.rank}: {outcome.err}")
    assert not wrong, "\n".join(["", *wrong])


run_checks(globals())
