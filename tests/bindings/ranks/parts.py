"""Arrays of several boxes of a rank, and with ghosts, at the ends of transforms, operators and solvers."""

import numpy as np
from checking import COMM, around, random_bricks, run_checks, same_error
from mpi4py import MPI

import weft


def patches(shape, seed):
    """About three boxes a rank, dealt at random."""
    boxes = random_bricks(shape, 3 * COMM.size + 1, seed)
    owners = np.random.default_rng(seed).integers(0, COMM.size, len(boxes)).tolist()
    return weft.Layout.patches(shape, boxes, owners, COMM.size)


def check_layouts():
    layout = patches((4, 5, 6), 1)
    assert layout.has_several == (max(len(layout.boxes(rank)) for rank in range(COMM.size)) > 1)
    points = sum(np.prod(np.subtract(hi, lo)) for rank in range(COMM.size) for lo, hi in layout.boxes(rank))
    assert points == 120
    assert layout == patches((4, 5, 6), 1) != patches((4, 5, 6), 2)
    with np.testing.assert_raises_regex(weft.Error, "not one box each"):
        layout.box(0)
    with np.testing.assert_raises_regex(weft.Error, r"owners\[1\]"):
        weft.Layout.patches((2, 2, 2), [((0, 0, 0), (1, 2, 2)), ((1, 0, 0), (2, 2, 2))], [0, "a"], 1)


def check_transforms():
    rng = np.random.default_rng(5)
    for number, (shape, batch, more) in enumerate(
        [
            ((6, 5, 8), 1, {}),
            ((6, 5, 8), 2, {"interleaved": True}),
            ((4, 3, 5), 3, {"kind": "r2c"}),
            ((4, 3, 5, 2), 2, {}),
            ((7, 6), 2, {"input_ghosts": (2, (0, 1))}),
        ]
    ):
        real = more.get("kind") == "r2c"
        whole = rng.standard_normal((*shape, batch)) + (0 if real else 1j * rng.standard_normal((*shape, batch)))
        grid = shape[:3] if len(shape) > 2 else (shape[0], 1, shape[1])
        axes = tuple(range(len(shape)))
        wanted = np.fft.rfftn(whole, axes=axes) if real else np.fft.fftn(whole, axes=axes)
        options = {"input_ghosts": (1, 0, (0, 2)), **more}
        last = "interleaved" in more
        with weft.FFT(
            shape, COMM, batch=batch, normalization="backward", input_layout=patches(grid, number), **options
        ) as fft:
            x = fft.empty_input()
            assert len(fft.input_parts(x)) == len(fft.input_boxes) == len(fft.input_inner)
            for part, box, inner in zip(fft.input_parts(x), fft.input_boxes, fft.input_inner):
                here = around(whole, box)
                part[...] = (here if last else np.moveaxis(here, -1, 0)).reshape(part.shape)
                assert all(0 <= cut.start <= cut.stop <= hi - lo for cut, lo, hi in zip(inner, *box))
            y = fft.forward(x)
            mine = wanted[fft.output_slice]
            np.testing.assert_allclose(y, (mine if last else np.moveaxis(mine, -1, 0)).reshape(y.shape), atol=1e-9)
            np.testing.assert_allclose(fft.backward(y), x, atol=1e-12)
            assert "parts      of the input" in fft.explain()


def check_sums():
    # What lies in ghosts is added to the points that they stand for.
    shape = (5, 6, 4)
    with weft.FFT(shape, COMM, kind="r2c", input_ghosts=1, sum_ghosts=True, output_ghosts=(1, 0, 0)) as fft:
        x = fft.empty_input()
        x[...] = 1
        times = np.zeros(shape)
        grids = np.meshgrid(*[np.arange(lo, hi) % n for lo, hi, n in zip(*fft.input_boxes[0], shape)], indexing="ij")
        np.add.at(times, tuple(grids), 1)
        COMM.Allreduce(MPI.IN_PLACE, times)
        y = fft.forward(x)
        np.testing.assert_allclose(y, around(np.fft.rfftn(times), fft.output_boxes[0]), atol=1e-10)
        assert y[fft.output_inner[0]].shape == tuple(cut.stop - cut.start for cut in fft.output_slice)
        waves = fft.wavenumbers()
        assert np.broadcast_shapes(*(k.shape for k in waves)) == y[fft.output_inner[0]].shape


def check_operators_and_solvers():
    n = 8
    shape = (n, n, n)
    x = 2 * np.pi * np.arange(n) / n
    whole = np.sin(x)[:, None, None] * np.cos(x)[None, :, None] * np.ones(n)
    bricks = weft.Layout.bricks(shape, random_bricks(shape, COMM.size, 4))
    with weft.Operator(
        shape, weft.operators.gradient(), kind="r2c", comm=COMM, input_layout=patches(shape, 3), output_layout=bricks,
        output_ghosts=2,
    ) as op:  # fmt: skip
        field = op.empty_input()
        for part, box in zip(op.input_parts(field), op.input_boxes):
            part[...] = around(whole, box)
        found = op(field)
        wanted = np.cos(x)[:, None, None] * np.cos(x)[None, :, None] * np.ones(n)
        np.testing.assert_allclose(found[0], around(wanted, op.output_boxes[0]), atol=1e-12)
    with weft.Poisson(
        shape, lengths=2 * np.pi, points="nodes", comm=COMM, input_layout=patches(shape, 6), input_ghosts=(0, 0, (0, 1)),
        output_ghosts=1,
    ) as solve:  # fmt: skip
        f = solve.empty_input()
        for part, box in zip(solve.input_parts(f), solve.input_boxes):
            part[...] = around(whole, box)
        u = solve(f)
        np.testing.assert_allclose(u, around(-whole / 2, solve.output_boxes[0]), atol=1e-12)
        assert abs(solve.mean(f)) < 1e-14
        same_error("ranks have several boxes|never", lambda: solve.input_slice or solve.raise_never)


def check_ghost_exchanges():
    shape = (6, 5, 4)
    rng = np.random.default_rng(2)
    whole = rng.integers(-50, 50, shape).astype(float)
    slabs, target = weft.Layout.slab(shape, COMM.size), patches(shape, 8)
    with weft.GhostExchange(shape, slabs, target, width=(1, (0, 2), 0), comm=COMM) as ghosts:
        parts = ghosts.scatter(np.ascontiguousarray(whole[ghosts.source_slice]))
        assert len(ghosts.target_boxes) == len(ghosts.inners)
        for part, box in zip(ghosts.target_parts(parts), ghosts.target_boxes):
            np.testing.assert_array_equal(part, around(whole, box))
        np.testing.assert_array_equal(ghosts.gather(parts), whole[ghosts.source_slice])
        alone = np.full_like(parts, -1)
        for part, had, inner in zip(ghosts.target_parts(alone), ghosts.target_parts(parts), ghosts.inners):
            part[inner] = had[inner]
        np.testing.assert_array_equal(ghosts.update(alone), parts)
    # From patches to patches.
    with weft.GhostExchange(shape, target, patches(shape, 9), width=0, comm=COMM) as move:
        x = np.empty(move.source_shape)
        for part, box in zip(move.source_parts(x), move.source_boxes):
            part[...] = around(whole, box)
        for part, box in zip(move.target_parts(move.scatter(x)), move.target_boxes):
            np.testing.assert_array_equal(part, around(whole, box))


def check_errors():
    shape = (6, 5, 4)
    for pattern, options in (
        ("^in_place is true; with ghosts", {"input_ghosts": 1, "in_place": True}),
        ("^output_ghosts: below is 7 along axis 0", {"output_ghosts": (7, 0, 0)}),
        ("^sum_ghosts is true; it applies", {"sum_ghosts": True}),
        ("^input_ghosts is '1x2x3x4'", {"input_ghosts": (1, 2, 3, 4)}),
        ("input_order or output_order is not 012", {"input_ghosts": 1, "input_order": (1, 0, 2)}),
    ):
        same_error(pattern, lambda options=options: weft.FFT(shape, COMM, **options))
    with weft.FFT(shape, COMM, input_ghosts=1) as fft:
        last = COMM.rank == COMM.size - 1
        x = fft.empty_input()
        same_error("^x has shape", lambda: fft.forward(x[fft.input_inner[0]] if last else x))
        same_error("this end has ghosts", lambda: fft.write_input("never.h5", x))
    layout = patches(shape, 1)
    if layout.has_several:
        same_error(
            "a redistribution needs one box a rank",
            lambda: weft.Redistribution(shape, layout, weft.Layout.slab(shape, COMM.size)),
        )


run_checks(globals())
