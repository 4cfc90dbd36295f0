"""Transforms on several ranks against NumPy: awkward shapes, kinds, precisions, batches, in place, layouts."""

from itertools import product

import numpy as np
from checking import COMM, moving_cores, random_bricks, run_checks, same_bits, same_error
from mpi4py import MPI
from reference import assert_close, local_array, pair, resized, transformed_lines

import weft

SHAPES = [(1, 1, 1), (1, 1, 7), (13, 1, 1), (1, 11, 1), (2, 3, 4), (7, 5, 3), (8, 12, 10)]
KINDS = ("c2c", "r2c", "c2r")
KEPT: list = []


def compare(shape, kind, precision="double", batch=1, comm=COMM, **options):
    """Forward alone, and backward; the parts of all ranks are compared, so together the whole grid is."""
    field, spectrum = pair(kind, shape, batch)
    interleaved = options.get("interleaved", False)
    with weft.FFT(shape, comm, kind, precision, batch=batch, effort="estimate", **options) as fft:
        here = local_array(field, fft.input_slice, options.get("input_order"), interleaved)
        there = local_array(spectrum, fft.output_slice, options.get("output_order"), interleaved)
        x = fft.empty_input()
        assert x.shape == fft.input_shape
        x[...] = here
        covered = comm.allreduce(x.size)
        assert covered == field.size, (covered, field.size)
        y = fft.forward(x)
        assert_close(y, there, np.abs(spectrum).max(), precision, shape)
        z = fft.backward(y)
        assert_close(z / fft.scale, here, np.abs(field).max(), precision, shape)
        check_wavenumbers(fft)


def check_wavenumbers(fft=None):
    if fft is None:
        return
    part, shape = (fft.input_slice, fft.input_shape) if fft.kind == "c2r" else (fft.output_slice, fft.output_shape)
    for axis, (k, n) in enumerate(zip(fft.wavenumbers(), fft.modes)):
        last = axis == len(fft.shape) - 1
        whole = np.fft.rfftfreq(n, 1 / n) if last and fft.kind != "c2c" else np.fft.fftfreq(n, 1 / n)
        np.testing.assert_array_equal(k.ravel(), np.rint(whole[part[axis]]))
        assert np.broadcast_shapes(k.shape, shape) == shape


def check_kinds_and_shapes():
    for shape, kind in product(SHAPES, KINDS):
        compare(shape, kind)


def check_lines_of_each_axis():
    """Cosine, sine, Hartley and complex lines, mixed."""
    rng = np.random.default_rng(7)
    for shape, kind, options in (
        ((6, 5, 7), ("dct2", "dst1", "r2c"), {}),
        ((6, 5, 7), "dct1-dht-dst4", {"batch": 2}),
        ((4, 9, 6), "none-dft-dct3", {"precision": "single", "transposed": True}),
        ((8, 3, 5), "dst2", {"in_place": True}),
        ((9, 8), "dct4", {}),
        ((9, 8), ("dst3", "r2c"), {"batch": 3, "interleaved": True}),
        ((4, 6, 5), "dft-dct2-none", {"input_order": (1, 0, 2)}),
    ):
        with weft.FFT(shape, kind=kind, effort="estimate", **options) as fft:
            lines = fft.kind.split("-")
            lines = [lines[0], lines[2]] if len(shape) == 2 else lines
            batch, order, interleaved = (
                options.get("batch", 1),
                options.get("input_order"),
                options.get("interleaved", False),
            )
            field = rng.standard_normal((*((batch,) if batch > 1 else ()), *shape))
            if "dft" in lines and "r2c" not in lines:
                field = field + 1j * rng.standard_normal(field.shape)
            spectrum = transformed_lines(field, lines)
            x = fft.empty_input()
            assert x.dtype.kind == field.dtype.kind
            x[...] = here = local_array(field, fft.input_slice, order, interleaved)
            y = fft.forward(x)
            assert y.dtype.kind == spectrum.dtype.kind
            there = local_array(spectrum, fft.output_slice, None, interleaved)
            precision = options.get("precision", "double")
            assert_close(y, there, np.abs(spectrum).max(), precision, shape)
            assert_close(fft.backward(y) / fft.scale, here, np.abs(field).max(), precision, shape)
            if set(lines) - {"dft", "r2c"}:
                same_error("wave numbers and labels are those of dft", fft.wavenumbers)


def check_single_precision_batches_and_in_place():
    for kind, precision, batch, in_place in product(KINDS, ("single", "double"), (1, 3), (False, True)):
        compare((5, 4, 6), kind, precision, batch, in_place=in_place)


def check_options():
    for kind, strategy in product(KINDS, weft.strategies()):
        compare((6, 7, 8), kind, strategy=strategy, tile=3, window=2, tests=1)
    for kind in KINDS:
        compare((6, 7, 8), kind, batch=5, strategy="ialltoallv", consume="late")
        compare((6, 7, 8), kind, decomposition="pencil")
        compare((6, 7, 8), kind, transposed=True)
        compare((6, 7, 8), kind, batch=5, threads=2, groups=COMM.size)
        compare((6, 7, 8), kind, batch=3, strategy="ialltoallv", tile=3, progress="thread")
        compare((6, 7, 8), kind, decomposition="pencil", grid=(COMM.size, 1), transposed=True, in_place=True)
        compare((COMM.size, 1, 8), kind, padded_rows=True)  # one row each


def check_two_dimensions():
    for kind, transposed in product(KINDS, (False, True)):
        compare((9, 8), kind, transposed=transposed)
        compare((9, 8), kind, batch=3, transposed=transposed, in_place=True)
        compare((9, 8), kind, batch=3, transposed=transposed, interleaved=True)
        order = "input_order" if kind == "c2r" else "output_order"
        compare((9, 8), kind, transposed=transposed, **{order: (1, 0)})
    for kind, decomposition in product(KINDS, ("auto", "pencil")):  # some ranks are empty along the axis left out
        for shape in ((1, 13), (13, 1), (1, 1), (12, 12)):
            compare(shape, kind, decomposition=decomposition)
    lo, hi = 12 * COMM.rank // COMM.size, 12 * (COMM.rank + 1) // COMM.size
    compare((5, 12), "c2c", input_box=((0, lo), (5, hi)), output_box=(slice(0, 5), slice(lo, hi)))


def check_more_than_three_axes():
    """Axes after the third are whole on every rank, in memory as in boxes."""
    for shape, kind in product([(5, 4, 3, 6), (2, 3, 1, 4, 5), (3, 1, 2, 2, 1, 2, 3, 2), (1, 1, 1, 7)], KINDS):
        compare(shape, kind)
        compare(shape, kind, "single", batch=2, in_place=kind == "c2c", input_order=(1, 0, *range(2, len(shape))))
        compare(shape, kind, batch=3, interleaved=True, in_place=True)
        compare(shape, kind, padded_rows=True, transposed=True, output_order=(2, 1, 0, *range(3, len(shape))))
    shape = (5, 4, 3, 6)
    bricks = random_bricks(shape[:3], COMM.size, 3)
    layout = weft.Layout.bricks(shape[:3], bricks)
    lo, hi = bricks[COMM.rank]
    compare(shape, "r2c", input_layout=layout, output_layout=layout)
    compare(shape, "c2c", input_box=((*lo, 0), (*hi, 6)), output_box=tuple(map(slice, (*lo, 0), (*hi, 6))))
    with weft.FFT(shape, kind="dct2-none-dst1-dht", modes=shape, points=shape) as fft:
        assert fft.input_box[1][3] == 6
        assert fft.scale == 2 * 5 * 2 * (3 + 1) * 6
        assert "dht along axis 3" in fft.explain()
    same_error("0:5 along axis 3", lambda: weft.FFT(shape, input_box=((*lo, 0), (*hi, 5))))
    same_error("modes is .* all of", lambda: weft.FFT(shape, modes=(5, 4, 3, 5)))
    same_error("in their places", lambda: weft.FFT(shape, input_order=(0, 1, 3, 2)))
    same_error("one to 8 integers", lambda: weft.FFT((2,) * 9))
    same_error("5 axes|4 axes", lambda: weft.FFT(shape, kind="dft-dft-dft-dft-dft"))
    same_error("last axis only", lambda: weft.FFT(shape, kind="dft-dft-r2c-dft"))
    same_error("groups", lambda: weft.FFT(shape, batch=2, groups=1 + COMM.size))


def check_one_axis():
    """A long line over all ranks, in order at both ends."""
    for n, kind in product((1, 2, 3, 4, 13, 64, 60, 30, 49, 1001, 4099), KINDS):
        compare((n,), kind)
        compare((n,), kind, "single", batch=3, in_place=True)
        compare((n,), kind, batch=2, interleaved=True, normalization="none")
        compare((n,), kind, decomposition="pencil", strategy="alltoallv", transposed=False)
    # What is not real at the modes 0 and n/2 is left out, as everywhere.
    for n in (12, 35, 36):
        half = np.random.default_rng(n).standard_normal((2, n // 2 + 1)).T @ [1, 1j]
        with weft.FFT((n,), kind="r2c", normalization="backward") as fft:
            found = fft.backward(np.ascontiguousarray(half[fft.output_slice]))
            assert_close(found, np.fft.irfft(half, n)[fft.input_slice], 1, "double", n)
            assert fft.spectrum_shape == (n // 2 + 1,)
            assert f"0 to {n // 2} of the output" in fft.explain()
    with weft.FFT((36,), kind="dft") as fft:
        assert fft.shape == fft.spectrum_shape == (36,)
        assert fft.scale == 36
        starts = COMM.allgather((fft.input_slice[0].start, fft.input_slice[0].stop))
        assert sum(stop - start for start, stop in starts) == 36
        assert "one line of 36 points" in fft.explain()
    assert weft.plan((36,), COMM.size, transposed=True).shape == (6, 1, 6)
    with weft.FFT((8,), kind="c2r") as fft:
        assert fft.shape == (8,)
        assert fft.spectrum_shape == (5,)
    same_error("kind is dct2.*; of one line only c2c, r2c or c2r", lambda: weft.FFT((8,), kind="dct2"))
    same_error("padded_rows is true; of one line", lambda: weft.FFT((8,), kind="r2c", padded_rows=True))
    same_error("dealt by Weft", lambda: weft.FFT((8,), input_box=((0,), (8,))))
    same_error("transposed is True", lambda: weft.FFT((8,), transposed=True))
    same_error("of one axis all 8", lambda: weft.FFT((8,), modes=(7,)))
    same_error("groups", lambda: weft.FFT((8,), batch=2, groups=1 + COMM.size))


def check_fewer_points():
    """A field of the first points of a grid has the spectrum of the field with zeroes behind it."""
    for kind, (shape, points) in product(
        ("c2c", "r2c", "dst2-dct2-r2c"), (((8, 6, 10), (4, 6, 5)), ((5, 7, 9), (2, 3, 9)), ((12, 8), (6, 4)))
    ):
        if len(shape) == 2 and "-" in kind:
            continue
        with (
            weft.FFT(shape, kind=kind, points=points, normalization="backward") as fft,
            weft.FFT(shape, kind=kind, output_layout=fft_layout(fft)) as whole,
        ):
            assert fft.points == points
            assert f"of {' x '.join(map(str, points))} points" in repr(fft)
            x, zeroes = fft.empty_input(), whole.empty_input()
            field = np.zeros(shape)
            field[tuple(map(slice, points))] = np.random.default_rng(3).standard_normal(points)
            x[...], zeroes[...] = field[fft.input_slice], field[whole.input_slice]
            np.testing.assert_allclose(fft.forward(x), whole.forward(zeroes), atol=1e-12)
            np.testing.assert_allclose(fft.backward(fft.forward(x)), x, atol=1e-13)
    assert weft.plan((8, 8, 8), 4, points=(4, 8, 8)).points == (4, 8, 8)
    same_error(
        "points is 4 x 8 x 8 and modes is 4 x 8 x 8; along axis 0",
        lambda: weft.FFT((8, 8, 8), modes=(4, 8, 8), points=(4, 8, 8)),
    )
    same_error("points is", lambda: weft.FFT((8, 8, 8), points=(9 - COMM.rank, 8, 8)))


def fft_layout(fft):
    """The distribution of its spectrum."""
    boxes = COMM.allgather(fft.output_box)
    if len(fft.shape) == 2:
        boxes = [tuple((corner[0], middle, corner[1]) for corner, middle in zip(box, (0, 1))) for box in boxes]
        return weft.Layout.bricks((fft.spectrum_shape[0], 1, fft.spectrum_shape[1]), boxes)
    return weft.Layout.bricks(fft.spectrum_shape, boxes)


def check_fewer_modes():
    for kind, (shape, modes) in product(
        ("c2c", "r2c"), [((7, 6, 9), (5, 4, 6)), ((8, 5, 6), (8, 1, 5)), ((9, 8), (6, 5)), ((13, 13), (1, 1))]
    ):
        rng = np.random.default_rng(7)
        field = rng.standard_normal(shape) + (0 if kind == "r2c" else 1j * rng.standard_normal(shape))
        kept = resized(np.fft.fftn(field), modes)
        back = np.fft.ifftn(resized(kept, shape))
        with weft.FFT(shape, kind=kind, modes=modes, normalization="backward") as fft:
            assert fft.modes == modes
            assert fft.spectrum_shape == (modes if kind == "c2c" else (*modes[:-1], modes[-1] // 2 + 1))
            x = fft.empty_input()
            x[...] = field[fft.input_slice]
            y = fft.forward(x)
            assert COMM.allreduce(y.size) == np.prod(fft.spectrum_shape)
            assert_close(y, kept[fft.output_slice], np.abs(kept).max(), "double", shape)
            assert_close(fft.backward(y), back[fft.input_slice], np.abs(back).max(), "double", shape)
            check_wavenumbers(fft)
            assert f"with {' x '.join(map(str, modes))} modes" in repr(fft)


def check_other_arrays():
    for kind, in_place in product(KINDS, (False, True)):
        compare((5, 4, 6), kind, batch=3, interleaved=True, in_place=in_place)
        order = {"input_order" if kind == "c2r" else "output_order": (1, 0, 2)}
        compare((5, 4, 6), kind, batch=2, transposed=True, in_place=in_place, interleaved=True, **order)
        compare((5, 4, 6), kind, padded_rows=True, in_place=in_place, **order)
    compare((5, 4, 6), "c2c", batch=2, input_order=(2, 0, 1), output_order=(1, 2, 0))


def check_bricks():
    shape = (6, 5, 8)
    for seed, kind in enumerate(KINDS):
        spectrum = (6, 5, 5) if kind != "c2c" else shape
        ends = (spectrum if kind == "c2r" else shape, spectrum if kind == "r2c" else shape)
        input_boxes, output_boxes = (random_bricks(end, COMM.size, seed) for end in ends)
        compare(shape, kind, input_box=input_boxes[COMM.rank])
        compare(shape, kind, output_box=output_boxes[COMM.rank], batch=2)
        compare(
            shape,
            kind,
            input_layout=weft.Layout.bricks(ends[0], input_boxes),
            output_layout=weft.Layout.bricks(ends[1], output_boxes),
            in_place=True,
        )


def check_slabs_along_other_axes():
    for axis in (1, 2):
        compare((4, 5, 6), "r2c", input_layout=weft.Layout.slab((4, 5, 6), COMM.size, axis))


def check_sub_communicators_and_several_transforms_at_once():
    part = COMM.Split(COMM.rank % 2, -COMM.rank)
    with weft.FFT((4, 6, 5), part) as one, weft.FFT((5, 3, 4), part, "r2c") as two:
        part.Free()  # each has its own
        for fft in (one, two, one):
            field, spectrum = pair(fft.kind, fft.shape, 1)
            y = fft.forward(np.ascontiguousarray(field[fft.input_slice]))
            np.testing.assert_allclose(y, spectrum[fft.output_slice], atol=1e-11)
    compare((3, 4, 5), "c2c", comm=MPI.COMM_SELF)


def check_statistics():
    with weft.FFT((8, 8, 8), effort="estimate", strategy="alltoallv") as fft:
        fft.forward(np.ones(fft.input_shape, complex))
        assert fft.statistics.executions == 1
        assert fft.statistics.bytes_sent == fft._plan.traffic("forward")["bytes"]
        assert (COMM.allreduce(fft.statistics.bytes_sent) > 0) == (COMM.size > 1)
        assert fft.statistics.wire_error == 0
    rounded = {"effort": "estimate", "wire": "block24", "measure_wire": True}
    with weft.FFT((8, 8, 8), **rounded) as fft:
        fft.forward(np.arange(np.prod(fft.input_shape)).reshape(fft.input_shape) * (1 + 0.3j))
        assert (COMM.allreduce(fft.statistics.wire_error, MPI.MAX) > 1e-8) == (COMM.size > 1)
        assert fft.statistics.wire_error < 2.7e-6
    with weft.FFT((8, 8, 8), **rounded, wire_inside="same") as fft:  # all ranks are here
        fft.forward(np.ones(fft.input_shape, complex))
        assert fft.statistics.wire_error == 0


def check_transforms_left_alive_at_the_end():
    for strategy in weft.strategies():
        fft = weft.FFT((4, 4, 4), strategy=strategy, effort="estimate")
        fft.forward(np.zeros(fft.input_shape, complex))
        KEPT.append(fft)
    KEPT.append(KEPT)  # a cycle: only the interpreter's end frees it, after MPI's


def check_bits_are_the_same_where_cores_are_moved():
    rng = np.random.default_rng(COMM.rank)
    kinds = ("c2c", "r2c", ("dct2", "dst2", "dct1"), ("dst3", "dct4", "r2c"))
    for shape, kind, precision in product([(17, 13, 11), (16, 24, 32)], kinds, ["double", "single"]):
        with moving_cores(), weft.FFT(shape, COMM, kind, precision, normalization="ortho", transposed=True) as fft:
            x, y = fft.empty_input(), fft.empty_output()
            x[...] = rng.standard_normal(x.shape)
            y[...] = rng.standard_normal(y.shape)
            same_bits(lambda f=fft, x=x: f.forward(x), lambda f=fft, y=y: f.backward(y.copy()))
            # Out of three walks of a direction the first is as planned, through the caches, and so is the third.
            assert fft.statistics.core_round_trip == 0
            assert fft.statistics.core_moves in ((4,) if COMM.size > 1 else (0, 4)), fft.statistics
    for sides in ("odd", "open", ("open", "even", "periodic")):
        with moving_cores(), weft.Poisson((12, 13, 16), comm=COMM, sides=sides) as solve:
            f = solve.empty_input()
            f[...] = rng.standard_normal(f.shape)
            same_bits(lambda s=solve, f=f: s(f))


def check_plan_is_the_dry_plan():
    with weft.FFT((6, 5, 4), kind="r2c", strategy="ialltoallv") as fft:
        dry = weft.plan((6, 5, 4), COMM.size, COMM.rank, kind="r2c", strategy="ialltoallv")
        assert fft.plan == dry.as_dict()
    # And so it is where all that is transformed is said by one object.
    problem = weft.Problem((6, 5, 4), "r2c", batch=2, output_order=(1, 0, 2))
    with weft.FFT(problem, strategy="ialltoallv") as fft:
        assert fft.plan == weft.plan(problem, COMM.size, COMM.rank, strategy="ialltoallv").as_dict()
        assert (fft.batch, fft.kind) == (2, "r2c")
    tuned = weft.tune(problem, effort="estimate", file="none")
    with weft.FFT(problem, tune="estimate") as fft:
        assert dict(tuned.options).keys() == dict(fft.tuned.options).keys()
    same_error("^batch is given beside a weft.Problem", lambda: weft.FFT(problem, batch=3))
    same_error("^kind is given beside", lambda: weft.FFT(problem, kind="c2c" if COMM.rank else "r2c"))


run_checks(globals())
