"""The machine, its libraries and how busy it is. No names of hosts, users or folders: reports are published."""

from __future__ import annotations

import os
import platform
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # importing it makes a process part of an MPI job, which the launcher is not
    from mpi4py import MPI


def load() -> list[float]:
    """Load averages over 1, 5 and 15 minutes."""
    return [round(value, 2) for value in os.getloadavg()]


def describe() -> dict[str, Any]:
    return {
        "processor": _value("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "processor_family": _value("/proc/cpuinfo", "cpu family"),
        "logical_cpus": os.cpu_count(),
        "caches": _caches(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "huge_pages": _huge_pages(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def mpi_library() -> str:
    """``Open MPI v4.1.4``"""
    from mpi4py import MPI

    text = re.split(r", package:|\n", MPI.Get_library_version().replace("\0", ""))[0]
    return " ".join(text.replace("Version:", "").split())


def available_memory() -> int:
    """Bytes that programs could still take."""
    text = _value("/proc/meminfo", "MemAvailable")
    return int(text.split()[0]) * 1024 if text else os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@dataclass
class Usage:
    """Processor time since its making: of all processes of the machine, and of this one."""

    wall: float
    everybody: float
    mine: float

    @staticmethod
    def now() -> Usage:
        try:
            ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        except (OSError, ValueError):
            ticks = [0] * 8
        # user, nice, system, idle, iowait, irq, softirq, steal: everything but idleness. Stolen time is somebody's too.
        busy = sum(ticks) - ticks[3] - ticks[4]
        return Usage(time.perf_counter(), busy / os.sysconf("SC_CLK_TCK"), time.process_time())

    def others(self, comm: MPI.Intracomm) -> float:
        """Share of the machine's processors that others than this job's ranks have used since. Collective."""
        then = Usage.now()
        ours = float(comm.allreduce(then.mine - self.mine))
        share = (then.everybody - self.everybody - ours) / (then.wall - self.wall) / (os.cpu_count() or 1)
        return round(max(0.0, share), 4)


def _value(path: str, name: str) -> str:
    try:
        found = re.search(rf"^{name}\s*:\s*(.*)$", Path(path).read_text(), re.MULTILINE)
    except OSError:
        return ""
    return found.group(1).strip() if found else ""


def _caches() -> dict[str, str]:
    """Size of each cache that the first processor sees, e.g. {"L2": "1024K"}."""
    found = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:
            continue
        if kind != "Instruction":
            found[f"L{level}"] = size
    return found


def _huge_pages() -> str:
    try:
        found = re.search(r"\[(\w+)\]", Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text())
    except OSError:
        return ""
    return found.group(1) if found else ""
