/* SPDX-License-Identifier: BSD-3-Clause
 * accrue.h among threads and processes: one space and several errors at once, and a child of fork() after OpenMP's threads have run. */
#include <accrue/accrue.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { n = 100000, threads = 8, calls = 200 };
static double x[n];
static const accrue_space *shared;
static double expected;

/* Thread k sums through the shared space and makes mistakes of its own kind between. NULL where all was right. */
static void *work(void *argument) {
  const int k = *(const int *)argument;
  for (int i = 0; i < calls; ++i) {
    double total = 0;
    if (accrue_sum_f64(shared, x, n, &total) != ACCRUE_OK || total != expected) return argument;
    accrue_array array = accrue_vector(ACCRUE_F64, x, -1 - k);
    if (accrue_reduce(shared, ACCRUE_SUM, &array, NULL, NULL, &total) != ACCRUE_INVALID_ARGUMENT) return argument;
    char words[32];
    snprintf(words, sizeof(words), "%d elements", -1 - k);
    if (strstr(accrue_last_error(), words) == NULL) return argument;
  }
  return NULL;
}

int main(void) {
  accrue_space *team, *one;
  if (accrue_space_create("openmp", &team) != ACCRUE_OK) return 4;
  if (accrue_space_create("serial", &one) != ACCRUE_OK) return 1;
  for (int i = 0; i < n; ++i) x[i] = 1.0 / (i + 1);
  if (accrue_sum_f64(one, x, n, &expected) != ACCRUE_OK) return 1;
  shared = team;
  pthread_t thread[threads];
  int index[threads], failures = 0;
  for (int k = 0; k < threads; ++k) {
    index[k] = k;
    if (pthread_create(&thread[k], NULL, work, &index[k]) != 0) return 1;
  }
  for (int k = 0; k < threads; ++k) {
    void *failed = NULL;
    pthread_join(thread[k], &failed);
    if (failed != NULL) ++failures;
  }
  const pid_t child = fork();
  if (child == 0) {
    double total = 0;
    accrue_space *own;
    alarm(60); /* a child that waits for threads that it does not have */
    _exit(accrue_sum_f64(one, x, n, &total) == ACCRUE_OK && total == expected && accrue_space_create("serial", &own) == ACCRUE_OK &&
                  accrue_sum_f64(own, x, n, &total) == ACCRUE_OK && total == expected
              ? 0
              : 1);
  }
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) ++failures;
  accrue_space_destroy(team);
  accrue_space_destroy(one);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
