# SPDX-License-Identifier: BSD-3-Clause
# A Kokkos older than the oldest that accrue takes is refused when accrue is configured: cmake -DSOURCE=... -DWORK=... -P too_old.cmake
file(REMOVE_RECURSE ${WORK})
file(WRITE ${WORK}/lib/cmake/Kokkos/KokkosConfig.cmake "add_library(Kokkos::kokkos INTERFACE IMPORTED)\n")
file(WRITE ${WORK}/include/KokkosCore_config.h "#define KOKKOS_VERSION 30300\n#define KOKKOS_ENABLE_SERIAL\n")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build "-DACCRUE_BACKENDS=serial;kokkos" -DKokkos_DIR=${WORK}/lib/cmake/Kokkos
                RESULT_VARIABLE result ERROR_VARIABLE output OUTPUT_QUIET)
string(REGEX REPLACE "[ \n]+" " " output "${output}")
string(FIND "${output}" "needs Kokkos 3.4 or later; ${WORK}/lib/cmake/Kokkos has 3.3.0" at)
if(result EQUAL 0 OR at EQUAL -1)
  message(FATAL_ERROR "Kokkos 3.3 should be refused; cmake said:\n${output}")
endif()
