"""What the machine allows: memory and in-cache transforms measured by weft-bench, for the race to be compared with."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from weft.cli.launch import job_command, program


def measure(case: dict[str, Any], environment: dict[str, str], seconds: float = 300) -> dict[str, Any] | None:
    """The limit of one case of the race, or none where it cannot be had."""
    shape = [str(n) for n in case["shape"]]
    command = [*job_command(case["ranks"], case["threads"]), str(program("weft-bench")), "--shape", *shape]
    command += ["--kind", case["kind"], "--precision", case["precision"], "--batch", str(case["batch"])]
    command += ["--threads", str(case["threads"]), "--transposed", "true", "--effort", "estimate"]
    command += ["--repeats", "1", "--warmup", "0", "--json", "-"]
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
        limit: dict[str, Any] = json.loads(done.stdout)["limit"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return None
    limit.pop("ratio", None)  # of a transform that was not tuned
    return limit
