/* SPDX-License-Identifier: BSD-3-Clause
 * The typed calls of accrue.h, which includes this. Generated from the closed set (src/c/write_typed_calls.cpp). */
#ifndef ACCRUE_TYPED_CALLS_H
#define ACCRUE_TYPED_CALLS_H

/* sum of x_i */
accrue_status accrue_sum_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_ordered_sum_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_fast_sum_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_sum_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_ordered_sum_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_fast_sum_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_sum_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_ordered_sum_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_fast_sum_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_sum_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_ordered_sum_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_fast_sum_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_sum_i8(const accrue_space *space, const int8_t *x, size_t n, int64_t *result);
accrue_status accrue_sum_i16(const accrue_space *space, const int16_t *x, size_t n, int64_t *result);
accrue_status accrue_sum_i32(const accrue_space *space, const int32_t *x, size_t n, int64_t *result);
accrue_status accrue_sum_i64(const accrue_space *space, const int64_t *x, size_t n, int64_t *result);
accrue_status accrue_sum_u8(const accrue_space *space, const uint8_t *x, size_t n, uint64_t *result);
accrue_status accrue_sum_u16(const accrue_space *space, const uint16_t *x, size_t n, uint64_t *result);
accrue_status accrue_sum_u32(const accrue_space *space, const uint32_t *x, size_t n, uint64_t *result);
accrue_status accrue_sum_u64(const accrue_space *space, const uint64_t *x, size_t n, uint64_t *result);
accrue_status accrue_sum_c64(const accrue_space *space, const accrue_c64 *x, size_t n, accrue_c64 *result);
accrue_status accrue_ordered_sum_c64(const accrue_space *space, const accrue_c64 *x, size_t n, accrue_c64 *result);
accrue_status accrue_fast_sum_c64(const accrue_space *space, const accrue_c64 *x, size_t n, accrue_c64 *result);
accrue_status accrue_sum_c128(const accrue_space *space, const accrue_c128 *x, size_t n, accrue_c128 *result);
accrue_status accrue_ordered_sum_c128(const accrue_space *space, const accrue_c128 *x, size_t n, accrue_c128 *result);
accrue_status accrue_fast_sum_c128(const accrue_space *space, const accrue_c128 *x, size_t n, accrue_c128 *result);

/* sum of |x_i|; of complex numbers |re| + |im| */
accrue_status accrue_sum_abs_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_ordered_sum_abs_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_fast_sum_abs_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_sum_abs_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_ordered_sum_abs_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_fast_sum_abs_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_sum_abs_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_ordered_sum_abs_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_fast_sum_abs_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_sum_abs_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_ordered_sum_abs_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_fast_sum_abs_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_sum_abs_i8(const accrue_space *space, const int8_t *x, size_t n, int64_t *result);
accrue_status accrue_sum_abs_i16(const accrue_space *space, const int16_t *x, size_t n, int64_t *result);
accrue_status accrue_sum_abs_i32(const accrue_space *space, const int32_t *x, size_t n, int64_t *result);
accrue_status accrue_sum_abs_i64(const accrue_space *space, const int64_t *x, size_t n, int64_t *result);
accrue_status accrue_sum_abs_u8(const accrue_space *space, const uint8_t *x, size_t n, uint64_t *result);
accrue_status accrue_sum_abs_u16(const accrue_space *space, const uint16_t *x, size_t n, uint64_t *result);
accrue_status accrue_sum_abs_u32(const accrue_space *space, const uint32_t *x, size_t n, uint64_t *result);
accrue_status accrue_sum_abs_u64(const accrue_space *space, const uint64_t *x, size_t n, uint64_t *result);
accrue_status accrue_sum_abs_c64(const accrue_space *space, const accrue_c64 *x, size_t n, float *result);
accrue_status accrue_ordered_sum_abs_c64(const accrue_space *space, const accrue_c64 *x, size_t n, float *result);
accrue_status accrue_fast_sum_abs_c64(const accrue_space *space, const accrue_c64 *x, size_t n, float *result);
accrue_status accrue_sum_abs_c128(const accrue_space *space, const accrue_c128 *x, size_t n, double *result);
accrue_status accrue_ordered_sum_abs_c128(const accrue_space *space, const accrue_c128 *x, size_t n, double *result);
accrue_status accrue_fast_sum_abs_c128(const accrue_space *space, const accrue_c128 *x, size_t n, double *result);

/* sum of |x_i|^2 */
accrue_status accrue_sum_squares_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_ordered_sum_squares_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_fast_sum_squares_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_sum_squares_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_ordered_sum_squares_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_fast_sum_squares_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_sum_squares_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_ordered_sum_squares_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_fast_sum_squares_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_sum_squares_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_ordered_sum_squares_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_fast_sum_squares_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_sum_squares_i8(const accrue_space *space, const int8_t *x, size_t n, int64_t *result);
accrue_status accrue_sum_squares_i16(const accrue_space *space, const int16_t *x, size_t n, int64_t *result);
accrue_status accrue_sum_squares_i32(const accrue_space *space, const int32_t *x, size_t n, int64_t *result);
accrue_status accrue_sum_squares_i64(const accrue_space *space, const int64_t *x, size_t n, int64_t *result);
accrue_status accrue_sum_squares_u8(const accrue_space *space, const uint8_t *x, size_t n, uint64_t *result);
accrue_status accrue_sum_squares_u16(const accrue_space *space, const uint16_t *x, size_t n, uint64_t *result);
accrue_status accrue_sum_squares_u32(const accrue_space *space, const uint32_t *x, size_t n, uint64_t *result);
accrue_status accrue_sum_squares_u64(const accrue_space *space, const uint64_t *x, size_t n, uint64_t *result);
accrue_status accrue_sum_squares_c64(const accrue_space *space, const accrue_c64 *x, size_t n, float *result);
accrue_status accrue_ordered_sum_squares_c64(const accrue_space *space, const accrue_c64 *x, size_t n, float *result);
accrue_status accrue_fast_sum_squares_c64(const accrue_space *space, const accrue_c64 *x, size_t n, float *result);
accrue_status accrue_sum_squares_c128(const accrue_space *space, const accrue_c128 *x, size_t n, double *result);
accrue_status accrue_ordered_sum_squares_c128(const accrue_space *space, const accrue_c128 *x, size_t n, double *result);
accrue_status accrue_fast_sum_squares_c128(const accrue_space *space, const accrue_c128 *x, size_t n, double *result);

/* square root of the sum of |x_i|^2, without overflow or underflow on the way */
accrue_status accrue_norm2_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_ordered_norm2_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_fast_norm2_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_norm2_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_ordered_norm2_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_fast_norm2_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_norm2_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_ordered_norm2_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_fast_norm2_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_norm2_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_ordered_norm2_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_fast_norm2_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_norm2_i8(const accrue_space *space, const int8_t *x, size_t n, double *result);
accrue_status accrue_norm2_i16(const accrue_space *space, const int16_t *x, size_t n, double *result);
accrue_status accrue_norm2_i32(const accrue_space *space, const int32_t *x, size_t n, double *result);
accrue_status accrue_norm2_i64(const accrue_space *space, const int64_t *x, size_t n, double *result);
accrue_status accrue_norm2_u8(const accrue_space *space, const uint8_t *x, size_t n, double *result);
accrue_status accrue_norm2_u16(const accrue_space *space, const uint16_t *x, size_t n, double *result);
accrue_status accrue_norm2_u32(const accrue_space *space, const uint32_t *x, size_t n, double *result);
accrue_status accrue_norm2_u64(const accrue_space *space, const uint64_t *x, size_t n, double *result);
accrue_status accrue_norm2_c64(const accrue_space *space, const accrue_c64 *x, size_t n, float *result);
accrue_status accrue_ordered_norm2_c64(const accrue_space *space, const accrue_c64 *x, size_t n, float *result);
accrue_status accrue_fast_norm2_c64(const accrue_space *space, const accrue_c64 *x, size_t n, float *result);
accrue_status accrue_norm2_c128(const accrue_space *space, const accrue_c128 *x, size_t n, double *result);
accrue_status accrue_ordered_norm2_c128(const accrue_space *space, const accrue_c128 *x, size_t n, double *result);
accrue_status accrue_fast_norm2_c128(const accrue_space *space, const accrue_c128 *x, size_t n, double *result);

/* sum of x_i * y_i */
accrue_status accrue_dot_f64(const accrue_space *space, const double *x, const double *y, size_t n, double *result);
accrue_status accrue_ordered_dot_f64(const accrue_space *space, const double *x, const double *y, size_t n, double *result);
accrue_status accrue_fast_dot_f64(const accrue_space *space, const double *x, const double *y, size_t n, double *result);
accrue_status accrue_dot_f32(const accrue_space *space, const float *x, const float *y, size_t n, float *result);
accrue_status accrue_ordered_dot_f32(const accrue_space *space, const float *x, const float *y, size_t n, float *result);
accrue_status accrue_fast_dot_f32(const accrue_space *space, const float *x, const float *y, size_t n, float *result);
accrue_status accrue_dot_f16(const accrue_space *space, const accrue_f16 *x, const accrue_f16 *y, size_t n, float *result);
accrue_status accrue_ordered_dot_f16(const accrue_space *space, const accrue_f16 *x, const accrue_f16 *y,
                          size_t n, float *result);
accrue_status accrue_fast_dot_f16(const accrue_space *space, const accrue_f16 *x, const accrue_f16 *y, size_t n, float *result);
accrue_status accrue_dot_bf16(const accrue_space *space, const accrue_bf16 *x, const accrue_bf16 *y, size_t n, float *result);
accrue_status accrue_ordered_dot_bf16(const accrue_space *space, const accrue_bf16 *x, const accrue_bf16 *y,
                          size_t n, float *result);
accrue_status accrue_fast_dot_bf16(const accrue_space *space, const accrue_bf16 *x, const accrue_bf16 *y,
                          size_t n, float *result);
accrue_status accrue_dot_i8(const accrue_space *space, const int8_t *x, const int8_t *y, size_t n, int64_t *result);
accrue_status accrue_dot_i16(const accrue_space *space, const int16_t *x, const int16_t *y, size_t n, int64_t *result);
accrue_status accrue_dot_i32(const accrue_space *space, const int32_t *x, const int32_t *y, size_t n, int64_t *result);
accrue_status accrue_dot_i64(const accrue_space *space, const int64_t *x, const int64_t *y, size_t n, int64_t *result);
accrue_status accrue_dot_u8(const accrue_space *space, const uint8_t *x, const uint8_t *y, size_t n, uint64_t *result);
accrue_status accrue_dot_u16(const accrue_space *space, const uint16_t *x, const uint16_t *y, size_t n, uint64_t *result);
accrue_status accrue_dot_u32(const accrue_space *space, const uint32_t *x, const uint32_t *y, size_t n, uint64_t *result);
accrue_status accrue_dot_u64(const accrue_space *space, const uint64_t *x, const uint64_t *y, size_t n, uint64_t *result);
accrue_status accrue_dot_c64(const accrue_space *space, const accrue_c64 *x, const accrue_c64 *y, size_t n, accrue_c64 *result);
accrue_status accrue_ordered_dot_c64(const accrue_space *space, const accrue_c64 *x, const accrue_c64 *y,
                          size_t n, accrue_c64 *result);
accrue_status accrue_fast_dot_c64(const accrue_space *space, const accrue_c64 *x, const accrue_c64 *y,
                          size_t n, accrue_c64 *result);
accrue_status accrue_dot_c128(const accrue_space *space, const accrue_c128 *x, const accrue_c128 *y,
                          size_t n, accrue_c128 *result);
accrue_status accrue_ordered_dot_c128(const accrue_space *space, const accrue_c128 *x, const accrue_c128 *y,
                          size_t n, accrue_c128 *result);
accrue_status accrue_fast_dot_c128(const accrue_space *space, const accrue_c128 *x, const accrue_c128 *y,
                          size_t n, accrue_c128 *result);

/* sum of conj(x_i) * y_i */
accrue_status accrue_dot_conjugated_c64(const accrue_space *space, const accrue_c64 *x, const accrue_c64 *y,
                          size_t n, accrue_c64 *result);
accrue_status accrue_ordered_dot_conjugated_c64(const accrue_space *space, const accrue_c64 *x, const accrue_c64 *y,
                          size_t n, accrue_c64 *result);
accrue_status accrue_fast_dot_conjugated_c64(const accrue_space *space, const accrue_c64 *x, const accrue_c64 *y,
                          size_t n, accrue_c64 *result);
accrue_status accrue_dot_conjugated_c128(const accrue_space *space, const accrue_c128 *x, const accrue_c128 *y,
                          size_t n, accrue_c128 *result);
accrue_status accrue_ordered_dot_conjugated_c128(const accrue_space *space, const accrue_c128 *x, const accrue_c128 *y,
                          size_t n, accrue_c128 *result);
accrue_status accrue_fast_dot_conjugated_c128(const accrue_space *space, const accrue_c128 *x, const accrue_c128 *y,
                          size_t n, accrue_c128 *result);

/* sum of x_i / n */
accrue_status accrue_mean_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_ordered_mean_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_fast_mean_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_mean_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_ordered_mean_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_fast_mean_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_mean_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_ordered_mean_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_fast_mean_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_mean_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_ordered_mean_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_fast_mean_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_mean_i8(const accrue_space *space, const int8_t *x, size_t n, double *result);
accrue_status accrue_mean_i16(const accrue_space *space, const int16_t *x, size_t n, double *result);
accrue_status accrue_mean_i32(const accrue_space *space, const int32_t *x, size_t n, double *result);
accrue_status accrue_mean_i64(const accrue_space *space, const int64_t *x, size_t n, double *result);
accrue_status accrue_mean_u8(const accrue_space *space, const uint8_t *x, size_t n, double *result);
accrue_status accrue_mean_u16(const accrue_space *space, const uint16_t *x, size_t n, double *result);
accrue_status accrue_mean_u32(const accrue_space *space, const uint32_t *x, size_t n, double *result);
accrue_status accrue_mean_u64(const accrue_space *space, const uint64_t *x, size_t n, double *result);

/* sum of x_i * y_i / sum of y_i */
accrue_status accrue_weighted_mean_f64(const accrue_space *space, const double *x, const double *y, size_t n, double *result);
accrue_status accrue_weighted_mean_f32(const accrue_space *space, const float *x, const float *y, size_t n, float *result);
accrue_status accrue_weighted_mean_f16(const accrue_space *space, const accrue_f16 *x, const accrue_f16 *y,
                          size_t n, float *result);
accrue_status accrue_weighted_mean_bf16(const accrue_space *space, const accrue_bf16 *x, const accrue_bf16 *y,
                          size_t n, float *result);

/* count, mean, variances, standard deviation */
accrue_status accrue_moments_f64(const accrue_space *space, const double *x, size_t n, accrue_moments_result_f64 *result);
accrue_status accrue_moments_f32(const accrue_space *space, const float *x, size_t n, accrue_moments_result_f32 *result);
accrue_status accrue_moments_f16(const accrue_space *space, const accrue_f16 *x, size_t n, accrue_moments_result_f32 *result);
accrue_status accrue_moments_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, accrue_moments_result_f32 *result);
accrue_status accrue_moments_i8(const accrue_space *space, const int8_t *x, size_t n, accrue_moments_result_f64 *result);
accrue_status accrue_moments_i16(const accrue_space *space, const int16_t *x, size_t n, accrue_moments_result_f64 *result);
accrue_status accrue_moments_i32(const accrue_space *space, const int32_t *x, size_t n, accrue_moments_result_f64 *result);
accrue_status accrue_moments_i64(const accrue_space *space, const int64_t *x, size_t n, accrue_moments_result_f64 *result);
accrue_status accrue_moments_u8(const accrue_space *space, const uint8_t *x, size_t n, accrue_moments_result_f64 *result);
accrue_status accrue_moments_u16(const accrue_space *space, const uint16_t *x, size_t n, accrue_moments_result_f64 *result);
accrue_status accrue_moments_u32(const accrue_space *space, const uint32_t *x, size_t n, accrue_moments_result_f64 *result);
accrue_status accrue_moments_u64(const accrue_space *space, const uint64_t *x, size_t n, accrue_moments_result_f64 *result);

/* product of x_i */
accrue_status accrue_product_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_fast_product_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_product_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_fast_product_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_product_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_fast_product_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_product_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_fast_product_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_product_i8(const accrue_space *space, const int8_t *x, size_t n, int64_t *result);
accrue_status accrue_product_i16(const accrue_space *space, const int16_t *x, size_t n, int64_t *result);
accrue_status accrue_product_i32(const accrue_space *space, const int32_t *x, size_t n, int64_t *result);
accrue_status accrue_product_i64(const accrue_space *space, const int64_t *x, size_t n, int64_t *result);
accrue_status accrue_product_u8(const accrue_space *space, const uint8_t *x, size_t n, uint64_t *result);
accrue_status accrue_product_u16(const accrue_space *space, const uint16_t *x, size_t n, uint64_t *result);
accrue_status accrue_product_u32(const accrue_space *space, const uint32_t *x, size_t n, uint64_t *result);
accrue_status accrue_product_u64(const accrue_space *space, const uint64_t *x, size_t n, uint64_t *result);

/* product of x_i, its exponent apart */
accrue_status accrue_scaled_product_f64(const accrue_space *space, const double *x, size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_f32(const accrue_space *space, const float *x, size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_f16(const accrue_space *space, const accrue_f16 *x, size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_i8(const accrue_space *space, const int8_t *x, size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_i16(const accrue_space *space, const int16_t *x, size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_i32(const accrue_space *space, const int32_t *x, size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_i64(const accrue_space *space, const int64_t *x, size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_u8(const accrue_space *space, const uint8_t *x, size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_u16(const accrue_space *space, const uint16_t *x, size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_u32(const accrue_space *space, const uint32_t *x, size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_u64(const accrue_space *space, const uint64_t *x, size_t n, accrue_scaled *result);

/* product of x_i + y_i, its exponent apart */
accrue_status accrue_scaled_product_sum_f64(const accrue_space *space, const double *x, const double *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_sum_f32(const accrue_space *space, const float *x, const float *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_sum_f16(const accrue_space *space, const accrue_f16 *x, const accrue_f16 *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_sum_bf16(const accrue_space *space, const accrue_bf16 *x, const accrue_bf16 *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_sum_i8(const accrue_space *space, const int8_t *x, const int8_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_sum_i16(const accrue_space *space, const int16_t *x, const int16_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_sum_i32(const accrue_space *space, const int32_t *x, const int32_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_sum_i64(const accrue_space *space, const int64_t *x, const int64_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_sum_u8(const accrue_space *space, const uint8_t *x, const uint8_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_sum_u16(const accrue_space *space, const uint16_t *x, const uint16_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_sum_u32(const accrue_space *space, const uint32_t *x, const uint32_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_sum_u64(const accrue_space *space, const uint64_t *x, const uint64_t *y,
                          size_t n, accrue_scaled *result);

/* product of x_i - y_i, its exponent apart */
accrue_status accrue_scaled_product_difference_f64(const accrue_space *space, const double *x, const double *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_difference_f32(const accrue_space *space, const float *x, const float *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_difference_f16(const accrue_space *space, const accrue_f16 *x, const accrue_f16 *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_difference_bf16(const accrue_space *space, const accrue_bf16 *x, const accrue_bf16 *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_difference_i8(const accrue_space *space, const int8_t *x, const int8_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_difference_i16(const accrue_space *space, const int16_t *x, const int16_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_difference_i32(const accrue_space *space, const int32_t *x, const int32_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_difference_i64(const accrue_space *space, const int64_t *x, const int64_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_difference_u8(const accrue_space *space, const uint8_t *x, const uint8_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_difference_u16(const accrue_space *space, const uint16_t *x, const uint16_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_difference_u32(const accrue_space *space, const uint32_t *x, const uint32_t *y,
                          size_t n, accrue_scaled *result);
accrue_status accrue_scaled_product_difference_u64(const accrue_space *space, const uint64_t *x, const uint64_t *y,
                          size_t n, accrue_scaled *result);

/* least x_i; NaN if there is one; -0 is below +0 */
accrue_status accrue_min_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_min_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_min_f16(const accrue_space *space, const accrue_f16 *x, size_t n, accrue_f16 *result);
accrue_status accrue_min_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, accrue_bf16 *result);
accrue_status accrue_min_i8(const accrue_space *space, const int8_t *x, size_t n, int8_t *result);
accrue_status accrue_min_i16(const accrue_space *space, const int16_t *x, size_t n, int16_t *result);
accrue_status accrue_min_i32(const accrue_space *space, const int32_t *x, size_t n, int32_t *result);
accrue_status accrue_min_i64(const accrue_space *space, const int64_t *x, size_t n, int64_t *result);
accrue_status accrue_min_u8(const accrue_space *space, const uint8_t *x, size_t n, uint8_t *result);
accrue_status accrue_min_u16(const accrue_space *space, const uint16_t *x, size_t n, uint16_t *result);
accrue_status accrue_min_u32(const accrue_space *space, const uint32_t *x, size_t n, uint32_t *result);
accrue_status accrue_min_u64(const accrue_space *space, const uint64_t *x, size_t n, uint64_t *result);

/* greatest x_i; NaN if there is one */
accrue_status accrue_max_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_max_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_max_f16(const accrue_space *space, const accrue_f16 *x, size_t n, accrue_f16 *result);
accrue_status accrue_max_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, accrue_bf16 *result);
accrue_status accrue_max_i8(const accrue_space *space, const int8_t *x, size_t n, int8_t *result);
accrue_status accrue_max_i16(const accrue_space *space, const int16_t *x, size_t n, int16_t *result);
accrue_status accrue_max_i32(const accrue_space *space, const int32_t *x, size_t n, int32_t *result);
accrue_status accrue_max_i64(const accrue_space *space, const int64_t *x, size_t n, int64_t *result);
accrue_status accrue_max_u8(const accrue_space *space, const uint8_t *x, size_t n, uint8_t *result);
accrue_status accrue_max_u16(const accrue_space *space, const uint16_t *x, size_t n, uint16_t *result);
accrue_status accrue_max_u32(const accrue_space *space, const uint32_t *x, size_t n, uint32_t *result);
accrue_status accrue_max_u64(const accrue_space *space, const uint64_t *x, size_t n, uint64_t *result);

/* least x_i, NaNs ignored */
accrue_status accrue_min_number_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_min_number_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_min_number_f16(const accrue_space *space, const accrue_f16 *x, size_t n, accrue_f16 *result);
accrue_status accrue_min_number_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, accrue_bf16 *result);
accrue_status accrue_min_number_i8(const accrue_space *space, const int8_t *x, size_t n, int8_t *result);
accrue_status accrue_min_number_i16(const accrue_space *space, const int16_t *x, size_t n, int16_t *result);
accrue_status accrue_min_number_i32(const accrue_space *space, const int32_t *x, size_t n, int32_t *result);
accrue_status accrue_min_number_i64(const accrue_space *space, const int64_t *x, size_t n, int64_t *result);
accrue_status accrue_min_number_u8(const accrue_space *space, const uint8_t *x, size_t n, uint8_t *result);
accrue_status accrue_min_number_u16(const accrue_space *space, const uint16_t *x, size_t n, uint16_t *result);
accrue_status accrue_min_number_u32(const accrue_space *space, const uint32_t *x, size_t n, uint32_t *result);
accrue_status accrue_min_number_u64(const accrue_space *space, const uint64_t *x, size_t n, uint64_t *result);

/* greatest x_i, NaNs ignored */
accrue_status accrue_max_number_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_max_number_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_max_number_f16(const accrue_space *space, const accrue_f16 *x, size_t n, accrue_f16 *result);
accrue_status accrue_max_number_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, accrue_bf16 *result);
accrue_status accrue_max_number_i8(const accrue_space *space, const int8_t *x, size_t n, int8_t *result);
accrue_status accrue_max_number_i16(const accrue_space *space, const int16_t *x, size_t n, int16_t *result);
accrue_status accrue_max_number_i32(const accrue_space *space, const int32_t *x, size_t n, int32_t *result);
accrue_status accrue_max_number_i64(const accrue_space *space, const int64_t *x, size_t n, int64_t *result);
accrue_status accrue_max_number_u8(const accrue_space *space, const uint8_t *x, size_t n, uint8_t *result);
accrue_status accrue_max_number_u16(const accrue_space *space, const uint16_t *x, size_t n, uint16_t *result);
accrue_status accrue_max_number_u32(const accrue_space *space, const uint32_t *x, size_t n, uint32_t *result);
accrue_status accrue_max_number_u64(const accrue_space *space, const uint64_t *x, size_t n, uint64_t *result);

/* least and greatest x_i */
accrue_status accrue_minmax_f64(const accrue_space *space, const double *x, size_t n, accrue_minmax_result_f64 *result);
accrue_status accrue_minmax_f32(const accrue_space *space, const float *x, size_t n, accrue_minmax_result_f32 *result);
accrue_status accrue_minmax_f16(const accrue_space *space, const accrue_f16 *x, size_t n, accrue_minmax_result_f16 *result);
accrue_status accrue_minmax_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, accrue_minmax_result_bf16 *result);
accrue_status accrue_minmax_i8(const accrue_space *space, const int8_t *x, size_t n, accrue_minmax_result_i8 *result);
accrue_status accrue_minmax_i16(const accrue_space *space, const int16_t *x, size_t n, accrue_minmax_result_i16 *result);
accrue_status accrue_minmax_i32(const accrue_space *space, const int32_t *x, size_t n, accrue_minmax_result_i32 *result);
accrue_status accrue_minmax_i64(const accrue_space *space, const int64_t *x, size_t n, accrue_minmax_result_i64 *result);
accrue_status accrue_minmax_u8(const accrue_space *space, const uint8_t *x, size_t n, accrue_minmax_result_u8 *result);
accrue_status accrue_minmax_u16(const accrue_space *space, const uint16_t *x, size_t n, accrue_minmax_result_u16 *result);
accrue_status accrue_minmax_u32(const accrue_space *space, const uint32_t *x, size_t n, accrue_minmax_result_u32 *result);
accrue_status accrue_minmax_u64(const accrue_space *space, const uint64_t *x, size_t n, accrue_minmax_result_u64 *result);

/* greatest |x_i|; of complex numbers |re| + |im| */
accrue_status accrue_norm_inf_f64(const accrue_space *space, const double *x, size_t n, double *result);
accrue_status accrue_norm_inf_f32(const accrue_space *space, const float *x, size_t n, float *result);
accrue_status accrue_norm_inf_f16(const accrue_space *space, const accrue_f16 *x, size_t n, float *result);
accrue_status accrue_norm_inf_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, float *result);
accrue_status accrue_norm_inf_i8(const accrue_space *space, const int8_t *x, size_t n, uint64_t *result);
accrue_status accrue_norm_inf_i16(const accrue_space *space, const int16_t *x, size_t n, uint64_t *result);
accrue_status accrue_norm_inf_i32(const accrue_space *space, const int32_t *x, size_t n, uint64_t *result);
accrue_status accrue_norm_inf_i64(const accrue_space *space, const int64_t *x, size_t n, uint64_t *result);
accrue_status accrue_norm_inf_u8(const accrue_space *space, const uint8_t *x, size_t n, uint64_t *result);
accrue_status accrue_norm_inf_u16(const accrue_space *space, const uint16_t *x, size_t n, uint64_t *result);
accrue_status accrue_norm_inf_u32(const accrue_space *space, const uint32_t *x, size_t n, uint64_t *result);
accrue_status accrue_norm_inf_u64(const accrue_space *space, const uint64_t *x, size_t n, uint64_t *result);
accrue_status accrue_norm_inf_c64(const accrue_space *space, const accrue_c64 *x, size_t n, float *result);
accrue_status accrue_norm_inf_c128(const accrue_space *space, const accrue_c128 *x, size_t n, double *result);

/* least x_i and where it is first */
accrue_status accrue_argmin_f64(const accrue_space *space, const double *x, size_t n, accrue_position_f64 *result);
accrue_status accrue_argmin_f32(const accrue_space *space, const float *x, size_t n, accrue_position_f32 *result);
accrue_status accrue_argmin_f16(const accrue_space *space, const accrue_f16 *x, size_t n, accrue_position_f16 *result);
accrue_status accrue_argmin_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, accrue_position_bf16 *result);
accrue_status accrue_argmin_i8(const accrue_space *space, const int8_t *x, size_t n, accrue_position_i8 *result);
accrue_status accrue_argmin_i16(const accrue_space *space, const int16_t *x, size_t n, accrue_position_i16 *result);
accrue_status accrue_argmin_i32(const accrue_space *space, const int32_t *x, size_t n, accrue_position_i32 *result);
accrue_status accrue_argmin_i64(const accrue_space *space, const int64_t *x, size_t n, accrue_position_i64 *result);
accrue_status accrue_argmin_u8(const accrue_space *space, const uint8_t *x, size_t n, accrue_position_u8 *result);
accrue_status accrue_argmin_u16(const accrue_space *space, const uint16_t *x, size_t n, accrue_position_u16 *result);
accrue_status accrue_argmin_u32(const accrue_space *space, const uint32_t *x, size_t n, accrue_position_u32 *result);
accrue_status accrue_argmin_u64(const accrue_space *space, const uint64_t *x, size_t n, accrue_position_u64 *result);

/* greatest x_i and where it is first */
accrue_status accrue_argmax_f64(const accrue_space *space, const double *x, size_t n, accrue_position_f64 *result);
accrue_status accrue_argmax_f32(const accrue_space *space, const float *x, size_t n, accrue_position_f32 *result);
accrue_status accrue_argmax_f16(const accrue_space *space, const accrue_f16 *x, size_t n, accrue_position_f16 *result);
accrue_status accrue_argmax_bf16(const accrue_space *space, const accrue_bf16 *x, size_t n, accrue_position_bf16 *result);
accrue_status accrue_argmax_i8(const accrue_space *space, const int8_t *x, size_t n, accrue_position_i8 *result);
accrue_status accrue_argmax_i16(const accrue_space *space, const int16_t *x, size_t n, accrue_position_i16 *result);
accrue_status accrue_argmax_i32(const accrue_space *space, const int32_t *x, size_t n, accrue_position_i32 *result);
accrue_status accrue_argmax_i64(const accrue_space *space, const int64_t *x, size_t n, accrue_position_i64 *result);
accrue_status accrue_argmax_u8(const accrue_space *space, const uint8_t *x, size_t n, accrue_position_u8 *result);
accrue_status accrue_argmax_u16(const accrue_space *space, const uint16_t *x, size_t n, accrue_position_u16 *result);
accrue_status accrue_argmax_u32(const accrue_space *space, const uint32_t *x, size_t n, accrue_position_u32 *result);
accrue_status accrue_argmax_u64(const accrue_space *space, const uint64_t *x, size_t n, accrue_position_u64 *result);

/* both */
accrue_status accrue_argminmax_f64(const accrue_space *space, const double *x, size_t n, accrue_argminmax_result_f64 *result);
accrue_status accrue_argminmax_f32(const accrue_space *space, const float *x, size_t n, accrue_argminmax_result_f32 *result);
accrue_status accrue_argminmax_f16(const accrue_space *space, const accrue_f16 *x, size_t n, accrue_argminmax_result_f16 *result);
accrue_status accrue_argminmax_bf16(const accrue_space *space, const accrue_bf16 *x,
                          size_t n, accrue_argminmax_result_bf16 *result);
accrue_status accrue_argminmax_i8(const accrue_space *space, const int8_t *x, size_t n, accrue_argminmax_result_i8 *result);
accrue_status accrue_argminmax_i16(const accrue_space *space, const int16_t *x, size_t n, accrue_argminmax_result_i16 *result);
accrue_status accrue_argminmax_i32(const accrue_space *space, const int32_t *x, size_t n, accrue_argminmax_result_i32 *result);
accrue_status accrue_argminmax_i64(const accrue_space *space, const int64_t *x, size_t n, accrue_argminmax_result_i64 *result);
accrue_status accrue_argminmax_u8(const accrue_space *space, const uint8_t *x, size_t n, accrue_argminmax_result_u8 *result);
accrue_status accrue_argminmax_u16(const accrue_space *space, const uint16_t *x, size_t n, accrue_argminmax_result_u16 *result);
accrue_status accrue_argminmax_u32(const accrue_space *space, const uint32_t *x, size_t n, accrue_argminmax_result_u32 *result);
accrue_status accrue_argminmax_u64(const accrue_space *space, const uint64_t *x, size_t n, accrue_argminmax_result_u64 *result);

/* x_0 & x_1 & ... */
accrue_status accrue_bit_and_i8(const accrue_space *space, const int8_t *x, size_t n, int8_t *result);
accrue_status accrue_bit_and_i16(const accrue_space *space, const int16_t *x, size_t n, int16_t *result);
accrue_status accrue_bit_and_i32(const accrue_space *space, const int32_t *x, size_t n, int32_t *result);
accrue_status accrue_bit_and_i64(const accrue_space *space, const int64_t *x, size_t n, int64_t *result);
accrue_status accrue_bit_and_u8(const accrue_space *space, const uint8_t *x, size_t n, uint8_t *result);
accrue_status accrue_bit_and_u16(const accrue_space *space, const uint16_t *x, size_t n, uint16_t *result);
accrue_status accrue_bit_and_u32(const accrue_space *space, const uint32_t *x, size_t n, uint32_t *result);
accrue_status accrue_bit_and_u64(const accrue_space *space, const uint64_t *x, size_t n, uint64_t *result);

/* x_0 | x_1 | ... */
accrue_status accrue_bit_or_i8(const accrue_space *space, const int8_t *x, size_t n, int8_t *result);
accrue_status accrue_bit_or_i16(const accrue_space *space, const int16_t *x, size_t n, int16_t *result);
accrue_status accrue_bit_or_i32(const accrue_space *space, const int32_t *x, size_t n, int32_t *result);
accrue_status accrue_bit_or_i64(const accrue_space *space, const int64_t *x, size_t n, int64_t *result);
accrue_status accrue_bit_or_u8(const accrue_space *space, const uint8_t *x, size_t n, uint8_t *result);
accrue_status accrue_bit_or_u16(const accrue_space *space, const uint16_t *x, size_t n, uint16_t *result);
accrue_status accrue_bit_or_u32(const accrue_space *space, const uint32_t *x, size_t n, uint32_t *result);
accrue_status accrue_bit_or_u64(const accrue_space *space, const uint64_t *x, size_t n, uint64_t *result);

/* x_0 ^ x_1 ^ ... */
accrue_status accrue_bit_xor_i8(const accrue_space *space, const int8_t *x, size_t n, int8_t *result);
accrue_status accrue_bit_xor_i16(const accrue_space *space, const int16_t *x, size_t n, int16_t *result);
accrue_status accrue_bit_xor_i32(const accrue_space *space, const int32_t *x, size_t n, int32_t *result);
accrue_status accrue_bit_xor_i64(const accrue_space *space, const int64_t *x, size_t n, int64_t *result);
accrue_status accrue_bit_xor_u8(const accrue_space *space, const uint8_t *x, size_t n, uint8_t *result);
accrue_status accrue_bit_xor_u16(const accrue_space *space, const uint16_t *x, size_t n, uint16_t *result);
accrue_status accrue_bit_xor_u32(const accrue_space *space, const uint32_t *x, size_t n, uint32_t *result);
accrue_status accrue_bit_xor_u64(const accrue_space *space, const uint64_t *x, size_t n, uint64_t *result);

#endif
