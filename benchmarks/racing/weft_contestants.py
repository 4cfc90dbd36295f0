"""Weft through its Python module, in given arrays: nothing is copied."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from mpi4py import MPI

import weft

from .contestant import Arrays, Contestant, Maker, of_batch, view
from .settings import Case

FAMILY = "Weft"
Options = dict[str, Any]
_PARTS = ("compute", "start", "test", "wait")


def name_of(options: Options, sphere: bool = False) -> str:
    """``pairwise, transposed, tile 8``"""
    words = [options["strategy"]] if "strategy" in options else []
    rest = {
        name: value for name, value in options.items() if name not in ("strategy", "transposed", "in_place", "threads")
    }
    words += [] if words or rest else ["default options"]
    words += [f"{name} {value}" for name, value in rest.items()]
    if not sphere:
        words.append("transposed" if options.get("transposed") == "true" else "normal order")
    return ", ".join([*words, "in place"] if options.get("in_place") == "true" else words)


def makers(configurations: list[Options]) -> list[tuple[str, Maker]]:
    return [(name_of(options), partial(_make, options)) for options in configurations]


def _make(options: Options, case: Case, arrays: Arrays) -> Contestant:
    # Without `check` no arguments are compared among ranks in each call: the others do not do that either.
    words = {"precision": case.precision, "batch": case.batch, "check": False, **options}
    fft = weft.FFT(case.shape, MPI.COMM_WORLD, case.kind, **words)
    if fft.in_place:
        # The rows of a real field are padded; only Weft's own arrays tell how.
        x = view(arrays.first, fft.input_shape, fft.input_dtype, fft.empty_input().strides)
        y = view(arrays.first, fft.output_shape, fft.output_dtype, fft.empty_output().strides)
        forward, backward = lambda: fft.forward(x), lambda: fft.backward(y)
    else:
        x = view(arrays.first, fft.input_shape, fft.input_dtype)
        y = view(arrays.second, fft.output_shape, fft.output_dtype)
        forward, backward = lambda: fft.forward(x, y), lambda: fft.backward(y, x)

    return Contestant(
        family=FAMILY,
        name=name_of(options),
        field=x,
        field_slices=of_batch(case, *fft.input_slice),
        spectrum=y,
        spectrum_slices=of_batch(case, *fft.output_slice),
        forward=forward,
        backward=backward,
        close=fft.close,
        parts=cost_of(fft),
        reset_parts=fft.reset_statistics,
        options=options,
        wire_error=_wire_error(fft.plan),
    )


def _wire_error(plan: dict[str, Any]) -> float:
    """The bound, of both directions."""
    stages = [stage for way in ("forward", "backward") for stage in plan[way]["stages"]]
    return float(sum(stage.get("wire_error", 0.0) for stage in stages))


def cost_of(transform: weft.FFT | weft.SphereFFT) -> Callable[[], dict[str, float]]:
    """What a transform tells of forward + backward, since its statistics were reset."""

    def parts() -> dict[str, float]:
        cost = transform.statistics
        times = max(1, cost.executions // 2)
        found = {part: getattr(cost, part) / times for part in _PARTS}
        # In arrays: how often Weft itself reads and writes what the rank holds, forward + backward.
        return {**found, "bytes_read": cost.bytes_read / times, "bytes_written": cost.bytes_written / times}

    return parts


def software() -> dict[str, object]:
    """Version and serial FFT library, for the report."""
    return {"version": weft.__version__, "backends": weft.backends(), "numpy": np.__version__}
