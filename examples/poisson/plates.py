"""Charges between two grounded metal plates, open to all other sides: their potential, checked by images.

mpiexec -n 2 python -m mpi4py plates.py [--points 64] [--picture plates.png]
"""

import argparse
import math

import numpy as np
from mpi4py import MPI

import weft

COMM = MPI.COMM_WORLD
SIGMA = 0.05  # of the Gaussian that each charge is
CHARGES = [(1.0, (0.4, 0.5, 0.35)), (-0.5, (0.65, 0.55, 0.7))]  # charge, place; the plates are at z = 0 and z = 1
IMAGES = 4000


def by_images(x, y, z):
    """The potential at points: of each charge and its mirror images, which have both signs in turns."""
    m = np.arange(-IMAGES, IMAGES + 1)[:, None]
    error_function = np.vectorize(math.erf)
    total = np.zeros_like(x)
    for charge, (x0, y0, z0) in CHARGES:
        aside = (x - x0) ** 2 + (y - y0) ** 2
        for sign, place in ((1, 2 * m + z0), (-1, 2 * m - z0)):
            r = np.sqrt(aside + (z - place) ** 2)
            # Far images are points; erf is 1 there.
            near = np.where(r < 10 * SIGMA, error_function(np.minimum(r, 10 * SIGMA) / (math.sqrt(2) * SIGMA)), 1)
            total += charge * sign * (near / r).sum(axis=0) / (4 * math.pi)
        # What is left out of the sum: pairs of both signs decay as 1 / m^3.
        total += charge * z * z0 / (4 * math.pi) / (2 * IMAGES**2)
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=64, help="along each axis")
    parser.add_argument("--picture", help="a file for a picture of the plane through the first charge")
    arguments = parser.parse_args()
    n = arguments.points
    with weft.Poisson((n, n, n), sides=("open", "open", "odd")) as solve:
        x, y, z = solve.coordinates()
        density = np.zeros(solve.input_shape)
        for charge, (x0, y0, z0) in CHARGES:
            r2 = (x - x0) ** 2 + (y - y0) ** 2 + (z - z0) ** 2
            density += charge * np.exp(-r2 / (2 * SIGMA**2)) / (2 * math.pi * SIGMA**2) ** 1.5
        potential = solve(-density)

        # At some points of each rank.
        picked = (
            np.random.default_rng(COMM.rank).integers(0, potential.size, 20) if potential.size else np.zeros(0, int)
        )
        at = [np.broadcast_to(axis, potential.shape).ravel()[picked] for axis in (x, y, z)]
        error = np.abs(potential.ravel()[picked] - by_images(*at)).max(initial=0)
        error, largest = (COMM.allreduce(value, MPI.MAX) for value in (error, np.abs(potential).max(initial=0)))

        # The charge that the lower plate has on its surface; all of it, were the box as wide as the plates.
        h = 1 / n
        surface = -(9 * potential[..., 0] - potential[..., 1]).sum() / (3 * h) * h * h if potential.size else 0.0
        surface = COMM.allreduce(surface)
        if COMM.rank == 0:
            print(f"{n}^3 points, {COMM.size} ranks: the potential is wrong by {error:.1e} of {largest:.2f}")
            print(f"on the lower plate, inside of the box: a charge of {surface:.3f}")
        if arguments.picture:
            draw(COMM.gather((solve.output_slice, potential)), n, arguments.picture)
        assert error < 1e-9 * largest + (1e-2 if n < 48 else 0), error


def draw(parts, n, path):
    if parts is None:
        return
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    whole = np.zeros((n, n, n))
    for slices, part in parts:
        whole[slices] = part
    plane = whole[:, n // 2].T
    figure, axes = plt.subplots(figsize=(6, 5))
    limit = np.abs(plane).max()
    image = axes.imshow(plane, origin="lower", extent=(0, 1, 0, 1), cmap="RdBu_r", vmin=-limit, vmax=limit)
    axes.contour(plane, np.linspace(-limit, limit, 42)[1:-1], extent=(0, 1, 0, 1), colors="k", linewidths=0.4)
    axes.set(xlabel="x", ylabel="z", title="charges between grounded plates: potential at y = 0.5")
    figure.colorbar(image)
    figure.savefig(path, dpi=120, bbox_inches="tight")
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
