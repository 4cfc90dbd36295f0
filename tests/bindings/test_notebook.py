"""The tutorial notebook: its cells on one process, and those for several ranks as a job of four."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest
from launching import run_on

CELLS = json.loads(
    (Path(__file__).resolve().parents[2] / "examples/notebook/tutorial.ipynb").read_text(encoding="utf-8")
)["cells"]
CODE = ["".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"]
#: The first that needs ipyparallel: what comes before it runs in the notebook's own process.
CLUSTER = next(i for i, text in enumerate(CODE) if "import ipyparallel" in text)
ON_ENGINES = "%%px\n"


#: Each rank says it to a file of its own: launchers mix up what ranks say at the same time, within lines as well.
BEGINNING = """import sys

import matplotlib
from mpi4py import MPI

matplotlib.use("agg")
sys.stdout = open(f"said{MPI.COMM_WORLD.rank}.txt", "w", encoding="utf-8")
"""


def _run(ranks: int, cells: list[str], folder: Path) -> list[str]:
    """What each rank says."""
    program = folder / f"cells{ranks}.py"
    program.write_text("\n\n".join([BEGINNING, *cells, "sys.stdout.close()\nsys.stdout = sys.__stdout__"]))
    outcome = run_on(ranks, [sys.executable, "-m", "mpi4py", str(program)], cwd=folder)
    assert outcome.code == 0, outcome
    return [(folder / f"said{rank}.txt").read_text(encoding="utf-8") for rank in range(ranks)]


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="needs matplotlib")
def test_cells_say_what_the_notebook_shows(tmp_path):
    (said,) = _run(1, CODE[:CLUSTER], tmp_path)
    sums = next(line for line in said.splitlines() if line.startswith("mean square"))
    assert sums in json.dumps(CELLS)
    # The same functions, and what the notebook sends to its engines, on four ranks.
    functions = next(text for text in CODE[:CLUSTER] if "def field_of" in text).split("\n\n\nfield = ")[0]
    engines = [text.removeprefix(ON_ENGINES) for text in CODE if text.startswith(ON_ENGINES)]
    assert len(engines) == 2
    said = _run(4, ["import numpy as np", functions, *engines], tmp_path)
    lines = [line for of_rank in said for line in of_rank.splitlines() if line.startswith("rank")]
    assert [line.split(":")[0] for line in lines] == ["rank 0", "rank 1", "rank 2", "rank 3"]
    assert all(line.endswith(f"sum over all shells {sums.split()[-1]}") for line in lines)


def test_no_cell_failed_when_the_notebook_was_kept():
    outputs = [output for cell in CELLS for output in cell.get("outputs", [])]
    assert outputs
    assert not [output for output in outputs if output["output_type"] == "error"]
