# Recipe of Spack 1.0 or later for a checkout: spack repo add packaging/spack; spack dev-build weft@1.0.0
from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Weft(CMakePackage):
    """Distributed FFTs for MPI that weave communication into computation."""

    # There is no archive to be fetched yet: a checkout is what is built.
    version("1.0.0")

    license("BSD-3-Clause")

    variant("shared", default=False, description="Build the library as a shared one")
    variant("openmp", default=True, description="Threads in a rank")
    variant("tools", default=True, description="Build the programs, weft-npb and others")
    variant("fortran", default=True, description="Build the Fortran module")
    variant("drop_in", default=False, description="Build the drop-in for FFTW-MPI")
    variant("mkl", default=False, description="oneMKL's FFT as a backend")
    variant("python", default=False, description="Install the Python package and the command weft")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.22:", type="build")
    depends_on("mpi@3.1:")
    depends_on("fftw@3: precision=float,double")
    depends_on("fftw +mpi", when="+drop_in")
    depends_on("intel-oneapi-mkl", when="+mkl")
    depends_on("nlohmann-json")
    depends_on("tomlplusplus")
    depends_on("cli11", when="+tools")
    depends_on("highway", when="+tools")

    extends("python@3.10:", when="+python")
    with when("+python"):
        depends_on("py-nanobind@2.4:", type="build")
        depends_on("py-mpi4py@3.1:", type=("build", "run"))
        depends_on("py-numpy@1.24:", type=("build", "run"))
        depends_on("py-rich@13.0:", type=("build", "run"))
        depends_on("py-tomli@2.0:", type=("build", "run"), when="^python@:3.10")
        depends_on("py-tomli-w@1.0:", type=("build", "run"))
        depends_on("py-typer@0.12:", type=("build", "run"))

    conflicts("+shared", when="+python", msg="the Python package finds no shared library elsewhere")
    conflicts("%gcc@:10", msg="C++20 is needed")
    conflicts("%clang@:13", msg="C++20 is needed")

    def cmake_args(self):
        return [
            self.define("WEFT_BUILD_TESTS", False),
            self.define("MPI_CXX_COMPILER", self.spec["mpi"].mpicxx),
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
            self.define("WEFT_MKL", "ON" if self.spec.satisfies("+mkl") else "OFF"),
            self.define("WEFT_BUILD_FORTRAN", "ON" if self.spec.satisfies("+fortran") else "OFF"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("WEFT_OPENMP", "openmp"),
            self.define_from_variant("WEFT_BUILD_TOOLS", "tools"),
            self.define_from_variant("WEFT_BUILD_FFTW", "drop_in"),
            self.define_from_variant("WEFT_BUILD_PYTHON", "python"),
        ]

    # The Python package is not part of CMake's default installation.
    @run_after("install", when="+python")
    def install_python_package(self):
        cmake = Executable(self.spec["cmake"].prefix.bin.cmake)
        cmake("--install", self.build_directory, "--component", "python", "--prefix", python_platlib)

    @run_after("install", when="+python")
    def install_command(self):
        with open(join_path(self.prefix.bin, "weft"), "w") as file:
            file.write(f"#!{python.path}\nfrom weft.cli import main\n\nmain()\n")
        set_executable(join_path(self.prefix.bin, "weft"))
