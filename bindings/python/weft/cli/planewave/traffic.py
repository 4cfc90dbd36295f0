"""What the plan of a sphere's transform says of lines, messages and bytes, of all ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from .tables import figures

DIRECTIONS = ("backward", "forward")


def traffic(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Lines of a band that are transformed, and messages and bytes of a band, from ``SphereFFT.plan.as_dict()``."""
    lines = [{name: item[name] for name in ("axis", "lines", "full_box")} for item in plan["lines"]]
    return {
        "lines": lines,
        "lines_part": sum(item["lines"] for item in lines) / sum(item["full_box"] for item in lines),
        "full_box_bytes_per_band": plan["bytes_of_full_box_per_band"],
        "sphere_bytes_per_band": plan["bytes_exchanged_per_band"],
        **{direction: _sent(plan[direction], plan["howmany"]) for direction in DIRECTIONS},
    }


def _sent(direction: Mapping[str, Any], bands: int) -> dict[str, float]:
    """Of one band, where `bands` travel in one call. What stays on its rank is no message, and not among the bytes."""
    return {
        "messages_per_band": direction["messages_all"] / bands,
        "messages_with_data_per_band": direction["messages_all_with_data"] / bands,
        "bytes_per_band": direction["bytes_all"] / bands,
        "network_messages_per_band": direction["messages_network"] / bands,
        "network_bytes_per_band": direction["bytes_network"] / bands,
    }


def line_table(found: dict[str, Any]) -> Table:
    """Lines transformed against those of the full box."""
    table = figures("lines of a band", "in the full box", "part")
    for item in found["lines"]:
        table.add_row(f"along {item['axis']}", *_parts(item["lines"], item["full_box"]))
    whole = sum(item["full_box"] for item in found["lines"])
    table.add_row("together", *_parts(sum(item["lines"] for item in found["lines"]), whole))
    return table


def message_table(found: dict[str, Any]) -> Table:
    """What ranks send to one another."""
    table = figures("messages a band", "kB a band", "kB between nodes")
    for direction in DIRECTIONS:
        item = found[direction]
        table.add_row(
            direction,
            f"{item['messages_per_band']:.4g}",
            f"{item['bytes_per_band'] / 1e3:.6g}",
            f"{item['network_bytes_per_band'] / 1e3:.6g}",
        )
    return table


def _parts(some: int, whole: int) -> tuple[str, str, str]:
    return str(some), str(whole), f"{some / whole:.1%}"
