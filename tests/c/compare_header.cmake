# SPDX-License-Identifier: BSD-3-Clause
# Compares a header with what writes it: cmake -DWRITER=... -DHEADER=... -P compare_header.cmake
execute_process(COMMAND ${WRITER} OUTPUT_VARIABLE wanted COMMAND_ERROR_IS_FATAL ANY)
file(READ ${HEADER} found)
if(NOT found STREQUAL wanted)
  message(FATAL_ERROR "${HEADER} is not of this closed set: run ${WRITER} > ${HEADER}")
endif()
