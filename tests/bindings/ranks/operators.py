"""Operators on several ranks against NumPy: the library's functions, tables, functions in Python and compiled ones."""

import ctypes
from functools import partial
from itertools import product

import numpy as np
import spectral
from checking import COMM, random_bricks, run_checks, same_error
from reference import tolerance
from spectral import curled, inverse, projected, there

import weft

SHAPE, LENGTHS = (6, 5, 8), (2 * np.pi, 3.0, 5.0)
LAST = COMM.size - 1
IS_LAST = COMM.rank == LAST
KINDS = ("c2c", "r2c")
back = partial(spectral.back, shape=SHAPE)
waves, squares, moved, kept = (
    partial(one, shape=SHAPE, lengths=LENGTHS)
    for one in (spectral.waves, spectral.squares, spectral.moved, spectral.kept)
)
KERNEL = np.random.default_rng(3).standard_normal(SHAPE)


def fields_of(kind, *many, shape=SHAPE):
    rng = np.random.default_rng(11)
    real = rng.standard_normal((*many, *shape))
    return real if kind == "r2c" else real + 1j * rng.standard_normal((*many, *shape))


def spectral_functions(kind):
    """Function, fields in, fields out, and what it does to the spectrum of the fields."""
    k, odd = waves(kind), waves(kind, odd=True)
    kernel = KERNEL.astype(float if kind == "r2c" else complex)
    if kind == "c2c":
        kernel = kernel + 1j * KERNEL[::-1]
    rows = [np.random.default_rng(5).standard_normal(one.size) for one in k]
    of = weft.operators
    return [
        ("laplacian", 1, 1, lambda u: -squares(kind) * u),
        (of.laplacian("second_order"), 1, 1, lambda u: -squares(kind, second_order=True) * u),
        ("inverse_laplacian", 1, 1, lambda u: inverse(squares(kind)) * u),
        (of.inverse_laplacian("second_order"), 1, 1, lambda u: inverse(squares(kind, second_order=True)) * u),
        (of.derivative(1, 0), 1, 1, lambda u: 1j * odd[0] * u),
        (of.derivative(2, 1), 1, 1, lambda u: -(k[1] ** 2) * u),
        (of.derivative(3, 2), 1, 1, lambda u: -1j * odd[2] ** 3 * u),
        ("gradient", 1, 3, lambda u: np.stack([1j * one * u for one in odd])),
        (of.divergence(), 3, 1, lambda u: 1j * sum(one * v for one, v in zip(odd, u))),
        ("curl", 3, 3, lambda u: curled(odd, u)),
        ("projection", 3, 3, lambda u: projected(odd, u)),
        (of.gaussian(0.3), 1, 1, lambda u: np.exp(-0.045 * squares(kind)) * u),
        (of.heat(0.1), 1, 1, lambda u: np.exp(-0.1 * squares(kind)) * u),
        (of.heat(0.1, diffusivity=2), 1, 1, lambda u: np.exp(-0.2 * squares(kind)) * u),
        (of.shift((0.1, -0.7, 2)), 1, 1, lambda u: moved(kind, distance=(0.1, -0.7, 2)) * u),
        ("truncate", 1, 1, lambda u: kept(kind, fraction=2 / 3) * u),
        (of.truncate(0.5), 1, 1, lambda u: kept(kind, fraction=0.5) * u),
        (of.multiply(lambda a, b, c: 1 / (1 + a**2 + b**2 + c**2)), 1, 1, lambda u: u / (1 + squares(kind))),
        (of.multiply(lambda a, b, c: 1j * a), 1, 1, lambda u: 1j * k[0] * u),
        (of.multiply(rows), 1, 1, lambda u: rows[0][:, None, None] * rows[1][:, None] * rows[2] * u),
        (of.convolution, kernel, lambda u: there(kind, kernel) * u),
        (of.correlation, kernel, lambda u: np.conj(there(kind, kernel)) * u),
    ]


def compare(function, kind, u, wanted, precision="double", **arguments):
    """The parts of all ranks are compared, so together the whole grid is."""
    real, complex_ = ("f8", "c16") if precision == "double" else ("f4", "c8")
    with weft.Operator(
        SHAPE, function, kind=kind, precision=precision, lengths=LENGTHS, effort="estimate", **arguments
    ) as op:
        assert op.input_dtype == (real if kind == "r2c" and op.at == "wavenumbers" else complex_)
        assert op.input_shape == u[(..., *op.input_slice)].shape
        x = op.empty_input()
        x[...] = u[(..., *op.input_slice)]
        kept = x.copy()
        y = op(x)
        assert y.dtype == op.output_dtype
        part = wanted[(..., *op.output_slice)]
        assert y.shape == part.shape == op.output_shape
        if y.size:
            error = np.abs(y - part).max() / np.abs(wanted).max()
            assert error <= 8 * tolerance(precision, SHAPE), (repr(op), error)
        if op.in_place:
            assert np.shares_memory(x, y)
        else:
            np.testing.assert_array_equal(x, kept)
            out = op.empty_output()
            assert op(x, out=out) is out
            np.testing.assert_array_equal(out, y)


def part_of(whole):
    """This rank's part of a field as operators have it by default."""
    layout = weft.operator_plan(SHAPE, "laplacian", COMM.size, COMM.rank).input_layout
    lo, hi = layout.box(COMM.rank)
    return np.ascontiguousarray(whole[tuple(slice(a, b) for a, b in zip(lo, hi))])


def check_functions_at_wave_numbers():
    for kind in KINDS:
        for function, *rest in spectral_functions(kind):
            if callable(function) and not isinstance(function, weft.operators.Function):
                kernel, does = rest
                function, inputs, outputs = function(part_of(kernel)), 1, 1
            else:
                inputs, outputs, does = rest
            u = fields_of(kind, *([inputs] if inputs > 1 else []))
            wanted = back(kind, does(there(kind, u)))
            assert wanted.shape == ((outputs, *SHAPE) if outputs > 1 else SHAPE)
            compare(function, kind, u, wanted)


def check_functions_in_space():
    table = np.random.default_rng(4).standard_normal(SHAPE)
    rows = table[:, :1, :1] * table[:1, :, :1] * table[:1, :1, :]
    pairs = [(a, b) for a in range(3) for b in range(a, 3)]
    for kind in KINDS:
        cases = [
            ("cross", 6, lambda u: np.cross(u[:3], u[3:], axis=0)),
            ("products", 3, lambda u: np.stack([u[a] * u[b] for a, b in pairs])),
            (weft.operators.products(2), 2, lambda u: np.stack([u[0] * u[0], u[0] * u[1], u[1] * u[1]])),
            (weft.operators.multiply(lambda x, y, z: np.cos(x) * y + z, at="points"), 1, in_space),
            (
                weft.operators.multiply([table[:, 0, 0], table[0, :, 0], table[0, 0, :]], at="points"),
                1,
                lambda u: rows * u,
            ),
        ]
        for function, inputs, does in cases:
            u = fields_of(kind, *([inputs] if inputs > 1 else []))
            compare(function, kind, there(kind, u), there(kind, does(u)))


def check_fewer_points():
    """The double grid makes a periodic convolution one of fields without neighbours."""
    points, shape = (4, 5, 3), (8, 10, 6)
    kernel, field = (np.random.default_rng(one).standard_normal(size) for one, size in ((1, shape), (2, points)))
    factor = np.fft.rfftn(kernel)
    wanted = np.fft.irfftn(factor * np.fft.rfftn(field, shape, (0, 1, 2)), shape, (0, 1, 2))[tuple(map(slice, points))]
    with weft.Operator(shape, "laplacian", kind="r2c", points=points) as op:
        part = factor[op.middle_slice].copy()
        op.set_function(weft.operators.multiply(lambda *_: part))
        x = op.empty_input()
        x[...] = field[op.input_slice]
        np.testing.assert_allclose(op(x), wanted[op.output_slice], atol=1e-12)
    assert weft.operator_plan(shape, "laplacian", 2, kind="r2c", points=points).input_layout.shape == points


def check_fewer_modes():
    """A product in space of two fields of five modes has no aliases on eight points: it is that on any finer grid."""
    modes = (5, 4, 5)
    for kind in KINDS:
        found = []
        for shape in (weft.three_halves(modes), (11, 12, 13)):
            with weft.Operator(
                shape, "products", at="points", kind=kind, modes=modes, normalization="forward", comm=COMM
            ) as op:
                assert op.plan.spectrum_shape == (modes if kind == "c2c" else (5, 4, 3))
                x = op.empty_input()
                for field, at in enumerate(x):
                    with weft.FFT(modes, kind=kind, output_layout=op.plan.input_layout) as fft:
                        real = fft.empty_input()
                        real[...] = np.random.default_rng(field).standard_normal(modes)[fft.input_slice]
                        fft.forward(real, at)
                    at *= np.broadcast_to(np.where(np.arange(4) == 2, 0, 1)[:, None], (5, 4, 5))[op.input_slice]
                found.append((op.input_slice, op(x)))
        for one, other in zip(found[0][1], found[1][1]):
            lost = np.broadcast_to((np.arange(4) == 2)[:, None], (5, 4, 5))[found[0][0]]  # that gets aliases
            close = np.isclose(one, other, rtol=0, atol=1e-12 * max(1, np.abs(other).max(initial=0)))
            assert (close | lost).all()


def in_space(u):
    x, y, z = np.meshgrid(*(length * np.arange(n) / n for n, length in zip(SHAPE, LENGTHS)), indexing="ij")
    return (np.cos(x) * y + z) * u


def check_tables():
    for kind in KINDS:
        table = np.random.default_rng(4).standard_normal(SHAPE if kind == "c2c" else (6, 5, 5)).astype(complex)
        table[1:] += 1j
        u = fields_of(kind)
        wanted = back(kind, table * there(kind, u))
        plan = weft.operator_plan(SHAPE, "laplacian", COMM.size, COMM.rank, kind=kind)
        lo, hi = plan.middle_box
        mine = table[tuple(slice(a, b) for a, b in zip(lo, hi))]
        compare(weft.operators.multiply(mine), kind, u, wanted)
        with weft.Operator(SHAPE, "laplacian", kind=kind) as op:
            op.set_function(weft.operators.multiply(table[op.middle_slice]))
            np.testing.assert_allclose(op(np.ascontiguousarray(u[op.input_slice])), wanted[op.output_slice], atol=1e-12)


def rotate(tile):
    """Three fields to two, of wave numbers."""
    k0, k1, _ = tile.wavenumbers
    u = tile.inputs
    tile.outputs[0] = u[0] * k0 + u[1] * k1**2
    tile.outputs[1] = 1j * tile.odd[2] * u[2] - u[0]


def check_functions_in_python():
    for kind, precision in product(KINDS, ("double", "single")):
        u = fields_of(kind, 3)
        k, odd, v = waves(kind), waves(kind, odd=True), there(kind, u)
        wanted = back(kind, np.stack([v[0] * k[0] + v[1] * k[1] ** 2, 1j * odd[2] * v[2] - v[0]]))
        if kind == "c2c":
            compare(rotate, kind, u, wanted, precision, inputs=3, outputs=2)
            compare(rotate, kind, u, wanted, precision, inputs=3, outputs=2, threads=2, cache=4096)
            compare(rotate, kind, u, wanted, precision, inputs=3, outputs=2, decomposition="pencil")

        def scale(tile):
            x, _, z = tile.coordinates
            assert tile.odd is None
            tile.outputs[...] = tile.inputs * (x + z)

        u = fields_of(kind)
        points = [length * np.arange(n) / n for n, length in zip(SHAPE, LENGTHS)]
        wanted = there(kind, (points[0][:, None, None] + points[2]) * u)
        compare(scale, kind, there(kind, u), wanted, precision, at="points")


def check_what_a_tile_is():
    seen = np.zeros((6, 5, 5), int)
    calls = []

    def look(tile):
        assert tile.inputs.dtype == tile.outputs.dtype == np.complex128
        assert not tile.inputs.flags.writeable
        assert not tile.inputs.flags.owndata
        shape = tuple(hi - lo for lo, hi in zip(*tile.box))
        assert tile.inputs.shape == tile.outputs.shape == (2, *shape)
        assert np.broadcast_shapes(*(k.shape for k in tile.wavenumbers)) == shape
        part = tuple(slice(lo, hi) for lo, hi in zip(*tile.box))
        seen[part] += 1
        assert seen[part].shape == shape
        here = seen[op.middle_slice]
        assert np.shares_memory(here[tile.slices], seen[part])
        for k, whole, s in zip(tile.wavenumbers, waves("r2c", lengths=(2 * np.pi,) * 3), part):
            np.testing.assert_allclose(k.ravel(), whole.ravel()[s])
        calls.append(tile)
        tile.outputs[...] = tile.inputs

    with weft.Operator(SHAPE, look, inputs=2, outputs=2, kind="r2c", cache=2048, batch=3) as op:
        u = fields_of("r2c", 3, 2)
        for _ in range(2):
            y = op(np.ascontiguousarray(u[(..., *op.input_slice)]))
            np.testing.assert_allclose(y, u[(..., *op.output_slice)], atol=1e-13)
        # Each point three times in each execution, of the same objects.
        assert (seen[op.middle_slice] == 6).all()
        assert seen.sum() == 6 * np.prod(op.middle_shape)
        assert len({id(tile) for tile in calls}) <= len(calls) // 2
        same = op.wavenumbers()
        assert np.broadcast_shapes(*(k.shape for k in same)) == op.middle_shape
        for odd, k, n in zip(op.wavenumbers(odd=True), same, SHAPE):
            np.testing.assert_array_equal(odd, np.where(np.isclose(2 * k, n), 0, k))


def check_compiled_functions():
    """Through ctypes, which stands for a compiler."""

    class CTile(ctypes.Structure):
        _fields_ = [
            *((name, ctypes.c_int64 * 3) for name in ("lo", "hi", "middle_lo", "middle_hi", "strides")),
            *((name, ctypes.c_int64) for name in ("inputs", "outputs")),
            *((name, ctypes.POINTER(ctypes.c_void_p)) for name in ("ins", "outs")),
            *((name, ctypes.POINTER(ctypes.c_double) * 3) for name in ("at", "odd")),
            ("type", ctypes.c_int32),
        ]

    context = ctypes.c_double(3.0)

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CTile), ctypes.POINTER(ctypes.c_double))
    def triple(pointer, factor):
        tile = pointer[0]
        if (tile.inputs, tile.outputs, tile.type) != (1, 1, 4):
            return 7
        for i in range(tile.hi[0] - tile.lo[0]):
            for j in range(tile.hi[1] - tile.lo[1]):
                n = tile.hi[2] - tile.lo[2]
                offset = 16 * (i * tile.strides[0] + j * tile.strides[1])
                row = [(ctypes.c_double * (2 * n)).from_address(p[0] + offset) for p in (tile.ins, tile.outs)]
                k = tile.at[0][tile.lo[0] + i]
                np.frombuffer(row[1])[:] = np.frombuffer(row[0]) * (factor[0] if factor else 1.0) * k**2
        return 0

    u = fields_of("r2c")
    wanted = back("r2c", waves("r2c")[0] ** 2 * there("r2c", u))
    address = ctypes.cast(triple, ctypes.c_void_p).value
    compare(triple, "r2c", u, wanted)
    compare(address, "r2c", u, wanted)
    compare(weft.operators.compiled(triple, ctypes.addressof(context)), "r2c", u, 3 * wanted)
    with weft.Operator(SHAPE, triple, precision="single") as op:
        same_error(
            rf"^the operator's function failed on rank {'0' if op.middle_shape[0] else '.'}.*: it returned 7",
            lambda: op(np.zeros(op.input_shape, "c8")),
        )


def check_functions_of_numba():
    """What numba makes of Python, by its address: where numba is installed."""
    try:
        import numba
        from numba.core import cgutils
    except ImportError:
        return
    types = numba.types

    @numba.extending.intrinsic
    def at(typing, address):
        def generate(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], cgutils.voidptr_t)

        return types.voidptr(address), generate

    tile_type = np.dtype(
        [
            *((name, np.int64, 3) for name in ("lo", "hi", "middle_lo", "middle_hi", "strides")),
            *((name, np.int64) for name in ("inputs", "outputs")),
            *((name, np.uintp) for name in ("ins", "outs")),
            *((name, np.uintp, 3) for name in ("at", "odd")),
            ("type", np.int32),
        ],
        align=True,
    )

    @numba.cfunc(types.int32(types.CPointer(numba.from_dtype(tile_type)), types.voidptr))
    def of_numba(pointer, context):
        tile = numba.carray(pointer, 1)[0]
        if tile.type != 4:
            return 3
        rows, columns, n = tile.hi[0] - tile.lo[0], tile.hi[1] - tile.lo[1], tile.hi[2] - tile.lo[2]
        size = (rows - 1) * tile.strides[0] + (columns - 1) * tile.strides[1] + n
        u = numba.carray(at(numba.carray(at(tile.ins), 1, np.uintp)[0]), size, np.complex128)
        v = numba.carray(at(numba.carray(at(tile.outs), 1, np.uintp)[0]), size, np.complex128)
        k = numba.carray(at(tile.at[0]), tile.hi[0], np.float64)
        for i in range(rows):
            for j in range(columns):
                first = i * tile.strides[0] + j * tile.strides[1]
                for l in range(n):  # noqa: E741
                    v[first + l] = 2 * k[tile.lo[0] + i] ** 2 * u[first + l]
        return 0

    u = fields_of("r2c")
    wanted = back("r2c", 2 * waves("r2c")[0] ** 2 * there("r2c", u))
    compare(of_numba, "r2c", u, wanted)
    compare(of_numba, "r2c", u, wanted, threads=2, cache=4096)
    with weft.Operator(SHAPE, of_numba, precision="single") as op:
        same_error(r"it returned 3", lambda: op(np.zeros(op.input_shape, "c8")))


def check_options_and_layouts():
    u, three = fields_of("r2c"), fields_of("c2c", 3)
    poisson = back("r2c", inverse(squares("r2c")) * there("r2c", u))
    curl = back("c2c", curled(waves("c2c", odd=True), there("c2c", three)))
    for precision, in_place in product(("double", "single"), (False, True)):
        compare("inverse_laplacian", "r2c", u, poisson, precision, in_place=in_place)
        compare("curl", "c2c", three, curl, precision, in_place=in_place)
    many = np.stack([three, 2 * three])
    compare("curl", "c2c", many, np.stack([curl, 2 * curl]), batch=2, strategy="ialltoallv", tile=2)
    compare("curl", "c2c", many, np.stack([curl, 2 * curl]), batch=2, in_place=True, decomposition="pencil")
    for normalization in ("none", "forward", "ortho"):
        compare("inverse_laplacian", "r2c", u, poisson, normalization=normalization)
    box = random_bricks(SHAPE, COMM.size, 2)[COMM.rank]
    compare("inverse_laplacian", "r2c", u, poisson, input_box=box)
    slabs = weft.Layout.slab(SHAPE, COMM.size, 1)
    compare(
        "inverse_laplacian", "r2c", u, poisson, input_layout=slabs, output_layout=weft.Layout.slab(SHAPE, COMM.size)
    )
    cross = there("c2c", np.cross(three, three[::-1], axis=0))
    both = there("c2c", np.concatenate([three, three[::-1]]))
    compare("cross", "c2c", both, cross, transposed=True)


def check_another_function():
    u = fields_of("r2c")
    with weft.Operator(SHAPE, weft.operators.heat(0.1), kind="r2c", lengths=LENGTHS) as op:
        x = np.ascontiguousarray(u[op.input_slice])
        for dt in (0.1, 0.3):
            op.set_function(weft.operators.heat(dt))
            wanted = back("r2c", np.exp(-dt * squares("r2c")) * there("r2c", u))
            np.testing.assert_allclose(op(x), wanted[op.output_slice], atol=1e-13)
        op.set_function(weft.operators.convolution(part_of(KERNEL)))
        wanted = back("r2c", there("r2c", KERNEL) * there("r2c", u))
        np.testing.assert_allclose(op(x), wanted[op.output_slice], atol=1e-12)
        same_error("the new function is one of 1 to 3 fields", lambda: op.set_function("gradient"))
        same_error("needs outputs apart", lambda: op.set_function(lambda tile: None))
        if COMM.size > 1:
            same_error("must be the same on all", lambda: op.set_function("laplacian" if IS_LAST else "truncate"))
        np.testing.assert_allclose(op(x), wanted[op.output_slice], atol=1e-12)
        assert op.statistics.executions == 4


def check_exceptions_in_functions():
    """On one rank: an error of all, and the operator lives on."""
    fails = True

    def sometimes(tile):
        if fails and IS_LAST:
            raise KeyError("on purpose")
        tile.outputs[...] = tile.inputs

    for threads in (1, 2):
        with weft.Operator((8, 8, 8), sometimes, threads=threads, cache=2048) as op:
            x = np.random.default_rng(1).standard_normal(op.input_shape).astype(complex)
            fails = True
            same_error(
                f"the operator's function failed on rank {LAST}: KeyError: 'on purpose'", lambda op=op, x=x: op(x)
            )
            try:
                op(x)
            except weft.Error as error:
                assert isinstance(error.__cause__, KeyError) == IS_LAST  # noqa: PT017  # not under pytest
            fails = False
            np.testing.assert_allclose(op(x), x, atol=1e-13)

    def returns(tile):
        return tile.inputs if IS_LAST else tile.outputs.fill(0)

    with weft.Operator((8, 8, 8), returns) as op:
        same_error("it returned ndarray; it must write tile.outputs", lambda: op(op.empty_input()))

    def assigns(tile):
        tile.outputs = tile.inputs

    with weft.Operator((8, 8, 8), assigns) as op:
        same_error("cannot assign to field 'outputs'", lambda: op(op.empty_input()))

    def makes(tile):
        raise ValueError

    same_error(
        f"^ValueError{rf' .rank {LAST}.' if COMM.size > 1 else ''}$",
        lambda: weft.Operator(SHAPE, weft.operators.multiply(lambda *k: makes(k) if IS_LAST else k[0])),
    )


def check_bad_arguments_on_one_rank():
    def make(**arguments):
        weft.Operator(**{"shape": SHAPE, "function": "laplacian", **(arguments if IS_LAST else {})})

    same_error(
        r"function 'inverse_laplacain' is unknown; did you mean 'inverse_laplacian'",
        lambda: make(function="inverse_laplacain"),
    )
    same_error(r"shape\[1\] is 0", lambda: make(shape=(6, 0, 4)))
    same_error(r"kind is 'c2x'", lambda: make(kind="c2x"))
    same_error(r"lengths is \(1, -2, 3\)", lambda: make(lengths=(1, -2, 3)))
    same_error(r"inputs is 2; the function laplacian\(0.0\) has 1", lambda: make(inputs=2))
    same_error(
        r"table has shape \(1, 2, 3\)",
        lambda: weft.Operator(SHAPE, weft.operators.multiply(np.zeros((1, 2, 3)) if IS_LAST else table_like())),
    )
    kernel = part_of(KERNEL)
    same_error(
        "kernel has dtype float64; complex128",
        lambda: weft.Operator(SHAPE, weft.operators.convolution(kernel if IS_LAST else kernel.astype(complex))),
    )
    if COMM.size > 1:
        same_error("must be the same on all ranks", lambda: make(function="truncate"))
        same_error("must be the same on all ranks", lambda: make(lengths=3))
        same_error("must be the same on all ranks", lambda: make(batch=2))
        same_error("must be the same on all ranks", lambda: make(kind="r2c"))
    with weft.Operator(SHAPE, "laplacian") as op:
        x = np.zeros(op.input_shape, "f8" if IS_LAST else "c16")
        same_error("x has dtype float64; complex128", lambda: op(x))
        op(op.empty_input())


def table_like():
    lo, hi = weft.operator_plan(SHAPE, "laplacian", COMM.size, COMM.rank).middle_box
    return np.zeros([b - a for a, b in zip(lo, hi)])


def wave(line, n, length, order):
    """A wave that fits between the walls of a line, and its number."""
    between, first, more, sine = {
        "dct1": (n - 1, 0, 0, False),
        "dct2": (n, 0.5, 0, False),
        "dct4": (n, 0.5, 0.5, False),
        "dst1": (n + 1, 1, 1, True),
        "dst2": (n, 0.5, 1, True),
        "dst3": (n, 1, 0.5, True),
    }.get(line, (n, 0, order, False))
    k = np.pi * (order + more) / length
    x = (np.arange(n) + first) * length / between
    return k, np.sin(k * x) if sine else np.cos(k * x)


def check_walls():
    for kind in (("dct2", "dst2", "r2c"), ("dct1", "dct4", "dst1"), "dst3-r2hc-dht", ("c2c", "dct1", "dst2"), "dct2"):
        lines = kind if isinstance(kind, tuple) else (kind.split("-") * 3)[:3]
        ks, alongs = zip(
            *(wave(line, *size, 1 + axis % 2) for axis, (line, *size) in enumerate(zip(lines, SHAPE, LENGTHS)))
        )
        u = alongs[0][:, None, None] * alongs[1][:, None] * alongs[2]
        square = sum(k**2 for k in ks)
        if "c2c" in lines:
            u = u * (1 - 2j)

        def damp(tile):
            tile.outputs[0] = tile.inputs[0] / (1 + sum(k**2 for k in tile.wavenumbers))

        table = weft.operators.multiply(lambda a, b, c: 1 / (1 + a**2 + b**2 + c**2))
        for function, factor in (
            ("laplacian", -square),
            (weft.operators.inverse_laplacian(shift=2.5), -1 / (square + 2.5)),
            (weft.operators.heat(0.1), np.exp(-0.1 * square)),
            (damp, 1 / (1 + square)),
            (table, 1 / (1 + square)),
        ):
            with weft.Operator(SHAPE, function, kind=kind, lengths=LENGTHS, effort="estimate") as op:
                assert op.input_dtype == u.dtype
                assert op.middle_dtype == ("c16" if {"c2c", "r2c"} & set(lines) else "f8")
                np.testing.assert_allclose(op(u[op.input_slice]), factor * u[op.output_slice], atol=1e-11)
    same_error("odd order along axis 1", lambda: weft.Operator(SHAPE, "gradient", kind=("c2c", "dct2", "r2c")))
    same_error(
        "an eigenvalue of the Laplacian", lambda: weft.Operator(SHAPE, weft.operators.inverse_laplacian(shift=-9))
    )
    same_error("a line for each axis", lambda: weft.Operator(SHAPE, "laplacian", kind=("dct2", "dct2")))


def check_kernels_in_place():
    """Arrays have room for the larger end then; a kernel has the points of the input."""
    shape = (4, 3, 5)
    rng = np.random.default_rng(2)
    u, kernel = rng.standard_normal((2, *shape))
    layouts = {
        "input_layout": weft.Layout.slab(shape, COMM.size, 2),
        "output_layout": weft.Layout.slab(shape, COMM.size, 0),
    }
    with weft.Operator(shape, "laplacian", kind="r2c", in_place=True, **layouts) as op:
        op.set_function(weft.operators.convolution(np.ascontiguousarray(kernel[op.input_slice])))
        x = op.empty_input()
        x[...] = u[op.input_slice]
        wanted = np.fft.irfftn(np.fft.rfftn(u) * np.fft.rfftn(kernel), shape)
        np.testing.assert_allclose(op(x), wanted[op.output_slice], atol=1e-12)


def check_more_axes():
    """Functions of the library's, tables, factors and tiles in four and five axes, against NumPy."""
    for shape, kind in (((5, 4, 3, 6), "c2c"), ((4, 3, 2, 3, 5), "r2c")):
        rng = np.random.default_rng(len(shape))
        axes = tuple(range(-len(shape), 0))
        u = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if kind == "c2c" else 0)
        lengths = 1.0 + np.arange(len(shape))
        k = np.meshgrid(
            *[2 * np.pi / length * np.fft.fftfreq(n, 1 / n) for n, length in zip(shape, lengths)], indexing="ij"
        )
        odd = [
            np.where(2 * np.abs(one * length / (2 * np.pi)) == n, 0, one) for one, n, length in zip(k, shape, lengths)
        ]
        square = sum(one**2 for one in k)

        def wanted(symbol, u=u, axes=axes, kind=kind):
            found = np.fft.ifftn(symbol * np.fft.fftn(u), axes=axes)
            return found.real if kind == "r2c" else found

        def gaussian_tile(tile):
            tile.outputs[0] = np.exp(-0.01 * sum(one**2 for one in tile.wavenumbers)) * tile.inputs[0]

        factors = [1 / (1 + np.abs(np.fft.fftfreq(n, 1 / n))) for n in shape]
        whole = 1.0
        for axis, factor in enumerate(factors):
            whole = whole * factor.reshape([-1 if other == axis else 1 for other in range(len(shape))])
        halved = [*factors[:-1], factors[-1][: shape[-1] // 2 + 1]] if kind == "r2c" else factors
        for function, symbols in (
            ("laplacian", [-square]),
            (weft.operators.inverse_laplacian(), [-1 / np.where(square == 0, np.inf, square)]),
            ("gradient", [1j * one for one in odd]),
            (weft.operators.derivative(1, len(shape) - 1), [1j * odd[-1]]),
            (weft.operators.derivative(2, 2), [-(k[2] ** 2)]),
            (gaussian_tile, [np.exp(-0.01 * square)]),
            (weft.operators.multiply(lambda *k: 1 / (1 + sum(one**2 for one in k))), [1 / (1 + square)]),
            (weft.operators.multiply(halved), [whole]),
        ):
            with weft.Operator(shape, function, kind=kind, lengths=lengths, effort="estimate") as op:
                assert op.shape == shape
                assert op.lengths == tuple(lengths)
                out = op(np.ascontiguousarray(u[op.input_slice]))
                each = out.reshape(len(symbols), *out.shape[-len(shape) :])
                for found, symbol in zip(each, symbols):
                    whole_field = wanted(symbol)
                    np.testing.assert_allclose(
                        found, whole_field[op.output_slice], atol=1e-11 * np.abs(whole_field).max()
                    )
                waves = op.wavenumbers()
                assert np.broadcast_shapes(*[one.shape for one in waves]) == op.middle_shape
    same_error("'curl' is for grids of 3 axes", lambda: weft.Operator((3, 3, 3, 3), "curl"))
    same_error("at points allows three axes", lambda: weft.Operator((3, 3, 3, 3), "cross"))
    same_error(
        "multiply has 3 factors; 4 are needed",
        lambda: weft.Operator((2, 2, 2, 2), weft.operators.multiply([[1, 1]] * 3)),
    )


run_checks(globals())
