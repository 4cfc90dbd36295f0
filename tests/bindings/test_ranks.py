"""Runs the scripts of ranks/ on one to five ranks."""

from __future__ import annotations

import sys

import pytest
from launching import HERE, SCRIPTS, job, passed, run_on


@pytest.mark.parametrize("ranks", SCRIPTS["transforms"])
def test_transforms(ranks):
    assert passed("transforms", ranks) == 18


@pytest.mark.parametrize("ranks", SCRIPTS["redistributions"])
def test_redistributions(ranks):
    assert passed("redistributions", ranks) == 3


@pytest.mark.parametrize("ranks", SCRIPTS["pfft_python"])
def test_pfft_python(ranks):
    assert passed("pfft_python", ranks) == 4


@pytest.mark.parametrize("ranks", SCRIPTS["ghosts"])
def test_ghosts(ranks):
    assert passed("ghosts", ranks) == 3


@pytest.mark.parametrize("ranks", SCRIPTS["parts"])
def test_parts(ranks):
    assert passed("parts", ranks) == 6


@pytest.mark.parametrize("ranks", SCRIPTS["spheres"])
def test_spheres(ranks):
    assert passed("spheres", ranks) == 10


@pytest.mark.parametrize("ranks", SCRIPTS["pfft"])
def test_mpi4py_fft(ranks):
    assert passed("pfft", ranks) == 17


@pytest.mark.parametrize("ranks", SCRIPTS["functions"])
def test_functions(ranks):
    assert passed("functions", ranks) == 9


@pytest.mark.parametrize("ranks", SCRIPTS["labels"])
def test_labels(ranks):
    pytest.importorskip("xarray")
    assert passed("labels", ranks) == 6


@pytest.mark.parametrize("ranks", SCRIPTS["files"])
def test_files(ranks):
    pytest.importorskip("h5py")
    assert passed("files", ranks) == 3


@pytest.mark.parametrize("ranks", SCRIPTS["operators"])
def test_operators(ranks):
    assert passed("operators", ranks) == 16


@pytest.mark.parametrize("ranks", SCRIPTS["poisson"])
def test_poisson(ranks):
    assert passed("poisson", ranks) == 11


@pytest.mark.parametrize("ranks", SCRIPTS["errors"])
def test_errors(ranks):
    assert passed("errors", ranks) == 11


@pytest.mark.parametrize("ranks", SCRIPTS["hostile"])
def test_one_ranks_bad_argument_ends_on_all(ranks):
    assert passed("hostile", ranks) == 2


@pytest.mark.parametrize("ranks", sorted({ranks for numbers in SCRIPTS.values() for ranks in numbers}))
def test_jobs_end(ranks):
    assert job(ranks).code == 0, job(ranks)


def test_a_failing_rank_is_noticed():
    # The harness itself: an assertion on one rank must end the job and fail.
    script = "import weft; from mpi4py import MPI; assert MPI.COMM_WORLD.rank == 0, 'on purpose'; weft.FFT((4, 4, 4))"
    outcome = run_on(2, ["python", "-m", "mpi4py", "-c", script], limit=30)
    assert outcome.code != 0
    assert "on purpose" in outcome.err


# rma: the end of its windows is collective, too.
@pytest.mark.parametrize("strategy", ["alltoallv", "rma"])
@pytest.mark.parametrize("kind", ["FFT", "SphereFFT", "Operator", "Poisson", "Redistribution"])
def test_an_exception_on_one_rank_ends_the_job(kind, strategy, tmp_path):
    script = [str(HERE / "ranks" / "leaving.py"), kind, strategy, str(tmp_path / "trace.json")]
    outcome = run_on(2, [sys.executable, "-m", "mpi4py", *script], limit=30)
    assert outcome.code != 0
    assert "on purpose" in outcome.err
    assert not list(tmp_path.glob("*.json")), "half a trace"


@pytest.mark.parametrize("how", ["raise", "exit"])
def test_an_exception_without_a_block_ends_the_job(how, tmp_path):
    """What is left goes at the very end of the program, where nothing may wait for the others."""
    trace = str(tmp_path / "trace.json") if how == "raise" else ""
    outcome = run_on(2, [sys.executable, "-m", "mpi4py", str(HERE / "ranks" / "left.py"), how, trace], limit=30)
    assert outcome.code != 0
    assert "on purpose" in outcome.err
    assert not list(tmp_path.glob("*.json")), "half a trace"
