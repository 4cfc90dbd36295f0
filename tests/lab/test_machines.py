"""Machine files: all of ours are good, and bad ones are refused with the field's name."""

from __future__ import annotations

import pytest

from weft.cli.output import CommandError
from weft.lab import machines


@pytest.mark.parametrize("name", machines.names())
def test_ours_are_good_and_say_where_their_figures_are_from(name):
    machine = machines.load(name)
    assert machine["name"] == name
    known = set(machine.get("sources", {})) | set(machine["assumed"])
    for field in ("flops", "network.latency", "network.bandwidth"):
        assert field in known, f"{name}: {field} has neither a source nor is it among the assumed"


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
    path.write_text((machines.FOLDER / "tantale.toml").read_text().replace('"tantale"', '"mine"'))
    assert machines.load(str(path))["name"] == "mine"
    path.write_text("nodes = ")
    with pytest.raises(CommandError, match=r"mine\.toml"):
        machines.load(str(path))
