# shellcheck shell=bash
# Formats the sources and checks them, as .pre-commit-config.yaml says.

format_sources() {
  local venv=$ROOT/.venv/format
  need_packages format
  if [[ ! -x $venv/bin/pre-commit ]]; then
    rm -rf "$venv"
    run_logged "$ROOT/build/venv-format.log" "making the virtual environment .venv/format" "$(find_python)" -m venv "$venv"
    run_logged "$ROOT/build/pip-format.log" "installing pre-commit" \
      "$venv/bin/python" -m pip install --disable-pip-version-check "pre-commit>=3.5"
  fi
  env -C "$ROOT" "$venv/bin/pre-commit" run --all-files "$@"
}
