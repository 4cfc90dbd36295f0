"""The machine, its libraries and how busy it is. No names of hosts, users or folders: reports are published."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.cli.busy import Usage

if TYPE_CHECKING:  # importing it makes a process part of an MPI job, which the launcher is not
    from mpi4py import MPI


def load() -> list[float]:
    """Load averages over 1, 5 and 15 minutes."""
    return [round(value, 2) for value in os.getloadavg()]


def describe() -> dict[str, Any]:
    facts = {
        "processor": _value("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "vendor": _value("/proc/cpuinfo", "vendor_id"),
        "family": _number("/proc/cpuinfo", "cpu family"),
        "model": _number("/proc/cpuinfo", "model"),
        "stepping": _number("/proc/cpuinfo", "stepping"),
    }
    return {
        **facts,
        "slug": slug(facts),
        "logical_cpus": os.cpu_count(),
        "caches": _caches(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "huge_pages": _huge_pages(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def slug(facts: Mapping[str, Any]) -> str:
    """A folder's name for a processor: ``amd-epyc-7763``. Where its name says nothing, as virtual machines have it
    ("Intel(R) Xeon(R) Processor"), what family and model tell: ``intel-sapphire-rapids``."""
    vendor = {"GenuineIntel": "intel", "AuthenticAMD": "amd"}.get(facts["vendor"], "")
    words = re.sub(r"\((r|tm)\)|@.*|\bwith\b.*", " ", facts["processor"].lower())
    words = re.sub(r"\b(cpu|processor|virtual|\d+-core|\d+th gen)\b", " ", words)
    name = re.sub(r"[^a-z0-9]+", "-", words).strip("-")
    if not vendor or re.search(r"\d", name):
        return name or "unknown"
    kind = microarchitecture(vendor, *(facts[item] for item in ("family", "model", "stepping")))
    return f"{vendor}-{kind or 'family-{family}-model-{model}'.format(**facts)}"


def microarchitecture(vendor: str, family: int, model: int, stepping: int) -> str:
    """The words for a family and model of those that servers have; empty for others."""
    if vendor == "amd":
        # From these models on, by family.
        known = {
            23: ((0, "zen"), (49, "zen2")),
            25: ((0, "zen3"), (16, "zen4"), (32, "zen3"), (96, "zen4")),
            26: ((0, "zen5"),),
        }
        return max((item for item in known.get(family, ()) if item[0] <= model), default=(0, ""))[1]
    if (vendor, family, model) == ("intel", 6, 85):
        return "skylake-sp" if stepping < 5 else "cascade-lake" if stepping < 10 else "cooper-lake"
    intel = {63: "haswell", 79: "broadwell", 106: "ice-lake", 108: "ice-lake", 143: "sapphire-rapids"}
    intel |= {207: "emerald-rapids", 173: "granite-rapids", 174: "granite-rapids", 175: "sierra-forest"}
    return intel.get(model, "") if family == 6 else ""


def mpi_library() -> str:
    """``Open MPI v4.1.4``"""
    from mpi4py import MPI

    text = re.split(r", package:|\n", MPI.Get_library_version().replace("\0", ""))[0]
    return " ".join(text.replace("Version:", "").split())


def available_memory() -> int:
    """Bytes that programs could still take."""
    text = _value("/proc/meminfo", "MemAvailable")
    return int(text.split()[0]) * 1024 if text else os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


#: From this share of the machine's processors on, what others use makes a race worthless.
BUSY = 0.05


def of_job(comm: MPI.Intracomm, before: Usage) -> dict[str, float]:
    """The shares since then of all that are no ranks of this job. Collective."""
    now = Usage.now()
    return before.since(float(comm.allreduce(now.mine - before.mine)), now)


def is_quiet(shares: Mapping[str, float]) -> bool:
    return sum(shares.values()) < BUSY


def _value(path: str, name: str) -> str:
    try:
        found = re.search(rf"^{name}\s*:\s*(.*)$", Path(path).read_text(), re.MULTILINE)
    except OSError:
        return ""
    return found.group(1).strip() if found else ""


def _number(path: str, name: str) -> int:
    text = _value(path, name)
    return int(text) if text.isdigit() else 0


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
