// SPDX-License-Identifier: BSD-3-Clause
// The choice of a format for configurations, the NIST format, and what the formats share.
#include "configuration.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "accrue/error.hpp"
#include "configuration_formats.hpp"

namespace accrue::program {

namespace {

/// The format that the first lines show. The reader goes on from there; a data file's first line, a title, is then gone.
std::string told_format(line_reader& lines) {
  const std::string expected = "the start of a NIST, XYZ, LAMMPS data or LAMMPS dump file";
  lines.need(expected);
  const field_list& fields = lines.fields();
  const bool numbers = std::all_of(fields.begin(), fields.end(), is_number);
  if (numbers && (fields.size() == 1 || fields.size() == 3)) {
    lines.hold();
    return fields.size() == 1 ? "xyz" : "nist";
  }
  if (!fields.empty() && fields[0] == "ITEM:") {
    lines.hold();
    return "lammps-dump";
  }
  const std::string first(lines.text());
  std::string_view comment;
  if (!next_lammps_line(lines, comment) || !is_lammps_header(lines)) lines.fail_at(1, expected, quoted(first));
  lines.hold();
  return "lammps-data";
}

}  // namespace

configuration read_configuration(std::istream& input, const std::string& name, const std::string& format) {
  line_reader lines(input, name);
  const std::string chosen = format.empty() ? told_format(lines) : format;
  configuration c;
  if (chosen == "nist") {
    c = read_nist(lines);
  } else if (chosen == "xyz") {
    c = read_xyz(lines);
  } else if (chosen == "lammps-data") {
    c = read_lammps_data(lines);
  } else if (chosen == "lammps-dump") {
    c = read_lammps_dump(lines);
  } else {
    throw error(errc::bad_input, "unknown format '" + chosen + "': expected nist, xyz, lammps-data or lammps-dump");
  }
  c.format = chosen;
  return c;
}

configuration read_nist(line_reader& lines) {
  configuration c;
  lines.need("three box lengths");
  const field_list& lengths = lines.fields();
  if (lengths.size() != 3) lines.fail("three box lengths", quoted(lines.text()));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double length = lines.real(lengths[axis]);
    set_box(lines, c, axis, -length / 2, length, lengths[axis]);
  }

  lines.need("a number of atoms");
  const field_list& counts = lines.fields();
  if (counts.size() != 1) lines.fail("a number of atoms", quoted(lines.text()));
  const std::size_t count = lines.atom_count(counts[0]);

  atom_ids ids;
  ids.reserve(first_room(count));
  c.positions.reserve(3 * first_room(count));
  for (std::size_t i = 0; i < count; ++i) {
    const field_list& fields = atom_fields(lines, i, count, 4);
    ids.add(lines.whole(fields[0], "an atom id"), lines.number());
    append_triple(lines, fields, 1, c.positions);
  }
  if (lines.next_filled()) {
    lines.fail("the end of the file after " + std::to_string(count) + " atoms", quoted(lines.text()));
  }
  ids.sort(lines);
  ids.arrange(c.positions);
  return c;
}

const field_list& atom_fields(line_reader& lines, std::size_t i, std::size_t count, std::size_t columns) {
  const auto atom = [&] { return "atom " + std::to_string(i + 1) + " of " + std::to_string(count); };
  if (!lines.next()) lines.fail_at_end(atom());
  const field_list& fields = lines.fields();
  if (fields.size() != columns) {
    lines.fail(atom() + " in " + std::to_string(columns) + " columns", std::to_string(fields.size()) + ": " + quoted(lines.text()));
  }
  return fields;
}

void append_triple(const line_reader& lines, const field_list& fields, std::size_t first, std::vector<double>& to) {
  for (std::size_t axis = 0; axis < 3; ++axis) to.push_back(lines.real(fields[first + axis]));
}

void set_box(const line_reader& lines, configuration& c, std::size_t axis, double low, double length, std::string_view found) {
  if (!std::isfinite(length) || !std::isfinite(low + length)) lines.fail("a box in the range of a double", quoted(found));
  if (c.periodic[axis] && length <= 0) lines.fail("a box length above 0 where periodic", quoted(found));
  if (length < 0) lines.fail("a box length of 0 or more", quoted(found));
  c.low[axis] = low;
  c.length[axis] = length;
}

void atom_ids::sort(const line_reader& lines) {
  if (sorted_) return;
  order_.resize(rows_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  // By place where ids are equal, so that of such rows it is the later ones that are at fault.
  std::sort(order_.begin(), order_.end(),
            [&](std::size_t a, std::size_t b) { return rows_[a].id != rows_[b].id ? rows_[a].id < rows_[b].id : a < b; });
  const entry* twice = nullptr;
  for (std::size_t k = 1; k < order_.size(); ++k) {
    const entry& e = rows_[order_[k]];
    if (e.id == rows_[order_[k - 1]].id && (twice == nullptr || e.line < twice->line)) twice = &e;
  }
  if (twice != nullptr) lines.fail_at(twice->line, "an id not used before", std::to_string(twice->id));
}

void atom_ids::arrange(std::vector<double>& triples) const {
  if (order_.empty() || triples.empty()) return;
  std::vector<double> sorted;
  sorted.reserve(triples.size());
  for (const std::size_t row : order_) {
    for (std::size_t axis = 0; axis < 3; ++axis) sorted.push_back(triples[3 * row + axis]);
  }
  triples = std::move(sorted);
}

}  // namespace accrue::program
