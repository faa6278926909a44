# SPDX-License-Identifier: BSD-3-Clause
# Without a dependency that only parts of the project need, a plain configuration leaves those parts out and says so; asked for by name, they
# are an error that names it: cmake -DSOURCE=... -DBUILD=... -DCXX=... -P without.cmake
set(work ${BUILD}/consumers/without)
file(REMOVE_RECURSE ${work})
function(configure expect_success expect_words)
  file(REMOVE ${work}/CMakeCache.txt)  # what is known of the compiler stays
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${work} -DCMAKE_CXX_COMPILER=${CXX} ${ARGN} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0)
    set(success ON)
  else()
    set(success OFF)
  endif()
  if(NOT success STREQUAL expect_success)
    message(FATAL_ERROR "configuring with ${ARGN}: success is ${success}\n${output}")
  endif()
  if(NOT output MATCHES "${expect_words}")
    message(FATAL_ERROR "configuring with ${ARGN} does not say '${expect_words}':\n${output}")
  endif()
  message(STATUS "${ARGN}: as expected")
endfunction()

configure(ON "without the openmp backend: no OpenMP here.*without tests: no Catch2, Python3 here.*without the program: no CLI11, fmt, nlohmann_json here"
          -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON -DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON -DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON
          -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)
configure(ON "without tests: no Catch2 here" -DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON)
configure(ON "without the program: no CLI11 here" -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON)
set(benchmarks -DACCRUE_BUILD_PERF=ON -DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON
    -DACCRUE_PERF_OPENBLAS_INCLUDE=OFF)
configure(ON "Generating done" ${benchmarks})
configure(OFF "Catch2" -DACCRUE_BUILD_TESTS=ON -DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON)
configure(OFF "CLI11" -DACCRUE_BUILD_TOOLS=ON -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON)
configure(OFF "OpenMP" -DACCRUE_BACKENDS=openmp -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON)
configure(OFF "Highway is missing: install libhwy-dev" -DCMAKE_DISABLE_FIND_PACKAGE_hwy=ON)
file(REMOVE_RECURSE ${work})
