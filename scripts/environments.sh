# shellcheck shell=bash
# The Python virtual environments, one for each MPI library, because mpi4py belongs to one: .venv/openmpi, .venv/mpich.

# python_fits PYTHON: is it recent enough, can it make environments, and are its headers there?
python_fits() {
  [[ -x $(command -v "$1") ]] && "$1" - 2>/dev/null <<'END'
import os, sys, sysconfig, venv, ensurepip
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(not (sys.version_info >= (3, 10) and os.path.exists(header)))
END
}

find_python() {
  local python
  for python in ${WEFT_PYTHON:+"$WEFT_PYTHON"} /usr/bin/python3 python3; do
    if python_fits "$python"; then
      command -v "$python"
      return
    fi
  done
  die "no Python found that is 3.10 or later and has the modules venv and ensurepip and the header Python.h \
(WEFT_PYTHON=PATH names one)"
}

# requirements PYTHON PART...: what pyproject.toml says that these parts take, one a line: build, run, an extra, or a group
# of what is needed here only. (pip has tomllib's forerunner where Python has not yet tomllib.)
requirements() {
  "$1" - "$ROOT/pyproject.toml" "${@:2}" <<'END'
import sys
try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib
with open(sys.argv[1], encoding="utf-8") as file:
    content = tomllib.loads(file.read())
parts = content["project"]["optional-dependencies"] | content["dependency-groups"]
parts |= {"build": content["build-system"]["requires"], "run": content["project"]["dependencies"]}
for part in sys.argv[2:]:
    print(*parts[part], sep="\n")
END
}

# need_environment MPI PURPOSE: make .venv/MPI, or bring it up to date when pyproject.toml has changed. Each purpose has
# what those before it have: demo (what ./run demo uses), use (all of Weft), test (tests, and peers to compare with).
need_environment() {
  local mpi=$1 purpose=$2 venv=$ROOT/.venv/${1:?} wanted part extras=(nifti plot)
  wanted=$(hash_of "$mpi" "$(cat "$ROOT/pyproject.toml" "$ROOT/scripts/environments.sh")")
  for part in "$purpose" use test; do
    [[ $part == use && $purpose == test ]] && continue
    if [[ -e $venv/weft-$wanted-$part.stamp && -x $venv/bin/python ]]; then return; fi
  done
  if [[ $purpose != demo ]]; then extras+=(hdf5 place); fi
  if [[ $purpose == test ]]; then extras+=(test wheels xarray); fi

  if ! python_fits "$venv/bin/python"; then
    rm -rf "$venv"
    run_logged "$ROOT/build/venv-$mpi.log" "making the virtual environment .venv/$mpi" "$(find_python)" -m venv "$venv"
  fi
  if [[ $purpose == test && $mpi == openmpi ]]; then extras+=(bench); fi
  requirements "$venv/bin/python" build run "${extras[@]}" >"$venv/requirements.txt"
  need_mpi4py "$mpi"
  run_logged "$ROOT/build/pip-$mpi.log" "installing Python packages into .venv/$mpi" \
    env MPICC="mpicc.$mpi" "$venv/bin/python" -m pip install --disable-pip-version-check -r "$venv/requirements.txt"
  write_programs "$mpi"
  find "$venv" -maxdepth 1 -name 'weft-*.stamp' ! -name "weft-$wanted-*" -delete
  touch "$venv/weft-$wanted-$purpose.stamp"
}

# mpi4py must use the MPI library that Weft is compiled with. Its wheels take what they find at run time: Open MPI can be
# asked for, but MPICH is looked for under a file name that Debian does not have, so there it is compiled, without
# optimisation because that is four times as quick and mpi4py is on no path that is measured.
need_mpi4py() {
  local mpi=$1 venv=$ROOT/.venv/${1:?} requirement
  local pip=("$venv/bin/python" -m pip install --disable-pip-version-check)
  requirement=$(grep '^mpi4py\b[^-]' "$venv/requirements.txt")
  if mpi4py_fits "$mpi"; then return; fi
  if [[ $mpi == openmpi ]]; then
    "$venv/bin/python" - <<'END'
import pathlib, sysconfig
path = pathlib.Path(sysconfig.get_paths()["purelib"], "weft_mpi4py.pth")
path.write_text("import os; os.environ.setdefault('MPI4PY_MPIABI', 'openmpi')\n")
END
    run_logged "$ROOT/build/mpi4py-$mpi.log" "installing mpi4py into .venv/$mpi" "${pip[@]}" "$requirement"
  fi
  if ! mpi4py_fits "$mpi"; then
    run_logged "$ROOT/build/mpi4py-$mpi.log" "compiling mpi4py for .venv/$mpi" \
      env MPICC="mpicc.$mpi" CFLAGS="-O0 -g0" \
      "${pip[@]}" --force-reinstall --no-deps --no-cache-dir --no-binary=mpi4py "$requirement"
  fi
  mpi4py_fits "$mpi" || die "mpi4py in .venv/$mpi does not use $mpi: $(mpi4py_library "$mpi")"
}

mpi4py_library() {
  "$ROOT/.venv/$1/bin/python" -c '
import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
print(MPI.Get_library_version().split("\n")[0])' 2>&1 | tr -d '\0' | tail -n 1
}

mpi4py_fits() {
  local name="Open MPI"
  [[ $1 == openmpi ]] || name=MPICH
  [[ $(mpi4py_library "$1") == "$name"* ]]
}

# mpiexec and the compilers of this MPI under their plain names, and the command weft. Scripts, not links: Open MPI looks
# for its files where its mpiexec is called from.
write_programs() {
  local program
  for program in mpiexec mpirun mpicc mpicxx; do
    printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$program.$1")" >"$ROOT/.venv/$1/bin/$program"
    chmod +x "$ROOT/.venv/$1/bin/$program"
  done
  printf '#!/bin/sh\nexec "%s/bin/python" -m weft "$@"\n' "$ROOT/.venv/$1" >"$ROOT/.venv/$1/bin/weft"
  chmod +x "$ROOT/.venv/$1/bin/weft"
}

# in_environment MPI COMMAND...: with the virtual environment, the build and its Python package found first.
in_environment() {
  local mpi=$1 build=$ROOT/build/$1
  shift
  (
    export VIRTUAL_ENV=$ROOT/.venv/$mpi
    export PATH=$VIRTUAL_ENV/bin:$build/bin:$PATH
    export PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH}
    unset PYTHONHOME WEFT_MPI WEFT_PYTHON # for this script; the library takes variables WEFT_* as options
    # More ranks than processors, and root (containers), are allowed; the second lines are for Open MPI 5.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    if [[ -e $build/lib/weft_test_yield.so ]]; then # see tests/support/yield.c
      export LD_PRELOAD=$build/lib/weft_test_yield.so${LD_PRELOAD:+:$LD_PRELOAD}
    fi
    exec "$@"
  )
}

# need_tools EXTRA WHAT: the virtual environment .venv/EXTRA with what that extra or group of pyproject.toml names, without
# Weft's own environment.
need_tools() {
  local extra=$1 what=$2 venv=$ROOT/.venv/$1 wanted
  wanted=$(hash_of "$(cat "$ROOT/pyproject.toml")")
  if [[ -e $venv/weft-$wanted.stamp ]]; then return; fi
  rm -rf "$venv"
  run_logged "$ROOT/build/venv-$extra.log" "making the virtual environment .venv/$extra" "$(find_python)" -m venv "$venv"
  requirements "$venv/bin/python" "$extra" >"$venv/requirements.txt"
  run_logged "$ROOT/build/pip-$extra.log" "installing $what into .venv/$extra" \
    "$venv/bin/python" -m pip install --disable-pip-version-check --progress-bar off -r "$venv/requirements.txt"
  touch "$venv/weft-$wanted.stamp"
}
