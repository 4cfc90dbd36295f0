"""Random cases against NumPy: python tests/differential --seed 5 --cases 200 -n 3"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from differential import cases, finding


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/differential", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=100, help="how many (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first of them")
    parser.add_argument("-n", "--ranks", type=int, default=2, help="of the MPI job (default: %(default)s)")
    parser.add_argument("--only", nargs="+", choices=list(cases.SUBJECTS), help="cases of these")
    parser.add_argument("--case", help="one case, as a failure prints it")
    parser.add_argument("--all", action="store_true", help="go on after a case that fails")
    parser.add_argument("--as-it-is", action="store_true", help="do not make cases that fail smaller")
    parser.add_argument("--list", action="store_true", help="print the cases, and run none")
    given = parser.parse_args()
    if given.case:
        chosen = [cases.parsed(given.case)]
    else:
        chosen = cases.drawn(given.seed, given.first + given.cases, given.ranks, given.only)[given.first :]
    if given.list:
        print(*map(cases.text, chosen), sep="\n")
        return 0
    failed = 0
    for fault in finding.all_faults(chosen, given.ranks):
        failed += 1
        smallest = fault if given.as_it_is or given.case else finding.shrunk(fault)
        print(f"case {given.first + fault.number}: {smallest}\n", flush=True)
        if not given.all:
            break
    print(f"{len(chosen)} cases on {given.ranks} ranks" + (f": {failed} failed" if failed else " passed"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
