// SPDX-License-Identifier: BSD-3-Clause
// What is behind the handles of accrue.h, and how failures cross the boundary.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "accrue/accrue.h"
#include "accrue/accrue.hpp"

namespace accrue::c {

template <class S>
using if_device = std::conditional_t<asynchronous_space<S>, std::tuple<S>, std::tuple<>>;
template <class... Devices>
std::variant<default_host_space, Devices...> host_and(const std::tuple<Devices...>&);
template <class... Spaces>
auto host_and_devices_of(const std::tuple<Spaces...>&) -> decltype(host_and(std::tuple_cat(std::declval<if_device<Spaces>>()...)));
/// The spaces of this build: the best host space, which with one thread is the serial one, and the devices.
using any_space = decltype(host_and_devices_of(std::declval<detail::built_spaces>()));

/// The best host space, with so many threads where it takes a number; 0: as it would have.
template <class Host = default_host_space>
any_space host_space_of_threads(int threads) {
  if constexpr (std::is_constructible_v<Host, int>) {
    return Host(threads);
  } else {
    return Host();
  }
}
/// The space of a backend with a source of its own here, space_<name>.cpp; nothing for other names. Generated.
std::optional<any_space> space_of_other_runtime(std::string_view name);

/// Keeps a sentence for accrue_last_error.
void remember(const char* sentence) noexcept;

/// The status of what `run` does or throws.
template <class Run>
accrue_status guarded(const Run& run) noexcept {
  try {
    run();
    return ACCRUE_OK;
  } catch (const error& e) {
    remember(e.what());
    return static_cast<accrue_status>(e.code());
  } catch (const std::bad_alloc&) {
    remember("accrue: the system has no memory left");
    return ACCRUE_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    remember(e.what());
    return ACCRUE_INTERNAL;
  } catch (...) {
    remember("accrue: an exception of a type that accrue does not know");
    return ACCRUE_INTERNAL;
  }
}

/// Throws unless an argument is there.
template <class T>
T& required(T* argument, const char* what) {
  if (argument == nullptr) throw error(errc::invalid_argument, what);
  return *argument;
}

}  // namespace accrue::c

namespace accrue::c {
class rank_group;
}  // namespace accrue::c

struct accrue_space {
  accrue::c::any_space space;
  std::shared_ptr<const accrue::c::rank_group> ranks;  ///< of a space over ranks; null for others
};

namespace accrue::c {

inline const any_space& space_of(const accrue_space* handle) { return required(handle, "accrue: the space is NULL").space; }

/// Throws where the space is over ranks, for calls that are of one process.
inline void refuse_ranks(const accrue_space* handle, const char* call) {
  if (required(handle, "accrue: the space is NULL").ranks != nullptr) {
    throw error(errc::invalid_argument, std::string(call) + ": not over ranks");
  }
}
/// A host space, for calls that need one.
inline const default_host_space& host_space_of(const accrue_space* handle, const char* call) {
  refuse_ranks(handle, call);
  const auto* host = std::get_if<default_host_space>(&space_of(handle));
  if (host == nullptr) throw error(errc::invalid_argument, std::string(call) + ": runs on host spaces, \"serial\" and \"openmp\"");
  return *host;
}

}  // namespace accrue::c
