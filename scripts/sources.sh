# shellcheck shell=bash
# What others wrote, which is never part of Weft: sources, and packages that are not installed, of Debian and Ubuntu. By an apt
# configuration of its own, so that the system's stays as it is.

# apt_of KIND FOLDER: makes that configuration in FOLDER/apt, for sources (KIND deb-src) or packages (deb), and sets `scratch`
# to the flags by which apt-get takes it.
apt_of() {
  local kind=$1 apt=$2/apt suite
  mkdir -p "$apt/lists/partial"
  # shellcheck source=/dev/null
  suite=$(. /etc/os-release && printf '%s %s\n' "$ID" "$VERSION_CODENAME")
  case $suite in
    debian\ *) printf '%s http://deb.debian.org/debian %s main\n' "$kind" "${suite#* }" ;;
    ubuntu\ *) printf '%s http://archive.ubuntu.com/ubuntu %s main universe\n' "$kind" "${suite#* }" ;;
    *) die "what others wrote is fetched from Debian and Ubuntu only" ;;
  esac >"$apt/sources.list"
  scratch=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$apt/lists" -o APT::Sandbox::User=root)
}

# fetch_source PACKAGE FOLDER: the upstream source of a source package into FOLDER/source, unless it is there.
fetch_source() {
  local package=$1 folder=$2 scratch=()
  [[ ! -e $folder/source ]] || return 0
  apt_of deb-src "$folder"
  # shellcheck disable=SC2016 # expanded by the other shell
  run_logged "$folder/fetch.log" "fetching the source of $package" env -C "$folder/apt" bash -c \
    'package=$1 && shift && apt-get "$@" update && apt-get "$@" source --download-only "$package"' _ "$package" "${scratch[@]}"
  mkdir -p "$folder/unpacked"
  tar xf "$folder/apt/$package"_*.orig.tar.* -C "$folder/unpacked" --strip-components=1
  mv "$folder/unpacked" "$folder/source"
}

# fetch_packages FOLDER PACKAGE...: the files of packages below FOLDER/unpacked, unless they are there. Nothing is installed.
fetch_packages() {
  local folder=$1 package scratch=()
  shift
  [[ ! -e $folder/unpacked ]] || return 0
  apt_of deb "$folder"
  rm -rf "$folder/parts"
  for package in "$@"; do
    # shellcheck disable=SC2016 # expanded by the other shell
    run_logged "$folder/fetch.log" "fetching $package" env -C "$folder/apt" bash -c \
      'package=$1 && shift && apt-get "$@" update && apt-get "$@" download "$package"' _ "$package" "${scratch[@]}"
    dpkg-deb --extract "$folder/apt/$package"_*.deb "$folder/parts"
  done
  mv "$folder/parts" "$folder/unpacked"
}
