"""The emulated cluster: nodes of their own, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import pytest

from weft.cli.output import CommandError
from weft.lab import emulate

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or any(shutil.which(program) is None for program in ("ip", "tc", "bridge", "unshare")),
    reason="needs root, iproute2 and util-linux",
)


def namespaces():
    return subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout


@pytest.fixture(autouse=True)
def _usable():
    if subprocess.run(["ip", "netns", "add", "weftlab-try"], capture_output=True, check=False).returncode != 0:
        pytest.skip("network namespaces are not allowed here")
    subprocess.run(["ip", "netns", "delete", "weftlab-try"], check=False)


@pytest.mark.parametrize("topology", emulate.TOPOLOGIES)
def test_nodes_are_apart_and_gone_after(topology):
    with emulate.cluster(4, "100mbit", topology):
        out = subprocess.run([emulate.STATE / "agent", "node3", "hostname"], capture_output=True, text=True, check=True)
        assert out.stdout.strip() == "node3"
        with pytest.raises(CommandError, match="up already"):
            emulate.up(2, "100mbit")
        with pytest.raises(CommandError, match="up already"), emulate.cluster(2, "100mbit"):
            pass
        assert emulate.STATE.exists(), "the first cluster is still there"
    assert "weftlab-" not in namespaces()
    assert not emulate.STATE.exists()


def test_gone_after_an_error():
    with pytest.raises(RuntimeError), emulate.cluster(2, "10mbit"):
        raise RuntimeError("a crash")
    assert "weftlab-" not in namespaces()


def test_gone_after_a_kill():
    script = "import time; from weft.lab import emulate\nwith emulate.cluster(2, '10mbit'): print('up', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "up\n"
        process.kill()
    for _ in range(100):
        if not emulate.STATE.exists() and "weftlab-" not in namespaces():
            break
        time.sleep(0.1)
    assert "weftlab-" not in namespaces()


@pytest.mark.parametrize(("rate", "topology", "word"), [("fast", "switch", "10mbit"), ("10mbit", "ring", "hub")])
def test_bad_arguments(rate, topology, word):
    with pytest.raises(CommandError, match=word):
        emulate.up(2, rate, topology)
