// SPDX-License-Identifier: BSD-3-Clause
// Writes include/accrue/typed_calls.h from the closed set to standard output; a test compares the two.
#include <cstdio>
#include <string>

#include "names.hpp"

namespace {

using namespace accrue;
using enum named_operation;

constexpr const char* c_types[] = {"double", "float", "accrue_f16", "accrue_bf16", "int8_t", "int16_t", "int32_t", "int64_t",
                                   "uint8_t", "uint16_t", "uint32_t", "uint64_t", "accrue_c64", "accrue_c128"};

std::string c_type_of(element_type e) { return c_types[static_cast<std::size_t>(e)]; }

std::string result_of(const named_reduction& r) {
  switch (r.operation) {
    case argmin:
    case argmax:
      return "accrue_position_" + std::string(c::name_of(r.element));
    case argminmax:
      return "accrue_argminmax_result_" + std::string(c::name_of(r.element));
    case minmax:
      return "accrue_minmax_result_" + std::string(c::name_of(r.element));
    case moments:
      return "accrue_moments_result_" + std::string(c::name_of(r.result));
    case scaled_product:
    case scaled_product_sum:
    case scaled_product_difference:
      return "accrue_scaled";
    default:
      return c_type_of(r.result);
  }
}

/// The formula, for the header.
const char* meaning(named_operation o) {
  switch (o) {
    case sum: return "sum of x_i";
    case sum_abs: return "sum of |x_i|; of complex numbers |re| + |im|";
    case sum_squares: return "sum of |x_i|^2";
    case norm2: return "square root of the sum of |x_i|^2, without overflow or underflow on the way";
    case dot: return "sum of x_i * y_i";
    case dot_conjugated: return "sum of conj(x_i) * y_i";
    case mean: return "sum of x_i / n";
    case weighted_mean: return "sum of x_i * y_i / sum of y_i";
    case moments: return "count, mean, variances, standard deviation";
    case product: return "product of x_i";
    case scaled_product: return "product of x_i, its exponent apart";
    case scaled_product_sum: return "product of x_i + y_i, its exponent apart";
    case scaled_product_difference: return "product of x_i - y_i, its exponent apart";
    case min: return "least x_i; NaN if there is one; -0 is below +0";
    case max: return "greatest x_i; NaN if there is one";
    case min_number: return "least x_i, NaNs ignored";
    case max_number: return "greatest x_i, NaNs ignored";
    case minmax: return "least and greatest x_i";
    case norm_inf: return "greatest |x_i|; of complex numbers |re| + |im|";
    case argmin: return "least x_i and where it is first";
    case argmax: return "greatest x_i and where it is first";
    case argminmax: return "both";
    case bit_and: return "x_0 & x_1 & ...";
    case bit_or: return "x_0 | x_1 | ...";
    case bit_xor: return "x_0 ^ x_1 ^ ...";
  }
  return "";
}

std::string call_of(const named_reduction& r) {
  std::string call(c::prefix_of(r));
  call.append(c::name_of(r.operation)).append("_").append(c::name_of(r.element));
  const std::string element = c_type_of(r.element);
  call += "(const accrue_space *space, const " + element + " *x, ";
  if (reads_pairs(r.operation)) call += "const " + element + " *y, ";
  return call + "size_t n, " + result_of(r) + " *result)";
}

}  // namespace

int main() {
  std::puts("/* SPDX-License-Identifier: BSD-3-Clause");
  std::puts(" * The typed calls of accrue.h, which includes this. Generated from the closed set (src/c/write_typed_calls.cpp). */");
  std::puts("#ifndef ACCRUE_TYPED_CALLS_H\n#define ACCRUE_TYPED_CALLS_H");
  named_operation last = bit_xor;
  for (const auto& r : closed_set) {
    if (!c::is_typed(r)) continue;
    if (r.operation != last) std::printf("\n/* %s */\n", meaning(r.operation));
    last = r.operation;
    std::string call = "accrue_status " + call_of(r) + ";";
    if (call.size() > 130) call.replace(call.find(" size_t n"), 1, "\n                          ");
    std::puts(call.c_str());
  }
  std::puts("\n#endif");
}
