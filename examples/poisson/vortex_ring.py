"""A vortex ring in open space: its velocity by the law of Biot and Savart, checked on its axis, and how fast it travels.

mpiexec -n 2 python -m mpi4py vortex_ring.py [--points 96] [--picture ring.png]
"""

import argparse
import math

import numpy as np
from mpi4py import MPI

import weft

COMM = MPI.COMM_WORLD
RADIUS, CORE = 0.25, 0.05  # of the ring, and of the Gaussian across it; the box has the side 1, the circulation is 1


def swirl(r, z):
    """Vorticity around the axis, at a distance r from it, z above the ring."""
    return np.exp(-((r - RADIUS) ** 2 + z**2) / CORE**2) / (math.pi * CORE**2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=96, help="along each axis")
    parser.add_argument("--picture", help="a file for a picture of the plane through the axis")
    arguments = parser.parse_args()
    n = arguments.points
    with weft.Poisson((n, n, n), sides="open", result="velocity") as solve:
        x, y, z = (axis - 0.5 for axis in solve.coordinates())
        r = np.hypot(x, y)
        omega = swirl(r, z)
        vorticity = solve.empty_input()
        vorticity[0], vorticity[1], vorticity[2] = -omega * y / r, omega * x / r, 0
        velocity = solve(vorticity)

        # On the axis, by the integral over all circles that the ring is made of; there are points around it, of an even n.
        distance = np.hypot(x, y) + 0 * z
        nearest = COMM.allreduce(distance.min(initial=1.0), MPI.MIN)
        heights = np.linspace(-5 * CORE, 5 * CORE, 201)
        radii = RADIUS + heights
        circles = swirl(radii[:, None], heights[None, :]) * (heights[1] - heights[0]) ** 2
        found = np.argwhere(np.abs(distance - nearest) < 1e-9)
        worst = largest = 0.0
        for i, j, k in found[:: max(1, len(found) // 40)]:
            a, b = float(np.ravel(x)[i]), float(np.ravel(y)[j])
            height = float(np.ravel(z)[k]) - heights[None, :]
            wanted = (circles * on_a_circle(radii[:, None], math.hypot(a, b), height)).sum()
            worst, largest = max(worst, abs(velocity[2, i, j, k] - wanted)), max(largest, abs(wanted))
        worst, largest = (COMM.allreduce(value, MPI.MAX) for value in (worst, largest))

        # The ring is where the mean height of its impulse is, whose density is omega r^2 in a plane; omega / r is carried along.
        outward = (velocity[0] * x + velocity[1] * y) / r
        sums = COMM.allreduce(np.array([(omega * (r * velocity[2] + 2 * z * outward)).sum(), (omega * r).sum()]))
        saffman = (math.log(8 * RADIUS / CORE) - 0.558) / (4 * math.pi * RADIUS)
        if COMM.rank == 0:
            print(
                f"{n}^3 points, {COMM.size} ranks: near the axis the velocity is wrong by {worst:.1e} of {largest:.2f}"
            )
            print(
                f"the ring travels at {sums[0] / sums[1]:.3f}; a thin one would, by Saffman's formula, at {saffman:.3f}"
            )
        if arguments.picture:
            draw(COMM.gather((solve.output_slice, velocity, omega)), n, arguments.picture)
        assert worst < (1e-8 if n >= 48 else 1e-2) * largest, worst


def on_a_circle(radius, r, height, steps=64):
    """What a circle of circulation 1 makes along the axis, at the distance r from it."""
    total = 0.0
    for angle in 2 * math.pi * np.arange(steps) / steps:
        dx, dy = r - radius * math.cos(angle), -radius * math.sin(angle)
        # dl x d / |d|^3, its part along the axis
        total = total + radius * (-math.sin(angle) * dy - math.cos(angle) * dx) / (dx**2 + dy**2 + height**2) ** 1.5
    return total * (2 * math.pi / steps) / (4 * math.pi)


def draw(parts, n, path):
    if parts is None:
        return
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    whole, vorticity = np.zeros((3, n, n, n)), np.zeros((n, n, n))
    for slices, part, omega in parts:
        whole[(slice(None), *slices)], vorticity[slices] = part, omega
    axis = (np.arange(n) + 0.5) / n - 0.5
    figure, axes = plt.subplots(figsize=(5.5, 5.5))
    axes.imshow(vorticity[:, n // 2].T, origin="lower", extent=(-0.5, 0.5, -0.5, 0.5), cmap="Reds")
    axes.streamplot(
        axis, axis, whole[0, :, n // 2].T, whole[2, :, n // 2].T, color="k", linewidth=0.5, arrowsize=0.7, density=1.4
    )
    axes.set(xlabel="x", ylabel="z", title="a vortex ring: vorticity and streamlines")
    figure.savefig(path, dpi=120, bbox_inches="tight")
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
