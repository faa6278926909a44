// SPDX-License-Identifier: BSD-3-Clause
// Spaces over ranks: what calls need of the other ranks, whatever brings their messages.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "accrue/accrue.h"
#include "entries.hpp"

namespace accrue::c {

/// What one rank knows of the groups of a call.
struct rank_partials {
  std::uint64_t kind = 0;  ///< of the call: ranks that make others get an error
  std::vector<std::unique_ptr<any_partial>> of_groups;
  std::vector<std::uint64_t> elements;  ///< of each group
};

/// The ranks of a communicator.
class rank_group {
 public:
  virtual ~rank_group() = default;
  [[nodiscard]] virtual int size() const = 0;
  /// Runs `f` on each rank. What it throws on one, all throw.
  virtual void run(const std::function<void()>& f) const = 0;
  /// What all ranks know together, on each of them. What `local` throws on one, all throw.
  [[nodiscard]] virtual rank_partials join(const std::function<rank_partials()>& local) const = 0;
};

/// Of a communicator as Fortran numbers it. Throws where this library was built without the mpi backend.
std::shared_ptr<const rank_group> ranks_of_fortran(int comm);

/// A space with so many threads (0: as many as it would have), beside the ranks that `ranks()` gives.
accrue_status create_space(const char* name, int threads, accrue_space** space,
                           const std::function<std::shared_ptr<const rank_group>()>& ranks);

}  // namespace accrue::c
