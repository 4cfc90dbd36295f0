# shellcheck shell=bash
# The documentation as a site: MkDocs, as mkdocs.yml says, with the command line's own words about itself.

build_docs() {
  local mpi venv=$ROOT/.venv/docs wanted
  mpi=$(chosen_mpi)
  prepare "$mpi" use weft_python weft-npb weft-bench weft-kernels weft-verify weft-sort
  wanted=$(hash_of "$(cat "$ROOT/pyproject.toml")")
  if [[ ! -e $venv/weft-$wanted.stamp ]]; then
    rm -rf "$venv"
    run_logged "$ROOT/build/venv-docs.log" "making the virtual environment .venv/docs" "$(find_python)" -m venv "$venv"
    requirements "$venv/bin/python" docs >"$venv/requirements.txt"
    run_logged "$ROOT/build/pip-docs.log" "installing MkDocs into .venv/docs" \
      "$venv/bin/python" -m pip install --disable-pip-version-check --progress-bar off -r "$venv/requirements.txt"
    touch "$venv/weft-$wanted.stamp"
  fi
  say "asking the commands for their help"
  in_environment "$mpi" python "$ROOT/scripts/docs/command_line.py" >"$ROOT/build/docs-command-line.md" ||
    die "a command has no help: see above"
  # The variable is of the theme Material, which would advertise its successor.
  run_logged "$ROOT/build/docs.log" "building the site" \
    env -C "$ROOT" NO_MKDOCS_2_WARNING=1 PATH="$venv/bin:$PATH" "$venv/bin/mkdocs" build
  say "the site is in build/docs: open build/docs/index.html"
}
