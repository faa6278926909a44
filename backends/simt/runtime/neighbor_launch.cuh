// SPDX-License-Identifier: BSD-3-Clause
// The launches that build a neighbour list on a device, and look whether it still holds.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "accrue/backends/simt/kernel/assigned_rows.cuh"
#include "accrue/backends/simt/kernel/brick_rows.cuh"
#include "accrue/backends/simt/kernel/neighbor_rows.cuh"
#include "accrue/backends/simt/runtime/accumulate_launch.cuh"
#include "accrue/md/detail/cell_grid.hpp"

namespace accrue::simt {

/// Device memory that stays from call to call and grows where it must: what it held is lost then.
template <class Space>
class kept_memory {
 public:
  explicit kept_memory(const Space& space) : space_(space) {}
  kept_memory(const kept_memory&) = delete;
  kept_memory& operator=(const kept_memory&) = delete;
  ~kept_memory() { release(); }

  template <class T>
  T* reserve(std::size_t count) {
    if (count * sizeof(T) > bytes_) {
      release();
      const std::size_t bytes = count * sizeof(T) + count * sizeof(T) / 8;
      data_ = space_.allocate(bytes);
      bytes_ = bytes;
    }
    return static_cast<T*>(data_);
  }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  [[nodiscard]] bool holds(std::size_t bytes) const { return bytes <= bytes_; }
  void release() noexcept {
    bytes_ = 0;
    if (data_ == nullptr) return;
    try {
      space_.deallocate(std::exchange(data_, nullptr));
    } catch (const error&) {  // of a device that failed before, which was told then
    }
  }

 private:
  Space space_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

inline particle_places components_of(double* p, std::size_t n) { return {p, p + n, p + 2 * n}; }

/// A list in the memory of a space.
template <class Space>
struct rows_of_space : detail::device_rows {
  rows_of_space(const Space& s, int on)
      : device(on),
        order(s),
        then(s),
        rough(s),
        entries_memory(s),
        steps(s),
        cell_of(s),
        loose(s),
        cells(s),
        tiles(s),
        layout(s),
        facts(s) {}

  int device;
  list_geometry geometry{};
  strip_rows rows{};
  kept_memory<Space> order;
  kept_memory<Space> then;   ///< wrapped positions, in order
  kept_memory<Space> rough;  ///< the same in single precision
  kept_memory<Space> entries_memory;
  kept_memory<Space> steps;
  kept_memory<Space> cell_of;
  kept_memory<Space> loose;
  kept_memory<Space> cells;
  kept_memory<Space> tiles;
  kept_memory<Space> layout;  ///< the number of the layout of rows that is there
  kept_memory<Space> facts;
  std::size_t fullest_cell = 0;
  bool halved = false;  ///< full rows of which each entry counts half; else those count that are behind their row's particle

  [[nodiscard]] particle_places places() const { return components_of(then.template as<double>(), this->size); }
};

/// The rows of a list that this space's kernels can read.
template <class Space, class Device>
const rows_of_space<Space>& rows_for(const Device& device, const neighbor_list& list, const char* call) {
  const auto* const rows = dynamic_cast<const rows_of_space<Space>*>(list.rows_on_device());
  if (rows == nullptr) {
    throw error(errc::invalid_argument, std::string("accrue::") + call + ": the neighbour list was not built on this kind of device");
  }
  if (rows->failed) throw error(errc::invalid_argument, std::string("accrue::") + call + ": the neighbour list has not been built");
  if (rows->device != device.request().device->device) {
    throw error(errc::wrong_space, std::string("accrue::") + call + ": the neighbour list was built on another device");
  }
  return *rows;
}

inline list_geometry geometry_of(const orthorhombic_box& box) {
  list_geometry g{};
  for (std::size_t k = 0; k < 3; ++k) {
    g.periodic[k] = box.periodic[k];
    if (!box.periodic[k]) continue;
    g.low[k] = box.low[k];
    g.length[k] = box.length[k];
    g.inverse_length[k] = 1 / box.length[k];
  }
  return g;
}
/// Few particles share a row's work among more lanes. A function of their number and the kind of list alone, as sums of doubles in the
/// order of the row are.
inline std::uint32_t lanes_shift_for(std::size_t particles, list_kind kind) {
  return particles <= (std::size_t{1} << 16) ? 2 : kind == list_kind::full || particles <= (std::size_t{1} << 19) ? 1 : 0;
}

/// Bricks for each multiprocessor: fewer of them wait for their tiles longer than tiles save. Tests choose others.
inline std::size_t least_bricks = 8;

/// One build.
template <class Space, class Device, class T>
class list_build {
 public:
  list_build(const Device& device, const neighbor_list& list, const vectors<const T>& from, rows_of_space<Space>& to)
      : device_(device), list_(list), from_(from), to_(to), request_(device.request()) {}

  void run() {
    const strip_rows before = begin();
    if (from_.size != 0) {
      sort_by_cell();
      const bool has_many = cut_into_bricks();
      const list_facts found = read_facts();
      take_sorted(found);
      if (!has_many || !take_bricks(found, before.tiles)) {
        to_.rows.tiles.bricks = 0;
        to_.tiles.release();
      }
      to_.rows.tiles.bricks != 0 ? fill_brick_rows() : fill_particle_rows();
    }
    tell_layout(before);
    count_bytes();
  }
  /// The same of a caller's rows.
  void assign(const detail::row_view& rows) {
    const strip_rows before = begin();
    to_.halved = rows.ghosts != 0 && list_.kind() == list_kind::full;
    if (from_.size != 0) {
      place_particles();
      const unsigned longest = check_rows(rows);
      to_.tiles.release();
      fill_rows<std::uint32_t>(longest, [&](std::size_t blocks) {
        const auto kernel = by_lanes([]<unsigned shift>(std::integral_constant<unsigned, shift>) { return assign_rows_kernel<shift>; });
        launch(kernel, blocks, to_.geometry, to_.rows, list_.kind() == list_kind::half || to_.halved, rows, list_.skin(), to_.places(),
               to_.rough.template as<rough_place>(), facts());
      });
    }
    tell_layout(before);
    count_bytes();
  }
  /// After an error: nothing is there, and captured sweeps see that.
  void fail() noexcept {
    to_.failed = true;
    to_.size = to_.entries = 0;
    to_.coincident.reset();
    to_.rows = {};
    try {
      tell_layout(to_.rows);
    } catch (...) {  // of a device that failed, which was told
    }
  }

 private:
  template <class... Parameters>
  void launch(void (*kernel)(Parameters...), std::size_t blocks, std::type_identity_t<Parameters>... arguments) const {
    launch_kernel<Space>(kernel, static_cast<unsigned>(blocks), neighbor_threads, 0, request_.stream, arguments...);
  }
  /// Blocks for so many items.
  [[nodiscard]] static std::size_t blocks_for(std::size_t items) {
    return std::clamp<std::size_t>((items + neighbor_threads - 1) / neighbor_threads, 1, std::size_t{1} << 20);
  }
  [[nodiscard]] list_facts read_facts() const {
    list_facts found{};
    device_.read(&found, to_.facts.template as<list_facts>(), sizeof(found));
    return found;
  }
  [[nodiscard]] list_facts* facts() const { return to_.facts.template as<list_facts>(); }
  void reset_facts() const {
    auto* const facts = to_.facts.template reserve<list_facts>(1);
    device_.zero(facts, sizeof(list_facts));
  }

  /// Forgets what was there. Returns the rows as they were.
  strip_rows begin() {
    const std::size_t n = from_.size;
    to_.failed = false;
    to_.size = n;
    to_.entries = 0;
    to_.coincident.reset();
    to_.halved = false;
    to_.geometry = geometry_of(list_.box());
    const strip_rows before = to_.rows;
    to_.rows = {};
    to_.rows.lanes_shift = lanes_shift_for(n, list_.kind());
    to_.rows.size = static_cast<std::uint32_t>(n);
    for (std::uint32_t& along : to_.rows.tiles.along) along = 1;
    return before;
  }
  void count_bytes() {
    to_.bytes = to_.order.bytes() + to_.then.bytes() + to_.rough.bytes() + to_.entries_memory.bytes() + to_.steps.bytes() +
                to_.cell_of.bytes() + to_.loose.bytes() + to_.cells.bytes() + to_.tiles.bytes() + to_.layout.bytes() + to_.facts.bytes();
  }
  /// No particle has more partners.
  void take_most_partners(std::size_t most) { to_.rows.partner_bits = std::ilogb(static_cast<double>(most) + 1); }

  void place_particles() {
    const std::size_t n = from_.size;
    (void)to_.then.template reserve<double>(3 * n);
    reset_facts();
    auto* const order = to_.order.template reserve<std::uint32_t>(n);
    auto* const rough = to_.rough.template reserve<rough_place>(n + rough_places_behind);
    launch(place_particles_kernel<T>, blocks_for(n), to_.geometry, from_, order, to_.places(), rough, facts());
    const list_facts found = read_facts();
    if (found.not_finite != 0) refuse_infinite();
    to_.rows.outside = found.outside != 0;
  }
  /// Returns the longest of a caller's rows.
  unsigned check_rows(const detail::row_view& rows) {
    const std::size_t n = from_.size;
    const bool half = list_.kind() == list_kind::half;
    auto memory = device_.memory(sizeof(row_facts));
    auto* const facts = reinterpret_cast<row_facts*>(memory.data());
    std::uint32_t* counts = nullptr;
    device_.zero(facts, sizeof(row_facts));
    if (half) {
      counts = to_.cell_of.template reserve<std::uint32_t>(n);
      device_.zero(counts, n * sizeof(std::uint32_t));
    }
    const auto few = [&](std::size_t items) { return std::min<std::size_t>(blocks_for(items), 16 * request_.device->multiprocessors); };
    launch(check_rows_kernel<std::uint32_t>, few(n * lanes_a_check), rows, to_.rows.size, counts, facts);
    if (half) launch(most_partners_kernel<std::uint32_t>, few(n), counts, to_.rows.size, facts);
    row_facts found{};
    device_.read(&found, facts, sizeof(found));
    detail::refuse_rows(~found.outside, ~found.not_there, ~found.itself);
    detail::check_balance(list_.kind() == list_kind::full, found.balance, found.to_rows);
    take_most_partners(half ? found.most_partners : found.longest);
    return found.longest;
  }

  detail::bounds extent() const {
    detail::bounds all;
    const orthorhombic_box& box = list_.box();
    if (box.periodic[0] && box.periodic[1] && box.periodic[2]) return all;
    const std::size_t blocks = std::min<std::size_t>(blocks_for(from_.size), 64);
    auto memory = device_.memory(blocks * sizeof(double[6]));
    auto* const bounds = reinterpret_cast<double(*)[6]>(memory.data());
    launch(bounds_kernel<T>, blocks, to_.geometry, from_, bounds);
    std::vector<double> found(6 * blocks);
    device_.read(found.data(), bounds, blocks * sizeof(double[6]));
    for (std::size_t b = 0; b < blocks; ++b) {
      detail::bounds one;
      for (std::size_t k = 0; k < 3; ++k) {
        one.low[k] = found[6 * b + k];
        one.high[k] = found[6 * b + 3 + k];
      }
      all.add(one);
    }
    for (const double x : {all.low[0], all.low[1], all.low[2], all.high[0], all.high[1], all.high[2]}) {
      if (!std::isfinite(x)) refuse_infinite();
    }
    return all;
  }
  [[noreturn]] static void refuse_infinite() {
    throw error(errc::bad_input, "accrue::neighbor_list: the position of a particle is not finite, or 2^98 away and more");
  }

  void sort_by_cell() {
    const std::size_t n = from_.size;
    const detail::cell_grid grid =
        detail::make_grid(list_.box(), detail::list_reach(list_.cutoff(), list_.skin()), n, extent());
    list_geometry& g = to_.geometry;
    for (std::size_t k = 0; k < 3; ++k) {
      g.cells[k] = static_cast<std::uint32_t>(grid.count[k]);
      g.cell_low[k] = grid.low[k];
      g.inverse_edge[k] = grid.inverse_edge[k];
    }
    const std::uint32_t cells = g.all_cells();
    constexpr std::size_t part = std::size_t{neighbor_threads} * scan_items;
    const std::size_t parts = (cells + part - 1) / part;
    const std::size_t parts_of_parts = (parts + part - 1) / part;
    auto* const begin = to_.cells.template reserve<std::uint32_t>(2 * (std::size_t{cells} + 1) + parts + parts_of_parts + 2);
    auto* const taken = begin + cells + 1;
    auto* const totals = taken + cells + 1;
    auto* const totals_of_parts = totals + parts + 1;
    auto* const cell_of = to_.cell_of.template reserve<std::uint32_t>(n);
    auto* const loose = to_.loose.template reserve<std::uint32_t>(n);
    auto* const order = to_.order.template reserve<std::uint32_t>(n);
    (void)to_.then.template reserve<double>(3 * n);
    reset_facts();
    auto* const facts = to_.facts.template as<list_facts>();
    device_.zero(begin, 2 * (std::size_t{cells} + 1) * sizeof(std::uint32_t));
    launch(count_cells_kernel<T>, blocks_for(n), g, from_, cell_of, begin, facts);
    // Counts become places: of parts, of parts of parts, of which there are fewer than one part has.
    launch(scan_parts_kernel<std::uint32_t>, parts, begin, cells, totals, facts);
    launch(scan_parts_kernel<std::uint32_t>, parts_of_parts, totals, static_cast<std::uint32_t>(parts), totals_of_parts, nullptr);
    const auto all = static_cast<std::uint32_t>(n);
    if (parts_of_parts > 1) {
      launch(scan_parts_kernel<std::uint32_t>, 1, totals_of_parts, static_cast<std::uint32_t>(parts_of_parts),
             totals_of_parts + parts_of_parts, nullptr);
      launch(add_parts_kernel<std::uint32_t>, parts_of_parts, totals, static_cast<std::uint32_t>(parts), totals_of_parts, all);
    }
    launch(add_parts_kernel<std::uint32_t>, parts, begin, cells, totals, all);
    launch(gather_cells_kernel<std::uint32_t>, blocks_for(n), static_cast<std::uint32_t>(n), cell_of, begin, taken, loose);
    launch(order_cells_kernel<T>, blocks_for(n), g, from_, cell_of, begin, loose, order, to_.places(),
           to_.rough.template reserve<rough_place>(n + rough_places_behind));
  }
  void take_sorted(const list_facts& found) {
    if (found.not_finite != 0) refuse_infinite();
    to_.fullest_cell = found.fullest_cell;
    // As on hosts: no particle has more partners than 27 cells have particles.
    take_most_partners(std::min(from_.size, 27 * to_.fullest_cell));
    to_.rows.outside = found.outside != 0;
  }

  /// Whether a cell beside another across the boundary holds no other image within reach: so where there are three of them at least, and
  /// particles are in theirs.
  [[nodiscard]] bool has_shifts() const {
    const list_geometry& g = to_.geometry;
    bool all = !to_.rows.outside;
    for (std::size_t k = 0; k < 3; ++k) all = all && (!g.periodic[k] || g.cells[k] >= 3);
    return all;
  }
  [[nodiscard]] rough_reach rough_reach_for(double reach) const {
    const double wrong = rough_error(reach);
    if (!is_rough_enough(reach)) {  // all is left to double
      return {std::numeric_limits<float>::infinity(), 0, std::numeric_limits<float>::quiet_NaN()};
    }
    const auto squared = [](double r) { return static_cast<float>(r * r); };
    return {squared(wrong), squared(std::max(0.0, reach - wrong) * (1 - 0x1p-18)), squared((reach + wrong) * (1 + 0x1p-18))};
  }
  /// Of a distance between rough places: coordinates, a box's length, the shift that it makes, and differences are each wrong by
  /// 2^-24 of the largest coordinate at most, a sum of squares by some units in its last place.
  [[nodiscard]] double rough_error(double reach) const { return 0x1p-20 * extent_with(reach); }
  [[nodiscard]] double extent_with(double reach) const {
    double extent = reach;
    for (std::size_t k = 0; k < 3; ++k) {
      const list_geometry& g = to_.geometry;
      extent += g.periodic[k] ? g.length[k] : g.inverse_edge[k] > 0 ? g.cells[k] / g.inverse_edge[k] : 0;
    }
    return extent;
  }
  /// Within single precision's exponents.
  [[nodiscard]] bool is_rough_enough(double reach) const { return reach >= 0x1p-40 && extent_with(reach) <= 0x1p40; }
  /// What is rounded in |a|^2 + |b|^2 - 2 ab - reach^2 is at most sixteen times 2^-24 of these squares, a and b as long as they can be.
  [[nodiscard]] tile_reach tile_reach_for(double reach) const {
    double squares = reach * reach;
    for (int k = 0; k < 3; ++k) squares += 4 * farthest_in_tile(to_.geometry, k) * farthest_in_tile(to_.geometry, k);
    const double wrong = rough_error(reach);
    return {static_cast<float>(reach * reach), static_cast<float>((0x1p-20 * squares + wrong * (2 * reach + wrong)) * (1 + 0x1p-18))};
  }

  /// Whether a full list has many bricks, whose sizes are asked for then.
  bool cut_into_bricks() {
    brick_tiles& tiles = to_.rows.tiles;
    const list_geometry& g = to_.geometry;
    std::size_t bricks = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      tiles.along[k] = (g.cells[k] + brick_tiles::brick_cells[k] - 1) / brick_tiles::brick_cells[k];
      bricks *= tiles.along[k];
    }
    if (list_.kind() != list_kind::full || bricks < least_bricks * request_.device->multiprocessors || bricks > most_rows) return false;
    tiles.bricks = static_cast<std::uint32_t>(bricks);
    launch(measure_bricks_kernel<std::uint32_t>, blocks_for(bricks), g, tiles, to_.cells.template as<std::uint32_t>(), facts());
    return true;
  }
  /// Gives the rows bricks where a partner's image is known by its cell, and where tiles fit a block's shared memory and have, as rows do,
  /// their size nearly everywhere. `before`: of the build before, whose room they keep where that is enough, as captured sweeps do; else
  /// `memory_bytes` changes.
  bool take_bricks(const list_facts& found, const brick_tiles& before) {
    if (!has_shifts() || !is_rough_enough(reach())) return false;
    brick_tiles tiles = to_.rows.tiles;
    const std::size_t bricks = tiles.bricks;
    const bool stays = before.bricks == tiles.bricks && before.room > found.most_places &&
                       std::size_t{before.strips} * to_.rows.rows_a_strip() >= found.most_rows;
    if (stays) {
      tiles.room = before.room;
      tiles.strips = before.strips;
    } else {
      tiles.room = std::min(found.most_places + found.most_places / 16 + 1, brick_tiles::most_places);
      tiles.strips = (found.most_rows + found.most_rows / 8 + 1 + to_.rows.rows_a_strip() - 1) / to_.rows.rows_a_strip();
      to_.tiles.release();
    }
    const std::size_t rows = bricks * tiles.strips * to_.rows.rows_a_strip();
    if (tiles.room <= found.most_places || typed_tile_bytes(tiles.room) + beside_tile > request_.device->shared_bytes ||
        threads_for_rows(tiles) == 0 || rows > std::min(std::max<std::size_t>(2 * from_.size, 4096), most_rows)) {
      return false;
    }
    const std::size_t numbers = bricks * (tiles.room + 2 + brick_tiles::most_cells) + 2 * rows + rows / 2 + 1;
    tiles.source = to_.tiles.template reserve<std::uint32_t>(numbers);
    tiles.places = tiles.source + bricks * tiles.room;
    tiles.rows = tiles.places + bricks;
    tiles.to_tile = tiles.rows + bricks;
    tiles.row = tiles.to_tile + bricks * brick_tiles::most_cells;
    tiles.own = reinterpret_cast<std::uint16_t*>(tiles.row + 2 * rows);
    to_.rows.tiles = tiles;
    launch(lay_bricks_kernel<std::uint32_t>, std::min<std::size_t>(bricks, 1 << 20), to_.geometry, to_.rows,
           to_.cells.template as<std::uint32_t>(), to_.order.template as<std::uint32_t>());
    return true;
  }
  static constexpr std::size_t most_rows = std::size_t{1} << 31;

  /// At first for a sphere at the fullest cell's density, later for what was found and some more.
  [[nodiscard]] std::size_t first_room() const {
    const bool half = list_.kind() == list_kind::half;
    return to_.entries_memory.bytes() == 0 ? (half ? 3 : 6) * to_.fullest_cell + 16 : 1;
  }
  [[nodiscard]] double reach() const { return detail::list_reach(list_.cutoff(), list_.skin()); }
  void fill_particle_rows() {
    fill_rows<std::uint32_t>(first_room(), [&](std::size_t blocks) {
      const auto kernel = by_lanes([]<unsigned shift>(std::integral_constant<unsigned, shift>) { return build_rows_kernel<shift>; });
      launch(kernel, blocks, to_.geometry, to_.rows, list_.kind() == list_kind::half, has_shifts(), reach() * reach(),
             rough_reach_for(reach()), to_.cells.template as<std::uint32_t>(), to_.places(), to_.rough.template as<rough_place>(),
             to_.order.template as<std::uint32_t>(), facts());
    });
  }
  void fill_brick_rows() {
    to_.rows.lanes_shift == 1 ? fill_brick_rows_of<1>() : fill_brick_rows_of<2>();
  }
  template <unsigned lanes_shift>
  void fill_brick_rows_of() {
    static occupancy_cache allowed;  // the shared memory: asked for once a device
    constexpr auto kernel = build_brick_rows_kernel<lanes_shift>;
    const unsigned threads = threads_for_rows(to_.rows.tiles);
    const std::size_t bytes = brick_row_bytes<lanes_shift>(to_.rows.tiles.room, threads);
    (void)allowed.get(kernel, request_.device->device, threads,
                      [&] { return kernel_api<Space>::occupancy(kernel, *request_.device, threads, bytes) + 1; });
    fill_rows<std::uint16_t>(first_room(), [&](std::size_t) {
      launch_kernel<Space>(kernel, to_.rows.tiles.bricks, threads, bytes, request_.stream, to_.geometry, to_.rows, reach() * reach(),
                           tile_reach_for(reach()), to_.cells.template as<std::uint32_t>(), to_.places(),
                           to_.rough.template as<rough_place>(), to_.order.template as<std::uint32_t>(), facts());
    });
  }
  /// Those that have a row, or as many as there is shared memory for; none where that is less than a warp's.
  [[nodiscard]] unsigned threads_for_rows(const brick_tiles& tiles) const {
    const device_facts& device = *request_.device;
    const std::size_t rows = std::size_t{tiles.strips} * to_.rows.rows_a_strip();
    const auto bytes = [&](unsigned threads) {
      return to_.rows.lanes_shift == 1 ? brick_row_bytes<1>(tiles.room, threads) : brick_row_bytes<2>(tiles.room, threads);
    };
    unsigned threads = brick_row_threads / device.warp_width * device.warp_width;
    while (threads != 0 && (threads >= rows + device.warp_width || bytes(threads) + beside_tile > device.shared_bytes)) {
      threads -= device.warp_width;
    }
    return threads;
  }
  /// The kernel for as many lanes as rows have.
  template <class Kernel>
  [[nodiscard]] auto by_lanes(const Kernel& kernel) const {
    return to_.rows.lanes_shift == 0   ? kernel(std::integral_constant<unsigned, 0>{})
           : to_.rows.lanes_shift == 1 ? kernel(std::integral_constant<unsigned, 1>{})
                                       : kernel(std::integral_constant<unsigned, 2>{});
  }
  /// Has `fill(blocks)` write all rows, again while some have more than `entries` and than there is room for.
  template <class Entry, class Fill>
  void fill_rows(std::size_t entries, const Fill& fill) {
    strip_rows& rows = to_.rows;
    const std::uint32_t strips = rows.strips();
    const std::size_t all_rows = std::size_t{strips} * rows.rows_a_strip();
    rows.steps = to_.steps.template reserve<std::uint32_t>(strips + all_rows);
    rows.front = rows.steps + strips;
    // Rows have all the room that the memory holds, so that only new memory changes it: a captured sweep reads the next list as well, or
    // `memory_bytes` has changed.
    constexpr std::size_t each = entries_a_load<Entry>;
    const std::size_t of_a_step = std::size_t{strips} * strip_lanes;
    const std::size_t lanes_a_row = rows.lanes_a_row();
    for (;;) {
      const std::size_t loads = std::max<std::size_t>((entries + lanes_a_row * each - 1) / (lanes_a_row * each), 1);
      rows.entries = to_.entries_memory.template reserve<Entry>(of_a_step * loads * each);
      const std::size_t held = to_.entries_memory.bytes() / (of_a_step * sizeof(Entry));
      rows.room = static_cast<std::uint32_t>(held / each * each);
      reset_facts();
      fill((all_rows + neighbor_threads - 1) / neighbor_threads);
      const list_facts found = read_facts();
      if (found.longest_row <= rows.room * lanes_a_row) {
        to_.entries = found.entries;
        if (found.coincident != 0) to_.coincident.emplace(~found.coincident >> 32, ~found.coincident & 0xffffffffu);
        return;
      }
      entries = found.longest_row + found.longest_row / 8;
    }
  }
  /// Gives the layout of the rows a new number, that no other has had, where it is another than before.
  void tell_layout(strip_rows before) {
    static std::atomic<std::uint32_t> last{0};
    strip_rows& rows = to_.rows;
    rows.layout = to_.layout.template reserve<std::uint32_t>(1);
    rows.number = before.number;
    std::copy_n(rows.tiles.along, 3, before.tiles.along);  // which only builds ask for
    if (rows == before && rows.size != 0) return;
    rows.number = ++last;
    device_.write(rows.layout, &rows.number, sizeof(rows.number));
  }

  const Device& device_;
  const neighbor_list& list_;
  vectors<const T> from_;
  rows_of_space<Space>& to_;
  launch_request request_;
};

/// `from`: a caller's rows, or nullptr for a search.
template <class Space, class Device>
std::unique_ptr<detail::device_rows> make_rows(const Space& space, const Device& device, neighbor_list& list,
                                               const detail::position_view& positions, const detail::row_view* from) {
  const std::size_t n = std::visit([](const auto& x) { return x.size; }, positions);
  if (n > detail::most_particles) throw error(errc::invalid_argument, "accrue::neighbor_list: more than 2^31 - 64 particles");
  if (from != nullptr) detail::check_row_count(*from, n);
  std::unique_ptr<detail::device_rows> old = list.take_rows_on_device();
  std::unique_ptr<rows_of_space<Space>> rows;
  const int here = device.request().device->device;
  if (auto* const known = dynamic_cast<rows_of_space<Space>*>(old.get()); known != nullptr && known->device == here) {
    old.release();
    rows.reset(known);
  } else {
    rows = std::make_unique<rows_of_space<Space>>(space, here);
  }
  const auto make = [&]<class T>(const vectors<const T>& x) {
    list_build<Space, Device, T> build(device, list, x, *rows);
    try {
      from != nullptr ? build.assign(*from) : build.run();
    } catch (...) {
      build.fail();
      list.keep_rows_on_device(std::move(rows));  // whose memory captured sweeps may read
      throw;
    }
  };
  std::visit(make, positions);
  return rows;
}

template <class Space, class Device>
bool has_moved(const Space&, const Device& device, const neighbor_list& list, const detail::position_view& positions) {
  if (list.rows_on_device()->failed) return true;
  const rows_of_space<Space>& rows = rows_for<Space>(device, list, "neighbor_list");
  const auto moved = [&]<class T>(const vectors<const T>& from) {
    if (from.size != rows.size) return true;
    if (from.size == 0) return false;
    auto memory = device.memory(sizeof(unsigned));
    auto* const flag = reinterpret_cast<unsigned*>(memory.data());
    device.zero(flag, sizeof(unsigned));
    const double limit = list.skin() / 2;
    const auto blocks = static_cast<unsigned>(std::min<std::size_t>((from.size + neighbor_threads - 1) / neighbor_threads, 1 << 20));
    launch_kernel<Space>(moved_kernel<T>, blocks, neighbor_threads, 0, device.request().stream, rows.geometry, from,
                         rows.order.template as<std::uint32_t>(), rows.places(), limit * limit, flag);
    unsigned found = 0;
    device.read(&found, flag, sizeof(found));
    return found != 0;
  };
  return std::visit(moved, positions);
}

}  // namespace accrue::simt
