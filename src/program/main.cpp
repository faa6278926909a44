// SPDX-License-Identifier: BSD-3-Clause
// accrue at a prompt. Results go to standard output, progress and errors to standard error.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <accrue/version.hpp>
#include <exception>

#include "commands.hpp"

int main(int argc, char** argv) {
  CLI::App app{"accrue: reductions with one answer"};
  app.set_version_flag("--version", ACCRUE_VERSION);
  app.require_subcommand(0, 1);
  accrue::program::add_bench(app);
  accrue::program::add_bits(app);
  accrue::program::add_forces(app);
  accrue::program::add_info(app);
  accrue::program::add_stats(app);
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) fmt::print("{}", app.help());
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const std::exception& e) {
    fmt::print(stderr, "accrue: {}\n", e.what());
    return 1;
  }
  return 0;
}
