"""Runs the scripts of ranks/ on one to five ranks."""

from __future__ import annotations

import pytest
from launching import run_on, run_script


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_transforms(ranks):
    outcome = run_script("transforms.py", ranks)
    assert outcome.code == 0, outcome.err
    assert f"checks passed on {ranks} ranks" in outcome.out


@pytest.mark.parametrize("ranks", [2, 4])
def test_redistributions(ranks):
    outcome = run_script("redistributions.py", ranks)
    assert outcome.code == 0, outcome.err
    assert "2 checks passed" in outcome.out


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_spheres(ranks):
    outcome = run_script("spheres.py", ranks)
    assert outcome.code == 0, outcome.err
    assert "4 checks passed" in outcome.out


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_errors(ranks):
    outcome = run_script("errors.py", ranks)
    assert outcome.code == 0, outcome.err
    assert "checks passed" in outcome.out


def test_a_failing_rank_is_noticed():
    # The harness itself: an assertion on one rank must end the job and fail.
    script = "import weft; from mpi4py import MPI; assert MPI.COMM_WORLD.rank == 0, 'on purpose'; weft.FFT((4, 4, 4))"
    outcome = run_on(2, ["python", "-m", "mpi4py", "-c", script], limit=30)
    assert outcome.code != 0
    assert "on purpose" in outcome.err
