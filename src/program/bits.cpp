// SPDX-License-Identifier: BSD-3-Clause
// accrue bits: the golden results of this machine, every backend and device; and where machines differ.
#include <fmt/format.h>

#include <accrue/accrue.hpp>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "bits_of_space.hpp"
#include "commands.hpp"
#include "processor.hpp"

namespace accrue::program {

namespace {

template <class... Spaces>
void print_spaces(std::type_identity<std::tuple<Spaces...>>) {
  const auto print_space = []<class Space>(std::type_identity<Space>) {
    if (!print_cases_if_there(Space{}, Space::name)) return fmt::print("# {}: no device\n", Space::name);
    if constexpr (asynchronous_space<Space>) {
      int device = 1;
      while (print_cases_if_there(Space(device), fmt::format("{}:{}", Space::name, device))) ++device;
    }
  };
  (print_space(std::type_identity<Spaces>{}), ...);
}

/// Where a line came from, and what it says of its case.
struct answer {
  std::string source;
  std::string results;
};
using answers = std::map<std::string, std::vector<answer>>;

/// Reads "backend type distribution seed n : results".
void read_answers(const std::string& file, answers& all) {
  std::ifstream input(file);
  if (!input) throw error(errc::bad_input, file + ": cannot be opened");
  std::size_t number = 0;
  std::size_t found = 0;
  for (std::string line; std::getline(input, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    const auto colon = line.find(" : ");
    const auto blank = line.find(' ');
    if (colon == std::string::npos || blank >= colon) {
      throw error(errc::bad_input, fmt::format("{}:{}: expected 'backend case : results', found '{}'", file, number, line.substr(0, 60)));
    }
    all[line.substr(blank + 1, colon - blank - 1)].push_back({file + ", " + line.substr(0, blank), line.substr(colon + 3)});
    ++found;
  }
  if (found == 0) throw error(errc::bad_input, file + ": has no results");
}

void compare(const std::vector<std::string>& files) {
  answers all;
  for (const auto& f : files) read_answers(f, all);
  std::size_t most = 0;
  for (const auto& [name, given] : all) most = std::max(most, given.size());
  std::size_t differing = 0;
  std::size_t missing = 0;
  for (const auto& [name, given] : all) {
    missing += given.size() < most ? 1 : 0;
    const answer& first = given.front();
    const auto other = std::find_if(given.begin(), given.end(), [&](const answer& a) { return a.results != first.results; });
    if (other == given.end()) continue;
    ++differing;
    fmt::print("{}:\n  {}: {}\n  {}: {}\n", name, first.source, first.results, other->source, other->results);
  }
  fmt::print("{} cases of {} files and backends: {} differ, {} are not in all\n", all.size(), most, differing, missing);
  if (differing != 0 || missing != 0) throw CLI::RuntimeError(1);
}

}  // namespace

void add_bits(CLI::App& app) {
  auto* command = app.add_subcommand("bits", "The golden results of this machine, one line for each backend and case");
  auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("--compare", *files, "Say where these files of such lines, of several machines, differ; fails where they do");
  command->callback([files] {
    if (!files->empty()) return compare(*files);
    fmt::print("# accrue {}, {}, {}\n", ACCRUE_VERSION, processor_name(), to_string(current_instruction_set()));
    print_spaces(std::type_identity<detail::built_spaces>{});
    for (const auto& print : bits_sections()) print();
  });
}

}  // namespace accrue::program
