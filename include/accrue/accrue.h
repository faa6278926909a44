/* SPDX-License-Identifier: BSD-3-Clause
 * accrue in C: parallel reductions with one answer. C99, and C++.
 *
 *     accrue_space *space;
 *     if (accrue_space_create("openmp", &space) != ACCRUE_OK) { fprintf(stderr, "%s\n", accrue_last_error()); return 1; }
 *     double total;
 *     accrue_sum_f64(space, x, n, &total);
 *     accrue_space_destroy(space);
 *
 * Guarantee: the results are those of the C++ calls of the same names (accrue/reductions.hpp): exactly rounded sums, dots, norms, means and
 * moments, the same bits on every space, number of threads and machine.
 *
 * Every function returns ACCRUE_OK or what went wrong, of which accrue_last_error() has a sentence; results are unspecified then. Nothing
 * is thrown, printed or ended. Functions may be called from any threads at once, with one space or several; a space, a partial result or
 * a set of forces is destroyed by one thread when no other uses it. After fork() the child may call what runs on the calling thread, the
 * space "serial"; OpenMP's threads, and devices, do not survive it. The caller's floating environment is neither used nor changed.
 */
#ifndef ACCRUE_ACCRUE_H
#define ACCRUE_ACCRUE_H

#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <complex>
#else
#include <stdbool.h>
#endif

#include "accrue/version.h"

#ifdef __cplusplus
extern "C" {
typedef std::complex<float> accrue_c64;
typedef std::complex<double> accrue_c128;
#else
typedef float _Complex accrue_c64;
typedef double _Complex accrue_c128;
#endif
typedef uint16_t accrue_f16;  /* the bits of a binary16 */
typedef uint16_t accrue_bf16; /* the upper half of a binary32 */

typedef enum accrue_status {
  ACCRUE_OK = 0,
  ACCRUE_INVALID_ARGUMENT = 1, /* an argument outside its range, or a call that this space does not have */
  ACCRUE_NULL_DATA = 2,        /* a null pointer with a length above zero */
  ACCRUE_SIZE_MISMATCH = 3,    /* inputs whose sizes differ */
  ACCRUE_EMPTY_RANGE = 4,      /* no elements where the operation has no identity: min, mean */
  ACCRUE_SIZE_OVERFLOW = 5,    /* a size whose bytes cannot exist */
  ACCRUE_INTEGER_OVERFLOW = 6, /* an integer result that its type does not hold: reductions never wrap */
  ACCRUE_WRONG_SPACE = 7,      /* memory that the space cannot read */
  ACCRUE_NO_DEVICE = 8,        /* the space's device does not exist or is gone */
  ACCRUE_KERNEL_FAILURE = 10,  /* the device's runtime reported a failure */
  ACCRUE_BAD_INPUT = 11,       /* bytes that are no such partial result, positions that are not finite */
  ACCRUE_OUT_OF_MEMORY = 12,
  ACCRUE_INTERNAL = 13,        /* a defect in accrue */
  ACCRUE_OUT_OF_RANGE = 14,    /* an index beyond its array */
  ACCRUE_NOT_INITIALIZED = 15  /* a runtime that its owner has not started */
} accrue_status;

/* What the calling thread's last call that failed said, a sentence; "" before any did. Valid until its next call that fails. */
const char *accrue_last_error(void);
/* For interfaces built on this one: keeps a sentence for accrue_last_error, and returns the status. */
accrue_status accrue_fail(accrue_status status, const char *sentence);
/* The version of the library, "0.1.0". */
const char *accrue_version(void);

/* Spaces: where a reduction runs, and where its data lie. */

typedef struct accrue_space accrue_space;

/* "serial": the calling thread. "openmp": as many threads as OpenMP would use. "cuda", "hip": the current device and its default
 * stream. "kokkos": the threads, or the device and stream, of Kokkos's default execution space; ACCRUE_NOT_INITIALIZED before
 * Kokkos::initialize. NULL or "": the best host space of this library. ACCRUE_INVALID_ARGUMENT names those that it was built with. */
accrue_status accrue_space_create(const char *name, accrue_space **space);
/* "openmp" with so many threads; 0: as many as OpenMP would use. */
accrue_status accrue_space_create_threads(const char *name, int threads, accrue_space **space);
/* "cuda" or "hip" on a stream of the caller's, a cudaStream_t or hipStream_t, which stays the caller's. */
accrue_status accrue_space_create_on_stream(const char *name, void *stream, accrue_space **space);
/* Over the ranks of an MPI communicator as Fortran numbers it; C has accrue/mpi.h. ACCRUE_INVALID_ARGUMENT where the library was built
 * without ranks. */
accrue_status accrue_space_create_over_fortran_ranks(const char *name, int threads, int comm, accrue_space **space);
/* How many ranks a space is over; 1 of one that is not. */
int accrue_space_ranks(const accrue_space *space);
void accrue_space_destroy(accrue_space *space); /* NULL: nothing */

/* A program that was compiled with another version's header does not link: the name says which version it wants. */
void ACCRUE_C_LIBRARY_OF_THIS_VERSION(void);
#define accrue_space_create(name, space) (ACCRUE_C_LIBRARY_OF_THIS_VERSION(), accrue_space_create(name, space))
#define accrue_space_create_threads(name, threads, space) \
  (ACCRUE_C_LIBRARY_OF_THIS_VERSION(), accrue_space_create_threads(name, threads, space))
#define accrue_space_create_on_stream(name, stream, space) \
  (ACCRUE_C_LIBRARY_OF_THIS_VERSION(), accrue_space_create_on_stream(name, stream, space))

/* Memory of a space: of the host for host spaces, of the device for devices. */
accrue_status accrue_allocate(const accrue_space *space, size_t bytes, void **memory);
accrue_status accrue_deallocate(const accrue_space *space, void *memory);
/* Between host memory and the space's, either way; behind what was asked of the space before. */
accrue_status accrue_copy(const accrue_space *space, void *to, const void *from, size_t bytes);
/* Waits until everything asked of the space has happened, and reports what went wrong meanwhile. */
accrue_status accrue_synchronize(const accrue_space *space);

/* Operations, element types and arrays, for calls that take any of them. */

typedef enum accrue_operation {
  ACCRUE_SUM = 0, ACCRUE_SUM_ABS, ACCRUE_SUM_SQUARES, ACCRUE_NORM2, ACCRUE_DOT, ACCRUE_DOT_CONJUGATED, ACCRUE_MEAN, ACCRUE_WEIGHTED_MEAN,
  ACCRUE_MOMENTS, ACCRUE_PRODUCT, ACCRUE_SCALED_PRODUCT, ACCRUE_SCALED_PRODUCT_SUM, ACCRUE_SCALED_PRODUCT_DIFFERENCE,
  ACCRUE_MIN, ACCRUE_MAX, ACCRUE_MIN_NUMBER, ACCRUE_MAX_NUMBER, ACCRUE_MINMAX, ACCRUE_NORM_INF, ACCRUE_ARGMIN, ACCRUE_ARGMAX,
  ACCRUE_ARGMINMAX, ACCRUE_BIT_AND, ACCRUE_BIT_OR, ACCRUE_BIT_XOR
} accrue_operation;

typedef enum accrue_type {
  ACCRUE_F64 = 0, ACCRUE_F32, ACCRUE_F16, ACCRUE_BF16, ACCRUE_I8, ACCRUE_I16, ACCRUE_I32, ACCRUE_I64, ACCRUE_U8, ACCRUE_U16, ACCRUE_U32,
  ACCRUE_U64, ACCRUE_C64, ACCRUE_C128,
  ACCRUE_DEFAULT_TYPE = -1
} accrue_type;

typedef enum accrue_guarantee {
  ACCRUE_DEFAULT_GUARANTEE = 0, /* exact; ordered for products of floating types */
  ACCRUE_EXACT,
  ACCRUE_ORDERED,
  ACCRUE_FAST
} accrue_guarantee;

#define ACCRUE_MOST_DIMENSIONS 15
/* Element (i, j, ...) stands `strides[0] * i + strides[1] * j + ...` elements behind `data`. The last index runs fastest in the order of
 * elements, which `ordered` and positions go by. Strides may be negative. */
typedef struct accrue_array {
  const void *data;
  accrue_type type;
  int rank; /* 0 to ACCRUE_MOST_DIMENSIONS; 0: one element */
  int64_t extents[ACCRUE_MOST_DIMENSIONS];
  int64_t strides[ACCRUE_MOST_DIMENSIONS];
} accrue_array;

accrue_array accrue_vector(accrue_type type, const void *data, int64_t count);
accrue_array accrue_strided_vector(accrue_type type, const void *data, int64_t count, int64_t stride);
/* Element (i, j) is data[i * row_stride + j]. */
accrue_array accrue_matrix(accrue_type type, const void *data, int64_t rows, int64_t columns, int64_t row_stride);

/* What else a call may ask for. All zero, or a NULL in its place, asks for nothing. */
typedef struct accrue_options {
  accrue_guarantee guarantee;
  int wide_result;          /* 1: a double for elements of float, 16-bit floats or integers; exact */
  const accrue_array *mask; /* of integers or bool as ACCRUE_U8, of the input's extents: where it is zero, elements take no part. Not with
                               ACCRUE_ORDERED; on devices of ACCRUE_U8 or ACCRUE_I8, over ACCRUE_F32 or _F64 */
} accrue_options;

/* Results of more than one number; _f32, _i8 ... are alike. */
#define ACCRUE_RESULTS(name, type)                                                                          \
  typedef struct accrue_position_##name { type value; size_t index; } accrue_position_##name; \
  typedef struct accrue_minmax_result_##name { type min, max; } accrue_minmax_result_##name;                \
  typedef struct accrue_argminmax_result_##name { accrue_position_##name min, max; } accrue_argminmax_result_##name;
ACCRUE_RESULTS(f64, double)
ACCRUE_RESULTS(f32, float)
ACCRUE_RESULTS(f16, accrue_f16)
ACCRUE_RESULTS(bf16, accrue_bf16)
ACCRUE_RESULTS(i8, int8_t)
ACCRUE_RESULTS(i16, int16_t)
ACCRUE_RESULTS(i32, int32_t)
ACCRUE_RESULTS(i64, int64_t)
ACCRUE_RESULTS(u8, uint8_t)
ACCRUE_RESULTS(u16, uint16_t)
ACCRUE_RESULTS(u32, uint32_t)
ACCRUE_RESULTS(u64, uint64_t)
#undef ACCRUE_RESULTS
typedef struct accrue_moments_result_f64 {
  uint64_t count;
  double mean, variance /* divided by count - 1 */, population_variance, standard_deviation;
} accrue_moments_result_f64;
typedef struct accrue_moments_result_f32 {
  uint64_t count;
  float mean, variance, population_variance, standard_deviation;
} accrue_moments_result_f32;
/* significand * 2^exponent with 1 <= |significand| < 2; or the significand alone when it is 0, infinite or NaN. */
typedef struct accrue_scaled {
  double significand;
  int64_t exponent;
} accrue_scaled;

/* One reduction. `y` is the second input of dots, weighted means and scaled products of sums, of x's extents, and NULL for the others.
 * `result` is host memory of the operation's result type: that of the typed call below. Blocks until it is there. */
accrue_status accrue_reduce(const accrue_space *space, accrue_operation operation, const accrue_array *x, const accrue_array *y,
                            const accrue_options *options, void *result);
/* The same with `result` in the space's memory; on devices it returns before the result is there, and may be captured into a graph. */
accrue_status accrue_reduce_into(const accrue_space *space, accrue_operation operation, const accrue_array *x, const accrue_array *y,
                                 const accrue_options *options, void *result);
/* One result for each line along a dimension, 0 to rank - 1: of a matrix 1 gives one for each row and 0 one for each column. `results`
 * has room for as many as the other extents' product, the last of them fastest, in the space's memory. Asynchronous on devices. */
accrue_status accrue_reduce_along(const accrue_space *space, accrue_operation operation, const accrue_array *x, const accrue_array *y,
                                  int dimension, const accrue_options *options, void *results);
/* One result for each index of a dimension, of all elements that have it: a field's levels. `results` has room for that dimension's
 * extent, in the space's memory. Host spaces take arrays of any strides, devices as accrue_reduce does. Asynchronous on devices. */
accrue_status accrue_reduce_slices(const accrue_space *space, accrue_operation operation, const accrue_array *x, const accrue_array *y,
                                   int dimension, const accrue_options *options, void *results);
/* The exact sums of a field's levels, as accrue_reduce_slices has them, and of all elements, from one pass; over ranks in one exchange.
 * Of ACCRUE_F64; `sums` and `total` are host memory, either may be NULL. Blocks until they are there. */
accrue_status accrue_sum_slices_and_total(const accrue_space *space, const accrue_array *x, int dimension, double *sums, double *total);
/* One result for elements [offsets[k], offsets[k + 1]) of arrays of rank 1, for each k below `count`; offsets ascend from 0 to the number
 * of elements, in host memory. */
accrue_status accrue_reduce_segments(const accrue_space *space, accrue_operation operation, const accrue_array *x, const accrue_array *y,
                                     const int64_t *offsets, size_t count, const accrue_options *options, void *results);
/* Bytes of one result. */
accrue_status accrue_result_size(accrue_operation operation, accrue_type element, const accrue_options *options, size_t *bytes);

/* Partial results: what an exact reduction knows of some elements, to be merged with what others know of the rest, in any order, here, in
 * another process or from a file (accrue/partial_result.hpp). */

typedef struct accrue_partial accrue_partial;

/* Of no elements. */
accrue_status accrue_partial_create(accrue_operation operation, accrue_type element, const accrue_options *options,
                                    accrue_partial **partial);
accrue_status accrue_partial_copy(const accrue_partial *from, accrue_partial **partial);
void accrue_partial_destroy(accrue_partial *partial); /* NULL: nothing */
/* Adds the elements of x (and y), of which `options` may mask some. Positions count on: those of x stand behind all added before. */
accrue_status accrue_partial_add(accrue_partial *partial, const accrue_space *space, const accrue_array *x, const accrue_array *y,
                                 const accrue_options *options);
/* Both of one operation and element type; `partial` ends as it would have. */
accrue_status accrue_partial_merge(accrue_partial *partial, const accrue_partial *other);
/* Over the ranks of a space (accrue/mpi.h), collective: each of the partial results, all of one reduction, becomes what those at its place
 * know on all ranks together, in two messages however many they are. On a space of one process they stay as they are. Positions count
 * as each rank has moved them. */
accrue_status accrue_partial_join(const accrue_space *space, accrue_partial *const *partials, size_t count);
/* The elements stand `first` places further on, behind those of other partial results. For reductions that have positions. */
accrue_status accrue_partial_move_positions(accrue_partial *partial, size_t first);
/* The integers that add element by element, as MPI_INT64_T with MPI_SUM. For sums, dots, norms, means and moments. Valid until the
 * partial result is used otherwise. */
accrue_status accrue_partial_words(accrue_partial *partial, int64_t **words, size_t *count);
accrue_status accrue_partial_finish(const accrue_partial *partial, void *result);
/* The partial result for files and messages, the same bytes on every machine. */
accrue_status accrue_partial_byte_count(const accrue_partial *partial, size_t *bytes);
accrue_status accrue_partial_to_bytes(const accrue_partial *partial, void *buffer, size_t bytes);
/* Replaces it by what such bytes hold; ACCRUE_BAD_INPUT for bytes of another kind, and for damaged ones. */
accrue_status accrue_partial_from_bytes(accrue_partial *partial, const void *buffer, size_t bytes);

/* Accumulation: target[j] += v for every contribution (j, v), from many threads. Host spaces. */

typedef enum accrue_strategy {
  ACCRUE_AUTOMATIC = 0, ACCRUE_CRITICAL, ACCRUE_TRIANGLE, ACCRUE_ATOMIC, ACCRUE_REPLICATED,
  ACCRUE_GATHER,     /* item i adds to target i alone */
  ACCRUE_FIXED_POINT /* exact: each target and all that was added to it, rounded once */
} accrue_strategy;

/* target[indices[i]] += values[i] for i below n; ACCRUE_OUT_OF_RANGE for an index beyond `targets`. `type` is ACCRUE_F64, ACCRUE_F32
 * or an integer type of 32 or 64 bits, of targets and values; integers wrap around. */
accrue_status accrue_scatter_add(const accrue_space *space, accrue_type type, void *target, size_t targets, const int64_t *indices,
                                 const void *values, size_t n, accrue_strategy strategy);

typedef struct accrue_adder accrue_adder;
/* From within a body: target[index] += value. An index beyond the targets is reported by accrue_accumulate_f64. */
void accrue_add(accrue_adder *adder, size_t index, double value);
/* Calls body(i, adder, context) once for each i below n, from the threads of the space. */
accrue_status accrue_accumulate_f64(const accrue_space *space, double *target, size_t targets, size_t n,
                                    void (*body)(size_t i, accrue_adder *adder, void *context), void *context, accrue_strategy strategy);

/* Pair forces over neighbour lists (accrue/md/pair_forces.hpp). Host spaces. */

typedef struct accrue_forces accrue_forces;
typedef struct accrue_pair_result {
  double energy;    /* the exact sum of the pairs' energies, rounded once */
  double virial[6]; /* xx, yy, zz, xy, xz, yz: the exact sums of the pairs' r * f */
} accrue_pair_result;

/* U(r) and -U'(r)/r for r_squared below the cut-off's square. Called from many threads. */
typedef void (*accrue_pair_potential)(double r_squared, double *energy, double *force_over_r, void *context);

/* A periodic box of these lengths, 0 for open sides; forces up to `cutoff`; lists that hold pairs `skin` further on. */
accrue_status accrue_forces_create(const double box[3], double cutoff, double skin, accrue_strategy strategy,
                                   accrue_pair_potential potential, void *context, accrue_forces **forces);
/* The Lennard-Jones potential 4 epsilon ((sigma/r)^12 - (sigma/r)^6), cut at `cutoff`, not shifted. */
accrue_status accrue_forces_create_lennard_jones(const double box[3], double cutoff, double skin, accrue_strategy strategy,
                                                 double epsilon, double sigma, accrue_forces **forces);
void accrue_forces_destroy(accrue_forces *forces); /* NULL: nothing */
/* ACCRUE_FIXED_POINT: the largest size |f| of a pair's force that must be accepted; larger ones are ACCRUE_OUT_OF_RANGE then. 0: as it is
 * at first, any. */
accrue_status accrue_forces_set_largest(accrue_forces *forces, double largest_force);
/* positions and result: x, y, z of each of n particles, one after another. `sums` may be NULL. The list is built anew when particles have
 * moved half the skin. ACCRUE_FIXED_POINT gives the same bits for every number of threads: forces there are sums of whole multiples of
 * 2^-42, or of more where a pair's force is above 2^9; for Lennard-Jones potentials epsilon / sigma times as much. A potential of yours
 * whose forces are far below that is ACCRUE_OUT_OF_RANGE until their size is stated. */
accrue_status accrue_forces_compute(accrue_forces *forces, const accrue_space *space, const double *positions, size_t n, double *result,
                                    accrue_pair_result *sums);

/* The typed calls: accrue_<operation>_<element>(space, x, n, &result), or (space, x, y, n, &result) for those of two inputs; with fast_ or
 * ordered_ in front under that guarantee. x and y are memory that the space reads, n elements next to each other. */
#include "accrue/typed_calls.h"

#ifdef __cplusplus
}
#endif
#endif
