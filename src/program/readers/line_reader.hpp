// SPDX-License-Identifier: BSD-3-Clause
// Text line by line, its fields and numbers, and complaints that name the file and the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace accrue::program {

using field_list = std::vector<std::string_view>;

/// The parts of `text` between blanks, into `fields`.
void split(std::string_view text, field_list& fields);
/// Whether the whole of `field` is a number, finite or not, in the range of a double or not.
bool is_number(std::string_view field);
/// `text` in quotes for a message: cut short if long, with '?' for control characters.
std::string quoted(std::string_view text);

/// One buffer holds the current line; views of it and its fields last until the next line.
class line_reader {
 public:
  line_reader(std::istream& input, std::string name) : input_(input), name_(std::move(name)) {}

  /// Goes to the next line; false at the end of the file.
  bool next();
  /// Goes to the next line that is not blank.
  bool next_filled();
  /// As next(), where the file must not end: `expected` is what should stand there.
  void need(const std::string& expected);
  /// Makes next() give the current line once more.
  void hold() { held_ = true; }

  /// The line without its end, and the number it has, counted from 1.
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t number() const { return number_; }
  /// Cuts the line at its first '#'; what follows that.
  std::string_view cut_comment();
  const field_list& fields();

  /// A finite number that is the whole of `field`.
  [[nodiscard]] double real(std::string_view field) const;
  /// A whole number, 0 or more. `what` is its name with an article.
  [[nodiscard]] std::uint64_t whole(std::string_view field, const char* what) const;
  /// Checks that `field` is a whole number of either sign.
  void check_whole(std::string_view field, const char* what) const;
  /// Whole and 0 or more, and as many atoms as memory could address.
  [[nodiscard]] std::size_t atom_count(std::string_view field) const;

  /// "name:line: expected ..., found ...".
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const { fail_at(number_, expected, found); }
  [[noreturn]] void fail_at(std::size_t line, const std::string& expected, const std::string& found) const;
  [[noreturn]] void fail_at_end(const std::string& expected) const { fail(expected, "the end of the file"); }

 private:
  std::istream& input_;
  std::string name_;
  std::string buffer_;
  std::string_view text_;
  field_list fields_;
  std::size_t number_ = 0;
  bool held_ = false;
  bool ended_ = false;
};

}  // namespace accrue::program
