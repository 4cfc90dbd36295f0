"""examples/quantum-espresso/compare.py, with a stand-in for pw.x that reads its input as namelists are read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_mpi

PROGRAM = Path(__file__).parents[2] / "examples" / "quantum-espresso" / "compare.py"

PW = f"""#!{sys.executable}
import re, sys
from pathlib import Path
text = Path("pw.in").read_text()
# Of a name that is there twice, the later one counts.
last = lambda name, otherwise: (re.findall(rf"(?i){{name}}\\s*=\\s*'(.*?)'", text) or [otherwise])[-1]
folder = Path(last("outdir", "./")) / (last("prefix", "pwscf") + ".save")
folder.mkdir(parents=True)
(folder / "data-file-schema.xml").write_text(
    "<espresso><output><total_energy><etot>-7</etot></total_energy><convergence_info><scf_conv><n_scf_steps>5</n_scf_steps>"
    "</scf_conv></convergence_info><basis_set><fft_grid nr1='8' nr2='8' nr3='8'/></basis_set><band_structure>"
    "<occupations_kind>fixed</occupations_kind></band_structure></output></espresso>"
)
print("     Weft does the transforms")
"""


@pytest.mark.parametrize(
    "control",
    [
        "  prefix = 'si'\n  outdir = '{away}'\n  pseudo_dir = './'\n",
        "  calculation = 'scf', outdir='{away}', prefix='si'\n",
        "  OUTDIR = '{away}' ! scratch\n",
        "  calculation = 'scf'\n",
    ],
)
def test_the_folder_of_an_input_is_not_used(tmp_path, control):
    """Nearly all inputs name one."""
    pw, source, away = tmp_path / "pw.x", tmp_path / "in.in", tmp_path / "away"
    pw.write_text(PW)
    pw.chmod(0o755)
    source.write_text(f"&control\n{control.format(away=away)}/\n&electrons\n  conv_thr = 1e-8\n/\n")
    command = [sys.executable, PROGRAM, "--stock", pw, "--weft", pw, "--scratch", tmp_path / "runs"]
    # The stand-in is no MPI program: this launcher drops "-n 1".
    launcher = tmp_path / "launcher"
    launcher.write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    launcher.chmod(0o755)
    done = subprocess.run(
        [*command, "--launcher", str(launcher), "-n", "1", "--inputs", source],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done
    assert "pw.x with Weft finds what pw.x finds" in done.stdout
    assert not away.exists()
