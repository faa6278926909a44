// SPDX-License-Identifier: BSD-3-Clause
// Lines, fields and numbers of text files.
#include "line_reader.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "accrue/error.hpp"

namespace accrue::program {

namespace {

constexpr std::string_view blanks = " \t\r";

/// Reads the whole of `field`. Unlike from_chars, a plus sign before the digits is allowed.
template <class T>
std::errc parse(std::string_view field, T& value) {
  if (field.size() > 1 && field.front() == '+' && field[1] != '-') field.remove_prefix(1);
  const char* const end = field.data() + field.size();
  const auto r = std::from_chars(field.data(), end, value);
  return r.ptr != end ? std::errc::invalid_argument : r.ec;
}

}  // namespace

void split(std::string_view text, field_list& fields) {
  fields.clear();
  const char* p = text.data();
  const char* const end = p + text.size();
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (true) {
    while (p != end && blank(*p)) ++p;
    if (p == end) return;
    const char* const start = p;
    while (p != end && !blank(*p)) ++p;
    fields.emplace_back(start, static_cast<std::size_t>(p - start));
  }
}

bool is_number(std::string_view field) {
  double value = 0;
  return parse(field, value) != std::errc::invalid_argument;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string shown(text.substr(0, longest));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
  }
  return "'" + shown + (text.size() > longest ? "...'" : "'");
}

bool line_reader::next() {
  if (held_) {
    held_ = false;
    return true;
  }
  if (ended_) return false;
  ++number_;
  if (!std::getline(input_, buffer_)) {
    if (input_.bad()) fail("a file that can be read", "a failure of the system");
    ended_ = true;
    text_ = {};
    return false;
  }
  text_ = buffer_;
  if (text_.ends_with('\r')) text_.remove_suffix(1);
  return true;
}

bool line_reader::next_filled() {
  while (next()) {
    if (text_.find_first_not_of(blanks) != std::string_view::npos) return true;
  }
  return false;
}

void line_reader::need(const std::string& expected) {
  if (!next()) fail_at_end(expected);
}

std::string_view line_reader::cut_comment() {
  const auto at = text_.find('#');
  if (at == std::string_view::npos) return {};
  const auto comment = text_.substr(at + 1);
  text_ = text_.substr(0, at);
  return comment;
}

const field_list& line_reader::fields() {
  split(text_, fields_);
  return fields_;
}

double line_reader::real(std::string_view field) const {
  double value = 0;
  const auto status = parse(field, value);
  if (status == std::errc::result_out_of_range) fail("a number in the range of a double", quoted(field));
  if (status != std::errc()) fail("a number", quoted(field));
  if (!std::isfinite(value)) fail("a finite number", quoted(field));
  return value;
}

std::uint64_t line_reader::whole(std::string_view field, const char* what) const {
  std::uint64_t value = 0;
  if (parse(field, value) != std::errc()) fail(what, quoted(field));
  return value;
}

void line_reader::check_whole(std::string_view field, const char* what) const {
  std::int64_t value = 0;
  if (parse(field, value) != std::errc()) fail(what, quoted(field));
}

std::size_t line_reader::atom_count(std::string_view field) const {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / (3 * sizeof(double));
  const std::uint64_t count = whole(field, "a number of atoms");
  if (count > most) fail("a number of atoms that memory could hold", quoted(field));
  return static_cast<std::size_t>(count);
}

void line_reader::fail_at(std::size_t line, const std::string& expected, const std::string& found) const {
  throw error(errc::bad_input, name_ + ":" + std::to_string(line) + ": expected " + expected + ", found " + found);
}

}  // namespace accrue::program
