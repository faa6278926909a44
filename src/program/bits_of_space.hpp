// SPDX-License-Identifier: BSD-3-Clause
// accrue bits: the lines of one space, and those that backends add which are apart from accrue/accrue.hpp.
#pragma once

#include <fmt/format.h>

#include <accrue/accrue.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "golden/results.hpp"

namespace accrue::program {

/// Elements in the memory of a space, for as long as this lives.
template <class Space, class T>
class copy_in_space {
 public:
  copy_in_space(const Space& space, const std::vector<T>& x)
      : space_(space), data_(static_cast<T*>(space.allocate(x.size() * sizeof(T)))), size_(x.size()) {
    space.copy(data_, x.data(), x.size() * sizeof(T));
    space.synchronize();
  }
  copy_in_space(const copy_in_space&) = delete;
  copy_in_space& operator=(const copy_in_space&) = delete;
  ~copy_in_space() { space_.deallocate(data_); }
  [[nodiscard]] auto view() const { return accrue::view(data_, size_); }

 private:
  Space space_;
  T* data_;
  std::size_t size_;
};

/// "where name : results" for every case on a space.
template <class Space>
void print_cases(const Space& space, const std::string& where) {
  test::for_each_case([&]<class T>(const std::string& name, const std::vector<T>& x) {
    const copy_in_space<Space, T> there(space, x);
    fmt::print("{} {} : {}\n", where, name, test::results_of_case(space, there.view()));
  });
}
/// The same, unless there is no such device.
template <class Space>
bool print_cases_if_there(const Space& space, const std::string& where) {
  try {
    print_cases(space, where);
    return true;
  } catch (const error& e) {
    if (e.code() != errc::no_device) throw;
    return false;
  }
}
/// What prints the lines of such a backend; its source file here, linked in when it is built, adds it.
inline std::vector<void (*)()>& bits_sections() {
  static std::vector<void (*)()> all;
  return all;
}
struct add_bits_section {
  explicit add_bits_section(void (*print)()) { bits_sections().push_back(print); }
};

}  // namespace accrue::program
