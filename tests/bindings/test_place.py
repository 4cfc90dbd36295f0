"""weft.place: graphs, schedules, searches, Brown's table, mappings of FFT ranks; and the command."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launching import clean_environment, run, weft_command, weft_here

import weft
from weft import place
from weft.cli import launch
from weft.place import Compute, Graph, Link, Machine, Process, Receive, Send

pytestmark = pytest.mark.any_mpi

FAST = Machine("fast", 2, 2, Link(1e-5, 1e8), Link(0.0, 1e9))
BUS = Machine("bus", 2, 1, Link(1e-4, 1e6, shared=True), Link(0.0, 1e9))
BROWN = ((0, 1, 3), (4,)), ((2, 5), (6,))


@st.composite
def graphs(draw, most=4):
    """Random programs that end: messages go along one order of all steps."""
    count = draw(st.integers(1, most))
    steps = [[] for _ in range(count)]
    for _ in range(draw(st.integers(0, 7))):
        p = draw(st.integers(0, count - 1))
        q = draw(st.integers(0, count - 1))
        if p == q:
            steps[p].append(Compute(draw(st.integers(0, 9)) * 1e-3))
        else:
            steps[p].append(Send(q, draw(st.integers(0, 9)) * 1000))
            steps[q].append(Receive(p))
    return Graph("random", tuple(Process(f"p{p}", tuple(row)) for p, row in enumerate(steps)))


machines = st.builds(
    Machine,
    st.just("random"),
    st.integers(1, 2),
    st.integers(1, 2),
    st.builds(Link, st.sampled_from([0.0, 1e-3]), st.sampled_from([1e6, 1e7]), st.booleans()),
    st.builds(Link, st.just(0.0), st.sampled_from([5e6, 1e9])),
)


@given(graphs(6), machines, st.sampled_from(place.POLICIES), st.data())
@settings(max_examples=120, deadline=None)
def test_schedules_keep_the_rules(graph, machine, policy, data):
    placement = data.draw(st.lists(st.integers(0, machine.processors - 1), min_size=len(graph), max_size=len(graph)))
    schedule = place.predict(graph, machine, placement, policy, time_slice=0.0015)
    tiny = 1e-9

    # Every step happened, each as long as it takes.
    steps = {(item.process, item.step): item for item in schedule.activities}
    sums = {key: 0.0 for key in steps}
    for item in schedule.activities:
        sums[item.process, item.step] += item.end - item.begin
    for p, process in enumerate(graph.processes):
        for place_of, step in enumerate(process.steps):
            if isinstance(step, Compute):
                assert sums[p, place_of] == pytest.approx(machine.seconds(step), abs=tiny)

    # Never two processes on a processor.
    for processor in range(machine.processors):
        own = sorted((i.begin, i.end) for i in schedule.activities if i.processor == processor and i.end > i.begin)
        for (_, end), (begin, _) in itertools.pairwise(own):
            assert begin >= end - tiny

    # Precedence: a process does one step after the other, and receives before it goes on.
    arrival = {}
    for message in graph.messages:
        arrival[message.receiver] = steps[message.sender].arrival
    begins = {}
    for item in schedule.activities:
        begins.setdefault((item.process, item.step), item.begin)
    for p, process in enumerate(graph.processes):
        ready = 0.0
        for place_of in range(len(process.steps)):
            key = (p, place_of)
            ready = max(ready, arrival.get(key, 0.0))
            if key not in begins:
                continue
            crosses = steps[key].what == "message"
            assert begins[key] >= ready - tiny
            ready = max(ready, 0.0 if crosses else steps[key].end)

    # No link carries more than it can, and nothing arrives before it could.
    for message in graph.messages:
        item = steps[message.sender]
        if item.what == "message":
            assert (
                item.arrival - item.begin >= message.bytes / machine.network.bandwidth + machine.network.latency - tiny
            )
    if machine.network.shared:
        assert schedule.seconds >= schedule.network_bytes() / machine.network.bandwidth - tiny

    # Lower bounds are below, and the critical path reaches from the start to the end.
    bounds = place.Bounds(place.Model(graph, machine))
    assert schedule.seconds >= bounds.bound(placement) - tiny
    assert bounds.bound(placement) >= bounds.bound([-1] * len(graph)) - tiny
    path = schedule.critical_path()
    if path:
        assert path[0].begin == 0.0
        assert path[-1].arrival == pytest.approx(schedule.seconds, abs=tiny)


@given(graphs(4), machines, st.sampled_from(place.POLICIES))
@settings(max_examples=60, deadline=None)
def test_exact_search_is_brute_force(graph, machine, policy):
    found = place.exact(graph, machine, policy, 0.0015)
    everything = place.brute_force(graph, machine, policy, 0.0015)
    assert found.seconds == pytest.approx(everything.seconds, rel=1e-8, abs=1e-12)
    assert place.predict(graph, machine, found.placement, policy, 0.0015).seconds == pytest.approx(
        found.seconds, rel=1e-8, abs=1e-12
    )
    good = place.heuristic(graph, machine, policy, 0.0015)
    assert good.lower_bound - 1e-12 <= found.seconds <= good.seconds * (1 + 1e-8) + 1e-12


def test_both_policies():
    graph = Graph("two", tuple(Process(name, (Compute(0.01),)) for name in "ab"))
    one = Machine("one", 1, 1, Link(0, 1e9), Link(0, 1e9))
    run = place.predict(graph, one, (0, 0), "run")
    assert [(i.process, i.begin, i.end) for i in run.activities] == [(0, 0, 0.01), (1, 0.01, 0.02)]
    slices = place.predict(graph, one, (0, 0), "slices", time_slice=0.004)
    assert [i.process for i in slices.activities] == [0, 1, 0, 1, 0, 1]
    assert slices.seconds == pytest.approx(0.02)
    # The one that others wait for longest is next.
    urgent = Graph(
        "urgent",
        (
            Process("first", (Compute(0.001),)),
            Process("plain", (Compute(0.002),)),
            Process("feeds", (Compute(0.001), Send(3, 0))),
            Process("fed", (Receive(2), Compute(0.009))),
        ),
    )
    assert place.predict(urgent, Machine("m", 1, 2, one.network, one.node), (0, 0, 0, 1)).seconds == pytest.approx(
        0.010
    )


def test_links_are_shared():
    steps = tuple(Process(f"p{p}", (Send(p + 2, 1_000_000),)) for p in range(2))
    graph = Graph("pairs", (*steps, *(Process(f"p{p}", (Receive(p - 2),)) for p in (2, 3))))
    switch = Machine("switch", 4, 1, Link(0.5, 1e6), Link(0, 1e9))
    bus = Machine("bus", 4, 1, Link(0.5, 1e6, shared=True), Link(0, 1e9))
    assert place.predict(graph, switch, (0, 1, 2, 3)).seconds == pytest.approx(1.5)
    assert place.predict(graph, bus, (0, 1, 2, 3)).seconds == pytest.approx(2.5)
    two = Machine("switch", 2, 2, Link(0.5, 1e6), Link(0, 1e9))
    assert place.predict(graph, two, (0, 1, 2, 3)).seconds == pytest.approx(2.5)  # through one port
    assert place.predict(graph, two, (0, 0, 1, 1)).link_bytes() == {(0, 0): 2_000_000}


# Brown 2001


@pytest.mark.parametrize("policy", place.POLICIES)
def test_browns_predictions(policy):
    graph, via, ethernet = (
        place.tree_sort(),
        place.load_machine("brown-servernet"),
        place.load_machine("brown-ethernet"),
    )
    found = place.exact(graph, via, policy)
    assert place.canonical(found.placement, via) == BROWN
    assert found.proven
    assert found.seconds == pytest.approx(0.0262, rel=0.15)
    one_node = place.place_topology("fig9", graph, via, policy).seconds
    assert one_node == pytest.approx(0.042, rel=0.15)
    assert place.predict(graph, ethernet, found.placement, policy).seconds == pytest.approx(0.166, rel=0.15)


def test_browns_findings():
    graph, via, ethernet = (
        place.tree_sort(),
        place.load_machine("brown-servernet"),
        place.load_machine("brown-ethernet"),
    )
    by_bytes, times = [], {}
    for name in place.TOPOLOGIES:
        found = place.place_topology(name, graph, ethernet)
        times[name] = found.seconds
        by_bytes.append((place.predict(graph, ethernet, found.placement).network_bytes(), found.seconds))
    # More parallelism can be slower: over Ethernet one node wins, and nothing is better than one node.
    best = place.exact(graph, ethernet)
    assert len(place.canonical(best.placement, ethernet)) == 1
    assert 1 - best.seconds / times["fig10"] == pytest.approx(0.77, abs=0.05)
    # Linear in the bytes that cross; figures 10 and 11 alike; twice the data, twice the time.
    sizes, seconds = np.array(by_bytes, float).T
    assert np.corrcoef(sizes, seconds)[0, 1] > 0.995
    assert times["fig10"] == pytest.approx(times["fig11"], rel=0.01)
    assert times["fig12"] == pytest.approx(2 * times["fig10"], rel=0.1)
    assert times["fig13-leaves"] == pytest.approx(times["fig12"], rel=0.01)  # as many bytes: not "twice"
    assert times["fig13-edges"] == pytest.approx(2 * times["fig12"], rel=0.1)
    # Over ServerNet, two nodes beat one by about 35 %.
    fast = place.exact(graph, via).seconds
    assert 1 - fast / place.place_topology("fig9", graph, via).seconds == pytest.approx(0.35, abs=0.05)
    # One process, 0.085 s, is 1.75 times one node and 2.7 times VIA as measured; 2.0 and 3.2 as he predicted.
    single = via.seconds(Compute(50_000, "sort"))
    assert single == pytest.approx(0.085, rel=0.01)
    assert 1.75 <= single / best.seconds <= 2.02
    assert 2.7 <= single / fast <= 3.25


def test_bytes_of_the_topologies():
    graph, machine = place.tree_sort(), place.load_machine("brown-ethernet")
    across = {}
    for name in place.TOPOLOGIES:
        placement = place.place_topology(name, graph, machine).placement
        assert placement[0] == 0, "where the data are"
        across[name] = place.predict(graph, machine, placement).network_bytes() // 8  # elements each way
    assert across == {
        "fig9": 0,
        "one-leaf": 12_500,
        "fig10": 25_000,
        "fig11": 25_000,
        "three-leaves": 37_500,
        "fig12": 50_000,
        "fig13-leaves": 50_000,
        "fig13-edges": 100_000,
    }


def test_large_graphs_have_a_known_gap():
    graph = place.tree_sort(n=1_000_000, levels=5)
    machine = Machine("m", 4, 2, Link(1e-6, 1e10), Link(0, 2e10), rates={"sort": 1e-9, "merge": 1e-9})
    found = place.best(graph, machine)
    assert found.algorithm.startswith("HEFT")
    assert found.lower_bound <= found.seconds
    assert 0 <= found.gap < 0.25


# Total costs


@given(st.lists(st.integers(0, 9), min_size=8, max_size=8), st.integers(0, 3), st.data())
@settings(max_examples=40, deadline=None)
def test_trees_and_cuts_agree_with_all_assignments(costs, last, data):
    graph = place.tree_sort(n=4000, levels=2, arity=3)
    table = [[costs[2 * p] * 1e-2, costs[2 * p + 1] * 1e-2] for p in range(4)]
    pinned = {0: 0, last: data.draw(st.integers(0, 1))} if last else {}
    allowed = [a for a in itertools.product((0, 1), repeat=4) if all(a[p] == q for p, q in pinned.items())]
    least = min(place.total_seconds(graph, BUS, a, table) for a in allowed)
    for algorithm in (place.min_cut, place.shortest_tree):
        placement, seconds = algorithm(graph, BUS, table, pinned)
        assert placement in allowed
        assert seconds == pytest.approx(least, rel=1e-9, abs=1e-12)
        assert place.total_seconds(graph, BUS, placement, table) == pytest.approx(seconds, rel=1e-9, abs=1e-12)


def test_total_costs_refuse_what_they_cannot():
    with pytest.raises(weft.Error, match="two of one processor"):
        place.min_cut(place.tree_sort(), FAST)
    triangle = Graph(
        "triangle",
        (
            Process("a", (Send(1, 1), Send(2, 1))),
            Process("b", (Receive(0), Send(2, 1))),
            Process("c", (Receive(0), Receive(1))),
        ),
    )
    with pytest.raises(weft.Error, match="not a tree"):
        place.shortest_tree(triangle, BUS)


# Files and errors

FILE = """
name = "two"
[[process]]
name = "root"
steps = [{send = "leaf", bytes = 4000}, {receive = "leaf"}, {compute = 1e-3}]
[[process]]
name = "leaf"
steps = [{receive = "root"}, {compute = {sort = 1000}}, {send = "root", bytes = 4000}]
"""


def test_graphs_from_files(tmp_path):
    (tmp_path / "two.toml").write_text(FILE)
    graph = place.load_graph(tmp_path / "two.toml")
    assert graph.processes[1].steps == (Receive(0), Compute(1000.0, "sort"), Send(0, 4000))
    assert graph.bytes_between() == {(0, 1): 4000, (1, 0): 4000}
    rows = [
        {"name": "root", "steps": [{"send": "leaf", "bytes": 4000}, {"receive": "leaf"}, {"compute": 1e-3}]},
        {"name": "leaf", "steps": [{"receive": "root"}, {"compute": {"sort": 1000}}, {"send": "root", "bytes": 4000}]},
    ]
    (tmp_path / "two.json").write_text(json.dumps({"name": "two", "process": rows}))
    assert place.load_graph(tmp_path / "two.json") == graph


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('receive = "root"', "compute = 1"), "sends 1 messages to 'leaf', which receives 0"),
        (("sort = 1000", "guess = 1000"), "formula is 'guess'; allowed are"),
        (('send = "leaf"', 'send = "lief"'), "'lief'; the processes are root, leaf"),
        (('name = "leaf"', 'name = "root"'), "same name"),
        (("[[process]]", "[[thing]]"), "is not a process graph"),
        (
            ('[{send = "leaf", bytes = 4000}, {receive = "leaf"}', '[{receive = "leaf"}, {send = "leaf", bytes = 1}'),
            "deadlocked",
        ),
        (("compute = 1e-3", "sleep = 1"), "must have one of compute"),
        (("1e-3", "-1"), "must be at least 0"),
    ],
)
def test_bad_graphs(change, message, tmp_path):
    (tmp_path / "bad.toml").write_text(FILE.replace(*change))
    with pytest.raises(weft.Error, match=message):
        place.load_graph(tmp_path / "bad.toml")


def test_machines_as_the_lab_has_them():
    content = {
        "name": "m",
        "nodes": 2,
        "cores": 1,
        "flops": 1e9,
        "memory_bandwidth": 8e9,
        "assumed": ["node"],
        "network": {"latency": 1e-6, "bandwidth": 1e9, "shared": True, "efficiency": 0.5, "gap": 1e-6},
        "mpi": {"eager": 4096},
    }
    machine = place.machine_of(content)
    assert machine.network == Link(1e-6, 5e8, True)
    assert machine.seconds(Compute(100, "merge")) == pytest.approx(1e-7)
    content["network"]["nodes_per_segment"] = 8
    with pytest.raises(weft.Error, match="nodes_per_segment"):
        place.machine_of(content)


def test_bad_arguments():
    graph = place.tree_sort()
    endless = Graph("g", (Process("p", (Compute(1e308, "sort"),)),))
    for call, message in (
        (lambda: place.load_machine("atari"), "machine is 'atari'.*brown-ethernet"),
        (lambda: place.load_machine("/no/such.toml"), "cannot read the machine"),
        (lambda: place.machine_of({"nodes": 1}), "network"),
        (lambda: place.predict(graph, FAST, (0,) * 6), "placement has 6 processors; the graph has 7"),
        (lambda: place.predict(graph, FAST, (4,) * 7), "processor 4; the machine has 0 to 3"),
        (lambda: place.predict(graph, FAST, (0,) * 7, "luck"), "policy is 'luck'; allowed are run, slices"),
        (lambda: place.predict(graph, FAST, (0,) * 7, "slices", 1e-12), "time_slice is 1e-12 s; .* at least"),
        (lambda: place.predict(endless, FAST, (0,)), "amount of sort is 1e.308; it takes inf s"),
        (lambda: place.place_topology("fig8", graph, FAST), "topology is 'fig8'"),
        (lambda: place.place_topology("fig10", place.tree_sort(levels=4), FAST), "3 levels"),
        (lambda: place.tree_sort(n=3), "4 leaves"),
        (lambda: Machine("m", 0, 1, BUS.network, BUS.node), "nodes is 0"),
        (lambda: place.draw("x.jpg", place.predict(graph, FAST, (0,) * 7)), r"\.png or \.svg"),
    ):
        with pytest.raises((weft.Error, KeyError), match=message):
            call()


# The FFT


@pytest.mark.parametrize(
    "options", [{}, {"decomposition": "pencil", "grid": "2x3"}, {"groups": 2, "batch": 3}, {"kind": "r2c", "tile": 3}]
)
def test_flows_are_the_traffic(options):
    plan = weft.plan((12, 8, 10), 6, **options)
    for direction in ("forward", "backward"):
        flows = plan.flows(direction)
        assert sum(size for *_, size in flows) == plan.traffic(direction)["all_bytes"]
        assert all(a != b and 0 <= a < 6 and 0 <= b < 6 for _, a, b, _ in flows)
    with pytest.raises(weft.Error, match="direction is 'up'"):
        plan.flows("up")


def test_mappings():
    machine = Machine("m", 3, 4, Link(1e-6, 1e9), Link(0, 1e10))
    plan = weft.plan((16, 16, 16), 12, decomposition="pencil", grid="3x4")
    found = place.map_ranks(plan, machine)
    consecutive, turns, best = found.mappings
    # Rows of the grid are nodes: only columns cross.
    assert best.nodes == consecutive.nodes == (0,) * 4 + (1,) * 4 + (2,) * 4
    assert found.lower_bound <= best.network_bytes < turns.network_bytes
    assert found.gain == 0.0
    assert consecutive.flags(4)["MPICH"] == "-ppn 4"
    assert turns.flags(4)["Open MPI"] == "--map-by node"
    assert turns.order()[:4] == [0, 3, 6, 9]
    assert turns.rankfile().splitlines()[:4] == [
        "rank 0=+n0 slot=0",
        "rank 1=+n1 slot=0",
        "rank 2=+n2 slot=0",
        "rank 3=+n0 slot=1",
    ]
    # Columns as nodes: shuffled ranks that the search must sort out.
    other = place.map_ranks(weft.plan((16, 16, 16), 12, groups=3, batch=3, decomposition="slab"), machine)
    assert other.best.network_bytes <= other.mappings[0].network_bytes
    with pytest.raises(weft.Error, match="has 12 processors"):
        place.map_ranks(weft.plan((16, 16, 16), 13), machine)
    graph = place.alltoall(plan)
    assert sum(graph.bytes_between().values()) == plan.traffic()["all_bytes"]


# The command


def test_command_with_browns_machines(tmp_path):
    (tmp_path / "mine.json").write_text('{"fig10": 0.5}')
    words = ["place", "sort", "--figure", "activity.svg", "--measured", "mine.json", "--json", "out.json"]
    outcome = weft_here(*words, cwd=tmp_path)
    assert outcome.code == 0, outcome
    assert "{0,1,3} {4} | {2,5} {6}" in outcome.out
    assert "branch and bound" in outcome.out
    rows = {row["name"]: row for row in json.loads((tmp_path / "out.json").read_text())["placements"]}
    assert set(rows) == {*place.TOPOLOGIES, "best"}
    assert (rows["fig10"]["published"], rows["fig10"]["measured"]) == (0.032, 0.5)
    assert rows["best"]["critical_path"][-1]["end"] == pytest.approx(rows["best"]["seconds"])
    assert "<svg" in (tmp_path / "activity.svg").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["activity.svg", "mine.json", "out.json"]


def test_points_of_the_activity_figure(tmp_path):
    graph, machine = place.tree_sort(), place.load_machine("brown-servernet")
    schedule = place.predict(graph, machine, (0, 0, 2, 0, 1, 2, 3))
    texts = [text for _, text in place.moments(schedule)]
    assert texts[-1] == "p0 has done: merge"
    assert any("p5, p6 have done: sort" in text for text in texts)
    place.draw(tmp_path / "a.png", schedule)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.skipif(launch.cores() < 2, reason="one processor has one placement")
def test_command_runs_what_it_predicts(tmp_path):
    # Instead of mpiexec: it tells what it was given, and goes on to it.
    words, real = tmp_path / "words", launch.mpiexec()[0]
    told = tmp_path / "mpiexec"
    told.write_text(f'#!/bin/sh\necho "mpiexec $@" >> {words}\nexec {real} "$@"\n')
    told.chmod(0o755)
    rates = tmp_path / "rates.json"
    rates.write_text('{"rates": {"sort": 2e-9, "merge": 3e-9, "split": 1e-9}}')
    placement = (0, 0, 1, 0, 0, 1, 1)
    arguments = ["place", "sort", "--machine", "here", "--rates", rates, "--topology", ",".join(map(str, placement))]
    report = weft_command(*arguments, "--n", 5001, "--run", "--json", "-", WEFT_MPIEXEC=str(told)).json()
    (row,) = report["placements"]
    assert row["placement"] == list(placement)
    (line,) = (line for line in words.read_text().splitlines() if "--placement" in line)
    assert line.startswith("mpiexec -n 2 ")
    assert f"--n 5001 --levels 3 --arity 2 --dtype int32 --placement {','.join(map(str, placement))}" in line
    assert row["run here"] > 0
    # What is predicted is of the same program and the rates that are given, however fast this machine is.
    known = place.Machine("here", 1, launch.cores(), place.Link(1e-5, 1e9), place.Link(1e-6, 5e9)).with_rates(
        json.loads(rates.read_text())["rates"]
    )
    assert row["seconds"] == pytest.approx(place.predict(place.tree_sort(5001), known, placement).seconds)


def test_command_for_the_fft(tmp_path):
    words = ["place", "fft", "--shape", "16", "16", "16", "--machine", "brown-ethernet", "--rankfile", "ranks"]
    outcome = weft_here(*words, cwd=tmp_path)
    assert outcome.code == 0, outcome
    assert "no gain" in outcome.out
    assert (tmp_path / "ranks").read_text().startswith("rank 0=+n0 slot=0\n")
    report = weft_here(*words[:-2], "--json", "-").json()
    assert not report["worth_it"]
    assert report["mappings"][-1]["network_bytes"] >= report["lower_bound_bytes"]


def test_command_says_what_simulating_needs(monkeypatch):
    monkeypatch.setenv("WEFT_LAB_BUILD", "/nowhere")
    outcome = weft_here("place", "sort", "--simulate")
    assert outcome.code == 2
    assert "./run build smpi" in outcome.err


@pytest.mark.skipif(not launch.is_open_mpi(), reason="rank files are Open MPI's")
def test_mpiexec_takes_rank_files(tmp_path):
    mapping = place.Mapping("", (0,), 0, 0, 0.0, None)
    (tmp_path / "ranks").write_text(mapping.rankfile(["localhost"]))
    for flags in (["--rankfile", "ranks"], mapping.flags(1)["Open MPI"].split()):
        outcome = run(
            [*launch.mpiexec(), "-n", "1", *flags, "echo", "up"],
            tmp_path,
            60,
            {**launch.launch_environment(1), **clean_environment()},
        )
        assert outcome.out == "up\n", outcome


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["knit"], "PROGRAM is 'knit'"),
        (["sort", "--machine", "atari"], "machine is 'atari'"),
        (["sort", "--topology", "fig8"], "--topology is 'fig8'"),
        (["sort", "--topology", "0,1"], "placement has 2 processors"),
        (["sort", "--slice", "long"], "--slice is 'long'"),
        (["sort", "--levels", "0"], "levels is 0"),
        (["sort", "--policy", "luck"], "policy is 'luck'"),
        (["sort", "--figure", "no/such/a.png"], "no/such"),
        (["sort", "--measured", "missing.json"], "missing.json"),
        (["sort", "--rates", "missing.json"], "missing.json"),
        (["fft"], "--shape"),
        (["fft", "--shape", "8", "8", "8", "-n", "99"], "the plan has 99 ranks"),
        (["fft", "--shape", "8", "8", "8", "--rankfile", "ranks", "--hosts", "a"], "hosts has 1 names; ranks are on 2"),
        (["sort", "--machine", "here", "--simulate"], "--machine is 'here'"),
        (["missing.toml"], "missing.toml"),
    ],
)
def test_bad_command_lines(tmp_path, arguments, message):
    outcome = weft_here("place", *arguments, cwd=tmp_path)
    assert outcome.code == 2, outcome
    assert message in outcome.err
