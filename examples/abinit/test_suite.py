"""Runs ABINIT's own parallel tests that split the FFT, with abinit as it is and with Weft, and compares every energy. run.sh calls it."""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "inside"))
from compare import execute, found_in, prepared  # noqa: E402
from comparing import add_launcher, show  # noqa: E402

# How far energies may differ, in hartree: most tests stop at differences that are larger.
TOLERANCE = 1e-8
PROGRAMS = ["stock", "weft"]


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, usage="%(prog)s [OPTIONS]", allow_abbrev=False)
    for name in (*PROGRAMS, "pseudos"):
        parser.add_argument(f"--{name}", type=Path, required=True, help=argparse.SUPPRESS)
    add_launcher(parser)
    parser.add_argument("--tests", nargs="+", metavar="NAME", help="some of them, e.g. paral/t21 mpiio/t49")
    parser.add_argument("--limit", type=int, default=900, help="seconds that a run may take (default: 900)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was found")
    return parser.parse_args()


def field(text, name):
    """What the comments at the end of an input say of a test."""
    found = re.search(rf"(?m)^#%% *{name} *= *(.*)$", text)
    return [word for word in re.split(r"[,\s]+", found.group(1)) if word] if found else []


def tests_of(folder, wanted):
    """Inputs by name that give a rank only some of the FFT; those that need no other test's files."""
    chosen = {}
    for suite in ("paral", "mpiio"):
        for path in sorted((folder / suite / "Input").glob("t*.*")):
            if path.suffix not in (".in", ".abi"):
                continue
            text = path.read_text(errors="replace")
            said = re.sub(r"(?m)[#!].*$", "", text)
            ranks = [int(word) for word in re.findall(r"\bnpfft\d*\s+(\d+)", said)]
            chain = field(text, "test_chain")
            if max(ranks, default=1) > 1 and field(text, "executable") == ["abinit"] and not chain:
                chosen[f"{suite}/{path.stem}"] = text
    if wanted:
        unknown = sorted(set(wanted) - set(chosen))
        if unknown:
            raise SystemExit(f"error: --tests: there is no {', '.join(unknown)}; there are {', '.join(chosen)}")
        chosen = {name: chosen[name] for name in wanted}
    return chosen


def run(program, name, text, arguments):
    """How it ended, the energies of all steps of all its calculations, and whether Weft has worked."""
    # From 9 on the input itself names them.
    named = re.search(r'(?m)^[^#\n]*\bpseudos\s+"([^"]*)"', text)
    files = field(text, "psp_files") or re.split(r"[,\s]+", named.group(1).strip(" ,\n") if named else "")
    files = [found_in(arguments.pseudos, file) for file in files]
    folder = prepared(f"{program}-{name.replace('/', '-')}", text, files, arguments)
    ranks = (field(text, "nprocs_to_test") or ["4"])[-1]
    ended = "ended"
    try:
        code = execute(getattr(arguments, program), folder, ranks, arguments, arguments.limit)
    except subprocess.TimeoutExpired:
        code, ended = 1, f"took longer than {arguments.limit} s"
    log = (folder / "t.log").read_text(errors="replace")
    out = folder / "t.out"
    energies = re.findall(r"(?m)^ ETOT +\d+ +(\S+)", out.read_text(errors="replace")) if out.is_file() else []
    if code != 0 and ended == "ended":
        message = re.search(r"(?s)--- !(?:ERROR|BUG).*?message: \|\s*(.*?)\n", log)
        ended = f"failed: {' '.join(message.group(1).split()).rstrip(',:') if message else f'code {code}'}"
    weft = "Weft does" in log
    shutil.rmtree(folder)
    return {"ended": ended, "energies": [float(word) for word in energies], "weft": weft}


def judged(stock, weft):
    """One word, and how far energies differ."""
    if stock["ended"] != "ended" or weft["ended"] != "ended":
        return ("both fail" if stock["ended"] == weft["ended"] else "WRONG"), None
    if len(stock["energies"]) != len(weft["energies"]):
        return "WRONG", None
    difference = max((abs(a - b) for a, b in zip(stock["energies"], weft["energies"], strict=True)), default=0.0)
    return ("same" if difference <= TOLERANCE else "WRONG"), difference


def main():
    arguments = read_arguments()
    found = {}
    for name, text in tests_of(arguments.pseudos.parent, arguments.tests).items():
        runs = {}
        for program in PROGRAMS:
            show(f"{name}: {program}")
            runs[program] = run(program, name, text, arguments)
        show("")
        word, difference = judged(*(runs[program] for program in PROGRAMS))
        found[name] = {"outcome": word, "difference": difference, **runs}
        steps = " and ".join(dict.fromkeys(str(len(one["energies"])) for one in runs.values()))
        said = f"energies differ by up to {difference:.1e} hartree" if difference is not None else ""
        ended = "; ".join(dict.fromkeys(one["ended"] for one in runs.values() if one["ended"] != "ended"))
        work = "" if runs["weft"]["weft"] else "nothing for Weft to do"
        print(f"{name:12} {word:10} {steps:>9} steps  {'; '.join(filter(None, [said, ended, work]))}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")
    wrong = [name for name, one in found.items() if one["outcome"] == "WRONG"]
    if wrong:
        raise SystemExit(f"with Weft they are not as without: {', '.join(wrong)}")
    print(
        f"{sum(one['outcome'] == 'same' for one in found.values())} of {len(found)} tests ran, and are as without Weft"
    )


if __name__ == "__main__":
    main()
