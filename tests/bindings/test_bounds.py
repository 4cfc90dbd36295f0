"""What is too large to be planned is refused at once; what is large is planned. (`weft.plan`: test_plan.py.)"""

from __future__ import annotations

import pytest
from launching import weft_here

import weft

TOO_LARGE = {
    "a line": (lambda: weft.FFT((2**40, 1, 1)), r"shape\[0\] is 1099511627776"),
    "a batch": (lambda: weft.FFT((4, 4, 4), batch=2**31), r"batch \(of spheres howmany\) is 2147483648"),
    "a batch to be moved": (
        lambda: weft.Redistribution((8, 8, 8), *[weft.Layout.slab((8, 8, 8), 1)] * 2, batch=2**31),
        r"batch \(of spheres howmany\) is 2147483648",
    ),
    "bands": (
        lambda: weft.SphereFFT((4, 4, 4), [[0, 0, 0]], howmany=2**40),
        r"batch \(of spheres howmany\) is 1099511627776",
    ),
    "a sphere's line": (lambda: weft.SphereFFT((1, 2**24, 1), [[0, 0, 0]]), r"grid\[1\] is 16777216"),
    "a sphere's plan": (lambda: weft.sphere_plan((1, 2**24, 1), [[[0, 0, 0]]]), r"grid\[1\] is 16777216"),
}


@pytest.mark.timeout(10)
@pytest.mark.parametrize("what", TOO_LARGE)
def test_too_large(what):
    make, message = TOO_LARGE[what]
    with pytest.raises(weft.Error, match=message + r": .* at most 1073741824 \(1.0 GiB\) are allowed"):
        make()


def test_large():
    ranks = 2**20
    assert weft.plan((4096, 4096, 4096), ranks, ranks - 1).input_size == 4096**3 // ranks
    assert weft.plan((32, 32, 32), 2, batch=10**5).input_size == 10**5 * 32**3 // 2
    assert weft.plan((2, 2**15, 2**15), 2).traffic()["bytes"] == 2**34
    assert weft.sphere_plan((32, 32, 32), [[[0, 0, 0]]], howmany=10**5).howmany == 10**5


@pytest.mark.timeout(20)
@pytest.mark.parametrize("command", [["explain"], ["predict", "--machine", "hector-2b"]])
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--shape", 2**40, 1, 1], "shape[0] is 1099511627776"),
        (["--shape", 1, 2**24, 1], "shape[1] is 16777216"),
        (["--shape", 8, 8, 8, "--batch", 2**31], "batch (of spheres howmany) is 2147483648"),
    ],
)
def test_commands_refuse_what_is_too_large(command, words, message):
    outcome = weft_here(*command, *words, "-n", 2)
    assert outcome.code == 2, outcome
    assert message in outcome.err
    assert "at most 1073741824 (1.0 GiB) are allowed" in outcome.err


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("bands", "message"),
    [(2**34, "batch (of spheres howmany) is 17179869184"), (2**40, "the bands in bytes overflows 64 bits")],
)
def test_predict_refuses_too_many_bands(bands, message):
    outcome = weft_here("predict", "--machine", "hector-2b", "--sphere", "si", "--bands", bands, "-n", 2)
    assert outcome.code == 2, outcome
    assert message in outcome.err
