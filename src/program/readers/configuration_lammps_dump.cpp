// SPDX-License-Identifier: BSD-3-Clause
// LAMMPS text dumps: items, each with a title line; the last of a frame is the table of its atoms.
#include <cmath>
#include <optional>

#include "configuration_formats.hpp"

namespace accrue::program {

namespace {

/// Whether a title line is that item's, perhaps with words behind the name.
bool is_item(std::string_view title, std::string_view name) {
  constexpr std::string_view start = "ITEM: ";
  if (!title.starts_with(start) || !title.substr(start.size()).starts_with(name)) return false;
  title.remove_prefix(start.size() + name.size());
  return title.empty() || title[0] == ' ' || title[0] == '\t';
}

using columns = std::array<std::size_t, 3>;

/// The place of a named column among those of the title line.
std::optional<std::size_t> find_column(const line_reader& lines, const field_list& names, std::string_view name) {
  std::optional<std::size_t> place;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] != name) continue;
    if (place) lines.fail("column " + std::string(name) + " once", "it twice");
    place = k;
  }
  return place;
}

struct table_plan {
  std::size_t width = 0;
  std::optional<std::size_t> id;
  columns positions{};
  std::array<bool, 3> scaled{};
  std::optional<columns> velocities;
  std::optional<columns> forces;
};

std::optional<columns> find_vector(const line_reader& lines, const field_list& names, char quantity) {
  columns places{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto place = find_column(lines, names, std::string{quantity, "xyz"[axis]});
    if (!place) return std::nullopt;
    places[axis] = *place;
  }
  return places;
}

/// `names` are the fields behind "ITEM: ATOMS".
table_plan plan_table(const line_reader& lines, const field_list& names) {
  table_plan plan;
  plan.width = names.size();
  plan.id = find_column(lines, names, "id");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string letter(1, "xyz"[axis]);
    std::optional<std::size_t> place;
    for (const char* const form : {"", "u", "s", "su"}) {
      place = find_column(lines, names, letter + form);
      plan.scaled[axis] = form[0] == 's';
      if (place) break;
    }
    if (!place) lines.fail("a column " + letter + ", " + letter + "u, " + letter + "s or " + letter + "su", quoted(lines.text()));
    plan.positions[axis] = *place;
  }
  plan.velocities = find_vector(lines, names, 'v');
  plan.forces = find_vector(lines, names, 'f');
  return plan;
}

/// "ITEM: BOX BOUNDS" with the boundaries' kinds, of which pp is periodic, then a line of low and high for each direction.
void read_bounds(line_reader& lines, configuration& c) {
  const field_list& title = lines.fields();
  const auto kinds = title.size() - 3;
  // A tilted box has "xy xz yz" before the kinds, or "abc origin" behind them.
  if (kinds > 3) lines.fail("an orthorhombic box", "a triclinic one: " + quoted(lines.text()));
  if (kinds != 3) lines.fail("ITEM: BOX BOUNDS with three kinds of boundary such as pp", quoted(lines.text()));
  for (std::size_t axis = 0; axis < 3; ++axis) c.periodic[axis] = title[3 + axis] == "pp";
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lines.need("low and high of the box");
    const field_list& bounds = lines.fields();
    if (bounds.size() != 2) lines.fail("low and high of the box", quoted(lines.text()));
    const double low = lines.real(bounds[0]);
    set_box(lines, c, axis, low, lines.real(bounds[1]) - low, lines.text());
  }
}

void read_table(line_reader& lines, std::size_t count, const table_plan& plan, configuration& c) {
  atom_ids ids;
  const std::size_t room = first_room(count);
  if (plan.id) ids.reserve(room);
  c.positions.reserve(3 * room);
  if (plan.velocities) c.velocities.reserve(3 * room);
  if (plan.forces) c.forces.reserve(3 * room);
  for (std::size_t i = 0; i < count; ++i) {
    const field_list& fields = atom_fields(lines, i, count, plan.width);
    if (plan.id) ids.add(lines.whole(fields[*plan.id], "an atom id"), lines.number());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto field = fields[plan.positions[axis]];
      double value = lines.real(field);
      if (plan.scaled[axis]) value = c.low[axis] + value * c.length[axis];
      if (!std::isfinite(value)) lines.fail("a position in the range of a double", quoted(field) + " box lengths");
      c.positions.push_back(value);
      if (plan.velocities) c.velocities.push_back(lines.real(fields[(*plan.velocities)[axis]]));
      if (plan.forces) c.forces.push_back(lines.real(fields[(*plan.forces)[axis]]));
    }
  }
  if (lines.next_filled() && !lines.text().starts_with("ITEM:")) {
    lines.fail("the end of the file or another frame after " + std::to_string(count) + " atoms", quoted(lines.text()));
  }
  ids.sort(lines);
  ids.arrange(c.positions);
  ids.arrange(c.velocities);
  ids.arrange(c.forces);
}

}  // namespace

configuration read_lammps_dump(line_reader& lines) {
  configuration c;
  std::optional<std::size_t> count;
  bool box = false;
  while (true) {
    lines.need("ITEM: ATOMS");
    const std::string_view title = lines.text();
    if (is_item(title, "NUMBER OF ATOMS")) {
      lines.need("a number of atoms");
      const field_list& fields = lines.fields();
      if (fields.size() != 1) lines.fail("a number of atoms", quoted(lines.text()));
      count = lines.atom_count(fields[0]);
    } else if (is_item(title, "BOX BOUNDS")) {
      read_bounds(lines, c);
      box = true;
    } else if (is_item(title, "ATOMS")) {
      if (!count) lines.fail("ITEM: NUMBER OF ATOMS before the atoms", quoted(title));
      if (!box) lines.fail("ITEM: BOX BOUNDS before the atoms", quoted(title));
      field_list names = lines.fields();
      names.erase(names.begin(), names.begin() + 2);
      const table_plan plan = plan_table(lines, names);
      read_table(lines, *count, plan, c);
      return c;
    } else if (is_item(title, "TIMESTEP")) {
      lines.need("a timestep");
      const field_list& fields = lines.fields();
      if (fields.size() != 1) lines.fail("a timestep", quoted(lines.text()));
      lines.check_whole(fields[0], "a timestep");
    } else if (is_item(title, "UNITS") || is_item(title, "TIME")) {
      lines.need("a value below " + quoted(title));
    } else {
      lines.fail("ITEM: and TIMESTEP, NUMBER OF ATOMS, BOX BOUNDS or ATOMS", quoted(title));
    }
  }
}

}  // namespace accrue::program
