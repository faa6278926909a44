// SPDX-License-Identifier: BSD-3-Clause
// Numbers in the memory of a device, and adding multiples of them. For device compilers.
#pragma once

#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <span>
#include <vector>

namespace accrue::program {

/// Numbers in the memory of a space.
template <class Space>
class device_numbers {
 public:
  device_numbers(const Space& space, const std::vector<double>& host)
      : space_(space), size_(host.size()), data_(static_cast<double*>(space.allocate(size_ * sizeof(double) + 1))) {
    put(host);
  }
  device_numbers(const device_numbers&) = delete;
  device_numbers& operator=(const device_numbers&) = delete;
  ~device_numbers() { space_.deallocate(data_); }

  void put(const std::vector<double>& host) {
    space_.copy(data_, host.data(), size_ * sizeof(double));
    space_.synchronize();
  }
  [[nodiscard]] std::vector<double> host() const {
    std::vector<double> copy(size_);
    space_.copy(copy.data(), data_, size_ * sizeof(double));
    space_.synchronize();
    return copy;
  }
  [[nodiscard]] double* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<double> span() const { return {data_, size_}; }
  [[nodiscard]] auto vectors() const { return array_of_structures(data_, size_ / 3); }

 private:
  Space space_;
  std::size_t size_;
  double* data_;
};

/// to[k] += factor * of[k], the product and the sum rounded one by one.
struct scaled_addition {
  double factor;
  const double* of;
  template <class To>
  ACCRUE_DEVICE void operator()(std::size_t k, To& to) const {
    to.add(k, simt::multiply(factor, of[k]));
  }
};
/// to += factor * of
template <class Space>
void add_scaled(const Space& space, const device_numbers<Space>& to, double factor, const device_numbers<Space>& of) {
  accumulate(space, to.span(), to.size(), scaled_addition{factor, of.data()}, strategy::gather);
}

}  // namespace accrue::program
