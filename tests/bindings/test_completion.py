"""What shells are told of the programs of C++: their options, and the words that these allow."""

from __future__ import annotations

import pytest
from launching import weft_command

from weft.cli.completion import options_in

HELP = """Times things.
Usage: weft-things [OPTIONS]

Options:
  -h,--help                       Print this help message and exit
  --kinds TEXT:{columns,rows} ...
                                  Which lines: columns,rows (all)
  --in_place,--in-place           one array (true, false)
  --shape REQUIRED                Grid: 128 128 128 (all)
"""


def completed(*words: str) -> list[str]:
    outcome = weft_command(
        _WEFT_COMPLETE="complete_bash", COMP_WORDS=" ".join(("weft", *words)).rstrip(), COMP_CWORD=str(len(words))
    )
    assert outcome.code == 0, outcome
    return outcome.out.split()


def test_help_says_options_and_their_words():
    options = options_in(HELP)
    assert list(options) == ["--help", "--kinds", "--in_place", "--in-place", "--shape"]
    assert options["--kinds"].values == ["columns", "rows"]
    assert options["--in-place"].values == ["true", "false"]
    assert not options["--shape"].values


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("bench", "--strateg"), ["--strategies", "--strategy"]),
        (("bench", "--strategy", "sh"), ["shared"]),
        (("bench", "--he"), ["--help"]),
        (("kernels", "--kinds", "r"), ["rows", "real_rows"]),
        (("bench", "--nonsen"), []),
        (("verif",), ["verify"]),
    ],
)
def test_what_bash_is_told(words, wanted):
    assert completed(*words) == wanted
