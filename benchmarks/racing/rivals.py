"""Which of the other libraries are there, found out before anything is launched."""

from __future__ import annotations

import ctypes.util
import importlib
import importlib.metadata
import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from weft import _core

FFTW_MPI_FILE = "libfftw3_mpi.so.3"
SPFFT_FILE = "libspfft.so.1"
#: Python packages: their module, and how to get them.
PACKAGES = {
    "dtFFT": ("dtfft", "For Open MPI: python -m pip install dtfft-fftw-openmpi; for MPICH: dtfft-fftw-mpich"),
    "mpi4py-fft": (
        "mpi4py_fft.fftw",
        "It needs FFTW's headers (Debian and Ubuntu: apt install libfftw3-dev): python -m pip install mpi4py-fft",
    ),
    "SciPy": ("scipy.fft", "python -m pip install scipy"),
    "pyFFTW": ("pyfftw", "python -m pip install pyfftw"),
    "ducc0": ("ducc0.fft", "python -m pip install ducc0"),
    "oneMKL": ("mkl_fft", "python -m pip install mkl_fft mkl-service"),
}
NAMES = ("FFTW-MPI", "SpFFT", *PACKAGES)
# The C library alone: bindings to C++ and Fortran come with it or do not.
_MPI_FILE = re.compile(r"^libp?mpi(ch)?\.so")


@dataclass(frozen=True)
class Missing:
    """A library that does not take part, why, and what would change that."""

    name: str
    why: str
    how: str

    def __str__(self) -> str:
        return f"{self.name} does not take part: {self.why}. {self.how}"


def find_fftw_mpi(path: str | None) -> str | Missing:
    """The path to load FFTW's MPI library from, which must use the MPI library that Weft uses."""
    name = path or FFTW_MPI_FILE
    install = (
        "Debian and Ubuntu have it, for Open MPI: apt install libfftw3-mpi3. Elsewhere build FFTW 3 with --enable-mpi "
        "--enable-shared, and name the library with --fftw-mpi PATH"
    )
    if path is not None and not Path(path).is_file():
        return Missing("FFTW-MPI", f"--fftw-mpi is '{path}'; there is no such file", install)
    if path is None and ctypes.util.find_library("fftw3_mpi") is None:
        return Missing("FFTW-MPI", f"{FFTW_MPI_FILE} was not found", install)
    other = (
        "Race with the other MPI library (in a checkout: WEFT_MPI=openmpi), or name another FFTW with --fftw-mpi PATH"
    )
    return _of_our_mpi("FFTW-MPI", path or _file_of(FFTW_MPI_FILE), other) or name


def find(names: Iterable[str], fftw_mpi: str | None) -> dict[str, str | Missing]:
    """Of each of these, what it is found by: a file, or the version of a Python package."""

    def one(name: str) -> str | Missing:
        if name == "FFTW-MPI":
            return find_fftw_mpi(fftw_mpi)
        return find_spfft() if name == "SpFFT" else _find_package(name, *PACKAGES[name])

    return {name: one(name) for name in names}


def _find_package(name: str, module: str, how: str) -> str | Missing:
    package = module.partition(".")[0]
    if importlib.util.find_spec(package) is None:
        return Missing(name, f"the Python package {package} is not installed", how)
    if name == "dtFFT" and (other := _of_our_mpi(name, _extension(package), how)):
        return other
    try:
        import mpi4py

        mpi4py.rc.initialize = False  # this process launches MPI jobs, and is none
        importlib.import_module(module)
    except ImportError as error:
        again = f"python -m pip install --force-reinstall {name.lower()}" if name != "dtFFT" else how
        return Missing(name, f"it cannot be imported ({error})", again)
    return importlib.metadata.version(_distribution(package))


def _extension(package: str) -> str:
    """The file of a package's extension module; empty if there is none."""
    spec = importlib.util.find_spec(package)
    folders = (spec.submodule_search_locations or []) if spec else []
    return str(next((file for folder in folders for file in Path(folder).glob("_*.so")), ""))


def _distribution(package: str) -> str:
    """What was installed to get a package: dtFFT's is called by its MPI library."""
    return next(iter(importlib.metadata.packages_distributions().get(package, [package])))


def find_spfft() -> str | Missing:
    """SpFFT's library, which must use the MPI library that Weft uses."""
    install = "Debian and Ubuntu have it, for Open MPI: apt install libspfft1"
    if ctypes.util.find_library("spfft") is None:
        return Missing("SpFFT", f"{SPFFT_FILE} was not found", install)
    return _of_our_mpi("SpFFT", _file_of(SPFFT_FILE), install) or SPFFT_FILE


def _of_our_mpi(name: str, path: str, how: str) -> Missing | None:
    """Loading a library into a process of another MPI library would crash, so the linker is asked."""
    theirs, ours = _mpi_libraries(path), _mpi_libraries(_core.__file__)
    if theirs and ours and theirs != ours:
        return Missing(name, f"it uses {', '.join(sorted(theirs))}; Weft uses {', '.join(sorted(ours))}", how)
    return None


def _file_of(name: str) -> str:
    """Where the linker finds a library: the path that its cache has."""
    cache = subprocess.run([_program("ldconfig"), "-p"], capture_output=True, text=True, check=False).stdout
    found = re.search(rf"^\s*{re.escape(name)} .*=> (\S+)$", cache, re.MULTILINE)
    return found.group(1) if found else name


def _mpi_libraries(path: str) -> set[str]:
    """The files of MPI libraries that a library is linked with; empty where that cannot be told."""
    listed = subprocess.run([_program("ldd"), path], capture_output=True, text=True, check=False).stdout
    found = re.findall(r"^\s*(\S+) => (\S+)", listed, re.MULTILINE)
    return {str(Path(file).resolve()) for name, file in found if _MPI_FILE.match(name)}


def _program(name: str) -> str:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin") or name
