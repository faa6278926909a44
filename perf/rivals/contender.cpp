// SPDX-License-Identifier: BSD-3-Clause
#include "contender.hpp"

namespace perf {

template <class T>
std::vector<contender<T>>& host_contenders() {
  static std::vector<contender<T>> all;
  return all;
}
template <class T>
std::vector<contender<T>>& device_contenders() {
  static std::vector<contender<T>> all;
  return all;
}
template std::vector<contender<float>>& host_contenders();
template std::vector<contender<double>>& host_contenders();
template std::vector<contender<float>>& device_contenders();
template std::vector<contender<double>>& device_contenders();

std::vector<std::function<void()>>& at_the_end() {
  static std::vector<std::function<void()>> all;
  return all;
}

}  // namespace perf
