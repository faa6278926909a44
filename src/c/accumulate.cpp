// SPDX-License-Identifier: BSD-3-Clause
// Accumulation from C.
#include "accrue/accumulate.hpp"

#include <span>

#include "handles.hpp"

namespace accrue::c {

static_assert(static_cast<int>(strategy::automatic) == ACCRUE_AUTOMATIC && static_cast<int>(strategy::fixed_point) == ACCRUE_FIXED_POINT &&
              static_cast<int>(strategy::triangle) == ACCRUE_TRIANGLE && static_cast<int>(strategy::gather) == ACCRUE_GATHER);

strategy checked_strategy(int s, const char* call) {
  if (s < 0 || s > static_cast<int>(strategy::fixed_point)) {
    throw error(errc::invalid_argument, std::string(call) + ": an unknown strategy");
  }
  return static_cast<strategy>(s);
}

namespace {

void check_target(const void* target, std::size_t targets, const char* call) {
  if (target == nullptr && targets != 0) detail::throw_null_data(call, targets);
}

template <class T>
void scatter_add(const default_host_space& space, void* target, std::size_t targets, const std::int64_t* indices, const void* values,
                 std::size_t n, const accumulate_options& options) {
  std::span<T> to(static_cast<T*>(target), targets);
  const auto* v = static_cast<const T*>(values);
  accumulate<true>(space, to, n, [=](std::size_t i, auto& out) { out.add(static_cast<std::size_t>(indices[i]), v[i]); }, options);
}

}  // namespace
}  // namespace accrue::c

using namespace accrue::c;

/// What a body adds through, whatever the handle behind it.
struct accrue_adder {
  void* handle;
  void (*add)(void* handle, size_t index, double value);
};

void accrue_add(accrue_adder* adder, size_t index, double value) { adder->add(adder->handle, index, value); }

accrue_status accrue_accumulate_f64(const accrue_space* space, double* target, size_t targets, size_t n,
                                    void (*body)(size_t i, accrue_adder* adder, void* context), void* context, accrue_strategy strategy) {
  constexpr const char* call = "accrue_accumulate_f64";
  return guarded([&] {
    const auto& host = host_space_of(space, call);
    check_target(target, targets, call);
    if (body == nullptr) throw accrue::error(accrue::errc::invalid_argument, "accrue_accumulate_f64: the body is NULL");
    accrue::accumulate_options options;
    options.strategy = checked_strategy(strategy, call);
    std::span<double> to(target, targets);
    const auto item = [&]<class Handle>(std::size_t i, Handle& out) {
      accrue_adder adder{&out, [](void* handle, size_t index, double value) { static_cast<Handle*>(handle)->add(index, value); }};
      body(i, &adder, context);
    };
    accrue::accumulate<true>(host, to, n, item, options);
  });
}

accrue_status accrue_scatter_add(const accrue_space* space, accrue_type type, void* target, size_t targets, const int64_t* indices,
                                 const void* values, size_t n, accrue_strategy strategy) {
  constexpr const char* call = "accrue_scatter_add";
  return guarded([&] {
    const auto& host = host_space_of(space, call);
    check_target(target, targets, call);
    if (n != 0 && (indices == nullptr || values == nullptr)) accrue::detail::throw_null_data(call, n);
    accrue::accumulate_options options;
    options.strategy = checked_strategy(strategy, call);
    const auto run = [&]<class T>(std::type_identity<T>) { scatter_add<T>(host, target, targets, indices, values, n, options); };
    switch (type) {
      case ACCRUE_F64:
        return run(std::type_identity<double>{});
      case ACCRUE_F32:
        return run(std::type_identity<float>{});
      case ACCRUE_I32:
        return run(std::type_identity<std::int32_t>{});
      case ACCRUE_I64:
        return run(std::type_identity<std::int64_t>{});
      case ACCRUE_U32:
        return run(std::type_identity<std::uint32_t>{});
      case ACCRUE_U64:
        return run(std::type_identity<std::uint64_t>{});
      default:
        throw accrue::error(accrue::errc::invalid_argument, "accrue_scatter_add: takes doubles, floats and integers of 32 and 64 bits");
    }
  });
}
