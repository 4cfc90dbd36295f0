"""Running a program of ours on a simulated machine: what smpirun needs, and the program's own JSON report."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import weft

from .. import model
from .._inputs import read_json
from .._outputs import write_text
from ..cli.output import CommandError
from .machines import Machine

#: weft-bench's words for one execution, and nothing beside it.
ONCE = ("--repeats", 1, "--warmup", 0, "--no-limits", "--check", "false")

#: Time passes only where it is charged (see src/base/simulation.hpp) and in messages. The collectives that Weft uses to
#: set itself up are quick ones; its exchanges are named in `collectives`.
_FIXED = (
    "smpi/simulate-computation:no",
    "smpi/grow-injected-times:no",
    "smpi/test:1e-9",
    "smpi/iprobe:1e-9",
    "smpi/wtime:0",
    "smpi/init:0",
    "smpi/coll-selector:mpich",
    "smpi/bcast:binomial_tree",
    "smpi/allreduce:rdb",
    "smpi/alltoallv:ring",
    "network/crosstraffic:0",
)


def build_folder() -> Path:
    """Where the preset smpi was built: $WEFT_LAB_BUILD, or beside the build that this package is of."""
    given = os.environ.get("WEFT_LAB_BUILD")
    folder = Path(given) if given else Path(weft.__file__).parents[2].parent / "smpi"
    if not (folder / "lib" / "weft-lab-platform.so").is_file() or shutil.which("smpirun") is None:
        raise CommandError(
            f"the programs for simulated machines are not in '{folder}': `./run build smpi` in a checkout builds them "
            "(WEFT_LAB_BUILD names another folder)"
        )
    return folder


def platform_of(machine: Machine) -> Machine:
    """What the simulation knows of a machine: the model's figures, and the tables that are for the simulation alone. Not what is
    only said, so that a better text runs nothing again."""
    figures = model.machine_of(machine, machine["name"]).figures
    top, network, node = figures.pop(""), figures["network"], figures["node"]
    figures |= {key: top[key] for key in ("nodes", "cores", "flops", "memory_bandwidth", "core_bandwidth")}
    # JSON has no infinity, and no message is faster than memory.
    network["copy_bandwidth"] = min(network["copy_bandwidth"], sys.float_info.max)
    node["bandwidth"] = min(node["bandwidth"], top["memory_bandwidth"])
    return {**figures, **{table: machine[table] for table in ("topology", "rates") if table in machine}}


def padded_block(shape: tuple[int, int, int], ranks: int, **options: Any) -> float:
    """Of the strategy padded: bytes for each pair of ranks in the exchange that moves most, by which MPI chooses its algorithm."""
    plan = weft.plan(shape, ranks, strategy="padded", **options)
    route = json.loads(plan.json())["forward"]
    exchanges = [stage for stage in route["stages"] if stage["stage"] == "exchange" and stage["messages"] > 0]
    most = max(exchanges, key=lambda stage: stage["bytes"], default={"bytes": 0, "messages": 1})
    return float(most["bytes"] / most["messages"])


class Simulator:
    """Runs programs on simulated machines. Results are the same on every run, so they are kept in `cache`."""

    def __init__(self, cache: Path | None = None, timeout: float = 3600, say: Any = None) -> None:
        self._build = build_folder()
        self._cache = cache
        self._timeout = timeout
        self._say = say or (lambda text: None)
        self._hashes: dict[str, str] = {}
        if cache is not None:
            cache.mkdir(parents=True, exist_ok=True)

    def run(
        self,
        machine: Machine,
        ranks: int,
        program: str,
        *arguments: Any,
        ranks_per_node: int | None = None,
        mapping: Sequence[int] | None = None,
        block_bytes: float | None = None,
        collectives: dict[str, str] | None = None,
        data: bool = True,
        privatized: bool = False,
    ) -> dict[str, Any]:
        """The JSON report of `program` on `ranks` ranks, nodes filled one after the other; or each on its node of `mapping`.

        `block_bytes`: of a pair in MPI_Alltoall, which stores and forwards below the machine's limit. Without `data`
        no pass computes, and nothing is verified. `privatized`: every rank has global variables of its own, which what others
        wrote may need, such as FFTW-MPI's planner."""
        each = ranks_per_node or machine["cores"]
        if mapping is None:
            mapping = [rank // each for rank in range(ranks)]
        nodes = max(mapping) + 1
        if nodes > machine["nodes"]:
            raise CommandError(
                f"{ranks} ranks at {each} a node need {nodes} nodes; {machine['name']} has {machine['nodes']}"
            )
        platform = platform_of(machine)
        if "topology" not in platform:  # switches that are joined are all there, whichever nodes are used
            platform["nodes"] = nodes
        eager, limit = (platform["mpi"][name] for name in ("eager", "alltoall_short"))
        # Up to which size a message does not wait for its receiver.
        flags = [*_FIXED, f"smpi/async-small-thresh:{eager}", f"smpi/send-is-detached-thresh:{eager}"]
        short = block_bytes is not None and block_bytes <= limit
        chosen = {"alltoall": "bruck" if short else "ring", **(collectives or {})}
        flags += [f"smpi/{name}:{algorithm}" for name, algorithm in chosen.items()]
        words = [str(word) for word in arguments]
        key = json.dumps([platform, list(mapping), program, words, flags, data, self._hash(program)], sort_keys=True)
        kept = self._cache / (hashlib.sha256(key.encode()).hexdigest()[:24] + ".json") if self._cache else None
        if kept is not None and kept.is_file():
            return dict(read_json(kept))
        self._say(f"{machine['name']}: {program} on {ranks} ranks, {' '.join(words)}")
        flags.append(f"smpi/privatization:{'dlopen' if privatized else 'no'}")
        report = self._smpirun(platform, mapping, program, words, flags, data)
        if kept is not None:
            write_text(kept, json.dumps(report))
        return report

    def has(self, program: str) -> bool:
        """Whether `program` was built: not everything is that others wrote."""
        return (self._build / "bin" / program).is_file()

    def slabs(self, machine: Machine, ranks: int, n: int, *words: Any, data: bool = True) -> dict[str, Any]:
        """weft-bench's report of one execution of n^3 points in slabs, the spectrum left transposed."""
        words = ("--shape", n, n, n, *ONCE, "--transposed", "--decomposition", "slab", *words)
        return self.run(machine, ranks, "weft-bench", *words, data=data)

    def _hash(self, program: str) -> str:
        """Of what results depend on beside their parameters."""
        if program not in self._hashes:
            digest = hashlib.sha256()
            for path in (self._build / "bin" / program, self._build / "lib" / "weft-lab-platform.so"):
                if not path.is_file():
                    raise CommandError(f"'{path}' is not there; `./run build smpi` builds it")
                digest.update(path.read_bytes())
            self._hashes[program] = digest.hexdigest()
        return self._hashes[program]

    def _smpirun(
        self, platform: Machine, mapping: Sequence[int], program: str, words: list[str], flags: list[str], data: bool
    ) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="weft-lab-") as name:
            folder = Path(name)
            (folder / "machine.json").write_text(json.dumps(platform), encoding="utf-8")
            (folder / "hosts").write_text("".join(f"n{node}\n" for node in mapping))
            command = ["smpirun", "-np", str(len(mapping)), "-hostfile", str(folder / "hosts")]
            command += ["-platform", str(self._build / "lib" / "weft-lab-platform.so")]
            command += ["--log=root.thres:warning", "--log=smpi_mpi.thres:error", *(f"--cfg={flag}" for flag in flags)]
            command += [str(self._build / "bin" / program), *words, "--json", str(folder / "report.json")]
            environment = {**os.environ, "WEFT_LAB_MACHINE": str(folder / "machine.json")}
            if not data:
                environment["WEFT_LAB_DATA"] = "none"
            try:
                done = subprocess.run(
                    command,
                    env=environment,
                    cwd=folder,
                    timeout=self._timeout,
                    capture_output=True,
                    text=True,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise CommandError(
                    f"the simulation took longer than {self._timeout:.0f} s: {' '.join(command)}"
                ) from None
            report = folder / "report.json"
            if done.returncode != 0 or not report.is_file():
                lines = [line for line in (done.stdout + done.stderr).splitlines() if "did not return 0" not in line]
                tail = "\n".join(lines[-15:])
                raise CommandError(f"the simulation failed: {' '.join([program, *words])}\n{tail}")
            return dict(read_json(report))
