"""An emulated cluster on this machine: network namespaces as nodes, cables of a given rate, real MPI over TCP.

Everything lies in namespaces of our own, named weftlab-*: the nodes, and one with the wires. Nothing is added to the
machine's own network, and deleting the namespaces deletes all of it.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .._inputs import read_json
from .._outputs import write_text
from ..cli import launch
from ..cli.output import CommandError

PREFIX = "weftlab-"
WIRES = f"{PREFIX}wires"
STATE = Path("/run/weft-lab")
NETWORK = "10.77.0"
TOPOLOGIES = ("switch", "hub", "segments")
UNLIMITED = "unlimited"


def up(nodes: int, rate: str, topology: str = "switch", nodes_per_segment: int = 2) -> None:
    """Makes the cluster; takes all of it away again if that fails."""
    _require_root()
    if topology not in TOPOLOGIES:
        raise CommandError(f"--topology is '{topology}'; allowed are {', '.join(TOPOLOGIES)}")
    if not 1 <= nodes <= 64:
        raise CommandError(f"--nodes is {nodes}; allowed are 1 to 64")
    if topology == "segments" and nodes_per_segment < 1:
        raise CommandError(f"--per-segment is {nodes_per_segment}; it must be at least 1")
    bits = _bits(rate)
    _claim()
    try:
        hosts = [f"{NETWORK}.{node + 1} node{node}" for node in range(nodes)]
        write_text(STATE / "hosts", "127.0.0.1 localhost\n" + "\n".join(hosts) + "\n")
        _write_agent()
        _namespace(WIRES)
        for node in range(nodes):
            _namespace(f"{PREFIX}node{node}")
            _wires("ip", "link", "add", f"p{node}", "type", "veth", "peer", "eth0", "netns", f"{PREFIX}node{node}")
        if topology == "switch":
            _switch(nodes, bits)
        else:
            _segments(nodes, bits, nodes if topology == "hub" else nodes_per_segment)
        together = _frames_together(bits)
        for node in range(nodes):
            inside = f"{PREFIX}node{node}"
            for namespace, device in ((WIRES, f"p{node}"), (inside, "eth0")):
                _run("ip", "-n", namespace, "link", "set", device, "gso_max_segs", together, "up")
                _in_order(namespace, device, node)
            _run("ip", "-n", inside, "address", "add", f"{NETWORK}.{node + 1}/24", "dev", "eth0")
        state = {"nodes": nodes, "rate": rate, "topology": topology}
        write_text(STATE / "cluster.json", json.dumps(state))
    except BaseException:
        down()
        raise


def _claim() -> None:
    """Makes the cluster's folder, which one process can do: no other may take down what that one makes."""
    with suppress(FileExistsError):
        if not _namespaces():
            STATE.mkdir(mode=0o700)
            return
    raise CommandError("a cluster is up already; `weft lab down` takes it down")


def down() -> None:
    """Takes everything away: processes, namespaces, files. Does nothing where there is nothing."""
    _require_root()
    for name in _namespaces():
        for signum in (signal.SIGTERM, signal.SIGKILL):
            for process in _quietly("ip", "netns", "pids", name).split():
                with suppress(ProcessLookupError):
                    os.kill(int(process), signum)
            if _quietly("ip", "netns", "pids", name).strip():
                time.sleep(0.2)
        _quietly("ip", "netns", "delete", name)
    shutil.rmtree(STATE, ignore_errors=True)


@contextmanager
def cluster(nodes: int, rate: str, topology: str = "switch", nodes_per_segment: int = 2) -> Iterator[None]:
    """A cluster for as long as the block runs, however it ends: with an error, with SIGTERM, or killed."""

    def ended(signum: int, frame: Any) -> None:
        raise SystemExit(128 + signum)

    before = signal.signal(signal.SIGTERM, ended)
    # Nobody cleans up after SIGKILL but a process that sees its input end because we are gone.
    heir = "import sys; from weft.lab import emulate; sys.stdin.read(); emulate.down()"
    try:
        up(nodes, rate, topology, nodes_per_segment)  # which takes nothing down if another cluster is up
        try:
            with subprocess.Popen(
                [sys.executable, "-c", heir], stdin=subprocess.PIPE, start_new_session=True
            ) as process:
                try:
                    yield
                finally:
                    process.kill()
        finally:
            down()
    finally:
        signal.signal(signal.SIGTERM, before)


def libraries() -> tuple[str, str]:
    """MPI libraries whose jobs start here, weft's own first."""
    return ("openmpi", "mpich") if launch.is_open_mpi() else ("mpich", "openmpi")


def command(
    ranks: int, words: list[str], nodes: range | None = None, flags: Sequence[str] = (), mpi: str | None = None
) -> list[str]:
    """What starts `words` on `ranks` ranks of the cluster that is up, nodes (all, or these) filled evenly; `flags` of
    mpiexec may say which rank goes where. `mpi` is the library of a program that was not built with weft's own."""
    _require_root()
    own = libraries()[0]
    mpi = mpi or own
    if mpi not in libraries():
        raise CommandError(f"--mpi is '{mpi}'; allowed are {', '.join(libraries())}")
    mpiexec = launch.mpiexec() if mpi == own else [shutil.which(f"mpiexec.{mpi}") or ""]
    if not mpiexec[0]:
        raise CommandError(f"--mpi is '{mpi}', whose mpiexec.{mpi} was not found")
    path = STATE / "cluster.json"
    if not path.is_file():
        raise CommandError("no cluster is up; `weft lab up --nodes 4 --rate 100mbit` makes one")
    nodes = nodes or range(read_json(path)["nodes"])
    if ranks < 1:
        raise CommandError(f"-n is {ranks}; it must be at least 1")
    each = {node: ranks // len(nodes) + (i < ranks % len(nodes)) for i, node in enumerate(nodes)}
    hosts = ",".join(f"node{node}:{number}" for node, number in each.items() if number > 0)
    agent = str(STATE / "agent")
    if mpi == "openmpi":
        subnet = f"{NETWORK}.0/24"
        settings = {
            "plm_rsh_agent": agent,
            "pml": "ob1",
            "btl": "self,vader,tcp",
            "btl_tcp_if_include": subnet,
            "oob_tcp_if_include": subnet,
            "hwloc_base_binding_policy": "none",
            "mpi_yield_when_idle": "1",
        }
        cluster_flags = [word for name, value in settings.items() for word in ("--mca", name, value)]
        cluster_flags += ["--allow-run-as-root", "--host", hosts]
    else:
        cluster_flags = ["-launcher", "rsh", "-launcher-exec", agent, "-iface", "eth0", "-hosts", hosts]
    # mpiexec runs on the first of them: it, too, sees the cluster only.
    job = [*mpiexec, *cluster_flags, *flags, "-n", str(ranks), *words]
    return [agent, f"node{nodes[0]}", shlex.join(job)]


def environment(mpi: str | None = None) -> dict[str, str]:
    variables = dict(os.environ)
    if (mpi or libraries()[0]) == "mpich":
        variables |= {"UCX_TLS": "tcp,sm,self", "UCX_NET_DEVICES": "eth0"}
    return variables


def _switch(nodes: int, bits: float) -> None:
    """A port of full rate for each node, each way."""
    _bridge("switch")
    for node in range(nodes):
        _wires("ip", "link", "set", f"p{node}", "master", "switch")
        _limit(bits, WIRES, f"p{node}")
        _limit(bits, f"{PREFIX}node{node}", "eth0")


def _segments(nodes: int, bits: float, each: int) -> None:
    """Nodes on wires that carry one frame at a time; a switch joins the wires if there are several.

    A bridge hands what its nodes send to the wire only (they are isolated from each other), where it is turned back and
    handed to all of them: so every frame, whoever it is for, crosses the one interface that has the limit."""
    segments = -(-nodes // each)
    if segments > 1:
        _bridge("backbone")
    for s in range(segments):
        _bridge(f"seg{s}")
        _bridge(f"wire{s}")
        _wires("ip", "link", "add", f"up{s}", "type", "veth", "peer", f"turn{s}")
        for port, bridge in ((f"up{s}", f"seg{s}"), (f"turn{s}", f"wire{s}")):
            _wires("ip", "link", "set", port, "gso_max_segs", "1", "master", bridge, "up")
            _wires("bridge", "link", "set", "dev", port, "learning", "off", "flood", "on")
        _wires("bridge", "link", "set", "dev", f"turn{s}", "hairpin", "on")
        _limit(bits, WIRES, f"turn{s}")
        if segments > 1:
            _wires("ip", "link", "add", f"out{s}", "type", "veth", "peer", f"in{s}")
            _wires("ip", "link", "set", f"out{s}", "master", f"wire{s}", "up")
            _wires("bridge", "link", "set", "dev", f"out{s}", "learning", "off", "flood", "on")
            _wires("ip", "link", "set", f"in{s}", "master", "backbone", "up")
        for node in range(s * each, min((s + 1) * each, nodes)):
            _wires("ip", "link", "set", f"p{node}", "master", f"seg{s}")
            _wires("bridge", "link", "set", "dev", f"p{node}", "isolated", "on", "learning", "off", "flood", "on")


def _bridge(name: str) -> None:
    _wires("ip", "link", "add", name, "type", "bridge", "stp_state", "0", "mcast_snooping", "0")
    _wires("ip", "link", "set", name, "up")


def _limit(bits: float, namespace: str, device: str) -> None:
    if bits == math.inf:
        return
    burst = max(3000, int(bits / 8 * 1.28e-3))
    rate = ("rate", f"{bits:.0f}bit", "burst", str(burst), "limit", str(max(262144, int(bits / 8 * 8e-3))))
    _run("tc", "-n", namespace, "qdisc", "add", "dev", device, "root", "tbf", *rate)


def _frames_together(bits: float) -> str:
    """Frames that the kernel handles as one: what a wire carries in 0.1 ms. One by one it handles some 80000 a second on two processors, and
    nodes of 1 Gbit/s would have a fifth of it."""
    return str(max(1, min(64, int(min(bits, 1e10) * 1e-4 / 8 / 1500))))


def _in_order(namespace: str, device: str, node: int) -> None:
    """Wires do not change the order of frames, which TCP takes for loss; two processors at the end of one would. (Where the kernel cannot
    choose the processor, nothing is changed.)"""
    mask = 1 << node % (os.cpu_count() or 1)
    words = (
        f"for queue in /sys/class/net/{device}/queues/rx-*/rps_cpus; do echo {mask:x} > $queue; done 2>/dev/null || :"
    )
    _run("ip", "netns", "exec", namespace, "sh", "-c", words)


def _namespace(name: str) -> None:
    _run("ip", "netns", "add", name)
    _run("ip", "netns", "exec", name, "sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6")
    _run("ip", "-n", name, "link", "set", "lo", "up")


def _write_agent() -> None:
    """What stands in for ssh: AGENT [OPTION]... NODE COMMAND... A node has a host name, addresses of its neighbours and
    shared memory of its own, or MPI libraries see one machine and go past the network."""
    agent = STATE / "agent"
    write_text(
        agent,
        f"""#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
node=$1
shift
exec ip netns exec {PREFIX}"$node" unshare --uts --mount --ipc --propagation private sh -c '
hostname "$0"
mount --bind {STATE}/hosts /etc/hosts
mount -t tmpfs tmpfs /dev/shm
exec sh -c "$*"' "$node" "$@"
""",
    )
    agent.chmod(0o700)


def _bits(rate: str) -> float:
    if rate == UNLIMITED:
        return math.inf
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(k|m|g)bit", rate)
    if not found or float(found.group(1)) <= 0:
        raise CommandError(f"--rate is '{rate}'; allowed are rates like 10mbit or 1gbit, and {UNLIMITED}")
    return float(found.group(1)) * {"k": 1e3, "m": 1e6, "g": 1e9}[found.group(2)]


def _require_root() -> None:
    if os.geteuid() != 0:
        raise CommandError("an emulated cluster needs root, for its network namespaces (weft lab run needs none)")
    for program in ("ip", "tc", "bridge", "unshare"):
        if shutil.which(program) is None:
            raise CommandError(f"the program {program} was not found; install iproute2 and util-linux")


def _namespaces() -> list[str]:
    names = [line.split()[0] for line in _quietly("ip", "netns", "list").splitlines() if line.strip()]
    return [name for name in names if name.startswith(PREFIX)]


def _wires(program: str, *words: str) -> None:
    _run(program, "-n", WIRES, *words)


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CommandError(f"{shlex.join(words)}: {done.stderr.strip() or done.returncode}")


def _quietly(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout
