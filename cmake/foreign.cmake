# SPDX-License-Identifier: BSD-3-Clause
# A toolchain file: builds for another processor with Debian's cross compilers, or with a clang beside them, and runs what was built under
# qemu's user-mode emulation, with the libraries that scripts/foreign_root.sh has unpacked.
# ACCRUE_FOREIGN: aarch64, riscv64, powerpc64le or s390x; ACCRUE_FOREIGN_CLANG: a clang++ instead of g++.
string(JOIN - accrue_root ${ACCRUE_FOREIGN} ${ACCRUE_FOREIGN_CLANG})
set(ACCRUE_FOREIGN_ROOT ${CMAKE_CURRENT_LIST_DIR}/../build/roots/${accrue_root})
cmake_path(NORMAL_PATH ACCRUE_FOREIGN_ROOT)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ACCRUE_FOREIGN ACCRUE_FOREIGN_CLANG)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${ACCRUE_FOREIGN})
set(accrue_triple ${ACCRUE_FOREIGN}-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE ${accrue_triple})
if(ACCRUE_FOREIGN_CLANG)
  set(CMAKE_CXX_COMPILER ${ACCRUE_FOREIGN_CLANG})
  set(CMAKE_CXX_COMPILER_TARGET ${accrue_triple})
else()
  set(CMAKE_CXX_COMPILER ${accrue_triple}-g++)
endif()

set(CMAKE_FIND_ROOT_PATH ${ACCRUE_FOREIGN_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
string(JOIN " " CMAKE_CXX_FLAGS_INIT
  -isystem \"${ACCRUE_FOREIGN_ROOT}/usr/include\" -isystem \"${ACCRUE_FOREIGN_ROOT}/usr/include/${accrue_triple}\")
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--allow-shlib-undefined)  # the root's C library may be a later one than the compiler's
if(ACCRUE_FOREIGN_CLANG)  # its OpenMP library
  file(GLOB accrue_llvm ${ACCRUE_FOREIGN_ROOT}/usr/lib/llvm-*/lib)
  file(GLOB accrue_llvm_include ${accrue_llvm}/clang/*/include)
  string(APPEND CMAKE_CXX_FLAGS_INIT " -isystem \"${accrue_llvm_include}\"")
  string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -L${accrue_llvm}")
endif()
string(REPLACE powerpc64le ppc64le accrue_emulator qemu-${ACCRUE_FOREIGN})
set(CMAKE_SKIP_RPATH ON)  # the emulator finds the libraries in the root
set(CMAKE_CROSSCOMPILING_EMULATOR ${accrue_emulator} -L ${ACCRUE_FOREIGN_ROOT})
