"""weft planewave: files of Quantum ESPRESSO that are damaged, missing or of a kind that is refused."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from espresso_files import Save
from launching import weft_command, weft_here

pytestmark = pytest.mark.any_mpi


def cut(path, count):
    path.write_bytes(path.read_bytes()[:count])


def change(path, position, content):
    data = bytearray(path.read_bytes())
    data[position : position + len(content)] = content
    path.write_bytes(data)


def without(path, name):
    with h5py.File(path, "r+") as file:
        del file[name]


DAMAGES = {
    "a band cut": ("wfc2.dat", lambda p: cut(p, p.stat().st_size - 100), "wfc2.dat' is damaged: it ends after"),
    "the last band cut": ("wfc1.dat", lambda p: cut(p, p.stat().st_size - 1), "inside of band 4 of 4"),
    "indices cut": ("wfc1.dat", lambda p: cut(p, 300), "inside of the Miller indices"),
    "a header cut": ("wfc1.dat", lambda p: cut(p, 20), "inside of the header"),
    "an empty file": ("wfc1.dat", lambda p: cut(p, 0), "it ends after 0 bytes"),
    "bytes too many": ("wfc1.dat", lambda p: p.write_bytes(p.read_bytes() + b"x" * 7), "7 more than its header says"),
    "big-endian": ("wfc1.dat", lambda p: change(p, 0, b"\0\0\0\x2c"), "not little-endian"),
    "no bands": ("wfc1.dat", lambda p: change(p, 68, b"\0\0\0\0"), "it has 0 bands"),
    "fewer bands": ("wfc1.dat", lambda p: change(p, 68, b"\3\0\0\0"), "more than its header says"),
    "two components": ("wfc1.dat", lambda p: change(p, 64, b"\2\0\0\0"), "it ends after"),
    "another lattice": ("wfc1.dat", lambda p: change(p, 80, np.float64(3).tobytes()), "has the reciprocal lattice"),
    "a vector outside": ("wfc1.dat", lambda p: change(p, 160, b"\x20\0\0\0"), "lies outside of the grid [15, 16, 18]"),
    "a band's marker": ("wfc1.dat", lambda p: change(p, p.stat().st_size - 4, b"\1\0\0\0"), None),
    "gamma": ("wfc1.dat", lambda p: change(p, 36, b"\1\0\0\0"), "has gamma_only True, where"),
    "no wave functions": ("wfc2.dat", lambda p: p.unlink(), "has no file wfc2.dat or wfc2.hdf5"),
    "no density": ("charge-density.dat", lambda p: p.unlink(), "has no file charge-density.dat"),
    "a density cut": ("charge-density.dat", lambda p: cut(p, p.stat().st_size - 9), "inside of component 1 of 1"),
    "a density of spins": ("charge-density.dat", lambda p: change(p, 12, b"\2\0\0\0"), "inside of component 2 of 2"),
    "no description": ("data-file-schema.xml", lambda p: p.unlink(), "has no file data-file-schema.xml"),
    "a description cut": ("data-file-schema.xml", lambda p: cut(p, 400), "is damaged: "),
    "no results": (
        "data-file-schema.xml",
        lambda p: p.write_text("<espresso><input/></espresso>"),
        "has pw.x finished?",
    ),
    "no cell": (
        "data-file-schema.xml",
        lambda p: p.write_text(p.read_text().replace("a2>", "a9>")),
        "there is no element <output/atomic_structure/cell/a2>",
    ),
    "no number": (
        "data-file-schema.xml",
        lambda p: p.write_text(p.read_text().replace("<ecutwfc>", "<ecutwfc>x")),
        "'x3.0' stands where a number is needed",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_files(name, tmp_path):
    folder = Save().write(tmp_path / "x.save")
    file, damage, words = DAMAGES[name]
    damage(folder / file)
    outcome = weft_here("planewave", "--wfc", folder)
    # The last band is empty: what is wrong with it is not looked at.
    assert outcome.code == (0 if words is None else 2), outcome
    if words is not None:
        assert words in outcome.err
        assert file in outcome.err or "x.save" in outcome.err


HDF5_DAMAGES = {
    "not HDF5": ("wfc1.hdf5", lambda p: cut(p, 100), "cannot read"),
    "no coefficients": ("wfc1.hdf5", lambda p: without(p, "evc"), "has no dataset evc"),
    "no indices": ("charge-density.hdf5", lambda p: without(p, "MillerIndices"), "has no dataset MillerIndices"),
}


@pytest.mark.parametrize("name", HDF5_DAMAGES)
def test_damaged_hdf5_files(name, tmp_path):
    folder = Save(form="hdf5").write(tmp_path / "x.save")
    file, damage, words = HDF5_DAMAGES[name]
    damage(folder / file)
    outcome = weft_here("planewave", "--wfc", folder)
    assert outcome.code == 2
    assert words in outcome.err
    assert file in outcome.err


def test_ranks_agree_on_a_damaged_band(tmp_path):
    folder = Save().write(tmp_path / "x.save")
    path = folder / "wfc2.dat"
    # The marker behind the third of four bands: it is looked at only when that band is read.
    band = 16 * int(np.frombuffer(path.read_bytes()[56:60], np.int32)[0]) + 8
    change(path, path.stat().st_size - band - 4, b"\1\0\0\0")
    outcome = weft_command("planewave", "--wfc", folder, "-n", 2)
    assert outcome.code != 0
    assert outcome.err.count("the record marker of band 3") == 1


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ({"uspp": "true"}, "ultrasoft"),
        ({"uspp": "true", "paw": "true"}, "PAW"),
        ({"noncolin": "true"}, "noncollinear"),
        ({"wf_collected": "false"}, "without collected wave functions"),
    ],
)
def test_kinds_of_calculations_that_are_refused(flag, words, tmp_path):
    outcome = weft_here("planewave", "--wfc", Save(flags=flag).write(tmp_path / "x.save"))
    assert outcome.code == 2
    assert words in outcome.err
