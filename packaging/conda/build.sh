#!/usr/bin/env bash
set -euo pipefail
# The drop-in must share the FFTW of the program that it is loaded into, which is FFTW with MPI: another package.
export CMAKE_ARGS="$CMAKE_ARGS -DMPI_CXX_COMPILER=$PREFIX/bin/mpicxx -DWEFT_MKL=OFF -DWEFT_BUILD_FFTW=OFF"
"$PYTHON" -m pip install . -vv --no-deps --no-build-isolation
