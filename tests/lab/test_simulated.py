"""Weft on simulated clusters: right data, the same times on every run, time charged as planned, and the papers' findings."""

from __future__ import annotations

import json
import math
import os
import sys
from unittest import mock

import pytest

import weft
from weft import place
from weft.cli import main
from weft.lab import experiment, machines
from weft.lab.machines import load
from weft.lab.simulate import ONCE, Simulator

pytestmark = pytest.mark.skipif(
    "WEFT_LAB_BUILD" not in os.environ, reason="WEFT_LAB_BUILD names no build of preset smpi"
)

RIVAL = "weft-rival-fftw"
OF_SPHERES = "weft-rival-spfft"
#: Persistent collectives are MPI 4, which SMPI is not.
STRATEGIES = [name for name in weft.strategies() if name != "alltoallv-init"]


@pytest.fixture(scope="module")
def simulator():
    return Simulator(timeout=100)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_data_come_back_on_two_nodes(simulator, strategy):
    report = simulator.run(load("tantale"), 8, "weft-bench", "--shape", 12, 10, 9, "--strategies", strategy, *ONCE)
    assert report["error"] < 1e-14
    assert report["seconds"]["median"] > 0


def test_collectives_of_a_transform_do_not_grow(simulator):
    def made(ranks, strategy):
        words = ("--shape", 32, 32, 32, "--decomposition", "pencil", "--strategy", strategy, "--calls", 2)
        return simulator.run(machines.varied(load("hector-2b"), cores=4), ranks, "weft-overheads", *words)

    for strategy in ("alltoallv", "node-shm"):
        few, many = made(16, strategy), made(64, strategy)
        for kind, counted in many["made"]["calls"].items():
            assert counted["calls"] <= few["made"]["calls"][kind]["calls"], kind
        # The counting sees what is there: one agreement for each execution, and the node of each of all ranks.
        assert many["call"]["calls"]["allreduce"]["calls"] == 2
        assert many["made"]["calls"]["allgather"]["bytes"] >= 4 * 64
        assert many["made"]["calls"]["dup"]["calls"] == 1
        assert 0 < many["made"]["held"] <= 4 * few["made"]["held"]


def test_against_the_serial_reference(simulator):
    report = simulator.run(load("tantale"), 8, "weft-verify", "--case", "shape=12x10x9,strategy=node-shm")
    assert report["failed"] == 0


def test_the_same_on_every_run(simulator):
    arguments = (
        load("hector-2b"),
        48,
        "weft-waves",
        "--shape",
        30,
        30,
        30,
        "--radius",
        14.35,
        "--strategy",
        "node-shm",
    )
    assert simulator.run(*arguments) == simulator.run(*arguments)


def test_sizes_only_take_the_same_time(simulator):
    arguments = (load("tantale"), 8, "weft-bench", "--shape", 32, 32, 32, *ONCE)
    with_data, without = simulator.run(*arguments), simulator.run(*arguments, data=False)
    assert with_data["seconds"] == without["seconds"]


def test_computation_is_charged_as_planned(simulator):
    machine = load("tantale")
    n = 32
    report = simulator.run(machine, 1, "weft-bench", "--shape", n, n, n, *ONCE)
    expected = 2 * 5 * n**3 * math.log2(n**3) / machine["flops"]
    assert report["seconds"]["median"] == pytest.approx(expected, rel=1e-6)


def needs_rival(simulator, program=RIVAL):
    if not simulator.has(program):
        pytest.skip(f"{program} is not built: scripts/lab_rivals.sh builds it")


@pytest.mark.parametrize(
    "transposition", [("alltoall", "--destroy"), ("pairwise", "--in-place"), ("recurse", "--in-place")]
)
@pytest.mark.parametrize("kind", ["c2c", "r2c", "dst2"])
def test_data_come_back_by_fftw_mpi(simulator, kind, transposition):
    needs_rival(simulator)
    name, how = transposition
    words = ("--shape", 16, 8, 9, "--kind", kind, "--batch", 2, "--transposed", "--transposition", name, how)
    report = simulator.run(load("tantale"), 8, RIVAL, *words, privatized=True)
    assert report["error"] < 1e-14
    assert name in report["plan"]
    # Sizes only take as long.
    assert simulator.run(load("tantale"), 8, RIVAL, *words, privatized=True, data=False)["seconds"] == report["seconds"]


def test_fftw_mpi_is_charged_as_weft_is(simulator):
    needs_rival(simulator)
    machine = load("tantale")
    n = 32
    words = ("--shape", n, n, n)
    one = simulator.run(machine, 1, RIVAL, *words, privatized=True)
    assert one["seconds"]["median"] == pytest.approx(2 * 5 * n**3 * math.log2(n**3) / machine["flops"], rel=1e-6)
    # Where messages cost nothing, what is left are the transforms, and a copy before and after each exchange, by memory.
    free = machines.varied(machine, node__latency=1e-12, node__bandwidth=1e15, mpi__eager=1, memory_bandwidth=1e15)
    free["core_bandwidth"] = machine["core_bandwidth"]
    words += ("--transposed", "--transposition", "alltoall", "--destroy")
    two = simulator.run(free, 2, RIVAL, *words, privatized=True)
    copies = 4 * 2 * 16 * n**3 / 2 / machine["core_bandwidth"]
    assert two["seconds"]["median"] == pytest.approx(one["seconds"]["median"] / 2 + copies, rel=0.01)


@pytest.mark.parametrize("bands", [(), ("--bands", 3), ("--bands", 3, "--one-by-one")])
@pytest.mark.parametrize("exchange", ["buffered", "compact", "unbuffered"])
def test_spfft_brings_to_space_what_weft_does(simulator, exchange, bands):
    needs_rival(simulator, OF_SPHERES)
    words = ("--shape", 16, 15, 12, "--radius", 4.5, "--exchange", exchange, *bands)
    report = simulator.run(load("tantale"), 8, OF_SPHERES, *words, "--beside-weft")
    assert report["error"] < 1e-14
    assert report["difference"] < 1e-14
    # Sizes only take as long.
    with_data, without = (simulator.run(load("tantale"), 8, OF_SPHERES, *words, data=data) for data in (True, False))
    assert [without[way] for way in ("backward", "forward")] == [with_data[way] for way in ("backward", "forward")]


def test_spfft_is_charged_as_weft_is(simulator):
    needs_rival(simulator, OF_SPHERES)
    machine = load("tantale")
    nx, ny, nz, radius = 16, 15, 12, 4.5

    def seconds(machine):
        report = simulator.run(machine, 1, OF_SPHERES, "--shape", nx, ny, nz, "--radius", radius)
        assert report["columns"] == columns
        return [report[way]["seconds"] for way in ("backward", "forward")]

    inside = range(-int(radius), int(radius) + 1)
    waves = [(x, y, z) for x in inside for y in inside for z in inside if x * x + y * y + z * z <= radius**2]
    columns, planes = len({wave[:2] for wave in waves}), len({wave[0] for wave in waves})

    def flops(n, lines):
        return 5 * lines * n * math.log2(n)

    # Where memory costs nothing: the lines of columns, of the planes of x that are not empty, and of all x.
    quick = machines.varied(machine, memory_bandwidth=1e18, core_bandwidth=1e18)
    lines = (flops(nz, columns) + flops(ny, planes * nz) + flops(nx, ny * nz)) / machine["flops"]
    assert seconds(quick) == pytest.approx([lines, lines], rel=1e-6)
    # Where lines cost nothing: columns are cleared and filled, transformed, packed; planes are cleared, unpacked, transformed.
    quick = machines.varied(machine, flops=1e18)
    z, blocks, space = columns * nz, 2 * columns * nz, nx * ny * nz
    there = z + len(waves) + 2 * z + blocks + space + blocks + 2 * space
    back = 2 * space + blocks + blocks + 2 * z + 2 * len(waves)
    rate = min(machine["memory_bandwidth"], machine["core_bandwidth"])
    assert seconds(quick) == pytest.approx([16 * there / rate, 16 * back / rate], rel=1e-6)


@pytest.mark.parametrize(
    ("name", "change", "cables"),
    [
        ("cloud-25g", {}, 2),  # one leaf switch
        ("cloud-25g", {"leaf_nodes": 1, "leaves": 64}, 4),  # over a spine
        ("slingshot", {}, 2),  # one switch
        ("slingshot", {"switch_nodes": 1, "nodes": 64}, 3),  # two of a group
    ],
)
def test_messages_cross_as_many_cables_as_the_topology_says(name, change, cables, simulator):
    def seconds(hop):
        fields = {key if key == "nodes" else f"topology__{key}": value for key, value in change.items()}
        machine = machines.varied(machines.load(name), topology__hop_latency=hop, **fields)
        return simulator.run(machine, 2, "weft-alltoall", "--bytes", 8, "--flops", machine["flops"], ranks_per_node=1)[
            "rows"
        ][0]["blocking"]

    # Twice: ranks come out of the barrier before it a message apart.
    assert seconds(2e-3) - seconds(1e-3) == pytest.approx(2 * cables * 1e-3, rel=1e-3)


@pytest.mark.parametrize("words", [("--levels", 4), ("--dtype", "float64", "--chunk", 1000), ("--algorithm", "sample")])
def test_sorts_are_verified(simulator, words):
    report = simulator.run(load("tantale"), 5, "weft-sort", "--n", 10_001, "--repeats", 2, *words)
    assert report["verified"]
    assert report["seconds"]["min"] == pytest.approx(report["seconds"]["max"], rel=0.1)


def test_sorting_takes_what_the_machine_says(simulator):
    machine = load("brown-servernet")
    rates = simulator.run(machine, 1, "weft-sort", "--rates")["rates"]
    assert rates == pytest.approx(machine["rates"])
    report = simulator.run(machine, 1, "weft-sort", "--levels", 1, "--repeats", 1)
    assert report["parts"]["sort"] == pytest.approx(50_000 * math.log2(50_000) * rates["sort"])
    # A machine without rates of its own: what weft.place predicts, too.
    report = simulator.run(load("tantale"), 1, "weft-sort", "--levels", 1, "--repeats", 1)
    seconds = place.load_machine("tantale").seconds(place.Compute(50_000, "sort"))
    assert report["parts"]["sort"] == pytest.approx(seconds, rel=1e-3)


def test_ranks_go_where_the_mapping_says(simulator):
    words = ("weft-bench", "--shape", 16, 16, 16, "--groups", 2, "--batch", 2, *ONCE)
    together, apart = (
        simulator.run(load("tantale"), 4, *words, mapping=nodes) for nodes in ((0, 0, 1, 1), (0, 1, 0, 1))
    )
    assert together["machine"]["nodes"] == apart["machine"]["nodes"]
    assert together["seconds"]["median"] < apart["seconds"]["median"]


def placed(capsys, *words):
    """The first row of what `weft place ... --simulate` says."""
    with mock.patch.object(
        sys, "argv", ["weft", "place", *words, "--machine", "brown-ethernet", "--simulate", "--json", "-"]
    ):
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code
    report = json.loads(capsys.readouterr().out)
    return report["placements" if words[0] == "sort" else "mappings"][0]


def test_sort_predicted_beside_simulated(capsys):
    row = placed(capsys, "sort", "--topology", "fig10")
    assert row["simulated"] == pytest.approx(row["seconds"], rel=0.2)


def test_fft_predicted_beside_simulated(capsys):
    small, large = (placed(capsys, "fft", "--shape", n, n, n, "-n", "4") for n in ("16", "32"))
    for row in (small, large):
        assert row["simulated"] > row["link_seconds"]  # no wire is faster than it is
    # What messages cost whatever their size, which is most of a small transform and not in the model, is the same in both.
    more = large["simulated"] - small["simulated"]
    assert more == pytest.approx(large["seconds"] - small["seconds"], rel=0.2)


@pytest.mark.parametrize(
    # Which of the papers' findings are known to differ here, and say why (docs/lab-findings.md).
    ("name", "differ"),
    [
        ("batches", []),
        ("bethune", ["CNT40: inside a node SHM is poorer than the original"]),
        ("brown", []),
        ("hoefler_zerah", ["MPI_Test progresses messages: without it there is less overlap"]),
        ("mappings", []),
        (
            "shimizu",
            [
                "transfers without copies gain about a tenth (10.3 %)",
                "scheduling who talks when gains a little more (3.7 %)",
                "the library's option groups gains on segments, too",
            ],
        ),
        ("operators", []),
        ("rivals", []),
        ("rivals_large", []),
        ("rivals_spheres", []),
        ("scaling", []),
        ("solvers", []),
    ],
)
def test_findings_hold(tmp_path, name, differ, simulator):
    if "rivals" in name or name == "solvers":
        needs_rival(simulator, OF_SPHERES if name == "rivals_spheres" else RIVAL)
    # With a cache, since experiments ask for some simulations several times.
    report = experiment.run(name, experiment.Lab(Simulator(tmp_path / "cache", timeout=100), quick=True))
    assert report["findings"]
    others = [finding for finding in report["findings"] if not finding["holds"]]
    for finding in others:
        assert finding["why"], f"{finding['claim']}: {finding['here']}"
    assert [finding["claim"] for finding in others] == differ
