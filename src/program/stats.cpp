// SPDX-License-Identifier: BSD-3-Clause
// accrue stats: exact statistics of the columns of files.
#include <fmt/format.h>

#include <accrue/error.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
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
};

file_report read_file(const std::string& name, const read_options& options) {
  std::ifstream input(name, std::ios::binary);
  if (!input) throw error(errc::bad_input, name + ": cannot be opened");
  const auto size = static_cast<std::uint64_t>(std::filesystem::file_size(name));
  file_report report{name, {}, {}};
  read_options how = options;
  if (how.format == "strd") {
    report.certified = read_strd_header(input, name);
    how.format = "text";
  }
  const auto file = open_columns(input, name, size, how);
  std::vector<std::unique_ptr<column_stats>> stats;
  for (const column& c : file->columns()) stats.push_back(make_column_stats(c.type));
  progress shown(name, size);
  file->read([&](const piece& p) {
    stats[p.index]->add(p.data, p.size);
    const auto at = input.tellg();
    shown.at(at < 0 ? size : static_cast<std::uint64_t>(at));
  });
  for (std::size_t k = 0; k < stats.size(); ++k) {
    report.columns.push_back(stats[k]->report(file->columns()[k].name));
    report.columns.back().type = to_string(file->columns()[k].type);
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
  j["columns"] = nlohmann::ordered_json::array();
  // Sums and extrema are texts: JSON readers would round 64-bit integers, and JSON has no infinities.
  const auto finite = [](double x) -> nlohmann::ordered_json {
    if (std::isfinite(x)) return x;
    return nullptr;
  };
  for (const auto& c : f.columns) {
    j["columns"].push_back({{"name", c.name},
                            {"type", c.type},
                            {"count", c.count},
                            {"sum", c.sum},
                            {"mean", finite(c.mean)},
                            {"standard_deviation", finite(c.standard_deviation)},
                            {"min", c.min},
                            {"min_index", c.min_index},
                            {"max", c.max},
                            {"max_index", c.max_index},
                            {"naive_sum", c.naive_sum},
                            {"naive_error_ulp", finite(c.naive_error_ulp)}});
  }
  return j;
}

void print(const file_report& f) {
  for (const auto& c : f.columns) {
    fmt::print("{}: {} ({})\n", f.name, c.name, c.type);
    const auto line = [](const char* name, const std::string& value) { fmt::print("  {:<22}{}\n", name, value); };
    line("count", std::to_string(c.count));
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
    fmt::print("{}\n", j.dump(2));
  } else if (o.read.format == "strd") {
    print_certified(reports);
  } else {
    for (const auto& f : reports) print(f);
  }
}

}  // namespace

void add_stats(CLI::App& app) {
  auto* command = app.add_subcommand("stats", "Exact statistics of columns of numbers");
  auto o = std::make_shared<stats_options>();
  command->add_option("files", o->files, "Text, CSV, NPY or raw files")->required();
  command
      ->add_option("-f,--format", o->read.format,
                   "text (CSV too), npy, raw, or strd (NIST reference data); told from the name if left out")
      ->check(CLI::IsMember({"text", "npy", "raw", "strd"}));
  command->add_option("-t,--type", o->type, "Element type of raw files: f16, bf16, f32, f64, i8 to i64, u8 to u64");
  command->add_option("-c,--column", o->read.columns,
                      "Columns of text files by name or number (from 1); all numeric ones if left out");
  command->add_option("--skip", o->read.skip_lines, "Lines of text before the data");
  command->add_flag("--json", o->json, "Print JSON");
  command->callback([o] { run(*o); });
}

}  // namespace accrue::program
