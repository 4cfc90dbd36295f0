"""Decaying turbulence in a periodic box: Taylor and Green's vortex, or random waves. The twin of turbulence.cpp.

    mpiexec -n 2 python -m mpi4py turbulence.py flow=taylor-green n=64 end=10 out=tgv

writes series.csv (time, energy, enstrophy, dissipation, balance; every step), spectra.csv and restart.h5 into the folder
out; picture.py draws them. The method is that of flow.hpp.
"""

import os
import sys
from pathlib import Path

import h5py
import numpy as np
from mpi4py import MPI

import weft
from weft.cli.output import write_text
from weft.cli.progress import Stages

COMM = MPI.COMM_WORLD
WISHES = {"flow": "taylor-green", "n": "64", "viscosity": "0.000625", "dt": "0", "end": "10", "save": "1"}
WISHES |= {"seed": "1", "peak": "4", "out": "turbulence", "restart": ""}


class Flow:
    """du/dt = N - nu k^2 u with N = P (u x omega), of which this rank has a part: arrays [field, k0, k1, k2]."""

    def __init__(self, n, viscosity):
        # u x omega is taken in space, while a plane is in cache: spectra of six fields come, those of three go.
        # The 2/3 rule: of n points, wave numbers below n/3 are kept, so that the product has no aliases.
        m = kept_modes(n)
        self.product = weft.Operator(
            (n, n, n), "cross", kind="r2c", normalization="forward", transposed=True, modes=(m, m, m)
        )
        self.fields, self.crossed = self.product.empty_input(), self.product.empty_output()
        self.part = tuple(slice(lo, hi) for lo, hi in zip(*self.product.input_box))
        waves = [np.fft.fftfreq(m, 1 / m), np.fft.fftfreq(m, 1 / m), np.fft.rfftfreq(m, 1 / m)]
        self.k = np.array(np.meshgrid(*(k[part] for k, part in zip(waves, self.part)), indexing="ij"))
        self.k2 = (self.k**2).sum(axis=0)
        self.shell = np.rint(np.sqrt(self.k2)).astype(int)
        self.shells = int(np.sqrt(3) * n / 3) + 2
        self.viscosity = viscosity
        self.u = np.zeros(self.k.shape, complex)

    def projected(self, f):
        """What of a field has no divergence."""
        return f - self.k * ((self.k * f).sum(axis=0) / np.where(self.k2 > 0, self.k2, 1))

    def nonlinear(self, u):
        """P (u x omega)"""
        self.fields[:3], self.fields[3:] = u, 1j * np.cross(self.k, u, axis=0)
        return self.projected(self.product(self.fields, self.crossed))

    def step(self, dt):
        """A step of Runge and Kutta for exp(nu k^2 t) u, whose equation has no viscous term."""
        u, e = self.u, np.exp(-self.viscosity * self.k2 * dt / 2)
        n = self.nonlinear(u)
        total = e * e * (u + dt / 6 * n)
        n = self.nonlinear(e * (u + dt / 2 * n))
        total += dt / 3 * e * n
        n = self.nonlinear(e * u + dt / 2 * n)
        total += dt / 3 * e * n
        self.u = total + dt / 6 * self.nonlinear(e * (e * u + dt * n))

    def energies(self):
        """Of each wave vector and, of real fields, its negative."""
        return np.where(self.k[2] == 0, 0.5, 1) * (abs(self.u) ** 2).sum(axis=0)

    def sample(self):
        """Kinetic energy and enstrophy."""
        energies = self.energies()
        return COMM.allreduce(np.array([energies.sum(), (self.k2 * energies).sum()]))

    def spectrum(self):
        """Energy by shells: that of all k whose length is rounded to 0, 1, 2, ..."""
        return COMM.allreduce(np.bincount(self.shell.ravel(), self.energies().ravel(), self.shells))

    def taylor_green(self):
        """u = (sin x cos y cos z, -cos x sin y cos z, 0)"""
        self.u = (abs(self.k) == 1).all(axis=0) * np.array([-1j * self.k[0], 1j * self.k[1], 0 * self.k[2]]) / 8

    def random(self, seed, peak):
        """Random phases; energies proportional to k^4 exp(-2 (k / peak)^2), 1/2 in all."""
        k0, k1, k2 = self.k
        side = np.where((k2 == 0) & ((k0 < 0) | ((k0 == 0) & (k1 < 0))), -1, 1)  # u(-k) is the conjugate of u(k)
        phases = np.array([phase(side * self.k, seed, component) for component in range(3)])
        self.u = self.projected(np.exp(1j * side * phases))
        have, shells = self.spectrum(), np.arange(self.shells)
        wanted = np.where(have > 0, shells**4 * np.exp(-2 * (shells / peak) ** 2), 0)
        factors = np.sqrt(0.5 / wanted.sum() * wanted / np.where(have > 0, have, 1))
        self.u *= factors[np.minimum(self.shell, self.shells - 1)]


def kept_modes(n):
    return 2 * ((n - 1) // 3) + 1


def phase(k, seed, component):
    """From 0 to 2 pi, as turbulence.cpp has it: a hash of the wave vector."""
    number = np.full(k.shape[1:], 3 * seed + component, np.uint64)
    for along in k:
        number = (number ^ along.astype(np.int64).view(np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
        number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        number ^= number >> np.uint64(31)
    return 2 * np.pi * np.ldexp((number >> np.uint64(11)).astype(float), -53)


def save(path, flow, n, time, step):
    """By all ranks; the file is whole or not there."""
    m = kept_modes(n)
    about = {"shape": (n, n, n), "modes": (m, m, m), "viscosity": flow.viscosity, "time": time, "step": step}
    flow.product.write_output(path, flow.u, "velocity", attributes=about)


def look(path):
    """What a restart file says of itself: points along an axis, viscosity, time and step."""
    if not os.path.isfile(path):  # a pipe would be waited for
        raise weft.Error(f"restart is '{path}'; there is no such file")
    with h5py.File(path) as file:
        about = file["velocity"].attrs
        return int(about["shape"][0]), float(about["viscosity"]), float(about["time"]), int(about["step"])


def main():
    given = dict(word.partition("=")[::2] for word in sys.argv[1:])
    wishes = WISHES | given
    if wishes.keys() != WISHES.keys() or wishes["flow"] not in ("taylor-green", "random"):
        known = " ".join(f"{name}={value}" for name, value in WISHES.items())
        sys.exit(f"error: arguments are {known}; flow may be random, too" if COMM.rank == 0 else 2)
    n, time, first = int(wishes["n"]), 0.0, 0
    if wishes["restart"]:
        n, viscosity, time, first = look(wishes["restart"])
        flow = Flow(n, viscosity)
        flow.u = flow.product.read_output(wishes["restart"], "velocity")
    else:
        flow = Flow(n, float(wishes["viscosity"]))
        if wishes["flow"] == "random":
            flow.random(int(wishes["seed"]), float(wishes["peak"]))
        else:
            flow.taylor_green()
    dt, every, out = float(wishes["dt"]) or 1 / n, float(wishes["save"]), Path(wishes["out"])
    steps, begin, samples, series, spectra = round((float(wishes["end"]) - time) / dt), time, [], [], []

    with Stages(COMM.rank == 0) as stages, stages.stage(f"t = {time:g} to {wishes['end']}", max(steps, 1)) as advance:
        for done in range(steps + 1):
            samples = [*samples[-2:], flow.sample()]
            # Of three steps, -dE over what viscosity has taken, by Simpson's rule.
            (e0, z0), (_, z1), (e2, z2) = samples if done > 1 else [(np.nan, np.nan)] * 3
            balance = (e0 - e2) / (2 * flow.viscosity * dt / 3 * (z0 + 4 * z1 + z2)) - 1 if flow.viscosity else np.nan
            energy, enstrophy = samples[-1]
            dissipation = 2 * flow.viscosity * enstrophy
            series.append(f"{time:.12g},{energy:.17g},{enstrophy:.17g},{dissipation:.17g},{balance:.3e}")
            if done == steps or (every > 0 and (time + dt / 2) // every > (time - dt / 2) // every):
                spectra += [f"{time:.9g},{shell},{e:.9g}" for shell, e in enumerate(flow.spectrum())]
                if COMM.rank == 0:
                    out.mkdir(parents=True, exist_ok=True)
                    write(out / "series.csv", "time,energy,enstrophy,dissipation,balance", begin, series)
                    write(out / "spectra.csv", "time,k,energy", begin, spectra)
                COMM.Barrier()
                save(out / "restart.h5", flow, n, time, first + done)
            if done < steps:
                flow.step(dt)
                time = begin + (done + 1) * dt
                advance(1)


def write(path, head, begin, lines):
    """A table; what it had of the times before stays when a run goes on."""
    before = path.read_text().splitlines()[1:] if begin > 0 and path.exists() else []
    kept = [line for line in before if float(line.split(",")[0]) < begin - 1e-9]
    write_text(path, "\n".join([head, *kept, *lines, ""]))


if __name__ == "__main__":
    main()
