// SPDX-License-Identifier: BSD-3-Clause
// Sums of what programs have, and partial results through a file.
#include <accrue/accrue.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

int main() {
  const accrue::openmp space;  // all threads
  std::vector<double> x(1000000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? 0.1 : 1e12 - 2e12 * static_cast<double>(i / 2 % 2);

  // The exact sum, rounded once: 500000 times the double nearest to 0.1.
  const double total = accrue::sum(space, x);

  // Column 3 of a matrix of 1000 rows and 1000 columns, and its mean.
  const auto column = accrue::view(x.data() + 3, 1000, 1000);
  const double mean = accrue::mean(space, column);

  // Three arrays at once.
  const std::vector<double> y(x.size(), 2.0), w(x.size(), 0.5);
  const double three =
      accrue::transform_reduce(space, accrue::plus{}, [](double a, double b, double c) { return a * b * c; }, x, y, w);

  // Two processes reduce a half each; one writes its part to a file, the other reads and merges it.
  const auto half = static_cast<std::ptrdiff_t>(x.size() / 2);
  const accrue::sum_of<double> sum;
  {
    const auto bytes = accrue::partial(space, accrue::slice(x, 0, half), sum).to_bytes();
    std::ofstream file("partial.bin", std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  auto merged = accrue::partial(space, accrue::slice(x, half, half), sum);
  std::ifstream file("partial.bin", std::ios::binary);
  const std::vector<char> read{std::istreambuf_iterator<char>(file), {}};
  merged += accrue::partial_result<accrue::sum_of<double>>::from_bytes(std::as_bytes(std::span(read)));

  std::printf("sum %.17g, mean of a column %.17g, of three arrays %.17g, merged %.17g\n", total, mean, three, merged.finish());
  return merged.finish() == total ? 0 : 1;
}
