"""The last rank leaves a block with an exception, while the others wait for it in the next execution: the job must end."""

import sys

import numpy as np
from checking import COMM

import weft

KIND, OPTIONS = sys.argv[1], {"strategy": sys.argv[2], "trace": sys.argv[3]}
LAYOUTS = (weft.Layout.slab((4, 4, 4), COMM.size, 0), weft.Layout.slab((4, 4, 4), COMM.size, 1))
WAVES = [[x, COMM.rank, z] for x in range(2) for z in range(2)]


def made():
    """What is left, and one call of it."""
    if KIND == "FFT":
        fft = weft.FFT((4, 4, 4), effort="estimate", **OPTIONS)
        return fft, lambda: fft.forward(fft.empty_input())
    if KIND == "SphereFFT":
        sphere = weft.SphereFFT((8, 8, 8), WAVES, **OPTIONS)
        return sphere, lambda: sphere.backward(np.ones((2, len(WAVES)), complex))
    if KIND == "Operator":
        operator = weft.Operator((4, 4, 4), "laplacian", **OPTIONS)
        return operator, lambda: operator(operator.empty_input())
    if KIND == "Poisson":
        solver = weft.Poisson((4, 4, 4), **OPTIONS)
        return solver, lambda: solver(solver.empty_input())
    move = weft.Redistribution((4, 4, 4), *LAYOUTS, **OPTIONS)
    return move, lambda: move(np.zeros(move.source_shape, complex))


left, call = made()
with left:
    call()
    if COMM.rank == COMM.size - 1:
        raise KeyError("on purpose")
    call()
