// SPDX-License-Identifier: BSD-3-Clause
// Text and CSV: fields apart by commas, semicolons, tabs or blanks; quotes as RFC 4180 has them; a header line if it is not
// numeric; lines that start with '#' are comments.
#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>

#include "accrue/error.hpp"
#include "column_file.hpp"

namespace accrue::program {

namespace {

/// A field and where it starts, counted from 1.
struct field {
  std::string text;
  std::size_t place;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

/// The number that is the whole of `text`.
std::from_chars_result parse(std::string_view text, double& value) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  if (r.ec == std::errc() && r.ptr != text.data() + text.size()) r.ec = std::errc::invalid_argument;
  return r;
}

bool is_number(std::string_view text) {
  double value = 0;
  return parse(trimmed(text), value).ec != std::errc::invalid_argument;
}

class text_file : public column_file {
 public:
  text_file(std::istream& input, std::string name, const read_options& options)
      : input_(input), name_(std::move(name)), skip_empty_(options.skip_empty) {
    for (std::size_t k = 0; k < options.skip_lines; ++k) {
      if (!next_line())
        fail(1, "expected data after " + std::to_string(options.skip_lines) + " lines to skip, found the end of the file");
    }
    if (!next_data_line()) return;
    delimiter_ = find_delimiter();
    split();
    const bool header =
        std::any_of(fields_.begin(), fields_.end(), [](const field& f) { return !is_number(f.text); }) &&
        std::none_of(fields_.begin(), fields_.end(), [](const field& f) { return !f.text.empty() && is_number(f.text); });
    std::vector<std::string> names;
    for (std::size_t k = 0; k < fields_.size(); ++k) {
      names.push_back(header ? std::string(trimmed(fields_[k].text)) : "column " + std::to_string(k + 1));
    }
    width_ = fields_.size();
    if (header) {
      if (!next_data_line()) {
        choose(names, options.columns, {});
        choose_groups(names, options.by);
        return;
      }
      split();
    }
    pending_ = true;
    choose(names, options.columns, fields_);
    choose_groups(names, options.by);
  }

  const std::vector<column>& columns() const override { return columns_; }

  void read(const piece_sink& sink) override {
    constexpr std::size_t most_rows = 65536;
    struct buffer {
      std::vector<double> values;
      std::vector<std::uint32_t> groups;
    };
    std::vector<buffer> buffers(columns_.size());
    const auto flush = [&] {
      for (std::size_t k = 0; k < buffers.size(); ++k) {
        auto& b = buffers[k];
        if (!b.values.empty()) sink({k, b.values.data(), b.values.size(), by_ ? b.groups.data() : nullptr});
        b.values.clear();
        b.groups.clear();
      }
    };
    std::size_t rows = 0;
    for (; pending_; advance()) {
      if (fields_.size() != width_) {
        fail(1, "expected " + std::to_string(width_) + " fields, found " + std::to_string(fields_.size()));
      }
      const std::uint32_t group = by_ ? group_of(fields_[*by_]) : 0;
      for (std::size_t k = 0; k < buffers.size(); ++k) {
        const field& f = fields_[chosen_[k]];
        if (skip_empty_ && trimmed(f.text).empty()) {
          ++empty_[k];
          continue;
        }
        buffers[k].values.push_back(number(f));
        if (by_) buffers[k].groups.push_back(group);
      }
      if (++rows % most_rows == 0) flush();
    }
    flush();
  }
  std::vector<std::string> groups() const override { return group_names_; }
  std::vector<std::string> left_out() const override { return left_out_; }
  std::uint64_t empty_fields(std::size_t k) const override { return empty_[k]; }

 private:
  [[noreturn]] void fail(std::size_t place, const std::string& what) const {
    throw error(errc::bad_input, name_ + ":" + std::to_string(line_) + ":" + std::to_string(place) + ": " + what);
  }
  bool next_line() {
    if (!std::getline(input_, text_)) return false;
    if (++line_ == 1 && text_.starts_with("\xef\xbb\xbf")) text_.erase(0, 3);  // a byte order mark
    if (line_ == 1 && text_.starts_with("\x1f\x8b")) fail(1, "compressed data: gzip -dc FILE | accrue stats - reads them");
    if (const auto zero = text_.find('\0'); zero != std::string::npos) fail(zero + 1, "expected text, found binary data");
    return true;
  }
  bool next_data_line() {
    while (next_line()) {
      const auto t = trimmed(text_);
      if (!t.empty() && t.front() != '#') return true;
    }
    return false;
  }
  void advance() {
    pending_ = next_data_line();
    if (pending_) split();
  }
  char find_delimiter() const {
    for (const char c : {',', ';', '\t'}) {
      if (text_.find(c) != std::string::npos) return c;
    }
    return ' ';
  }
  void split() {
    fields_.clear();
    std::size_t i = 0;
    const std::size_t n = text_.size();
    while (true) {
      if (delimiter_ == ' ') {
        while (i < n && is_blank(text_[i])) ++i;
        if (i == n) return;
      }
      field f{{}, i + 1};
      std::size_t start = i;
      while (start < n && is_blank(text_[start]) && text_[start] != delimiter_) ++start;
      if (start < n && text_[start] == '"') {
        i = start + 1;
        while (true) {
          if (i >= n) fail(f.place, "expected a closing quote, found the end of the line");
          if (text_[i] == '"' && i + 1 < n && text_[i + 1] == '"') {
            ++i;
          } else if (text_[i] == '"') {
            break;
          }
          f.text += text_[i++];
        }
        ++i;
        while (i < n && is_blank(text_[i]) && text_[i] != delimiter_) ++i;
        if (i < n && text_[i] != delimiter_ && delimiter_ != ' ') fail(i + 1, "expected a delimiter after a closing quote");
      } else {
        while (i < n && text_[i] != delimiter_ && !(delimiter_ == ' ' && is_blank(text_[i]))) f.text += text_[i++];
      }
      fields_.push_back(std::move(f));
      if (i >= n) return;
      if (delimiter_ != ' ') ++i;
    }
  }
  double number(const field& f) const {
    const auto text = trimmed(f.text);
    double value = 0;
    const auto r = parse(text, value);
    if (text.empty()) fail(f.place, "expected a number, found an empty field (--skip-empty leaves such out)");
    if (r.ec == std::errc::result_out_of_range)
      fail(f.place, "expected a number in the range of a double, found '" + std::string(text) + "'");
    if (r.ec != std::errc()) fail(f.place, "expected a number, found '" + std::string(text) + "'");
    return value;
  }
  /// The place of the column of that name or number.
  [[nodiscard]] std::size_t place_of(const std::vector<std::string>& names, const std::string& wanted) const {
    if (const auto named = std::find(names.begin(), names.end(), wanted); named != names.end()) {
      return static_cast<std::size_t>(named - names.begin());
    }
    std::size_t number = 0;
    const auto r = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (r.ec == std::errc() && r.ptr == wanted.data() + wanted.size() && number >= 1 && number <= names.size()) return number - 1;
    std::string known;
    for (const auto& n : names) known += (known.empty() ? "" : ", ") + n;
    throw error(errc::bad_input, name_ + ": no column '" + wanted + "': expected a number from 1 to " + std::to_string(names.size()) +
                                     " or one of: " + known);
  }
  /// The column of the groups, which is no column of numbers.
  void choose_groups(const std::vector<std::string>& names, const std::string& by) {
    empty_.assign(columns_.size(), 0);
    if (by.empty()) return;
    by_ = place_of(names, by);
    std::erase(left_out_, names[*by_]);
    for (std::size_t k = columns_.size(); k-- > 0;) {
      if (chosen_[k] != *by_) continue;
      chosen_.erase(chosen_.begin() + static_cast<std::ptrdiff_t>(k));
      columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(k));
      empty_.pop_back();
    }
  }
  std::uint32_t group_of(const field& f) {
    const auto [known, is_new] = group_numbers_.try_emplace(std::string(trimmed(f.text)), static_cast<std::uint32_t>(group_names_.size()));
    if (is_new) group_names_.push_back(known->first);
    return known->second;
  }
  /// The columns asked for; all whose first row is numeric, or empty where that may be, if none was.
  void choose(const std::vector<std::string>& names, const std::vector<std::string>& wanted, const std::vector<field>& first_row) {
    const auto take = [&](std::size_t k) {
      chosen_.push_back(k);
      columns_.push_back({names[k], element_type::f64});
    };
    if (wanted.empty()) {
      for (std::size_t k = 0; k < names.size(); ++k) {
        const bool empty = skip_empty_ && k < first_row.size() && trimmed(first_row[k].text).empty();
        if (k >= first_row.size() || empty || is_number(first_row[k].text)) {
          take(k);
        } else {
          left_out_.push_back(names[k]);
        }
      }
      if (chosen_.empty() && !first_row.empty()) fail(first_row[0].place, "expected a number, found '" + first_row[0].text + "'");
      return;
    }
    for (const std::string& w : wanted) take(place_of(names, w));
  }

  std::istream& input_;
  std::string name_;
  std::string text_;
  std::size_t line_ = 0;
  char delimiter_ = ' ';
  std::vector<field> fields_;
  bool pending_ = false;
  std::size_t width_ = 0;
  std::vector<std::size_t> chosen_;
  std::vector<column> columns_;
  bool skip_empty_;
  std::vector<std::uint64_t> empty_;  // of each column
  std::optional<std::size_t> by_;
  std::unordered_map<std::string, std::uint32_t> group_numbers_;
  std::vector<std::string> group_names_;
  std::vector<std::string> left_out_;
};

}  // namespace

std::unique_ptr<column_file> open_text(std::istream& input, const std::string& name, const read_options& options) {
  return std::make_unique<text_file>(input, name, options);
}

certified_values read_strd_header(std::istream& input, const std::string& name) {
  constexpr int header_lines = 60;
  certified_values values;
  bool mean = false;
  bool deviation = false;
  const auto value_of = [](const std::string& line) {
    const auto colon = line.find(':');
    std::string_view text = trimmed(std::string_view(line).substr(colon == std::string::npos ? line.size() : colon + 1));
    text = text.substr(0, text.find(' '));
    double v = 0;
    return std::pair(parse(text, v).ec == std::errc() && !text.empty(), v);
  };
  std::string line;
  for (int k = 0; k < header_lines; ++k) {
    if (!std::getline(input, line)) {
      throw error(errc::bad_input,
                  name + ":" + std::to_string(k + 1) + ": expected 60 lines of a StRD header, found the end of the file");
    }
    if (line.starts_with("Sample Mean")) std::tie(mean, values.mean) = value_of(line);
    if (line.starts_with("Sample Standard Deviation")) std::tie(deviation, values.standard_deviation) = value_of(line);
  }
  if (!mean || !deviation)
    throw error(errc::bad_input, name + ": expected a certified mean and standard deviation in the StRD header");
  return values;
}

}  // namespace accrue::program
