// SPDX-License-Identifier: BSD-3-Clause
// Kokkos is its owner's to start and to stop: calls outside that time say so, and start nothing.
#include <accrue/kokkos.hpp>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  std::exit(1);
}
template <class Call>
bool refused(Call call) {
  try {
    call();
  } catch (const accrue::error& e) {
    return e.code() == accrue::errc::not_initialized;
  }
  return false;
}

}  // namespace

int main() {
  using space_type = accrue::kokkos<Kokkos::DefaultHostExecutionSpace>;
  const std::vector<double> x{1, 2, 3};
  require(refused([&] { (void)accrue::sum(space_type{}, x); }), "a space before Kokkos runs is refused");
  require(!Kokkos::is_initialized(), "nothing was started");
  Kokkos::initialize();
  auto* const space = new space_type;  // outlives Kokkos
  require(accrue::sum(*space, x) == 6, "a sum while Kokkos runs");
  Kokkos::finalize();
  require(refused([&] { (void)accrue::sum(*space, x); }), "a sum after Kokkos was stopped is refused");
  require(refused([&] { accrue::accumulate(*space, accrue::targets(*new std::vector<double>(3)), 0, [](std::size_t, auto&) {}); }),
          "an accumulation after Kokkos was stopped is refused");
  std::puts("ok");
}
