# SPDX-License-Identifier: BSD-3-Clause
# Writes HEADER, which names the commit of SOURCE, where it says something else so far.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define ACCRUE_COMMIT \"${commit}\"\n")
