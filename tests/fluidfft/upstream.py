#!/usr/bin/env python3
"""Runs fluidfft's own tests of transforms and operators on its plugins in weft.fluidfft.

    ./run exec python tests/fluidfft/upstream.py
    ./run exec python tests/fluidfft/upstream.py --ranks 1,2,4

pip fetches fluidfft and what it needs into build/fluidfft/packages, where the plugins are made known as an installation of Weft would. Where
that fails nothing is tested, which is said, and the exit status is 77.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "build" / "fluidfft" / "packages"
#: fluidfft, and what it imports that this environment may not have; the rest, NumPy first of all, is that of Weft.
HELPERS = (
    *("fluidfft", "fluiddyn", "transonic", "beniget", "gast"),
    *("h5netcdf", "psutil", "distro", "simpleeval", "autopep8", "pycodestyle"),
)
SKIPPED = 77


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ranks", default="1,2", help="numbers of ranks (default: %(default)s)")
    parser.add_argument(
        "--limit", type=float, default=300, help="seconds for one number of ranks (default: %(default)s)"
    )
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        return inside()
    problem = fetched()
    if problem:
        print(f"skipped: {problem}")
        return SKIPPED
    failed = [ranks for ranks in map(int, arguments.ranks.split(",")) if not passed(ranks, arguments.limit)]
    print(f"failed on {', '.join(map(str, failed))} ranks" if failed else "all passed")
    return 1 if failed else 0


def fetched() -> str:
    """Get fluidfft and make the plugins known; why that failed, or nothing."""
    if sys.version_info < (3, 11):
        return "fluidfft needs Python 3.11"
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps"]
    command += ["--only-binary", ":all:", "--target", str(PACKAGES)]
    if not (PACKAGES / "fluidfft").is_dir() and subprocess.run([*command, *HELPERS], check=False).returncode:
        return "fluidfft cannot be fetched"
    import tomllib

    with open(ROOT / "pyproject.toml", "rb") as file:
        groups = tomllib.load(file)["project"]["entry-points"]
    information = PACKAGES / "weft_fft-0.dist-info"
    information.mkdir(exist_ok=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: weft-fft\nVersion: 0\n", encoding="utf-8")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in groups.items()
    ]
    (information / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return ""


def passed(ranks: int, limit: float) -> bool:
    """Run all tests on some ranks, and say how that went."""
    sys.path.insert(0, str(ROOT / "tests" / "bindings"))
    from launching import tried

    # fluiddyn ends a job whose rank has failed with the exit code 0.
    command = [sys.executable, "-m", "mpi4py", str(Path(__file__).resolve()), "--inside"]
    return tried("fluidfft", ranks, command, [PACKAGES], lambda line: line.startswith("ran "), limit)


# ---- on each rank


def inside() -> int:
    """fluidfft's tests, on the plugins as it finds them by their names."""
    from fluidfft import import_fft_class
    from fluidfft.fft2d.testing import complete_test_class_2d
    from fluidfft.fft3d.testing import complete_test_class_3d
    from mpi4py import MPI

    class Tests(unittest.TestCase):
        pass

    for method, complete, shapes in (
        ("fft2d.mpi_with_weft", complete_test_class_2d, [(16, 24), (13, 11)]),
        ("fft3d.mpi_with_weft", complete_test_class_3d, [(4, 8, 12), (5, 3, 7)]),
    ):
        # fluidfft leaves out what cannot be made, so that must be seen here.
        for shape in shapes:
            compare(import_fft_class(method), shape)
        complete(method, Tests)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Tests)
    result = unittest.TextTestRunner(stream=sys.stderr, verbosity=0).run(suite)
    # An error on one rank alone would leave the others waiting: `python -m mpi4py` ends the job for an exception.
    if not result.wasSuccessful():
        raise SystemExit(1)
    if MPI.COMM_WORLD.rank == 0:
        print(
            f"ran {result.testsRun} tests: {', '.join(sorted(name for name in dir(Tests) if name.startswith('test_')))}"
        )
    return 0


def compare(plugin: Any, shape: tuple[int, ...]) -> None:
    """With NumPy."""
    import numpy as np

    fft = plugin(*shape)
    field = np.random.default_rng(3).standard_normal(shape)
    spectrum = np.fft.rfftn(field, norm="forward").swapaxes(0, 1)
    first, local = fft.get_seq_indices_first_K(), fft.get_shapeK_loc()
    mine = np.ascontiguousarray(fft.scatter_Xspace(field))
    found = fft.fft(mine)
    np.testing.assert_allclose(found, spectrum[tuple(slice(a, a + n) for a, n in zip(first, local))], atol=1e-13)
    np.testing.assert_allclose(fft.ifft(found), mine, atol=1e-13)
    assert np.array_equal(fft.gather_Xspace(mine), field)
    squares = fft.sum_wavenumbers(np.abs(found) ** 2)
    assert np.isclose(squares, np.mean(field**2))
    # Derivatives have the signs of fluidfft's wave numbers, which NumPy's share but for that of half the points.
    axes = (1, 0, 2)[: len(shape)]
    for axis, k, start in zip(axes, fft.get_k_adim_loc(), first):
        n = shape[axis]
        whole = np.arange(n // 2 + 1) if axis == len(shape) - 1 else np.r_[0 : n // 2 + 1, -((n - 1) // 2) : 0]
        assert np.array_equal(k, whole[start : start + len(k)]), (axis, k)


if __name__ == "__main__":
    sys.exit(main())
