"""The programs of examples/poisson: each checks its own results."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from launching import run_on

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "poisson"


@pytest.mark.parametrize(("name", "points"), [("plates", 48), ("vortex_ring", 48), ("channel", 12)])
@pytest.mark.parametrize("ranks", [1, 3])
def test_a_program_is_right(name, points, ranks, tmp_path):
    command = [sys.executable, "-m", "mpi4py", str(FOLDER / f"{name}.py"), "--points", str(points)]
    picture = tmp_path / "picture.png"
    if ranks > 1 and importlib.util.find_spec("matplotlib"):
        command += ["--picture", str(picture)]
    outcome = run_on(ranks, command)
    assert outcome.code == 0, outcome
    assert f"{ranks} ranks" in outcome.out
    assert ("--picture" in command) == picture.is_file()
