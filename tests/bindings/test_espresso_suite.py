"""examples/quantum-espresso/test_suite.py, with stand-ins for pw.x and for testcode, Quantum ESPRESSO's judge."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_mpi

PROGRAM = Path(__file__).parents[2] / "examples" / "quantum-espresso" / "test_suite.py"

#: What test_suite.py uses of testcode2. A test passes if the numbers in both files are the same.
JUDGE = {
    "__init__": """
import os, types
from . import config, exceptions, util, validation

def in_dir(path):
    def moved(function):
        def call(*arguments):
            here = os.getcwd()
            os.chdir(path)
            try:
                return function(*arguments)
            finally:
                os.chdir(here)
        return call
    return moved

DIR_LOCK = types.SimpleNamespace(in_dir=in_dir)
""",
    "exceptions": "class AnalysisError(Exception): ...\nclass TestCodeError(Exception): ...",
    "util": "def testcode_filename(stem, number, name, argument): return f'{stem}.{number}.inp={name}'",
    "config": """
import pathlib, types
from . import exceptions, util, validation

class Test:
    default_tolerance, tolerances, test_program = None, {}, types.SimpleNamespace(ignore_fields=[])

    def __init__(self, path):
        self.path = str(path)
        self.inputs_args = tuple((each.name, '') for each in sorted(path.glob('[!b]*.in')))

    def skip_job(self, name, argument, verbose):
        said = (pathlib.Path(self.path) / util.testcode_filename('test.out', 'run', name, argument)).read_text()
        return validation.Status('not present' in said, skip=True), ''

    def extract_data(self, name, argument, verbose):
        assert pathlib.Path.cwd() == pathlib.Path(self.path)
        files = ['benchmark.' + name, util.testcode_filename('test.out', 'run', name, argument)]
        found = [[line.split()[1] for line in open(each) if line.startswith('number ')] for each in files]
        if not found[1]:
            raise exceptions.AnalysisError('nothing in ' + files[1])
        return [{'number': each} for each in found]

def parse_userconfig(path, test_id):
    assert 'XXXXXX' not in open(path).read()
    return {}, {}

def parse_jobconfig(path, options, programs):
    return [Test(each) for each in pathlib.Path(path).parent.glob('pw_*')], {}
""",
    "validation": """
class Status:
    def __init__(self, yes, skip=False):
        self.yes, self.skip = yes, skip
    def passed(self): return self.yes and not self.skip
    def skipped(self): return self.yes and self.skip

def compare_data(benchmark, test, default, tolerances, ignored):
    return True, Status(benchmark == test), f'{test} is not {benchmark}'
""",
}
SAYS = """
     Weft does the FFTs of wave functions
     iteration #  1     ecut=    12.00 Ry
     iteration #  2     ecut=    12.00 Ry
!    total energy              =     -15.79441843 Ry
number 1
"""


class Suite:
    """Two programs that print a file for each input, and tests that expect `number 1`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("launch", '#!/bin/sh\nshift 2\nexec "$@"\n')
        for name in ("stock", "weft"):
            self.write(f"{name}/bin/pw.x", f'#!/bin/sh\nfor last; do :; done\n. "{folder}/{name}/$last"\n')
        for name, text in JUDGE.items():
            self.write(f"stock/test-suite/testcode/lib/testcode2/{name}.py", text)
        self.write("stock/test-suite/jobconfig", "")
        self.write("stock/test-suite/userconfig.tmp", "exe = XXXXXX/test-suite/run-pw.sh\n")

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)
        (self.folder / path).chmod(0o755)

    def add(self, test: str, **says: str) -> None:
        """A test, and the shell commands that pw.x consists of, where they do not print SAYS."""
        folder, name = test.split("/")
        self.write(f"stock/test-suite/{folder}/{name}.in", "")
        self.write(f"stock/test-suite/{folder}/benchmark.{name}.in", "number 1\n")
        for program in ("stock", "weft"):
            self.write(f"{program}/{name}.in", says.get(program, f"cat <<END{SAYS}END\n"))

    def run(self, *options: str) -> subprocess.CompletedProcess[str]:
        programs = [
            option for name in ("stock", "weft") for option in (f"--{name}", self.folder / name / "bin" / "pw.x")
        ]
        command = [
            sys.executable,
            PROGRAM,
            *programs,
            "--launcher",
            self.folder / "launch",
            "--scratch",
            self.folder / "runs",
        ]
        return subprocess.run([*map(str, command), *options], capture_output=True, text=True, timeout=60)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return Suite(tmp_path)


def test_what_passes_with_both(suite: Suite, tmp_path: Path) -> None:
    suite.add("pw_scf/scf")
    suite.add("pw_scf/scf-1", weft=f"cat <<END{SAYS.replace('1843', '1845')}END\n")
    # Not converged, which the judge has to judge.
    suite.add("pw_md/md", weft=f"cat <<END{SAYS}END\nexit 3\n")
    done = suite.run("--json", str(tmp_path / "all.json"))
    assert done.returncode == 0, done.stderr
    assert "3 tests on 2 ranks" in done.stdout
    assert "| pw_scf | 2 | 2 | 2 | 2.0e-08 |" in done.stdout
    assert "| all | 3 | 3 | 3 | 2.0e-08 |" in done.stdout
    results = json.loads((tmp_path / "all.json").read_text())
    assert [result["test"] for result in results] == ["pw_md/md", "pw_scf/scf-1", "pw_scf/scf"]
    for result in results:
        assert result["ranks"] == 2
        assert result["like_stock"]
        assert result["stock"]["energies"] == [-15.79441843]
        assert result["weft"]["iterations"] == 2
        assert result["weft"]["weft"] == ["FFTs of wave functions"]


@pytest.mark.parametrize(
    ("says", "why"),
    [
        (f"cat <<END{SAYS.replace('number 1', 'number 2')}END\n", "{'number': ['2']} is not {'number': ['1']}"),
        (f"cat <<END{SAYS}END\nexit 1\n", "pw.x ended with 1"),
        ("echo Weft does the rest\n", "nothing in test.out"),
    ],
    ids=["wrong", "crash", "silent"],
)
def test_what_fails_only_with_weft_counts(suite: Suite, says: str, why: str) -> None:
    suite.add("pw_scf/scf")
    suite.add("pw_scf/scf-1", weft=says)
    done = suite.run()
    assert done.returncode == 1
    assert "pass with pw.x as it is, but not with Weft: pw_scf/scf-1\n" in done.stderr
    assert why in done.stdout
    assert "| all | 2 | 2 | 1 |" in done.stdout


def test_what_fails_with_both_is_shown_but_does_not_count(suite: Suite) -> None:
    wrong = f"cat <<END{SAYS.replace('number 1', 'number 2')}END\n"
    suite.add("pw_scf/scf", stock=wrong, weft=wrong)
    suite.add("pw_scf/scf-1", stock="echo not present in this version; exit 1\n", weft="echo not present; exit 1\n")
    suite.add("pw_scf/scf-2")
    done = suite.run()
    assert done.returncode == 0, done.stderr
    lines = [line.split()[:3] for line in done.stdout.splitlines()]
    assert ["pw_scf/scf", "failed", "failed"] in lines
    assert ["pw_scf/scf-1", "skipped", "skipped"] in lines
    assert "| all | 3 | 1 | 1 |" in done.stdout


def test_a_run_that_hangs_is_ended(suite: Suite) -> None:
    suite.add("pw_scf/scf", weft="exec sleep 600\n")
    suite.add("pw_scf/scf-1")
    done = suite.run("--limit", "0.5", "--ranks", "4")
    assert done.returncode == 1
    assert "2 tests on 4 ranks" in done.stdout
    assert "weft: ended after 0.5 s" in done.stdout


def test_folders_and_tests_are_chosen_by_name(suite: Suite) -> None:
    for name in ("pw_md/md", "pw_scf/scf", "pw_scf/scf-1", "pw_scf/scf-2"):
        suite.add(name)
    done = suite.run("--tests", "pw_m?", "pw_scf/*-1")
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines() if line.startswith("pw_")] == [
        "pw_md/md",
        "pw_scf/scf-1",
    ]
    none = suite.run("--tests", "cp_*")
    assert none.returncode == 1
    assert "no such tests: cp_*" in none.stderr


def test_a_pw_x_without_weft_is_an_error(suite: Suite) -> None:
    suite.add("pw_scf/scf", weft="echo number 1\n")
    done = suite.run()
    assert done.returncode == 1
    assert "Weft has done nothing" in done.stderr
