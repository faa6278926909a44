// SPDX-License-Identifier: BSD-3-Clause
// An implicit step of the heat equation on a square, by conjugate gradients over the rows of all ranks. The residuals have the same bits on
// any number of ranks; those of plain sums, MPI_Allreduce of each rank's, do not. Writes a line for each step: both residuals, in
// hexadecimal. Usage: ranks [FILE]    to FILE in place of the standard output
#include <accrue/mpi.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t width = 300;  // points of a row, and rows
constexpr int steps = 40;

/// Some rows of the square, with a row of the neighbours' on each side.
class rows_of_rank {
 public:
  explicit rows_of_rank(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    const auto cut = [&](int r) { return width * static_cast<std::size_t>(r) / static_cast<std::size_t>(size_); };
    first_ = cut(rank_);
    count_ = cut(rank_ + 1) - first_;
  }
  [[nodiscard]] std::size_t first() const { return first_ * width; }
  [[nodiscard]] std::size_t points() const { return count_ * width; }

  /// y = (1 + 4 k) x - k (x of the four neighbours)
  void multiply(const std::vector<double>& x, std::vector<double>& y) {
    above_.assign(width, 0);
    below_.assign(width, 0);
    const int up = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL;
    const int down = rank_ + 1 < size_ ? rank_ + 1 : MPI_PROC_NULL;
    const auto n = static_cast<int>(width);
    MPI_Sendrecv(x.data(), n, MPI_DOUBLE, up, 0, below_.data(), n, MPI_DOUBLE, down, 0, comm_, MPI_STATUS_IGNORE);
    MPI_Sendrecv(x.data() + points() - width, n, MPI_DOUBLE, down, 1, above_.data(), n, MPI_DOUBLE, up, 1, comm_, MPI_STATUS_IGNORE);
    constexpr double k = 25;
    for (std::size_t i = 0; i < count_; ++i) {
      const double* const row = x.data() + i * width;
      const double* const before = i > 0 ? row - width : above_.data();
      const double* const behind = i + 1 < count_ ? row + width : below_.data();
      for (std::size_t j = 0; j < width; ++j) {
        const double around = before[j] + behind[j] + (j > 0 ? row[j - 1] : 0) + (j + 1 < width ? row[j + 1] : 0);
        y[i * width + j] = (1 + 4 * k) * row[j] - k * around;
      }
    }
  }

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::vector<double> above_, below_;
};

/// The residuals' squares, step by step. `dot(a, b)` is over all ranks.
template <class Dot>
std::vector<double> residuals(const Dot& dot) {
  rows_of_rank rows(MPI_COMM_WORLD);
  const std::size_t n = rows.points();
  std::vector<double> x(n), r(n), q(n), history;
  for (std::size_t i = 0; i < n; ++i) r[i] = std::sin(0.37 * static_cast<double>((rows.first() + i) % 5003));
  std::vector<double> p = r;
  double rr = dot(r, r);
  for (int k = 0; k < steps; ++k) {
    rows.multiply(p, q);
    const double alpha = rr / dot(p, q);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = dot(r, r);
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + next / rr * p[i];
    rr = next;
    history.push_back(rr);
  }
  return history;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const accrue::mpi ranks;  // MPI_COMM_WORLD, on each rank the threads of OpenMP
  const auto exact = residuals([&](const auto& a, const auto& b) { return accrue::dot(ranks, a, b); });
  const auto plain = residuals([](const auto& a, const auto& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
  });
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::FILE* const out = argc > 1 ? std::fopen(argv[1], "w") : stdout;
    for (std::size_t k = 0; out != nullptr && k < exact.size(); ++k) std::fprintf(out, "%a %a\n", exact[k], plain[k]);
    if (out != nullptr && out != stdout) std::fclose(out);
  }
  MPI_Finalize();
}
