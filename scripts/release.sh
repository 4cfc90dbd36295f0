# shellcheck shell=bash
# What a release is made of, in dist/: the archive of the sources, the source distribution and wheels, Debian packages, the
# documentation as a site, a list of the work of others that is in them (SPDX), and the checksums of all.

RELEASE_PARTS=(archive wheels packages docs)

# release [--trial] [PART...]: all parts if none is named. The list and the checksums are of what dist/ then holds.
make_release() {
  local version part parts=() trial='' folder=$ROOT/build/release
  for part in "$@"; do
    if [[ $part == --trial ]]; then
      trial=yes
    elif [[ " ${RELEASE_PARTS[*]} " == *" $part "* ]]; then
      parts+=("$part")
    else
      die "release: '$part' is none of ${RELEASE_PARTS[*]}, --trial"
    fi
  done
  [[ ${#parts[@]} -gt 0 ]] || parts=("${RELEASE_PARTS[@]}")
  version=$(version_of_weft)
  check_release "$version" "$trial"
  # Whoever makes it again from this commit gets the same dates.
  SOURCE_DATE_EPOCH=$(git -C "$ROOT" log -1 --format=%ct)
  export SOURCE_DATE_EPOCH
  rm -rf "$folder"
  mkdir -p "$folder" "$ROOT/dist"
  [[ ${#parts[@]} -lt ${#RELEASE_PARTS[@]} ]] || rm -rf "${ROOT:?}/dist/"*
  for part in "${parts[@]}"; do
    case $part in
      archive) make_twice "weft-$version.tar.gz" pack_sources "$version" ;;
      wheels)
        make_wheels
        make_sdist "$folder"
        require_same "$ROOT/dist/weft_fft-$version.tar.gz" "$folder/weft_fft-$version.tar.gz"
        ;;
      packages) make_debian_packages ;;
      docs) make_twice "weft-$version-docs.tar.gz" pack_docs "$version" ;;
    esac
  done
  rm -f "$ROOT/dist/SHA256SUMS" "$ROOT/dist/"*.spdx.json
  python3 "$ROOT/scripts/sbom.py" "$version" "$(git -C "$ROOT" rev-parse HEAD)" "$ROOT"/dist/* >"$folder/weft-$version.spdx.json"
  mv "$folder/weft-$version.spdx.json" "$ROOT/dist/"
  (cd "$ROOT/dist" && sha256sum -- * >"$folder/SHA256SUMS" && mv "$folder/SHA256SUMS" .)
  say "made in dist/: $(cd "$ROOT/dist" && echo *)"
}

# check_release VERSION TRIAL: a release is of what is committed, and the changelog has its day. A trial may be without.
check_release() {
  local head reasons=() reason
  head=$(sed -n '/^## /{p;q}' "$ROOT/CHANGELOG.md")
  [[ $head =~ ^"## $1 - "[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] || reasons+=("CHANGELOG.md begins with '$head', not with '## $1 - DATE'")
  [[ -z $(git -C "$ROOT" status --porcelain) ]] || reasons+=("some changes are not committed, and the archive would be without them")
  [[ ${#reasons[@]} -gt 0 ]] || return 0
  for reason in "${reasons[@]}"; do say "no release yet: $reason"; done
  [[ -n $2 ]] || die "release: see above; --trial makes one all the same"
}

# make_twice NAME COMMAND...: COMMAND FILE writes the file; dist/NAME is it if it does so again with the same bytes.
make_twice() {
  local name=$1 folder=$ROOT/build/release time
  shift
  for time in first second; do
    mkdir -p "$folder/$time"
    "$@" "$folder/$time/$name"
  done
  require_same "$folder/first/$name" "$folder/second/$name"
  mv "$folder/first/$name" "$ROOT/dist/$name"
  say "made dist/$name, twice, with the same bytes"
}

# pack_sources VERSION FILE
pack_sources() { git -C "$ROOT" archive --format=tar --prefix="weft-$1/" HEAD | gzip -9n >"$2"; }

# require_same FIRST SECOND
require_same() { cmp "$1" "$2" || die "release: ${1##*/} is not the same when it is made again"; }

# pack_docs VERSION FILE
pack_docs() {
  build_docs
  tar c -C "$ROOT/build" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --transform "s,^docs,weft-$1-docs," docs | gzip -9n >"$2"
}
