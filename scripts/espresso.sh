# shellcheck shell=bash
# Wave functions of real calculations: pw.x of Quantum ESPRESSO, run once for each input.

# need_wave_functions INPUT: run pw.x on INPUT, unless it has been, and print the folder PREFIX.save that it leaves.
need_wave_functions() {
  local input=$1 name folder beside ranks preload='' pseudo=${ESPRESSO_PSEUDO:-/usr/share/espresso/pseudo} saved
  [[ -r $input ]] || die "cannot read the input '$input' for pw.x"
  name=$(basename "$input" .in)
  folder=$ROOT/build/espresso/$name-$(hash_of "$(cat "$input")")
  mkdir -p "$ROOT/build/espresso"
  exec 8>"$folder.lock"
  flock 8
  if [[ ! -d $folder ]]; then
    need_packages espresso
    beside=$folder.unfinished
    rm -rf "$beside"
    mkdir "$beside"
    ranks=$(($(nproc) < 4 ? $(nproc) : 4))
    if [[ $(dpkg-query -W -f '${Version}' quantum-espresso 2>/dev/null) == *build* ]]; then
      preload=$(without_length_check "$beside")
    fi
    # Debian's pw.x is of Open MPI, whichever MPI library Weft is built with. Inputs name neither folder.
    run_logged "$beside/pw.log" "running pw.x on $(basename "$input")" \
      env -C "$beside" LD_PRELOAD="$preload" ESPRESSO_TMPDIR="$beside" ESPRESSO_PSEUDO="$pseudo" OMP_NUM_THREADS=1 \
      OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
      mpirun.openmpi -n "$ranks" pw.x -in "$(realpath "$input")"
    mv "$beside" "$folder"
  fi
  exec 8>&-
  saved=("$folder"/*.save)
  printf '%s\n' "${saved[0]}"
}

# without_length_check FOLDER: print a library for LD_PRELOAD. Ubuntu 24.04's pw.x (6.7-2build4) hands snprintf a length that
# is larger than the text's memory, of which it never writes so much; Ubuntu's compiler makes that the end of the program.
without_length_check() {
  cc -O1 -U_FORTIFY_SOURCE -shared -fPIC -x c -o "$1/unchecked.so" - <<'END'
#include <stdarg.h>
#include <stdio.h>
int __snprintf_chk(char* to, size_t most, int flag, size_t room, const char* format, ...) {
  va_list values;
  (void)flag, (void)room;
  va_start(values, format);
  const int written = vsnprintf(to, most, format, values);
  va_end(values);
  return written;
}
END
  printf '%s\n' "$1/unchecked.so"
}
