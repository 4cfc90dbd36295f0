"""weft planewave: the density of Quantum ESPRESSO's wave functions, the benchmark. (Damaged files have a file of their own.)"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from espresso_files import Save
from launching import clean_environment, weft_command, weft_here

from weft.cli.planewave.cases import CASES
from weft.cli.planewave.sticks import columns_of, share

ROOT = Path(__file__).parents[2]


def agreeing(folder, *arguments):
    command = weft_command if "-n" in arguments else weft_here
    report = command("planewave", "--wfc", folder, "--json", "-", *arguments).json()
    assert report["agrees"]
    assert abs(report["electrons"] - report["electrons_expected"]) < 1e-6 * report["electrons_expected"]
    return report


@pytest.mark.parametrize("form", ["dat", "hdf5"])
@pytest.mark.parametrize("spins", [1, 2])
@pytest.mark.parametrize("gamma", [False, True])
def test_density_is_numpys(gamma, spins, form, tmp_path):
    save = Save(gamma=gamma, spins=spins, form=form)
    report = agreeing(save.write(tmp_path / "x.save"))
    assert report["relative_difference"] < 1e-14
    assert report["largest_difference"] < 1e-14
    assert (report["grid"], report["gamma"], report["spins"]) == ([15, 16, 18], gamma, spins)
    # The last band is empty everywhere.
    assert report["states"] == (1 if gamma else 2) * spins * 3
    assert (report["magnetisation"] is None) == (spins == 1)
    if spins == 2:
        assert report["magnetisation"]["relative_difference"] < 1e-14
        assert report["magnetisation"]["total"] > 0.1


@pytest.mark.parametrize(("ranks", "gamma", "form"), [(2, True, "hdf5"), (3, False, "dat")])
def test_ranks_share_the_columns(ranks, gamma, form, tmp_path):
    report = agreeing(Save(gamma=gamma, form=form).write(tmp_path / "x.save"), "-n", ranks, "--batch", 2)
    assert report["ranks"] == ranks
    shares = report["plane_waves_of_ranks"]
    assert shares["most"] - shares["fewest"] <= 18
    assert report["relative_difference"] < 1e-14


def test_more_ranks_than_planes(tmp_path):
    save = Save(grid=(12, 12, 4), cell=((5.0, 0, 0), (0, 5.0, 0), (0, 0, 1.5)), k_points=((0.0, 0.0, 0.0),))
    assert agreeing(save.write(tmp_path / "x.save"), "-n", 6)["relative_difference"] < 1e-14


def test_single_precision(tmp_path):
    report = agreeing(Save().write(tmp_path / "x.save"), "--precision", "single")
    assert 1e-10 < report["relative_difference"] < 1e-6


def test_report_for_people(tmp_path):
    folder = Save(spins=2, symmetries=8, kind="nscf").write(tmp_path / "x.save")
    outcome = weft_here("planewave", "--wfc", folder)
    assert outcome.code == 0
    for words in (
        "15 x 16 x 18 points",
        "2 k-points: whole spheres",
        "magnetisation",
        "agrees",
        "8 operations",
        "'nscf'",
    ):
        assert words in outcome.out


def test_another_density_differs(tmp_path):
    folder = Save().write(tmp_path / "x.save")
    path = folder / "charge-density.dat"
    content = bytearray(path.read_bytes())
    # The last number of the last record: the imaginary part of one component.
    content[-12:-4] = np.float64(0.01).tobytes()
    path.write_bytes(content)
    outcome = weft_here("planewave", "--wfc", folder)
    assert outcome.code == 1
    assert "DIFFERS" in outcome.out
    assert weft_here("planewave", "--wfc", folder, "--tolerance", "1").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give a case (cnt40, cnt80, si)"),
        (["cu"], "CASE is 'cu'"),
        (["si", "--ecut", "3"], "--ecut is given together with the case si"),
        (["--lattice", "5"], "--lattice and --ecut"),
        (["--lattice", "5,4", "--ecut", "3"], "--lattice is '5,4'"),
        (["--lattice", "1 0 0 0 1 0 1 1 0", "--ecut", "3"], "which span a volume"),
        (["--lattice", "5", "--ecut", "-3"], "--ecut is '-3'"),
        (["--lattice", "5", "--ecut", "3", "--grid", "4x4"], "--grid is '4x4'"),
        (["--lattice", "5", "--ecut", "3", "--bands", "0"], "--bands is 0"),
        (["si", "--precision", "half"], "precision is 'half'"),
        (["si", "--strategy", "pigeon"], "strategy is 'pigeon'"),
        (["si", "--tolerance", "1"], "--tolerance is given"),
        (["si", "--wfc", "."], "CASE is given together with --wfc"),
        (["--gamma", "--wfc", "."], "--gamma is given together with --wfc"),
        (["--wfc", ".", "--tolerance", "x"], "--tolerance is 'x'"),
        (["--wfc", "nowhere"], "--wfc is 'nowhere'"),
    ],
)
def test_bad_arguments(arguments, words, tmp_path):
    outcome = weft_here("planewave", *arguments, cwd=tmp_path)
    assert outcome.code == 2, outcome
    assert words in outcome.err


def test_cases_are_the_papers():
    columns = {}
    for name, case in CASES.items():
        radius = case.extents[0]
        axis = np.arange(-int(radius), int(radius) + 1)
        columns[name] = int(np.count_nonzero(axis[:, None] ** 2 + axis**2 <= radius**2))
    assert columns["cnt40"] == 657
    assert abs(columns["cnt80"] / 6400 - 657 / 900) < 0.02
    assert CASES["si"].bands == 60
    assert abs(CASES["si"].boxcut - 2) < 1e-3


def test_columns_are_whole_and_balanced():
    rng = np.random.default_rng(3)
    grid = (9, 8, 10)
    indices = np.unique(rng.integers(-3, 4, (200, 3)), axis=0).astype(np.int32)
    rng.shuffle(indices)
    for ranks in (1, 3, 100):
        parts = [share(indices, grid, ranks, rank) for rank in range(ranks)]
        assert sorted(np.concatenate(parts)) == list(range(len(indices)))
        columns = [set(columns_of(indices[part], grid)) for part in parts]
        assert len(set().union(*columns)) == sum(map(len, columns))
        assert max(map(len, parts)) <= len(indices) / ranks + 7


@pytest.mark.parametrize(
    "extra",
    [
        [],
        ["--gamma", "--precision", "single"],
        ["--batch", "2", "-n", "2", "--strategy", "alltoallv"],
        ["-n", "2", "--strategy", "pairwise", "--process-grid", "1x2"],
    ],
)
def test_benchmark(extra):
    command = weft_command if "-n" in extra else weft_here
    arguments = ["--lattice", "6 0 0 0 6 0 0 1 7", "--ecut", "4", "--bands", "3", "--repeats", "2", "--warmup", "1"]
    report = command("planewave", *arguments, *extra, "--json", "-").json()
    assert report["verified"]
    assert report["columns"] < report["columns_of_box"]
    # Two spheres reach twice as far as one; whole numbers make a little of a difference.
    assert report["boxcut"] > 1.5
    for name in ("backward", "forward", "apply", "density"):
        seconds = report["operations"][name]["seconds_per_band"]
        assert 0 < seconds["min"] <= seconds["median"] <= seconds["max"]
    assert 0 < report["traffic"]["lines_part"] < 1
    if "-n" in extra:
        assert 0 < report["traffic"]["backward"]["bytes_per_band"] <= report["traffic"]["full_box_bytes_per_band"]


def test_benchmark_for_people():
    outcome = weft_here("planewave", "--lattice", "6", "--ecut", "4", "--bands", "2", "--repeats", "1", "--grid", "12")
    assert outcome.code == 0, outcome
    for words in ("12 x 12 x 12 points, 2 bands", "median ms a band", "apply", "in the full box", "verified"):
        assert words in outcome.out


def can_install():
    if os.geteuid() == 0:
        return shutil.which("apt-get") is not None
    sudo = ["sudo", "-n", "true"]
    return shutil.which("sudo") is not None and subprocess.run(sudo, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(
    shutil.which("pw.x") is None and not can_install(), reason="pw.x is not there and cannot be installed"
)
@pytest.mark.long
@pytest.mark.timeout(500)
@pytest.mark.parametrize("name", ["si8-gamma", "si8-k"])
def test_real_silicon(name):
    made = subprocess.run(
        [ROOT / "run", "espresso", ROOT / "examples" / "silicon" / f"{name}.in"],
        capture_output=True,
        text=True,
        check=False,
        # A transform in this process, an MPI job of its own, would pass for the job that pw.x belongs to.
        env=clean_environment(),
    )
    assert made.returncode == 0, made.stderr
    report = agreeing(made.stdout.strip(), "-n", 2)
    assert report["grid"] == [30, 30, 30]
    assert report["relative_difference"] < 1e-13
    assert abs(report["electrons"] - 32) < 1e-10
