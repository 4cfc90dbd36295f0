"""weft.Redistribution in one process."""

from __future__ import annotations

import numpy as np
import pytest

import weft

SHAPE = (3, 4, 5)
WHOLE = weft.Layout.slab(SHAPE, 1)


@pytest.mark.parametrize("dtype", ["float32", "int32", "float64", "complex64", "complex128"])
def test_moves_all_types(dtype):
    x = np.arange(60).reshape(SHAPE).astype(dtype)
    with weft.Redistribution(SHAPE, WHOLE, WHOLE, dtype) as move:
        assert move.moved is None
        assert (move.source_shape, move.target_shape, move.dtype) == (SHAPE, SHAPE, np.dtype(dtype))
        np.testing.assert_array_equal(move(x), x)
        assert move.moved == weft.Moved(0, x.nbytes, 0)
        out = np.empty_like(x)
        assert move(x, out) is out
        np.testing.assert_array_equal(out, x)


def test_batches_and_boxes():
    x = np.arange(120.0).reshape(2, *SHAPE)
    with weft.Redistribution(SHAPE, ((0, 0, 0), SHAPE), tuple(np.s_[0:3, 0:4, 0:5]), "f8", batch=2) as move:
        assert move.source_slice == move.target_slice == np.s_[0:3, 0:4, 0:5]
        np.testing.assert_array_equal(move(x), x)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dtype": "int16"}, "dtype is int16 of 2 bytes"),
        ({"dtype": object}, "dtype is object"),
        ({"dtype": "nonsense"}, "dtype is 'nonsense'"),
        ({"source": 3}, "source is 3"),
        ({"target": weft.Layout.slab((3, 4, 6), 1)}, r"target has shape \(3, 4, 6\)"),
        ({"target": weft.Layout.slab(SHAPE, 2)}, "target is for 2 ranks; the communicator has 1"),
        ({"target": ((0, 0, 0), (3, 4, 4))}, "target"),
        ({"batch": 0}, "batch is 0"),
        ({"nonsense": 1}, "option 'nonsense'"),
        ({"leaders": 0}, "leaders is '0'; allowed are whole numbers from 1"),
        ({"in_place": True}, "in_place is true; it applies to transform, a redistribution allows only false"),
        ({"transposed": True}, "transposed is true; it applies to transform"),
        ({"grid": (1, 1)}, "grid is 1x1; it applies to transform"),
        ({"decomposition": "slab"}, "decomposition is slab; it applies to transform"),
        ({"groups": 2}, "groups is 2; it applies to transform, sphere, a redistribution allows only 1"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(weft.Error, match=message):
        weft.Redistribution(**{"shape": SHAPE, "source": WHOLE, "target": WHOLE, **arguments})


def test_the_environment_is_for_all_that_a_program_does(monkeypatch):
    monkeypatch.setenv("WEFT_TRANSPOSED", "true")
    monkeypatch.setenv("WEFT_GROUPS", "2")
    x = np.arange(60.0).reshape(SHAPE)
    with weft.Redistribution(SHAPE, WHOLE, WHOLE, "f8") as move:
        np.testing.assert_array_equal(move(x), x)


def test_bad_arrays_are_named():
    x = np.zeros(SHAPE)
    move = weft.Redistribution(SHAPE, WHOLE, WHOLE, "f8")
    with pytest.raises(weft.Error, match="x has dtype float32"):
        move(x.astype("f4"))
    with pytest.raises(weft.Error, match="out has shape"):
        move(x, np.zeros((3, 4, 6)))
    with pytest.raises(weft.Error, match="out overlaps x"):
        move(x, x)
    move.close()
    with pytest.raises(weft.Error, match="closed"):
        move(x)
