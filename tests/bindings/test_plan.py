"""Planning without MPI, options and layouts."""

from __future__ import annotations

import pickle
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import weft
import weft.model


def test_a_problem_is_one_object():
    problem = weft.Problem((8, 6, 4), "r2c", batch=2, output_order=(1, 0, 2), modes=(6, 6, 4))
    assert (problem.shape, problem.modes, problem.points) == ((8, 6, 4), (6, 6, 4), (8, 6, 4))
    assert (problem.kind, problem.precision, problem.batch, problem.normalization) == ("r2c", "double", 2, "none")
    assert repr(problem) == "weft.Problem((8, 6, 4), kind='r2c', batch=2, output_order=(1, 0, 2), modes=(6, 6, 4))"
    assert problem == eval(repr(problem)) == pickle.loads(pickle.dumps(problem))
    lines = weft.Problem((8, 6, 4), ("dft", "dft", "r2c"), batch=2, output_order=(1, 0, 2), modes=(6, 6, 4))
    assert len({problem, lines, problem.replace(batch=2), problem.replace(batch=1)}) == 2
    assert problem != "r2c"
    words = {"kind": "r2c", "batch": 2, "output_order": (1, 0, 2), "modes": (6, 6, 4)}
    assert weft.plan(problem, 3, 1).as_dict() == weft.plan((8, 6, 4), 3, 1, **words).as_dict()
    assert problem.replace(shape=(5, 4)) == weft.Problem((5, 4), "r2c", batch=2)
    assert problem.replace(dtype="f4").precision == "single"
    for other in (weft.Problem((16,)), weft.Problem((4, 5), output_order=(1, 0)), weft.Problem((2, 3, 4, 5), "dct2")):
        assert other == eval(repr(other)) == other.replace()
    machine = weft.model.load(weft.model.machine_names()[0])
    assert weft.model.predict(problem, machine, 4).seconds > 0


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda problem: weft.plan(problem, 4, modes=(1, 1, 1)), "modes is given beside a weft.Problem, which has it"),
        (
            lambda problem: weft.plan(problem, 4, strateg="shared"),
            "option 'strateg' is unknown; did you mean 'strategy'?",
        ),
        (lambda problem: problem.replace(batsh=2), "a weft.Problem has no 'batsh'; did you mean 'batch'?"),
        (lambda problem: problem.replace(whatever=2), "a weft.Problem has no 'whatever'; allowed are shape, kind"),
        (lambda problem: problem.replace(batch=0), "batch is 0"),
    ],
)
def test_what_is_wrong_with_a_problem(work, message):
    with pytest.raises(weft.Error, match=re.escape(message)):
        work(weft.Problem((8, 6, 4)))


def test_a_problem_is_not_changed():
    problem = weft.Problem((8, 6, 4))
    with pytest.raises(AttributeError, match=r"replace\(batch=...\) makes another one"):
        problem.batch = 3
    with pytest.raises(AttributeError):
        del problem.batch


def test_plan_says_what_each_rank_holds():
    plan = weft.plan((8, 6, 4), 3, 1, kind="r2c", precision="single", batch=2, normalization="ortho")
    assert (plan.shape, plan.spectrum_shape) == ((8, 6, 4), (8, 6, 3))
    assert (plan.kind, plan.precision, plan.batch, plan.normalization) == ("r2c", "single", 2, "ortho")
    assert (plan.ranks, plan.rank) == (3, 1)
    lo, hi = plan.input_box
    assert plan.input_size == 2 * np.prod(np.subtract(hi, lo))
    lo, hi = plan.output_box
    assert plan.output_size == 2 * np.prod(np.subtract(hi, lo))
    assert plan.input_layout.box(1) == plan.input_box
    assert plan.traffic("forward")["bytes"] > 0
    assert plan.as_dict()["shape"] == [8, 6, 4]
    assert "8 x 6 x 4" in plan.explain()
    assert str(plan) == plan.explain()


class _Page(HTMLParser):
    """What a browser would show, and whether all that is opened is closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_notebooks_show_what_plans_say():
    waves = [[[0, 0, 0], [1, 0, 0]]]
    for plan in (
        weft.plan((8, 6, 4), 3, kind="r2c"),
        weft.operator_plan((8, 6, 4), "gradient", 3, kind="r2c"),
        weft.sphere_plan((4, 4, 4), waves),
    ):
        page = _Page(plan._repr_html_())
        assert page.texts[0] == str(plan).splitlines()[0]
        assert "".join(page.texts).replace(" ", "") == "".join(str(plan).split())
        assert "->" not in plan._repr_html_()  # arrows are escaped
    with weft.FFT((8, 6, 4)) as fft:
        page = _Page(fft._repr_html_())
        assert page.texts[0] == repr(fft)
        assert page.texts[1] == fft.explain().splitlines()[0]
        assert {"input", "output", "strategy", "pass 0"} <= set(page.texts)


def test_boxes_of_all_ranks_cover_the_grid():
    shape = (5, 7, 3)
    count = np.zeros(shape, int)
    for rank in range(6):
        (a, b, c), (d, e, f) = weft.plan(shape, 6, rank).input_box
        count[a:d, b:e, c:f] += 1
    assert (count == 1).all()


def test_huge_plans_are_computed_in_64_bits():
    plan = weft.plan((4096, 4096, 4096), 8)
    assert plan.input_size == 4096**3 // 8
    assert plan.traffic()["all_bytes"] == plan.traffic()["bytes"] * 8 > 2**32


def test_plans_with_given_layouts():
    shape = (6, 6, 6)
    bricks = weft.Layout.grid(shape, (1, 2, 2))
    plan = weft.plan(shape, 4, 3, input_layout=bricks, output_layout=weft.Layout.slab(shape, 4, 1))
    assert plan.input_box == ((0, 3, 3), (6, 6, 6))
    assert plan.output_layout == weft.Layout.slab(shape, 4, axis=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shape": (0, 1, 1)}, r"shape\[0\] is 0"),
        ({"shape": (4,) * 9}, r"shape is \(4, 4, 4, 4, 4, 4, 4, 4, 4\); one to 8 integers"),
        ({"output_order": (0, 1)}, r"output_order is \(0, 1\); the axes 0, 1, 2 in any order"),
        ({"shape": (4, 4), "input_order": (1, 1)}, r"input_order is \(1, 1\); the axes 0, 1 in any order"),
        ({"interleaved": 1}, "interleaved is 1; True or False"),
        ({"batch": 2, "ranks": 2, "interleaved": True, "groups": 2}, "groups is 2; with interleaved fields only 1"),
        (
            {"kind": "r2c", "padded_rows": True, "input_order": (2, 1, 0)},
            "input_order is 210; .* 012 and 102 are allowed",
        ),
        ({"shape": (4, 4, 1.5)}, r"shape\[2\] is 1.5; an integer"),
        ({"shape": (4, 4, True)}, r"shape\[2\] is True; an integer"),
        ({"shape": "444"}, "shape is '444'"),
        ({"modes": (4, 5, 4)}, "modes is 4 x 5 x 4; along axis 1 allowed are 1 to the shape's 4"),
        ({"modes": (4, 4)}, r"modes is \(4, 4\); three integers"),
        ({"modes": 3}, "modes is 3; three integers"),
        ({"modes": (4, 0, 4)}, r"modes\[1\] is 0"),
        ({"shape": (4, 4), "modes": (4, 4, 4)}, r"modes is \(4, 4, 4\); two integers"),
        ({"shape": (4, 4, 2**70)}, "64 bits"),
        ({"shape": (2**40, 2**40, 4)}, "overflows 64 bits"),
        ({"shape": (2**40, 1, 1)}, r"shape\[0\] is 1099511627776: .*at most 1073741824 .* are allowed"),
        ({"batch": 2**31}, r"batch \(of spheres howmany\) is 2147483648: .*at most 1073741824 .* are allowed"),
        ({"ranks": 2**31 - 1}, r"ranks is 2147483647: .*at most 1073741824 .* are allowed"),
        ({"ranks": 0}, "ranks is 0"),
        ({"ranks": 2**40}, "ranks is 1099511627776"),
        ({"ranks": 2, "rank": 2}, "rank is 2; allowed are 0 to 1"),
        ({"kind": "c2x"}, "kind is 'c2x'; allowed are c2c, r2c, c2r"),
        ({"kind": 3}, "kind is 3; a string"),
        ({"precision": "half"}, "precision is 'half'; allowed are"),
        ({"dtype": np.int32}, "dtype is .*allowed are float32"),
        ({"dtype": "nonsense"}, "dtype is 'nonsense'"),
        ({"dtype": "f4", "precision": "double"}, "give one of them"),
        ({"batch": 0}, "batch is 0"),
        ({"normalization": "half"}, "normalization is 'half'; allowed are"),
        ({"tile": -1}, "tile is '-1'"),
        ({"tile": 1.5}, "tile is 1.5; an integer"),
        ({"grid": (2, 3), "decomposition": "pencil", "ranks": 4}, "grid"),
        ({"strategy": "pigeons"}, "strategy is 'pigeons'; allowed are .*alltoallv"),
        ({"nonsense": 1}, "option 'nonsense' is unknown; allowed are decomposition"),
        ({"norm": "ortho"}, r"option 'norm' is unknown; did you mean 'normalization'\? Allowed are decomposition"),
        ({"stratgy": "shared"}, "option 'stratgy' is unknown; did you mean 'strategy'"),
        ({"Threads": 2}, "option 'Threads' is unknown; did you mean 'threads'"),
        ({"padding": 1.5}, r"option 'padding' is unknown; allowed are"),
        ({"input_layout": ((0, 0, 0), (4, 4, 4))}, "input_layout is .*a weft.Layout"),
        ({"input_layout": weft.Layout.slab((4, 4, 4), 3), "ranks": 2}, "input"),
        ({"output_layout": weft.Layout.slab((4, 4, 5), 2), "ranks": 2}, "output"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(weft.Error, match=message):
        weft.plan(**{"shape": (4, 4, 4), **arguments})


def test_grids_for_modes_and_modes_for_grids():
    assert weft.three_halves((64, 63, 1)) == (96, 95, 1)
    assert weft.two_thirds((96, 95, 1)) == (64, 63, 1)
    assert weft.two_thirds((128, 128)) == (85, 85)
    with pytest.raises(weft.Error, match=r"modes\[0\] is 0"):
        weft.three_halves((0, 4, 4))


def test_plans_with_fewer_modes():
    plan = weft.plan((96, 96, 96), 4, kind="r2c", modes=(64, 64, 64))
    assert plan.modes == (64, 64, 64)
    assert plan.spectrum_shape == (64, 64, 33)
    assert plan.output_layout.shape == (64, 64, 33)
    assert "96 x 96 x 96 with 64 x 64 x 64 modes r2c" in plan.explain()
    assert plan.as_dict()["modes"] == [64, 64, 64]
    assert plan.output_box == weft.plan((64, 64, 64), 4, kind="r2c").output_box


def test_error_is_a_value_error_and_a_runtime_error():
    assert issubclass(weft.Error, ValueError)
    assert issubclass(weft.Error, RuntimeError)


def test_options_as_python_values():
    plan = weft.plan(
        (8, 8, 8), 4, decomposition="pencil", grid=(2, 2), in_place=True, check=np.False_, tile=np.int64(3), window=None
    )
    assert plan.option("grid") == "2x2"
    assert plan.option("in_place") == "true"
    assert plan.option("check") == "false"
    assert plan.option("tile") == "3"
    with pytest.raises(weft.Error, match="option 'nonsense' is unknown"):
        plan.option("nonsense")
    with pytest.raises(weft.Error, match="direction is 'sideways'"):
        plan.traffic("sideways")


def test_variables_that_are_no_options(monkeypatch, capfd):
    monkeypatch.setenv("WEFT_ROOT", "/opt/weft")  # as module files do
    weft.plan((8, 8, 8), 2)
    assert capfd.readouterr().err == ""
    monkeypatch.setenv("WEFT_LICENCE_FILE", "x")
    for _ in range(2):
        weft.plan((8, 8, 8), 2)
    assert (
        capfd.readouterr().err
        == "weft: the environment variable WEFT_LICENCE_FILE is no option of Weft and is ignored\n"
    )
    monkeypatch.setenv("WEFT_STRATGY", "shared")
    with pytest.raises(weft.Error, match="'WEFT_STRATGY' is unknown; did you mean 'WEFT_STRATEGY'"):
        weft.plan((8, 8, 8), 2)


def test_environment_overrides_options(monkeypatch):
    monkeypatch.setenv("WEFT_STRATEGY", "ialltoallv")
    monkeypatch.setenv("WEFT_TILE", "5")
    plan = weft.plan((8, 8, 8), 2, strategy="alltoallv")
    assert (plan.option("strategy"), plan.option("tile")) == ("ialltoallv", "5")
    monkeypatch.setenv("WEFT_TILE", "many")
    with pytest.raises(weft.Error, match="WEFT_TILE"):
        weft.plan((8, 8, 8), 2)


def test_every_option_takes_its_own_default():
    options = weft.options()
    assert {"decomposition", "grid", "strategy", "tile", "window", "backend", "check"} <= {o.name for o in options}
    for option in options:
        assert option.help
        assert option.values
        assert set(option.applies_to.split(", ")) <= {"transform", "redistribution", "sphere"}
        plan = weft.plan((4, 4, 4), **{option.name: option.default})
        # A plan names the strategy that it has.
        assert plan.option(option.name) == ("alltoallv" if option.name == "strategy" else option.default)


def test_strategies_and_backends_can_be_planned_with():
    assert {"alltoallv", "ialltoallv"} <= set(weft.strategies())
    assert {"lanes", "fftw", "reference"} <= set(weft.backends())
    for strategy in weft.strategies():
        assert weft.plan((4, 4, 4), 2, strategy=strategy).option("strategy") == strategy
    for backend in weft.backends():
        assert weft.plan((4, 4, 4), 2, backend=backend).option("backend") == backend


def test_layouts():
    shape = (4, 6, 5)
    slab = weft.Layout.slab(shape, 3)
    assert [slab.box(rank) for rank in range(3)] == [
        ((0, 0, 0), (2, 6, 5)),
        ((2, 0, 0), (3, 6, 5)),
        ((3, 0, 0), (4, 6, 5)),
    ]
    assert (slab.shape, slab.ranks) == (shape, 3)
    assert "slab" in slab.describe()
    assert weft.Layout.pencil(shape, 2, 3).box(4) == ((2, 2, 0), (4, 4, 5))
    same = weft.Layout.bricks(shape, [slab.box(rank) for rank in range(3)])
    assert [same.box(rank) for rank in range(3)] == [slab.box(rank) for rank in range(3)]
    assert slab == weft.Layout.slab(shape, 3, axis=0)
    assert slab != weft.Layout.slab(shape, 3, axis=1)
    assert hash(slab) == hash(weft.Layout.slab(shape, 3, axis=0))
    with pytest.raises(weft.Error, match="overlap"):
        weft.Layout.bricks(shape, [((0, 0, 0), shape), ((0, 0, 0), (1, 1, 1))])
    with pytest.raises(weft.Error):
        weft.Layout.bricks(shape, [((0, 0, 0), (3, 6, 5))])
    with pytest.raises(weft.Error):
        slab.box(3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: weft.Layout.slab((4, 4), 2), r"shape is \(4, 4\); three integers are needed"),
        (lambda: weft.Layout.slab((2**70, 4, 4), 2), r"shape\[0\] is 1180591620717411303424; it must fit in 64 bits"),
        (lambda: weft.Layout.slab((4, 4, 4), 2**40), r"ranks is 1099511627776; it must be less than 2\*\*31"),
        (lambda: weft.Layout.slab((4, 4, 4), 2.5), "ranks is 2.5; an integer is needed"),
        (lambda: weft.Layout.pencil((4, 4, 4), 2, "2"), "columns is '2'; an integer is needed"),
        (lambda: weft.Layout.grid((4, 4, 4), (2, 2, 2**31)), r"parts is 2147483648; it must be less than 2\*\*31"),
        (lambda: weft.Layout.bricks((4, 4, 4), [((0, 0, 0), (4, 4, 4)), 7]), r"boxes\[1\] is 7; a pair of corners"),
        (lambda: weft.Layout.slab((4, 4, 4), 2).box(2**70), "rank is 1180591620717411303424; it must fit"),
        (lambda: weft.sphere_plan((6, 6, 6), [np.full((1, 3), 2**64 - 1, np.uint64)]), "must fit in 64 bits"),
        (lambda: weft.sphere_plan((6, 6, 6), 5), "indices is 5; a sequence is needed"),
        (lambda: weft.sphere_grid(np.eye(3), 1e10), "energy is 1e.10; the sphere .* at most 2.31 are allowed"),
        (lambda: weft.cutoff_sphere((9, 9, 9), np.eye(3), 1e10), "energy is 1e.10; the sphere"),
        (lambda: weft.cutoff_sphere((9, 9, 9), np.eye(3), "high"), "ecut is 'high'; a number is needed"),
        (lambda: weft.cutoff_sphere((9, 9, 9), np.eye(3), 1.0, k="abc"), "k is 'abc'; three numbers are needed"),
        (lambda: weft.cutoff_sphere((9, 9, 9), np.eye(3), 1.0, ranks=2**40), "ranks is 1099511627776; it must be less"),
    ],
)
def test_bad_layouts_and_spheres_are_named(call, message):
    with pytest.raises(weft.Error, match=message):
        call()


def test_a_sphere_without_waves():
    assert weft.cutoff_sphere((9, 9, 9), np.eye(3), 1e-9, k=(0.5, 0, 0)).shape == (0, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"leaders": 0}, "leaders is '0'; allowed are whole numbers from 1"),
        ({"in_place": True}, "in_place is true; it applies to transform, a sphere allows only false"),
        ({"consume": "early"}, "consume is early; it applies to transform, redistribution, a sphere allows only auto"),
        ({"forward": {"transposed": True}}, "transposed is true; it applies to transform"),
    ],
)
def test_options_of_spheres(options, message, monkeypatch):
    waves = [[(0, 0, 0), (1, 0, 0)], [(0, 1, 0)]]
    with pytest.raises(weft.Error, match=message):
        weft.sphere_plan((4, 4, 4), waves, **options)
    # The environment is meant for all that a program does.
    monkeypatch.setenv("WEFT_TRANSPOSED", "true")
    monkeypatch.setenv("WEFT_TILE", "2")
    plan = weft.sphere_plan((4, 4, 4), waves)
    assert (plan.option("transposed"), plan.option("tile")) == ("false", "2")
