# SPDX-License-Identifier: BSD-3-Clause
# MPI, for the mpi backend: its C library, which any MPI of version 3 has. Sources that include accrue/mpi.hpp see mpi.h; others do not.
enable_language(C)
find_package(MPI 3 REQUIRED COMPONENTS C)
set(ACCRUE_APART_mpi ON)
