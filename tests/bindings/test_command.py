"""The weft command: help, JSON, exit codes, launching. (`weft spectrum` has a file of its own.)"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
import typer
from launching import HERE, clean_environment, run, run_on, weft_command, weft_here, weft_launch

import weft
from weft import cli
from weft.cli import job, launch, options
from weft.cli.output import CommandError
from weft.cli.run import LIBRARY, require_same_mpi

pytestmark = pytest.mark.any_mpi

SMALL_BENCH = ["--shape", "8", "6", "5", "--repeats", "2", "--warmup", "0", "--no-limits"]
ONE_CASE = ["--case", "shape=6x5x4,kind=r2c"]


def test_help_lists_the_commands():
    outcome = weft_here("--help")
    assert outcome.code == 0
    for command in ("npb", "bench", "spectrum", "planewave", "explain", "trace", "verify", "run", "info"):
        assert command in outcome.out
    assert "Usage" in weft_here().out + weft_here().err
    assert weft_command("--help").out == outcome.out  # python -m weft


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("npb", ["--ranks", "weft-npb", "--class", "--json"]),
        ("bench", ["--ranks", "weft-bench", "--shape", "--strategy", "--json"]),
        ("kernels", ["--ranks", "weft-kernels", "--lengths", "--kinds", "--json"]),
        ("verify", ["--ranks", "weft-verify", "--json"]),
        ("sort", ["--ranks", "weft-sort", "--json"]),
        ("explain", ["--ranks", "--shape", "--strategy", "--in-place", "--json"]),
        ("spectrum", ["--ranks", "--spacing", "--axis-lengths", "--remove-mean", "--strategy", "--json"]),
        ("trace", ["--ranks", "--shape", "--repeats", "--out", "--strategy", "--json"]),
        (
            "planewave",
            ["--ranks", "--wfc", "--lattice", "--ecut", "--bands", "--gamma", "--grid", "--strategy", "--json"],
        ),
        ("info", ["--json"]),
    ],
)
def test_help_of_each_command(command, words):
    outcome = weft_command(command, "--help")
    assert outcome.code == 0, outcome
    for word in words:
        assert word in outcome.out


@pytest.mark.parametrize(
    ("words", "completed"), [("weft tu", {"tune"}), ("weft tune l", {"list"}), ("weft trace --sha", {"--shape"})]
)
def test_shells_complete_commands_and_options(words, completed):
    outcome = weft_command(_WEFT_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(len(words.split()) - 1))
    assert completed <= set(outcome.out.split())


def test_version():
    for arguments in (["--version"], ["version"]):
        outcome = weft_here(*arguments)
        assert (outcome.code, outcome.out.strip()) == (0, f"weft {weft.__version__}")


def test_info():
    facts = weft_here("info", "--json", "-").json()
    assert facts["version"] == weft.__version__
    assert facts["backends"] == weft.backends()
    # All that --strategy takes.
    assert facts["strategies"] == ["auto", *weft.strategies()]
    assert not set(facts["strategies_not_usable"]) & set(facts["strategies"])
    assert facts["options_apply_to"]["in_place"] == "transform"
    assert facts["options_apply_to"].keys() == {option.name for option in weft.options()}
    assert all(facts["strategies_not_usable"].values())
    assert os.access(facts["mpiexec"], os.X_OK)
    assert all(os.access(path, os.X_OK) for path in facts["programs"].values())
    assert weft.__version__ in weft_here("info").out


def test_explain_is_the_plan(tmp_path):
    words = "explain --shape 8 6 4 --kind r2c -n 4 --rank 2 --batch 3 --tile 2 --node-size 2"
    arguments = words.split()
    plan = weft.plan((8, 6, 4), 4, 2, kind="r2c", batch=3, tile=2, node_size=2)
    told = weft_here(*arguments, "--json", "-").json()
    choice = told.pop("choice")
    assert told == plan.as_dict()
    outcome = weft_here(*arguments, "--json", tmp_path / "plan.json")
    assert outcome.code == 0
    plan_words = plan.explain().split()
    assert outcome.out.split()[: len(plan_words)] == plan_words
    assert json.loads((tmp_path / "plan.json").read_text()).keys() == {*told, "choice"}
    # Why: this plan among its rivals, the fastest of which is named.
    assert [one["plan"] for one in choice["plans"]] == ["this plan", "the best", "runner-up"]
    this, best, second = (one["predicted"] for one in choice["plans"])
    assert best < second
    assert best < this
    assert 1 < choice["place"] <= choice["priced"] + 1
    assert "runner-up" in outcome.out
    assert "times as long as the best" in outcome.out
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


def test_explain_takes_what_bench_takes():
    short = weft_here("explain", "--shape", "8x6x4", "--transposed", "--in-place", "--json", "-").json()
    long = weft_here("explain", "--shape", 8, 6, 4, "--transposed", "true", "--in-place", "on", "--json", "-").json()
    assert short == long
    del short["choice"]
    assert short == weft.plan((8, 6, 4), transposed=True, in_place=True, node_size=1).as_dict()


@pytest.mark.parametrize("shape", ["64", "8x6", "4x3x2x5"])
def test_other_dimensions(shape):
    """One line, a plane, four axes: the plan is that of weft.plan, and the benchmark's round trip is right."""
    extents = tuple(map(int, shape.split("x")))
    told = weft_here("explain", "--shape", *extents, "-n", 2, "--json", "-").json()
    del told["choice"]
    assert told == weft.plan(extents, 2, node_size=2).as_dict()
    words = ["--shape", shape, "-n", 2, "--repeats", 1, "--json", "-"]
    report = weft_launch("bench", *words).json()
    assert report["error"] < 1e-14
    assert len(report["limit"]["line_operations_per_second_per_rank"]) == len(report["shape"])
    assert weft_here("predict", "--shape", *extents, "-n", "1:2", "--json", "-").json()["shape"] == list(extents)


def test_explain_shows_the_plan_that_it_prices(monkeypatch):
    """Which depends on who shares a node."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    words = ["explain", "--shape", 32, 32, 32, "-n"]
    assert "strategy   shared: " in weft_here(*words, 2).out
    assert "strategy   ialltoallv: " in weft_here(*words, 2, "--node-size", 1).out
    assert " between nodes" in weft_here(*words, 4).out
    told = weft_here(*words, 4, "--json", "-").json()
    assert (told["choice"]["ranks_on_node"], told["choice"]["cores_of_node"]) == (2, 2)
    assert told["options"]["node_size"] == "2"
    operator = weft_here(*words, 4, "--operator", "gradient", "--json", "-").json()
    assert operator["options"]["node_size"] == "2"
    monkeypatch.setenv("WEFT_NODE_SIZE", "4")
    assert weft_here(*words, 4, "--json", "-").json()["choice"]["ranks_on_node"] == 4


def test_what_is_assumed_is_said(monkeypatch, tmp_path):
    """Of a cluster, where nothing was calibrated: nodes have a core for each of their ranks."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setenv("WEFT_TUNING_FILE", str(tmp_path / "tuning.json"))
    monkeypatch.delenv("WEFT_MACHINE_FILE", raising=False)
    words = ["--shape", 256, 256, 256, "-n", 64]

    def seconds(*more):
        return weft_here("explain", *words, *more, "--json", "-").json()["choice"]["plans"][0]["predicted"]

    def predicted(*more):
        found = weft_here("predict", *words, *more, "--json", "-").json()
        return found["plans"][0]["ranks_on_node"], found["cores_of_node"], found["plans"][0]["seconds"]

    # Cores are as fast as before: more of them on a node do not make it twenty times slower.
    assert 0.1 < seconds("--node-size", 64) / seconds() < 2
    told = " ".join(weft_here("explain", *words).out.split())
    assert "predicted for 64 ranks on 32 nodes, 2 on a node of 2 cores, of an ordinary machine" in told
    assert "assumed: nodes of 2 cores (as this machine has; --node-size N: ranks of a node), 5 Gflop/s" in told
    assert "`weft calibrate` measures this machine, and --machine takes another" in told
    told = weft_here("explain", *words, "--node-size", 32, "--threads", 2).out
    assert "predicted for 64 ranks on 2 nodes, 32 on a node of 64 cores" in told
    assert "assumed: nodes of 64 cores (as --node-size has it)" in told
    # A machine that is named has the nodes that it has.
    told = weft_here("explain", *words, "--machine", "slingshot").out
    assert "64 on a node of 128 cores" in told
    assert "assumed, not measured: flops" in told
    assert "where they take turns" in weft_here("explain", *words, "--machine", "hector-2a", "--node-size", 64).out
    # So does `weft predict`, by both of its words.
    assert predicted()[:2] == (2, 2)
    assert predicted("--node-size", 32) == predicted("--ranks-per-node", 32)
    assert predicted("--node-size", 32)[:2] == (32, 32)
    told = weft_here("predict", *words, "--node-size", 32).out
    assert "on unmeasured, nodes of 32 cores with up to 32 ranks each: predicted" in told
    assert "assumed: nodes of 32 cores (as --node-size has it), 5 Gflop/s" in told
    assert "scaling" not in told, "nothing can be said of one number"
    refused = weft_here("predict", *words, "--node-size", 32, "--ranks-per-node", 16)
    assert (refused.code, "--ranks-per-node is 16 and --node-size is 32" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "--shape", "8", "8", "0"], "shape[2] is 0"),
        (["explain", "--shape", "8", "8", "8", "--kind", "x2x"], "kind is 'x2x'; allowed are c2c"),
        (["explain", "--shape", "8", "8", "8", "--strategy", "pigeons"], "'pigeons'; allowed are auto, alltoallv,"),
        (["explain", "--shape", "8", "8", "8", "--backend", "pigeons"], "'pigeons'; allowed are auto, lanes,"),
        (["explain", "--shape", "8", "8", "8", "-n", "2", "--rank", "2"], "rank is 2"),
        (["explain", "--shape", "8", "8", "eight"], "eight"),
        (
            ["explain", "--shape", *"888888888", "-n", "2"],
            "--shape is '8 8 8 8 8 8 8 8 8'; one to 8 numbers are needed",
        ),
        (["explain", "--shape", "-n", "2"], "--shape is ''; one to 8 numbers are needed"),
        (["explain", "--shape", "8x8x8", "--modes", "4"], "--modes is '4'; 3 numbers are needed"),
        (["place", "fft", "--shape", "8x8", "-n", "2"], "--shape is '8 8'; 3 numbers are needed"),
        (["explain", "--shap", "8", "8", "8"], "--shape"),
        (["predict", "--shape", "8", "8", "8", "-n", "1:99999999999"], "must be less than 2**31"),
        (["predict", "--shape", "8", "8", "8", "-n", "1:2000000000"], "ranks is 1073741824: a plan for so many"),
        (["calibrate", "--seconds", "-5"], "--seconds is '-5'"),
        (["calibrate", "--seconds", "nan"], "--seconds is 'nan'"),
        (["explain"], "--shape"),
        (["explain", "--shape", "8", "8", "8", "--json", "no/such/directory.json"], "no/such"),
        (["nonsense"], "nonsense"),
        (["info", "--nonsense"], "--nonsense"),
        (["bench", "-n", "0", "--shape", "8", "8", "8"], "-n is 0"),
        (["bench", "-n", "many", "--shape", "8", "8", "8"], "many"),
    ],
)
def test_bad_arguments_exit_with_2(arguments, message):
    outcome = weft_here(*arguments)
    assert outcome.code == 2, outcome
    assert message in outcome.err
    assert outcome.out == ""


def test_more_processes_than_can_be_started(monkeypatch):
    """Launchers try, and do not end."""
    for name in (*launch._BATCH_VARIABLES, "WEFT_MPIEXEC"):
        monkeypatch.delenv(name, raising=False)
    outcome = weft_here("bench", "--shape", "8x8x8", "-n", 99999)
    assert outcome.code == 2
    assert "-n is 99999; this machine has " in outcome.err


def every_command():
    """All commands, by their words."""
    found = {}

    def add(words, command):
        for name, inner in getattr(command, "commands", {}).items():
            add([*words, name], inner)
        if words and (not hasattr(command, "commands") or words == ["tune"]):
            found[" ".join(words)] = command

    add([], typer.main.get_command(cli.app.app))
    return found


def test_each_command_takes_json():
    """But for those that run programs of the user's. Those of C++ programs are in their own help (see above)."""
    programs = {"npb", "bench", "kernels", "sort", "verify"}
    for name, command in every_command().items():
        options = {option for parameter in command.params for option in parameter.opts}
        if name not in programs:
            assert ("--json" in options) == (name not in ("run", "lab exec")), name


def test_json_of_small_commands(tmp_path):
    assert weft_here("version", "--json", "-").json() == {"version": weft.__version__}
    found = weft_here("lab", "list", "--json", "-").json()
    assert "slingshot" in found["machines"]
    assert "bethune" in found["experiments"]
    assert weft_here("lab", "show", "slingshot", "--json", "-").json()["cores"] == 128
    outcome = weft_here("lab", "list", "--json", tmp_path / "lab.json")
    assert "slingshot" in outcome.out
    assert json.loads((tmp_path / "lab.json").read_text()) == found


def test_a_number_is_a_file_with_its_folder(tmp_path):
    """`--json 2026` is more likely a slip: a value of another option."""
    outcome = weft_here("version", "--json", "2026")
    assert outcome.code == 1 or outcome.code == 2, outcome
    assert "cannot write '2026': that is no name of a file; a file of that name is './2026'" in outcome.err
    for command in (["version"], ["bench", *SMALL_BENCH]):
        outcome = weft_command(*command, "--json", "./2026", cwd=tmp_path)
        assert outcome.code == 0, outcome
        assert json.loads((tmp_path / "2026").read_text())
        (tmp_path / "2026").unlink()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bench", "--shap", "64", "64", "64"], "there is no option --shap; did you mean --shape?"),
        (["sort", "--algoritm", "tree"], "there is no option --algoritm; did you mean --algorithm?"),
        (["verify", "--seed", "x"], "--seed is 'x'; a number is needed"),
        (["bench", "--shape", "x".join("888888888")], "allowed are one to eight numbers"),
        (
            ["bench", "--shape", "8x8x8x8", "--modes", "4x4x4"],
            "--modes has 3 numbers; allowed are as many as --shape has",
        ),
        (["npb", "--class", "Q"], "Q"),
        (["explain", "--shape", "8", "8", "0"], "shape[2] is 0"),
    ],
)
def test_bad_arguments_of_programs_exit_with_2(arguments, message):
    outcome = weft_command(*arguments)
    assert outcome.code == 2, outcome
    assert message in outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_npb_class_s(tmp_path):
    report = weft_command("npb", "--class", "S", "-n", "2", "--json", "-").json()
    assert (report["class"], report["ranks"], report["verified"]) == ("S", 2, True)
    # As the benchmark defines it: of 64^3 points and six iterations.
    n, iterations = 64**3, 6
    operations = n * (14.8157 + 7.19641 * math.log(n) + (5.23518 + 7.21113 * math.log(n)) * iterations)
    assert report["mops"] == pytest.approx(1e-6 * operations / report["seconds"], rel=1e-4)
    outcome = weft_command("npb", "--class", "S", "--json", "npb.json", cwd=tmp_path)
    assert outcome.code == 0
    assert "Verification" in outcome.out or "verified" in outcome.out.lower()
    assert json.loads((tmp_path / "npb.json").read_text())["ranks"] == 1


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_bench(ranks):
    report = weft_command(
        "bench", *SMALL_BENCH, "-n", ranks, "--strategy", "ialltoallv", "--tile", "2", "--json", "-"
    ).json()
    assert (report["shape"], report["ranks"], report["strategy"]) == ([8, 6, 5], ranks, "ialltoallv")
    assert report["seconds"]["min"] <= report["seconds"]["median"] <= report["seconds"]["max"]
    assert report["error"] < 1e-12


@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
def test_bench_of_a_line(kind):
    report = weft_command("bench", "--shape", 60, *SMALL_BENCH[4:], "--kind", kind, "-n", 2, "--json", "-").json()
    assert report["shape"] == [6, 1, 10]
    assert report["error"] < 1e-12


def test_verify():
    outcome = weft_command("verify", *ONE_CASE, "-n", "2", "--json", "-")
    assert isinstance(outcome.json(), dict)


def test_exit_codes_come_through_mpiexec():
    outcome = weft_command("bench", "--shape", "8", "0", "-n", "2")
    assert outcome.code == 2, outcome
    assert "every extent must be at least 1" in outcome.err


def test_inside_a_job_the_ranks_that_are_there_are_used():
    command = [sys.executable, "-m", "weft", "bench", *SMALL_BENCH, "--json", "-"]
    assert run_on(3, command).json()["ranks"] == 3
    assert run_on(2, [*command, "-n", "2"]).json()["ranks"] == 2
    outcome = run_on(2, [*command, "-n", "3"])
    assert outcome.code == 2
    assert "-n is 3, inside an MPI job of 2" in outcome.err


def test_an_exception_on_one_rank_ends_the_job():
    """Nobody foresaw it, and the other rank waits."""
    script = """
from unittest import mock
from mpi4py import MPI
from weft.cli import main

def command(*arguments, **options):
    if MPI.COMM_WORLD.rank == 1:
        raise RuntimeError("on purpose")
    MPI.COMM_WORLD.Barrier()

with mock.patch("weft.cli.app.app", command):
    main()
"""
    outcome = run_on(2, [sys.executable, "-c", script])
    assert outcome.code != 0
    assert "RuntimeError: on purpose" in outcome.err


def test_weft_mpiexec_is_used(tmp_path):
    launcher = tmp_path / "launcher"
    launcher.write_text('#!/bin/sh\necho launched "$@"\nexit 7\n')
    launcher.chmod(0o755)
    outcome = weft_command("bench", "--shape", "8x8x8", "-n", "2", WEFT_MPIEXEC=f"{launcher} --extra")
    assert outcome.code == 7
    assert outcome.out.startswith("launched --extra -n 2 ")
    assert outcome.out.rstrip().endswith("weft-bench --shape 8x8x8")
    outcome = weft_command("bench", "--shape", "8x8x8", "-n", "2", WEFT_MPIEXEC="/no/such/mpiexec")
    assert outcome.code == 2
    assert "WEFT_MPIEXEC is '/no/such/mpiexec'" in outcome.err


def test_bad_environment_is_an_error_not_ignored():
    outcome = weft_command("explain", "--shape", "8x8x8", WEFT_TILE="some")
    assert outcome.code == 2
    assert "WEFT_TILE" in outcome.err


def test_a_closed_pipe_is_no_drama():
    command = f"{sys.executable} -m weft explain --shape 8x8x8 | head -n 1"
    done = subprocess.run(["bash", "-c", command], env=clean_environment(), capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_console_script_entry_point():
    outcome = run([sys.executable, "-c", "import sys; from weft.cli import main; sys.argv[1:] = ['version']; main()"])
    assert outcome.out.strip() == f"weft {weft.__version__}"


def test_launch_environment(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("OMPI_", "PRTE_", "SLURM_", "PBS_")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(launch, "is_open_mpi", lambda: True)
    monkeypatch.setattr(launch, "cores", lambda: 2)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(launch._core, "mpi_library", lambda: "Open MPI v4.1.4, package")
    assert "OMPI_ALLOW_RUN_AS_ROOT" not in launch.launch_environment(2)
    assert "OMPI_MCA_rmaps_base_oversubscribe" not in launch.launch_environment(2)
    assert launch.launch_environment(3)["OMPI_MCA_rmaps_base_oversubscribe"] == "1"
    monkeypatch.setattr(launch._core, "mpi_library", lambda: "Open MPI v5.0.1, package")
    assert launch.launch_environment(3)["PRTE_MCA_rmaps_default_mapping_policy"] == ":oversubscribe"
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    assert "PRTE_MCA_rmaps_default_mapping_policy" not in launch.launch_environment(3)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert launch.launch_environment(2)["OMPI_ALLOW_RUN_AS_ROOT"] == "1"


def test_each_thread_of_a_rank_gets_a_core(monkeypatch):
    for name in launch._BATCH_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(launch, "cores", lambda: 4)
    for open_mpi, bound, unbound in (
        (True, ["--map-by", "slot:PE=2", "--bind-to", "core"], ["--bind-to", "none"]),
        (False, ["-bind-to", "core:2"], []),
    ):
        monkeypatch.setattr(launch, "is_open_mpi", lambda open_mpi=open_mpi: open_mpi)
        assert launch.binding(["/usr/bin/mpiexec.some"], 2, 2) == bound
        assert launch.binding(["mpirun"], 3, 2) == unbound
        assert launch.binding(["mpirun"], 4, 1) == []
        monkeypatch.setenv("SLURM_JOB_ID", "1")  # on nodes with other numbers of cores
        assert launch.binding(["mpirun"], 300, 2) == bound
        monkeypatch.delenv("SLURM_JOB_ID")
    assert launch.binding(["srun", "--mpi=pmix"], 300, 8) == ["--cpus-per-task=8"]
    assert launch.binding(["srun", "--cpus-per-task=4"], 2, 8) == []
    assert launch.binding(["mpirun", "--bind-to", "socket"], 2, 2) == []
    assert launch.binding(["weft", "lab", "exec"], 2, 2) == []


def test_threads_are_those_of_the_library(monkeypatch):
    for name in ("WEFT_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    assert [launch.threads_of(text) for text in (None, "3", "0", "many")] == [1, 3, 1, 1]
    monkeypatch.setenv("OMP_NUM_THREADS", "4,2")
    assert [launch.threads_of(text) for text in (None, "3", "0")] == [4, 3, 4]
    monkeypatch.setenv("WEFT_THREADS", "2")
    assert launch.threads_of("3") == 2


@pytest.mark.parametrize("words", [["--threads", "2"], ["--threads=2"]])
def test_threads_reach_the_launcher(words, tmp_path):
    launcher = tmp_path / "srun"
    launcher.write_text('#!/bin/sh\necho launched "$@"\n')
    launcher.chmod(0o755)
    outcome = weft_command("bench", "--shape", "8x8x8", "-n", "2", *words, WEFT_MPIEXEC=str(launcher))
    assert outcome.out.startswith("launched --cpus-per-task=2 -n 2 ")
    outcome = weft_command("trace", "--shape", "8x8x8", "-n", "2", *words, WEFT_MPIEXEC=str(launcher), cwd=tmp_path)
    assert outcome.out.startswith("launched --cpus-per-task=2 -n 2 ")


def test_threads_without_cores_are_told_once():
    """Of several transforms in one job."""
    bench = [str(launch.program("weft-bench")), *SMALL_BENCH, "--strategies", "alltoallv,pairwise"]
    bound = f"import os, sys; os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}}); os.execv(sys.argv[1], sys.argv[1:])"
    outcome = run([sys.executable, "-c", bound, *bench, "--threads", "3"])
    assert outcome.code == 0, outcome
    said = "each rank computes in 3 threads, and this one may use 1 processor."
    assert outcome.err.count(said) == 1, outcome
    assert "--map-by slot:PE=3 --bind-to core" in outcome.err
    assert "threads" not in run([sys.executable, "-c", bound, *bench, "--threads", "1"]).err


def test_run_as_fftw():
    if not any((folder / LIBRARY).exists() for folder in launch.folders("lib")):
        pytest.skip("FFTW's header for MPI was not there when weft was built")
    script = [sys.executable, "-m", "mpi4py", str(HERE / "ranks" / "fftw.py")]
    outcome = weft_command("run", "--as-fftw", "-n", 3, *script, WEFT_FFTW_VERBOSE="1")
    assert outcome.code == 0, outcome
    assert "right on 3 ranks" in outcome.out
    assert "fftw_mpi_plan_dft_3d, 6 x 5 x 4 c2c forward, in place: Weft\n" in outcome.err


def test_run_as_fftw_tells_programs_that_it_cannot_reach(tmp_path):
    if not any((folder / LIBRARY).exists() for folder in launch.folders("lib")):
        pytest.skip("FFTW's header for MPI was not there when weft was built")
    # One that makes no plan through the library: it may have FFTW inside.
    outcome = weft_command("run", "--as-fftw", "-n", 2, sys.executable, "-c", "from mpi4py import MPI")
    assert outcome.code == 0, outcome
    assert outcome.err.count("this program has made no plan through the drop-in") == 1, outcome
    assert "-lweft_fftw3_mpi before" in outcome.err
    # Helpers that are no MPI processes are not meant.
    assert "weft:" not in weft_command("run", "--as-fftw", "-n", 2, "/bin/sh", "-c", "true").err
    source, program = tmp_path / "static.c", tmp_path / "static"
    source.write_text("int main(void) { return 0; }\n")
    if subprocess.run(["cc", "-static", source, "-o", program], capture_output=True, check=False).returncode == 0:
        outcome = weft_command("run", "--as-fftw", "-n", 2, program)
        assert outcome.code == 0, outcome
        assert outcome.err.count("is linked statically and loads no libraries") == 1, outcome


def test_run_passes_arguments_on():
    # -n after the program is the program's, and its exit code ours.
    outcome = weft_command("run", sys.executable, "-c", "import sys; print(sys.argv[1:]); sys.exit(3)", "-n", "7")
    assert (outcome.code, outcome.out.strip()) == (3, "['-n', '7']")


def test_run_refuses(monkeypatch):
    assert "which program?" in weft_here("run", "--as-fftw", "-n", "2").err
    assert "there is no program 'nowhere/program'" in weft_here("run", "nowhere/program").err
    assert "'--as-fft' is no option" in weft_here("run", "--as-fft", "program").err
    program = str(launch.program("weft-npb"))
    require_same_mpi(program)
    require_same_mpi("/bin/sh")
    mine = launch.is_open_mpi()
    monkeypatch.setattr(launch, "is_open_mpi", lambda: not mine)
    with pytest.raises(CommandError, match=r"is a program of (Open MPI|MPICH) \(libmpi"):
        require_same_mpi(program)


def test_current_job(monkeypatch):
    for name in ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PMIX_RANK"):
        monkeypatch.delenv(name, raising=False)
    assert job.current_job() is None
    assert launch.stays_here(None)
    assert not launch.stays_here(1)
    monkeypatch.setenv("PMIX_RANK", "3")
    assert job.current_job() == (3, None)
    assert launch.stays_here(8)
    monkeypatch.setenv("PMI_RANK", "1")
    monkeypatch.setenv("PMI_SIZE", "4")
    assert job.current_job() == (1, 4)


def test_numbers():
    assert options.numbers(None, "--x") is None
    assert options.numbers("2", "--x") == [2.0, 2.0, 2.0]
    assert options.numbers("1,2.5,3", "--x") == options.numbers("1x2.5x3", "--x") == [1.0, 2.5, 3.0]
    for bad in ("", "1,2", "one", "0", "-1", "nan", "inf"):
        with pytest.raises(options.CommandError, match="--x is"):
            options.numbers(bad, "--x")
    assert np.isfinite(options.numbers("1e-3", "--x")).all()


def test_ordinals():
    from weft.cli.output import ordinal

    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 32, 103, 111)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "32nd", "103rd", "111th")
    ]
