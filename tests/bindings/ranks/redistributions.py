"""Redistributions between random bricks, slabs and pencils, with the bytes that they say they moved."""

import numpy as np
from checking import COMM, random_bricks, run_checks

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


run_checks(globals())
