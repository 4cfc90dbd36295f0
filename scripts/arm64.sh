# shellcheck shell=bash
# 64-bit Arm on another processor: what is built by Debian's cross compiler is run by QEMU.

# need_arm64: Debian's packages of Arm that Weft takes, unpacked in build/arm64-root, and beside them what CMake takes for
# MPICH's compilers there (those in the packages are for an Arm machine).
need_arm64() {
  local folder=$ROOT/build/arm64-root wanted packages name compiler
  packages=libc6-dev,libstdc++-12-dev,libgomp1,libmpich-dev,libfftw3-dev,libgtest-dev,nlohmann-json3-dev,libtomlplusplus-dev
  wanted=$(hash_of "$(cat "$ROOT/scripts/arm64.sh")")
  if [[ -e $folder/weft-$wanted.stamp ]]; then return; fi
  rm -rf "$folder"
  run_logged "$ROOT/build/arm64-root.log" "unpacking Debian's packages for 64-bit Arm into build/arm64-root" \
    mmdebstrap --variant=extract --architectures=arm64 --include=$packages "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$folder"
  for name in cc:gcc cxx:g++; do
    compiler=aarch64-linux-gnu-${name#*:}
    cat >"$folder/mpi${name%:*}" <<END
#!/bin/sh
# FindMPI asks with -show.
root=\$(dirname "\$0")/usr
show=\$1
if [ "\$show" = -show ]; then shift; fi
set -- $compiler "\$@" -I"\$root/include/aarch64-linux-gnu/mpich" -L"\$root/lib/aarch64-linux-gnu" -lmpich
if [ "\$show" = -show ]; then echo "\$@"; else exec "\$@"; fi
END
    chmod +x "$folder/mpi${name%:*}"
  done
  touch "$folder/weft-$wanted.stamp"
}
