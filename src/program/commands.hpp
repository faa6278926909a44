// SPDX-License-Identifier: BSD-3-Clause
// The commands of the accrue program: each adds itself to the application.
#pragma once

#include <CLI/CLI.hpp>

namespace accrue::program {

void add_bench(CLI::App& app);
void add_bits(CLI::App& app);
void add_forces(CLI::App& app);
void add_info(CLI::App& app);
void add_stats(CLI::App& app);

}  // namespace accrue::program
