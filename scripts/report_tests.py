"""What ./run test ran, from the files that its runners left: report_tests.py FOLDER SECONDS [FAILED...]"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

SLOWEST = 10
#: Of what a failed test has said: the last lines, and those before them that tell of a failure. Of so many tests.
LAST_LINES, TELLING_LINES, SAID_OF = 15, 15, 5
TELLING = re.compile(r"FAILED|Failure|[Ee]rror:|ERROR|SUMMARY|Signal|guard:|watchdog:|^E  ")


class Test(NamedTuple):
    name: str
    seconds: float
    state: str  # passed, failed, skipped
    why: str  # of one that was skipped
    said: str = ""  # of one that failed


def state_of(case: ElementTree.Element) -> tuple[str, str]:
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed", ""
    skipped = case.find("skipped")
    if skipped is not None or case.get("status") in ("disabled", "notrun"):
        why = "" if skipped is None else " ".join((skipped.get("message") or "").split())
        # A program that ctest runs says it itself.
        if said := re.search(r"^skipped: (.*)$", case.findtext("system-out") or "", re.MULTILINE):
            why = said[1]
        return "skipped", re.sub(r"^\S+:\d+:? ?", "", why)  # without the place in the source
    return "passed", ""


def said_by(case: ElementTree.Element) -> str:
    parts = [case.findtext("system-out") or ""]
    for kind in ("failure", "error"):
        found = case.find(kind)
        parts.append("" if found is None else found.text or "")
    lines = [line for line in "\n".join(parts).splitlines() if line.strip()]
    telling = [line for line in lines[:-LAST_LINES] if TELLING.search(line)]
    return "\n".join([*telling[:TELLING_LINES], *lines[-LAST_LINES:]])


def tests_of(path: Path) -> list[Test]:
    tests = []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.get("result") == "suppressed":
            continue  # GoogleTest's word for tests that a filter leaves out
        group = case.get("classname") or ""
        name = case.get("name") or ""
        label = (
            f"{group.split('.')[-1]}::{name}" if "pytest" in path.name else f"{group}.{name}" if group != name else name
        )
        state, why = state_of(case)
        said = said_by(case) if state == "failed" else ""
        tests.append(Test(label, float(case.get("time") or 0), state, why, said))
    return tests


def minutes(seconds: int) -> str:
    return f"{seconds // 60} min {seconds % 60:02} s"


def main(folder: Path, seconds: int, failed_parts: list[str]) -> int:
    counts: dict[str, int] = defaultdict(int)
    slowest: list[tuple[float, str]] = []
    failed: list[tuple[str, str]] = []  # and what they said
    skipped: dict[str, int] = defaultdict(int)
    print()
    for path in sorted(folder.glob("*.xml")):
        part, runner = path.stem.rsplit("-", 1)
        tests = tests_of(path)
        # A job of many tests is one for ctest: what is in it is counted beside it.
        inside = [test for inner in sorted((folder / f"{part}-gtest").glob("*.xml")) for test in tests_of(inner)]
        shown = [*tests, *inside] if runner == "ctest" else tests
        here: dict[str, int] = defaultdict(int)
        for test in shown:
            here[test.state] += 1
            counts[test.state] += 1
            slowest.append((test.seconds, f"{part}: {test.name}"))
            if test.state == "failed":
                failed.append((f"{part}: {test.name}", test.said))
            if test.state == "skipped":
                skipped[test.why or "no reason given"] += 1
        time = sum(test.seconds for test in tests)
        print(
            f"{part + ' ' + runner:16} {here['passed']:5} passed {here['failed']:4} failed {here['skipped']:4} skipped {time:7.0f} s of tests"
        )
    parts = [line.split() for line in (folder / "parts").read_text().splitlines()]
    print("\nwith what had to be built: " + ", ".join(f"{part} {minutes(int(time))}" for part, time in parts))
    print("\nthe slowest:")
    for time, name in sorted(slowest, reverse=True)[:SLOWEST]:
        print(f"  {time:7.1f} s  {name}")
    left_out = folder / "left_out"
    if skipped or left_out.exists():
        print("\nleft out:")
        for line in left_out.read_text().splitlines() if left_out.exists() else []:
            print(f"  {line}")
        for why, number in sorted(skipped.items(), key=lambda item: -item[1]):
            print(f"  {number:5} x {why}")
    for name, said in failed[:SAID_OF]:
        print(f"\n{name} said:")
        for line in said.splitlines():
            print(f"  {line}")
    if failed or failed_parts:
        print("\nfailed:")
        for name in [*failed_parts, *(name for name, _ in failed)]:
            print(f"  {name}")
    print(f"\nin {minutes(seconds)}")
    # A runner that broke before it could count its tests (nothing built, a crash) is a failure all the same.
    failures = max(len(failed), len(failed_parts))
    print(f"{counts['passed']} passed, {failures} failed")
    return 1 if failures or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
