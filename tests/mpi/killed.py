"""Kills a rank (kill -9) at actions of the schedule, one job each, and expects that the job ends with a message, and
soon, and that nothing of it is left: no process, no file, nothing in /dev/shm.

killed.py PROGRAM all|sample MPIEXEC WORD...    at all actions of all strategies, or at one of each; three ranks

The sample is that of WEFT_TEST_SEED, or another one each day.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

RANKS = 3
#: Seconds until a job must have ended: the watchdog's 5, its 10 at most to abort, and those of a busy machine.
LIMIT = 60
SHM = Path("/dev/shm")
#: What MPICH 5 and LLVM's OpenMP leave of their own, whatever program a killed rank was of.
OTHERS = ("mpich_shm_", "__KMP_REGISTERED_LIB_")


def enter_namespace() -> bool:
    """Go on with a /dev/shm that is nobody else's, where the system allows it: then all that is left there is ours."""
    if "WEFT_TEST_OWN_SHM" in os.environ:
        return True
    script = 'mount -t tmpfs -o size=512m tmpfs /dev/shm && WEFT_TEST_OWN_SHM=1 exec "$@"'
    own = ["unshare", "--mount", "--propagation", "private", "sh", "-c"]
    if shutil.which("unshare") and subprocess.run([*own, script, "sh", "true"], capture_output=True).returncode == 0:
        os.execvp(own[0], [*own, script, "sh", sys.executable, *sys.argv])
    return False


def left_in_shm(own: bool) -> list[str]:
    return sorted(p.name for p in SHM.iterdir() if "weft" in p.name or (own and not p.name.startswith(OTHERS)))


def processes_with(mark: str) -> list[str]:
    """Those in whose environment the mark is."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append(f"{process.name} {(process / 'comm').read_text().strip()}")
        except OSError:
            continue  # it has ended, or is not ours
    return found


def gone(look, seconds: float = 10) -> list[str]:
    """What there still is after some seconds at most: launchers end a moment after their job's last words."""
    end = time.monotonic() + seconds
    while (left := look()) and time.monotonic() < end:
        time.sleep(0.05)
    return left


def kill(program: str, launcher: list[str], strategy: str, rank: int, route: int, step: int) -> tuple[float, list[str]]:
    """Seconds until the job ended, and what was wrong."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        work, temporary = Path(folder, "work"), Path(folder, "tmp")
        work.mkdir()
        temporary.mkdir()
        mark = f"WEFT_TEST_MARK={os.path.basename(folder)}"
        environment = {**os.environ, "TMPDIR": str(temporary), "WEFT_TEST_KILL_AT": f"{rank}:{route}:{step}"}
        environment.update([mark.split("=")])
        began = time.monotonic()
        command = [*launcher, str(RANKS), program, strategy]
        job = subprocess.Popen(
            command, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            words, _ = job.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            job.kill()
            words = job.communicate()[0]
            wrong.append(f"it had not ended after {LIMIT} s")
        seconds = time.monotonic() - began
        if job.returncode == 0:
            wrong.append("it ended as if nothing had happened")
        if "killed" not in words.lower() and "signal 9" not in words.lower():
            wrong.append("no message says that a rank was killed")
        if left := gone(lambda: processes_with(mark)):
            wrong.append(f"processes are left: {', '.join(left)}")
        if left := [str(path.relative_to(folder)) for path in Path(folder).rglob("*") if not path.is_dir()]:
            wrong.append(f"files are left: {', '.join(left)}")
    if wrong:
        wrong += words.splitlines()[:20]
    return seconds, wrong


def main() -> int:
    own_shm = enter_namespace()
    program, which, *launcher = sys.argv[1:]
    chance = random.Random(os.environ.get("WEFT_TEST_SEED", time.strftime("%Y%j")))
    before = left_in_shm(own_shm)
    jobs = []
    for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
        strategy, forward, backward = line.split()
        # Step -1 is the agreement on the arguments before.
        places = [(0, step) for step in range(-1, int(forward))] + [(1, step) for step in range(-1, int(backward))]
        if which != "all":
            places = [chance.choice(places)]
        jobs += [(strategy, i % RANKS, *place) for i, place in enumerate(places)]
    # A job takes a tenth of a second of processor time, and much longer, for which launchers wait.
    with ThreadPoolExecutor(4 * (os.cpu_count() or 1)) as pool:
        ends = list(pool.map(lambda job: kill(program, launcher, *job), jobs))
    bad = [(job, wrong) for job, (_, wrong) in zip(jobs, ends, strict=True) if wrong]
    for (strategy, rank, route, step), wrong in bad[:5]:
        print(f"{strategy}, rank {rank} at step {step} of route {route}: " + "\n".join(wrong))
    left = gone(lambda: sorted(set(left_in_shm(own_shm)) - set(before)))
    if left:
        print(f"in /dev/shm are left: {', '.join(left)}")
    longest = max((seconds for seconds, _ in ends), default=0)
    print(
        f"{len(jobs)} ranks killed, {len(jobs) - len(bad)} jobs ended as they should, after {longest:.1f} s at most; "
        + "/dev/shm "
        + ("of their own" if own_shm else "looked through for names with 'weft'")
    )
    return 0 if jobs and not bad and not left else 1


sys.exit(main())
