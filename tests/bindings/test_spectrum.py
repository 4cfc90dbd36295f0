"""weft spectrum: every format against NumPy, errors, files."""

from __future__ import annotations

import csv
import gzip
import struct
import sys

import damaged_volumes
import h5py
import nibabel
import numpy as np
import pytest
from launching import run_on, run_script, weft_command, weft_here, weft_launch
from reference import shell_spectrum

pytestmark = pytest.mark.any_mpi

STEPS = (0.5, 1.0, 2.0)


def field_of(shape, seed=3):
    """Noise and a wave on a mean."""
    rng = np.random.default_rng(seed)
    wave = np.cos(2 * np.pi * 2 * np.arange(shape[1]) / shape[1])
    return 2.0 + rng.standard_normal(shape) + wave[None, :, None]


def write_npy(path, field):
    np.save(path, field)
    return path


def write_fortran_npy(path, field):
    np.save(path, np.asfortranarray(field))
    return path


def write_hdf5(path, field):
    path = path.with_suffix(".h5")
    with h5py.File(path, "w") as file:
        data = file.create_dataset("group/density", data=field, chunks=True)
        data.attrs["spacing"] = STEPS
        file.create_dataset("times", data=[1.0, 2.0])
    return path


def write_nifti(path, field, suffix=".nii"):
    path = path.with_suffix(suffix)
    image = nibabel.Nifti1Image(field, np.diag([*STEPS, 1]))
    image.header.set_xyzt_units("mm")
    nibabel.save(image, path)
    return path


def write_compressed_nifti(path, field):
    return write_nifti(path, field, ".nii.gz")


def write_cube(path, field, steps=None, orbital=False, exponent="E"):
    path = path.with_suffix(".cube")
    steps = np.diag(STEPS) if steps is None else steps
    lines = ["comment", "comment", f"{-1 if orbital else 1} 0.0 0.0 0.0"]
    lines += [f"{n} {' '.join(map(str, step))}" for n, step in zip(field.shape, steps)]
    lines += ["8 8.0 0.1 0.2 0.3"] + (["1 7"] if orbital else [])
    for row in field.reshape(-1, field.shape[2]):
        lines += [" ".join(f"{value:.17E}" for value in row[i : i + 6]) for i in range(0, len(row), 6)]
    path.write_text("\n".join(lines).replace("E+", f"{exponent}+").replace("E-", f"{exponent}-") + "\n")
    return path


WRITERS = {
    "NumPy": write_npy,
    "NumPy, Fortran order": write_fortran_npy,
    "HDF5": write_hdf5,
    "NIfTI": write_nifti,
    "NIfTI, compressed": write_compressed_nifti,
    "Gaussian cube": write_cube,
}


def spectrum_of(path, *arguments, cwd):
    command = weft_command if "-n" in arguments else weft_here
    report = command("spectrum", path, "--json", "-", *arguments, cwd=cwd).json()
    assert report["parseval_error"] < 1e-12
    assert report["round_trip_error"] < 1e-13
    return report


def assert_shells(report, wanted):
    shells = report["shells"]
    assert shells["shell"] == wanted["shell"].tolist()
    assert shells["modes"] == wanted["modes"].tolist()
    np.testing.assert_allclose(shells["k"], wanted["k"], rtol=1e-12)
    np.testing.assert_allclose(shells["power"], wanted["power"], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("form", WRITERS)
def test_all_formats_agree_with_numpy(form, ranks, tmp_path):
    field = field_of((7, 8, 9))
    path = WRITERS[form](tmp_path / "field.npy", field)
    report = spectrum_of(path, "-n", ranks, "--no-plot", cwd=tmp_path)
    physical = not form.startswith("NumPy")
    lengths = tuple(n * h for n, h in zip(field.shape, STEPS)) if physical else None
    assert_shells(report, shell_spectrum(field, lengths))
    assert (report["shape"], report["ranks"]) == ([7, 8, 9], ranks)
    assert report["unit"] == {"NIfTI": "mm", "NIfTI, compressed": "mm", "Gaussian cube": "bohr"}.get(form)
    np.testing.assert_allclose([report["mean"], report["mean_square"]], [field.mean(), (field**2).mean()])
    with open(tmp_path / "field-spectrum.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["power"]) for row in rows] == report["shells"]["power"]
    if physical:
        # As nbodykit and Pylians have it: P(k) = V |delta_k|^2 / N^2.
        wanted = np.prod(lengths) * np.divide(report["shells"]["power"], report["shells"]["modes"])
        np.testing.assert_allclose(report["shells"]["p"], wanted)
        np.testing.assert_allclose([float(row["p"]) for row in rows], wanted)
    else:
        assert report["shells"]["p"] is None
    assert [int(row["modes"]) for row in rows] == report["shells"]["modes"]


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, 8), (5, 1, 1), (2, 2, 2), (4, 6, 1), (3, 5, 7), (8, 6, 10)])
def test_awkward_shapes(shape, tmp_path):
    field = field_of(shape)
    report = spectrum_of(write_npy(tmp_path / "f.npy", field), cwd=tmp_path)
    assert_shells(report, shell_spectrum(field))
    assert sum(report["shells"]["modes"]) == field.size
    # All whole wave numbers, also those that the grid does not have.
    reach = [np.arange(-12, 13) if n > 1 else np.zeros(1) for n in shape]
    all_shells = np.rint(np.sqrt(sum(np.square(k) for k in np.meshgrid(*reach, indexing="ij")))).astype(int)
    there = np.bincount(all_shells.ravel())[report["shells"]["shell"]]
    assert report["shells"]["whole"] == (there == report["shells"]["modes"]).tolist()


@pytest.mark.parametrize("dtype", ["float32", ">f8", "int16", "uint8", "bool"])
def test_types_of_values(dtype, tmp_path):
    field = (field_of((4, 5, 6)) * 3).clip(0).astype(dtype)
    report = spectrum_of(write_npy(tmp_path / "f.npy", field), "--no-plot", cwd=tmp_path)
    assert_shells(report, shell_spectrum(field.astype(float)))


def test_spacing_lengths_and_shells(tmp_path):
    field = field_of((6, 5, 8))
    path = write_nifti(tmp_path / "f", field)
    by_spacing = spectrum_of(path, "--spacing", "1,2,3", "--no-plot", cwd=tmp_path)
    assert_shells(by_spacing, shell_spectrum(field, (6.0, 10.0, 24.0)))
    by_lengths = spectrum_of(path, "--axis-lengths", "6 10 24", "--no-plot", cwd=tmp_path)
    assert by_lengths["shells"] == by_spacing["shells"]
    assert_shells(spectrum_of(path, "--shells", "integer", "--no-plot", cwd=tmp_path), shell_spectrum(field))


def test_oblique_cells(tmp_path):
    # A wave along one reciprocal vector of a sheared cell has that vector's length.
    steps = np.array([[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 2.0]])
    shape = (8, 6, 4)
    field = np.broadcast_to(np.cos(2 * np.pi * 2 * np.arange(8) / 8)[:, None, None], shape)
    report = spectrum_of(write_cube(tmp_path / "f", field, steps), "--no-plot", cwd=tmp_path)
    reciprocal = 2 * np.pi * np.linalg.inv(steps * np.array(shape)[:, None]).T
    loudest = int(np.argmax(report["shells"]["power"]))
    assert abs(report["shells"]["k"][loudest] - 2 * np.linalg.norm(reciprocal[0])) <= report["shell_width"] / 2


def test_cubes_of_orbitals_and_of_fortran(tmp_path):
    field = field_of((3, 4, 7))
    for name, how in (("a", {"orbital": True}), ("b", {"exponent": "D"})):
        report = spectrum_of(write_cube(tmp_path / name, field, **how), "-n", 2, "--no-plot", cwd=tmp_path)
        np.testing.assert_allclose(report["mean_square"], (field**2).mean())


def test_hdf5_datasets_are_chosen(tmp_path):
    path = tmp_path / "two.h5"
    one, two = field_of((4, 4, 4)), field_of((3, 5, 4), 9)
    with h5py.File(path, "w") as file:
        file["one"], file["more/two"] = one, two
    report = spectrum_of(path, "--dataset", "more/two", "--no-plot", cwd=tmp_path)
    assert_shells(report, shell_spectrum(two))
    outcome = weft_here("spectrum", path, cwd=tmp_path)
    assert outcome.code == 2
    assert "2 datasets of three axes; choose one with --dataset" in outcome.err
    assert "/more/two (3, 5, 4)" in outcome.err
    assert weft_here("spectrum", path, "--dataset", "three", cwd=tmp_path).code == 2


def test_nifti_scaling_and_trailing_axes(tmp_path):
    field = field_of((4, 5, 6))
    image = nibabel.Nifti1Image((field * 1000).astype("i2")[..., None], np.eye(4))
    image.header.set_slope_inter(0.5, 3.0)
    path = tmp_path / "f.nii.gz"
    nibabel.save(image, path)
    wanted = np.asarray(nibabel.load(path).dataobj)[..., 0]
    report = spectrum_of(path, "-n", 2, "--no-plot", cwd=tmp_path)
    np.testing.assert_allclose(report["mean_square"], (wanted**2).mean())


def test_mean_single_precision_and_options(tmp_path):
    field = field_of((6, 6, 6))
    path = write_npy(tmp_path / "f.npy", field)
    report = spectrum_of(path, "--remove-mean", "--no-plot", cwd=tmp_path)
    assert report["mean_removed"] is True
    assert abs(report["shells"]["power"][0]) < 1e-25
    np.testing.assert_allclose(report["mean_square"], field.var())
    single = weft_launch(
        "spectrum", path, "-n", 2, "--precision", "single", "--strategy", "ialltoallv", "--tile", 2, "--no-plot", "--json", "-",
        cwd=tmp_path,
    ).json()  # fmt: skip
    assert single["round_trip_error"] < 1e-6
    assert single["plan"]["precision"] == "single"
    np.testing.assert_allclose(single["shells"]["power"], shell_spectrum(field)["power"], rtol=1e-4)


def test_report_picture_and_names(tmp_path):
    path = write_nifti(tmp_path / "brain", field_of((12, 14, 10)), ".nii.gz")
    outcome = weft_launch("spectrum", path, "-n", 2, "--json", "all.json", cwd=tmp_path)
    assert outcome.code == 0, outcome
    for word in ("brain.nii.gz", "12 x 14 x 10", "k (rad/mm)", "Parseval", "round trip", "brain-spectrum.png"):
        assert word in outcome.out
    assert any("\u2800" < character <= "\u28ff" for character in outcome.out)
    made = {item.name for item in tmp_path.iterdir()}
    assert made == {"brain.nii.gz", "brain-spectrum.csv", "brain-spectrum.png", "all.json"}
    start = (tmp_path / "brain-spectrum.png").read_bytes()[:24]
    assert start[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", start[16:24])
    assert min(width, height) > 500


def test_out_names_a_directory_or_a_stem(tmp_path):
    path = write_npy(tmp_path / "f.npy", field_of((4, 4, 4)))
    (tmp_path / "results").mkdir()
    weft_here("spectrum", path, "--out", "results", "--no-plot", cwd=tmp_path)
    weft_here("spectrum", path, "--out", "results/other.name", "--no-plot", cwd=tmp_path)
    assert {item.name for item in (tmp_path / "results").iterdir()} == {"f-spectrum.csv", "other.name.csv"}
    for bad in ("nowhere/", "nowhere/x"):
        outcome = weft_here("spectrum", path, "--out", bad, cwd=tmp_path)
        assert outcome.code == 2
        assert "directory" in outcome.err


def test_inside_a_job(tmp_path):
    path = write_npy(tmp_path / "f.npy", field_of((5, 4, 3)))
    command = [sys.executable, "-m", "weft", "spectrum", str(path), "--no-plot", "--json", "-"]
    assert run_on(2, command, cwd=tmp_path).json()["ranks"] == 2


def test_a_constant_field(tmp_path):
    report = spectrum_of(write_npy(tmp_path / "f.npy", np.zeros((4, 4, 4))), cwd=tmp_path)
    assert report["mean_square"] == report["total_power"] == 0
    report = spectrum_of(write_npy(tmp_path / "f.npy", np.full((4, 4, 4), 3.0)), cwd=tmp_path)
    np.testing.assert_allclose(report["shells"]["power"][0], 9.0)


def bad_files(folder):
    """File name, content writer and what the error must say."""
    yield "flat.npy", lambda p: np.save(p, np.zeros((4, 4))), "has 2 axes"
    yield "four.npy", lambda p: np.save(p, np.zeros((2, 2, 2, 2))), "has 4 axes"
    yield "complex.npy", lambda p: np.save(p, np.zeros((4, 4, 4), complex)), "complex"
    yield "text.npy", lambda p: np.save(p, np.full((2, 2, 2), "x")), "real numbers are needed"
    yield "none.npy", lambda p: np.save(p, np.zeros((4, 0, 4))), "is empty"
    yield "empty.npy", lambda p: p.write_bytes(b""), "empty file"
    yield "broken.npy", lambda p: p.write_bytes(b"\x93NUMPY\x01\x00garbage"), "cannot read"
    yield "object.npy", lambda p: np.save(p, np.array([[[None]]]), allow_pickle=True), "cannot read"
    yield "unknown.xyz", lambda p: p.write_text("hello"), "format of"
    yield "missing.npy", lambda p: None, "No such file"
    yield "folder.npy", lambda p: p.mkdir(), "it is a directory"
    yield "broken.h5", lambda p: p.write_bytes(b"\x89HDF\r\n\x1a\n nothing"), "cannot read"
    yield "flat.h5", lambda p: h5py.File(p, "w").create_dataset("a", data=[1]).file.close(), "0 datasets of three axes"
    yield "broken.nii.gz", lambda p: p.write_bytes(b"\x1f\x8b nothing"), "cannot read"
    yield "four.nii", lambda p: nibabel.save(nibabel.Nifti1Image(np.zeros((2, 2, 2, 3)), np.eye(4)), p), "4 axes"
    yield "broken.cube", lambda p: p.write_text("a\nb\nc\n"), "not a Gaussian cube"


@pytest.mark.parametrize("name", [name for name, _, _ in bad_files(None)])
def test_bad_files_exit_with_2(name, tmp_path):
    path = tmp_path / name
    write, message = next((write, message) for other, write, message in bad_files(tmp_path) if other == name)
    write(path)
    # On two ranks: what can be seen without the values is said before any is launched, once.
    outcome = weft_here("spectrum", path, "-n", 2, "--json", "-", cwd=tmp_path)
    assert outcome.code == 2, outcome
    assert message in outcome.err
    assert outcome.err.count("weft:") == 1
    assert outcome.out == ""
    assert not list(tmp_path.glob("*spectrum*"))


def test_damaged_files_of_every_kind(tmp_path):
    damaged_volumes.write(tmp_path)
    outcome = run_script("damaged_volumes.py", 2, str(tmp_path))
    assert outcome.code == 0, outcome.err


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite(value, ranks, tmp_path):
    field = field_of((4, 5, 6))
    field[3, 2, 1] = field[3, 4, 5] = value
    path = write_npy(tmp_path / "f.npy", field)
    if ranks == 1:
        outcome = weft_here("spectrum", path, cwd=tmp_path)
    else:
        outcome = weft_launch("spectrum", path, "-n", ranks, cwd=tmp_path)
    assert outcome.code == 2, outcome
    assert "2 values that are NaN or infinite, the first at (3, 2, 1)" in outcome.err
    assert outcome.err.count("weft:") == 1


@pytest.mark.parametrize("kind", ["short cube", "words in a cube", "short nii.gz"])
def test_files_whose_values_cannot_be_read(kind, tmp_path):
    if kind.endswith("cube"):
        path = write_cube(tmp_path / "f", field_of((4, 4, 4)))
        text = path.read_text()
        path.write_text(text[:-200] if kind == "short cube" else text[:-60] + "***** " + text[-60:])
        message = "ends too early" if kind == "short cube" else "no number"
    else:
        path = write_nifti(tmp_path / "f", field_of((16, 16, 16)))
        whole = path.read_bytes()
        path = tmp_path / "f.nii.gz"
        path.write_bytes(gzip.compress(whole[: len(whole) // 2]))
        message = "f.nii.gz"
    outcome = weft_launch("spectrum", path, "-n", 2, cwd=tmp_path)
    assert outcome.code == 2, outcome
    assert message in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--spacing", "0"], "--spacing is '0'"),
        (["--spacing", "1", "--axis-lengths", "2"], "both given"),
        (["--shells", "physical"], "has no spacing"),
        (["--precision", "half"], "precision is 'half'"),
        (["--strategy", "pigeons"], "strategy is 'pigeons'"),
        (["--in-place"], "in_place is 'true'"),
        (["--dataset", "x"], "not an HDF5 file"),
        (["-n", "0"], "-n is 0"),
        (["--json", "no/such.json"], "no/such.json"),
    ],
)
def test_bad_arguments_exit_with_2(arguments, message, tmp_path):
    path = write_npy(tmp_path / "f.npy", field_of((4, 4, 4)))
    outcome = weft_here("spectrum", path, *arguments, cwd=tmp_path)
    assert outcome.code == 2, outcome
    assert message in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(("module", "name"), [("h5py", "f.h5"), ("nibabel", "f.nii"), ("matplotlib", "f.npy")])
def test_missing_packages_say_what_to_install(module, name, tmp_path):
    # A package of that name which cannot be imported, found first.
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / f"{module}.py").write_text("raise ImportError('hidden by the test')")
    writer = {"f.h5": write_hdf5, "f.nii": write_nifti, "f.npy": write_npy}[name]
    path = writer(tmp_path / name, field_of((4, 4, 4)))
    search = f"{tmp_path / 'hidden'}:{sys.path[0]}:" + ":".join(sys.path)
    outcome = weft_command("spectrum", path, cwd=tmp_path, PYTHONPATH=search)
    assert outcome.code == 2, outcome
    assert f"pip install {module}" in outcome.err
