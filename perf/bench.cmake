# SPDX-License-Identifier: BSD-3-Clause
# accrue_bench: the suites, accrue's contenders, and those of the rivals that are found.
find_library(MPFR_LIBRARY mpfr REQUIRED)  # the oracle's
find_library(GMP_LIBRARY gmp REQUIRED)

# What measures, apart from who competes: the tests use it with contenders of their own.
add_library(perf_bench STATIC
  bench/correctness.cpp
  bench/host_stage.cpp
  bench/rivals_suite.cpp
  bench/runner.cpp
  bench/sampler.cpp
  bench/sizes_suite.cpp
  bench/types_suite.cpp
  rivals/contender.cpp)
target_include_directories(perf_bench PUBLIC rivals PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
target_link_libraries(perf_bench PUBLIC accrue::accrue perf_machine OpenMP::OpenMP_CXX PRIVATE fmt::fmt ${MPFR_LIBRARY} ${GMP_LIBRARY})

add_executable(accrue_bench bench/main.cpp rivals/accrue_host.cpp rivals/openmp.cpp rivals/read_only.cpp)
target_link_libraries(accrue_bench PRIVATE perf_bench CLI11::CLI11 fmt::fmt)
set_target_properties(accrue_bench PROPERTIES LINKER_LANGUAGE CXX)
install(TARGETS accrue_bench)
set(rival_options -O3 ${perf_instructions})
set_source_files_properties(rivals/openmp.cpp rivals/read_only.cpp PROPERTIES COMPILE_OPTIONS "${rival_options}")
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)  # does not vectorise minima: then that is what OpenMP's reduction reaches
  set_property(SOURCE rivals/openmp.cpp APPEND PROPERTY COMPILE_OPTIONS -Wno-pass-failed)
endif()

# add_rival(<name> <source> FOUND <what is true> [LINK ...] [INCLUDE ...]): the rival's file, or a word that it is left out. What it is
# compiled with stays with it.
function(add_rival name source)
  cmake_parse_arguments(rival "" "" "FOUND;LINK;INCLUDE" ${ARGN})
  if(NOT (${rival_FOUND}))
    message(STATUS "perf: ${name} was not found; its rows are left out")
    return()
  endif()
  cmake_path(GET source STEM stem)
  add_library(rival_${stem} OBJECT ${source})
  target_compile_features(rival_${stem} PRIVATE cxx_std_20)
  target_include_directories(rival_${stem} PRIVATE rivals ${rival_INCLUDE})
  target_link_libraries(rival_${stem} PRIVATE ${rival_LINK})
  target_compile_options(rival_${stem} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${rival_options}>")
  target_link_libraries(accrue_bench PRIVATE rival_${stem})
  foreach(library IN LISTS rival_LINK)
    target_link_libraries(accrue_bench PRIVATE $<LINK_ONLY:${library}>)
  endforeach()
endfunction()

find_package(TBB CONFIG QUIET)
add_rival(TBB rivals/std_reduce.cpp FOUND TBB_FOUND LINK TBB::tbb)
find_package(Eigen3 CONFIG QUIET)
add_rival(Eigen rivals/eigen.cpp FOUND Eigen3_FOUND LINK Eigen3::Eigen)
find_path(ACCRUE_PERF_OPENBLAS_INCLUDE openblas_config.h PATH_SUFFIXES openblas openblas-pthread ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread)
find_library(ACCRUE_PERF_OPENBLAS_LIBRARY openblas)
add_rival(OpenBLAS rivals/openblas.cpp FOUND ACCRUE_PERF_OPENBLAS_INCLUDE AND ACCRUE_PERF_OPENBLAS_LIBRARY
          LINK ${ACCRUE_PERF_OPENBLAS_LIBRARY} INCLUDE ${ACCRUE_PERF_OPENBLAS_INCLUDE})
find_path(ACCRUE_PERF_REPROBLAS_INCLUDE reproBLAS.h)
set(reproblas_libraries "")
foreach(part reproblas binnedblas binned)  # each needs those after it
  find_library(ACCRUE_PERF_REPROBLAS_${part} ${part})
  list(APPEND reproblas_libraries ${ACCRUE_PERF_REPROBLAS_${part}})
endforeach()
add_rival(ReproBLAS rivals/reproblas.cpp FOUND ACCRUE_PERF_REPROBLAS_INCLUDE AND ACCRUE_PERF_REPROBLAS_reproblas
          LINK ${reproblas_libraries} INCLUDE ${ACCRUE_PERF_REPROBLAS_INCLUDE})
if(Kokkos_COMPILE_LANGUAGE)
  set_source_files_properties(rivals/kokkos.cpp PROPERTIES LANGUAGE ${Kokkos_COMPILE_LANGUAGE})
endif()
add_rival(Kokkos rivals/kokkos.cpp FOUND "TARGET;Kokkos::kokkos" LINK Kokkos::kokkos)

# Devices: CUDA, and HIP over CUDA.
set(device_language "")
if(cuda IN_LIST ACCRUE_BACKENDS)
  set(device_language CUDA)
elseif(hip IN_LIST ACCRUE_BACKENDS AND CMAKE_HIP_PLATFORM STREQUAL nvidia)
  set(device_language HIP)
endif()
if(NOT device_language)
  target_sources(accrue_bench PRIVATE bench/no_device_stage.cpp)
  return()
endif()
find_package(CUDAToolkit REQUIRED)
set(device_sources bench/typed_cases_device.cu rivals/read_only.cu rivals/thrust.cu)
target_sources(accrue_bench PRIVATE bench/device_stage.cpp rivals/accrue_device.cpp ${device_sources})
target_link_libraries(accrue_bench PRIVATE CUDA::cudart)
add_rival(cuBLAS rivals/cublas.cpp FOUND "TARGET;CUDA::cublas" LINK CUDA::cublas)
# CUB is the toolkit's, and that of a CCCL checkout where there is one.
set(ACCRUE_PERF_CCCL "" CACHE PATH "CCCL checkout whose CUB is measured beside the toolkit's")
set(cubs toolkit_cub)
if(ACCRUE_PERF_CCCL)
  list(APPEND cubs newest_cub)
else()
  message(STATUS "perf: ACCRUE_PERF_CCCL is not set; only the toolkit's CUB is measured")
endif()
set(folders_newest_cub ${ACCRUE_PERF_CCCL}/libcudacxx/include ${ACCRUE_PERF_CCCL}/cub ${ACCRUE_PERF_CCCL}/thrust)
foreach(cub IN LISTS cubs)
  add_library(perf_${cub} OBJECT rivals/cub.cu)
  target_compile_definitions(perf_${cub} PRIVATE ACCRUE_PERF_CUB=${cub})
  target_include_directories(perf_${cub} PRIVATE ${folders_${cub}})
  set_target_properties(perf_${cub} PROPERTIES CUDA_STANDARD 20 HIP_STANDARD 20)
  target_link_libraries(accrue_bench PRIVATE perf_${cub})
endforeach()
set_source_files_properties(${device_sources} rivals/cub.cu PROPERTIES LANGUAGE ${device_language})
if(device_language STREQUAL CUDA)
  target_sources(accrue_bench PRIVATE ladder/ladder_suite.cpp ladder/rungs.cu)
endif()
