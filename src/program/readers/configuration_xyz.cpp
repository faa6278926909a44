// SPDX-License-Identifier: BSD-3-Clause
// XYZ and extended XYZ: a count, a line of key=value pairs (or any text), then one line for each atom.
#include <algorithm>
#include <cmath>
#include <optional>

#include "configuration_formats.hpp"

namespace accrue::program {

namespace {

/// The keys of the second line that matter here.
enum key : std::size_t { lattice, origin, properties, pbc };
constexpr std::array<std::string_view, 4> key_names{"Lattice", "Origin", "Properties", "pbc"};
using values = std::array<std::optional<std::string_view>, key_names.size()>;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

void skip_blanks(std::string_view& s) { s.remove_prefix(std::min(s.size(), s.find_first_not_of(" \t"))); }

/// Takes text in quotes or braces off the front of `s`; nothing if it has no opening or no closing one.
std::optional<std::string_view> take_quoted(std::string_view& s) {
  if (s.empty() || (s[0] != '"' && s[0] != '\'' && s[0] != '{')) return std::nullopt;
  const auto close = s.find(s[0] == '{' ? '}' : s[0], 1);
  if (close == std::string_view::npos) return std::nullopt;
  const auto inner = s.substr(1, close - 1);
  s.remove_prefix(close + 1);
  return inner;
}

std::string_view take_until(std::string_view& s, std::string_view ends) {
  const auto word = s.substr(0, s.find_first_of(ends));
  s.remove_prefix(word.size());
  return word;
}

/// The line may be free text, so what is not a pair is passed over, and only the keys above are held to a form.
values read_pairs(const line_reader& lines) {
  values found;
  std::string_view rest = lines.text();
  while (true) {
    skip_blanks(rest);
    if (rest.empty()) return found;
    if (take_quoted(rest)) continue;
    const auto name = take_until(rest, "= \t");
    skip_blanks(rest);
    if (!rest.starts_with('=')) continue;
    rest.remove_prefix(1);
    skip_blanks(rest);
    const bool quote = !rest.empty() && (rest[0] == '"' || rest[0] == '\'' || rest[0] == '{');
    auto value = take_quoted(rest);
    const auto known = std::find_if(key_names.begin(), key_names.end(), [&](auto k) { return same_word(k, name); });
    if (known == key_names.end()) {
      if (!value) take_until(rest, " \t");
      continue;
    }
    if (quote && !value) lines.fail("a closing quote after " + std::string(*known) + "=", quoted(rest));
    if (!value) value = take_until(rest, " \t");
    auto& slot = found[static_cast<std::size_t>(known - key_names.begin())];
    if (slot) lines.fail(std::string(*known) + " once", "it twice");
    slot = value;
  }
}

/// Where in an atom's line the triples start, and how many fields the line has.
struct column_plan {
  std::size_t width = 4;
  std::size_t positions = 1;
  std::optional<std::size_t> velocities;
  std::optional<std::size_t> forces;
};

/// Properties is a list of name:type:count.
column_plan plan_columns(const line_reader& lines, std::string_view text) {
  constexpr std::uint64_t most = 1000;
  column_plan plan{0, 0, {}, {}};
  std::optional<std::size_t> positions;
  while (true) {
    const std::string_view item = text;
    std::array<std::string_view, 3> part;
    for (std::size_t k = 0; k < 3; ++k) {
      part[k] = take_until(text, ":");
      if (k < 2 && !text.empty()) text.remove_prefix(1);
    }
    const auto [name, type, number] = part;
    const auto shown = item.substr(0, item.size() - text.size());
    if (name.empty() || type.size() != 1 || std::string_view("SRIL").find(type) == std::string_view::npos || number.empty()) {
      lines.fail("name:type:count in Properties, the type S, R, I or L", quoted(shown));
    }
    const std::uint64_t count = lines.whole(number, "a number of columns in Properties");
    if (count < 1 || count > most) lines.fail("a number of columns from 1 to 1000 in Properties", quoted(number));

    auto* const target = name == "pos"                                             ? &positions
                         : name == "velo" || name == "vel" || name == "velocities" ? &plan.velocities
                         : name == "forces" || name == "force"                     ? &plan.forces
                                                                                   : nullptr;
    if (target != nullptr) {
      if (type != "R" || count != 3) lines.fail(std::string(name) + ":R:3 in Properties", quoted(shown));
      if (*target) lines.fail("one column for each quantity in Properties", "a second in " + quoted(shown));
      *target = plan.width;
    }
    plan.width += static_cast<std::size_t>(count);
    if (text.empty()) break;
    text.remove_prefix(1);
  }
  if (!positions) lines.fail("pos:R:3 in Properties", "none");
  plan.positions = *positions;
  return plan;
}

void read_flags(const line_reader& lines, std::string_view text, configuration& c) {
  field_list flags;
  split(text, flags);
  if (flags.size() != 3) lines.fail("three flags in pbc", quoted(text));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto f = flags[axis];
    c.periodic[axis] = f == "1" || same_word(f, "T") || same_word(f, "true");
    if (!c.periodic[axis] && f != "0" && !same_word(f, "F") && !same_word(f, "false")) lines.fail("T or F in pbc", quoted(f));
  }
}

/// Needs the flags of `c` set.
void read_lattice(const line_reader& lines, std::string_view text, const std::array<double, 3>& low, configuration& c) {
  field_list numbers;
  split(text, numbers);
  if (numbers.size() != 9) lines.fail("nine numbers in Lattice", quoted(text));
  for (std::size_t k = 0; k < 9; ++k) {
    const double value = lines.real(numbers[k]);
    if (k % 4 == 0) {
      set_box(lines, c, k / 4, low[k / 4], value, text);
    } else if (value != 0) {
      lines.fail("an orthorhombic Lattice \"a 0 0 0 b 0 0 0 c\"", quoted(text));
    }
  }
}

void set_bounding_box(const line_reader& lines, configuration& c) {
  for (std::size_t axis = 0; axis < 3 && c.size() != 0; ++axis) {
    double low = c.positions[axis];
    double high = low;
    for (std::size_t i = axis; i < c.positions.size(); i += 3) {
      low = std::min(low, c.positions[i]);
      high = std::max(high, c.positions[i]);
    }
    if (!std::isfinite(high - low)) lines.fail("coordinates less than the largest double apart", "a wider span");
    c.low[axis] = low;
    c.length[axis] = high - low;
  }
}

}  // namespace

configuration read_xyz(line_reader& lines) {
  configuration c;
  lines.need("a number of atoms");
  const field_list& counts = lines.fields();
  if (counts.size() != 1) lines.fail("a number of atoms", quoted(lines.text()));
  const std::size_t count = lines.atom_count(counts[0]);

  lines.need("a comment line");
  const values pairs = read_pairs(lines);
  const column_plan plan = pairs[properties] ? plan_columns(lines, *pairs[properties]) : column_plan{};
  std::array<double, 3> low{};
  if (pairs[origin]) {
    field_list numbers;
    split(*pairs[origin], numbers);
    if (numbers.size() != 3) lines.fail("three numbers in Origin", quoted(*pairs[origin]));
    for (std::size_t axis = 0; axis < 3; ++axis) low[axis] = lines.real(numbers[axis]);
  }
  c.periodic.fill(pairs[lattice].has_value());
  if (pairs[pbc]) read_flags(lines, *pairs[pbc], c);
  const bool boxed = pairs[lattice].has_value();
  if (boxed) {
    read_lattice(lines, *pairs[lattice], low, c);
  } else if (c.periodic != std::array<bool, 3>{}) {
    lines.fail("a Lattice, since pbc names a periodic direction", "none");
  }

  const std::size_t room = 3 * first_room(count);
  c.positions.reserve(room);
  if (plan.velocities) c.velocities.reserve(room);
  if (plan.forces) c.forces.reserve(room);
  for (std::size_t i = 0; i < count; ++i) {
    const field_list& fields = atom_fields(lines, i, count, plan.width);
    append_triple(lines, fields, plan.positions, c.positions);
    if (plan.velocities) append_triple(lines, fields, *plan.velocities, c.velocities);
    if (plan.forces) append_triple(lines, fields, *plan.forces, c.forces);
  }
  // What follows may be another frame, and that starts with a count.
  if (lines.next_filled() && (lines.fields().size() != 1 || !is_number(lines.fields()[0]))) {
    lines.fail("the end of the file or another frame after " + std::to_string(count) + " atoms", quoted(lines.text()));
  }
  if (!boxed) set_bounding_box(lines, c);
  return c;
}

}  // namespace accrue::program
