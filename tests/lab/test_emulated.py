"""The emulated cluster: nodes of their own, and nothing left behind."""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from weft import place
from weft.cli import launch
from weft.cli.output import CommandError
from weft.lab import emulate

pytestmark = [
    pytest.mark.any_mpi,
    pytest.mark.skipif(
        os.geteuid() != 0 or any(shutil.which(program) is None for program in ("ip", "tc", "bridge", "unshare")),
        reason="needs root, iproute2 and util-linux",
    ),
]


def namespaces():
    return subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout


@pytest.fixture(autouse=True)
def _usable():
    # A machine has one cluster, which workers of pytest take in turns.
    with Path("/run/weft-lab-tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _need_namespaces()
        yield


def _need_namespaces():
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


def test_of_several_at_once_one_is_made():
    def up(_):
        try:
            emulate.up(2, "10mbit")
        except CommandError as error:
            return str(error)
        return "made"

    with ThreadPoolExecutor(4) as threads:
        outcomes = sorted(threads.map(up, range(4)))
    try:
        assert outcomes == ["a cluster is up already; `weft lab down` takes it down"] * 3 + ["made"]
        assert namespaces().count("weftlab-node") == 2
    finally:
        emulate.down()


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


def test_starts_the_jobs_of_all_commands(monkeypatch):
    execute = [sys.executable, "-m", "weft", "lab", "exec"]
    monkeypatch.setenv("WEFT_MPIEXEC", shlex.join(execute))  # which exec itself must not ask
    with emulate.cluster(2, emulate.UNLIMITED):
        command = [*launch.mpiexec(), "-n", "2", "sh", "-c", "hostname"]
        # Python's view of the environment: that of C names a job as soon as a test before this one has used MPI.
        done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == ["node0", "node1"]


@pytest.mark.skipif(not launch.is_open_mpi(), reason="rank files are Open MPI's")
def test_mpiexec_takes_what_a_mapping_says(tmp_path):
    wanted = [(0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0)]
    with emulate.cluster(2, emulate.UNLIMITED):
        for nodes in wanted:
            mapping = place.Mapping("", nodes, 0, 0, 0.0, None)
            flags = mapping.flags(2).get("Open MPI", f"--rankfile {tmp_path / 'ranks'}")
            (tmp_path / "ranks").write_text(mapping.rankfile(["node0", "node1"]))
            command = emulate.command(4, ["sh", "-c", "echo $OMPI_COMM_WORLD_RANK $(hostname)"], flags=flags.split())
            done = subprocess.run(
                command, env=emulate.environment(), capture_output=True, text=True, timeout=60, check=False
            )
            assert done.returncode == 0, done.stderr
            assert sorted(done.stdout.split("\n")[:-1]) == [f"{rank} node{node}" for rank, node in enumerate(nodes)]


@pytest.mark.parametrize(("rate", "topology", "word"), [("fast", "switch", "10mbit"), ("10mbit", "ring", "hub")])
def test_bad_arguments(rate, topology, word):
    with pytest.raises(CommandError, match=word):
        emulate.up(2, rate, topology)
