# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for Spack: put this folder into a repository of yours as packages/accrue, and `spack install accrue +cuda cuda_arch=90`."""
from spack.package import *


class Accrue(CMakePackage, CudaPackage, ROCmPackage):
    """Parallel reductions with one answer: exactly rounded sums, dots, norms and moments, the same bits on every backend, processor and
    thread count, at the speed of memory."""

    homepage = "https://example.org/accrue"  # where you keep it
    git = "https://example.org/accrue.git"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("openmp", default=True, description="OpenMP backend")
    variant("kokkos", default=False, description="Kokkos backend")
    variant("mpi", default=False, description="Reductions over the ranks of a communicator")
    variant("nccl", default=False, when="+cuda", description="Reductions over the GPUs of an NCCL communicator")
    variant("c", default=True, description="C interface")
    variant("fortran", default=False, when="+c", description="Fortran module over it")
    variant("shared", default=True, description="Shared libraries")
    variant("tools", default=False, description="The accrue program")

    depends_on("c", type="build", when="+c")
    depends_on("c", type="build", when="+mpi")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("cmake@3.26:", type="build", when="+cuda")  # CUDA as C++20
    depends_on("cmake@3.28:", type="build", when="+rocm")  # HIP over CUDA
    depends_on("highway@1.0.3:")
    depends_on("kokkos@3.4:", when="+kokkos")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.4:", when="+cuda")
    depends_on("nccl@2.10:", when="+nccl")
    depends_on("hip@5.2:", when="+rocm")
    with when("+tools"):
        depends_on("cli11")
        depends_on("fmt")
        depends_on("nlohmann-json")
    with default_args(type="test"):
        depends_on("catch2@3:")
        depends_on("mpfr")
        depends_on("gmp")
        depends_on("python@3:")

    conflicts("+cuda", when="+rocm", msg="the kernels of CUDA and HIP have the same names: build them apart")

    def cmake_args(self):
        backends = ["serial"]
        names = {"openmp": "openmp", "cuda": "cuda", "rocm": "hip", "kokkos": "kokkos", "mpi": "mpi", "nccl": "nccl"}
        for variant_name, backend in names.items():
            if self.spec.satisfies("+" + variant_name):
                backends.append(backend)
        args = [
            self.define("ACCRUE_BACKENDS", ";".join(backends)),
            self.define("ACCRUE_BUILD_TESTS", self.run_tests),
            self.define_from_variant("ACCRUE_BUILD_C", "c"),
            self.define_from_variant("ACCRUE_BUILD_FORTRAN", "fortran"),
            self.define_from_variant("ACCRUE_BUILD_TOOLS", "tools"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
        # "none", the default of these variants, leaves the choice to the build.
        for variant_name, variable, of in (("cuda", "CMAKE_CUDA_ARCHITECTURES", "cuda_arch"), ("rocm", "CMAKE_HIP_ARCHITECTURES", "amdgpu_target")):
            chosen = [a for a in self.spec.variants[of].value if a != "none"] if self.spec.satisfies("+" + variant_name) else []
            if chosen:
                args.append(self.define(variable, chosen))
        return args
