"""Draws what a run of turbulence.cpp or turbulence.py has left in a folder: dissipation, spectra, slices of vorticity.

python picture.py FOLDER [PICTURE.png]
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullFormatter


def state(folder):
    """Time, the velocity's spectrum of m modes [3, m0, m1, m2/2+1], and the shape in space, of the restart file."""
    if (path := folder / "restart.h5").exists():
        import h5py

        with h5py.File(path) as file:
            about = file["velocity"].attrs
            return float(about["time"]), file["velocity"][()], tuple(map(int, about["shape"]))
    path = folder / "restart.bin"
    with open(path, "rb") as file:
        head = json.loads(file.read(4096))
    modes = head["modes"]
    u = np.fromfile(path, complex, offset=4096)
    return head["time"], u.reshape(3, *modes[:2], modes[2] // 2 + 1), tuple(head["shape"])


def vorticity(u, shape):
    """|omega| in space."""
    waves = [np.fft.fftfreq(m, 1 / m).astype(int) for m in u.shape[1:3]] + [np.arange(u.shape[3])]
    k = np.array(np.meshgrid(*waves, indexing="ij"))
    omega = np.zeros((3, *shape[:2], shape[2] // 2 + 1), complex)
    omega[:, k[0], k[1], k[2]] = 1j * np.cross(k, u, axis=0)
    omega = np.fft.irfftn(omega, s=shape, axes=(1, 2, 3), norm="forward")
    return np.sqrt((omega**2).sum(axis=0))


def main():
    folder = Path(sys.argv[1])
    series = np.genfromtxt(folder / "series.csv", delimiter=",", names=True)
    spectra = np.genfromtxt(folder / "spectra.csv", delimiter=",", names=True)
    time, u, shape = state(folder)
    strength = vorticity(u, shape)

    figure, axes = plt.subplots(2, 2, figsize=(11, 9), constrained_layout=True)
    (left, right), below = axes
    left.plot(series["time"], series["dissipation"], label=r"$2 \nu Z$")
    left.set(xlabel="time", ylabel="dissipation", title="Dissipation")
    inset = left.twinx()
    inset.plot(series["time"], series["energy"], color="gray", linestyle="--")
    inset.set_ylabel("energy (dashed)")
    times = np.unique(spectra["time"])
    for at in times[np.linspace(0, len(times) - 1, min(len(times), 6)).astype(int)]:
        of = spectra[(spectra["time"] == at) & (spectra["k"] > 0) & (spectra["energy"] > 1e-14)]
        right.loglog(of["k"], of["energy"], label=f"t = {at:g}")
    right.xaxis.set_minor_formatter(NullFormatter())
    right.set(xlabel="k", ylabel="E(k)", title="Spectra of energy")
    right.legend()
    for axis, at in zip(below, (0, shape[0] // 4)):
        image = axis.imshow(strength[at].T, origin="lower", extent=(0, 2 * np.pi) * 2, cmap="magma")
        axis.set(xlabel="y", ylabel="z", title=rf"$|\omega|$ at x = {2 * np.pi * at / shape[0]:.2f}, t = {time:g}")
        figure.colorbar(image, ax=axis)
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else folder / "picture.png"
    figure.savefig(target, dpi=100)
    print(target)


if __name__ == "__main__":
    main()
