/* SPDX-License-Identifier: BSD-3-Clause
 * An exact sum in C, at once and in two parts: total [SPACE] */
#include <accrue/accrue.h>
#include <stdio.h>

static int told(accrue_status status) {
  if (status != ACCRUE_OK) fprintf(stderr, "%s\n", accrue_last_error());
  return status != ACCRUE_OK;
}

int main(int argc, char **argv) {
  const double x[] = {1e100, 1, 0x1p-60, -1e100};
  double total, merged;
  accrue_position_f64 least;
  accrue_space *space;
  if (told(accrue_space_create(argc > 1 ? argv[1] : "openmp", &space))) return 1;
  if (told(accrue_sum_f64(space, x, 4, &total)) || told(accrue_argmin_f64(space, x, 4, &least))) return 1;
  printf("sum %.17g, least x[%lld] = %g\n", total, (long long)least.index, least.value);

  accrue_partial *first, *second; /* whose bytes go through files and messages */
  const accrue_array head = accrue_vector(ACCRUE_F64, x, 2), tail = accrue_vector(ACCRUE_F64, x + 2, 2);
  if (told(accrue_partial_create(ACCRUE_SUM, ACCRUE_F64, NULL, &first))) return 1;
  if (told(accrue_partial_create(ACCRUE_SUM, ACCRUE_F64, NULL, &second))) return 1;
  if (told(accrue_partial_add(first, space, &head, NULL, NULL))) return 1;
  if (told(accrue_partial_add(second, space, &tail, NULL, NULL))) return 1;
  if (told(accrue_partial_merge(first, second)) || told(accrue_partial_finish(first, &merged))) return 1;
  printf("two parts merged: %.17g\n", merged);
  accrue_partial_destroy(first);
  accrue_partial_destroy(second);
  accrue_space_destroy(space);
  return merged != total || least.index != 3;
}
