# shellcheck shell=bash
# Sources of what others wrote, which are never part of Weft: from Debian's and Ubuntu's source packages.

# fetch_source PACKAGE FOLDER: the upstream source of a source package into FOLDER/source, unless it is there. By an apt
# configuration of its own, so that the system's stays as it is.
fetch_source() {
  local package=$1 folder=$2 apt=$2/apt suite
  [[ ! -e $folder/source ]] || return 0
  mkdir -p "$apt/lists/partial"
  # shellcheck source=/dev/null
  suite=$(. /etc/os-release && printf '%s %s\n' "$ID" "$VERSION_CODENAME")
  case $suite in
    debian\ *) printf 'deb-src http://deb.debian.org/debian %s main\n' "${suite#* }" ;;
    ubuntu\ *) printf 'deb-src http://archive.ubuntu.com/ubuntu %s main universe\n' "${suite#* }" ;;
    *) die "sources are fetched from Debian and Ubuntu only; put that of $package into $folder/source" ;;
  esac >"$apt/sources.list"
  local scratch=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$apt/lists" -o APT::Sandbox::User=root)
  # shellcheck disable=SC2016 # expanded by the other shell
  run_logged "$folder/fetch.log" "fetching the source of $package" env -C "$apt" bash -c \
    'package=$1 && shift && apt-get "$@" update && apt-get "$@" source --download-only "$package"' _ "$package" "${scratch[@]}"
  mkdir -p "$folder/unpacked"
  tar xf "$apt/$package"_*.orig.tar.* -C "$folder/unpacked" --strip-components=1
  mv "$folder/unpacked" "$folder/source"
}
