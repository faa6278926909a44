// SPDX-License-Identifier: BSD-3-Clause
// Plain C++: no device compiler, no runtime's header. Without a device the error says so.
#include <accrue/accrue.hpp>
#include <cstddef>
#include <cstdio>
#include <tuple>
#include <vector>

namespace {

/// A copy of x in the space's memory.
template <class Space, class T>
class device_array {
 public:
  device_array(const Space& space, const std::vector<T>& x)
      : space_(space), data_(static_cast<T*>(space.allocate(x.size() * sizeof(T)))), size_(x.size()) {
    space.copy(data_, x.data(), x.size() * sizeof(T));
  }
  ~device_array() { space_.deallocate(data_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  auto view() const { return accrue::view(data_, size_); }

 private:
  Space space_;
  T* data_;
  std::size_t size_;
};

/// Sums, masked ones and positions, as one comparable value.
template <class Space, class X, class Mask>
auto results(const Space& space, const X& x, const Mask& mask) {
  const auto taken = accrue::where(x, mask);
  const auto least = accrue::argmin(space, taken);
  return std::tuple(accrue::sum(space, x), accrue::argmin(space, x).index, accrue::mean(space, taken), accrue::dot(space, taken, x),
                    accrue::moments(space, taken).variance, accrue::sum(space, taken, accrue::fast) != 0, accrue::max(space, taken),
                    least.value, least.index);
}

}  // namespace

int main() {
  std::vector<double> x(100001);
  std::vector<signed char> mask(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 1.0 / static_cast<double>(i + 1) * (i % 3 == 0 ? -1e10 : 1e-10);
    mask[i] = i % 7 < 3 ? 1 : 0;
  }
  try {
    const accrue::default_space space;
    const device_array there(space, x);
    const device_array mask_there(space, mask);
    const bool same = results(space, there.view(), mask_there.view()) == results(accrue::serial{}, x, mask);
    std::puts(same ? "device and serial: the same bits" : "WRONG");
    return same ? 0 : 1;
  } catch (const accrue::error& e) {
    std::puts(e.what());
    return e.code() == accrue::errc::no_device ? 0 : 1;
  }
}
