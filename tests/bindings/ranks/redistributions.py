"""Redistributions between random bricks, slabs and pencils, with the bytes that they say they moved."""

import numpy as np
from checking import COMM, random_bricks, run_checks, same_error

import weft

SHAPES = [(6, 5, 8), (1, 1, 3), (2, 9, 1)]


def overlap(a, b):
    """Points that two boxes have in common."""
    extents = np.minimum(a[1], b[1]) - np.maximum(a[0], b[0])
    return int(np.prod(extents)) if (extents > 0).all() else 0


def move_between(shape, source, target, dtype, batch=1, as_boxes=False):
    """Compare with slices of the whole field, and the bytes with the boxes' overlaps."""
    whole = np.arange(batch * np.prod(shape)).reshape((batch, *shape)).astype(dtype)
    if batch == 1:
        whole = whole[0]
    given = [layout.box(COMM.rank) if as_boxes else layout for layout in (source, target)]
    with weft.Redistribution(shape, *given, dtype, batch=batch) as move:
        x = np.ascontiguousarray(whole[(..., *move.source_slice)])
        assert x.shape == move.source_shape
        kept = x.copy()
        y = move(x)
        np.testing.assert_array_equal(y, whole[(..., *move.target_slice)])
        np.testing.assert_array_equal(x, kept)
        rank, item = COMM.rank, np.dtype(dtype).itemsize * batch
        shared = [overlap(source.box(rank), target.box(other)) * item for other in range(COMM.size)]
        assert move.moved.bytes_kept == shared[rank]
        assert move.moved.bytes_sent == sum(shared) - shared[rank]
        assert move.moved.bytes_sent_all == COMM.allreduce(move.moved.bytes_sent)


def check_regular_layouts():
    for shape in (*SHAPES, (4, 0, 3), (0, 0, 0)):
        slabs = [weft.Layout.slab(shape, COMM.size, axis) for axis in range(3)]
        for source in slabs:
            for target in slabs:
                move_between(shape, source, target, "complex128")


def check_random_bricks():
    for seed, shape in enumerate(SHAPES):
        source, target = (
            weft.Layout.bricks(shape, random_bricks(shape, COMM.size, 10 * seed + end)) for end in range(2)
        )
        for dtype, batch in (("float32", 1), ("complex64", 3), ("complex128", 2)):
            move_between(shape, source, target, dtype, batch)
        move_between(shape, source, target, "int32", as_boxes=True)


def check_elements_of_any_type():
    shape = (5, 3, 4)
    layouts = [weft.Layout.slab(shape, COMM.size, axis) for axis in (0, 1)]
    for dtype in ("S4", "S16", "U1", "M8[s]", "m8[D]", "V8", "i4,f4", [("a", "f8", (2,))], "?,b,i2", "g", ">f8"):
        dtype = np.dtype(dtype, align=dtype == "?,b,i2")
        bytes_ = np.random.default_rng(3).integers(1, 100, 60 * dtype.itemsize, np.uint8)
        whole = bytes_.view(dtype).reshape(shape)
        with weft.Redistribution(shape, *layouts, dtype) as move:
            found = move(np.ascontiguousarray(whole[move.source_slice]))
            assert found.dtype == dtype
            assert found.tobytes() == np.ascontiguousarray(whole[move.target_slice]).tobytes()
            other = np.dtype(("V", dtype.itemsize)) if dtype.kind != "V" or dtype.fields else np.dtype("f8")
            last = COMM.rank == COMM.size - 1
            x = np.zeros(move.source_shape, other if last else dtype)
            same_error("x has dtype", lambda x=x, move=move: move(x))
        if COMM.size > 1:
            wrong = other if last else dtype
            same_error("^dtype must be the same", lambda wrong=wrong: weft.Redistribution(shape, *layouts, wrong))


run_checks(globals())
