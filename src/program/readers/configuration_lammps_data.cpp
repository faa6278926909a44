// SPDX-License-Identifier: BSD-3-Clause
// LAMMPS data files of atom style atomic: a title, a header of counts and bounds, then sections named by capitals.
#include <algorithm>
#include <initializer_list>
#include <optional>

#include "configuration_formats.hpp"

namespace accrue::program {

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// How many numbers stand before that keyword in a header; 0 if it is none.
std::size_t header_numbers(std::string_view name) {
  if (is_one_of(name, {"atoms", "bonds", "angles", "dihedrals", "impropers", "ellipsoids", "lines", "triangles", "bodies"}))
    return 1;
  if (is_one_of(name, {"atom types", "bond types", "angle types", "dihedral types", "improper types"})) return 1;
  if (name.starts_with("extra ") && name.ends_with(" per atom")) return 1;
  if (is_one_of(name, {"xlo xhi", "ylo yhi", "zlo zhi"})) return 2;
  return is_one_of(name, {"xy xz yz", "avec", "bvec", "cvec", "abc origin"}) ? 3 : 0;
}

/// Sections that have no positions or velocities.
bool is_skipped_section(std::string_view name) {
  return name.ends_with(" Coeffs") || name.ends_with(" Type Labels") ||
         is_one_of(name, {"Masses", "Bonds", "Angles", "Dihedrals", "Impropers", "Ellipsoids", "Lines", "Triangles", "Bodies"});
}

std::string joined(const field_list& fields, std::size_t from) {
  std::string words;
  for (std::size_t k = from; k < fields.size(); ++k) {
    if (k != from) words += ' ';
    words += fields[k];
  }
  return words;
}

/// The keyword of the current line if that is one of a header, else empty; the numbers are the line's first fields.
std::string header_keyword(line_reader& lines) {
  const field_list& fields = lines.fields();
  std::size_t numbers = 0;
  while (numbers < fields.size() && is_number(fields[numbers])) ++numbers;
  std::string name = joined(fields, numbers);
  return numbers != 0 && numbers == header_numbers(name) ? name : "";
}

class data_file {
 public:
  explicit data_file(line_reader& lines) : lines_(lines) {}

  configuration read() {
    // The first line is a title whatever stands in it. Where the format was told from the content it has been read already.
    if (lines_.number() == 0) lines_.need("the title of a LAMMPS data file");
    next();
    read_header();
    while (!ended_) read_section();
    if (count_ != 0 && !atoms_read_) lines_.fail_at_end("a section Atoms");
    order();
    return std::move(c_);
  }

 private:
  void next() { ended_ = !next_lammps_line(lines_, comment_); }

  void read_header() {
    std::optional<std::size_t> count;
    std::array<bool, 3> bounds{};
    bool types = false;
    for (; !ended_ && is_number(lines_.fields()[0]); next()) {
      const std::string name = header_keyword(lines_);
      if (name.empty()) lines_.fail("a header line of a LAMMPS data file, such as '100 atoms'", quoted(lines_.text()));
      const field_list& fields = lines_.fields();
      if (name == "atoms") {
        count = lines_.atom_count(fields[0]);
      } else if (name == "atom types") {
        if (lines_.whole(fields[0], "a number of atom types") != 1)
          lines_.fail("one atom type, which is the limit", quoted(lines_.text()));
        types = true;
      } else if (name.ends_with("hi")) {
        const auto axis = static_cast<std::size_t>(name[0] - 'x');
        const double low = lines_.real(fields[0]);
        set_box(lines_, c_, axis, low, lines_.real(fields[1]) - low, lines_.text());
        bounds[axis] = true;
      } else if (name == "xy xz yz") {
        for (std::size_t k = 0; k < 3; ++k) {
          if (lines_.real(fields[k]) != 0) lines_.fail("an orthorhombic box", "a tilted one: " + quoted(lines_.text()));
        }
      } else if (name.ends_with("vec") || name == "abc origin") {
        lines_.fail("an orthorhombic box", "a triclinic one: " + quoted(lines_.text()));
      }
    }
    const auto missing = [&](const char* what) {
      const std::string expected = std::string(what) + " in the header of a LAMMPS data file";
      if (ended_) lines_.fail_at_end(expected);
      lines_.fail(expected, quoted(lines_.text()));
    };
    if (!count) missing("'N atoms'");
    if (!types) missing("'1 atom types'");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!bounds[axis]) missing(std::array{"xlo xhi", "ylo yhi", "zlo zhi"}[axis]);
    }
    count_ = *count;
  }

  /// At the title of a section; leaves the reader at the next one's.
  void read_section() {
    const std::string name = joined(lines_.fields(), 0);
    if (name == "Atoms") {
      if (atoms_read_) lines_.fail("one section Atoms", "a second");
      field_list style;
      split(comment_, style);
      if (!style.empty() && style[0] != "atomic") lines_.fail("atom style atomic", quoted(style[0]));
      atoms_read_ = true;
      read_atoms();
    } else if (name == "Velocities") {
      if (velocities_read_) lines_.fail("one section Velocities", "a second");
      velocities_read_ = true;
      read_velocities();
    } else if (is_skipped_section(name)) {
      // How many lines a section has depends on its kind; all of them start with a number, and no title does.
      do next();
      while (!ended_ && is_number(lines_.fields()[0]));
    } else {
      lines_.fail("a section of a LAMMPS data file", quoted(lines_.text()));
    }
  }

  /// The fields of row `i` of a section that has one for each atom.
  const field_list& row(std::size_t i, const char* section) {
    next();
    const auto expected = [&] {
      return "line " + std::to_string(i + 1) + " of " + std::to_string(count_) + " in section " + section;
    };
    if (ended_) lines_.fail_at_end(expected());
    const field_list& fields = lines_.fields();
    if (!is_number(fields[0])) lines_.fail(expected(), quoted(lines_.text()));
    return fields;
  }

  void read_atoms() {
    c_.positions.reserve(3 * first_room(count_));
    for (std::size_t i = 0; i < count_; ++i) {
      const field_list& fields = row(i, "Atoms");
      // Other atom styles have other columns; this is what tells those that the title does not name.
      if (fields.size() != 5 && fields.size() != 8) {
        lines_.fail("id, type, x, y, z and perhaps three image flags",
                    std::to_string(fields.size()) + " columns: " + quoted(lines_.text()));
      }
      atoms_.add(lines_.whole(fields[0], "an atom id"), lines_.number());
      if (lines_.whole(fields[1], "an atom type") != 1) lines_.fail("atom type 1 (there is one atom type)", quoted(fields[1]));
      append_triple(lines_, fields, 2, c_.positions);
      for (std::size_t k = 5; k < fields.size(); ++k) lines_.check_whole(fields[k], "a whole number as image flag");
    }
    next_title("Atoms");
  }

  void read_velocities() {
    c_.velocities.reserve(3 * first_room(count_));
    for (std::size_t i = 0; i < count_; ++i) {
      const field_list& fields = row(i, "Velocities");
      if (fields.size() != 4) {
        lines_.fail("id, vx, vy and vz", std::to_string(fields.size()) + " columns: " + quoted(lines_.text()));
      }
      moving_.add(lines_.whole(fields[0], "an atom id"), lines_.number());
      append_triple(lines_, fields, 1, c_.velocities);
    }
    next_title("Velocities");
  }

  void next_title(const std::string& section) {
    next();
    if (!ended_ && is_number(lines_.fields()[0])) {
      lines_.fail("the end of section " + section + " after " + std::to_string(count_) + " lines", quoted(lines_.text()));
    }
  }

  void order() {
    atoms_.sort(lines_);
    atoms_.arrange(c_.positions);
    moving_.sort(lines_);
    moving_.arrange(c_.velocities);
    // Both have one row for each atom and no id twice, so that an id of one that the other lacks shows as a difference.
    for (std::size_t k = 0; k < moving_.size(); ++k) {
      if (moving_.id(k) == atoms_.id(k)) continue;
      const bool spare = moving_.id(k) < atoms_.id(k);
      if (spare) lines_.fail_at(moving_.line(k), "the id of an atom", std::to_string(moving_.id(k)));
      lines_.fail_at(atoms_.line(k), "an atom that has a velocity", "id " + std::to_string(atoms_.id(k)) + " without");
    }
  }

  line_reader& lines_;
  std::string_view comment_;
  bool ended_ = false;
  configuration c_;
  std::size_t count_ = 0;
  bool atoms_read_ = false;
  bool velocities_read_ = false;
  atom_ids atoms_;
  atom_ids moving_;
};

}  // namespace

bool next_lammps_line(line_reader& lines, std::string_view& comment) {
  while (lines.next_filled()) {
    comment = lines.cut_comment();
    if (!lines.fields().empty()) return true;
  }
  return false;
}

bool is_lammps_header(line_reader& lines) { return !header_keyword(lines).empty(); }

configuration read_lammps_data(line_reader& lines) { return data_file(lines).read(); }

}  // namespace accrue::program
