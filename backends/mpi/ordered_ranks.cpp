// SPDX-License-Identifier: BSD-3-Clause
#include "accrue/backends/mpi/ordered_ranks.hpp"

#include <numeric>

namespace accrue::ranks {

std::vector<std::uint64_t> offsets_of_ranks(const communicator& c, std::uint64_t mine) {
  std::vector<std::uint64_t> offset(static_cast<std::size_t>(c.size) + 1);
  check(MPI_Allgather(&mine, 1, MPI_UINT64_T, offset.data() + 1, 1, MPI_UINT64_T, c.own), "MPI_Allgather");
  std::partial_sum(offset.begin(), offset.end(), offset.begin());
  return offset;
}

std::vector<std::byte> gathered(const communicator& c, std::span<const std::byte> mine) {
  const auto size = static_cast<int>(mine.size());
  std::vector<int> sizes(static_cast<std::size_t>(c.size));
  check(MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, c.own), "MPI_Allgather");
  std::vector<int> places(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
  std::vector<std::byte> all(static_cast<std::size_t>(places.back()) + static_cast<std::size_t>(sizes.back()));
  check(MPI_Allgatherv(mine.data(), size, MPI_BYTE, all.data(), sizes.data(), places.data(), MPI_BYTE, c.own), "MPI_Allgatherv");
  return all;
}

}  // namespace accrue::ranks
