# shellcheck shell=bash
# The definition of a container, packaging/apptainer/weft.def, tried without Apptainer.

# try_container: the steps of the definition in an empty system of the same distribution; they need root, as mmdebstrap does.
try_container() {
  local folder=$ROOT/build/container definition=$ROOT/packaging/apptainer/weft.def source target
  [[ $# -eq 0 ]] || die "container: '$1' is not known; it takes no arguments"
  [[ $(id -u) -eq 0 ]] || die "container: trying it needs root; apptainer build weft.sif packaging/apptainer/weft.def does without"
  need_packages debian
  rm -rf "$folder"
  mkdir -p "$folder"
  read -r source target < <(section files "$definition")
  pack_sources "$(version_of_weft)" "$folder/${source##*/}"
  {
    echo 'set -e'
    printf '(\n%s\n)\n' "$(section post "$definition")"
    section environment "$definition"
    echo 'cd /tmp'
    section test "$definition"
  } >"$folder/steps"
  # With the certificates that this machine trusts beyond Debian's: it may be behind a proxy.
  run_logged "$folder/steps.log" "making the container's system, and using what is in it" \
    mmdebstrap --mode=root --variant=minbase \
    --customize-hook="[ ! -d /usr/local/share/ca-certificates ] || cp -r /usr/local/share/ca-certificates \"\$1/usr/local/share/\"" \
    --customize-hook="cp '$folder/${source##*/}' \"\$1$target\"; cp '$folder/steps' \"\$1/opt\"" \
    --customize-hook="chroot \"\$1\" sh /opt/steps" \
    "$(sed -n 's/^From: debian:12$/bookworm/p' "$definition")" /dev/null
  say "the container's steps work in an empty system"
}

# section NAME FILE: the lines of a section of the definition.
section() { awk -v name="%$1" '/^%/ { inside = ($1 == name); next } inside && NF' "$2"; }
