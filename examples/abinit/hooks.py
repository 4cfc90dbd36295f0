"""Puts the hooks into ABINIT's source: fourwf asks Weft first, and fourdp wherever it uses several ranks. run.sh calls it.

It looks for two calls by their names, so it takes any release that has them: 8.8.4 and 9.6.2 were compiled.
"""

import re
import sys
from pathlib import Path

# Of each subroutine: the call that it makes for several ranks, whether the hook stands before that branch or in it, and the question.
HOOKS = {
    "fourwf": (
        "fourwf_mpi",
        "before",
        """ if (weft_fourwf(cplex,denpot,fofgin,fofgout,fofr,istwf_k,kg_kin,kg_kout,n1,n2,n3,npwin,npwout,&
&  n4,n5,n6,ndat,option,weight_r,weight_i,comm_fft)) goto 100
""",
    ),
    "fourdp": (
        "fourdp_mpi",
        "inside",
        "   if (weft_fourdp(cplex,isign,n1,n2,n3,nfft,{ndat},fofg,fofr,comm_fft)) goto 100\n",
    ),
}


class UnknownSourceError(Exception):
    """The source is not as it should be."""


def find(pattern, text, what, path, flags=re.IGNORECASE | re.MULTILINE):
    found = re.search(pattern, text, flags)
    if not found:
        raise UnknownSourceError(f"{path}: there is no {what}")
    return found


def hooked(text, name, path):
    """The text of a file, in which the subroutine `name` asks Weft."""
    call, place, question = HOOKS[name]
    head = find(rf"^ *subroutine {name} *\((?:[^\n]*& *(?:![^\n]*)?\n)*[^\n]*\n", text, f"subroutine {name}", path)
    end = find(rf"^ *end subroutine {name}\b", text, f"end of the subroutine {name}", path)
    body = text[head.end() : end.start()]
    branch = find(
        rf"^(?P<before>) *if *\( *nproc_fft *> *1\b[^\n]*then *\n(?P<inside>)(?: *![^\n]*\n)* *call {call} *\(",
        body,
        f"branch of {name} for several ranks, with a call of {call}",
        path,
    )
    find(r"^ *100 +\w", body, f"line 100 in {name}", path)
    find(r"goto 100", body[branch.end() :], f"goto 100 behind the call of {call}", path)
    # Before ndat was an argument of fourdp, it transformed one field.
    question = question.format(ndat="ndat" if re.search(r"\bndat\b", head.group()) else "ndat1")
    at = branch.start(place)
    return f"{text[: head.end()]} use weft_abinit, only : weft_{name}\n{body[:at]}{question}{body[at:]}{text[end.start() :]}"


def source_file(folder, name):
    for path in sorted((folder / "src" / "53_ffts").glob("*.F90")):
        text = path.read_text(encoding="latin-1")
        if not path.name.startswith("interfaces_") and re.search(rf"^ *subroutine {name} *\(", text, re.I | re.M):
            return path
    raise UnknownSourceError(f"{folder / 'src' / '53_ffts'}: no file has the subroutine {name}")


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[1:] not in ([], ["--check"]):
        raise SystemExit("usage: hooks.py FOLDER [--check]")
    folder = Path(arguments[0])
    try:
        # All of them before any is written: two may be in one file.
        changed = {}
        for name in HOOKS:
            path = source_file(folder, name)
            changed[path] = hooked(changed.get(path) or path.read_text(encoding="latin-1"), name, path)
    except UnknownSourceError as error:
        raise SystemExit(f"error: the hooks do not fit this ABINIT. {error}") from None
    if arguments[1:] == []:
        for path, text in changed.items():
            path.write_text(text, encoding="latin-1")


if __name__ == "__main__":
    main(sys.argv[1:])
