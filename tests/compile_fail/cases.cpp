// SPDX-License-Identifier: BSD-3-Clause
// Code that must not compile, one case for each CASE; run.cmake checks that the error says why.
#include <accrue/accrue.hpp>
#include <accrue/accumulate.hpp>
#include <functional>
#include <list>
#include <string>
#include <vector>

#if CASE == 10
#include "hooks/simt.hpp"
#endif

struct no_reductions : accrue::serial {};
template <class R, class View>
typename R::state reduce_state(const no_reductions&, const R&, const View&) = delete;
struct no_team : accrue::detail::host_memory {
  static constexpr const char* name = "no_team";
};
template <class R, class View>
typename R::state reduce_state(const no_team&, const R& reducer, const View&) {
  return reducer.empty();
}
struct negated_sum : accrue::sum_of<double> {
  double finish(const state& s) const { return -s.round<double>(); }
};

int main() {
  const accrue::serial space;
  const std::vector<double> x{1, 2, 3};
  const std::vector<float> y{1, 2, 3};
  (void)space;
#if CASE == 0
  (void)accrue::sum(space, x);  // the control: compiles
#elif CASE == 1
  (void)accrue::sum(accrue::cuda(0), x);
#elif CASE == 2
  (void)accrue::dot(space, x, y);
#elif CASE == 3
  (void)accrue::sum(space, std::list<double>{1, 2});
#elif CASE == 4
  (void)accrue::product(space, x, accrue::exact);
#elif CASE == 5
  struct not_a_reducer {};
  (void)accrue::reduce(space, x, not_a_reducer{});
#elif CASE == 6
  (void)accrue::sum(space, std::vector<std::string>{"a"});
#elif CASE == 7
  (void)accrue::partial(space, x, accrue::product_of<double>{});
#elif CASE == 8
  (void)accrue::sum(no_reductions{}, x);
#elif CASE == 9
  (void)accrue::sum(no_team{}, x);
#elif CASE == 10
  (void)accrue::reduce(hook::space{}, x, negated_sum{});
#elif CASE == 11
  std::vector<double> f(3);
  accrue::accumulate(no_team{}, f, 3, [](std::size_t i, auto& out) { out.add(i, 1.0); });
#elif CASE == 12
  (void)accrue::sum(space, std::vector<long double>{1});
#elif CASE == 13
  (void)accrue::transform_reduce(space, x, std::plus<>{}, [](double v) { return v * v; });
#elif CASE == 14
  (void)accrue::reduce(space, x, accrue::sum_of<int>{});
#elif CASE == 15
  (void)accrue::reduce(space, x, [](double a, double b) { return a + b; });
#elif CASE == 16
  (void)accrue::sum(space, x, 3);
#elif CASE == 17
  (void)accrue::dot(space, x);
#elif CASE == 18
  (void)accrue::sum(x);
#elif CASE == 19
  (void)accrue::partial(space, x, [](double a, double b) { return a + b; });
#elif CASE == 20
  (void)accrue::sum(space, accrue::where(x, std::vector<char>{1, 0, 1}), accrue::ordered);
#elif CASE == 21
  std::vector<double> sums(3);
  accrue::sum(space, accrue::rows(accrue::view(x.data(), 3, 1)), sums);
#elif CASE == 22
  std::vector<double> f(3);
  accrue::accumulate(space, f, 3, [](std::size_t i, auto out) { out.add(i, 1.0); });
#endif
}
