# SPDX-License-Identifier: BSD-3-Clause
# Compiles one case and checks the outcome: cmake -DCOMPILER=... -DFLAGS=... -DSOURCE=... -DCASE=n -DEXPECT=text -P run.cmake
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only ${flags} -DCASE=${CASE} ${SOURCE}
                RESULT_VARIABLE result ERROR_VARIABLE output)
if(EXPECT STREQUAL "compiles")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "case ${CASE} should compile:\n${output}")
  endif()
elseif(result EQUAL 0)
  message(FATAL_ERROR "case ${CASE} compiled")
else()
  string(FIND "${output}" "${EXPECT}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "case ${CASE} failed without saying '${EXPECT}':\n${output}")
  endif()
endif()
