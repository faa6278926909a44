// SPDX-License-Identifier: BSD-3-Clause
// The exceptions that accrue throws, and their codes.
#pragma once

#include <stdexcept>
#include <string>

namespace accrue {

/// What went wrong. The values never change.
enum class errc : int {
  success = 0,
  invalid_argument = 1,  ///< an argument outside its range
  null_data = 2,         ///< a null pointer with a length above zero
  size_mismatch = 3,     ///< two inputs whose lengths differ
  empty_range = 4,       ///< no elements where the operation has no identity (min, mean)
  size_overflow = 5,     ///< a size whose byte count does not fit in memory's address range
  integer_overflow = 6,  ///< an integer result outside its type
  wrong_space = 7,       ///< memory that the space cannot read
  no_device = 8,         ///< the space's device does not exist or is gone
  kernel_failure = 10,   ///< the backend's runtime reported a failure
  bad_input = 11,        ///< a malformed file, bytes that are no partial result of the kind, positions that are not finite
  out_of_memory = 12,    ///< the system has no memory left
  internal = 13,         ///< a defect in accrue
  out_of_range = 14,     ///< an index beyond its array, or a value beyond what a fixed-point format holds
  not_initialized = 15   ///< a runtime that its owner has not started, or has stopped: Kokkos
};

/// Every failure of the library: a code, and a sentence naming the call and what was wrong with it.
class error : public std::runtime_error {
 public:
  error(errc code, const std::string& what) : std::runtime_error(what), code_(code) {}
  [[nodiscard]] errc code() const noexcept { return code_; }

 private:
  errc code_;
};

/// An exact integer result that its type cannot hold: reductions never wrap.
class overflow_error : public error {
 public:
  explicit overflow_error(const std::string& what) : error(errc::integer_overflow, what) {}
};

}  // namespace accrue
