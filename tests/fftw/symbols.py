"""Whether a library has every function that FFTW's headers for MPI declare.

usage: symbols.py NM LIBRARY HEADER [FORTRAN_INTERFACE]
"""

import re
import subprocess
import sys
from pathlib import Path

#: Functions of fftw3.h that take plans, and so must know those of MPI.
OF_PLANS = [
    "execute",
    "execute_dft",
    "execute_dft_r2c",
    "execute_dft_c2r",
    "execute_r2r",
    "destroy_plan",
    "print_plan",
    "fprint_plan",
    "sprint_plan",
    "flops",
    "cost",
    "estimate_cost",
]


#: Those that make memory, and end it.
OF_MEMORY = ["malloc", "alloc_real", "alloc_complex", "free"]


def declared(header, fortran):
    """The functions, in both precisions."""
    names = {f"mpi_{name}" for name in re.findall(r"FFTW_EXTERN[^;]*?\bXM\((\w+)\)", header)}
    names |= {*OF_PLANS, *OF_MEMORY}
    wanted = {f"{prefix}_{name}" for prefix in ("fftw", "fftwf") for name in names}
    wanted |= set(re.findall(r"name='(fftwf?_mpi_\w+)'", fortran))
    return wanted


def main():
    nm, library, header, *fortran = sys.argv[1:]
    listed = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    found = {line.split()[-1] for line in listed.splitlines()}
    wanted = declared(Path(header).read_text(), "".join(Path(path).read_text() for path in fortran))
    missing, foreign = sorted(wanted - found), sorted(name for name in found if not re.match("fftwf?_", name))
    print(f"{len(wanted)} functions declared, {len(missing)} missing: {missing}; not of FFTW: {foreign}")
    # Less would mean that the headers were not understood.
    return 1 if missing or foreign or len(wanted) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
