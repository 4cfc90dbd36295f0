"""Runs Quantum ESPRESSO's own tests of pw.x, with pw.x as it is and with Weft. run.sh --test-suite calls it.

Quantum ESPRESSO's judge, the program testcode in its source, reads its lists of tests and says which outputs are right.
"""

import argparse
import fnmatch
import importlib
import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from compare import PROGRAMS, add_programs, farthest, show

# What pw.x must be told for some inputs, as in run-pw.sh of the test suite.
OPTIONS = {"plugin-pw2casino_*": ["--pw2casino"]}
# Exit codes of a pw.x that has come to its end; with 2 and 3 density or atoms have not converged, which some tests expect.
DONE = [0, 2, 3]


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        usage="%(prog)s [OPTIONS]",
        allow_abbrev=False,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    add_programs(parser)
    parser.add_argument(
        "--tests",
        nargs="+",
        default=["pw_*"],
        metavar="NAME",
        help="folders of tests, or single tests, with * and ? (default: pw_*);\ne.g. pw_scf 'pw_metal/*tetrahedra*'",
    )
    parser.add_argument("-n", "--ranks", type=int, default=2, help="how many MPI ranks (default: 2)")
    parser.add_argument(
        "--limit", type=float, default=1800, metavar="SECONDS", help="end a run that takes longer (default: 1800)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    arguments = parser.parse_args()
    if arguments.ranks < 1:
        parser.error(f"--ranks is {arguments.ranks}; it must be at least 1")
    if not arguments.limit > 0:
        parser.error(f"--limit is {arguments.limit}; it must be more than 0")
    arguments.suite = arguments.stock.parents[1] / "test-suite"
    if not (arguments.suite / "userconfig.tmp").is_file():
        parser.error(
            f"this source of Quantum ESPRESSO has no tests: there is no file '{arguments.suite}/userconfig.tmp'"
        )
    return arguments


def load_judge(suite):
    """The library of testcode, which is a part of Quantum ESPRESSO's source."""
    sys.path.insert(0, str(suite / "testcode" / "lib"))
    # It takes `quote` from a module that Python 3.13 has no longer.
    sys.modules.setdefault("pipes", shlex)
    for part in ("config", "validation"):
        judge = importlib.import_module(f"testcode2.{part}")
    return sys.modules[judge.__package__]


def wanted(folder, name, patterns):
    return any(fnmatch.fnmatchcase(folder, each) or fnmatch.fnmatchcase(f"{folder}/{name}", each) for each in patterns)


def read_tests(judge, suite, place):
    """The tests of pw.x, in a copy of the suite: runs leave files there that later tests of the folder read."""
    place.mkdir(parents=True)
    for folder in suite.glob("pw_*"):
        shutil.copytree(folder, place / folder.name)
    shutil.copy(suite / "jobconfig", place)
    (place / "userconfig").write_text((suite / "userconfig.tmp").read_text().replace("XXXXXX", str(suite.parent)))
    options, programs = judge.config.parse_userconfig(str(place / "userconfig"), test_id="run")
    tests, _ = judge.config.parse_jobconfig(str(place / "jobconfig"), options, programs)
    return {Path(test.path).name: test for test in tests}


def run(program, test, name, output, arguments):
    """One run of pw.x: seconds, and what went wrong."""
    options = [option for pattern, each in OPTIONS.items() if fnmatch.fnmatchcase(name, pattern) for option in each]
    command = [*arguments.launcher, "-n", str(arguments.ranks), str(getattr(arguments, program)), *options, "-in", name]
    began, wrong = time.monotonic(), ""
    with open(output, "w") as out:
        process = subprocess.Popen(command, cwd=test.path, stdout=out, stderr=subprocess.STDOUT)
        try:
            if process.wait(arguments.limit) not in DONE:
                wrong = f"pw.x ended with {process.returncode}"
        except subprocess.TimeoutExpired:
            wrong = f"ended after {arguments.limit:g} s"
        finally:
            end(process)
    return time.monotonic() - began, wrong


def end(process):
    """The launcher ends its ranks when it is told to."""
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def verdict(judge, test, job, wrong):
    """What the judge says of an output: passed, skipped or failed; why; and the numbers that it has compared."""
    status, _ = test.skip_job(*job, 0)
    if status.skipped():
        return "skipped", "not present in this version", {}
    if wrong:
        return "failed", wrong, {}
    try:
        benchmark, found = judge.DIR_LOCK.in_dir(test.path)(test.extract_data)(*job, 0)
    except (judge.exceptions.AnalysisError, judge.exceptions.TestCodeError) as error:
        return "failed", str(error), {}
    return *compared(judge, test, benchmark, found), found


def compared(judge, test, benchmark, found):
    _, status, why = judge.validation.compare_data(
        benchmark, found, test.default_tolerance, test.tolerances, test.test_program.ignore_fields
    )
    return "passed" if status.passed() else "failed", why


def run_and_judge(judge, program, test, job, arguments):
    output = Path(test.path) / judge.util.testcode_filename("test.out", "run", *job)
    seconds, wrong = run(program, test, job[0], output, arguments)
    said = output.read_text(errors="replace")
    status, why, numbers = verdict(judge, test, job, wrong)
    return {
        "status": status,
        "why": why,
        "seconds": seconds,
        "iterations": len(re.findall(r"^ +iteration # ", said, re.MULTILINE)),
        # In Ry, of each step of a relaxation.
        "energies": [float(each) for each in re.findall(r"^!.*= *(\S+) Ry", said, re.MULTILINE)],
        "numbers": numbers,
        "weft": re.findall(r"Weft does the (.*)", said),
        "output": str(output),
    }


def run_test(judge, tests, folder, job, arguments):
    """With both programs."""
    result = {"test": f"{folder}/{Path(job[0]).stem}", "ranks": arguments.ranks}
    for name in PROGRAMS:
        show(f"{result['test']}, {arguments.ranks} ranks: {name}")
        result[name] = run_and_judge(judge, name, tests[name][folder], job, arguments)
    show("")
    stock, weft = (result[name] for name in PROGRAMS)
    # By the suite's tolerances, with pw.x as it is as the benchmark.
    result["like_stock"] = (
        compared(judge, tests["weft"][folder], stock["numbers"], weft["numbers"])[0] == "passed"
        if stock["numbers"] and weft["numbers"]
        else stock["status"] == weft["status"]
    )
    both = [result[name]["energies"] for name in PROGRAMS]
    # Some runs have none, and one that fails may have fewer.
    result["energies_differ"] = farthest(*both) if len(both[0]) == len(both[1]) > 0 else None
    return result


def wrong_with_weft(result):
    return result["stock"]["status"] == "passed" and result["weft"]["status"] != "passed"


def report(result):
    stock, weft = (result[name] for name in PROGRAMS)
    far = result["energies_differ"]
    print(
        f"{result['test']:45} {stock['status']:8} {weft['status']:8} {stock['iterations']:6} {weft['iterations']:6} "
        f"{'' if far is None else f'{far:.1e}':>8} {stock['seconds']:8.1f} {weft['seconds']:8.1f}"
        f"{'' if result['like_stock'] else '  not alike'}",
        flush=True,
    )
    for name in PROGRAMS:
        if result[name]["status"] == "failed":
            why = " ".join(result[name]["why"].split())
            print(f"  {name}: {why[:300]}\n  {' ' * len(name)}  {result[name]['output']}", flush=True)


def sum_up(results):
    """A table, in Markdown: a line for each folder."""
    print(
        "\n| tests | number | pass, stock | pass, Weft | energies differ by (Ry), up to | seconds, stock | seconds, Weft |"
    )
    print("|---|---|---|---|---|---|---|")
    folders = {}
    for result in results:
        folders.setdefault(result["test"].split("/")[0], []).append(result)
    for folder, here in [*folders.items(), ("all", results)]:
        passed = [sum(result[name]["status"] == "passed" for result in here) for name in PROGRAMS]
        seconds = [sum(result[name]["seconds"] for result in here) for name in PROGRAMS]
        far = max((result["energies_differ"] or 0.0 for result in here), default=0.0)
        print(
            f"| {folder} | {len(here)} | {passed[0]} | {passed[1]} | {far:.1e} | {seconds[0]:.0f} | {seconds[1]:.0f} |"
        )


def main():
    arguments = read_arguments()
    judge = load_judge(arguments.suite)
    place = arguments.scratch / f"tests-{arguments.ranks}"
    shutil.rmtree(place, ignore_errors=True)
    tests = {name: read_tests(judge, arguments.suite, place / name) for name in PROGRAMS}
    chosen = [
        (folder, job)
        for folder, test in sorted(tests["stock"].items())
        for job in test.inputs_args
        if wanted(folder, Path(job[0]).stem, arguments.tests)
    ]
    if not chosen:
        raise SystemExit(f"error: --tests: Quantum ESPRESSO has no such tests: {' '.join(arguments.tests)}")
    print(
        f"{len(chosen)} tests on {arguments.ranks} ranks\n"
        f"{'':45} {'status':17} {'iterations':13} {'energies':>8} {'seconds':>17}\n"
        f"{'test':45} {'stock':8} {'weft':8} {'stock':>6} {'weft':>6} {'differ':>8} {'stock':>8} {'weft':>8}"
    )
    results = []
    for folder, job in chosen:
        results.append(run_test(judge, tests, folder, job, arguments))
        report(results[-1])
    sum_up(results)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    if not any(result["weft"]["weft"] for result in results):
        raise SystemExit("error: pw.x with Weft says that Weft has done nothing")
    wrong = [result["test"] for result in results if wrong_with_weft(result)]
    if wrong:
        raise SystemExit(f"pass with pw.x as it is, but not with Weft: {', '.join(wrong)}")
    print("what passes with pw.x as it is passes with Weft")


if __name__ == "__main__":
    main()
