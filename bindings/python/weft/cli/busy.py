"""Who else uses the processors: what is timed while others work is worth nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Usage:
    """Processor time so far: of all processes of the machine, what the hypervisor took, and of this process."""

    wall: float
    everybody: float
    stolen: float
    mine: float

    @staticmethod
    def now(stat: Path = Path("/proc/stat")) -> Usage:
        """Zeroes where the system does not tell."""
        try:
            ticks = [int(word) for word in stat.read_text().split("\n", 1)[0].split()[1:9]]
        except (OSError, ValueError):
            ticks = [0] * 8
        # user, nice, system, idle, iowait, irq, softirq, steal: everything but idleness.
        second, stolen = os.sysconf("SC_CLK_TCK"), ticks[7]
        everybody = sum(ticks) - sum(ticks[3:5]) - stolen
        return Usage(time.perf_counter(), everybody / second, stolen / second, time.process_time())

    def since(self, ours: float, now: Usage) -> dict[str, float]:
        """Shares of the machine's processors that others have used since, and that the hypervisor has taken; `ours` are
        the processor seconds of what is measured."""
        whole = (now.wall - self.wall) * (os.cpu_count() or 1)
        shares = {"others": now.everybody - self.everybody - ours, "stolen": now.stolen - self.stolen}
        return {name: round(max(0.0, seconds) / whole, 4) for name, seconds in shares.items()}


def look(seconds: float = 1.0) -> dict[str, float]:
    """What others use while this process does nothing."""
    before = Usage.now()
    time.sleep(seconds)
    now = Usage.now()
    return before.since(now.mine - before.mine, now)


def busy_text(shares: Mapping[str, float]) -> str:
    """In words."""
    return (
        f"other processes used {shares['others']:.0%} of the processors, and the hypervisor took {shares['stolen']:.0%}"
    )
