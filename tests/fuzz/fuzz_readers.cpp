// SPDX-License-Identifier: BSD-3-Clause
// Coverage-guided fuzzing of the file readers (clang's libFuzzer): no input may crash them, and what they refuse they say.
#include <accrue/error.hpp>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "readers/column_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace accrue::program;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  read_options options;
  const int how = data[0] % 6;
  options.format = how < 3 ? "text" : how < 5 ? "npy" : "raw";
  if (how == 1) options.columns = {"1", "b"};
  if (how == 2) options.skip_lines = 1;
  if (how == 5) options.type = element_type::f32;
  std::istringstream in(text);
  try {
    const auto file = open_columns(in, "input", text.size(), options);
    std::size_t bytes = 0;
    file->read([&](const piece& p) {
      if (p.index >= file->columns().size() || p.data == nullptr) std::abort();
      bytes += p.size * size_of(file->columns()[p.index].type);
    });
    // Binary readers cannot hand out more than the file holds; text takes at least two characters for each number.
    if (bytes > (options.format == "text" ? 8 * text.size() + 8 : text.size())) std::abort();
  } catch (const accrue::error& e) {
    if (e.code() != accrue::errc::bad_input) std::abort();
  }
  return 0;
}
