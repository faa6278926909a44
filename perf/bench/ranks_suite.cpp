// SPDX-License-Identifier: BSD-3-Clause
// Sums of fields over MPI ranks: accrue's exact ones beside plain ones and the reproducible sums of climate models. The program runs on
// every rank, `mpiexec -n 8 accrue_bench --suite ranks`: the first measures, and the others do what it asks them to.
#include <accrue/mpi.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "ranks_contender.hpp"
#include "suites.hpp"

namespace perf::over_ranks {

namespace {

void require(int code) {
  if (code != MPI_SUCCESS) throw std::runtime_error("MPI failed: " + std::to_string(code));
}

/// Exact sums of all ranks' elements.
void sum_exactly(MPI_Comm comm, const double* x, std::size_t count, std::size_t fields, double* sums) {
  const accrue::mpi ranks(comm, accrue::serial{});
  if (fields == 1) {
    *sums = accrue::sum(ranks, accrue::view(x, count));
  } else {
    accrue::sum(ranks, accrue::rows(accrue::view(x, fields, count, count)), std::span(sums, fields));
  }
}
const bool added = (ranks_contenders().push_back({.name = "accrue", .run = sum_exactly, .is_exact = true}), true);

/// What a rank has of a case's fields: normal numbers.
std::vector<double> elements_of(int rank, std::size_t count, std::size_t fields) {
  std::mt19937_64 bits(static_cast<std::uint64_t>(rank) + 42);
  std::normal_distribution<double> normal;
  std::vector<double> x(count * fields);
  for (double& v : x) v = normal(bits);
  return x;
}

/// The ranks of the program. What they are asked to do is told to all of them.
class ranks {
 public:
  /// The ranks of this program, MPI begun.
  static ranks& all() {
    static ranks made;
    return made;
  }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  /// For the first: has all make their part of a case, or so many calls of a contender, or end.
  void hold(std::size_t count, std::size_t fields) { tell({to_hold, count, fields}); }
  double call(std::size_t contender, std::size_t calls) { return tell({to_call, contender, calls}); }
  void end() { tell({to_end, 0, 0}); }
  /// For the others: does what it is told, until the end.
  void follow() {
    while (rank_ != 0 && !ended_) (void)tell({});
  }
  [[nodiscard]] const std::vector<double>& sums() const { return sums_; }

 private:
  enum what : std::uint64_t { to_hold, to_call, to_end };
  using order = std::array<std::uint64_t, 3>;

  ranks() {
    int begun = 0;
    require(MPI_Initialized(&begun));
    if (begun == 0) require(MPI_Init(nullptr, nullptr));
    require(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
    require(MPI_Comm_size(MPI_COMM_WORLD, &size_));
    at_the_end().push_back([] { all().end(); });
  }
  /// Seconds a call, where calls were asked for.
  double tell(order o) {
    require(MPI_Bcast(o.data(), static_cast<int>(o.size()), MPI_UINT64_T, 0, MPI_COMM_WORLD));
    if (o[0] == to_hold) {
      count_ = o[1];
      x_ = elements_of(rank_, o[1], o[2]);
      sums_.assign(o[2], 0);
    } else if (o[0] == to_call) {
      const auto call = [&] { ranks_contenders()[o[1]].run(MPI_COMM_WORLD, x_.data(), count_, sums_.size(), sums_.data()); };
      call();  // so that a contender finds in its cache what its own calls leave there, not the one before it
      require(MPI_Barrier(MPI_COMM_WORLD));
      const auto began = std::chrono::steady_clock::now();
      for (std::uint64_t k = 0; k < o[2]; ++k) call();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / static_cast<double>(o[2]);
    } else {
      ended_ = true;
      require(MPI_Finalize());
    }
    return 0;
  }

  int rank_ = 0;
  int size_ = 1;
  bool ended_ = false;
  std::size_t count_ = 0;
  std::vector<double> x_;
  std::vector<double> sums_;
};

/// The largest error of the sums, in units in the last place of the exact ones; and whether all are right, of contenders that must be.
json checked(const std::vector<double>& sums, const std::vector<double>& exact, bool is_exact) {
  double worst = 0;
  for (std::size_t f = 0; f < exact.size(); ++f) {
    const double ulp = std::nextafter(std::fabs(exact[f]), std::numeric_limits<double>::infinity()) - std::fabs(exact[f]);
    worst = std::fmax(worst, std::fabs(sums[f] - exact[f]) / ulp);
  }
  json found{{"error_ulp", worst}};
  if (is_exact) found["verified"] = worst == 0;
  return found;
}

void run(runner& rows_of, const stage& on, const extent& e, json&) {
  ranks& all = ranks::all();
  struct fields_case {
    std::size_t count;  ///< of a field's elements on each rank
    std::size_t fields;
  };
  const fields_case cases[] = {{1, 1}, {65536, 1}, {64, 10}, {64, 100}, {64, 1000}, {1024, 10}, {1024, 100}, {1024, 1000}};
  for (const auto [count, fields] : cases) {
    if (e.most_log2 != 0 && count * fields > std::size_t{1} << e.most_log2) continue;
    const auto exact = std::make_shared<std::vector<double>>();
    std::vector<row> rows;
    for (std::size_t k = 0; k < ranks_contenders().size(); ++k) {
      const ranks_contender& c = ranks_contenders()[k];
      rows.push_back({.labels = {{"suite", "ranks"}, {"where", on.name()}, {"what", "sum"}, {"by", c.name}, {"n", count},
                                 {"fields", fields}, {"ranks", all.size()}},
                      .bytes = count * fields * sizeof(double),
                      .time = [&all, k](std::size_t calls) { return all.call(k, calls); },
                      .check = [&all, exact, is_exact = c.is_exact] { return checked(all.sums(), *exact, is_exact); },
                      .is_reference = c.is_reference});
    }
    rows_of.measure(std::move(rows), [&, count = count, fields = fields] {
      all.hold(count, fields);
      std::vector<std::vector<double>> parts;
      for (int r = 0; r < all.size(); ++r) parts.push_back(elements_of(r, count, fields));
      exact->clear();
      for (std::size_t f = 0; f < fields; ++f) {
        std::vector<double> field;
        for (const auto& x : parts) field.insert(field.end(), &x[f * count], &x[f * count] + count);
        exact->push_back(accrue::sum(accrue::serial{}, field));
      }
    });
  }
}

const bool added_suite = [] {
  optional_suites().push_back({"ranks", run});
  follow_first_rank() = [] {
    ranks::all().follow();
    return ranks::all().rank() != 0;
  };
  return true;
}();

}  // namespace

}  // namespace perf::over_ranks
