/* SPDX-License-Identifier: BSD-3-Clause
 * A sum in C: total [SPACE] */
#include <accrue/accrue.h>
#include <stdio.h>

int main(int argc, char **argv) {
  const double x[] = {1e100, 1, -1e100};
  double total;
  accrue_space *space;
  if (accrue_space_create(argc > 1 ? argv[1] : "openmp", &space) != ACCRUE_OK || accrue_sum_f64(space, x, 3, &total) != ACCRUE_OK) {
    fprintf(stderr, "%s\n", accrue_last_error());
    return 1;
  }
  accrue_space_destroy(space);
  printf("%.17g\n", total);
  return total != 1;
}
