"""Several of these scripts in one job, one after the other: to start a job takes longer than most of them."""

import runpy
import sys
from pathlib import Path

folder, *names = sys.argv[1:]
kept = []  # what a script leaves alive ends with the interpreter, as it would by itself
for name in names:
    sys.argv = [name, folder]
    kept.append(runpy.run_path(str(Path(__file__).with_name(f"{name}.py")), run_name="__main__"))
