// SPDX-License-Identifier: BSD-3-Clause
// The code that README and the pages for hosts show (docs/snippets.py puts it there), compiled and run.
#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <accrue/md/md.hpp>
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <numeric>
#include <tuple>
#include <vector>

namespace {

// One process in the place of MPI: the sum over all ranks is its own.
constexpr int MPI_INT64_T = 0;
constexpr int MPI_SUM = 0;
constexpr int comm = 0;
void* const MPI_IN_PLACE = nullptr;
void MPI_Allreduce(const void*, void*, int, int, int, int) {}

/// A row-major array of rank 3, as an mdspan.
struct tensor_of_levels {
  const double* p;
  static constexpr std::size_t rank() { return 3; }
  [[nodiscard]] std::size_t extent(std::size_t d) const { return d + 2; }
  [[nodiscard]] std::ptrdiff_t stride(std::size_t d) const { return d == 0 ? 12 : d == 1 ? 4 : 1; }
  [[nodiscard]] const double* data_handle() const { return p; }
};

const std::vector<double> x{3, -1, 2, 5, -4, 0.5};
const std::vector<double> y{1, 2, 3, 4, 5, 6};
const std::vector<bool> mask{true, true, false, false, true, true};

}  // namespace

TEST_CASE("README", "[docs]") {
  const double* const p = x.data();
  std::vector<double> totals(2);
  //! [readme]
  accrue::default_space space;                              // or accrue::serial{}, openmp{8}, cuda{stream}, hip{stream}
  double total   = accrue::sum(space, x);                   // the exact sum, rounded once
  double quick   = accrue::sum(space, x, accrue::fast);     // any order
  double e       = accrue::dot(space, x, y);
  auto [lo, hi]  = accrue::minmax(space, x);
  auto [v, i]    = accrue::argmin(space, x);                // the lowest index wins a tie
  auto m         = accrue::moments(space, x);               // m.count, m.mean, m.variance, each correctly rounded
  auto [s, a, b] = accrue::reduce(space, x, accrue::fuse(accrue::sum_of<double>{}, accrue::min_of<double>{}, accrue::max_of<double>{}));
  double r       = accrue::transform_reduce(space, x, accrue::plus{}, [](double t) { return t * t; });  // of the rounded squares
  double w       = accrue::mean(space, accrue::where(x, mask));  // the others take no part
  auto matrix    = accrue::view(p, 2, 3, 3);                // rows, columns, row stride; or an mdspan
  accrue::sum(space, accrue::rows(matrix), totals);         // one result a row; columns, segments(x, offsets), grouped(x, keys, count)
  //! [readme]
  CHECK((total == 5.5 && quick == 5.5 && e == 10 && lo == -4 && hi == 5 && v == -4 && i == 4));
  CHECK((m.count == 6 && s == total && a == lo && b == hi && r == 55.25 && w == -0.375));
  CHECK(totals == std::vector<double>{4, 1.5});
}

TEST_CASE("masks and groupings of the guide", "[docs]") {
  const accrue::default_space space;
  {
    const auto& temperature = y;
    const auto& is_ocean = mask;
    const auto& inside = mask;
    //! [masks]
    double t = accrue::mean(space, accrue::where(temperature, is_ocean));
    auto [v, i] = accrue::argmin(space, accrue::where(x, [](double e) { return e > 0; }));
    double e = accrue::dot(space, accrue::where(x, inside), y);
    //! [masks]
    CHECK((t == 3.5 && v == 0.5 && i == 5 && e == -16));
  }
  const std::size_t rows = 2;
  const std::size_t columns = 3;
  const auto matrix = accrue::view(x.data(), rows, columns, columns);
  const auto a = matrix;
  const auto b = accrue::view(y.data(), rows, columns, columns);
  std::vector<double> all(24);
  std::iota(all.begin(), all.end(), 0.0);
  const tensor_of_levels tensor{all.data()};
  std::vector<double> levels(8);
  const std::vector<std::int64_t> offsets{0, 2, 2, 6};
  const std::vector<int> keys{2, 0, 2, 2, 0, 2};
  const std::vector<std::vector<double>> arrays{{1, 3}, {5}};
  //! [groupings]
  std::vector<double> totals(rows), dots(rows), means(arrays.size());
  std::vector<accrue::position<double>> places(columns);       // value and index
  std::vector<std::tuple<double, double>> pairs(rows);
  accrue::sum(space, accrue::rows(matrix), totals);            // totals[i]: the sum of row i
  accrue::argmin(space, accrue::columns(matrix), places);      // positions count within a group, or in the matrix:
  accrue::argmin(space, accrue::whole_positions(accrue::columns(matrix)), places);
  accrue::sum(space, accrue::axis<1>(tensor), levels);         // of an array of any rank, along one dimension
  accrue::dot(space, accrue::rows(a), accrue::rows(b), dots);
  accrue::mean(space, accrue::batch(arrays), means);           // a vector of vectors, say
  accrue::reduce(space, accrue::rows(matrix), accrue::fuse(accrue::sum_of<double>{}, accrue::max_of<double>{}), pairs);
  std::vector<double> each(offsets.size() - 1);
  accrue::sum(space, accrue::segments(x, offsets), each);      // of x[offsets[i]] up to x[offsets[i + 1]]
  std::vector<double> of_key(3);
  accrue::sum(space, accrue::grouped(x, keys, 3), of_key);     // of_key[k]: all x[i] with keys[i] == k, in any order
  //! [groupings]
  CHECK((totals == std::vector<double>{4, 1.5} && places[1].value == -4 && places[1].index == 4 && levels[0] == 12 && levels[7] == 57));
  CHECK((dots == std::vector<double>{7, 3} && means == std::vector<double>{2, 5}));
  CHECK(of_key == std::vector<double>{x[1] + x[4], 0, x[0] + x[2] + x[3] + x[5]});
  CHECK((each == std::vector<double>{2, 0, 3.5} && pairs[0] == std::tuple(4.0, 3.0)));
}

TEST_CASE("accumulation and forces of the guide", "[docs]") {
  const accrue::default_space space;
  {
    std::vector<double> y(4);
    const std::size_t n = 8;
    const double v = 0.5;
    //! [accumulate]
    accrue::accumulate(space, y, n, [&](std::size_t i, auto& out) { out.add(i % 4, v); }, accrue::strategy::replicated);
    //! [accumulate]
    CHECK(y == std::vector<double>{1, 1, 1, 1});
  }
  //! [forces]
  std::vector<std::array<double, 3>> positions(1000), f(1000);      // yours
  accrue::orthorhombic_box box{{0, 0, 0}, {20, 20, 20}};           // periodic; low corner and lengths
  accrue::neighbor_list list(box, 2.5, 0.3);                       // cut-off and skin
  accrue::pair_forces forces(accrue::lennard_jones(2.5));
  for (std::size_t i = 0; i < 1000; ++i) positions[i] = {2.0 * (i % 10), 2.0 * (i / 10 % 10), 2.0 * (i / 100)};
  list.build(space, positions);
  auto r = forces.compute(space, list, positions, f);              // r.energy, r.virial: exact sums of the pairs' terms
  //! [forces]
  {
    std::vector<int> offsets(list.size() + 1);
    std::vector<std::uint32_t> partners;
    std::vector<std::vector<std::uint32_t>> rows(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
      for (const std::uint32_t other : list.row(k)) rows[list.order()[k]].push_back(list.order()[other]);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      offsets[i + 1] = offsets[i] + static_cast<int>(rows[i].size());
      partners.insert(partners.end(), rows[i].begin(), rows[i].end());
    }
    //! [own-list]
    list.assign(space, positions, accrue::compressed_rows(offsets, partners));  // partners[k] of i: offsets[i] <= k < offsets[i + 1]
    // or accrue::padded_rows(counts, partners, room): partners[i * room + k], k < counts[i]
    //! [own-list]
    CHECK(forces.compute(space, list, positions, f).energy == r.energy);
  }
  {
    const std::vector<int> types(1000, 1);
    //! [mixture]
    // Kob and Andersen's: epsilon and sigma of each type, and the cut-off; then pairs, by the Lorentz-Berthelot rule until then.
    accrue::lennard_jones_mixture mixture({{1, 1}, {0.5, 0.88}}, 2.5, accrue::truncation::shifted);
    mixture.set(0, 1, {1.5, 0.8}, 2.5 * 0.8).set(1, 1, {0.5, 0.88}, 2.5 * 0.88);
    accrue::pair_forces forces(mixture);
    auto r = forces.compute(space, list, accrue::with_types(positions, types), f);
    //! [mixture]
    accrue::pair_forces same(accrue::lennard_jones(2.5 * 0.88, accrue::truncation::shifted, 0.5, 0.88));
    CHECK(r.energy == same.compute(space, list, positions, f).energy);
  }
  CHECK(r.energy < -150);
}

TEST_CASE("accumulation in loops of one's own", "[docs]") {
  const accrue::default_space space;
  const std::size_t n = 100;
  std::vector<std::array<double, 3>> forces(10);
  std::vector<double> charges(10);
  const double fx = 1, fy = 2, fz = 3, c = 0.5, u = 0.25;
  //! [targets]
  accrue::exact_total energy;
  accrue::accumulate(space, accrue::targets(forces, charges, energy), n, [&](std::size_t i, auto& f, auto& q, auto& e) {
    f.add(i % 10, fx, fy, fz);
    q.add(i % 10, c);
    e.add(u);
  });
  //! [targets]
  CHECK((energy.value() == 25 && charges[3] == 5 && forces[9][2] == 30));
  const std::size_t pairs = 50;
  //! [scatter]
  auto acc = accrue::scatter(space, forces, accrue::strategy::replicated);
#pragma omp parallel
  {
    auto& mine = acc.local();
#pragma omp for
    for (std::size_t k = 0; k < pairs; ++k) mine.add(k % 10, fx, fy, fz);
  }
  acc.finish();
  //! [scatter]
  CHECK(forces[0][0] == 15);
}

TEST_CASE("partial results", "[docs]") {
  const accrue::default_space space;
  const accrue::serial other;
  const auto f = [](double v) { return v > 0; };
  const std::size_t first = 100;
  {
    //! [partials]
    auto p = accrue::partial(space, x, accrue::sum_of<double>{});            // as fast as accrue::sum(space, x)
    auto q = accrue::partial(other, y, accrue::sum_of<double>{});            // another backend, another machine
    p += q;                                                                  // in any order
    double total = p.finish();                                               // the bits of one call on all elements

    auto e = accrue::partial(space, x, y, accrue::dot_of<double>{});         // two inputs
    auto c = accrue::transform_partial(space, x, accrue::count_true{}, f);   // of f(x_i): here, what count_if counts
    auto a = accrue::partial(space, x, accrue::argmin_of<double>{});
    a.move_positions(first);                                                 // x stands behind `first` other elements

    accrue::exact_total energy;                                              // what accumulate adds exactly
    energy.merge(q);
    p += energy.partial();
    //! [partials]
    CHECK((total == 26.5 && e.finish() == 10 && c.finish() == 4 && a.finish().index == 104 && p.finish() == 47.5));
  }
  {
    //! [mpi]
    auto p = accrue::partial(space, x, accrue::sum_of<double>{});    // of this rank's elements, on its device or its threads
    MPI_Allreduce(MPI_IN_PLACE, p.words().data(), static_cast<int>(p.words().size()), MPI_INT64_T, MPI_SUM, comm);
    double total = p.finish();                                       // the bits of one process on all elements
    //! [mpi]
    CHECK(total == 5.5);
  }
  {
    const std::size_t levels = 2;
    const std::vector<std::vector<double>> parts{{1, 2, 3, 4}, {0.5, 0.5}};  // of a matrix with a row a level, some columns each
    std::vector<double> totals(levels);
    //! [partials_of_groups]
    using reducer = accrue::sum_of<double>;
    accrue::partial_results<reducer> sums(levels);                             // one for each group, of no elements yet
    for (const auto& part : parts) {                                           // read from files, come from other ranks ...
      const std::size_t columns = part.size() / levels;
      const auto matrix = accrue::view(part.data(), levels, columns, columns);
      sums += accrue::partial(space, accrue::rows(matrix), reducer{});         // group k with group k
    }
    const std::vector<std::byte> bytes = sums.to_bytes();                      // some 40 bytes a sum
    sums = accrue::partial_results<reducer>::from_bytes(bytes);
    sums.finish(totals);                                                       // the bits of one call on all elements of each group
    accrue::partial_result<reducer> first_level = sums[0];
    //! [partials_of_groups]
    CHECK((totals == std::vector<double>{3.5, 7.5} && first_level.finish() == 3.5));
  }
  double value = 0;
  double* const result = &value;
  //! [into]
  using reducer = accrue::sum_of<double>;
  auto* state = static_cast<reducer::state*>(space.allocate(sizeof(reducer::state)));
  accrue::partial_into(space, x, reducer{}, state);                        // or (space, x, y, ...); asynchronous; graphs may have it
  accrue::finish_into(space, reducer{}, state, result);                    // ends it there, likewise
  //! [into]
  space.deallocate(state);
  CHECK(value == 5.5);
}
