"""The pressure step of a channel's flow: velocities on the faces of cells, thin cells at both walls; exact to rounding.

mpiexec -n 2 python -m mpi4py channel.py [--points 32] [--picture channel.png]

A flow without divergence, plus the gradient of anything, is given to it; the flow must come back.
"""

import argparse

import numpy as np
from mpi4py import MPI

import weft

COMM = MPI.COMM_WORLD
LENGTHS = (4.0, 2.0, 2.0)  # x along the channel, y from wall to wall, z


class Step:
    """u less the gradient of a pressure, so that its divergence is zero. u[0], u[1], u[2] lie on the faces below each cell."""

    def __init__(self, shape, heights):
        slabs = weft.Layout.slab(shape, COMM.size)
        self.solve = weft.Poisson(
            shape, lengths=LENGTHS, sides=("periodic", "even", "periodic"), stencil="second_order",
            spacings=(None, heights, None), input_layout=slabs, output_layout=slabs,
        )  # fmt: skip
        # One cell of the neighbours along x, and around the end of z.
        width = [(1, 1), (0, 0), (1, 1)]
        self.pressure = weft.GhostExchange(shape, slabs, width=width)
        self.velocity = weft.GhostExchange(shape, slabs, width=width, batch=3)
        self.dx, self.dz = LENGTHS[0] / shape[0], LENGTHS[2] / shape[2]
        self.dy = heights[:, None]
        self.between = (heights[1:, None] + heights[:-1, None]) / 2  # centres of cells

    def divergence(self, u):
        part = self.velocity.scatter(u)
        inner = (slice(1, -1), slice(None), slice(1, -1))
        above = np.zeros_like(part[1][inner])  # nothing flows through the upper wall
        above[:, :-1] = part[1][inner][:, 1:]
        return (
            (part[0][2:, :, 1:-1] - part[0][inner]) / self.dx
            + (above - part[1][inner]) / self.dy
            + (part[2][1:-1, :, 2:] - part[2][inner]) / self.dz
        )

    def gradient(self, p):
        part = self.pressure.scatter(p)
        inner = part[1:-1, :, 1:-1]
        found = np.zeros((3, *inner.shape))
        found[0] = (inner - part[:-2, :, 1:-1]) / self.dx
        found[1][:, 1:] = (inner[:, 1:] - inner[:, :-1]) / self.between
        found[2] = (inner - part[1:-1, :, :-2]) / self.dz
        return found

    def __call__(self, u):
        u -= self.gradient(self.solve(self.divergence(u)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=32, help="from wall to wall; twice as many along the channel")
    parser.add_argument("--picture", help="a file for a picture of the flow before and after, in a plane")
    arguments = parser.parse_args()
    shape = nx, ny, nz = 2 * arguments.points, arguments.points, arguments.points
    faces = LENGTHS[1] / 2 * (1 + np.tanh(2 * np.linspace(-1, 1, ny + 1)) / np.tanh(2))
    step = Step(shape, np.diff(faces))

    # A stream function at the edges of cells, constant along both walls: its flow has no divergence at all.
    rows = step.solve.input_slice[0]
    x = np.arange(rows.start, rows.stop + 1)[:, None] * step.dx
    psi = faces**2 * (1.5 - faces / 2) / 3 + 0.2 * np.sin(np.pi * faces / 2) ** 2 * np.sin(np.pi * x)
    flow = np.zeros(step.velocity.source_shape)
    if flow.size:
        flow[0] = (np.diff(psi[:-1], axis=1) / step.dy.T)[:, :, None]
        flow[1] = (-np.diff(psi, axis=0)[:, :-1] / step.dx)[:, :, None]
    pressure = np.random.default_rng(COMM.rank).standard_normal(step.pressure.source_shape) * 0.02
    given = flow + step.gradient(pressure)

    u = given.copy()
    step(u)
    values = [np.abs(step.divergence(given)), np.abs(step.divergence(u)), np.abs(u - flow)]
    before, after, error = (COMM.allreduce(value.max(initial=0), MPI.MAX) for value in values)
    if COMM.rank == 0:
        print(f"{nx} x {ny} x {nz} cells, the thinnest {np.diff(faces).min():.4f}, {COMM.size} ranks:")
        print(f"divergence {before:.1e} before, {after:.1e} after; the flow is wrong by {error:.1e}")
    if arguments.picture:
        draw(COMM.gather((given[:, :, :, 0], u[:, :, :, 0])), faces, arguments.picture)
    assert after < 1e-10 * before, after
    assert error < 1e-10 * before, error


def draw(parts, faces, path):
    if parts is None:
        return
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, both = plt.subplots(2, 1, figsize=(8, 7), sharex=True)
    for axes, place, title in zip(both, (0, 1), ("before the pressure step", "after")):
        whole = np.concatenate([part[place] for part in parts], axis=1)
        x = np.linspace(0, LENGTHS[0], whole.shape[1] + 1)
        image = axes.pcolormesh(x, faces, whole[1].T, cmap="RdBu_r", vmin=-0.8, vmax=0.8)
        axes.set(ylabel="y", title=f"velocity from wall to wall, {title}")
        figure.colorbar(image, ax=axes)
    both[1].set(xlabel="x")
    figure.savefig(path, dpi=120, bbox_inches="tight")
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
