"""weft sort: files as NumPy sorts them, placements by name, errors."""

from __future__ import annotations

import os
import stat

import numpy as np
import pytest
from launching import weft_command

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "M8[ns]", "m8[s]"]


def some(dtype, n=4999):
    """Elements of all kinds that a type has, the awkward ones too."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(5)
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(dtype)
    data = np.frombuffer(rng.bytes(n * dtype.itemsize), dtype).copy()
    if dtype.kind == "f":
        data[::7] = np.nan
        data[3], data[4] = np.inf, -np.inf
    if dtype.kind in "mM":
        data[::9] = np.array("NaT", dtype)
    return data


@pytest.mark.parametrize("name", TYPES)
def test_files_are_sorted_as_numpy_does(name, tmp_path):
    data = some(name)
    np.save(tmp_path / "in.npy", data)
    ranks = ["-n", 2] if name in ("i1", "f2", "u4", "M8[ns]") else []  # each width once; starting jobs takes time
    words = ["sort", "in.npy", "-o", "out.npy", "--chunk", 512, "--repeats", 1, *ranks]
    outcome = weft_command(*words, cwd=tmp_path)
    assert outcome.code == 0, outcome
    found = np.load(tmp_path / "out.npy")
    assert found.dtype == data.dtype
    np.testing.assert_array_equal(found, np.sort(data))
    # The very same bits, in another order.
    bits = f"u{data.dtype.itemsize}"
    np.testing.assert_array_equal(np.sort(found.view(bits)), np.sort(data.view(bits)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.npy", "out.npy"]


def awkward(name, n=600):
    """Few different values, so that second parts and last characters decide; every kind of number in both parts."""
    dtype = np.dtype(name)
    rng = np.random.default_rng(5)
    if dtype.kind in "SU":
        unit = "u1" if dtype.kind == "S" else dtype.str[0] + "u4"
        codes = np.array([0, ord("a"), 0xFF if dtype.kind == "S" else 0x10FFFF], unit)
        return codes[rng.integers(0, 3, (n, dtype.itemsize // codes.itemsize))].view(dtype)[:, 0]
    if dtype.kind == "i":
        return np.frombuffer(rng.bytes(n * dtype.itemsize), dtype)
    data = np.empty(n, dtype)
    for part in [data.real, data.imag] if dtype.kind == "c" else [data]:
        part[:] = rng.choice([np.nan, np.inf, -np.inf, -0.0, 0.0, 1, -2.5], n)
    return data


@pytest.mark.parametrize(
    ("name", "ranks", "algorithm"),
    [
        ("c8", 5, "sample"),
        (">c16", 2, "sample"),
        ("g", 2, "tree"),
        ("G", 3, "sample"),
        (">i4", 1, "tree"),
        ("S3", 1, "sample"),
        ("S300", 5, "tree"),
        (">U3", 3, "sample"),
    ],
)
def test_types_that_are_no_native_integers_inside(name, ranks, algorithm, tmp_path):
    data = awkward(name)
    np.save(tmp_path / "in.npy", data)
    words = ["sort", "in.npy", "-o", "out.npy", "--chunk", 512, "--repeats", 1, "--warmup", 0, "-n", ranks]
    outcome = weft_command(*words, "--algorithm", algorithm, cwd=tmp_path)
    assert outcome.code == 0, outcome
    found = np.load(tmp_path / "out.npy")
    assert found.dtype.str == data.dtype.str
    np.testing.assert_array_equal(found, np.sort(data))


@pytest.mark.parametrize(
    "data", [np.zeros(0, "f4"), np.array([3], "i2"), np.array([np.nan, -0.0, 0.0, np.nan, -np.inf])]
)
def test_hardly_any_elements(data, tmp_path):
    np.save(tmp_path / "in.npy", np.asfortranarray(data))
    outcome = weft_command("sort", "in.npy", "-o", "out.npy", "--levels", 3, "--repeats", 1, cwd=tmp_path)
    assert outcome.code == 0, outcome
    found = np.load(tmp_path / "out.npy")
    assert found.dtype == data.dtype
    np.testing.assert_array_equal(found, np.sort(data))


def test_what_is_no_file_is_not_replaced(tmp_path):
    """As /dev/null would be, for root."""
    os.mkfifo(tmp_path / "pipe")
    end = os.open(tmp_path / "pipe", os.O_RDWR)
    outcome = weft_command("sort", "--n", 9, "-o", "pipe", "--json", "pipe", "--repeats", 1, cwd=tmp_path)
    assert outcome.code == 0, outcome
    assert os.read(end, 1 << 16).startswith(b"\x93NUMPY")
    os.close(end)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("algorithm", ["tree", "sample"])
def test_alone_and_on_three(algorithm, tmp_path):
    data = some("f8")
    np.save(tmp_path / "in.npy", data)
    for ranks in ([], ["-n", 3]):
        words = ["sort", "in.npy", "-o", "out.npy", "--algorithm", algorithm, *ranks, "--json", "-"]
        report = weft_command(*words, cwd=tmp_path).json()
        assert (report["n"], report["dtype"], report["verified"]) == (len(data), "float64", True)
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.sort(data))


def test_topologies_by_name(tmp_path):
    (tmp_path / "mine.toml").write_text("placement = [0, 1, 0, 3, 2, 1, 0]\n")
    for name, crossing in (("fig10", 200_000 + 200_000), ("mine.toml", None)):
        words = ["sort", "--topology", name, "--repeats", 1, "--json", "-"]
        report = weft_command(*words, cwd=tmp_path).json()
        assert (report["n"], report["ranks"], report["verified"]) == (50_000, 4, True)
        if crossing is not None:
            # Within nodes, too: one leaf of each pair is on a processor of its own.
            assert report["tree"]["bytes_between_ranks"] == crossing
    assert report["tree"]["placement"] == [0, 1, 0, 3, 2, 1, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dtype", "object"], "dtype is 'object'; allowed are bool, int8"),
        (["--algorithm", "bogo"], "--algorithm is 'bogo'; allowed are tree, sample"),
        (["--distribution", "odd"], "distribution is 'odd'"),
        (["--placement", "0,x"], "--placement is '0,x'"),
        (["--levels", "2", "--placement", "0,0,9"], "placement[2] is 9"),
        (["--topology", "fig8"], "--topology is 'fig8'"),
        (["--window", "0"], "--window is 0"),
        (["--n", "-1"], "--n is -1"),
        (["missing.npy"], "missing.npy"),
        (["text.npy"], "'text.npy' is not an .npy file"),
        (["square.npy"], "one dimension"),
        (["square.npy", "--n", "5"], "--n is for elements that are made up; those of 'square.npy' are read"),
        (["--n", "99999999999999"], "sorting needs"),
        (["long.npy"], "'long.npy': elements are 'U1025'; strings of at most 1024 characters are sorted"),
        (["objects.npy"], "'objects.npy': elements are '|O'"),
        (["pairs.npy"], "'pairs.npy' has structured elements"),
        (["short.npy"], "fewer than the 100 elements"),
        (["--output", "no/such/out.npy"], "cannot write 'no/such/out.npy'"),
    ],
)
def test_errors(arguments, message, tmp_path):
    (tmp_path / "text.npy").write_text("nothing of the kind")
    np.save(tmp_path / "square.npy", np.zeros((3, 3)))
    np.save(tmp_path / "long.npy", np.zeros(2, "U1025"))
    np.save(tmp_path / "objects.npy", np.array([None, 1], object))
    np.save(tmp_path / "pairs.npy", np.zeros(3, "i4,f8"))
    np.save(tmp_path / "short.npy", np.zeros(100))
    (tmp_path / "short.npy").write_bytes((tmp_path / "short.npy").read_bytes()[:-8])
    ranks = ["-n", 2] if arguments[0] in ("--dtype", "text.npy", "short.npy", "--output") else []
    outcome = weft_command("sort", *arguments, *ranks, cwd=tmp_path)
    assert outcome.code in (1, 2), outcome
    assert outcome.err.count(message) == 1, outcome
    assert "Traceback" not in outcome.err


def test_comparison():
    report = weft_command("sort", "--n", 20_000, "--compare", "--json", "-").json()
    assert report["one_core"]["std::sort"] > 0
    assert report["speedup_over_std_sort"] > 0
