// SPDX-License-Identifier: BSD-3-Clause
// Files of numbers as columns, read in pieces, so that a file may be larger than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace accrue::program {

enum class element_type { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 };

std::string_view to_string(element_type type);
/// The type of that name; throws `errc::bad_input` naming the known ones.
element_type element_type_named(std::string_view name);
std::size_t size_of(element_type type);

struct column {
  std::string name;
  element_type type;
};

/// `size` elements of column `index`, which follow those of the piece before.
struct piece {
  std::size_t index;
  const void* data;
  std::size_t size;
  const std::uint32_t* groups = nullptr;  ///< the group of each, where the file is read by a column's values
};
/// The length of an input that cannot be asked for it, such as a pipe.
inline constexpr std::uint64_t unknown_size = ~std::uint64_t{0};
using piece_sink = std::function<void(const piece&)>;

/// How to read a file. What is left out is told from the file.
struct read_options {
  std::string format;                ///< "text", "npy", "raw", "strd", or empty
  std::optional<element_type> type;  ///< of raw files
  std::vector<std::string> columns;  ///< names, or numbers counted from 1; empty for all that are numeric
  std::size_t skip_lines = 0;        ///< lines of text before the data
  bool skip_empty = false;           ///< empty fields of text take no part; else they are an error
  std::string by;                    ///< the column of text, name or number, whose values make groups; empty for none
};

/// A file being read. Throws `errc::bad_input` with the file, the place and what was expected there.
class column_file {
 public:
  virtual ~column_file() = default;
  [[nodiscard]] virtual const std::vector<column>& columns() const = 0;
  /// Hands every element to `sink`, in order within each column. Called once.
  virtual void read(const piece_sink& sink) = 0;
  /// Afterwards: the values of the groups, in the order in which they came; and how many empty fields each column had.
  [[nodiscard]] virtual std::vector<std::string> groups() const { return {}; }
  [[nodiscard]] virtual std::uint64_t empty_fields(std::size_t /*column*/) const { return 0; }
  /// The columns that no one asked for and whose first row is no number.
  [[nodiscard]] virtual std::vector<std::string> left_out() const { return {}; }
};

/// Opens by name; `input` must outlive the result. `size_bytes` is the input's length, or unknown_size.
std::unique_ptr<column_file> open_columns(std::istream& input, const std::string& name, std::uint64_t size_bytes,
                                          const read_options& options);

// One function for each format.
std::unique_ptr<column_file> open_text(std::istream& input, const std::string& name, const read_options& options);
std::unique_ptr<column_file> open_npy(std::istream& input, const std::string& name, std::uint64_t size_bytes);
std::unique_ptr<column_file> open_raw(std::istream& input, const std::string& name, std::uint64_t size_bytes, element_type type);

/// Certified figures in the header of a NIST StRD univariate file.
struct certified_values {
  double mean = 0;
  double standard_deviation = 0;
};
/// Reads the header of a StRD file and leaves `input` at the data; throws if it is none.
certified_values read_strd_header(std::istream& input, const std::string& name);

}  // namespace accrue::program
