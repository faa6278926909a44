// SPDX-License-Identifier: BSD-3-Clause
// What the readers of configurations share: one function for each format, rows of atoms, and their order by id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "configuration.hpp"
#include "line_reader.hpp"

namespace accrue::program {

configuration read_nist(line_reader& lines);
configuration read_xyz(line_reader& lines);
configuration read_lammps_data(line_reader& lines);
configuration read_lammps_dump(line_reader& lines);

/// Goes to the next line that holds more than a comment; what follows '#' there is left in `comment`.
bool next_lammps_line(line_reader& lines, std::string_view& comment);
/// Whether the current line could stand in the header of a LAMMPS data file.
bool is_lammps_header(line_reader& lines);

/// Goes to the line of atom `i` of `count`, which must have `columns` fields.
const field_list& atom_fields(line_reader& lines, std::size_t i, std::size_t count, std::size_t columns);

/// Appends the numbers in three neighbouring fields.
void append_triple(const line_reader& lines, const field_list& fields, std::size_t first, std::vector<double>& to);

/// Sets one direction of the box, whose periodicity must be known. `found` is the text it comes from.
void set_box(const line_reader& lines, configuration& c, std::size_t axis, double low, double length, std::string_view found);

/// Room for the atoms of a file that claims to have `count`: a claim is trusted up to 65536, then vectors grow as they fill.
inline std::size_t first_room(std::size_t count) { return count < 65536 ? count : 65536; }

/// The ids of a table's rows, and the order that sorts them.
class atom_ids {
 public:
  void reserve(std::size_t rows) { rows_.reserve(rows); }
  void add(std::uint64_t id, std::size_t line) {
    sorted_ = sorted_ && (rows_.empty() || rows_.back().id < id);
    rows_.push_back({id, line});
  }
  /// Finds the order. Throws if an id comes twice.
  void sort(const line_reader& lines);
  /// Puts triples, one for each row, in order.
  void arrange(std::vector<double>& triples) const;

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// Id and line of the row that is k-th in order.
  [[nodiscard]] std::uint64_t id(std::size_t k) const { return rows_[row(k)].id; }
  [[nodiscard]] std::size_t line(std::size_t k) const { return rows_[row(k)].line; }

 private:
  struct entry {
    std::uint64_t id;
    std::size_t line;
  };
  [[nodiscard]] std::size_t row(std::size_t k) const { return order_.empty() ? k : order_[k]; }

  std::vector<entry> rows_;
  std::vector<std::size_t> order_;  // empty if the rows are in order as they stand
  bool sorted_ = true;
};

}  // namespace accrue::program
