// SPDX-License-Identifier: BSD-3-Clause
// accrue's reductions of every type, against the host's.
#include "suites.hpp"

namespace perf {

void types_suite(runner& r, const stage& on, const stage& host, const extent& e) {
  const auto& cases = on.typed_cases();
  const auto& on_host = host.typed_cases();
  for (std::size_t begin = 0, end = 0; begin < cases.size(); begin = end) {
    // Those of one input.
    while (end < cases.size() && cases[end].type == cases[begin].type && cases[end].kind == cases[begin].kind) ++end;
    const std::size_t n = e.bytes / cases[begin].element_bytes;
    std::shared_ptr<void> values;
    std::shared_ptr<void> x;
    std::shared_ptr<void> result;
    std::vector<row> rows;
    const auto add = [&](const std::string& what, const std::string& by, const auto& run, const std::function<json()>& check) {
      json labels{{"suite", "types"},
                  {"where", on.name()},
                  {"what", what},
                  {"by", by},
                  {"type", cases[begin].type},
                  {"input", name_of(cases[begin].kind)},
                  {"n", n}};
      if (on.threads() > 0) labels["threads"] = on.threads();
      rows.push_back(
          {.labels = labels, .bytes = e.bytes, .time = on.sampled(run, false), .check = check, .is_limit = what == "read"});
    };
    for (const auto& limit : on.contenders<double>()) {
      if (limit.what != operation::read) continue;
      const auto run = [&](std::size_t) {
        limit.run(on.place(on.threads()), static_cast<const double*>(x.get()), nullptr, e.bytes / 8,
                  static_cast<double*>(result.get()));
      };
      add("read", limit.name, run, {});
    }
    for (std::size_t k = begin; k < end; ++k) {
      const typed_case& c = cases[k];
      const auto run = [&](std::size_t) { c.run(on.place(on.threads()), x.get(), n, result.get()); };
      add(c.what, "accrue", run, [&, k, expected = std::vector<unsigned char>()]() mutable {
        if (expected.empty()) {  // the same call on the host: on one thread where this is the host
          expected.resize(c.result_bytes);
          on_host[k].run(host.place(on.threads() > 0 ? 1 : host.threads()), values.get(), n, expected.data());
        }
        std::vector<unsigned char> got(c.result_bytes);
        const std::vector<unsigned char> nothing(c.result_bytes, 0xa5);
        on.copy(got.data(), result.get(), c.result_bytes);
        on.copy(result.get(), nothing.data(), c.result_bytes);
        return json{{"verified", c.agree(got.data(), expected.data(), n)}};
      });
    }
    r.measure(std::move(rows), [&] {
      values = host.allocate(e.bytes);
      x = on.allocate(e.bytes);
      result = on.allocate(4096);
      cases[begin].fill(values.get(), n);
      on.copy(x.get(), values.get(), e.bytes);
    });
  }
}

}  // namespace perf
