/* SPDX-License-Identifier: BSD-3-Clause
 * What the tests in C check with: failures are printed and counted. */
#ifndef ACCRUE_TESTS_C_CHECK_H
#define ACCRUE_TESTS_C_CHECK_H

#include <accrue/accrue.h>
#include <stdio.h>

static int failures = 0;
#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)
#define WORKS(call)                                                                       \
  do {                                                                                    \
    if ((call) != ACCRUE_OK) {                                                            \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, accrue_last_error()); \
      ++failures;                                                                         \
    }                                                                                     \
  } while (0)

#endif
