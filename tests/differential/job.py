"""Runs cases on the ranks of one MPI job until one has a fault; `finding.py` starts it.

    mpiexec -n RANKS python -m mpi4py job.py FOLDER LIMIT [FAULT]

FOLDER/cases.txt has the cases, one a line. The job writes there which case it is at (`at`), what each rank says
(`rank-N.txt`) and, where a case has a fault, which kind it is (`fault`). With FAULT it passes over faults of other kinds.
"""

from __future__ import annotations

import faulthandler
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from differential import cases, findings


def main(folder: Path, limit: float, wanted: str) -> None:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    with (folder / f"rank-{comm.rank}.txt").open("w") as said:
        for number, line in enumerate((folder / "cases.txt").read_text().splitlines()):
            if comm.rank == 0:
                (folder / "at").write_text(str(number))
            said.truncate(0)
            said.seek(0)
            faulthandler.dump_traceback_later(limit, exit=True, file=said)
            kind = fault(cases.parsed(line), comm, said)
            # What ranks think may differ: the first of them that complains has the word.
            kinds = comm.allgather(kind)
            faulthandler.cancel_dump_traceback_later()
            kind = next((one for one in kinds if one and one != "senseless"), "")
            if kind and wanted in ("", kind):
                if comm.rank == 0:
                    (folder / "fault").write_text(kind)
                comm.Barrier()
                return
    if comm.rank == 0:
        (folder / "at").write_text("done")


def fault(case: cases.Case, comm, said) -> str:
    """The kind of fault that this rank finds; empty if there is none."""
    found = findings.Findings()
    try:
        cases.subject(case["of"]).check(case, comm, found)
    except findings.Senseless:
        return "senseless"
    except Exception as error:
        said.write("".join(traceback.format_exception(error)))
        said.flush()
        # Numbers in a message change with the case; its first words say what it is about.
        return f"{type(error).__name__} {' '.join(str(error).split()[:3])}"
    said.write("\n".join(found.wrong))
    said.flush()
    return "wrong" if found.wrong else ""


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")
