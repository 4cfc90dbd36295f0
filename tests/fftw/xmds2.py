#!/usr/bin/env python3
"""Compiles a simulation of xmds2 (a Bose condensate) with FFTW-MPI and with Weft before it, runs both, and compares what they find.

    sudo apt-get install xmds2
    ./run exec python tests/fftw/xmds2.py
    ./run exec python tests/fftw/xmds2.py --ranks 4 --points 64 --times 5

xmds2 is Debian's. It links simulations with FFTW's static libraries, before which no library can be put when they start: so the command
with which it links is run once more, with Weft's library first. Where it is not installed nothing is tested, which is said, and the exit
status is 77.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import turns

from weft.cli.run import drop_in

SOURCE = Path(__file__).with_name("xmds2.xmds")
#: Debian's Python has h5py, on which xmds2 depends.
READ = """
import h5py
with h5py.File("condensate.h5") as file:
    for group in file.values():
        for name in sorted(set(group) - {"t"}):
            print(*group[name][...])
"""


def main() -> int:
    parser = turns.parser_of(__doc__ or "")
    parser.add_argument("--points", type=int, default=36, help="of each axis (default: %(default)s)")
    arguments = parser.parse_args()
    if shutil.which("xmds2") is None:
        return turns.skipped("xmds2", "xmds2")
    library = drop_in().parent
    with TemporaryDirectory() as folder:
        source = SOURCE.read_text(encoding="ascii").replace("{points}", str(arguments.points))
        Path(folder, SOURCE.name).write_text(source, encoding="ascii")
        said = subprocess.run(
            ["xmds2", "-v", SOURCE.name], cwd=folder, capture_output=True, text=True, check=True
        ).stdout
        link = re.search(r"^\S*mpic\S+ .*-lfftw3_mpi.*$", said, re.MULTILINE)
        if link is None:
            print(said, "xmds2 did not say how it links", sep="\n")
            return 1
        first = f"-L{library} -Wl,-rpath,{library} -lweft_fftw3_mpi -Wl,-Bstatic -lfftw3_mpi"
        command = link[0].replace("-Wl,-Bstatic", "", 1).replace("-lfftw3_mpi", first, 1)
        command = re.sub(r"-o\s*\S+", "-owith_weft", command)
        subprocess.run(command, cwd=folder, shell=True, check=True)
        commands = {
            name: [
                "sh",
                "-c",
                f"{turns.LAUNCHER} -n {arguments.ranks} {program} && /usr/bin/env -i /usr/bin/python3 read.py",
            ]
            for name, program in (("FFTW", "./condensate"), ("Weft", "./with_weft"))
        }
        Path(folder, "read.py").write_text(READ, encoding="ascii")
        return turns.compare(commands, folder, arguments.times, numbers_of, 1e-10)


def numbers_of(said: str) -> list[float]:
    """After what the simulation says of itself."""
    return [float(n) for n in re.findall(r"-?\d\S*", said.split("Generating output")[-1].partition("\n")[2])]


if __name__ == "__main__":
    sys.exit(main())
