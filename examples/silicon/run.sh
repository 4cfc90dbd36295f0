#!/usr/bin/env bash
# Runs pw.x on an input of this folder (si8-gamma unless another one is named), then compares the density of its wave functions
# with pw.x's own: examples/silicon/run.sh [INPUT.in] [OPTIONS OF weft planewave, e.g. -n 2]
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
input=$HERE/si8-gamma.in
if [[ ${1:-} == *.in ]]; then
  input=$1
  shift
fi
folder=$("$HERE/../../run" espresso "$input")
exec "$HERE/../../run" weft planewave --wfc "$folder" "$@"
