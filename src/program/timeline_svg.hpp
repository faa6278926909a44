// SPDX-License-Identifier: BSD-3-Clause
// A picture of what each thread did when.
#pragma once

#include <accrue/accumulation_report.hpp>
#include <string>
#include <vector>

namespace accrue::program {

/// One accumulation: a row for each thread, time from left to right.
struct timeline_panel {
  std::string title;
  accumulation_report report;
};

/// The panels below each other, each with its own time axis, as a self-contained SVG document. Strategies with a critical section
/// get a second, closer look at it.
std::string timeline_svg(const std::string& title, const std::vector<timeline_panel>& panels);

}  // namespace accrue::program
