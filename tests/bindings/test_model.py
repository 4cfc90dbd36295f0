"""The model: its limits, its commands, and that what calibrates it can be read."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest
from launching import weft_command, weft_here

import weft
from weft import model
from weft.cli.model import calibrate
from weft.cli.output import CommandError
from weft.lab import machines
from weft.model.calibrate import machine_from

pytestmark = pytest.mark.any_mpi

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

MACHINE = """
name = "toy"
nodes = 64
cores = 4
flops = 1e9
memory_bandwidth = 20e9
core_bandwidth = 8e9
assumed = ["network"]
[network]
shared = false
latency = 2e-6
bandwidth = 5e9
gap = 0.1e-6
overhead = 0.3e-6
[node]
latency = 0.5e-6
bandwidth = 6e9
[mpi]
eager = 8192
alltoall_short = 256
[sources]
flops = "made up"
"""


@pytest.fixture
def machine_file(tmp_path):
    path = tmp_path / "toy.toml"
    path.write_text(MACHINE)
    return path


@pytest.fixture
def machine(machine_file):
    return model.load(machine_file)


def predicted(machine, shape=(64, 64, 64), ranks=8, strategy="alltoallv", **options):
    problem = model.Problem(shape, options=options)
    return model.predict(problem, machine, ranks, {"strategy": strategy})


def test_parts_add_up(machine):
    for strategy in ("alltoallv", "ialltoallv", "padded", "pairwise", "shared", "node-shm", "zerocopy", "rma"):
        one = predicted(machine, strategy=strategy)
        stages = [stage for side in one.stages.values() for stage in side]
        assert one.seconds == pytest.approx(sum(one.terms.values()))
        assert all(seconds >= 0 for seconds in one.terms.values())
        beside = one.seconds - sum(stage.seconds for stage in stages)
        # Agreeing on the arguments of a call belongs to no stage.
        assert 0 < beside <= (one.terms["synchronisation"] + one.terms["latency"]) * (1 + 1e-9)


def test_bound_by_bandwidth(machine):
    """On a slow wire, what counts is the bytes through a node's link (a little of it hidden by handling messages)."""
    slow = machine.replaced(bandwidth=1e6)
    one = predicted(slow)
    plan = weft.plan((64, 64, 64), 8, node_size=4)
    through_a_link = sum(plan.traffic(side)["network_bytes"] for side in ("forward", "backward")) / 2
    assert one.terms["bandwidth"] == pytest.approx(through_a_link / 1e6, rel=1e-4)
    assert one.terms["bandwidth"] > 0.99 * one.seconds
    assert predicted(slow.replaced(bandwidth=2e6)).seconds == pytest.approx(one.seconds / 2, rel=0.02)


def test_bound_by_latency_and_rate(machine):
    far = machine.replaced(latency=1.0)
    one = predicted(far, (8, 8, 8), check=False)
    assert one.terms["latency"] > 0.9 * one.seconds
    busy = machine.replaced(gap=1.0)
    many, few = predicted(busy), predicted(busy, strategy="node-shm", tile=1)
    # Two nodes of four, two exchanges there and two back: 16 messages through each link, or one.
    assert many.terms["rate"] == pytest.approx(4 * 16.0, rel=1e-4)
    assert few.terms["rate"] == pytest.approx(4 * 1.0, rel=1e-4)


def test_bound_by_memory_and_computation(machine):
    slow = machine.replaced(memory_bandwidth=1e6, core_bandwidth=1e6)
    one = predicted(slow, ranks=1)
    # Two passes, each of which reads and writes the field, forward and backward.
    assert one.seconds == pytest.approx(2 * 2 * 2 * 64**3 * 16 / 1e6, rel=0.35)
    dull = machine.replaced(flops=1e3)
    assert predicted(dull, ranks=1).seconds == pytest.approx(2 * 5 * 64**3 * 18 / 1e3, rel=0.01)


def test_grows_with_size_and_shrinks_with_speed(machine):
    times = [predicted(machine, (n, n, n)).seconds for n in (16, 32, 64, 128)]
    assert times == sorted(times)
    for field in ("bandwidth", "memory_bandwidth", "flops", "node_bandwidth"):
        faster = machine.replaced(**{field: 4 * getattr(machine, field)})
        assert predicted(faster).seconds <= predicted(machine).seconds
    wire = machine.replaced(shared=True)
    assert predicted(wire).terms["bandwidth"] > predicted(machine).terms["bandwidth"]


def test_overlap_hides(machine):
    """With progress, an exchange hides behind computation; without tests large messages do not move."""
    slow = machine.replaced(flops=2e8, bandwidth=1e9)
    whole = predicted(slow, strategy="ialltoallv", tile=1)
    waiting = predicted(slow, strategy="ialltoallv", tile=4, window=2)
    tested = predicted(slow, strategy="ialltoallv", tile=4, window=2, tests=8)
    assert tested.hidden > 0
    assert tested.seconds < waiting.seconds <= whole.seconds * 1.1


def test_real_fields_and_spheres_cost_less(machine):
    full = model.predict(model.Problem((32, 32, 32)), machine, 4, {"strategy": "alltoallv"})
    real = model.predict(model.Problem((32, 32, 32), "r2c"), machine, 4, {"strategy": "alltoallv"})
    assert real.seconds < full.seconds
    waves = weft.cutoff_sphere((32, 32, 32), [[8.0, 0, 0], [0, 8.0, 0], [0, 0, 8.0]], 10.0)
    sphere = model.Problem((32, 32, 32), batch=1, waves=waves)
    assert model.predict(sphere, machine, 4, {"strategy": "alltoallv"}).seconds < full.seconds


def test_scaling_ends_for_a_reason(machine):
    far = machine.replaced(latency=1e-3)
    found = model.scaling(model.Problem((32, 32, 32)), far, [1, 2, 4, 8, 16])
    assert found.stops_at is not None
    assert found.stops_at <= 4
    assert found.because == "latency"
    assert [row.ranks for row in found.rows] == [1, 2, 4, 8, 16]
    for row in found.rows:
        assert row.best.seconds == min(one.seconds for one in row.plans)


def test_a_step_that_takes_longer_is_named(machine):
    # A second node comes in with the fifth rank, over a slow network; from then on more ranks help again.
    slow = machine.replaced(cores=4, nodes=64, bandwidth=2e8, latency=1e-6)
    found = model.scaling(model.Problem((128, 128, 128)), slow, [4, 8, 16, 32, 64, 128])
    for step in found.setbacks:
        assert step.factor > 1
        before, after = (next(row for row in found.rows if row.ranks == n) for n in (step.before, step.ranks))
        assert after.best.seconds == pytest.approx(step.factor * before.best.seconds)
    slower = [row.ranks for last, row in zip(found.rows, found.rows[1:]) if row.best.seconds > 1.02 * last.best.seconds]
    assert [step.ranks for step in found.setbacks] == slower != []


def test_machines_of_the_lab():
    for name in model.machine_names():
        one = model.load(name)
        assert 0 < predicted(one, (16, 16, 16), 4).seconds < 1e3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('name = "toy"', "name is missing"),
        ("cores = 4", "cores is missing"),
        ("flops = 1e9", "flops is missing"),
        ("bandwidth = 5e9", "network.bandwidth is missing"),
    ],
)
def test_damaged_machines(tmp_path, change, message):
    path = tmp_path / "damaged.toml"
    path.write_text(MACHINE.replace(change, "", 1))
    with pytest.raises(weft.Error, match=message):
        model.load(path)
    path.write_text(MACHINE.replace("cores = 4", "cores = -4"))
    with pytest.raises(weft.Error, match="cores is -4"):
        model.load(path)
    path.write_text(MACHINE.replace("cores = 4", "cores = 4\ncorse = 5"))
    with pytest.raises(weft.Error, match="corse is unknown"):
        model.load(path)


def test_operators(machine):
    def seconds(function, ranks=8, **about):
        problem = model.Problem((64, 64, 64), function=function, **about)
        one = model.predict(problem, machine, ranks, {"strategy": "alltoallv"})
        assert list(one.stages) == ["operator"]
        assert one.memory_bytes > 0
        return one.seconds

    # Two exchanges and three trips, in place of four and four.
    assert seconds("inverse_laplacian") < predicted(machine).seconds
    assert seconds("inverse_laplacian") < seconds("gradient") < 3 * seconds("inverse_laplacian")
    assert seconds("cross", kind="r2c") < seconds("cross")
    found = model.scaling(model.Problem((64, 64, 64), function="gradient"), machine, [1, 4])
    assert found.rows[1].best.seconds < found.rows[0].best.seconds
    assert {plan.options.get("groups") for row in found.rows for plan in row.plans} == {None}


def test_predict_command_of_operators(machine_file):
    words = ["--shape", 32, 32, 32, "--machine", machine_file, "-n", "4"]
    outcome = weft_here("predict", *words, "--operator", "gradient", "--json", "-").json()
    assert outcome["operator"] == "gradient"
    assert all(list(plan["stages"]) == ["operator"] for plan in outcome["plans"])
    assert weft_here("predict", *words, "--lengths", 1, 1, 1).code == 2
    four = weft_here("explain", "--shape", 4, 4, 4, 6, "-n", 2, "--operator", "gradient", "--lengths", 1, 2, 3, 4)
    assert "1 x 2 x 3 x 4" in four.out
    outcome = weft_here("predict", *words, "--operator", "gaussian", "--values", 0.5, "--lengths", 1, 2, 0.5)
    assert "gaussian(0.5) of c2c 32 x 32 x 32" in outcome.out


def test_predict_command(machine_file, tmp_path):
    table, plot = tmp_path / "p.csv", tmp_path / "p.png"
    words = ["predict", "--shape", "64", "64", "64", "--machine", machine_file, "-n", "4:16", "--csv", table]
    if importlib.util.find_spec("matplotlib") is not None:
        words += ["--plot", plot]
    outcome = weft_here(*words, "--json", "-")
    report = outcome.json()
    best = [one for one in report["plans"] if one["best"]]
    assert [one["ranks"] for one in best] == [4, 8, 16]
    assert best[0]["efficiency"] == pytest.approx(1)
    for one in report["plans"]:
        assert one["seconds"] == pytest.approx(sum(one["terms"].values()))
    rows = list(csv.DictReader(table.open()))
    assert len(rows) == len(report["plans"])
    assert not plot.exists() or plot.read_bytes().startswith(b"\x89PNG")
    shown = weft_here(*words)
    assert "scaling" in shown.out
    assert "efficiency" in shown.out


@pytest.mark.parametrize("option", ["--grid=2x4", "--groups=4"])
def test_options_that_need_many_ranks(machine_file, option):
    words = ["predict", "--shape", "16", "16", "16", "--batch", "8", "--machine", machine_file, option]
    assert weft_here(*words, "-n", "8", "--json", "-").json()["plans"]
    refused = weft_here(*words, "-n", "1:8")
    assert refused.code == 2
    assert option[2:].partition("=")[0] + " is" in refused.err


def test_predict_command_of_bands(machine_file):
    words = ["predict", "--lattice", "10", "--ecut", "12", "--bands", "4", "--machine", machine_file, "-n", "2,4"]
    report = weft_here(*words, "--json", "-").json()
    assert report["kind"] == "sphere"
    assert report["batch"] == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--machine", "nowhere"], "machine is 'nowhere'"),
        (["-n", "8:4"], "must not be below"),
        (["-n", "0"], "--ranks is 0"),
        (["--gamma"], "--gamma is given"),
        (["--strategy", "telepathy"], "strategy is 'telepathy'"),
    ],
)
def test_wrong_words(machine_file, words, message):
    before = ["predict", "--shape", "8", "8", "8", "--machine", machine_file]
    outcome = weft_here(*before, *words)
    assert outcome.code == 2
    assert message in outcome.err


def report(rounds, *spreads):
    probes = [
        {"group": "copy", "bytes": i, "seconds": 1.0, "low": 1.0 - s / 2, "high": 1.0 + s / 2}
        for i, s in enumerate(spreads)
    ]
    return {"rounds": rounds, "seconds": 11.5, "round_seconds": 4.0, "probes": probes}


def facts(*spreads):
    return {"median_spread": sorted(spreads)[len(spreads) // 2], "widest_spread": max(spreads)}


def test_a_busy_machine_is_not_measured():
    calibrate.require_quiet({"others": 0.05, "stolen": 0.01})
    with pytest.raises(CommandError, match="too busy to be measured: in one second other processes used 40%"):
        calibrate.require_quiet({"others": 0.4, "stolen": 0.0})
    with pytest.raises(CommandError, match="hypervisor took 20%; wait until it is quiet, or give --force"):
        calibrate.require_quiet({"others": 0.0, "stolen": 0.2})


def test_what_is_not_sure_is_not_written():
    calibrate.require_sure(facts(0.01, 0.1, 5.0), report(3, 0.01, 0.1, 5.0))
    with pytest.raises(
        CommandError, match=r"12 s were enough to measure everything 2 times; 3 .* --seconds 20, or --force"
    ):
        calibrate.require_sure(facts(0.01), report(2, 0.01))
    with pytest.raises(CommandError, match=r"spread by 40% or more .* group copy bytes 2 by 500%"):
        calibrate.require_sure(facts(0.01, 0.4, 5.0), report(9, 0.01, 0.4, 5.0))


@pytest.mark.long
def test_calibrate(tmp_path):
    target = tmp_path / "here.toml"
    outcome = weft_command("calibrate", "-n", "2", "--seconds", "0", "--rounds", "1", "--force", "-o", target)
    assert outcome.code == 0, outcome
    # It says how far it is, what it has found and how sure that is.
    assert "preparing lines, " in outcome.err
    assert re.search(r"round 1, [\d.]+ of 0 s", outcome.err)
    assert "round 2" not in outcome.err
    assert re.search(
        r"measured +\d+ quantities, 1 times each, in \d+ s; spread 0% in the middle, 0% at most", outcome.out
    )
    machines.load(str(target))  # one file for the lab, too
    machine = model.load(target)
    assert machine.cores == 2
    assert machine.calibration.copy_all
    assert machine.calibration.exchange_node
    assert 1e7 < machine.flops < 1e12
    backends = machine.calibration.backends
    assert {"lanes", "fftw"} <= set(backends) <= set(weft.backends())
    assert all(set(tables) == set(machine.calibration.lines) for tables in backends.values())
    shown = weft_here("predict", "--shape", "32", "32", "32", "--machine", target, "-n", "1:2", "--json", "-").json()
    assert all(0 < one["seconds"] < 1 for one in shown["plans"])
    assert json.dumps(shown)
    assert [path.name for path in tmp_path.iterdir()] == ["here.toml"]


def test_fewer_bytes_on_the_wire_are_known(machine):
    slow = machine.replaced(cores=4, nodes=16, bandwidth=1e8)
    problem = model.Problem((128, 128, 128))
    options = {"strategy": "alltoallv", "decomposition": "slab", "transposed": True}
    times = [
        model.predict(problem, slow, 64, {**options, "wire": wire}).seconds
        for wire in ("same", "single", "block24", "block16")
    ]
    # Bandwidth rules, so that half of the bytes are nearly half of the time.
    assert times == sorted(times, reverse=True)
    assert times[0] / times[1] > 1.6
    assert times[0] / times[3] > 2.5


def test_formats_for_the_wire_are_chosen_within_a_tolerance(machine):
    slow = machine.replaced(cores=4, nodes=16, bandwidth=1e8)
    problem = model.Problem((64, 64, 64), options={"strategy": "alltoallv"})
    exact = model.scaling(problem, slow, [1, 16])
    some = model.scaling(problem, slow, [1, 16], tolerance=1e-6)
    assert all("wire" not in plan.options for row in exact.rows for plan in row.plans)
    assert "wire" not in some.rows[0].best.options
    assert some.rows[1].best.options["wire"] == "single"
    assert some.rows[1].best.seconds < exact.rows[1].best.seconds / 1.3
    # Pencils have two exchanges or more, each of which rounds.
    assert all(plan.found.wire_error <= 1e-6 for plan in some.rows[1].plans)
    assert some.rows[1].best.found.wire_error > 5.9e-8
    assert all("wire" not in plan.options for plan in model.scaling(problem, slow, [16], tolerance=1e-8).rows[0].plans)
    words = ["predict", "--shape", "64", "64", "64", "--machine", "slingshot", "-n", "256", "--tolerance"]
    assert weft_here(*words, "1e-6", "--json", "-").json()["plans"][0]["wire"] == "single"


def test_modes_that_are_left_out_cost_nothing():
    words = ["predict", "--shape", "96", "96", "96", "--machine", "cloud-25g", "-n", "4"]
    box = weft_here(*words, "--json", "-").json()
    kept = weft_here(*words, "--modes", "64x64x64", "--json", "-").json()
    assert (box["modes"], kept["modes"]) == (None, [64, 64, 64])
    best = [min(one["seconds"] for one in found["plans"]) for found in (box, kept)]
    assert 1.2 < best[0] / best[1] < 3
    assert "96 x 96 x 96 with 64 x 64 x 64 modes" in weft_here(*words, "--modes", "64", "64", "64").out
    assert weft_here("predict", "--sphere", "si", "--modes", "4x4x4").code == 2


def test_memory_of_a_leader_is_said_to_be_one():
    words = ["predict", "--shape", "64", "64", "64", "--machine", "hector-2b", "-n", "24,48"]
    shown = weft_here(*words).out
    assert "node-shm" in shown
    assert "memory on 48 ranks: that of a rank that leads its node" in shown
    assert "leads its node" not in weft_here(*words[:-1], "24").out


def test_threads_take_cores_of_their_node(machine):
    one, two = (predicted(machine, ranks=8, threads=threads) for threads in (1, 2))
    # A node of four cores has two ranks of two threads.
    assert (one.threads, one.ranks_on_node, two.threads, two.ranks_on_node) == (1, 4, 2, 2)
    assert two.terms["computation"] == pytest.approx(one.terms["computation"] / 2, rel=0.05)
    assert two.terms["overhead"] == pytest.approx(one.terms["overhead"], rel=0.5)  # MPI calls are one thread's
    problem = model.Problem((64, 64, 64), options={"threads": 2})
    crowded = model.predict(problem, machine, 8, {"strategy": "alltoallv"}, 4)
    assert crowded.terms["computation"] == pytest.approx(predicted(machine).terms["computation"], rel=0.05)


def test_hybrids_share_the_same_cores(machine):
    found = model.scaling(model.Problem((32, 32, 32)), machine, [4, 8, 6], hybrids=True)
    for row, shares in zip(found.rows, ({1, 2, 4}, {1, 2, 4}, {1, 2})):
        assert {one.threads for one in row.plans} == shares
        assert {one.ranks * one.threads for one in row.plans} == {row.ranks}
        assert all(one.ranks_on_node * one.threads <= machine.cores for one in row.plans)
    assert found.rows[0].efficiency == pytest.approx(1)
    # Where each message costs much, fewer ranks with more threads are faster.
    slow = machine.replaced(gap=1e-3)
    problem = model.Problem((32, 32, 32), options={"strategy": "alltoallv"})
    assert model.scaling(problem, slow, [8], hybrids=True).rows[0].best.threads == 4


def test_predict_command_of_threads_and_backends(machine_file):
    words = ["predict", "--shape", "32", "32", "32", "--machine", machine_file, "-n"]
    shown = weft_here(*words, "8", "--threads", "2", "--json", "-").json()
    assert {(one["threads"], one["ranks_on_node"]) for one in shown["plans"]} == {(2, 2)}
    hybrids = weft_here(*words, "8", "--hybrids", "--json", "-").json()
    assert hybrids["numbers_are"] == "cores"
    assert {one["threads"] for one in hybrids["plans"]} == {1, 2, 4}
    assert re.search(
        r"^cores .*\n +8 .* [1248] x [124] threads, ", weft_here(*words, "8", "--hybrids").out, re.MULTILINE
    )
    refused = weft_here(*words, "8", "--hybrids", "--threads", "2")
    assert (refused.code, "--hybrids and --threads are both given" in refused.err) == (2, True)
    # One rate for all backends where none was measured, and a word of it.
    told = "backend fftw was not measured on toy: it has the rate of all lines"
    assert told in weft_here(*words, "1", "--backend", "fftw").out
    text = machine_file.read_text()
    tables = "[calibration.tables]\nranks = 4\n[calibration.tables.backends.fftw]\n"
    machine_file.write_text(text + tables + "rows_double = [[32, 5e8]]\ncolumns_double = [[32, 5e8]]\n")
    assert told not in weft_here(*words, "1", "--backend", "fftw").out
    by_backend = {
        backend: weft_here(*words, "1", "--backend", backend, "--json", "-").json()["plans"][0]["terms"]["computation"]
        for backend in ("auto", "fftw", "lanes")
    }
    assert by_backend["fftw"] == pytest.approx(2 * by_backend["auto"])
    assert by_backend["lanes"] == by_backend["auto"]


def test_calibration_has_a_table_for_each_backend():
    lines = [
        {"group": "lines", "backend": backend, "lines": "rows", "precision": "double", "n": n, "operations": 1e9}
        | {"seconds": seconds, "low": seconds, "high": seconds}
        for backend, n, seconds in [("auto", 8, 1), ("auto", 16, 2), ("fftw", 8, 4), ("mkl", 8, 0.5)]
    ]
    found = calibrated_tables(lines)
    assert [row[:2] for row in found["lines"]["rows_double"]] == [[8, 1e9], [16, 5e8]]
    assert set(found["backends"]) == {"fftw", "mkl"}
    assert [row[:2] for row in found["backends"]["mkl"]["rows_double"]] == [[8, 2e9]]


def calibrated_tables(probes):
    """Those of a machine file made of these probes, and a copy."""
    copy = {"group": "copy", "bytes": 1e6, "seconds": 1e-3, "low": 1e-3, "high": 1e-3}
    made = machine_from(
        {
            "probes": [*probes, copy | {"all": True}, copy | {"all": False}],
            "machine": {"processor": "toy", "nodes": ["a"]},
            "mpi": {"library": "none"},
            "software": {"weft": "1"},
            "ranks_on_node": 1,
            "rounds": 1,
        },
        "toy",
        "2026-01-01",
    )
    model.machine_of(made)
    return made["calibration"]["tables"]


def test_published_times():
    """What docs/model.md says of them."""
    spec = importlib.util.spec_from_file_location("literature", BENCHMARKS / "literature.py")
    literature = importlib.util.module_from_spec(spec)
    sys.modules["literature"] = literature
    spec.loader.exec_module(literature)
    sources = literature.sources()
    assert len(sources) >= 4
    rows = [row for source in sources for row in literature.judge(source)]
    for row in rows:
        assert not row["anchor"] or row["anchored"] == pytest.approx(row["published"], rel=1e-3)
    few, many = (
        literature.summary([row for row in rows if literature.nodes(row) == count])["anchored"]
        for count in ("2 to 32", "more than 32")
    )
    assert few["median_error"] < 0.12
    assert 0.9 < few["median_ratio"] < 1.1
    assert many["median_ratio"] < 0.75
