# shellcheck shell=bash
# For examples that build another program as it is and with Weft.

for part in common packages; do
  # shellcheck source=/dev/null
  source "$ROOT/scripts/$part.sh"
done

# fetch_source PACKAGE NAME: source_folder is then the source package of Debian or Ubuntu in $BUILD/debian/source, from the archive
# that apt uses, but without changing apt's configuration.
fetch_source() {
  local package=$1 name=$2 place=$BUILD/debian apt options
  source_folder=$place/source
  if [[ -d $source_folder ]]; then return; fi
  apt=$place/apt
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  # shellcheck disable=SC2016 # apt's variables
  apt-get indextargets --format '$(CREATED_BY) deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' |
    sed -n 's/^Packages //p' | sort -u >"$apt/sources.list"
  [[ -s $apt/sources.list ]] || die "apt knows no archive to fetch the source from: run apt-get update, or name one with --source"
  options=(-o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$apt/lists"
    -o "Dir::Cache=$apt/cache" -o Acquire::Retries=3 -o "APT::Sandbox::User=$(id -un)")
  run_logged "$place/update.log" "reading the lists of source packages" apt-get "${options[@]}" update
  rm -rf "$place/$package"-*
  run_logged "$place/source.log" "fetching the source of $name" env -C "$place" apt-get "${options[@]}" source "$package"
  mv "$place/$package"-*/ "$source_folder"
}

# make_programs FOLDER MESSAGE TARGET...
make_programs() { run_logged "$1.log" "$2" nice make -C "$1" -j "$JOBS" "${@:3}"; }

# install_weft PREFIX: of the build for $MPI, and pkg-config finds it.
install_weft() {
  rm -rf "$1"
  run_logged "$1.log" "installing Weft" \
    cmake --install "$ROOT/build/$MPI" --component library --prefix "$1"
  PKG_CONFIG_PATH=$(dirname "$(find "$1" -name weft-fortran.pc)")
  export PKG_CONFIG_PATH
}

# More ranks than processors, and root (containers), are allowed; the second lines are for Open MPI 5.
allow_any_ranks() {
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
}
