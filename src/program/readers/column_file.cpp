// SPDX-License-Identifier: BSD-3-Clause
// Element types by name, and the choice of a reader.
#include "column_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "accrue/error.hpp"

namespace accrue::program {

namespace {

constexpr std::array<std::pair<std::string_view, std::size_t>, 12> types{{{"f16", 2},
                                                                          {"bf16", 2},
                                                                          {"f32", 4},
                                                                          {"f64", 8},
                                                                          {"i8", 1},
                                                                          {"i16", 2},
                                                                          {"i32", 4},
                                                                          {"i64", 8},
                                                                          {"u8", 1},
                                                                          {"u16", 2},
                                                                          {"u32", 4},
                                                                          {"u64", 8}}};

}  // namespace

std::string_view to_string(element_type type) { return types[static_cast<std::size_t>(type)].first; }

std::size_t size_of(element_type type) { return types[static_cast<std::size_t>(type)].second; }

element_type element_type_named(std::string_view name) {
  std::string known;
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (types[k].first == name) return static_cast<element_type>(k);
    known += (k == 0 ? "" : ", ") + std::string(types[k].first);
  }
  throw error(errc::bad_input, "unknown type '" + std::string(name) + "': expected one of " + known);
}

std::unique_ptr<column_file> open_columns(std::istream& input, const std::string& name, std::uint64_t size_bytes,
                                          const read_options& options) {
  std::string format = options.format;
  if (format.empty()) format = options.type ? "raw" : name.ends_with(".npy") ? "npy" : "text";
  if (format == "text") return open_text(input, name, options);
  if (!options.by.empty()) throw error(errc::bad_input, name + ": groups are of text files");
  if (format == "npy") return open_npy(input, name, size_bytes);
  if (format == "raw") {
    if (!options.type) throw error(errc::bad_input, name + ": raw data need --type");
    return open_raw(input, name, size_bytes, *options.type);
  }
  throw error(errc::bad_input, "unknown format '" + format + "': expected text, npy, raw or strd");
}

}  // namespace accrue::program
