# SPDX-License-Identifier: BSD-3-Clause
# The library of a backend whose kernels are those of backends/simt: a source file for each group of kernels (operations.hpp), so
# that they compile side by side and each kernel is instantiated once.
set(accrue_kernel_groups
  exact_moments exact_products exact_sums extrema fast_sums integer_products integer_sums masked ordered_sums positions scaled_products)

# accrue_device_library(<backend> [sources...]), in the backend's folder; the backend's header folder has kernel_api.cuh.
function(accrue_device_library backend)
  set(suffix ${ACCRUE_DEVICE_SUFFIX_${backend}})
  set(generated "")
  set(begin "#include \"accrue/backends/${backend}/kernel_api.cuh\"\n")
  list(LENGTH accrue_kernel_groups groups)
  foreach(group IN LISTS accrue_kernel_groups)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/kernels/${group}.${suffix})
    file(CONFIGURE OUTPUT ${source} CONTENT "${begin}#include \"accrue/backends/simt/library/library_kernels.cuh\"\n
static_assert(accrue::simt::kernel_groups == ${groups}, \"cmake/accrue_device.cmake lists the groups of kernels\");
template std::vector<accrue::simt::kernel_row> accrue::simt::library_kernels<accrue::${backend}, accrue::simt::kernel_group::${group}>();\n")
    list(APPEND generated ${source})
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/kernels/device_info.${suffix})
  file(CONFIGURE OUTPUT ${source} CONTENT "${begin}#include \"accrue/backends/simt/library/device_info.cuh\"\n
template accrue::simt::bandwidths accrue::simt::measure_bandwidths<accrue::${backend}>(int device);
template std::vector<accrue::simt::kernel_facts> accrue::simt::kernels<accrue::${backend}>(int device);\n")
  set_source_files_properties(${generated} ${source} PROPERTIES LANGUAGE ${ACCRUE_DEVICE_LANGUAGE_${backend}})
  accrue_library(${backend} ${generated} ${source} ${ARGN})
  target_link_libraries(accrue_${backend} PUBLIC accrue::core)
  # The compiler's reports of registers and memory stay beside the objects, for the tests.
  set_target_properties(accrue_${backend} PROPERTIES
    ${ACCRUE_DEVICE_LANGUAGE_${backend}}_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/keep_compiler_report.sh)
endfunction()
