// SPDX-License-Identifier: BSD-3-Clause
// The statistics of one column, for each element type.
#include "column_stats.hpp"

#include <fmt/format.h>

#include <accrue/accrue.hpp>
#include <cmath>
#include <limits>

namespace accrue::program {

namespace {

/// A reducer whose result is its state, so that states of pieces can be merged.
template <class R>
struct keep_state : R {
  auto finish(const typename R::state& s) const { return s; }
};

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
    const auto [m, p] = reduce(space_, view(x, size), fuse(keep_state<moments_of<T>>{}, keep_state<argminmax_of<T>>{}));
    moments_of<T>{}.merge(moments_, m);
    auto shifted = p;
    shifted.lowest.index += count_;
    shifted.highest.index += count_;
    argminmax_of<T>{}.merge(positions_, shifted);
    for (std::size_t i = 0; i < size; ++i) naive_ += static_cast<decltype(naive_)>(x[i]);
    count_ += size;
  }

  column_report report(const std::string& name) const override {
    column_report r;
    r.name = name;
    r.count = count_;
    const double rounded = [&]() -> double {
      if constexpr (integer<T>) {
        return moments_.sum.template round<double>();
      } else {
        return moments_.sum.template round<total_t<T>>();
      }
    }();
    r.sum = exact_sum_text();
    r.naive_sum = text_of(naive_);
    r.naive_error_ulp = error_in_ulp(moments_.sum, static_cast<double>(naive_), rounded);
    r.mean = r.standard_deviation = std::numeric_limits<double>::quiet_NaN();
    if (count_ == 0) return r;
    const auto m = moments_of<T>{}.finish(moments_);
    r.mean = m.mean;
    r.standard_deviation = m.standard_deviation;
    const auto p = argminmax_of<T>{}.finish(positions_);
    r.min = text_of(p.min.value);
    r.max = text_of(p.max.value);
    r.min_index = p.min.index;
    r.max_index = p.max.index;
    return r;
  }

 private:
  std::string exact_sum_text() const {
    if constexpr (integer<T>) {
      try {
        return text_of(moments_.sum.template round<total_t<T>>());
      } catch (const overflow_error&) {
        return text_of(moments_.sum.template round<double>());
      }
    } else {
      return text_of(moments_.sum.template round<total_t<T>>());
    }
  }

  default_host_space space_;
  typename moments_of<T>::state moments_{};
  typename argminmax_of<T>::state positions_{};
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
