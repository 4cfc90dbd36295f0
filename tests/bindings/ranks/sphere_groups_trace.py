"""Executions of a sphere with groups, traced; prints the Error that refuses that, if one does."""

import sys

import numpy as np
from checking import COMM

import weft

WAVES = [[x, COMM.rank, z] for x in range(2) for z in range(2)]

try:
    with weft.SphereFFT((8, 8, 8), WAVES, COMM, groups=2, trace=sys.argv[1]) as sphere:
        c = np.ones((4, len(WAVES)), complex)
        psi = sphere.backward(c)
        sphere.forward(psi, out=c)
except weft.Error as error:
    if COMM.rank == 0:
        print(f"refused: {error}")
