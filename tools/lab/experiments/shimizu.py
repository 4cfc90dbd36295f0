"""Shimizu 1997: NPB kernel FT on workstations: volume, overlap, faster and segmented networks."""

from __future__ import annotations

from typing import Any

from weft.lab.experiment import Lab, Plot, Result, Table
from weft.lab.machines import varied

TITLE = "NPB kernel FT on a network of workstations: volume, zero copies, overlap, segments"
PAPER = "Shimizu, NPB kernel FT with PVM on SPARCstation-2s, 1997"
WHERE = "tables 5 (volume), 6 (processors), 7 (improvements), 8 (100Base-T), 9 and 10 (segments)"
METHOD = (
    "weft-bench, 128^3 c2c, spectrum left transposed, real data verified; kernel FT is one forward and six inverse transforms, "
    "7/2 of what weft-bench times. original = alltoallv with a copy in the library at both ends; psend/precv = without; overlap "
    "= pairwise, receives posted early, tiles. The kernel's own loops (7 % of its operations) are not charged."
)

N, ITERATIONS = 128, 6
TRANSFORMS = (ITERATIONS + 1) / 2  #: of forward and backward together
MIB = 2**20


def transform(lab: Lab, machine: dict[str, Any], ranks: int, *words: Any) -> dict[str, Any]:
    return lab.simulator.slabs(machine, ranks, N, *words)


def kernel(lab: Lab, machine: dict[str, Any], ranks: int, *words: Any) -> float:
    return TRANSFORMS * transform(lab, machine, ranks, *words)["seconds"]["median"]


DIRECT = ("--strategies", "alltoallv", "--tile", 1)
OVERLAP = ("--strategies", "pairwise", "--tile", 8, "--window", 8)


def run(lab: Lab) -> Result:
    slow = lab.machine("sparc-10base-t")
    fast = lab.machine("sparc-100base-t")
    counts = [2, 8] if lab.quick else [1, 2, 4, 8, 16]
    result = Result(
        {"machines": [slow["name"], fast["name"]], "grid": N, "iterations": ITERATIONS, "processors": counts}
    )
    volume_and_time(lab, slow, result, counts)
    improvements(lab, slow, result)
    networks(lab, slow, fast, result, counts)
    segments(lab, slow, result, [8] if lab.quick else [8, 16])
    result.notes.append(
        "Segments: one is simulated, since nothing crosses the switch: each makes the spectrum and its share of the inverse "
        "transforms by itself."
    )
    result.notes.append(
        "The paper's tables are lost; its percentages are in the text. Collisions on the shared wire are not simulated, so "
        "scheduling who talks when gains nothing on it here (3.7 % in the paper)."
    )
    return result


def volume_and_time(lab: Lab, machine: dict[str, Any], result: Result, counts: list[int]) -> None:
    rows, volume, times = [], {}, {}
    for ranks in counts:
        report = transform(lab, machine, ranks, *DIRECT)
        both = report["traffic"]["forward"]["all_bytes"] + report["traffic"]["backward"]["all_bytes"]
        volume[ranks] = TRANSFORMS * both / MIB
        times[ranks] = TRANSFORMS * report["seconds"]["median"]
        parts = report["parts_seconds"]
        share = 100 * parts["compute"] / parts["total"]
        rows.append([ranks, round(volume[ranks], 1), round(times[ranks], 1), round(share, 1)])
        if ranks == 8:
            result.finds(
                "on 8 processors calculation is a small part (15 %), the rest is communication (79 % idle, 6 % send/receive)",
                share < 25,
                f"calculation {share:.0f} %",
            )
    header = ["processors", "MiB exchanged", "seconds", "calculation %"]
    result.tables.append(Table("Tables 5 and 6: volume and time on 10Base-T", header, rows))
    expected = {8: 196, 16: 210}
    result.finds(
        "the volume is (iterations + 1) 16 N (P - 1)/P: 196 MB on 8 processors, 210 MB on 16",
        all(abs(volume[p] - mb) < 0.5 for p, mb in expected.items() if p in volume),
        ", ".join(f"{p}: {volume[p]:.1f} MiB" for p in expected if p in volume),
    )


def improvements(lab: Lab, machine: dict[str, Any], result: Result) -> None:
    ranks = 8
    copying = varied(machine, network__copy_bandwidth=machine["network"]["copy_bandwidth"] / 2)
    original = kernel(lab, copying, ranks, *DIRECT)
    direct = kernel(lab, machine, ranks, *DIRECT)
    overlap = kernel(lab, machine, ranks, *OVERLAP)
    rows = [
        ["original", round(original, 1), 0.0],
        ["psend/precv: no copy", round(direct, 1), round(100 * (1 - direct / original), 1)],
        ["and overlap", round(overlap, 1), round(100 * (1 - overlap / original), 1)],
    ]
    result.tables.append(Table("Table 7: improvements, 8 processors on 10Base-T", ["", "seconds", "gained %"], rows))
    saved = 100 * (1 - direct / original)
    result.finds(
        "transfers without copies gain about a tenth (10.3 %)",
        5 < saved < 20,
        f"{saved:.1f} %",
        "how fast PVM copied (through its daemons?) is not in the paper; the assumed rate makes a copy cheap beside this wire",
    )
    gain = 100 * (1 - overlap / direct)
    result.finds("overlap gains more on top (14.4 %)", gain > 5, f"{gain:.1f} %")


def networks(lab: Lab, slow: dict[str, Any], fast: dict[str, Any], result: Result, counts: list[int]) -> None:
    several = [p for p in counts if p > 1]
    times = {
        name: {p: kernel(lab, m, p, *OVERLAP) for p in several} for name, m in (("10Base-T", slow), ("100Base-T", fast))
    }
    rows = [[p, *(round(t[p], 1) for t in times.values())] for p in several]
    result.tables.append(Table("Table 8: seconds on a shared wire and on a switch", ["processors", *times], rows))
    series = {name: [(p, t[p]) for p in several] for name, t in times.items()}
    result.plots.append(Plot("Kernel FT, 128^3", "processors", "s", series, log_x=True, log_y=True))
    a, b = times.values()
    most = several[-1]
    result.finds(
        "the 100Base-T switch is much faster than the shared wire, the more so the more processors",
        b[most] < a[most] / 3 and a[most] / b[most] > a[several[0]] / b[several[0]],
        f"{several[0]} to {most} processors: {a[several[0]]:.0f} to {a[most]:.0f} s against {b[several[0]]:.0f} to {b[most]:.0f} s",
    )


def segments(lab: Lab, machine: dict[str, Any], result: Result, sizes: list[int]) -> None:
    numbers = [1, 2, 3, 6]
    rows, series = [], {}
    for size in sizes:
        one = kernel(lab, machine, size, *OVERLAP) / (2 * TRANSFORMS)
        seconds = {s: one * (1 + ITERATIONS / s) for s in numbers}
        rows += [[size, s, round(seconds[s], 1), round(seconds[1] / seconds[s], 2)] for s in numbers]
        series[f"{size} a segment"] = [(s, seconds[1] / seconds[s]) for s in numbers]
    header = ["processors a segment", "segments", "seconds", "times as fast"]
    result.tables.append(Table("Tables 9 and 10: the inverse transforms spread over segments", header, rows))
    result.plots.append(Plot("Speed-up over segments", "segments", "times as fast", series))
    worst = min(y / x for points in series.values() for x, y in points if x <= 3)
    result.finds(
        "almost linear in the number of segments",
        worst > 0.75,
        f"three segments: {min(y for p in series.values() for x, y in p if x == 3):.2f} times as fast, six: "
        f"{min(y for p in series.values() for x, y in p if x == 6):.2f} (the forward transform is not shared out)",
    )
