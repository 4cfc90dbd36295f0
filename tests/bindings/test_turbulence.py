"""examples/turbulence against a flow solver of NumPy's, its balance of energy, its files and its twin in Python."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from launching import Outcome, run, run_on

from weft.cli.launch import program

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "turbulence"
needs_h5py = pytest.mark.skipif(importlib.util.find_spec("h5py") is None, reason="h5py is missing")
needs_matplotlib = pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib is missing")


class Reference:
    """Navier-Stokes in divergence form, du/dt = -P div(u u) + nu laplacian u; the same as the rotational form where
    nothing is aliased."""

    def __init__(self, n: int, viscosity: float) -> None:
        self.n = n
        waves = np.fft.fftfreq(n, 1 / n), np.fft.fftfreq(n, 1 / n), np.fft.rfftfreq(n, 1 / n)
        self.k = np.stack(np.meshgrid(*waves, indexing="ij"))
        self.k2 = np.sum(self.k**2, axis=0)
        self.kept = np.all(3 * np.abs(self.k) < n, axis=0)
        self.damping = viscosity * self.k2

    def spectrum(self, u):
        return np.fft.rfftn(u, axes=(-3, -2, -1)) / self.n**3 * self.kept

    def space(self, u):
        return np.fft.irfftn(u, s=(self.n,) * 3, axes=(-3, -2, -1)) * self.n**3

    def nonlinear(self, u):
        x = self.space(u)
        f = np.stack([sum(-1j * self.k[j] * self.spectrum(x[i] * x[j]) for j in range(3)) for i in range(3)])
        return f - self.k * np.sum(self.k * f, axis=0) / np.maximum(self.k2, 1)

    def step(self, u, dt):
        """Classical Runge-Kutta of v = exp(nu k^2 t) u from t = 0 on, as it stands in textbooks."""

        def slope(t, v):
            grown = np.exp(self.damping * t)
            return grown * self.nonlinear(v / grown)

        k1 = slope(0, u)
        k2 = slope(dt / 2, u + dt / 2 * k1)
        k3 = slope(dt / 2, u + dt / 2 * k2)
        k4 = slope(dt, u + dt * k3)
        return (u + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)) / np.exp(self.damping * dt)

    def taylor_green(self):
        x, y, z = np.meshgrid(*[2 * np.pi * np.arange(self.n) / self.n] * 3, indexing="ij")
        u = np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * z
        return self.spectrum(np.stack(u))


def turbulence(ranks: int, out: Path, *words: str) -> Outcome:
    """The C++ program; alone it needs no launcher."""
    command = [str(program("weft-turbulence")), f"out={out}", *words]
    return run(command) if ranks == 1 else run_on(ranks, command)


def among_all_modes(u, n: int):
    """A spectrum of m modes as one of n, in which the others are 0."""
    m = u.shape[1]
    assert m == 2 * ((n - 1) // 3) + 1
    wave = np.fft.fftfreq(m, 1 / m).astype(int)
    wide = np.zeros((3, n, n, n // 2 + 1), complex)
    wide[:, wave[:, None], wave, : m // 2 + 1] = u
    return wide


def state(folder: Path, n: int):
    assert not list(folder.glob("*.part*"))
    modes = json.loads((folder / "restart.bin").read_bytes()[:4096])["modes"]
    u = np.fromfile(folder / "restart.bin", complex, offset=4096)
    return among_all_modes(u.reshape(3, *modes[:2], modes[2] // 2 + 1), n)


def series(folder: Path):
    return np.genfromtxt(folder / "series.csv", delimiter=",", names=True)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_taylor_green_as_numpy_has_it(tmp_path, ranks):
    assert turbulence(ranks, tmp_path, "n=16", "dt=0.02", "end=0.4").code == 0
    reference = Reference(16, 1 / 1600)
    u = reference.taylor_green()
    for _ in range(20):
        u = reference.step(u, 0.02)
    assert np.abs(state(tmp_path, 16) - u).max() < 1e-14
    table = series(tmp_path)
    assert len(table) == 21
    assert (table["energy"][0], table["enstrophy"][0]) == pytest.approx((1 / 8, 3 / 8), rel=1e-14)
    # dE/dt = -2 nu Z, over two steps each.
    assert np.nanmax(np.abs(table["balance"])) < 1e-8


RANDOM = "n=24", "dt=0.01", "flow=random", "viscosity=0.02", "seed=7", "peak=3"


@pytest.fixture(scope="module")
def random_flow(tmp_path_factory):
    """Where the program begins, checked, and what NumPy makes of it in 20 steps."""
    folder = tmp_path_factory.mktemp("random")
    assert turbulence(1, folder, *RANDOM, "end=0").code == 0
    begin = state(folder, 24)
    reference = Reference(24, 0.02)
    assert np.abs(np.sum(reference.k * begin, axis=0)).max() < 1e-15
    assert np.abs(reference.spectrum(reference.space(begin)) - begin).max() < 1e-16  # of real fields
    assert series(folder)["energy"] == pytest.approx(0.5, rel=1e-14)
    shells = np.genfromtxt(folder / "spectra.csv", delimiter=",", names=True)
    wanted = shells["k"] ** 4 * np.exp(-2 * (shells["k"] / 3) ** 2) * (shells["energy"] > 0)
    assert shells["energy"] == pytest.approx(0.5 * wanted / wanted.sum(), rel=1e-7)
    u = begin
    for _ in range(20):
        u = reference.step(u, 0.01)
    return folder, u


def check_series(folder: Path) -> None:
    table = series(folder)
    assert table["time"] == pytest.approx(0.01 * np.arange(21))
    # The first two lines of each run have no balance.
    assert np.nanmax(np.abs(table["balance"])) < 1e-6
    assert np.isfinite(table["balance"]).sum() >= 15
    assert np.all(np.diff(table["energy"]) < 0)


def test_random_turbulence_goes_on_from_its_restart_file(random_flow):
    folder, wanted = random_flow
    for ranks, end in (3, "0.1"), (2, "0.2"):
        assert turbulence(ranks, folder, f"restart={folder / 'restart.bin'}", "dt=0.01", f"end={end}").code == 0
    assert np.abs(state(folder, 24) - wanted).max() < 1e-14
    check_series(folder)


@needs_h5py
@needs_matplotlib
def test_twin_in_python(tmp_path, random_flow):
    import h5py

    command = [sys.executable, "-m", "mpi4py", str(FOLDER / "turbulence.py"), f"out={tmp_path}", "dt=0.01"]
    assert run([*command, *RANDOM, "end=0.1"]).code == 0
    assert run_on(2, [*command, f"restart={tmp_path / 'restart.h5'}", "end=0.2"]).code == 0
    assert not [*tmp_path.glob("*.part"), *tmp_path.glob(".*.tmp")]
    with h5py.File(tmp_path / "restart.h5") as file:
        assert np.abs(among_all_modes(file["velocity"][()], 24) - random_flow[1]).max() < 1e-14
    check_series(tmp_path)

    outcome = run([sys.executable, str(FOLDER / "picture.py"), str(tmp_path)])
    assert outcome.code == 0, outcome
    assert (tmp_path / "picture.png").stat().st_size > 20000


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("flow=laminar", "flow is 'laminar'; allowed are taylor-green and random"),
        ("m=16", "'m=16' is no argument; these are"),
        ("n=two", "n is 'two'; it must be a number of at least 4"),
        ("restart=nowhere.bin", "the restart file 'nowhere.bin' cannot be read"),
    ],
)
def test_bad_arguments(tmp_path, word, complaint):
    outcome = turbulence(1, tmp_path, "n=8", "end=0", word)
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: {complaint}")


def test_half_a_restart_file_is_refused(tmp_path):
    assert turbulence(1, tmp_path, "n=8", "end=0").code == 0
    file = tmp_path / "restart.bin"
    file.write_bytes(file.read_bytes()[:-16])
    outcome = turbulence(2, tmp_path, f"restart={file}", "end=1")
    assert outcome.code == 2
    assert outcome.err.count("has 7680 bytes; its head asks for 7696") == 1


def test_a_step_that_is_too_long_is_told(tmp_path):
    outcome = turbulence(1, tmp_path, "n=8", "dt=50", "end=5000")
    assert outcome.code == 2
    assert "which is too long a step" in outcome.err
