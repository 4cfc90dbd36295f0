"""Operators on one process: what they say of themselves, and wrong arguments. What they compute is in ranks/operators.py."""

from __future__ import annotations

import inspect
import weakref

import numpy as np
import pytest

import weft

SHAPE = (4, 6, 5)


def make(function="laplacian", shape=SHAPE, **arguments):
    return weft.Operator(shape, function, effort="estimate", **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shape": (4, 4)}, r"shape is \(4, 4\); three integers"),
        ({"shape": (4, 0, 4)}, r"shape\[1\] is 0; it must be at least 1"),
        ({"function": "grad"}, "function 'grad' is unknown; did you mean 'gradient'"),
        ({"function": "fourier"}, "function 'fourier' is unknown; allowed are convolution, correlation, cross"),
        ({"function": "gaussian"}, r"function is 'gaussian', which needs an argument: weft.operators.gaussian"),
        ({"function": 1.5}, "function is 1.5; a function of weft.operators, its name, a callable or the address"),
        ({"function": None}, "function is None"),
        ({"kind": "c2r"}, "kind is c2r; an operator's leads from space to the spectrum"),
        ({"kind": 3}, "kind is 3; a string is needed"),
        ({"precision": "half"}, "precision is 'half'"),
        ({"normalization": "unitary"}, "normalization is 'unitary'"),
        ({"batch": 0}, "batch is 0; it must be at least 1"),
        ({"inputs": 2}, "inputs is 2; the function laplacian.* has 1"),
        ({"outputs": 3}, "outputs is 3; the function laplacian.* has 1"),
        ({"at": "points"}, "at is 'points'; the function laplacian.* has 'wavenumbers'"),
        ({"function": len, "at": "space"}, "at 'space' is unknown; allowed are wavenumbers, points"),
        ({"function": len, "inputs": 0}, "inputs is 0; it must be at least 1"),
        ({"lengths": (1, 2)}, r"lengths is \(1, 2\); one or three numbers"),
        ({"lengths": 0}, "lengths is 0; positive numbers"),
        ({"stratgy": "pairwise"}, "option 'stratgy' is unknown; did you mean 'strategy'"),
        ({"length": 3}, "option 'length' is unknown; did you mean 'lengths'"),
        ({"groups": 2}, "groups is 2"),
        ({"transposed": True}, "transposed is true; it applies to spectra"),
        ({"function": "gradient", "in_place": True}, "in_place is true with 1 inputs and 3 outputs"),
        ({"input_box": 3}, "input_box is 3"),
        ({"comm": 3}, "comm is a int; a communicator of mpi4py"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(weft.Error, match=message):
        make(**arguments)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            lambda f: f.laplacian("fourth"),
            "stencil 'fourth' is unknown; .*spectral.*, second_order.*, compact_sixth_order.*",
        ),
        (lambda f: f.derivative(1, 3), "axis is 3; allowed are 0, 1 and 2"),
        (lambda f: f.derivative(-1, 0), "order is -1; at least 0"),
        (lambda f: f.derivative(0.5, 0), "order is 0.5; an integer is needed"),
        (lambda f: f.gaussian(np.nan), "sigma is nan; a finite number"),
        (lambda f: f.gaussian("1"), "gaussian is given '1'; a number"),
        (lambda f: f.heat(1, np.inf), "diffusivity is inf; a finite number"),
        (lambda f: f.shift(3), "distance is 3; a number for each axis"),
        (lambda f: f.truncate(0), "fraction is 0; allowed are numbers above 0, up to 1"),
        (lambda f: f.products(0), "fields is 0; at least 1"),
        (
            lambda f: f.multiply(np.ones((4, 6, 4))),
            r"table has shape \(4, 6, 4\); \(4, 6, 5\) is needed.*\[0:4, 0:6, 0:5\]",
        ),
        (lambda f: f.multiply(3), r"table has shape \(\)"),
        (lambda f: f.multiply(np.full(SHAPE, "x")), "table has dtype <U1; real or complex"),
        (
            lambda f: f.multiply([np.ones(4), np.ones(5), np.ones(5)]),
            r"factor 1 has shape \(5,\); \(6,\) is needed, one for each wave number",
        ),
        (lambda f: f.multiply(lambda x, y, z: np.ones(7)), r"what the function of multiply returned has shape \(7,\)"),
        (
            lambda f: f.multiply(np.ones(SHAPE), at="somewhere"),
            "at 'somewhere' is unknown; allowed are wavenumbers, points",
        ),
        (lambda f: f.convolution(np.ones(SHAPE)), "kernel has dtype float64; complex128 is needed"),
        (lambda f: f.correlation(np.ones((4, 6, 6), complex)), r"kernel has shape \(4, 6, 6\)"),
        (lambda f: f.compiled("laplacian"), "function is 'laplacian'; the address of a compiled function"),
        (lambda f: f.compiled(123, context=-1), "context is -1"),
    ],
)
def test_what_functions_are_given_is_checked(given, message):
    with pytest.raises(weft.Error, match=message):
        make(given(weft.operators))


def test_real_fields_need_real_tables():
    table = np.ones(SHAPE, complex)
    with pytest.raises(weft.Error, match="table has dtype complex128; fields in space are real with kind r2c"):
        make(weft.operators.multiply(table, at="points"), kind="r2c")
    make(weft.operators.multiply(table, at="points"), kind="c2c").close()


def test_bad_arrays_are_named():
    x = np.zeros((3, *SHAPE), complex)
    with make("curl") as op:
        for bad, message in [
            ([1], "x is a list; a NumPy array"),
            (x[0], r"x has shape \(4, 6, 5\); \(3, 4, 6, 5\) is needed"),
            (x.real.copy(), r"x has dtype float64; complex128"),
            (x[::-1], "C-contiguous"),
        ]:
            with pytest.raises(weft.Error, match=message):
                op(bad)
        with pytest.raises(weft.Error, match="out overlaps x"):
            op(x, x)
        fixed = x.copy()
        fixed.flags.writeable = False
        with pytest.raises(weft.Error, match="out is read-only"):
            op(x, fixed)
    with pytest.raises(weft.Error, match="this Operator is closed"):
        op(x)
    assert repr(op) == "<weft.Operator, closed>"


def test_it_says_what_it_is():
    with make(weft.operators.heat(0.5), kind="r2c", dtype="f4", batch=2, lengths=(1, 2, 3)) as op:
        assert (
            repr(op)
            == "<weft.Operator heat(0.5, 1.0) r2c 4 x 6 x 5, 1 to 1 at wavenumbers, single, batch 2, rank 0 of 1>"
        )
        assert (op.shape, op.spectrum_shape, op.middle_shape) == (SHAPE, (4, 6, 3), (4, 6, 3))
        assert op.input_shape == op.output_shape == (2, *SHAPE)
        assert (op.inputs, op.outputs, op.batch, op.at, op.kind, op.lengths) == (
            1,
            1,
            2,
            "wavenumbers",
            "r2c",
            (1, 2, 3),
        )
        assert (op.input_dtype, op.middle_dtype) == ("f4", "c8")
        assert op.plan.as_dict()["lengths"] == [1, 2, 3]
        assert "1 field to 1, function at wavenumbers" in op.explain()
        assert op.explain() == str(op.plan)
        assert [k.dtype for k in op.wavenumbers()] == ["f4"] * 3
        np.testing.assert_allclose(op.wavenumbers()[0].ravel(), 2 * np.pi * np.array([0, 1, 2, -1]), rtol=1e-6)
        with pytest.raises(weft.Error, match="applied at wavenumbers"):
            op.coordinates()
        assert op.statistics.executions == 0
        op(op.empty_input())
        assert op.statistics.executions == 1
        op.reset_statistics()
        assert op.statistics.executions == 0
    with make("cross") as op:
        assert (op.inputs, op.outputs, op.at) == (6, 3, "points")
        np.testing.assert_allclose(op.coordinates()[1].ravel(), 2 * np.pi * np.arange(6) / 6)
        with pytest.raises(weft.Error, match="applied at points"):
            op.wavenumbers()


def test_planning_without_mpi():
    plan = weft.operator_plan((8, 8, 8), "gradient", ranks=4, rank=1, kind="r2c", decomposition="pencil", grid=(2, 2))
    assert (plan.ranks, plan.rank, plan.inputs, plan.outputs) == (4, 1, 1, 3)
    assert plan.traffic()["messages"] > 0
    assert "function at wavenumbers" in plan.explain()
    assert plan.as_dict()["outputs"] == 3
    assert plan.middle_layout.shape == (8, 8, 5)
    own = weft.operator_plan((8, 8, 8), len, at="points", inputs=2, outputs=5)
    assert (own.at, own.inputs, own.outputs) == ("points", 2, 5)
    with pytest.raises(weft.Error, match="rank is 4; allowed are 0 to 3"):
        weft.operator_plan((8, 8, 8), "gradient", 4, 4)


def test_programs_can_be_interrupted_in_a_function():
    def stop(tile):
        raise KeyboardInterrupt

    with make(stop) as op, pytest.raises(KeyboardInterrupt):
        op(op.empty_input())


def test_functions_are_let_go():
    def function(tile):
        tile.outputs[...] = tile.inputs

    op = make(function)
    op(op.empty_input())
    kept = weakref.ref(function)
    del function
    assert kept() is not None
    op.set_function(lambda tile: None)
    assert kept() is None
    last = weakref.ref(op)
    del op
    assert last() is None, "a cycle"


def test_every_function_is_there_by_name():
    for name in weft.operators.__all__:
        made = getattr(weft.operators, name)
        if inspect.isclass(made):
            continue
        needs = [one for one in inspect.signature(made).parameters.values() if one.default is one.empty]
        if needs:
            with pytest.raises(weft.Error):
                make(name)
        else:
            make(name).close()
