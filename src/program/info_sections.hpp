// SPDX-License-Identifier: BSD-3-Clause
// Parts of `accrue info` that backends add: a backend with devices has one source file here, linked in when it is built.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace accrue::program {

struct info_section {
  const char* key;
  nlohmann::ordered_json (*collect)();
  void (*print)(const nlohmann::ordered_json&);
};

inline std::vector<info_section>& info_sections() {
  static std::vector<info_section> all;
  return all;
}
struct add_info_section {
  explicit add_info_section(const info_section& s) { info_sections().push_back(s); }
};

/// One line of the listing.
void print_line(const char* name, const std::string& value);

}  // namespace accrue::program
