"""Ghost layers between slabs, bricks and pencils, of two to four axes, against the whole field."""

from itertools import product

import numpy as np
from checking import COMM, around, random_bricks, run_checks, same_error
from mpi4py import MPI

import weft


def check_all_calls():
    for number, (shape, dtype, batch) in enumerate(
        [((6, 5, 8), "d", 1), ((7, 4), "D", 2), ((3, 1, 4), "f", 1), ((4, 3, 5, 2), "F", 1)]
    ):
        rng = np.random.default_rng(number)
        whole = rng.integers(-50, 50, (batch, *shape)).astype(dtype)
        lead = () if batch == 1 else (batch,)
        divided = shape if len(shape) > 2 else (shape[0], 1, shape[1])
        slabs = weft.Layout.slab(divided[:3], COMM.size)
        bricks = weft.Layout.bricks(divided[:3], random_bricks(divided[:3], COMM.size, number))
        width = [(1, 2), (2, 0), (1, 1)][: min(len(shape), 3)] if shape != (3, 1, 4) else 1
        with weft.GhostExchange(shape, slabs, bricks, width, dtype, batch=batch) as ghosts:
            assert repr(ghosts).startswith(f"<weft.GhostExchange {shape[0]} x ")
            x = np.ascontiguousarray(whole[(..., *ghosts.source_slice)]).reshape(ghosts.source_shape)
            part = ghosts.scatter(x)
            assert part.shape == ghosts.target_shape == (*lead, *(np.subtract(*ghosts.target_box[::-1])))
            wanted = np.array([around(one, ghosts.target_box) for one in whole]).reshape(part.shape)
            np.testing.assert_array_equal(part, wanted)
            assert ghosts.moved.bytes_sent_all == COMM.allreduce(ghosts.moved.bytes_sent)
            np.testing.assert_array_equal(ghosts.gather(part), x)
            # Ghosts anew, from parts alone.
            alone = np.zeros_like(part)
            alone[(..., *ghosts.inner)] = part[(..., *ghosts.inner)]
            assert ghosts.update(alone) is alone
            np.testing.assert_array_equal(alone, wanted)
            # Sums: as many as the points are seen.
            times = np.zeros((batch, *shape))
            grids = np.meshgrid(*[np.arange(lo, hi) % n for lo, hi, n in zip(*ghosts.target_box, shape)], indexing="ij")
            np.add.at(times, (slice(None), *grids), 1)
            COMM.Allreduce(MPI.IN_PLACE, times)
            out = np.empty_like(x)
            assert ghosts.accumulate(part, out) is out
            np.testing.assert_array_equal(out, x * times[(..., *ghosts.source_slice)].reshape(x.shape))
            ghosts.fold(part)
            inner = (..., *ghosts.inner)
            own = np.array([around(one, ghosts.target_box) for one in times]).reshape(part.shape)
            np.testing.assert_array_equal(part[inner], (wanted * own)[inner])


def check_where_the_grid_ends():
    shape = (5, 4, 3)
    whole = 1.0 + np.arange(60).reshape(shape)
    bricks = weft.Layout.bricks(shape, random_bricks(shape, COMM.size, 3))
    for periodic in product((False, True), repeat=3):
        with weft.GhostExchange(shape, bricks.box(COMM.rank), width=2, periodic=periodic) as ghosts:
            part = ghosts.scatter(np.ascontiguousarray(whole[ghosts.source_slice]))
            padded = whole
            for axis, along in enumerate(periodic):
                pads = [(2, 2) if axis == other else (0, 0) for other in range(3)]
                padded = np.pad(padded, pads, "wrap") if along else np.pad(padded, pads)
            lo, hi = ghosts.target_box
            wanted = padded[tuple(slice(a + 2, b + 2) for a, b in zip(lo, hi))]
            np.testing.assert_array_equal(part, wanted.reshape(part.shape))


def check_errors():
    last = COMM.rank == COMM.size - 1
    shape = (2 * COMM.size, 3, 4)
    slab = weft.Layout.slab(shape, COMM.size)
    for pattern, arguments in (
        (r"^width\[0\] is -1; it must be at least 0", {"width": -1}),
        (r"^width is \(1, 1\); one is needed, or one for each of 3 axes", {"width": (1, 1)}),
        (r"^width\[1\] is \(1, 2, 3\); an integer or a pair", {"width": (1, (1, 2, 3), 1)}),
        (r"below is 4 along axis 1; allowed are 0 to 3", {"width": (1, 4, 1)}),
        (r"^dtype is int32; float32, float64", {"dtype": "i4"}),
        (r"^periodic is 'no'", {"periodic": "no"}),
        (r"^target has shape", {"target": weft.Layout.slab((2, 2, 2), COMM.size)}),
        (r"^batch is 0", {"batch": 0}),
    ):
        same_error(pattern, lambda arguments=arguments: weft.GhostExchange(shape, slab, **arguments))
    with weft.GhostExchange(shape, slab) as ghosts:
        x, part = np.zeros(ghosts.source_shape), np.zeros(ghosts.target_shape)
        same_error("^x has dtype float32", lambda: ghosts.scatter(x.astype("f") if last else x))
        same_error("^part has shape", lambda: ghosts.update(part[:-1] if last else part))
        same_error("^out has shape", lambda: ghosts.gather(part, part if last else x))
        if COMM.size > 1:
            same_error("same on all ranks", lambda: ghosts.fold(part) if last else ghosts.update(part))
        ghosts.scatter(x)
    same_error("this GhostExchange is closed", lambda: ghosts.scatter(x))


run_checks(globals())
