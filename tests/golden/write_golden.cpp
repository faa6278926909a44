// SPDX-License-Identifier: BSD-3-Clause
// Prints golden/bits.txt: exact results from the oracle alone, ordered sums and products from plain loops over the documented tree.
// With the argument "groups" it prints golden/groups.txt, with "forces" golden/forces.txt.
#include <cmath>
#include <cstdio>

#include "golden/bits.hpp"
#include "golden/cases.hpp"
#include "golden/forces.hpp"
#include "golden/groups.hpp"
#include "support/oracle.hpp"

using namespace test;

namespace {

/// The tree of ordered_tree.hpp for + and *.
template <class T, class Join>
T tree(const std::vector<T>& x, T start, Join join) {
  std::vector<T> nodes;
  for (std::size_t first = 0; first < x.size(); first += 4096) {
    const std::size_t size = std::min<std::size_t>(4096, x.size() - first);
    std::vector<T> lane(std::min<std::size_t>(256, size), start);
    for (std::size_t i = 0; i < size; ++i) lane[i % 256] = join(lane[i % 256], x[first + i]);
    for (std::size_t half = 128; half != 0; half /= 2) {
      while (lane.size() > half) {  // the last lane joins the one `half` before it, if that is how far it stands
        const std::size_t last = lane.size() - 1;
        lane[last - half] = join(lane[last - half], lane[last]);
        lane.pop_back();
      }
    }
    nodes.push_back(lane[0]);
  }
  const auto node = [&](auto&& self, std::size_t begin, std::size_t end) -> T {
    if (end - begin == 1) return nodes[begin];
    std::size_t half = 1;
    while (2 * half < end - begin) half *= 2;
    return join(self(self, begin, begin + half), self(self, begin + half, end));
  };
  return nodes.empty() ? start : node(node, 0, nodes.size());
}

template <class T>
void write(const char* type) {
  using R = accrue::total_t<T>;
  for (const golden_case& c : golden_cases()) {
    const auto x = sequence<T>(c.kind, c.seed, c.n);
    oracle sum, squares;
    std::vector<R> wide;
    for (const T v : x) {
      sum.add(as_double(v));
      squares.add_product(as_double(v), as_double(v));
      wide.push_back(static_cast<R>(as_double(v)));
    }
    const auto canonical = [](R v) { return std::isnan(v) ? std::string("nan") : bits(v); };
    const auto plus = tree<R>(wide, R(0), [](R a, R b) { return a + b; });
    const auto times = tree<R>(wide, R(1), [](R a, R b) { return a * b; });
    std::printf("%s : sum %s squares %s norm2 %s mean %s variance %s ordered %s product %s\n", name_of(c, type).c_str(),
                bits(sum.round<R>()).c_str(), bits(squares.round<R>()).c_str(), bits(squares.root<R>()).c_str(),
                bits(sum.quotient<R>(c.n)).c_str(), bits(squares.variance<R>(sum, c.n, c.n - 1, false)).c_str(),
                canonical(plus).c_str(), canonical(times).c_str());
  }
}

/// NaNs as one.
std::string canonical(double v) { return std::isnan(v) ? "nan" : bits(v); }

void write_groups() {
  for (const distribution kind : golden_kinds) {
    const auto x = golden_elements_of(kind);
    for (const golden_grouping& g : golden_groupings()) {
      std::vector<std::vector<double>> members(g.groups);
      std::vector<std::size_t> largest(g.groups, x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t k = g.group_of(i);
        members[k].push_back(x[i]);
        std::size_t& best = largest[k];  // the first NaN, or the first of the largest
        if (best == x.size() || (!std::isnan(x[best]) && (std::isnan(x[i]) || x[i] > x[best]))) best = i;
      }
      golden_hash sums, norms, ordered, places;
      bool some_are_empty = false;
      for (std::size_t k = 0; k < g.groups; ++k) {
        oracle sum, squares;
        for (const double v : members[k]) {
          sum.add(v);
          squares.add_product(v, v);
        }
        sums.add(canonical(sum.round<double>()));
        norms.add(canonical(squares.root<double>()));
        ordered.add(canonical(tree<double>(members[k], 0.0, [](double a, double b) { return a + b; })));
        places.add(std::to_string(largest[k]));
        some_are_empty = some_are_empty || members[k].empty();
      }
      std::printf("%s %s : sum %s norm2 %s ordered %s argmax %s\n", to_string(kind), g.name.c_str(), sums.text().c_str(),
                  norms.text().c_str(), ordered.text().c_str(), some_are_empty ? "-" : places.text().c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "forces") {
    for (const golden_forces& g : compute_golden_forces()) std::printf("%s : %s\n", g.name.c_str(), g.bits.c_str());
    return 0;
  }
  if (argc == 2 && std::string(argv[1]) == "groups") {
    write_groups();
    return 0;
  }
  write<double>("f64");
  write<float>("f32");
  write<accrue::half>("f16");
  write<accrue::bfloat16>("bf16");
}
