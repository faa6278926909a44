// SPDX-License-Identifier: BSD-3-Clause
// accrue stats: exact statistics of the columns of files.
#include <fmt/format.h>

#include <accrue/error.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "column_stats.hpp"
#include "commands.hpp"
#include "progress.hpp"
#include "readers/column_file.hpp"

namespace accrue::program {

namespace {

struct stats_options {
  std::vector<std::string> files;
  read_options read;
  std::string type;
  bool json = false;
};

struct file_report {
  std::string name;
  std::vector<column_report> columns;
  std::optional<certified_values> certified;
  std::string by;
  std::vector<std::string> left_out;
};

/// The statistics of one column, apart for each group.
class grouped_stats {
 public:
  explicit grouped_stats(element_type type) : type_(type) {}
  void add(const piece& p) {
    if (p.groups == nullptr) return of(0).add(p.data, p.size);
    const auto* values = static_cast<const double*>(p.data);  // of text
    for (std::size_t i = 0; i < p.size; ++i) {
      if (p.groups[i] >= values_.size()) values_.resize(p.groups[i] + 1);
      auto& mine = values_[p.groups[i]];
      if (mine.empty()) filled_.push_back(p.groups[i]);
      mine.push_back(values[i]);
    }
    for (const std::uint32_t g : filled_) {
      of(g).add(values_[g].data(), values_[g].size());
      values_[g].clear();
    }
    filled_.clear();
  }
  [[nodiscard]] column_stats& of(std::size_t group) {
    while (stats_.size() <= group) stats_.push_back(make_column_stats(type_));
    return *stats_[group];
  }

 private:
  element_type type_;
  std::vector<std::unique_ptr<column_stats>> stats_;
  std::vector<std::vector<double>> values_;  // of a piece, by group
  std::vector<std::uint32_t> filled_;
};

file_report read_file(const std::string& name, const read_options& options) {
  std::ifstream opened;
  const bool standard_input = name == "-";
  if (!standard_input && std::filesystem::is_directory(name)) throw error(errc::bad_input, name + ": is a directory");
  if (!standard_input) opened.open(name, std::ios::binary);
  std::istream& input = standard_input ? std::cin : opened;
  if (!input) throw error(errc::bad_input, name + ": cannot be opened");
  const bool regular = !standard_input && std::filesystem::is_regular_file(name);
  const std::uint64_t size = regular ? static_cast<std::uint64_t>(std::filesystem::file_size(name)) : unknown_size;
  file_report report{standard_input ? "standard input" : name, {}, {}, options.by, {}};
  read_options how = options;
  if (how.format == "strd") {
    report.certified = read_strd_header(input, name);
    how.format = "text";
  }
  const auto file = open_columns(input, name, size, how);
  std::vector<grouped_stats> stats;
  for (const column& c : file->columns()) stats.emplace_back(c.type);
  progress shown(report.name, regular ? size : 0);
  file->read([&](const piece& p) {
    stats[p.index].add(p);
    const auto at = regular ? input.tellg() : std::istream::pos_type(0);
    shown.at(at < 0 ? size : static_cast<std::uint64_t>(at));
  });
  report.left_out = file->left_out();
  std::vector<std::string> groups = file->groups();
  if (options.by.empty()) groups.emplace_back();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t k = 0; k < stats.size(); ++k) {
      column_report& c = report.columns.emplace_back(stats[k].of(g).report(file->columns()[k].name));
      c.type = std::string(to_string(file->columns()[k].type));
      c.group = groups[g];
      c.empty_fields = file->empty_fields(k);
    }
  }
  return report;
}

/// Decimal digits on which `value` agrees with `reference`, at most 15.
double agreeing_digits(double value, double reference) {
  if (value == reference) return 15;
  const double relative = std::fabs(value - reference) / (reference != 0 ? std::fabs(reference) : 1);
  return std::clamp(-std::log10(relative), 0.0, 15.0);
}

nlohmann::ordered_json to_json(const file_report& f) {
  nlohmann::ordered_json j;
  j["file"] = f.name;
  if (f.certified) j["certified"] = {{"mean", f.certified->mean}, {"standard_deviation", f.certified->standard_deviation}};
  j["left_out"] = f.left_out;
  j["columns"] = nlohmann::ordered_json::array();
  // Sums and extrema are texts: JSON readers would round 64-bit integers, and JSON has no infinities.
  const auto finite = [](double x) -> nlohmann::ordered_json {
    if (std::isfinite(x)) return x;
    return nullptr;
  };
  for (const auto& c : f.columns) {
    nlohmann::ordered_json& column = j["columns"].emplace_back();
    column["name"] = c.name;
    if (!f.by.empty()) column["group"] = c.group;
    column["type"] = c.type;
    column["count"] = c.count;
    column["empty_fields"] = c.empty_fields;
    column["sum"] = c.sum;
    column["mean"] = finite(c.mean);
    column["standard_deviation"] = finite(c.standard_deviation);
    column["min"] = c.min;
    column["min_index"] = c.min_index;
    column["max"] = c.max;
    column["max_index"] = c.max_index;
    column["naive_sum"] = c.naive_sum;
    column["naive_error_ulp"] = finite(c.naive_error_ulp);
  }
  return j;
}

void print(const file_report& f) {
  if (!f.left_out.empty()) fmt::print("{}: left out, no numbers: {}\n", f.name, fmt::join(f.left_out, ", "));
  if (f.columns.empty()) fmt::print("{}: no numbers\n", f.name);
  for (const auto& c : f.columns) {
    fmt::print("{}: {} ({}){}\n", f.name, c.name, c.type, f.by.empty() ? "" : fmt::format(", {} = {}", f.by, c.group));
    const auto line = [](const char* name, const std::string& value) { fmt::print("  {:<22}{}\n", name, value); };
    line("count", std::to_string(c.count));
    if (c.empty_fields != 0) line("empty fields", fmt::format("{}{}", c.empty_fields, f.by.empty() ? "" : " in all groups"));
    line("sum", c.sum);
    line("naive sum", fmt::format("{}   ({:.4g} ulp from the exact sum)", c.naive_sum, c.naive_error_ulp));
    if (c.count == 0) continue;
    line("mean", fmt::format("{}", c.mean));
    line("standard deviation", fmt::format("{}", c.standard_deviation));
    line("min", fmt::format("{}   at {}", c.min, c.min_index));
    line("max", fmt::format("{}   at {}", c.max, c.max_index));
  }
}

void print_certified(const std::vector<file_report>& reports) {
  fmt::print("{:<14}{:>6}  {:>22}  {:>22}{:>8}  {:>22}  {:>22}{:>8}\n", "data set", "n", "mean", "certified", "digits",
             "standard deviation", "certified", "digits");
  for (const auto& f : reports) {
    for (const auto& c : f.columns) {
      fmt::print("{:<14}{:>6}  {:>22.16g}  {:>22.16g}{:>8.1f}  {:>22.16g}  {:>22.16g}{:>8.1f}\n",
                 std::filesystem::path(f.name).stem().string(), c.count, c.mean, f.certified->mean,
                 agreeing_digits(c.mean, f.certified->mean), c.standard_deviation, f.certified->standard_deviation,
                 agreeing_digits(c.standard_deviation, f.certified->standard_deviation));
    }
  }
}

void run(stats_options o) {
  if (!o.type.empty()) o.read.type = element_type_named(o.type);
  std::vector<file_report> reports;
  for (const auto& name : o.files) reports.push_back(read_file(name, o.read));
  if (o.json) {
    nlohmann::ordered_json j = nlohmann::ordered_json::array();
    for (const auto& f : reports) j.push_back(to_json(f));
    fmt::print("{}\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else if (o.read.format == "strd") {
    print_certified(reports);
  } else {
    for (const auto& f : reports) print(f);
  }
}

}  // namespace

void add_stats(CLI::App& app) {
  auto* command = app.add_subcommand("stats", "Exact statistics of columns of numbers; text is read as doubles, positions count from 0");
  auto o = std::make_shared<stats_options>();
  command->add_option("files", o->files, "Text, CSV, NPY or raw files; - for standard input")->required();
  command
      ->add_option("-f,--format", o->read.format,
                   "text (CSV too), npy, raw, or strd (NIST reference data); told from the name if left out")
      ->check(CLI::IsMember({"text", "npy", "raw", "strd"}));
  command->add_option("-t,--type", o->type, "Element type of raw files: f16, bf16, f32, f64, i8 to i64, u8 to u64");
  command->add_option("-c,--column", o->read.columns,
                      "A column of text files by name or number (from 1), once for each; all numeric ones if left out")
      ->allow_extra_args(false);
  command->add_option("--by", o->read.by, "Statistics for each value of this column of text files apart; positions count within a group");
  command->add_flag("--skip-empty", o->read.skip_empty, "Leave out empty fields of text files, and count them; an error otherwise");
  command->add_option("--skip", o->read.skip_lines, "Lines of text before the data");
  command->add_flag("--json", o->json, "Print JSON");
  command->callback([o] { run(*o); });
}

}  // namespace accrue::program
