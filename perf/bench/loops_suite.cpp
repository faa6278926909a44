// SPDX-License-Identifier: BSD-3-Clause
// accrue's CPU kernels beside plain vectorised loops: in caches, from memory, and in short calls.
#include <accrue/accrue.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "accrue_contenders.hpp"
#include "inputs.hpp"
#include "plain_loops.hpp"
#include "suites.hpp"

namespace perf {

namespace {

/// The loops for the instruction set in use.
struct loops {
  double (*sum)(const double*, std::size_t, int);
  float (*sum_f32)(const float*, std::size_t, int);
  double (*dot)(const double*, const double*, std::size_t, int);
  double (*sum_squares)(const double*, std::size_t, int);
  double (*min)(const double*, std::size_t, int);
  double (*max)(const double*, std::size_t, int);
  std::size_t (*argmin)(const double*, std::size_t, int);
};
loops plain_loops() {
#if defined(__x86_64__)
  if (accrue::current_instruction_set() == accrue::instruction_set::avx512) {
    namespace p = plain::avx512;
    return {p::sum, p::sum, p::dot, p::sum_squares, p::min, p::max, p::argmin};
  }
  namespace p = plain::avx2;
#else
  namespace p = plain::assumed;
#endif
  return {p::sum, p::sum, p::dot, p::sum_squares, p::min, p::max, p::argmin};
}

/// Elements somewhere, and the threads that read them.
struct place_of_data {
  std::string from;  ///< memory, L1, L2, or call: so few that the call counts
  std::size_t bytes;
  int threads;
};

/// Rows of one operation on one input; the plain loop first.
class company {
 public:
  company(const stage& host, const place_of_data& at, const char* what, const char* type, std::size_t n, std::size_t bytes)
      : host_(host),
        labels_{{"suite", "loops"}, {"where", "host"}, {"what", what}, {"by", ""}, {"type", type}, {"input", ""},
                {"from", at.from},  {"n", n},          {"threads", at.threads}},
        bytes_(bytes) {}

  /// `call()` is a number: `right(number)` says whether it is what it should be.
  template <class Call, class Right>
  void add(const char* by, const char* input, Call call, Right right) {
    json labels = labels_;
    labels["by"] = by;
    labels["input"] = input;
    auto result = std::make_shared<double>();
    rows_.push_back({.labels = labels,
                     .bytes = bytes_,
                     .time = host_.sampled([call, result](std::size_t) { *result = static_cast<double>(call()); }, false),
                     .check = [result, right] { return json{{"verified", right(*result)}}; },
                     .is_reference = rows_.empty()});
  }
  void measure(runner& r, const std::function<void()>& prepare) { r.measure(std::move(rows_), prepare); }

 private:
  const stage& host_;
  json labels_;
  std::size_t bytes_;
  std::vector<row> rows_;
};

/// What a row's result must be: set when inputs are made.
struct expectation {
  double value = 0;
  double bound = 0;
};
auto exactly(const expectation& e) {
  return [&e](double x) { return x == e.value; };
}
auto nearly(const expectation& e) {
  return [&e](double x) { return std::fabs(x - e.value) <= e.bound; };
}

/// Arrays of doubles, and of floats twice as many, made when a row wants them.
class arrays {
 public:
  explicit arrays(std::size_t n) : n_(n) {}
  const double* doubles(input kind) { return filled(doubles_[static_cast<int>(kind)], n_, kind); }
  const float* floats(input kind) { return filled(floats_[static_cast<int>(kind)], 2 * n_, kind); }

 private:
  template <class T>
  static const T* filled(std::vector<T>& x, std::size_t n, input kind) {
    if (x.empty()) {
      x.resize(n);
      fill(x.data(), n, kind);
    }
    return x.data();
  }
  std::size_t n_;
  std::vector<double> doubles_[5];
  std::vector<float> floats_[5];
};

template <class T>
expectation sum_of(const T* x, std::size_t n) {
  accrue::superaccumulator<T> s;
  accrue::superaccumulator<T> magnitudes;
  for (std::size_t i = 0; i < n; ++i) {
    s.add(x[i]);
    magnitudes.add(std::fabs(x[i]));
  }
  const double roundings = 2 * std::sqrt(static_cast<double>(n)) * (sizeof(T) == 8 ? 0x1p-53 : 0x1p-24);
  return {static_cast<double>(s.template round<T>()), roundings * magnitudes.template round<double>()};
}

void sums(runner& r, const stage& host, const place_of_data& at, arrays& data, const loops& plain) {
  const std::size_t n = at.bytes / sizeof(double);
  const auto space = space_at<accrue::default_host_space>({.threads = at.threads});
  const int t = at.threads;
  static expectation expected[3];
  const double* x[3] = {};
  const float* f[2] = {};
  const bool large = at.from == "memory";
  {
    company c(host, at, "sum", "f64", n, at.bytes);
    c.add("plain loop", "uniform", [&, n, t] { return plain.sum(x[0], n, t); }, nearly(expected[0]));
    c.add("accrue exact", "uniform", [&, n] { return accrue::sum(space, x[0], n); }, exactly(expected[0]));
    c.add("accrue exact", "normal", [&, n] { return accrue::sum(space, x[1], n); }, exactly(expected[1]));
    if (large) {
      c.add("accrue exact", "whole range", [&, n] { return accrue::sum(space, x[2], n); }, exactly(expected[2]));
      c.add("accrue fast", "uniform", [&, n] { return accrue::sum(space, x[0], n, accrue::fast); }, nearly(expected[0]));
      c.add("accrue ordered", "uniform", [&, n] { return accrue::sum(space, x[0], n, accrue::ordered); }, nearly(expected[0]));
    }
    c.measure(r, [&] {
      const input kinds[] = {input::uniform, input::normal, input::whole_range};
      for (int k = 0; k < (large ? 3 : 2); ++k) expected[k] = sum_of(x[k] = data.doubles(kinds[k]), n);
    });
  }
  if (at.from == "call") return;
  company c(host, at, "sum", "f32", 2 * n, at.bytes);
  c.add("plain loop", "uniform", [&, n, t] { return plain.sum_f32(f[0], 2 * n, t); }, nearly(expected[0]));
  c.add("accrue exact", "uniform", [&, n] { return accrue::sum(space, f[0], 2 * n); }, exactly(expected[0]));
  c.add("accrue exact", "normal", [&, n] { return accrue::sum(space, f[1], 2 * n); }, exactly(expected[1]));
  if (large) c.add("accrue fast", "uniform", [&, n] { return accrue::sum(space, f[0], 2 * n, accrue::fast); }, nearly(expected[0]));
  c.measure(r, [&] {
    expected[0] = sum_of(f[0] = data.floats(input::uniform), 2 * n);
    expected[1] = sum_of(f[1] = data.floats(input::normal), 2 * n);
  });
}

void products(runner& r, const stage& host, const place_of_data& at, arrays& data, const loops& plain) {
  const std::size_t n = at.bytes / sizeof(double);
  const auto space = space_at<accrue::default_host_space>({.threads = at.threads});
  const int t = at.threads;
  static expectation expected;
  const double* x = nullptr;
  const double* y = nullptr;
  const auto expect = [&] {
    accrue::product_superaccumulator<double> s;
    accrue::superaccumulator<double> magnitudes;
    for (std::size_t i = 0; i < n; ++i) {
      s.add_product(x[i], y[i]);
      magnitudes.add(std::fabs(x[i] * y[i]));
    }
    expected = {s.round<double>(), 4 * std::sqrt(static_cast<double>(n)) * 0x1p-53 * magnitudes.round<double>()};
  };
  {
    company c(host, at, "dot", "f64", n, 2 * at.bytes);
    c.add("plain loop", "normal", [&, n, t] { return plain.dot(x, y, n, t); }, nearly(expected));
    c.add("accrue exact", "normal", [&, n] { return accrue::dot(space, x, y, n); }, exactly(expected));
    c.measure(r, [&] {
      x = data.doubles(input::normal);
      y = data.doubles(input::uniform);
      expect();
    });
  }
  if (at.from == "call") return;
  static expectation variance;
  company c(host, at, "sum of squares", "f64", n, at.bytes);
  c.add("plain loop", "normal", [&, n, t] { return plain.sum_squares(x, n, t); }, nearly(expected));
  c.add("accrue exact", "normal", [&, n] { return accrue::sum_squares(space, x, n); }, exactly(expected));
  c.measure(r, [&] {
    x = y = data.doubles(input::normal);
    expect();
  });
  company m(host, at, "moments", "f64", n, at.bytes);
  m.add("plain loop", "normal", [&, n, t] { return plain.sum_squares(x, n, t); }, nearly(expected));
  m.add("accrue exact", "normal", [&, n] { return accrue::moments(space, x, n).variance; }, exactly(variance));
  m.measure(r, [&] {
    x = y = data.doubles(input::normal);
    expect();
    variance.value = accrue::moments(accrue::serial{}, x, n).variance;
  });
}

void extrema(runner& r, const stage& host, const place_of_data& at, arrays& data, const loops& plain) {
  const std::size_t n = at.bytes / sizeof(double);
  const auto space = space_at<accrue::default_host_space>({.threads = at.threads});
  const int t = at.threads;
  static expectation expected;
  const double* x = nullptr;
  const auto of = [&](const char* what, auto plain_call, auto call, auto expect) {
    company c(host, at, what, "f64", n, at.bytes);
    c.add("plain loop", "normal", plain_call, exactly(expected));
    c.add("accrue", "normal", call, exactly(expected));
    c.measure(r, [&] {
      x = data.doubles(input::normal);
      expected.value = static_cast<double>(expect());
    });
  };
  of("min", [&, n, t] { return plain.min(x, n, t); }, [&, n] { return accrue::min(space, x, n); },
     [&] { return *std::min_element(x, x + n); });
  of("max", [&, n, t] { return plain.max(x, n, t); }, [&, n] { return accrue::max(space, x, n); },
     [&] { return *std::max_element(x, x + n); });
  of("argmin", [&, n, t] { return plain.argmin(x, n, t); }, [&, n] { return accrue::argmin(space, x, n).index; },
     [&] { return std::min_element(x, x + n) - x; });
}

}  // namespace

void loops_suite(runner& r, const stage& host, const extent& e) {
  const loops plain = plain_loops();
  std::vector<place_of_data> places;
  for (const std::size_t n : {8, 100, 1000}) places.push_back({"call", n * sizeof(double), 1});
  places.push_back({"L1", std::size_t{16} << 10, 1});
  places.push_back({"L2", std::size_t{256} << 10, 1});
  places.push_back({"memory", e.bytes, e.threads.front()});
  if (e.threads.size() > 1) places.push_back({"memory", e.bytes, e.threads.back()});
  for (const place_of_data& at : places) {
    arrays data(at.bytes / sizeof(double));
    sums(r, host, at, data, plain);
    products(r, host, at, data, plain);
    if (at.from == "memory") extrema(r, host, at, data, plain);
  }
}

}  // namespace perf
