# shellcheck shell=bash
# The source distribution, and wheels that run without a compiler: one for each MPI library and one for the standard ABI of
# MPI, each tried in an empty virtual environment. What is made lies in dist/.

# wheels [openmpi|mpich|mpiabi]...: all if none is named.
make_wheels() {
  local mpi venv=$ROOT/.venv/wheels folder=$ROOT/build/wheels sdist
  if [[ $# -eq 0 ]]; then set -- openmpi mpich mpiabi; fi
  for mpi in "$@"; do
    case $mpi in
      openmpi | mpich) need_packages "$mpi" ;;
      mpiabi)
        need_packages mpich5
        need_tools mpich5 "an MPI library"
        ;;
      *) die "wheels: '$mpi' is none of openmpi, mpich, mpiabi" ;;
    esac
  done
  need_tools wheels "build and auditwheel"
  rm -rf "$folder"
  mkdir -p "$folder" "$ROOT/dist"
  make_sdist "$folder/sdist"
  sdist=$(ls "$folder"/sdist/*.tar.gz)
  "$venv/bin/python" "$ROOT/scripts/wheels.py" check-sdist "$sdist" || die "the source distribution holds what it should not"
  cp "$sdist" "$ROOT/dist/"
  say "made dist/${sdist##*/}"
  for mpi in "$@"; do make_wheel "$mpi" "$sdist"; done
}

# make_sdist FOLDER
make_sdist() {
  run_logged "$ROOT/build/wheels/sdist.log" "making the source distribution" \
    "$ROOT/.venv/wheels/bin/python" -m build --sdist --outdir "$1" "$ROOT"
}

# make_wheel MPI SDIST: the wheel weft-fft-MPI, compiled from the source distribution, with PyPI's tools alone.
make_wheel() {
  local mpi=$1 sdist=$2 venv=$ROOT/.venv/wheels folder=$ROOT/build/wheels/$1 wheel settings
  mkdir -p "$folder/source"
  tar xf "$sdist" -C "$folder/source" --strip-components=1
  "$venv/bin/python" "$ROOT/scripts/wheels.py" variant "$folder/source/pyproject.toml" "$mpi"
  # An mpiexec of this machine is not that of the machine where the wheel goes, and the drop-in must share the FFTW of the
  # program that it is loaded into.
  local compiler="-DMPI_CXX_COMPILER=mpicxx.$mpi"
  if [[ $mpi == mpiabi ]]; then compiler="-DMPI_CXX_COMPILER=$ROOT/.venv/mpich5/bin/mpicxx_abi"; fi
  settings="$compiler -DCMAKE_CXX_COMPILER=c++ -DCMAKE_UNITY_BUILD=ON -DWEFT_MKL=OFF \
-DWEFT_BUILD_FFTW=OFF -DWEFT_PYTHON_MPIEXEC="
  run_logged "$folder/build.log" "compiling weft-fft-$mpi" env CCACHE_BASEDIR="$folder/source" CMAKE_ARGS="$settings" \
    CMAKE_BUILD_PARALLEL_LEVEL="$JOBS" "$venv/bin/python" -m build --wheel --outdir "$folder/compiled" "$folder/source"
  run_logged "$folder/repair.log" "putting libraries into the wheel" \
    "$venv/bin/python" "$ROOT/scripts/wheels.py" repair "$(ls "$folder"/compiled/*.whl)" "$folder/wheel"
  wheel=$(ls "$folder"/wheel/*.whl)
  try_wheel "$mpi" "$wheel"
  cp "$wheel" "$ROOT/dist/"
  say "made dist/${wheel##*/}"
}

# try_wheel MPI WHEEL: install it with its MPI library from PyPI in an empty environment, and use it; Open MPI's with that
# of this machine, too, and that for the standard ABI with Intel MPI.
try_wheel() {
  local mpi=$1 wheel=$2 folder=$ROOT/build/wheels/$1 extra extras=('[mpi]') others=()
  case $mpi in
    openmpi) extras+=('') ;; # Debian's MPICH has another file name than MPICH's own
    mpiabi)
      extras+=('[impi]')
      make_mpi4py_for_abi "$folder/mpi4py"
      others=("$folder"/mpi4py/*.whl)
      ;;
  esac
  for extra in "${extras[@]}"; do
    rm -rf "$folder/venv" "$folder/elsewhere"
    mkdir "$folder/elsewhere"
    run_logged "$folder/venv.log" "making an empty environment" "$(find_python)" -m venv "$folder/venv"
    run_logged "$folder/install.log" "installing ${wheel##*/}$extra" "$folder/venv/bin/python" -m pip install \
      --disable-pip-version-check --only-binary :all: "$wheel$extra" "${others[@]}"
    run_logged "$folder/try.log" "using it" env -i -C "$folder/elsewhere" PATH=/usr/bin:/bin HOME="$HOME" \
      "$folder/venv/bin/python" "$ROOT/scripts/wheels.py" try "$mpi"
    say "$(tail -n 1 "$folder/try.log")"
  done
}

# make_mpi4py_for_abi FOLDER: a wheel of mpi4py for the standard ABI, since PyPI has none.
make_mpi4py_for_abi() {
  local venv=$ROOT/.venv/wheels
  run_logged "$1.log" "compiling mpi4py for the standard ABI" env MPICC="$ROOT/.venv/mpich5/bin/mpicc_abi" CFLAGS="-O0 -g0" \
    "$venv/bin/python" -m pip wheel --disable-pip-version-check --no-deps --no-cache-dir --no-binary=mpi4py \
    --wheel-dir "$1/compiled" "$(requirements "$venv/bin/python" run | grep '^mpi4py\b[^-]')"
  run_logged "$1.log" "having it find any MPI library" \
    "$venv/bin/python" "$ROOT/scripts/wheels.py" repair "$(ls "$1"/compiled/*.whl)" "$1"
}
