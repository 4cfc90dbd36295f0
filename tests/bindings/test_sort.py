"""weft sort: files as NumPy sorts them, placements by name, errors."""

from __future__ import annotations

import os
import stat
import tokenize

import numpy as np
import pytest
from launching import weft_launch

pytestmark = pytest.mark.any_mpi

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
    outcome = weft_launch(*words, cwd=tmp_path)
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
    outcome = weft_launch(*words, "--algorithm", algorithm, cwd=tmp_path)
    assert outcome.code == 0, outcome
    found = np.load(tmp_path / "out.npy")
    assert found.dtype.str == data.dtype.str
    np.testing.assert_array_equal(found, np.sort(data))


@pytest.mark.parametrize(
    "data", [np.zeros(0, "f4"), np.array([3], "i2"), np.array([np.nan, -0.0, 0.0, np.nan, -np.inf])]
)
def test_hardly_any_elements(data, tmp_path):
    np.save(tmp_path / "in.npy", np.asfortranarray(data))
    outcome = weft_launch("sort", "in.npy", "-o", "out.npy", "--levels", 3, "--repeats", 1, cwd=tmp_path)
    assert outcome.code == 0, outcome
    found = np.load(tmp_path / "out.npy")
    assert found.dtype == data.dtype
    np.testing.assert_array_equal(found, np.sort(data))


def test_what_is_no_file_is_not_replaced(tmp_path):
    """As /dev/null would be, for root."""
    os.mkfifo(tmp_path / "pipe")
    end = os.open(tmp_path / "pipe", os.O_RDWR)
    outcome = weft_launch("sort", "--n", 9, "-o", "pipe", "--json", "pipe", "--repeats", 1, cwd=tmp_path)
    assert outcome.code == 0, outcome
    assert os.read(end, 1 << 16).startswith(b"\x93NUMPY")
    os.close(end)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def npy(header, data=b"", version=(1, 0), length=None):
    """An .npy file with any header."""
    size = len(header) if length is None else length
    start = b"\x93NUMPY" + bytes(version)
    return start + size.to_bytes(2 if version[0] == 1 else 4, "little") + header.encode("latin1") + data


def dictionary(descr="'<i4'", fortran_order="False", shape="(3,)", more=""):
    return f"{{'descr': {descr}, 'fortran_order': {fortran_order}, 'shape': {shape}, {more}}}\n"


THREE = np.array([3, 1, 2], "<i4").tobytes()
KEYS = "each of descr, fortran_order and shape is needed once"
HOSTILE = {
    "long_header": (npy(dictionary() + " " * 60_000, THREE), "has a header of 60"),
    "longest_header": (npy(dictionary(), THREE, (2, 0), 0xFFFFFFFF), "has a header of 4294967295 bytes; at most 10000"),
    "very_long_descr": (
        npy(dictionary(f"'{'x' * 500_000}'"), THREE, (2, 0)),
        "has a header of 500055 bytes; at most 10000",
    ),
    "long_descr": (npy(dictionary(f"'<i{'4' * 9000}'"), THREE), "elements are '<i4444"),
    "long_shape": (npy(dictionary(shape=f"({'1, ' * 3000})"), THREE), "one dimension is needed"),
    "long_extent": (npy(dictionary(shape=f"({'9' * 9000},)"), THREE), "has an extent of 9999"),
    "deep": (npy("(" * 9000, THREE), 'at its byte 0 is "((((((((((('),
    "deep_keys": (npy("{" * 9000, THREE), 'at its byte 1 is "{{{{{{{{{{{'),
    "deep_descr": (npy(dictionary("[" * 4000 + "]" * 4000), THREE), "structured elements"),
    "deep_shape": (npy(dictionary(shape="(" * 4000 + ")" * 4000), THREE), "needed is an extent: digits"),
    "version_0.0": (npy(dictionary(), THREE, (0, 0)), "has version 0.0 of the .npy format; allowed are 1.0, 2.0, 3.0"),
    "version_1.1": (npy(dictionary(), THREE, (1, 1)), "has version 1.1 of"),
    "version_4.0": (npy(dictionary(), THREE, (4, 0)), "has version 4.0 of"),
    "unknown_key": (npy(dictionary(more="'order': 'C', "), THREE), f"the key 'order' in its header; {KEYS}"),
    "no_descr": (npy("{'fortran_order': False, 'shape': (3,)}", THREE), f"has no key 'descr' in its header; {KEYS}"),
    "no_order": (npy("{'descr': '<i4', 'shape': (3,)}", THREE), f"has no key 'fortran_order' in its header; {KEYS}"),
    "no_shape": (npy("{'descr': '<i4', 'fortran_order': False}", THREE), f"has no key 'shape' in its header; {KEYS}"),
    "two_shapes": (npy(dictionary(more="'shape': (2,)"), THREE), f"has the key 'shape' twice in its header; {KEYS}"),
    "no_boolean": (
        npy(dictionary(fortran_order="None"), THREE),
        "is \"None, 'shape': (3,), }?\"; needed is True or False",
    ),
    "number_as_shape": (npy(dictionary(shape="(3)"), THREE), "needed is ','"),
    "negative_shape": (npy(dictionary(shape="(-1,)"), THREE), 'is "-1,), }?"; needed is an extent'),
    "overflow_of_shape": (
        npy(dictionary(shape="(9223372036854775808,)"), THREE),
        "extent of 9223372036854775808; at most",
    ),
    "overflow_of_bytes": (
        npy(dictionary(shape="(4611686018427387904,)"), THREE),
        "(4611686018427387904,) of 4 bytes each",
    ),
    "much_too_short": (
        npy(dictionary(shape="(1000000000000,)"), THREE),
        "fewer than the 1000000000000 elements of its header: 12 of",
    ),
    "unit": (npy(dictionary("'<M8[x]'"), THREE * 2), "elements are '<M8[x]'; units of time are"),
    "unit_number": (npy(dictionary("'<m8[2147483648s]'"), THREE * 2), "elements are '<m8[2147483648s]'; units of time"),
    "unit_unclosed": (npy(dictionary("'<M8[s'"), THREE * 2), "elements are '<M8[s'; units of time are"),
    "unit_not_closing": (npy(dictionary("'<M8[s]]'"), THREE * 2), "elements are '<M8[s]]'; units of time are"),
    "quote_unclosed": (npy("{'descr: <i4, 'fortran_order': False, 'shape': (3,)", THREE), "needed is ':'"),
    "zero_byte": (npy(dictionary("'<i4\0'"), THREE), "elements are '<i4?'"),
    "text_behind": (npy(dictionary() + "1", THREE), "needed is nothing more"),
    "short_header": (npy(dictionary(), b"", length=500), "ends inside of its header"),
    "start_alone": (b"\x93NUMPY\1\0", "is not an .npy file"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_files_that_numpy_refuses(name, tmp_path):
    content, message = HOSTILE[name]
    (tmp_path / "in.npy").write_bytes(content)
    if name != "two_shapes":  # of which it takes the last
        with pytest.raises((ValueError, TypeError, OverflowError, MemoryError, SyntaxError, tokenize.TokenError)):
            np.load(tmp_path / "in.npy")
    outcome = weft_launch("sort", "in.npy", cwd=tmp_path)
    assert outcome.code == 2, outcome
    assert "'in.npy'" in outcome.err, outcome
    assert outcome.err.count(message) == 1, outcome
    assert len(outcome.err) < 1000


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_all_versions_of_files(version, tmp_path):
    data = some("M8[25s]", 99)
    with (tmp_path / "in.npy").open("wb") as file:
        np.lib.format.write_array(file, data, version)
        np.save(file, data)  # arrays may follow each other in a file
    outcome = weft_launch("sort", "in.npy", "-o", "out.npy", "--repeats", 1, cwd=tmp_path)
    assert outcome.code == 0, outcome
    found = np.load(tmp_path / "out.npy")
    assert found.dtype == data.dtype
    np.testing.assert_array_equal(found, np.sort(data))


@pytest.mark.parametrize(
    "header",
    [
        "{'shape': (3,), 'fortran_order': True, 'descr': '<i4'}",
        '\t{"descr" : "<i4" ,\n"fortran_order" :False,"shape":( 3 , )} \n\n',
        "{'descr': '<i4', 'fortran_order': False, 'shape': (3L,), }" + " " * 5000,
    ],
)
@pytest.mark.filterwarnings("ignore:Reading .* additional header parsing")
def test_headers_that_others_write(header, tmp_path):
    (tmp_path / "in.npy").write_bytes(npy(header, THREE))
    assert list(np.load(tmp_path / "in.npy")) == [3, 1, 2]
    outcome = weft_launch("sort", "in.npy", "-o", "out.npy", "--repeats", 1, cwd=tmp_path)
    assert outcome.code == 0, outcome
    assert list(np.load(tmp_path / "out.npy")) == [1, 2, 3]


@pytest.mark.parametrize("algorithm", ["tree", "sample"])
def test_alone_and_on_three(algorithm, tmp_path):
    data = some("f8")
    np.save(tmp_path / "in.npy", data)
    for ranks in ([], ["-n", 3]):
        words = ["sort", "in.npy", "-o", "out.npy", "--algorithm", algorithm, *ranks, "--json", "-"]
        report = weft_launch(*words, cwd=tmp_path).json()
        assert (report["n"], report["dtype"], report["verified"]) == (len(data), "float64", True)
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.sort(data))


def test_topologies_by_name(tmp_path):
    (tmp_path / "mine.toml").write_text("placement = [0, 1, 0, 3, 2, 1, 0]\n")
    for name, crossing in (("fig10", 200_000 + 200_000), ("mine.toml", None)):
        words = ["sort", "--topology", name, "--repeats", 1, "--json", "-"]
        report = weft_launch(*words, cwd=tmp_path).json()
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
        (["short.npy"], "fewer than the 100 elements of its header: 792 of 800 bytes"),
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
    outcome = weft_launch("sort", *arguments, *ranks, cwd=tmp_path)
    assert outcome.code in (1, 2), outcome
    assert outcome.err.count(message) == 1, outcome
    assert "Traceback" not in outcome.err


def test_comparison():
    report = weft_launch("sort", "--n", 20_000, "--compare", "--json", "-").json()
    assert report["one_core"]["std::sort"] > 0
    assert report["speedup_over_std_sort"] > 0
