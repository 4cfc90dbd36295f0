# shellcheck shell=bash
# Debian packages, as packaging/debian describes them. What is made lies in dist/.

# package: made, looked at by lintian, and, with root and mmdebstrap, installed in an empty system and used there.
make_debian_packages() {
  local folder=$ROOT/build/package source version profiles=()
  [[ $# -eq 0 ]] || die "package: '$1' is not known; it takes no arguments"
  need_packages openmpi mpich debian
  if apt-cache show python3-nanobind >/dev/null 2>&1; then
    need_packages openmpi mpich debian debian-python
  else
    profiles=(--build-profiles=pkg.weft.nopython)
    say "without python3-weft: this distribution has no nanobind"
  fi
  version=$(sed -n '1s/^weft (\(.*\)) .*/\1/p' "$ROOT/packaging/debian/changelog")
  source=$folder/weft-$version
  rm -rf "$folder"
  mkdir -p "$source" "$ROOT/dist"
  sources_of_checkout | tar c -C "$ROOT" --null -T - | tar x -C "$source"
  cp -r "$ROOT/packaging/debian" "$source/debian"
  # Without symbols for debuggers, which would take longer than the rest.
  run_logged "$folder/build.log" "building Debian packages" env -C "$source" DEB_BUILD_OPTIONS=noautodbgsym \
    DEB_CFLAGS_STRIP=-g DEB_CXXFLAGS_STRIP=-g DEB_FFLAGS_STRIP=-g DEB_FCFLAGS_STRIP=-g dpkg-buildpackage -b -us -uc "${profiles[@]}" -j"$JOBS"
  run_logged "$folder/lintian.log" "asking lintian" lintian --fail-on error,warning --info --allow-root "$folder"/weft_*.changes
  rm -f "$ROOT"/dist/*.deb
  cp "$folder"/*.deb "$ROOT/dist/"
  say "made: $(cd "$ROOT/dist" && echo *.deb)"
  if [[ $(id -u) -ne 0 ]]; then
    say "not tried in an empty system, which needs root"
    return
  fi
  run_logged "$folder/use.log" "installing them in an empty system, and using them there" \
    mmdebstrap --mode=root --variant=minbase --include=ca-certificates \
    --customize-hook="mkdir -p \"\$1/packages\" \"\$1/weft\"" \
    --customize-hook="cp $folder/*.deb \"\$1/packages\"; cp -r $source/examples $source/debian \"\$1/weft\"" \
    --customize-hook="chroot \"\$1\" sh /weft/debian/tests/in_empty_system" \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" /dev/null
  say "they work in an empty system"
}

# The names of the checkout's files, without what is built.
sources_of_checkout() {
  if git -C "$ROOT" rev-parse --git-dir >/dev/null 2>&1; then
    git -C "$ROOT" ls-files -z --cached --others --exclude-standard
  else
    (cd "$ROOT" && find . \( -path ./build -o -path ./.venv -o -path ./dist \) -prune -o -type f -print0)
  fi
}
