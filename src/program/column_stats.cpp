// SPDX-License-Identifier: BSD-3-Clause
// The statistics of one column, for each element type.
#include "column_stats.hpp"

#include <fmt/format.h>

#include <accrue/accrue.hpp>
#include <cmath>
#include <limits>

namespace accrue::program {

namespace {

template <class T>
std::string text_of(T x) {
  if constexpr (integer<T>) {
    return fmt::format("{}", x);
  } else if constexpr (small_float<T>) {
    return fmt::format("{}", static_cast<float>(x));
  } else {
    return fmt::format("{}", x);  // the shortest text that reads back as x
  }
}

/// |naive - exact| in units of the last place of the rounded sum.
template <class Sum>
double error_in_ulp(const Sum& exact, double naive, double rounded) {
  if (!std::isfinite(rounded) || !std::isfinite(naive)) return naive == rounded || (naive != naive && rounded != rounded) ? 0 : INFINITY;
  double difference = naive - rounded;  // exact enough for integers, whose sums have no finer bits to compare
  if constexpr (Sum::lowest_bit < 0) {
    Sum s = exact;
    s.add(-naive);
    difference = s.template round<double>();
  }
  const double magnitude = std::fabs(rounded);
  const double ulp = Sum::lowest_bit == -149 ? std::nextafter(static_cast<float>(magnitude), INFINITY) - static_cast<float>(magnitude)
                                             : std::nextafter(magnitude, INFINITY) - magnitude;
  return std::fabs(difference) / ulp;
}

template <class T>
class typed_stats : public column_stats {
 public:
  void add(const void* data, std::size_t size) override {
    const T* x = static_cast<const T*>(data);
    auto piece = partial(space_, view(x, size), reducer());
    piece.move_positions(count_);
    partial_ += piece;
    for (std::size_t i = 0; i < size; ++i) naive_ += static_cast<decltype(naive_)>(x[i]);
    count_ += size;
  }

  column_report report(const std::string& name) const override {
    column_report r;
    r.name = name;
    r.count = count_;
    const double rounded = [&]() -> double {
      if constexpr (integer<T>) {
        return sum().template round<double>();
      } else {
        return sum().template round<total_t<T>>();
      }
    }();
    r.sum = exact_sum_text();
    r.naive_sum = text_of(naive_);
    r.naive_error_ulp = error_in_ulp(sum(), static_cast<double>(naive_), rounded);
    r.mean = r.standard_deviation = std::numeric_limits<double>::quiet_NaN();
    if (count_ == 0) return r;
    const auto [m, p] = partial_.finish();
    r.mean = m.mean;
    r.standard_deviation = m.standard_deviation;
    r.min = text_of(p.min.value);
    r.max = text_of(p.max.value);
    r.min_index = p.min.index;
    r.max_index = p.max.index;
    return r;
  }

 private:
  using reducer = decltype(fuse(moments_of<T>{}, argminmax_of<T>{}));

  [[nodiscard]] const auto& sum() const { return partial_.state().first.first; }  // of the moments, the sum
  std::string exact_sum_text() const {
    if constexpr (integer<T>) {
      try {
        return text_of(sum().template round<total_t<T>>());
      } catch (const overflow_error&) {
        return text_of(sum().template round<double>());
      }
    } else {
      return text_of(sum().template round<total_t<T>>());
    }
  }

  default_host_space space_;
  partial_result<reducer> partial_;
  std::conditional_t<integer<T>, double, total_t<T>> naive_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<column_stats> make_column_stats(element_type type) {
  switch (type) {
    case element_type::f16: return std::make_unique<typed_stats<half>>();
    case element_type::bf16: return std::make_unique<typed_stats<bfloat16>>();
    case element_type::f32: return std::make_unique<typed_stats<float>>();
    case element_type::f64: return std::make_unique<typed_stats<double>>();
    case element_type::i8: return std::make_unique<typed_stats<std::int8_t>>();
    case element_type::i16: return std::make_unique<typed_stats<std::int16_t>>();
    case element_type::i32: return std::make_unique<typed_stats<std::int32_t>>();
    case element_type::i64: return std::make_unique<typed_stats<std::int64_t>>();
    case element_type::u8: return std::make_unique<typed_stats<std::uint8_t>>();
    case element_type::u16: return std::make_unique<typed_stats<std::uint16_t>>();
    case element_type::u32: return std::make_unique<typed_stats<std::uint32_t>>();
    case element_type::u64: return std::make_unique<typed_stats<std::uint64_t>>();
  }
  throw error(errc::internal, "an element type without statistics");
}

}  // namespace accrue::program
