"""Bad arguments on one rank only: the same error on all, no rank left waiting, and life goes on."""

import numpy as np
from checking import COMM, run_checks, same_error
from mpi4py import MPI

import weft

SHAPE = (6, 5, 4)
LAST = COMM.size - 1
IS_LAST = COMM.rank == LAST


def works(fft):
    """A transform still does what it should."""
    x = np.zeros(fft.input_shape, fft.input_dtype)
    if fft.input_slice[0].start == 0 and x.size:
        x[0, 0, 0] = 1
    np.testing.assert_allclose(fft.forward(x), np.ones(fft.output_shape), atol=1e-12)


def check_bad_arrays_on_one_rank():
    rank = rf".*\(rank {LAST}\)" if COMM.size > 1 else ""
    for in_place in (False, True):
        with weft.FFT(SHAPE, in_place=in_place) as fft:
            good = fft.empty_input()
            shape = fft.input_shape
            for bad, pattern in [
                (np.zeros(shape), "x has dtype float64; complex128"),
                (np.zeros((*shape[:2], shape[2] + 1), complex), "x has shape"),
                (None, "x is a NoneType"),
            ]:
                x = bad if IS_LAST else good
                same_error(pattern + rank, lambda x=x: fft.forward(x))
                same_error(rf"y {pattern[2:]}", lambda x=x: fft.backward(x))
            works(fft)


def check_bad_outputs_on_one_rank():
    with weft.FFT(SHAPE, kind="r2c") as fft:
        x = fft.empty_input()
        out = np.zeros(fft.output_shape, "complex64" if IS_LAST else "complex128")
        same_error("out has dtype complex64", lambda: fft.forward(x, out))
        fixed = fft.empty_output()
        fixed.flags.writeable = not IS_LAST
        same_error("out is read-only", lambda: fft.forward(x, fixed))
        works(fft)


def check_calls_that_differ():
    if COMM.size == 1:
        return
    both = "the call is forward on rank .* and backward|the call is backward on rank .* and forward"
    for options in ({}, {"in_place": True}, {"check_every": 3}):
        with weft.FFT(SHAPE, **options) as fft:
            x, y = fft.empty_input(), fft.empty_output()
            for _ in range(2):
                same_error(both, lambda fft=fft, x=x, y=y: fft.backward(y) if IS_LAST else fft.forward(x))
            works(fft)
    with weft.FFT(SHAPE, trace="no-such-trace.json") as fft:
        x = fft.empty_input()
        same_error("write_trace", lambda: fft.write_trace() if IS_LAST else fft.forward(x))
        fft._held[0].drop_trace()
    with weft.SphereFFT((8, 8, 8), [[COMM.rank, 0, 0]]) as sphere:
        c, psi, v = np.ones((2, 1), complex), np.ones((2, *sphere.space_shape), complex), np.ones(sphere.space_shape)
        same_error(
            "forward.* backward|backward.* forward", lambda: sphere.backward(c) if IS_LAST else sphere.forward(psi)
        )
        same_error("apply.* backward|backward.* apply", lambda: sphere.backward(c) if IS_LAST else sphere.apply(v, c))
        same_error("bands is", lambda: sphere.backward(c[:1] if IS_LAST else c))


def check_sizes_that_only_the_library_sees():
    with weft.FFT(SHAPE) as fft:
        x, y = fft.empty_input(), fft.empty_output()
        short = x if COMM.size > 1 and not IS_LAST else x.reshape(-1)[:1]
        same_error("the input array has 16 bytes on rank", lambda: fft._held[0].forward(short, y))
        works(fft)


def check_bands_with_gaps():
    """Of an array that is made there is nothing that must fit."""
    with weft.SphereFFT((8, 8, 8), [[COMM.rank, 0, z] for z in range(3)]) as sphere:
        v, dense = np.ones(sphere.space_shape), np.arange(9.0).reshape(3, 3) + 1j
        gaps = np.zeros((3, 5), complex)[:, :3]
        gaps[...] = dense
        np.testing.assert_allclose(sphere.apply(v, gaps), sphere.apply(v, dense))


def check_without_checks_the_error_is_local():
    with weft.FFT(SHAPE, check=False) as fft:
        if IS_LAST:
            try:
                fft.forward(np.zeros(3))
            except weft.Error as error:
                assert "dtype" in str(error)  # noqa: PT017  # not under pytest
            else:
                raise AssertionError("no error")
        works(fft)


def check_bad_arguments_on_one_rank():
    def make(**arguments):
        weft.FFT(**{"shape": SHAPE, **(arguments if IS_LAST else {})})

    same_error(r"shape\[1\] is -5", lambda: make(shape=(6, -5, 4)))
    same_error(r"kind is 'c2x'", lambda: make(kind="c2x"))
    same_error(r"precision is 'quad'", lambda: make(precision="quad"))
    same_error(r"option 'nonsense' is unknown", lambda: make(nonsense=1))
    same_error(r"tile is '-1'", lambda: make(tile=-1))
    same_error(r"dtype is", lambda: make(dtype="int8"))
    same_error(r"grid is", lambda: make(grid="large"))
    same_error(r"input_box is 7", lambda: make(input_box=7))


def check_arguments_that_differ():
    if COMM.size == 1:
        return

    def make(**arguments):
        weft.FFT(**{"shape": SHAPE, **(arguments if IS_LAST else {})})

    differ = "must be the same on all ranks"
    same_error(differ, lambda: make(shape=(6, 5, 5)))
    same_error(differ, lambda: make(kind="r2c"))
    same_error(differ, lambda: make(precision="single"))
    same_error(differ, lambda: make(batch=2))
    same_error(differ, lambda: make(normalization="ortho"))
    same_error(differ, lambda: make(strategy="ialltoallv"))
    same_error(differ, lambda: make(in_place=True))
    same_error(differ, lambda: make(input_box=((0, 0, 0), SHAPE)))
    same_error(differ, lambda: make(output_layout=weft.Layout.slab(SHAPE, COMM.size, 2)))
    there = rf"on all ranks: .* on rank 0, .* on rank {LAST}$"
    same_error(rf"^shape must be the same {there}", lambda: weft.FFT((12, 12 + IS_LAST)))
    same_error(r"\(12, 12\) on rank 0, \(12, 1, 12\)", lambda: weft.FFT((12, 1, 12) if IS_LAST else (12, 12)))
    same_error("^rank 0 calls weft.FFT, rank . weft.tune$", lambda: (weft.tune if IS_LAST else weft.FFT)((4, 4, 4)))


def check_boxes_that_do_not_fit():
    whole, nothing = ((0, 0, 0), SHAPE), ((0, 0, 0), (0, 0, 0))
    if COMM.size > 1:
        same_error("input_box.*overlap", lambda: weft.FFT(SHAPE, input_box=whole))
    same_error("output_box", lambda: weft.FFT(SHAPE, output_box=nothing))
    outside = ((0, 0, 0), (7, 5, 4)) if COMM.rank == 0 else nothing
    same_error("input_box", lambda: weft.FFT(SHAPE, input_box=outside))


def check_redistribution_errors():
    slab = weft.Layout.slab(SHAPE, COMM.size)
    with weft.Redistribution(SHAPE, slab, weft.Layout.slab(SHAPE, COMM.size, 1), "f8") as move:
        x = np.zeros(move.source_shape, "f4" if IS_LAST else "f8")
        same_error("x has dtype float32", lambda: move(x))
        move(np.zeros(move.source_shape))
    for wrong, message in (
        ({"leaders": 0}, "leaders is '0'; allowed are whole numbers from 1"),
        ({"in_place": True}, "in_place is true; it applies to transform, a redistribution allows only false"),
        ({"groups": 2}, "groups is 2; it applies to transform, sphere, a redistribution allows only 1"),
    ):
        given = wrong if IS_LAST else {}
        same_error(message, lambda given=given: weft.Redistribution(SHAPE, slab, slab, "f8", **given))
    same_error("dtype is int16", lambda: weft.Redistribution(SHAPE, slab, slab, "i2" if IS_LAST else "f8"))
    if COMM.size > 1:
        same_error(
            "must be the same on all ranks",
            lambda: weft.Redistribution(SHAPE, slab.box(COMM.rank) if IS_LAST else slab, slab),
        )


def check_inter_communicators():
    if COMM.size == 1:
        return
    half = COMM.Split(COMM.rank % 2)
    inter = half.Create_intercomm(0, COMM, 1 - COMM.rank % 2)
    same_error("inter-communicator", lambda: weft.FFT(SHAPE, inter))
    inter.Free()
    half.Free()
    same_error("comm is MPI_COMM_NULL", lambda: weft.FFT(SHAPE, MPI.COMM_NULL))


run_checks(globals())
