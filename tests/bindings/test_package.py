"""The package as a whole: importing, types, documentation, and the MPI library it shares with mpi4py."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from unittest import mock

import pytest
from launching import clean_environment, run

import weft
from weft import _core, _distributions, _mpi


def test_packages_of_the_environment_have_what_they_need():
    outcome = run([sys.executable, "-m", "pip", "--disable-pip-version-check", "check"])
    assert outcome.code == 0, outcome.out


def test_import_and_planning_do_not_initialise_mpi():
    script = """
import sys, weft
assert weft.plan((8, 8, 8), 4).ranks == 4
assert not [name for name in sys.modules if name.split(".")[0] in ("mpi4py", "typer", "rich", "matplotlib")]
import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
assert not MPI.Is_initialized()
"""
    outcome = run([sys.executable, "-c", script])
    assert outcome.code == 0, outcome.err


def test_mpi4py_fft_is_found_under_its_own_name():
    script = """
import sys, weft.mpi4py_fft
weft.mpi4py_fft.install()
weft.mpi4py_fft.install()
import mpi4py_fft.mpifft, mpi4py_fft.io.h5py_file
from mpi4py_fft import PFFT, fftw
from mpi4py_fft.pencil import Pencil, Subcomm, Transfer
from mpi4py_fft.fftw.utilities import FFTW_MEASURE, FFTW_PRESERVE_INPUT, aligned
from mpi4py_fft.fftw.xfftn import dctn
from mpi4py_fft.fftw.factory import get_planned_FFT
from mpi4py_fft.distarray import DistArray
from mpi4py_fft.io.file_base import FileBase
assert mpi4py_fft is weft.mpi4py_fft and PFFT is weft.mpi4py_fft.PFFT and fftw.dctn is dctn
assert {sys.modules[name].__name__ for name in sys.modules if name.startswith("mpi4py_fft")} <= set(sys.modules)
for name in [name for name in sys.modules if name.startswith("mpi4py_fft")]:
    del sys.modules[name]
sys.modules["mpi4py_fft"] = type(sys)("mpi4py_fft")
sys.modules["mpi4py_fft"].__file__ = "elsewhere"
try:
    weft.mpi4py_fft.install()
except weft.Error as error:
    assert "mpi4py_fft is imported already, from elsewhere" in str(error)
else:
    raise AssertionError
"""
    outcome = run([sys.executable, "-c", script])
    assert outcome.code == 0, outcome.err


def test_pfft_is_found_under_its_own_name():
    script = """
import weft.pfft
weft.pfft.install()
import pfft
from pfft import Flags, Type
assert pfft is weft.pfft
assert Flags(Flags.PFFT_TRANSPOSED_OUT | Flags.PFFT_PADDED_R2C) & Flags.TRANSPOSED_OUT
assert Type.PFFTF_R2C.inverse is Type.PFFTF_C2R and Type(1) is Type.R2C
"""
    outcome = run([sys.executable, "-c", script])
    assert outcome.code == 0, outcome.err


def test_sources_lie_where_they_are_imported_from():
    """And all of them are there."""
    sources, package = Path(__file__).parents[2] / "bindings" / "python" / "weft", Path(weft.__file__).parent
    found = {path.relative_to(sources) for kind in ("*.py", "*.pyi", "*.toml") for path in sources.rglob(kind)}
    for name in found:
        assert (package / name).read_bytes() == (sources / name).read_bytes(), name
    there = {path.relative_to(package) for kind in ("*.py", "*.pyi", "*.toml") for path in package.rglob(kind)}
    assert there - found == {Path("_build_config.py")}


def test_version_is_the_librarys():
    assert weft.__version__ == _core.version()
    assert weft.__version__.count(".") == 2


@pytest.mark.parametrize(
    ("others", "told"),
    [
        (["weft_fft-1.0.0"], None),
        (["weft_fft_openmpi-1.0.0", "weft_client-1.2.7", "numpy-2.0.0", "~eft_fft-1.0.0"], None),
        (["weft-0.9.118", "weft_fft-1.0.0"], r"\(weft 0\.9\.118, weft-fft 1\.0\.0\).*pip uninstall weft weft-fft\)"),
        (["weft-0.9.118"], r"\(weft 0\.9\.118\)"),
        (["weft_fft-1.0.0", "weft_fft_mpich-1.0.0"], r"\(weft-fft 1\.0\.0, weft-fft-mpich 1\.0\.0\)"),
    ],
)
def test_other_distributions_with_a_package_of_this_name_are_an_error(tmp_path, others, told):
    for name in others:
        (tmp_path / f"{name}.dist-info").mkdir()
    if told is None:
        _distributions.check(tmp_path)
    else:
        with pytest.raises(ImportError, match=told):
            _distributions.check(tmp_path)


def test_the_command_that_is_nobody_elses_says_so(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["weft-fft", "--version"])
    with pytest.raises(SystemExit) as end:
        _distributions.main()
    assert (end.value.code, capsys.readouterr().out) == (0, f"weft {weft.__version__}\n")
    monkeypatch.setattr(_distributions, "check", mock.Mock(side_effect=ImportError("the other one is here")))
    with pytest.raises(SystemExit, match="weft-fft: the other one is here"):
        _distributions.main()


def test_everything_public_is_documented():
    for name in weft.__all__:
        item = getattr(weft, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(item), name
        if inspect.isclass(item):
            for member, value in vars(item).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("mpi_library", "Imaginary MPI v9.9\nbuilt yesterday", r"different MPI libraries.*Imaginary MPI v9.9"),
        ("comm_world", 257, "different interfaces: one of them is made for the standard ABI of MPI"),  # 257: the ABI's
    ],
)
def test_another_mpi_than_mpi4pys_is_refused(monkeypatch, name, value, message):
    monkeypatch.setattr(_core, name, lambda: value)
    _mpi.mpi.cache_clear()
    try:
        with pytest.raises(ImportError, match=message):
            weft.FFT((4, 4, 4))
    finally:
        _mpi.mpi.cache_clear()


def test_missing_mpi4py_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    _mpi.mpi.cache_clear()
    try:
        with pytest.raises(ImportError, match=r"weft needs mpi4py.*pip install"):
            weft.FFT((4, 4, 4))
    finally:
        _mpi.mpi.cache_clear()


def test_transforms_alive_at_the_end_of_the_program_do_no_harm():
    script = """
import weft
kept = weft.FFT((8, 8, 8))
moved = weft.Redistribution((8, 8, 8), kept._plan.input_layout, kept._plan.input_layout)
kept.cycle = kept
"""
    outcome = run([sys.executable, "-c", script], environment=clean_environment())
    assert (outcome.code, outcome.err.strip()) == (0, ""), outcome
