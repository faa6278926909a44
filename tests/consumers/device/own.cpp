// SPDX-License-Identifier: BSD-3-Clause
// For a device compiler: a reducer and a lambda of its own, and what hosts alone have.
#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <cstdio>
#include <vector>

struct longest_run {  // of ones: not commutative, so it runs over the ordered tree
  struct state {
    long long length = 0, head = 0, tail = 0, best = 0;
  };
  constexpr state start() const { return {}; }
  constexpr void fold(state& s, int x) const { merge(s, x == 1 ? state{1, 1, 1, 1} : state{1, 0, 0, 0}); }
  constexpr void merge(state& a, const state& b) const {
    const long long across = a.tail + b.head;
    const long long best = a.best > b.best ? a.best : b.best;
    a = {a.length + b.length, a.head == a.length ? a.length + b.head : a.head, b.tail == b.length ? b.length + a.tail : b.tail,
         best > across ? best : across};
  }
  constexpr long long finish(const state& s) const { return s.best; }
};

int main() {
  std::vector<int> x(1000000, 1);
  for (std::size_t i = 0; i < x.size(); i += 7919) x[i] = 0;
  std::vector<double> halves(2);
  const auto add = [&](std::size_t i, auto& out) { out.add(static_cast<std::size_t>(x[i]), 0.5); };
  accrue::accumulate(accrue::serial{}, halves, x.size(), add, accrue::strategy::fixed_point);
  if (halves[0] != 63.5) return 1;
  try {
    const accrue::default_space space;
    auto* p = static_cast<int*>(space.allocate(x.size() * sizeof(int)));
    space.copy(p, x.data(), x.size() * sizeof(int));
    const auto input = accrue::view(p, x.size());
    const long long run = accrue::reduce(space, input, longest_run{});
    const auto zeros = accrue::transform_reduce(space, input, accrue::plus{}, [] __host__ __device__(int v) { return 1 - v; });
    space.deallocate(p);
    std::printf("longest run %lld, zeros %lld\n", run, static_cast<long long>(zeros));
    return run == 7918 && zeros == 127 ? 0 : 1;
  } catch (const accrue::error& e) {
    std::puts(e.what());
    return e.code() == accrue::errc::no_device ? 0 : 1;
  }
}
