"""Machine files: all of ours are good and mean the same to all who read them; bad ones are refused with the field's name."""

from __future__ import annotations

import sys

import pytest

import weft
from weft import model, place
from weft.cli.output import CommandError
from weft.lab import machines
from weft.lab.simulate import platform_of

pytestmark = pytest.mark.any_mpi


@pytest.mark.parametrize("name", model.machine_names())
def test_ours_are_good_and_say_where_their_figures_are_from(name):
    machine = machines.load(name)
    assert machine["name"] == name
    known = set(machine.get("sources", {})) | set(machine["assumed"])
    for field in ("flops", "network.latency", "network.bandwidth"):
        assert field in known, f"{name}: {field} has neither a source nor is it among the assumed"


def require_the_models_figures(content):
    """That simulations and placements of such a file have the model's figures, whether the file gives them or not."""
    figures = model.machine_of(content).figures
    top, network, node = figures[""], figures["network"], figures["node"]
    platform = platform_of(content)
    for name in ("nodes", "cores", "flops", "memory_bandwidth", "core_bandwidth"):
        assert platform[name] == top[name], name
    assert platform["mpi"] == figures["mpi"]
    assert platform["network"] == {**network, "copy_bandwidth": min(network["copy_bandwidth"], sys.float_info.max)}
    assert platform["node"] == {**node, "bandwidth": min(node["bandwidth"], top["memory_bandwidth"])}
    if network["nodes_per_segment"] > 0:
        with pytest.raises(weft.Error, match="nodes_per_segment"):
            place.machine_of(content)
        return
    placed = place.machine_of(content)
    assert (placed.name, placed.nodes, placed.cores) == (top["name"], top["nodes"], top["cores"])
    assert (placed.flops, placed.memory_bandwidth) == (top["flops"], top["core_bandwidth"])
    bandwidth = network["bandwidth"] * network["efficiency"]
    assert placed.network == place.Link(network["latency"], bandwidth, network["shared"])
    assert placed.node == place.Link(node["latency"], node["bandwidth"])


@pytest.mark.parametrize("name", model.machine_names())
def test_all_readers_see_the_models_figures(name):
    require_the_models_figures(machines.load(name))
    assert model.machine_of(machines.load(name)).figures == model.load(name).figures


def test_all_readers_have_the_models_defaults():
    content = {"name": "least", "nodes": 2, "cores": 2, "flops": 1e9, "memory_bandwidth": 1e10}
    content["network"] = {"latency": 1e-6, "bandwidth": 1e9}
    require_the_models_figures(content)
    platform = platform_of(content)
    assert platform["mpi"] == {"eager": 16384, "alltoall_short": 256, "alltoall_pairwise": 0}
    assert platform["node"] == {"latency": 0.5e-6, "bandwidth": 5e9, "gap": 0.0}
    for name in ("name", "flops", "memory_bandwidth"):
        with pytest.raises(weft.Error, match=f"{name} is missing"):
            place.machine_of({key: value for key, value in content.items() if key != name})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"flops": None}, ["flops", "missing"]),
        ({"flops": "fast"}, ["flops", "'fast'", "float"]),
        ({"cores": 0}, ["cores", "positive"]),
        ({"network__latency": -1.0}, ["network.latency", "negative"]),
        ({"network__colour": 1.0}, ["network.colour", "unknown", "bandwidth"]),
    ],
)
def test_bad_fields_are_named(change, words):
    with pytest.raises(CommandError) as error:
        machines.varied(machines.load("tantale"), **change)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"topology__kind": "ring"}, ["topology.kind", "'ring'", "fat-tree, dragonfly"]),
        ({"topology__groups": None}, ["topology.groups", "missing", "dragonfly"]),
        ({"topology__spines": 2}, ["topology.spines", "nothing of a dragonfly", "global_cables"]),
        ({"topology__switch_nodes": 4}, ["nodes is 1024", "256"]),
        ({"topology__groups": 16, "topology__switch_nodes": 8}, ["topology.groups is 16", "at most 8"]),
        ({"topology__hop_latency": 0.0}, ["topology.hop_latency", "positive"]),
        ({"network__shared": True}, ["network.shared", "topology"]),
    ],
)
def test_bad_topologies_are_named(change, words):
    with pytest.raises(CommandError) as error:
        machines.varied(machines.load("slingshot"), **change)
    for word in words:
        assert word in str(error.value)


def test_unknown_machines_are_refused_with_the_known_ones():
    with pytest.raises(CommandError, match="tantale"):
        machines.load("atlantis")


def test_a_users_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(model.path_of("tantale").read_text().replace('"tantale"', '"mine"'))
    assert machines.load(str(path))["name"] == "mine"
    path.write_text("nodes = ")
    with pytest.raises(CommandError, match=r"mine\.toml"):
        machines.load(str(path))
