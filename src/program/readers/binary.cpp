// SPDX-License-Identifier: BSD-3-Clause
// Raw arrays and NumPy's NPY files, versions 1 to 3: one or two dimensions, little-endian.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "accrue/error.hpp"
#include "column_file.hpp"

namespace accrue::program {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

[[noreturn]] void fail(const std::string& name, const std::string& what) { throw error(errc::bad_input, name + ": " + what); }

/// rows x columns elements behind the input's position, row by row or column by column.
class array_file : public column_file {
 public:
  array_file(std::istream& input, std::string name, element_type type, std::uint64_t rows, std::uint64_t columns, bool by_columns)
      : input_(input), name_(std::move(name)), element_size_(size_of(type)), rows_(rows), by_columns_(by_columns) {
    for (std::uint64_t k = 0; k < columns; ++k) {
      columns_.push_back({columns == 1 ? "values" : "column " + std::to_string(k + 1), type});
    }
  }
  const std::vector<column>& columns() const override { return columns_; }

  void read(const piece_sink& sink) override {
    if (columns_.empty()) return;
    if (by_columns_ || columns_.size() == 1) {
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        const std::uint64_t step = piece_bytes / element_size_;
        for (std::uint64_t row = 0; row < rows_; row += step) {
          auto count = static_cast<std::size_t>(std::min(step, rows_ - row));
          if (rows_ != unknown_size) {
            fill(count * element_size_);
          } else {
            count = fill_to_the_end(count);
            if (count == 0) return;
          }
          sink({k, bytes_.data(), count});
        }
      }
      return;
    }
    const std::size_t row_bytes = columns_.size() * element_size_;
    const std::uint64_t step = std::max<std::uint64_t>(1, piece_bytes / row_bytes);
    std::vector<char> column;
    for (std::uint64_t row = 0; row < rows_; row += step) {
      const auto count = static_cast<std::size_t>(std::min(step, rows_ - row));
      fill(count * row_bytes);
      column.resize(count * element_size_);
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        for (std::size_t i = 0; i < count; ++i) {
          std::copy_n(bytes_.data() + i * row_bytes + k * element_size_, element_size_, column.data() + i * element_size_);
        }
        sink({k, column.data(), count});
      }
    }
  }

 private:
  void fill(std::size_t size) {
    bytes_.resize(size);
    input_.read(bytes_.data(), static_cast<std::streamsize>(size));
    if (static_cast<std::size_t>(input_.gcount()) != size) fail(name_, "the file ends before its data do");
  }

  /// At most `count` elements, as many as there are.
  std::size_t fill_to_the_end(std::size_t count) {
    bytes_.resize(count * element_size_);
    input_.read(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    const auto got = static_cast<std::size_t>(input_.gcount());
    if (got % element_size_ != 0) fail(name_, "the input ends within an element");
    return got / element_size_;
  }

  std::istream& input_;
  std::string name_;
  std::size_t element_size_;
  std::uint64_t rows_;  ///< or unknown_size, of one column
  bool by_columns_;
  std::vector<column> columns_;
  std::vector<char> bytes_;
};

/// The text behind 'key': in the header's dictionary, up to `end`.
std::string_view value_of(std::string_view header, std::string_view key, const std::string& name) {
  std::string quoted = "'";
  quoted.append(key).push_back('\'');
  auto at = header.find(quoted);
  if (at == std::string_view::npos) fail(name, "NPY header: expected the key " + quoted);
  at = header.find(':', at + quoted.size());
  if (at == std::string_view::npos) fail(name, "NPY header: expected ':' after " + quoted);
  auto text = header.substr(at + 1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

element_type npy_type(std::string_view text, const std::string& name) {
  const auto close = text.size() > 1 && text[0] == '\'' ? text.find('\'', 1) : std::string_view::npos;
  if (close == std::string_view::npos) fail(name, "NPY header: expected a plain element type in 'descr'");
  const auto descr = text.substr(1, close - 1);
  if (!descr.empty() && descr[0] == '>') fail(name, "big-endian data ('" + std::string(descr) + "'): expected little-endian");
  const auto kind = descr.size() == 3 ? descr.substr(1) : std::string_view();
  constexpr std::array<std::pair<std::string_view, element_type>, 12> known{{{"f2", element_type::f16},
                                                                             {"f4", element_type::f32},
                                                                             {"f8", element_type::f64},
                                                                             {"i1", element_type::i8},
                                                                             {"i2", element_type::i16},
                                                                             {"i4", element_type::i32},
                                                                             {"i8", element_type::i64},
                                                                             {"u1", element_type::u8},
                                                                             {"u2", element_type::u16},
                                                                             {"u4", element_type::u32},
                                                                             {"u8", element_type::u64},
                                                                             {"b1", element_type::u8}}};
  for (const auto& [npy, type] : known) {
    if (npy == kind) return type;
  }
  fail(name, "element type '" + std::string(descr) + "': expected f2, f4, f8, i1 to i8, u1 to u8 or b1");
}

std::vector<std::uint64_t> npy_shape(std::string_view text, const std::string& name) {
  const auto close = text.find(')');
  if (text.empty() || text[0] != '(' || close == std::string_view::npos) fail(name, "NPY header: expected a tuple in 'shape'");
  std::vector<std::uint64_t> shape;
  text = text.substr(1, close - 1);
  while (true) {
    while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
    if (text.empty()) return shape;
    std::uint64_t extent = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (r.ec != std::errc()) fail(name, "NPY header: expected whole numbers in 'shape'");
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(r.ptr - text.data()));
  }
}

}  // namespace

std::unique_ptr<column_file> open_raw(std::istream& input, const std::string& name, std::uint64_t size_bytes, element_type type) {
  const std::size_t each = size_of(type);
  if (size_bytes == unknown_size) return std::make_unique<array_file>(input, name, type, unknown_size, 1, true);
  if (size_bytes % each != 0) {
    fail(name, std::to_string(size_bytes) + " bytes are not a whole number of " + std::string(to_string(type)) + " elements");
  }
  return std::make_unique<array_file>(input, name, type, size_bytes / each, 1, true);
}

std::unique_ptr<column_file> open_npy(std::istream& input, const std::string& name, std::uint64_t size_bytes) {
  std::array<unsigned char, 12> start{};
  input.read(reinterpret_cast<char*>(start.data()), 10);
  if (input.gcount() != 10 || std::memcmp(start.data(), "\x93NUMPY", 6) != 0)
    fail(name, "not an NPY file: expected \\x93NUMPY at its start");
  const int version = start[6];
  if (version < 1 || version > 3) fail(name, "NPY version " + std::to_string(version) + ": expected 1, 2 or 3");
  std::uint64_t length = start[8] + 256u * start[9];
  std::uint64_t before = 10;
  if (version > 1) {
    input.read(reinterpret_cast<char*>(start.data() + 10), 2);
    if (input.gcount() != 2) fail(name, "the file ends inside the NPY header");
    length += (std::uint64_t{start[10]} << 16) + (std::uint64_t{start[11]} << 24);
    before = 12;
  }
  if (length > size_bytes) fail(name, "the file ends inside the NPY header");
  std::string header(static_cast<std::size_t>(length), '\0');
  input.read(header.data(), static_cast<std::streamsize>(length));
  if (static_cast<std::uint64_t>(input.gcount()) != length) fail(name, "the file ends inside the NPY header");
  const element_type type = npy_type(value_of(header, "descr", name), name);
  const auto order = value_of(header, "fortran_order", name);
  if (!order.starts_with("True") && !order.starts_with("False"))
    fail(name, "NPY header: expected True or False in 'fortran_order'");
  const auto shape = npy_shape(value_of(header, "shape", name), name);
  if (shape.size() != 1 && shape.size() != 2) {
    fail(name, std::to_string(shape.size()) + " dimensions: expected an array of one or two");
  }
  const std::uint64_t rows = shape[0];
  const std::uint64_t columns = shape.size() == 2 ? shape[1] : 1;
  const std::uint64_t room = (size_bytes - before - length) / size_of(type);
  if (size_bytes != unknown_size && columns != 0 && rows > room / columns) {
    fail(name, "truncated: the header promises " + std::to_string(rows) + " x " + std::to_string(columns) +
                   " elements, the file has room for " + std::to_string(room));
  }
  if (rows == 0 && columns > 65536) fail(name, "an empty array of more than 65536 columns");
  return std::make_unique<array_file>(input, name, type, rows, columns, order.starts_with("True"));
}

}  // namespace accrue::program
