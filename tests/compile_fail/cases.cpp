// SPDX-License-Identifier: BSD-3-Clause
// Code that must not compile, one case for each CASE; run.cmake checks that the error says why.
#include <accrue/accrue.hpp>
#include <list>
#include <string>
#include <vector>

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
#endif
}
