// SPDX-License-Identifier: BSD-3-Clause
// Spaces, their memory, and the text of failures.
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "handles.hpp"
#include "ranks.hpp"

namespace accrue::c {
namespace {

thread_local char last_sentence[1024] = "";

[[noreturn]] void throw_no_space(std::string_view name, const char* why) {
  throw error(errc::invalid_argument,
              "accrue_space_create: '" + std::string(name) + "' " + why + "; this library was built with: " + backend_names);
}

/// The device space of that name.
template <class S>
bool make_device(std::string_view name, void* stream, any_space& space) {
  if constexpr (asynchronous_space<S>) {
    if (name != S::name) return false;
    space = S(static_cast<typename S::stream_type>(stream));
    return true;
  } else {
    (void)stream;
    (void)space;
    return false;
  }
}
template <class... Spaces>
bool make_some_device(std::type_identity<std::variant<Spaces...>>, std::string_view name, void* stream, any_space& space) {
  return (make_device<Spaces>(name, stream, space) || ...);
}

any_space make(std::string_view name, int threads, void* stream) {
  if (threads < 0) throw error(errc::invalid_argument, "accrue_space_create_threads: a negative number of threads");
  if (name.empty() || name == default_host_space::name) return host_space_of_threads(threads);
  if (name == serial::name) {
    if (threads > 1) throw_no_space(name, "has one thread");
    return host_space_of_threads(1);
  }
  if (threads != 0) throw_no_space(name, "does not take threads");
  if (auto other = space_of_other_runtime(name)) return *other;
  any_space space;
  if (!make_some_device(std::type_identity<any_space>{}, name, stream, space)) throw_no_space(name, "is no space of this library");
  return space;
}

/// `stream` is of a device.
accrue_status create(const char* name, int threads, void* stream, accrue_space** space,
                     const std::function<std::shared_ptr<const rank_group>()>& ranks) {
  return guarded([&] {
    auto& out = required(space, "accrue_space_create: the pointer to the space is NULL");
    out = nullptr;
    auto made = std::make_unique<accrue_space>();
    made->ranks = ranks();
    const auto make_space = [&] { made->space = make(name != nullptr ? name : "", threads, stream); };
    if (made->ranks != nullptr) {
      made->ranks->run(make_space);
    } else {
      make_space();
    }
    out = made.release();
  });
}
std::shared_ptr<const rank_group> alone() { return nullptr; }

}  // namespace

accrue_status create_space(const char* name, int threads, accrue_space** space,
                           const std::function<std::shared_ptr<const rank_group>()>& ranks) {
  return create(name, threads, nullptr, space, ranks);
}

void remember(const char* sentence) noexcept {
  if (std::strncmp(sentence, "accrue::accrue_", 15) == 0) sentence += std::strlen("accrue::");  // of a call from C
  std::strncpy(last_sentence, sentence, sizeof(last_sentence) - 1);
  last_sentence[sizeof(last_sentence) - 1] = 0;
}

}  // namespace accrue::c

using namespace accrue::c;

void ACCRUE_C_LIBRARY_OF_THIS_VERSION() {}

accrue_status accrue_fail(accrue_status status, const char* sentence) {
  remember(sentence);
  return status;
}
const char* accrue_last_error() { return last_sentence; }
const char* accrue_version() { return ACCRUE_VERSION; }

accrue_status (accrue_space_create)(const char* name, accrue_space** space) { return create(name, 0, nullptr, space, alone); }
accrue_status (accrue_space_create_threads)(const char* name, int threads, accrue_space** space) {
  return create(name, threads, nullptr, space, alone);
}
accrue_status (accrue_space_create_on_stream)(const char* name, void* stream, accrue_space** space) {
  return create(name, 0, stream, space, alone);
}
accrue_status accrue_space_create_over_fortran_ranks(const char* name, int threads, int comm, accrue_space** space) {
  return create_space(name, threads, space, [&] { return ranks_of_fortran(comm); });
}
int accrue_space_ranks(const accrue_space* space) { return space != nullptr && space->ranks != nullptr ? space->ranks->size() : 1; }
void accrue_space_destroy(accrue_space* space) { delete space; }

accrue_status accrue_allocate(const accrue_space* space, size_t bytes, void** memory) {
  return guarded([&] {
    auto& out = required(memory, "accrue_allocate: the pointer to the memory is NULL");
    out = nullptr;
    out = std::visit([&](const auto& s) { return s.allocate(bytes); }, space_of(space));
  });
}
accrue_status accrue_deallocate(const accrue_space* space, void* memory) {
  return guarded([&] { std::visit([&](const auto& s) { s.deallocate(memory); }, space_of(space)); });
}
accrue_status accrue_copy(const accrue_space* space, void* to, const void* from, size_t bytes) {
  return guarded([&] {
    if (bytes != 0 && (to == nullptr || from == nullptr)) throw accrue::error(accrue::errc::null_data, "accrue_copy: a null pointer");
    std::visit([&](const auto& s) { s.copy(to, from, bytes); }, space_of(space));
  });
}
accrue_status accrue_synchronize(const accrue_space* space) {
  return guarded([&] { std::visit([&](const auto& s) { s.synchronize(); }, space_of(space)); });
}
