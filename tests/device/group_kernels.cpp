// SPDX-License-Identifier: BSD-3-Clause
// Kernels of groupings and of forces, which no library holds, for check_resources.py: their registers must do.
#include "accrue/backends/simt/kernel/brick_rows.cuh"
#include "accrue/backends/simt/kernel/pair_force_kernel.cuh"
#include "accrue/backends/simt/runtime/group_launch.cuh"

namespace accrue::simt {

template <class Op, class Groups>
const void* const group_kernels[] = {
    reinterpret_cast<const void*>(lane_kernel<Op, Groups>), reinterpret_cast<const void*>(column_kernel<Op, Groups>),
    reinterpret_cast<const void*>(join_columns_kernel<Op>), reinterpret_cast<const void*>(left_kernel<Op, Groups>)};
template <class T>
using matrix = strided_group_source<T>;

template <class T, term what, unsigned... lengths>
const void* const short_rows_kernels[] = {reinterpret_cast<const void*>(short_rows_kernel<T, what, lengths>)...};

template <class T, term... what>
const void* const vector_rows_kernels[] = {reinterpret_cast<const void*>(vector_rows_kernel<T, what>)...};

template <class T>
const void* const key_sum_kernels[] = {reinterpret_cast<const void*>(look_at_exponents_kernel<array<T>, std::uint32_t>),
                                       reinterpret_cast<const void*>(start_key_sums_kernel<array<T>, std::uint32_t>),
                                       reinterpret_cast<const void*>(add_to_limbs_kernel<array<T>, std::uint32_t>),
                                       reinterpret_cast<const void*>(add_by_key_in_shared_kernel<array<T>, std::uint32_t>),
                                       reinterpret_cast<const void*>(start_others_kernel<array<T>, std::uint32_t>),
                                       reinterpret_cast<const void*>(add_others_kernel<array<T>, std::uint32_t>),
                                       reinterpret_cast<const void*>(finish_key_sums_kernel<array<T>, std::uint32_t>)};
template <class Key>
const void* const key_kernels[] = {reinterpret_cast<const void*>(find_ascending_offsets_kernel<Key>),
                                   reinterpret_cast<const void*>(find_disorder_kernel<Key>)};

template <unsigned lanes_shift>
const void* const row_kernels[] = {reinterpret_cast<const void*>(build_brick_rows_kernel<lanes_shift>)};
template <class Potential>
const void* const sweep_kernels[] = {
    reinterpret_cast<const void*>(pair_force_kernel<force_sum::units, false, false, partners_in_tile, double, Potential>)};

template const void* const row_kernels<1>[1];
template const void* const sweep_kernels<device_lennard_jones<false>>[1];
template const void* const key_sum_kernels<double>[7];
template const void* const key_sum_kernels<float>[7];
template const void* const key_kernels<std::uint8_t>[2];
template const void* const key_kernels<std::int32_t>[2];
template const void* const key_kernels<std::int64_t>[2];
template const void* const vector_rows_kernels<double, term::value>[1];
template const void* const vector_rows_kernels<float, term::value, term::square>[2];
template const void* const group_kernels<exact_sum<double, term::value>, matrix<double>>[4];
template const void* const group_kernels<exact_sum<float, term::value>, matrix<float>>[4];
template const void* const group_kernels<exact_sum<pair_of<double>, term::product>, group_source_pair<matrix<double>, matrix<double>>>[4];
template const void* const group_kernels<extremum_position<double>, matrix<double>>[4];
template const void* const short_rows_kernels<double, term::value, 1, 2, 3, 4, 5, 6, 7, 8>[8];
template const void* const short_rows_kernels<float, term::value, 1, 2, 3, 4, 5, 6, 7, 8>[8];
template const void* const short_rows_kernels<double, term::square, 1, 2, 3, 4, 5, 6, 7, 8>[8];
template const void* const short_rows_kernels<float, term::square, 1, 2, 3, 4, 5, 6, 7, 8>[8];

}  // namespace accrue::simt
