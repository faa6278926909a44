// SPDX-License-Identifier: BSD-3-Clause
// Configurations of atoms, read from the formats that simulation programs exchange them in.
#pragma once

#include <array>
#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace accrue::program {

/// Atoms of one kind in an orthorhombic box. Triples x, y, z follow each other: in order of ascending id where the file has
/// ids, else in the file's order. Positions are the file's own; they may lie outside the box.
struct configuration {
  std::string format;              ///< "nist", "xyz", "lammps-data" or "lammps-dump"
  std::array<double, 3> low{};     ///< the box's lower corner
  std::array<double, 3> length{};  ///< its edges: above 0 where periodic, else 0 or more
  std::array<bool, 3> periodic{true, true, true};
  std::vector<double> positions;
  std::vector<double> velocities;  ///< empty if the file has none
  std::vector<double> forces;      ///< empty if the file has none

  [[nodiscard]] std::size_t size() const { return positions.size() / 3; }
};

/// The first configuration in `input`, in `format`, or in the format that its first lines show if that is empty:
///   nist         the sample configurations of the NIST Standard Reference Simulation Website
///   xyz          XYZ and extended XYZ; velocities from velo, vel or velocities, forces from forces or force
///   lammps-data  LAMMPS data files, atom style atomic, one atom type; image flags are not applied
///   lammps-dump  LAMMPS text dumps with x, xu, xs or xsu and so on
/// One pass; memory grows with the atoms read, not with the count that the file claims.
/// Throws `errc::bad_input` with the file (`name`), the line, what was expected there and what was found.
configuration read_configuration(std::istream& input, const std::string& name, const std::string& format = "");

}  // namespace accrue::program
