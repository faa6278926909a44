# SPDX-License-Identifier: BSD-3-Clause
"""The Spack recipe, executed with classes in the place of Spack's: its variants are options that the build has, its arguments configure.

python3 test_spack.py SOURCE BUILD CXX"""
import contextlib
import pathlib
import re
import subprocess
import sys
import types

SOURCE, BUILD, CXX = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
variants, dependencies, refused = {}, [], []


class Spec:
    def __init__(self, on, values):
        self.on = on
        self.variants = {name: types.SimpleNamespace(value=value) for name, value in values.items()}

    def satisfies(self, text):
        return all((name in self.on) == (sign == "+") for sign, name in re.findall(r"([+~])(\w+)", text))


class CMakePackage:
    run_tests = False

    @staticmethod
    def define(name, value):
        if isinstance(value, bool):
            return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
        return f"-D{name}:STRING={value if isinstance(value, str) else ';'.join(value)}"

    def define_from_variant(self, name, variant):
        assert variant in variants, variant
        return self.define(name, variant in self.spec.on)


@contextlib.contextmanager
def scope(*_, **__):
    yield


words = {
    "CMakePackage": CMakePackage,
    "CudaPackage": type("CudaPackage", (), {}),
    "ROCmPackage": type("ROCmPackage", (), {}),
    "license": lambda *a, **k: None,
    "version": lambda *a, **k: None,
    "variant": lambda name, **k: variants.update({name: k}),
    "depends_on": lambda spec, **k: dependencies.append(spec.split("@")[0]),
    "conflicts": lambda spec, **k: refused.append(spec),
    "when": scope,
    "default_args": scope,
}
spack, package = types.ModuleType("spack"), types.ModuleType("spack.package")
package.__dict__.update(words)
package.__all__ = list(words)
sys.modules.update({"spack": spack, "spack.package": package})
recipe = {}
exec(compile((SOURCE / "packaging/spack/package.py").read_text(), "package.py", "exec"), recipe)

known = re.search(r"set\(ACCRUE_KNOWN_BACKENDS ([^)]*)\)", (SOURCE / "cmake/accrue_options.cmake").read_text()).group(1).split()
options = set(re.findall(r"(?:option\(|cmake_dependent_option\()(ACCRUE_\w+)", (SOURCE / "cmake/accrue_options.cmake").read_text()))


def arguments(on, **values):
    made = recipe["Accrue"]()
    made.spec = Spec(on, {"cuda_arch": ("none",), "amdgpu_target": ("none",), **values})
    return made.cmake_args()


def value(args, name):
    return next((a.split("=", 1)[1] for a in args if a.startswith(f"-D{name}:")), None)


backends = set()
for variant in [*variants, "cuda", "rocm"]:
    args = arguments({variant})
    backends |= set(value(args, "ACCRUE_BACKENDS").split(";"))
    assert {re.match(r"-D(\w+)", a).group(1) for a in args} - {"ACCRUE_BACKENDS", "BUILD_SHARED_LIBS"} <= options, args
assert backends == set(known), (backends, known)
assert value(arguments({"cuda"}), "CMAKE_CUDA_ARCHITECTURES") is None
assert value(arguments({"cuda"}, cuda_arch=("80", "90")), "CMAKE_CUDA_ARCHITECTURES") == "80;90"
assert value(arguments({"rocm"}, amdgpu_target=("gfx90a",)), "CMAKE_HIP_ARCHITECTURES") == "gfx90a"
assert refused == ["+cuda"] and {"highway", "mpi", "kokkos", "cuda", "hip", "catch2"} <= set(dependencies), dependencies
for on in ({"openmp", "c", "shared"}, {"c", "fortran", "shared"}, set()):
    subprocess.run(["cmake", "-S", SOURCE, "-B", BUILD, "--fresh", f"-DCMAKE_CXX_COMPILER={CXX}", *arguments(on)], check=True, capture_output=True)
print("the recipe's arguments configure")
