// SPDX-License-Identifier: BSD-3-Clause
// Coverage-guided fuzzing of the configuration readers (clang's libFuzzer): no input may crash them, and what they accept is
// whole: finite triples in a box, no more of them than the text has room for.
#include <accrue/error.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "readers/configuration.hpp"

namespace {

void demand(bool condition) {
  if (!condition) std::abort();
}

bool finite(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace accrue::program;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* const format : {"", "nist", "xyz", "lammps-data", "lammps-dump"}) {
    std::istringstream in(text);
    try {
      const configuration c = read_configuration(in, "input", format);
      demand(*format == '\0' ? !c.format.empty() : c.format == format);
      // Each number takes at least a digit and a blank.
      demand(c.positions.size() % 3 == 0 && 2 * c.positions.size() <= size);
      demand(c.velocities.empty() || c.velocities.size() == c.positions.size());
      demand(c.forces.empty() || c.forces.size() == c.positions.size());
      demand(finite(c.positions) && finite(c.velocities) && finite(c.forces));
      for (std::size_t axis = 0; axis < 3; ++axis) {
        demand(std::isfinite(c.low[axis]) && std::isfinite(c.length[axis]));
        demand(c.periodic[axis] ? c.length[axis] > 0 : c.length[axis] >= 0);
      }
    } catch (const accrue::error& e) {
      demand(e.code() == accrue::errc::bad_input);
    }
  }
  return 0;
}
