// SPDX-License-Identifier: BSD-3-Clause
// Slices of one array, each reduced by a team of blocks of its own, in one launch.
#include "conformance/suite.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <typeinfo>

#include "accrue/backends/simt/runtime/launch.cuh"

using namespace test;

namespace {

namespace simt = accrue::simt;

/// The facts that launches need, of the device or of the host that stands in for one.
template <class Space>
simt::device_facts facts() {
  if constexpr (accrue::asynchronous_space<Space>) {
    std::string why;
    return simt::devices<Space>(why).at(0).facts;
  } else {
    return {0, 0, simt::warp_width, 3, 49152};
  }
}

/// Where a team's memory lies behind the first team's.
inline constexpr std::size_t partials_bytes = 65536;
inline constexpr std::size_t team_bytes = simt::ticket_bytes + simt::zero_words_bytes + partials_bytes;

/// Team t reduces elements [ends[t - 1], ends[t]); its blocks are neighbours.
template <class Op, class Source, class Result>
ACCRUE_KERNEL(simt::threads_at_most<Op>, 1)
teams_kernel(Op op, Source source, const std::size_t* ends, unsigned blocks_of_team, unsigned stages, unsigned char* memory,
             Result* results, int* status) {
  const unsigned t = simt::block() / blocks_of_team;
  const std::size_t first = t != 0 ? ends[t - 1] : 0;
  const Source part = simt::slice_of(source, first, ends[t] - first);
  unsigned char* const own = memory + t * team_bytes;
  const simt::block_team team{simt::block() % blocks_of_team, blocks_of_team, own + simt::ticket_bytes,
                              own + simt::ticket_bytes + simt::zero_words_bytes};
  auto* ticket = reinterpret_cast<unsigned*>(own);
  const simt::ending end{results + t, status, nullptr, false, false};
  if constexpr (Op::traits::ordered) {
    const std::size_t chunks = accrue::ordered_tree::chunks(simt::size_of(part));
    const simt::ordered_cut c{simt::size_of(part), accrue::ordered_tree::chunk, chunks, 4, simt::elements_to_boundary(part) == 0,
                              simt::is_contiguous(part)};
    simt::reduce_tree_by_team(op, part, c, team, ticket, end);
  } else {
    const std::size_t tile = std::size_t{simt::threads()} * simt::loads_in_flight<Op, Source> * simt::reader<Source>::width;
    const simt::cut c = simt::cut_for(part, tile, stages, false);
    simt::reduce_by_team(op, part, c, team, ticket, end);
  }
}

/// Bit by bit, but for what lies between the numbers of a position.
template <class Result>
bool same(const Result& a, const Result& b) {
  if constexpr (requires { a.index; }) {
    return bits(a.value) == bits(b.value) && a.index == b.index;
  } else {
    return std::memcmp(&a, &b, sizeof(Result)) == 0;
  }
}

/// Cuts the view that `make` makes of x at random places and compares each team's result with the reduction of its elements alone.
template <class R, class T, class Make>
void check_teams(const R& reducer, const std::vector<T>& x, const Make& make) {
  using result = accrue::detail::result_of<R>;
  const auto on_host = make(x.data(), x.size());
  const std::size_t n = on_host.size();
  const hook::space space;
  const simt::device_facts device = facts<hook::space>();
  for (const unsigned blocks_of_team : {1u, 3u}) {
    for (const unsigned warps : {1u, 4u}) {
      const unsigned teams = 9;
      std::vector<std::size_t> ends{n};
      for (unsigned t = 1; t < teams; ++t) ends.push_back(random_bits(next_seed(), 0) % (n + 1));
      std::sort(ends.begin(), ends.end());
      for (unsigned t = 1; t < 3; ++t) ends[t] = ends[0];  // teams without elements
      const hook::array<T> there(space, x);
      const hook::array<std::size_t> ends_there(space, ends);
      auto* memory = static_cast<unsigned char*>(space.allocate(teams * team_bytes));
      auto* results = static_cast<result*>(space.allocate(teams * sizeof(result) + sizeof(int)));
      space.fill(memory, 0, teams * team_bytes);
      space.fill(results, 0, teams * sizeof(result) + sizeof(int));
      simt::with_operation(reducer, make(there.get().data(), x.size()), [&](const auto& op, const auto& source) {
        using op_type = std::remove_cvref_t<decltype(op)>;
        using source_type = std::remove_cvref_t<decltype(source)>;
        constexpr auto kernel = teams_kernel<op_type, source_type, result>;
        const unsigned threads = warps * device.warp_width;
        std::size_t shared_bytes = 0;
        unsigned stages = 0;
        if constexpr (op_type::traits::ordered) {
          shared_bytes = simt::longest_run * sizeof(typename simt::kernel_program<op_type>::state);
        } else {
          const simt::shared_plan<op_type, source_type> plan(device, simt::shape_for(device.architecture, sizeof(T)), threads,
                                                             [] { return simt::kernel_api<hook::space>::shared_bytes(kernel); });
          shared_bytes = plan.bytes;
          stages = plan.stages;
        }
        (void)simt::kernel_api<hook::space>::occupancy(kernel, device, threads, shared_bytes);  // allows it the shared memory
        simt::launch_kernel<hook::space>(kernel, teams * blocks_of_team, threads, shared_bytes, nullptr, op, source,
                                         ends_there.get().data(), blocks_of_team, stages, memory, results,
                                         reinterpret_cast<int*>(results + teams));
      });
      std::vector<result> got(teams);
      space.synchronize();
      space.copy(got.data(), results, teams * sizeof(result));
      space.synchronize();
      for (unsigned t = 0; t < teams; ++t) {
        const std::size_t first = t != 0 ? ends[t - 1] : 0;
        const auto part = accrue::detail::slice(on_host, first, ends[t] - first);
        if (part.size() == 0 && code_of([&] { accrue::reduce(accrue::serial{}, part, reducer); }) != accrue::errc::success) continue;
        const auto expected = accrue::reduce(accrue::serial{}, part, reducer);
        CAPTURE(typeid(R).name(), blocks_of_team, warps, t, first, ends[t]);
        CHECK(same(got[t], expected));
      }
      space.deallocate(memory);
      space.deallocate(results);
    }
  }
}

template <class R, class T>
void check_teams(const R& reducer, const std::vector<T>& x) {
  check_teams(reducer, x, [](const T* data, std::size_t size) { return accrue::view(data, size); });
}

/// Two of every three elements, and all of them in pairs with those half as far away from the end.
template <class T>
auto two_of_three(const T* data, std::size_t size) {
  return accrue::detail::strided_view<T>{data, size / 3, 2, 3, 1};
}
template <class T>
auto halves_in_pairs(const T* data, std::size_t size) {
  return accrue::detail::zip(accrue::view(data, size / 2), accrue::view(data + size / 2, size / 2), "test");
}

}  // namespace

TEST_CASE("teams of blocks reduce slices of their own", "[teams]") {
  const auto x = sequence<double>(distribution::log_uniform, next_seed(), 50001);
  const auto y = sequence<float>(distribution::normal, next_seed(), 30001);
  check_teams(accrue::sum_of<double>{}, x);
  check_teams(accrue::sum_of<float, double>{}, y);
  check_teams(accrue::sum_squares_of<double>{}, x);
  check_teams(accrue::sum_of<double, double, accrue::ordered_t>{}, x);
  check_teams(accrue::sum_of<float, float, accrue::ordered_t>{}, y);
  check_teams(accrue::max_of<float>{}, y);
  check_teams(accrue::argmin_of<double>{}, x);
  check_teams(accrue::moments_of<double>{}, x);
  check_teams(accrue::sum_of<double>{}, x, two_of_three<double>);
  check_teams(accrue::argmax_of<float>{}, y, two_of_three<float>);
  check_teams(accrue::dot_of<float>{}, y, halves_in_pairs<float>);
  check_teams(accrue::weighted_mean_of<double>{}, x, halves_in_pairs<double>);
  std::vector<std::int32_t> k(20000);
  for (std::size_t i = 0; i < k.size(); ++i) k[i] = static_cast<std::int32_t>(random_bits(7, i));
  check_teams(accrue::sum_of<std::int32_t>{}, k);
  std::vector<std::complex<float>> z(9000);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = {y[2 * i], y[2 * i + 1]};
  check_teams(accrue::norm2_of<std::complex<float>>{}, z);
  check_teams(accrue::norm2_of<std::complex<float>>{}, z, two_of_three<std::complex<float>>);
}
