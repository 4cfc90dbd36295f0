"""Starting MPI jobs: which mpiexec, which environment, which program, or none of it inside a job that is there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import weft
from weft import _build_config, _core
from weft._arguments import threads_of

from .job import current_job
from .output import TERMINALS, CommandError, terminals

#: Set by batch systems, which know better than we how many processes a node takes.
_BATCH_VARIABLES = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "COBALT_JOBID", "JOB_ID")


def is_open_mpi() -> bool:
    """Whether weft was built with Open MPI."""
    return "Open MPI" in _core.mpi_library()


def mpiexec() -> list[str]:
    """The command that starts MPI jobs: $WEFT_MPIEXEC, or the one that belongs to weft's MPI library."""
    given = os.environ.get("WEFT_MPIEXEC", "")
    if given:
        words = shlex.split(given)
        if not words or shutil.which(words[0]) is None:
            raise CommandError(f"WEFT_MPIEXEC is '{given}'; there is no such program")
        return words
    # A wheel knows of none, but pip may have installed one with the library.
    names = [_build_config.MPIEXEC or str(Path(sys.executable).parent / "mpiexec")]
    names += ["mpiexec.openmpi" if is_open_mpi() else "mpiexec.mpich", "mpiexec"]
    for name in names:
        found = shutil.which(name)
        if found:
            return [found]
    library = _core.mpi_library().splitlines()[0]
    raise CommandError(f"no mpiexec was found (looked for {', '.join(names)}); set WEFT_MPIEXEC to that of {library}")


def job_command(ranks: int, threads: int = 1) -> list[str]:
    """What comes before a command that runs on `ranks` processes, with a core for each of their threads."""
    launcher = mpiexec()
    return [*launcher, *binding(launcher, ranks, threads), "-n", str(ranks)]


def binding(launcher: Sequence[str], ranks: int, threads: int) -> list[str]:
    """What gives each rank a core for each of its threads: Open MPI binds a rank to one core, and srun to as many as a
    task was promised. Nothing for one thread, for launchers that we do not know, and where the user has said it."""
    name = Path(launcher[0]).name
    if threads <= 1 or any("bind" in word or "map-by" in word or "cpus-per" in word for word in launcher[1:]):
        return []
    if name == "srun":
        return [f"--cpus-per-task={threads}"]
    if not name.startswith(("mpiexec", "mpirun", "orterun", "prterun")):
        return []
    # In a batch job the nodes are others than this one.
    crowded = ranks * threads > cores() and not _in_batch_job()
    if is_open_mpi():
        return ["--bind-to", "none"] if crowded else ["--map-by", f"slot:PE={threads}", "--bind-to", "core"]
    return [] if crowded else ["-bind-to", f"core:{threads}"]


def launch_environment(ranks: int) -> dict[str, str]:
    """The environment for mpiexec: what Open MPI wants from root and from more ranks than cores, only when needed."""
    environment = dict(os.environ)
    if is_open_mpi():
        if os.geteuid() == 0:
            environment.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
            environment.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        if ranks > cores() and not _in_batch_job():
            if _open_mpi_major() >= 5:
                environment.setdefault("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
            else:
                environment.setdefault("OMPI_MCA_rmaps_base_oversubscribe", "1")
    environment[TERMINALS] = terminals()
    return environment


def _in_batch_job() -> bool:
    return any(name in os.environ for name in _BATCH_VARIABLES)


def _open_mpi_major() -> int:
    found = re.search(r"Open MPI v(\d+)", _core.mpi_library())
    return int(found.group(1)) if found else 4


def cores() -> int:
    """Physical cores that this process may use: what Open MPI counts as slots."""
    siblings = set()
    processors = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    for processor in processors:
        try:
            path = f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list"
            siblings.add(Path(path).read_text())
        except OSError:
            siblings.add(str(processor))
    return max(1, len(siblings))


def folders(kind: str) -> list[Path]:
    """Where the C++ programs (``bin``) or libraries (``lib``) of this weft are: inside the package in an installation,
    beside it in a build tree."""
    package = Path(weft.__file__).parent
    return [package / kind, package.parent.parent / kind]


def program(name: str) -> Path:
    """One of the C++ programs, or that of PATH."""
    for folder in folders("bin"):
        if os.access(folder / name, os.X_OK):
            return folder / name
    found = shutil.which(name)
    if found:
        return Path(found)
    first, second = folders("bin")
    raise CommandError(
        f"the program {name} was not found in '{first}', '{second}' or PATH; "
        "weft was built without its programs (-DWEFT_BUILD_TOOLS=ON builds them)"
    )


def run(command: list[str], ranks: int | None, threads: int = 1) -> NoReturn:
    """Become `command`, on `ranks` processes of so many threads; as it is inside a job, or alone without a number of
    ranks."""
    environment: dict[str, str] | None = None
    if not stays_here(ranks):
        assert ranks is not None
        _require_possible(ranks)
        environment = launch_environment(ranks)
        command = [*job_command(ranks, threads), *command]
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        # Nothing of this process is of use to the program: replacing it leaves streams, signals and exit code alone.
        os.execvpe(command[0], command, os.environ if environment is None else environment)
    except OSError as error:
        raise CommandError(f"cannot run '{command[0]}': {error.strerror}") from None


#: More processes on each core would take minutes to start, or never do.
_MOST_ON_A_CORE = 128


def _require_possible(ranks: int) -> None:
    """Complain of more processes than a machine can start: launchers try, and do not end."""
    if ranks > _MOST_ON_A_CORE * cores() and not _in_batch_job() and "WEFT_MPIEXEC" not in os.environ:
        raise CommandError(
            f"-n is {ranks}; this machine has {cores()} cores, and at most {_MOST_ON_A_CORE} processes can be started for "
            "each. Start it in a batch job, or name the launcher of a cluster in WEFT_MPIEXEC; `weft explain` and `weft "
            "predict` need no processes"
        )


def run_again(ranks: int | None, options: Mapping[str, str]) -> NoReturn:
    """Become this very command on `ranks` processes; `options` are the library's."""
    run([sys.executable, "-m", "weft", *sys.argv[1:]], ranks, threads_of(options.get("threads")))


def stays_here(ranks: int | None) -> bool:
    """Whether work for `ranks` processes can go on in this one: inside a job of that size, or alone."""
    if ranks is not None and ranks < 1:
        raise CommandError(f"-n is {ranks}; it must be at least 1")
    job = current_job()
    if job is None:
        return ranks is None
    if ranks is not None and job.size is not None and ranks != job.size:
        raise CommandError(f"-n is {ranks}, inside an MPI job of {job.size} processes; leave -n out there")
    return True
