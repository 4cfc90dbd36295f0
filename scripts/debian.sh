# shellcheck shell=bash
# Debian packages, as packaging/debian describes them. What is made lies in dist/.

# package [RELEASE]: made, looked at by lintian, and, with root and mmdebstrap, installed in an empty system and used there. Those
# of another release than this machine's are made in an empty system of it.
make_debian_packages() {
  local own release folder source version needed=(debian)
  [[ $# -le 1 ]] || die "package: '$2' is not known; it takes a release such as trixie, or nothing"
  own=$(. /etc/os-release && echo "$VERSION_CODENAME")
  release=${1:-$own}
  version=$(sed -n '1s/^weft (\(.*\)) .*/\1/p' "$ROOT/packaging/debian/changelog")
  folder=$ROOT/build/package
  if [[ $release != "$own" ]]; then
    [[ $(id -u) -eq 0 ]] || die "package: making those of $release in an empty system needs root"
    folder+=-$release
  else
    needed+=(openmpi mpich)
    without_python || needed+=(debian-python)
  fi
  need_packages "${needed[@]}"
  source=$folder/weft-$version
  rm -rf "$folder"
  mkdir -p "$source" "$ROOT/dist"
  sources_of_checkout | tar c -C "$ROOT" --null -T - | tar x -C "$source"
  cp -r "$ROOT/packaging/debian" "$source/debian"
  if [[ $release != "$own" ]]; then
    build_packages_of "$release" "$folder" "$source"
    say "made in build/package-$release: $(cd "$folder" && echo *.deb)"
  else
    if without_python; then
      export DEB_BUILD_PROFILES=pkg.weft.nopython
      say "without python3-weft: this distribution has no nanobind"
    fi
    run_logged "$folder/build.log" "building Debian packages" env -C "$source" "${PACKAGE_SETTINGS[@]}" dpkg-buildpackage -b -us -uc -j"$JOBS"
    run_logged "$folder/lintian.log" "asking lintian" lintian "${LINTIAN_SETTINGS[@]}" "$folder"/weft_*.changes
    rm -f "$ROOT"/dist/*.deb
    cp "$folder"/*.deb "$ROOT/dist/"
    say "made: $(cd "$ROOT/dist" && echo *.deb)"
  fi
  if [[ $(id -u) -ne 0 ]]; then
    say "not tried in an empty system, which needs root"
    return
  fi
  run_logged "$folder/use.log" "installing them in an empty system, and using them there" \
    mmdebstrap --mode=root --variant=minbase --include=ca-certificates \
    --customize-hook="mkdir -p \"\$1/packages\" \"\$1/weft\"" \
    --customize-hook="cp $folder/*.deb \"\$1/packages\"; cp -r $source/examples $source/debian \"\$1/weft\"" \
    --customize-hook="chroot \"\$1\" sh /weft/debian/tests/in_empty_system" \
    "$release" /dev/null
  say "they work in an empty system"
}

# Without symbols for debuggers, which would take longer than the rest.
PACKAGE_SETTINGS=(DEB_BUILD_OPTIONS=noautodbgsym DEB_CFLAGS_STRIP=-g DEB_CXXFLAGS_STRIP=-g DEB_FFLAGS_STRIP=-g DEB_FCFLAGS_STRIP=-g)
LINTIAN_SETTINGS=(--fail-on "error,warning" --info --allow-root)

# Whether this system has too little for the Python part.
without_python() { ! apt-cache show python3-nanobind >/dev/null 2>&1; }

# build_packages_of RELEASE FOLDER SOURCE: in an empty system of that release, with what the packages say that they need.
build_packages_of() {
  local release=$1 folder=$2 source=$3
  {
    echo 'set -eu'
    echo 'export DEBIAN_FRONTEND=noninteractive'
    declare -f without_python
    echo 'if without_python; then export DEB_BUILD_PROFILES=pkg.weft.nopython; fi'
    echo 'cd /build/source'
    echo 'apt-get build-dep -y --no-install-recommends .'
    echo 'apt-get install -y --no-install-recommends lintian'
    echo "env ${PACKAGE_SETTINGS[*]} dpkg-buildpackage -b -us -uc -j$JOBS"
    echo "lintian ${LINTIAN_SETTINGS[*]} ../weft_*.changes"
  } >"$folder/steps"
  run_logged "$folder/build.log" "building Debian packages in an empty system of $release" \
    mmdebstrap --mode=root --variant=buildd --include=ca-certificates \
    --customize-hook="mkdir \"\$1/build\"; cp -r $source \"\$1/build/source\"; cp $folder/steps \"\$1/build\"" \
    --customize-hook="chroot \"\$1\" bash /build/steps" \
    --customize-hook="cp \"\$1\"/build/*.deb $folder" \
    "$release" /dev/null
}

# The names of the checkout's files, without what is built.
sources_of_checkout() {
  if git -C "$ROOT" rev-parse --git-dir >/dev/null 2>&1; then
    git -C "$ROOT" ls-files -z --cached --others --exclude-standard
  else
    (cd "$ROOT" && find . \( -path ./build -o -path ./.venv -o -path ./dist \) -prune -o -type f -print0)
  fi
}
