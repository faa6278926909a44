// SPDX-License-Identifier: BSD-3-Clause
// Slices of one array, each reduced by a team of blocks of its own, in one launch.
#include "conformance/suite.hpp"

#include <algorithm>
#include <cstring>

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
    const std::size_t chunks = accrue::ordered_tree::chunks(ends[t] - first);
    const simt::ordered_cut c{ends[t] - first, accrue::ordered_tree::chunk, chunks, 4, simt::elements_to_boundary(part) == 0,
                              simt::is_contiguous(part)};
    simt::reduce_tree_by_team(op, part, c, team, ticket, end);
  } else {
    const std::size_t tile = std::size_t{simt::threads()} * simt::loads_in_flight<Op, Source> * simt::reader<Source>::width;
    const simt::cut c = simt::cut_for(part, tile, stages, false);
    simt::reduce_by_team(op, part, c, team, ticket, end);
  }
}

/// Cuts x at random places and compares each team's result with the reduction of its elements alone.
template <class R, class T>
void check_teams(const R& reducer, const std::vector<T>& x) {
  using view = accrue::detail::contiguous_view<T>;
  using result = accrue::detail::result_of<R>;
  const hook::space space;
  const simt::device_facts device = facts<hook::space>();
  for (const unsigned blocks_of_team : {1u, 3u}) {
    for (const unsigned warps : {1u, 4u}) {
      const unsigned teams = 9;
      std::vector<std::size_t> ends{x.size()};
      for (unsigned t = 1; t < teams; ++t) ends.push_back(next_seed() % (x.size() + 1));
      std::sort(ends.begin(), ends.end());
      for (unsigned t = 1; t < 3; ++t) ends[t] = ends[0];  // teams without elements
      const hook::array<T> there(space, x);
      const hook::array<std::size_t> ends_there(space, ends);
      auto* memory = static_cast<unsigned char*>(space.allocate(teams * team_bytes));
      auto* results = static_cast<result*>(space.allocate(teams * sizeof(result) + sizeof(int)));
      space.fill(memory, 0, teams * team_bytes);
      const unsigned threads = warps * device.warp_width;
      simt::with_operation(reducer, view{there.get().data(), x.size()}, [&](const auto& op, const auto& source) {
        using op_type = std::remove_cvref_t<decltype(op)>;
        using source_type = std::remove_cvref_t<decltype(source)>;
        constexpr auto kernel = teams_kernel<op_type, source_type, result>;
        std::size_t shared_bytes = 0;
        unsigned stages = 0;
        if constexpr (op_type::traits::ordered) {
          shared_bytes = simt::longest_run * sizeof(typename simt::kernel_program<op_type>::state);
        } else {
          const simt::shared_plan<op_type, source_type> plan(device, simt::shape_for(device.architecture, sizeof(T)), threads);
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
        const std::vector<T> part(x.begin() + static_cast<std::ptrdiff_t>(first), x.begin() + static_cast<std::ptrdiff_t>(ends[t]));
        if (part.empty() && code_of([&] { accrue::reduce(accrue::serial{}, part, reducer); }) != accrue::errc::success) continue;
        const auto expected = accrue::reduce(accrue::serial{}, part, reducer);
        CAPTURE(blocks_of_team, warps, t, first, ends[t]);
        CHECK(std::memcmp(&got[t], &expected, sizeof(result)) == 0);
      }
      space.deallocate(memory);
      space.deallocate(results);
    }
  }
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
}
