"""weft.FFT of one to six axes: forward and backward of two unrelated fields, each twice."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from reference import halved, line_scale, local_array, resized, transformed_lines

import weft
from differential.cases import Case, Chance
from differential.findings import Findings, Guarded, Senseless

from . import common

#: Lines of an axis between numbers of one kind; the last axis has r2c as well.
LINES = ("none", "dft", "dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4", "r2hc", "hc2r", "dht")


def draw_kind(chance: Chance, shape: list[int]) -> str | list[str]:
    """A word for the whole field, or a line for each axis."""
    if len(shape) == 1:
        return chance.one("c2c", "r2c", "c2r")
    if chance.happens(0.6):
        return chance.one("c2c", "r2c", "c2r")
    lines = [chance.one(*LINES) for _ in shape]
    if chance.happens(0.3):
        lines[-1] = "r2c"
    return ["dct2" if line == "dct1" and n == 1 else line for line, n in zip(lines, shape)]


def real_ends(kind: str | list[str]) -> tuple[bool, bool]:
    """Whether input and output are real numbers."""
    if isinstance(kind, str):
        return kind == "r2c", kind == "c2r"
    return kind[-1] == "r2c" or "dft" not in kind, not {"dft", "r2c"} & set(kind)


def draw(chance: Chance, ranks: int) -> Case:
    axes = chance.one(1, 2, 3, 3, 3, 3, 4, 5, 6)
    line = (1, chance.extent(), chance.random.randint(1, 3000), chance.random.randint(1, 12000))
    shape = [chance.one(*line)] if axes == 1 else chance.shape(axes)
    case: Case = {"shape": shape, "kind": draw_kind(chance, shape)}
    if axes == 1:
        return case | draw_one_line(chance, ranks)
    turns = [(0, 1), (1, 0)] if axes == 2 else [(0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0), (2, 0, 1)]
    turns = [(*turn, *range(3, axes)) for turn in turns]
    case |= chance.some(
        precision=(0.3, "single"),
        batch=(0.4, lambda: chance.one(2, 3, 5)),
        normalization=(0.5, lambda: chance.one("forward", "backward", "ortho")),
        modes=(0.25, lambda: [chance.random.randint(1, n) for n in case["shape"][:3]] + case["shape"][3:]),
        padded_rows=(0.15, True),
        in_place=(0.25, True),
        input_order=(0.2, lambda: list(chance.one(*turns))),
        output_order=(0.2, lambda: list(chance.one(*turns))),
        decomposition=(0.5, lambda: chance.one("slab", "pencil")),
        transposed=(0.25, True),
        input=(0.3, lambda: common.draw_layout(chance, ranks, axes)),
        output=(0.3, lambda: common.draw_layout(chance, ranks, axes)),
        boxes=(0.3, True),
        shift=(0.1, 1),
    )
    if case.get("batch", 1) > 1:
        case |= chance.some(interleaved=(0.3, True))
    if case.get("decomposition") == "pencil":
        rows = chance.one(*(n for n in range(1, ranks + 1) if ranks % n == 0))
        case |= chance.some(grid=(0.5, [rows, ranks // rows]))
    if axes > 3 and "modes" in case:
        case["modes"][2] = case["shape"][2]
    if isinstance(case["kind"], list):
        case.pop("modes", None)
    spectrum = "input" if case["kind"] == "c2r" else "output"
    if case.get("transposed"):
        case.pop(spectrum, None)
    if case.get("padded_rows") or case.get("in_place"):
        # Rows of a real field are padded, and so lie along the last axis.
        for end, real in zip(("input_order", "output_order"), real_ends(case["kind"])):
            if real and end in case and case[end].index(axes - 1 if axes < 3 else 2) != min(axes, 3) - 1:
                case.pop(end)
    case |= common.draw_options(chance, ranks, "transform")
    case |= chance.some(check_every=(0.1, 2))
    # Groups take plain arrays; and Open MPI 4 has rma for all ranks only.
    plain = not (case.keys() & {"in_place", "interleaved", "padded_rows", "input_order", "output_order"})
    if plain and case.get("strategy") != "rma":
        case |= chance.some(groups=(0.2, lambda: chance.random.randint(1, ranks)))
    return case


def draw_one_line(chance: Chance, ranks: int) -> Case:
    """Of one line, whose parts Weft chooses."""
    case = chance.some(
        precision=(0.3, "single"),
        batch=(0.4, lambda: chance.one(2, 3)),
        normalization=(0.5, lambda: chance.one("forward", "backward", "ortho")),
        in_place=(0.25, True),
    )
    if case.get("batch", 1) > 1:
        case |= chance.some(interleaved=(0.3, True))
    return case | common.draw_options(chance, ranks, "transform")


class Wanted:
    """What forward and backward take and give, by NumPy: arrays of the whole grid, batch first."""

    def __init__(self, case: Case) -> None:
        shape, kind = tuple(case["shape"]), case["kind"]
        modes = tuple(case.get("modes", shape))
        rng = np.random.default_rng(case.get("numbers", 0))
        batch = (case["batch"],) if case.get("batch", 1) > 1 else ()
        axes = tuple(range(-len(shape), 0))
        lines = kind if isinstance(kind, list) else []
        points = float(np.prod([line_scale(*one) for one in zip(lines, shape)] if lines else shape))
        norm = case.get("normalization", "none")
        forward = {"none": 1.0, "forward": 1 / points, "backward": 1.0, "ortho": points**-0.5}[norm]
        backward = {"none": 1.0, "forward": 1.0, "backward": 1 / points, "ortho": points**-0.5}[norm]
        self.forward_factor, self.backward_factor = forward, backward
        of_complex = not (real_ends(kind)[0] or kind == "c2r")
        field, other = (common.random_field(rng, (*batch, *shape), of_complex) for _ in range(2))
        if lines:
            self.forward_in, self.forward_out = field, transformed_lines(field, lines) * forward
            self.backward_in, self.backward_out = transformed_lines(other, lines), other * points * backward
            return
        spectrum = resized(np.fft.fftn(other, axes=axes), modes)
        full = resized(spectrum, shape)
        if kind == "c2r":
            self.forward_in, self.forward_out = halved(spectrum), np.fft.fftn(full, axes=axes).real * forward
            there = resized(np.fft.ifftn(field, axes=axes), modes) * points * backward
            self.backward_in, self.backward_out = field, halved(there)
        else:
            there = resized(np.fft.fftn(field, axes=axes), modes) * forward
            back = np.fft.ifftn(full, axes=axes) * points * backward
            self.forward_in, self.backward_in = field, spectrum
            self.forward_out, self.backward_out = there, back
            if kind == "r2c":
                self.backward_in, self.forward_out, self.backward_out = halved(spectrum), halved(there), back.real

    def forward(self) -> tuple[NDArray[Any], NDArray[Any], float]:
        """What goes in, what comes out, and what errors are measured by."""
        return self.forward_in, self.forward_out, _scale(self.forward_in, self.forward_out, self.forward_factor)

    def backward(self) -> tuple[NDArray[Any], NDArray[Any], float]:
        """The same of the way back."""
        return self.backward_in, self.backward_out, _scale(self.backward_in, self.backward_out, self.backward_factor)


def _scale(source: NDArray[Any], target: NDArray[Any], factor: float) -> float:
    """The largest value, or, where modes are left out, about what it is where none are."""
    return max(common.largest(target), float(np.linalg.norm(source)) * factor)


def arguments_of(case: Case, comm: Any) -> dict[str, Any]:
    """For weft.FFT."""
    shape = tuple(case["shape"])
    modes = tuple(case.get("modes", shape))
    if any(m > n for m, n in zip(modes, shape)) or len(modes) != len(shape):
        raise Senseless
    kind = case["kind"]
    if isinstance(kind, list) and len(kind) != len(shape):
        raise Senseless
    half = (*modes[:-1], modes[-1] // 2 + 1)
    whole = "r2c" if "r2c" in kind else "c2c" if isinstance(kind, list) else kind
    grids = {"c2c": (shape, modes), "r2c": (shape, half), "c2r": (half, shape)}[whole]
    given = (
        "batch",
        "normalization",
        "modes",
        "interleaved",
        "padded_rows",
        "precision",
        "input_order",
        "output_order",
    )
    found = {name: tuple(case[name]) if isinstance(case[name], list) else case[name] for name in given if name in case}
    found |= {"kind": kind, "effort": "estimate"} | common.options_of(case)
    return found | common.ends(case, dict(zip(("input", "output"), grids)), comm)


def check(case: Case, comm: Any, findings: Findings) -> None:
    shape = tuple(case["shape"])
    precision = case.get("precision", "double")
    arguments = arguments_of(case, comm)
    wanted = Wanted(case)
    limit = common.allowed(case, precision, shape)
    with weft.FFT(shape, comm, **arguments) as fft:
        for part, whole, local, what in (
            (fft.input_slice, wanted.forward_in, fft.input_shape, "the input's part"),
            (fft.output_slice, wanted.forward_out, fft.output_shape, "the output's part"),
        ):
            common.check_cover(findings, comm, part, whole.shape[-len(shape) :], what)
            findings.equal(int(np.prod(local)), int(whole[(..., *part)].size), f"{what}: numbers")
        # What Weft chooses depends on the nodes that there are, which weft.plan does not see.
        if "strategy" in case and not any(name.endswith("_box") for name in arguments):
            dry = weft.plan(shape, comm.size, comm.rank, **arguments)
            findings.true(fft.plan == dry.as_dict(), "the plan is not that of weft.plan")
        for end in ("input", "output"):
            if f"{end}_box" in arguments:
                lo, hi = arguments[f"{end}_box"]
                if all(a < b for a, b in zip(lo, hi)):
                    findings.equal(getattr(fft, f"{end}_box"), (lo, hi), f"{end}_box")
        for turn in range(2):
            for forward in (True, False):
                _execute(case, fft, wanted, forward, limit, turn, findings)


def _execute(
    case: Case,
    fft: weft.FFT,
    wanted: Wanted,
    forward: bool,
    limit: float,
    turn: int,
    findings: Findings,
) -> None:
    source, target, scale = wanted.forward() if forward else wanted.backward()
    ends: list[tuple[Any, ...]] = [(fft.input_slice, "input_order"), (fft.output_slice, "output_order")]
    here, there = (
        local_array(whole, part, case.get(order), case.get("interleaved", False))
        for whole, (part, order) in zip((source, target), ends if forward else ends[::-1])
    )
    guard, shift = Guarded(), case.get("shift", 0)
    name = "forward" if forward else "backward"
    run, dtype = getattr(fft, name), fft.input_dtype if forward else fft.output_dtype
    plain = not case.get("in_place") and not case.get("padded_rows")
    if plain:
        x = guard.copy(here.astype(dtype), shift)
    else:
        x = fft.empty_input() if forward else fft.empty_output()
        x[...] = here
    given = x.copy()
    if plain and turn:
        shape, dtype = (fft.output_shape, fft.output_dtype) if forward else (fft.input_shape, fft.input_dtype)
        out = guard.empty(shape, dtype, shift)
        y = run(x, out)
        findings.true(y is out, f"{name} does not return out")
    else:
        y = run(x)
    findings.close(y, there, scale, limit, name)
    if not case.get("in_place"):
        findings.same(x, given, f"{name}: its input")
    guard.check(findings)
