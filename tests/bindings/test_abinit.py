"""examples/abinit: the hooks, on sources like those of ABINIT 8 and 9, and compare.py, with a stand-in for abinit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_mpi

EXAMPLE = Path(__file__).parents[2] / "examples" / "abinit"

FOURWF = """subroutine fourwf(cplex,denpot,fofgin,&
&  use_ndo,fofginb) ! optional

 use defs_basis
 implicit none
 call timab(1)
 if (nproc_fft > 1 .and. fftalg /= 412) then
   call fourwf_mpi(cplex,denpot,&
&   n4,n5)
   goto 100
 end if
 call fourwf_mpi(cplex)

 100 continue
end subroutine fourwf
"""
FOURDP = """subroutine fourdp(cplex,fofg,{arguments}tim_fourdp)

 integer :: cplex
 ! Branch
 if (nproc_fft > 1) then
   !if (nothing)
   call fourdp_mpi(cplex,nfft,{ndat},fofg,fofr,comm_fft)
   goto 100
 end if
 100 call timab(2)
end subroutine fourdp
"""
OTHER = "subroutine fourwf_mpi(cplex)\nend subroutine fourwf_mpi\n"


def sources(folder, release):
    ffts = folder / "src" / "53_ffts"
    ffts.mkdir(parents=True)
    if release == 8:
        (ffts / "fourwf.F90").write_text(FOURWF)
        (ffts / "fourdp.F90").write_text(FOURDP.format(arguments="", ndat="ndat1"))
        (ffts / "interfaces_53_ffts.F90").write_text(" subroutine fourwf(cplex)\n end subroutine fourwf\n")
        (ffts / "m_fft.F90").write_text(OTHER)
    else:
        text = (
            "module m_fft\ncontains\n" + FOURWF + FOURDP.format(arguments="ndat,", ndat="ndat") + OTHER + "end module\n"
        )
        (ffts / "m_fft.F90").write_text(text)
    return {path.name: path.read_text() for path in ffts.iterdir()}


def hooks(*arguments):
    return subprocess.run(
        [sys.executable, EXAMPLE / "hooks.py", *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("release", [8, 9])
def test_hooks(tmp_path, release):
    before = sources(tmp_path, release)
    assert hooks(tmp_path, "--check").returncode == 0
    assert {path.name: path.read_text() for path in (tmp_path / "src" / "53_ffts").iterdir()} == before
    done = hooks(tmp_path)
    assert done.returncode == 0, done
    after = "".join(path.read_text() for path in sorted((tmp_path / "src" / "53_ffts").glob("*.F90")))
    # What was there is there; what is new stands before the calls.
    new = [line for line in after.splitlines() if "weft" in line]
    old = "".join(before[name] for name in sorted(before))
    without = "".join(
        line
        for line in after.splitlines(keepends=True)
        if ("weft" not in line and "goto 100\n" not in line[line.find(")") :]) or line.strip() == "goto 100"
    )
    assert without == old
    assert [line.split()[:4] for line in new if "use" in line] == ([["use", "weft_abinit,", "only", ":"]] * 2)
    ndat = "ndat1" if release == 8 else "ndat"
    assert f"nfft,{ndat},fofg,fofr,comm_fft)) goto 100\n   !if (nothing)\n   call fourdp_mpi" in after
    assert "weight_i,comm_fft)) goto 100\n if (nproc_fft > 1 .and. fftalg /= 412) then\n   call fourwf_mpi" in after
    assert "! optional\n use weft_abinit, only : weft_fourwf\n" in after


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("call fourdp_mpi", "call fourdp_many", "branch of fourdp for several ranks, with a call of fourdp_mpi"),
        ("subroutine fourwf(", "subroutine fourwf_new(", "no file has the subroutine fourwf"),
        (" 100 call", " 101 call", "line 100 in fourdp"),
    ],
)
def test_a_source_that_does_not_fit_is_left_alone(tmp_path, old, new, said):
    sources(tmp_path, 9)
    path = tmp_path / "src" / "53_ffts" / "m_fft.F90"
    path.write_text(path.read_text().replace(old, new))
    before = path.read_text()
    done = hooks(tmp_path)
    assert done.returncode == 1
    assert "the hooks do not fit this ABINIT" in done.stderr
    assert said in done.stderr
    assert path.read_text() == before


ABINIT = f"""#!{sys.executable}
import re, sys
from pathlib import Path
names = [line.strip() for line in sys.stdin]
text = Path(names[0]).read_text()
assert Path(names[5]).is_file()
last = lambda name: re.findall(rf"(?m)^{{name}} (\\S+)", text)[-1]
assert last("npfft") == "2" and last("paral_kgb") == "1"
weft = "weft" in Path(sys.argv[0]).name
energy = -7.5 + (float(Path(sys.argv[0]).with_name("error").read_text()) if weft else 0)
table = "- {{}}  2.0  9.0  {{}}  9.0  12  1.00  1.00\\n"
Path(names[1]).write_text(
    f" ETOT  1  -7.1  0\\n ETOT  2  {{energy}}  0\\n  ngfft  8 8 8\\n  fcart  1.0E+00 0.0E+00\\n         0.5E+00\\n- fftalg 4\\n"
    + table.format("fourdp", 1.0) + table.format("fourwf", 3.0 if weft else int(last("fftalg")) / 100)
    + "- fourdp  0.092  86  1.068  6912  0.155\\n"
)
if weft:
    print(" Weft does fourwf")
print("Proc.   0 individual time (sec): cpu= 1.0  wall=   2.5\\n Calculation completed.")
"""


@pytest.fixture
def compare(tmp_path):
    """Runs compare.py on an input's text."""
    for name in ("stock", "weft"):
        (tmp_path / name).write_text(ABINIT)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "error").write_text("0")
    (tmp_path / "14si.pspnc").write_text("")
    # The stand-in is no MPI program: this launcher drops "-n 2".
    (tmp_path / "launcher").write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    (tmp_path / "launcher").chmod(0o755)

    def run(text, *options):
        (tmp_path / "si.in").write_text(text)
        programs = ["--stock", tmp_path / "stock", "--weft", tmp_path / "weft", "--pseudos", tmp_path]
        where = [
            "--scratch",
            tmp_path / "runs",
            "--launcher",
            str(tmp_path / "launcher"),
            "--inputs",
            tmp_path / "si.in",
        ]
        return subprocess.run(
            [sys.executable, EXAMPLE / "compare.py", *programs, *where, *options],
            capture_output=True,
            text=True,
            check=False,
        )

    return run


INPUT = "# Silicon. Pseudopotentials: 14si.pspnc\necut 4 # fftalg\noptforces 2\n"


def test_comparison(compare, tmp_path):
    done = compare(INPUT, "--json", tmp_path / "all.json", "--csv", tmp_path / "all.csv", "--repeats", "2")
    assert done.returncode == 0, done
    assert "abinit with Weft finds what abinit finds" in done.stdout
    (case,) = json.loads((tmp_path / "all.json").read_text())
    assert case["seconds"]["fourwf"] == [4.01 / 2, 4.02 / 2, 3.12 / 2, 1.5]
    assert case["seconds"]["fourdp"] == [0.5] * 4
    assert case["seconds"]["whole run"] == [2.5] * 4
    assert case["runs"]["weft"][0]["forces"] == [1.0, 0.0, 0.5]
    assert (case["grid"], case["iterations"]["weft"]) == ("8 x 8 x 8", 2)
    head = (tmp_path / "all.csv").read_text().splitlines()[0]
    assert head == "input,ranks,grid,clock,stock_401_seconds,stock_402_seconds,stock_312_seconds,weft_seconds"


def test_another_energy_is_wrong(compare, tmp_path):
    (tmp_path / "error").write_text("1e-9")
    done = compare(INPUT)
    assert done.returncode == 1
    assert "WRONG" in done.stdout
    assert "not the same energy after as many iterations: si on 2 ranks" in done.stderr


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (INPUT + "npfft 4\n", [], "says npfft, which this command says"),
        ("ecut 4\n", [], "must have one comment '# Pseudopotentials: ...'"),
        (INPUT.replace("14si", "15p"), [], "there is no pseudopotential"),
        (INPUT, ["-n", "0"], "--ranks has 0; there must be at least 1"),
        (INPUT, ["-n", "two"], "--ranks is 'two'"),
    ],
)
def test_bad_input(compare, text, options, said):
    done = compare(text, *options)
    assert done.returncode != 0
    assert said in done.stderr


def test_suite(tmp_path):
    """Tests are found by what their inputs say, in the way of 8.x and of 9.x; a run that ends in another way is wrong."""
    tests = tmp_path / "tests"
    for suite in ("paral", "mpiio"):
        (tests / suite / "Input").mkdir(parents=True)
    info = "#%%<BEGIN TEST_INFO>\n#%% executable = abinit\n#%% psp_files = 14si.pspnc\n#%% nprocs_to_test = 1, 2\n"
    named = 'pp_dirpath "$ABI_PSPDIR"\n pseudos "Kind/14si.pspnc"\n' + info.replace("#%% psp_files = 14si.pspnc\n", "")
    (tests / "paral" / "Input" / "t01.abi").write_text("npfft 2 paral_kgb 1\n" + named)
    (tests / "paral" / "Input" / "t01.txt").write_text("npfft 2\n")
    (tests / "paral" / "Input" / "t02.in").write_text("npfft 1 # npfft 2\n" + info)
    (tests / "mpiio" / "Input" / "t03.in").write_text("npfft2 4\n" + info + "#%% test_chain = t03.in, t04.in\n")
    (tests / "mpiio" / "Input" / "t05.in").write_text("npfft1 2\n" + info)
    (tests / "pseudos" / "Kind").mkdir(parents=True)
    (tests / "pseudos" / "Kind" / "14si.pspnc").write_text("")
    program = f"""#!{sys.executable}
import os, sys
from pathlib import Path
names = [line.strip() for line in sys.stdin]
assert Path(names[5]).is_file() and Path(os.environ["ABI_PSPDIR"], "Kind").is_dir()
weft = "weft" in Path(sys.argv[0]).name
first = "npfft 2" in Path(names[0]).read_text()
Path(names[1]).write_text(" ETOT  1  -7.1  0\\n" if first or not weft else " ETOT  1  -7.2  0\\n")
print(" Weft does fourwf" if weft else "")
"""
    for name in ("stock", "weft"):
        (tmp_path / name).write_text(program)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "launcher").write_text('#!/bin/sh\n[ "$2" = 2 ] || exit 3\nshift 2\nexec "$@"\n')
    (tmp_path / "launcher").chmod(0o755)

    def run(*options):
        return subprocess.run(
            [
                *[
                    sys.executable,
                    EXAMPLE / "test_suite.py",
                    "--stock",
                    tmp_path / "stock",
                    "--weft",
                    tmp_path / "weft",
                ],
                *["--pseudos", tests / "pseudos", "--scratch", tmp_path / "runs", "--launcher", tmp_path / "launcher"],
                *options,
            ],
            capture_output=True,
            text=True,
            check=False,
        )

    done = run("--tests", "paral/t01")
    assert done.returncode == 0, done
    assert "1 of 1 tests ran, and are as without Weft" in done.stdout
    done = run()
    assert done.returncode == 1
    assert "with Weft they are not as without: mpiio/t05" in done.stderr
    assert "paral/t01    same" in done.stdout
    assert "t02" not in done.stdout
    assert "t03" not in done.stdout
    assert "--tests: there is no paral/t02; there are paral/t01, mpiio/t05" in run("--tests", "paral/t02").stderr
