"""weft.Operator: every function that has a name, tables, kernels and functions of one's own, at wave numbers and in space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import spectral
from numpy.typing import NDArray

import weft
from differential.cases import Case, Chance
from differential.findings import Findings, Guarded, Senseless

from . import common

AT_WAVES = (
    *(
        "laplacian",
        "inverse_laplacian",
        "derivative",
        "gradient",
        "divergence",
        "curl",
        "projection",
        "gaussian",
        "heat",
    ),
    *("shift", "truncate", "multiply", "factors", "table", "convolution", "correlation", "own"),
)
AT_POINTS = ("cross", "products", "multiply", "factors", "table", "own")


def draw(chance: Chance, ranks: int) -> Case:
    at = chance.one("wavenumbers", "wavenumbers", "points")
    case: Case = {
        "at": at,
        "function": chance.one(*(AT_WAVES if at == "wavenumbers" else AT_POINTS)),
        "shape": chance.shape(3, 3000),
        "kind": chance.one("c2c", "r2c"),
    }
    case |= chance.some(
        second_order=(0.5, True) if case["function"] in ("laplacian", "inverse_laplacian") else (0, None),
        order=(0.8, lambda: chance.one(2, 3, 4)) if case["function"] == "derivative" else (0, None),
        axis=(0.7, lambda: chance.one(1, 2)) if case["function"] == "derivative" else (0, None),
        fields=(0.8, lambda: chance.one(2, 3)) if case["function"] in ("own", "products") else (0, None),
        outputs=(0.8, lambda: chance.one(2, 3)) if case["function"] == "own" else (0, None),
        precision=(0.3, "single"),
        batch=(0.3, lambda: chance.one(2, 3)),
        normalization=(0.5, lambda: chance.one("none", "forward", "ortho")),
        modes=(0.25, lambda: [chance.random.randint(1, n) for n in case["shape"]]),
        in_place=(0.25, True),
        transposed=(0.3, True) if at == "points" else (0, None),
        decomposition=(0.5, lambda: chance.one("slab", "pencil")),
        input=(0.3, lambda: common.draw_layout(chance, ranks)),
        output=(0.3, lambda: common.draw_layout(chance, ranks)),
        boxes=(0.3, True),
        shift=(0.1, 1),
    )
    if case.get("transposed"):
        for end in ("input", "output"):
            case.pop(end, None)
    return case | common.draw_options(chance, ranks, "transform")


class Function(NamedTuple):
    """What an operator is made with, what it gets when it is there, and what it does to numbers at the middle."""

    first: Any
    inputs: int
    outputs: int
    does: Callable[[NDArray[Any]], NDArray[Any]]
    then: Callable[[weft.Operator], Any] | None = None


def at_waves(case: Case, lengths: tuple[float, ...], rng: np.random.Generator) -> Function:
    kind, name, of = case["kind"], case["function"], weft.operators
    shape = tuple(case["shape"])
    modes = tuple(case.get("modes", shape))
    k, odd = (spectral.waves(kind, modes, lengths, odd=odd) for odd in (False, True))
    k2 = spectral.squares(kind, modes, lengths)
    if name in ("laplacian", "inverse_laplacian"):
        stencil = "spectral"
        if case.get("second_order"):
            if modes != shape:
                raise Senseless  # its steps are those of the grid in space
            stencil, k2 = "second_order", spectral.squares(kind, modes, lengths, second_order=True)
        factor = -k2 if name == "laplacian" else spectral.inverse(k2)
        return Function(getattr(of, name)(stencil), 1, 1, lambda u: factor * u)
    if name == "derivative":
        order, axis = case.get("order", 1), case.get("axis", 0)
        factor = (1j * (odd if order % 2 else k)[axis]) ** order
        return Function(of.derivative(order, axis), 1, 1, lambda u: factor * u)
    if name == "gradient":
        return Function(name, 1, 3, lambda u: np.stack([1j * one * u for one in odd]))
    if name == "divergence":
        return Function(name, 3, 1, lambda u: 1j * sum(one * v for one, v in zip(odd, u)))
    if name == "curl":
        return Function(name, 3, 3, lambda u: spectral.curled(odd, u))
    if name == "projection":
        return Function(name, 3, 3, lambda u: spectral.projected(odd, u))
    if name == "gaussian":
        return Function(of.gaussian(0.3), 1, 1, lambda u: np.exp(-0.045 * k2) * u)
    if name == "heat":
        return Function(of.heat(0.1, 0.7), 1, 1, lambda u: np.exp(-0.07 * k2) * u)
    if name == "shift":
        distance = (0.1, -0.7, 2.0)
        factor = spectral.moved(kind, modes, lengths, distance)
        return Function(of.shift(distance), 1, 1, lambda u: factor * u)
    if name == "truncate":
        keep = spectral.kept(kind, modes, lengths, 0.5)
        return Function(of.truncate(0.5), 1, 1, lambda u: keep * u)
    if name == "multiply":
        return Function(of.multiply(lambda a, b, c: 1 / (1 + a**2 + b**2 + c**2)), 1, 1, lambda u: u / (1 + k2))
    if name in ("convolution", "correlation"):
        kernel = common.random_field(rng, shape, kind == "c2c")
        factor = spectral.there(kind, kernel, modes)
        factor = factor if name == "convolution" else np.conj(factor)

        def with_kernel(op: weft.Operator) -> Any:
            return getattr(of, name)(np.ascontiguousarray(kernel[op.input_slice], op.input_dtype))

        return Function("laplacian", 1, 1, lambda u: factor * u, with_kernel)
    if kind == "r2c":  # numbers that belong to a real field
        table = 1 / (1 + k2) + 0j
        rows = [1 / (1 + one.ravel() ** 2) for one in k]
    else:
        table = common.random_field(rng, modes, True)
        rows = [rng.standard_normal(one.size) for one in k]
    if name == "factors":
        factor = rows[0][:, None, None] * rows[1][:, None] * rows[2]
        return Function(of.multiply(rows), 1, 1, lambda u: factor * u)
    if name == "table":
        return Function("laplacian", 1, 1, lambda u: table * u, lambda op: of.multiply(table[op.middle_slice]))
    inputs, outputs = case.get("fields", 1), case.get("outputs", 1)

    def own(tile: weft.Tile) -> None:
        a = tile.wavenumbers[0]
        assert tile.odd is not None
        for n in range(outputs):
            u = tile.inputs[n % inputs]
            tile.outputs[n] = u * (1 + n + a**2 * tile.odd[1]) if n % 2 else 1j * tile.odd[2] * u - tile.inputs[-1]

    def does(u: NDArray[Any]) -> NDArray[Any]:
        u = u if inputs > 1 else u[None]
        found = [
            u[n % inputs] * (1 + n + k[0] ** 2 * odd[1]) if n % 2 else 1j * odd[2] * u[n % inputs] - u[-1]
            for n in range(outputs)
        ]
        return np.stack(found) if outputs > 1 else found[0]

    return Function(own, inputs, outputs, does)


def in_space(case: Case, lengths: tuple[float, ...], rng: np.random.Generator) -> Function:
    kind, name, of, shape = case["kind"], case["function"], weft.operators, tuple(case["shape"])
    x, y, z = np.meshgrid(*(length * np.arange(n) / n for n, length in zip(shape, lengths)), indexing="ij", sparse=True)
    if name == "cross":
        return Function(name, 6, 3, lambda u: np.cross(u[:3], u[3:], axis=0))
    if name == "products":
        count = case.get("fields", 1)
        pairs = [(a, b) for a in range(count) for b in range(a, count)]

        def products(u: NDArray[Any]) -> NDArray[Any]:
            return np.stack([u[a] * u[b] for a, b in pairs]) if count > 1 else u * u

        return Function(of.products(count), count, len(pairs), products)
    if name == "multiply":
        return Function(
            of.multiply(lambda x, y, z: np.cos(x) * y + z, at="points"), 1, 1, lambda u: (np.cos(x) * y + z) * u
        )
    if name == "factors":
        rows = [rng.standard_normal(n) for n in shape]
        factor = rows[0][:, None, None] * rows[1][:, None] * rows[2]
        return Function(of.multiply(rows, at="points"), 1, 1, lambda u: factor * u)
    if name == "table":
        table = common.random_field(rng, shape, kind == "c2c")
        first = of.multiply(lambda x, y, z: x + y + z, at="points")
        return Function(first, 1, 1, lambda u: table * u, lambda op: of.multiply(table[op.middle_slice], at="points"))
    inputs, outputs = case.get("fields", 1), case.get("outputs", 1)

    def own(tile: weft.Tile) -> None:
        a, _, c = tile.coordinates
        for n in range(outputs):
            tile.outputs[n] = tile.inputs[n % inputs] * tile.inputs[-1] if n % 2 else tile.inputs[n % inputs] * (a + c)

    def does(u: NDArray[Any]) -> NDArray[Any]:
        u = u if inputs > 1 else u[None]
        found = [u[n % inputs] * u[-1] if n % 2 else u[n % inputs] * (x + z) for n in range(outputs)]
        return np.stack(found) if outputs > 1 else found[0]

    return Function(own, inputs, outputs, does)


def check(case: Case, comm: Any, findings: Findings) -> None:
    shape, kind, at = tuple(case["shape"]), case["kind"], case.get("at", "wavenumbers")
    modes, lengths = tuple(case.get("modes", shape)), (2 * np.pi, 3.0, 5.0)
    names = AT_WAVES if at == "wavenumbers" else AT_POINTS
    if any(m > n for m, n in zip(modes, shape)) or len(modes) != 3 or case.get("function") not in names:
        raise Senseless
    precision, batch = case.get("precision", "double"), case.get("batch", 1)
    rng = np.random.default_rng(case.get("numbers", 0))
    function = (at_waves if at == "wavenumbers" else in_space)(case, lengths, rng)
    in_place = case.get("in_place", False) and function.inputs == function.outputs
    many = (*((batch,) if batch > 1 else ()), *((function.inputs,) if function.inputs > 1 else ()))
    fields = common.random_field(rng, (*many, *shape), kind == "c2c")
    points = float(np.prod(shape))
    ahead, behind = {"forward": (1 / points, points), "ortho": (points**-0.5, points**0.5)}.get(
        case.get("normalization", "backward"), (1.0, 1.0)
    )

    def applied(u: NDArray[Any]) -> NDArray[Any]:
        """By NumPy, of one application."""
        if at == "wavenumbers":
            return spectral.back(kind, function.does(spectral.there(kind, u, modes) * ahead) * behind, shape, modes)
        return spectral.there(kind, function.does(spectral.back(kind, u, shape, modes) * behind), modes) * ahead

    def size(u: NDArray[Any]) -> float:
        """What its result is measured by: the largest value, or what it would be if nothing cancelled or were cut off."""
        if at == "wavenumbers":
            spectrum = function.does(spectral.there(kind, u, modes))
            return float(np.linalg.norm(spectrum)) / points
        product = function.does(spectral.back(kind, u, shape, modes) * behind)
        return float(np.linalg.norm(product)) * ahead

    source = fields if at == "wavenumbers" else spectral.there(kind, fields, modes)
    target = np.stack([applied(u) for u in source]) if batch > 1 else applied(source)
    scale = max(common.largest(target), *(size(u) for u in (source if batch > 1 else [source])))
    arguments = {name: case[name] for name in ("kind", "precision", "batch", "normalization") if name in case}
    arguments |= common.options_of(case) | {
        "in_place": in_place,
        "effort": "estimate",
        "lengths": lengths,
        "modes": modes,
    }
    if callable(function.first) and not isinstance(function.first, weft.operators.Function):
        arguments |= {"inputs": function.inputs, "outputs": function.outputs, "at": at}
    grid = source.shape[-3:]
    arguments |= common.ends(case, {"input": grid, "output": grid}, comm)
    try:
        op = weft.Operator(shape, function.first, comm=comm, **arguments)
    except weft.Error as error:
        if "meet in different layouts" in str(error):
            return  # the documented limit; it depends on the layouts of both ends
        raise
    with op:
        if function.then:
            op.set_function(function.then(op))
        for part, what in ((op.input_slice, "the input's part"), (op.output_slice, "the output's part")):
            common.check_cover(findings, comm, part, grid, what)
        limit = 8 * common.allowed(case, precision, shape)
        guard, shift = Guarded(), case.get("shift", 0)
        for turn in range(2):
            here = source[(..., *op.input_slice)]
            if in_place:
                x = op.empty_input()
                x[...] = here
            else:
                x = guard.copy(here.astype(op.input_dtype), shift)
            given = x.copy()
            y = op(x, guard.empty(op.output_shape, op.output_dtype, shift) if turn and not in_place else None)
            findings.close(y, target[(..., *op.output_slice)], scale, limit, "the result")
            if not in_place:
                findings.same(x, given, "the input")
            guard.check(findings)
