"""The last rank ends with an exception, or by sys.exit, while the others wait for it in the next execution: the job must end, though nothing has
been closed."""

import sys

from checking import COMM

import weft

HOW, OPTIONS = sys.argv[1], {"trace": sys.argv[2], "strategy": "rma", "effort": "estimate"}
LAYOUTS = (weft.Layout.slab((4, 4, 4), COMM.size, 0), weft.Layout.slab((4, 4, 4), COMM.size, 1))

fft = weft.FFT((4, 4, 4), **OPTIONS)
move = weft.Redistribution((4, 4, 4), *LAYOUTS, strategy="rma")
fft.forward(fft.empty_input())
if COMM.rank == COMM.size - 1:
    if HOW == "exit":
        sys.exit("on purpose")
    raise KeyError("on purpose")
fft.forward(fft.empty_input())
