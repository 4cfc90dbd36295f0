# shellcheck shell=bash
# The documentation as a site: MkDocs, as mkdocs.yml says, with the command line's own words about itself.

build_docs() {
  local mpi venv=$ROOT/.venv/docs
  mpi=$(chosen_mpi)
  prepare "$mpi" use weft_python weft-npb weft-bench weft-kernels weft-verify weft-sort
  need_tools docs "MkDocs"
  say "asking the commands for their help"
  in_environment "$mpi" python "$ROOT/scripts/docs/command_line.py" >"$ROOT/build/docs-command-line.md" ||
    die "a command has no help: see above"
  # The variable is of the theme Material, which would advertise its successor. The script mkdocs would name the checkout that
  # made the environment, which others may share.
  run_logged "$ROOT/build/docs.log" "building the site" \
    env -C "$ROOT" NO_MKDOCS_2_WARNING=1 PATH="$venv/bin:$PATH" "$venv/bin/python" -m mkdocs build
  say "the site is in build/docs: open build/docs/index.html"
}
