"""Tuning from Python: the choice works, is kept, and is the same on all ranks."""

import sys

import numpy as np
from checking import COMM, run_checks, same_error

import weft

FOLDER = sys.argv[1]
FILE = f"{FOLDER}/tuning.json"
#: Contests of problems so small end by themselves, much earlier. What was timed only once is not kept.
QUICK = {"budget": 60, "file": FILE}


def same(value):
    values = COMM.allgather(value)
    assert all(one == values[0] for one in values), values
    return value


def check_a_transform_tunes_itself():
    with weft.FFT((8, 9, 10), COMM, "r2c", tune={"effort": "measure", **QUICK}) as fft:
        tuned = fft.tuned
        assert tuned.source == "timed"
        assert tuned.seconds > 0
        assert tuned.default_seconds > 0
        assert same(dict(tuned.options)) == dict(tuned.tried[0].options)
        x = fft.empty_input()
        x[...] = np.arange(x.size).reshape(x.shape)
        assert np.allclose(fft.backward(fft.forward(x)), x * 720)
    assert weft.FFT((8, 9, 10), COMM, "r2c").tuned is None
    again = weft.tune((8, 9, 10), COMM, "r2c", effort="estimate", **QUICK)
    assert again.source == "file"
    assert again.options == tuned.options
    assert "rounds" in str(again)


def check_given_options_stay():
    tuned = weft.tune((8, 8, 8), COMM, effort="estimate", strategy="padded", tile=3, in_place=True, **QUICK)
    assert tuned.options["strategy"] == "padded"
    assert tuned.options["tile"] == "3"
    assert tuned.options["in_place"] == "true"
    # Also those that have the default's value.
    tuned = weft.tune((8, 8, 8), COMM, effort="estimate", strategy="auto", **QUICK)
    assert "strategy" not in tuned.options
    assert all("strategy" not in one.options for one in tuned.tried)


def check_boxes_are_kept():
    n = 6
    lo, hi = n * COMM.rank // COMM.size, n * (COMM.rank + 1) // COMM.size
    box = ((0, 0, lo), (n, n, hi))
    with weft.FFT((n, n, n), COMM, input_box=box, tune={"effort": "measure", **QUICK}) as fft:
        assert fft.input_box == box


def check_spheres_have_directions():
    lattice = 6 * np.eye(3)
    grid = weft.sphere_grid(lattice, 6)
    mine = weft.cutoff_sphere(grid, lattice, 6, ranks=COMM.size, rank=COMM.rank)
    with weft.SphereFFT(grid, mine, COMM, howmany=2, tune={"effort": "measure", **QUICK}) as sphere:
        warnings = sphere.tuned.backward.warnings
        assert sphere.tuned.backward.seconds > 0
        assert sphere.tuned.forward.seconds > 0
        options = same({name: dict(one) for name, one in sphere.tuned.options.items()})
        c = np.ones((2, len(mine)), complex)
        assert np.allclose(sphere.forward(sphere.backward(c)), c * np.prod(grid))
    with weft.SphereFFT(grid, mine, COMM, howmany=2, **options) as sphere:
        assert sphere.tuned is None
    again = weft.tune_sphere(grid, mine, COMM, howmany=2, effort="estimate", **QUICK)
    assert again.backward.source == again.forward.source == "file", warnings


def check_an_operator_tunes_itself():
    with weft.Operator((8, 9, 10), "gradient", kind="r2c", comm=COMM, tune={"effort": "measure", **QUICK}) as gradient:
        tuned = gradient.tuned
        assert tuned.source == "timed"
        assert same(dict(tuned.options)) == dict(tuned.tried[0].options)
        x = np.ones(gradient.input_shape)
        assert np.allclose(gradient(x), 0)
    assert weft.Operator((8, 9, 10), "gradient", comm=COMM).tuned is None
    # Its function counts by place and fields only.
    function = weft.operators.compiled(1)
    again = weft.tune_operator((8, 9, 10), function, COMM, outputs=3, kind="r2c", effort="estimate", **QUICK)
    assert again.source == "file"
    assert again.options == tuned.options
    other = weft.tune_operator((8, 9, 10), function, COMM, outputs=2, kind="r2c", effort="estimate", **QUICK)
    assert other.source == "model"
    plan = weft.operator_plan((8, 9, 10), "gradient", COMM.size, kind="r2c", **again.options)
    assert plan.outputs == 3
    same_error(r"effort is 'hard'", lambda: weft.tune_operator((4, 4, 4), "curl", COMM, effort="hard"))
    same_error(
        r"in_place is true with 1 inputs", lambda: weft.tune_operator((4, 4, 4), "gradient", COMM, in_place=True)
    )
    same_error(r"tune is 3", lambda: weft.Operator((4, 4, 4), "curl", comm=COMM, tune=3))


def check_a_solver_tunes_itself():
    sides = ("open", "periodic", "odd")
    with weft.Poisson((8, 9, 10), sides=sides, comm=COMM, tune={"effort": "measure", **QUICK}) as solve:
        tuned = solve.tuned
        assert tuned.source == "timed"
        assert same(dict(tuned.options)) == dict(tuned.tried[0].options)
        plain = weft.Poisson((8, 9, 10), sides=sides, comm=COMM)
        assert plain.tuned is None
        f = np.ones(plain.input_shape)
        whole = COMM.allreduce(float((plain(f) ** 2).sum()))
        assert np.isclose(COMM.allreduce(float((solve(np.ones(solve.input_shape)) ** 2).sum())), whole)
    again = weft.Poisson((8, 9, 10), sides=sides, comm=COMM, tune={"effort": "estimate", **QUICK})
    assert again.tuned.source == "file"
    walls = weft.Poisson((8, 9, 10), sides="odd", points="nodes", comm=COMM, tune={"effort": "estimate", **QUICK})
    assert walls.tuned.source == "model"
    same_error(r"tune is 3", lambda: weft.Poisson((4, 4, 4), comm=COMM, tune=3))


def check_progress_is_told_on_rank_0():
    lines = []
    weft.tune((8, 8, 8), COMM, progress=lines.append, budget=0.2, file="none")
    assert bool(lines) == (COMM.rank == 0)


def check_formats_for_the_wire_need_a_tolerance():
    def formats(**wishes):
        tuned = weft.tune((8, 8, 8), COMM, effort="estimate", file="none", **wishes)
        return {one.options["wire"] for one in tuned.tried if "wire" in one.options and not one.obstacle}

    assert formats() == set()
    found = {"single", "block24"} if COMM.size > 1 else set()
    assert formats(tolerance=1e-5) == found
    with weft.FFT((8, 8, 8), COMM, tune={"effort": "estimate", "file": "none", "tolerance": 1e-6}) as fft:
        assert fft.tuned.options.get("wire", "same") in ("same", "single")


def check_bad_arguments():
    tune = weft.tune
    same_error(r"tolerance is 'small'", lambda: tune((4, 4, 4), COMM, tolerance="small"))
    same_error(r"tolerance is -1", lambda: tune((4, 4, 4), COMM, tolerance=-1))
    same_error(
        r"effort is 'hard'; allowed are estimate, measure, patient", lambda: tune((4, 4, 4), COMM, effort="hard")
    )
    same_error(r"budget is 'long'", lambda: tune((4, 4, 4), COMM, budget="long"))
    same_error(r"budget is -1", lambda: tune((4, 4, 4), COMM, budget=-1.0))
    same_error(r"tune is 3; allowed are", lambda: weft.FFT((4, 4, 4), COMM, tune=3))
    same_error(r"tune has 'effrot'; allowed are effort", lambda: weft.FFT((4, 4, 4), COMM, tune={"effrot": "measure"}))
    same_error(r"nowhere.toml", lambda: tune((4, 4, 4), COMM, machine="nowhere.toml", effort="estimate"))
    same_error(r"strategy is 'x'", lambda: tune((4, 4, 4), COMM, strategy="x"))


if __name__ == "__main__":
    run_checks(globals())
