// SPDX-License-Identifier: BSD-3-Clause
// How entries run. For the sources of the element types, after a space's header.
#pragma once

#include <array>
#include <concepts>
#include <cstring>
#include <type_traits>
#include <utility>

#include "accrue/closed_set_types.hpp"
#include "accrue/detail/run.hpp"
#include "accrue/partials.hpp"
#include "entries.hpp"

namespace accrue::c {

template <class R>
R make_reducer(std::type_identity<R>) {
  return R{};
}
template <class R>
detail::any_order<R> make_reducer(std::type_identity<detail::any_order<R>>) {
  return detail::any_order<R>(R{});
}

template <std::size_t k>
struct entry {
  using types = detail::closed_set_types<k>;
  using T = typename types::T;
  using R = typename decltype(types::named_reducer())::type;
  using result = detail::result_of<detail::tiled_t<R>>;
  static constexpr named_operation operation = types::entry.operation;
  static constexpr bool subtracts = operation == named_operation::scaled_product_difference;
  static constexpr bool of_sums = operation == named_operation::scaled_product_sum || subtracts;
  static constexpr bool takes_masks = detail::is_order_free<detail::tiled_t<R>>();
  static constexpr bool is_wide = !has_default_result(types::entry);
  /// The entry whose partial results are those of this one: a wide result is another end of them.
  static constexpr std::size_t of_partials =
      is_wide ? place_of({operation, types::entry.element, default_result(operation, types::entry.element), types::entry.guarantee}) : k;
  static constexpr bool merges = takes_masks && types::entry.guarantee == guarantee_type::is_exact && of_partials != closed_set.size() &&
                                 requires(const detail::tiled_t<R>& r) { r.kind(); };

  static R reducer() { return make_reducer(types::named_reducer()); }
  static const T* elements(const any_array& a) { return static_cast<const T*>(a.data); }

  /// What the reducer reads, of one input or two.
  template <class X, class Y>
  static auto input(const X& x, [[maybe_unused]] const Y& y) {
    if constexpr (of_sums) {
      detail::check_sizes(x.size(), y.size(), "accrue_reduce");
      return detail::zip_transformed_view<X, Y, detail::scaled_sum>{x, y, {subtracts}};
    } else if constexpr (reads_pairs(operation)) {
      return detail::zip(detail::carried(x), detail::carried(y), "accrue_reduce");
    } else {
      return x;
    }
  }
  /// x under the mask.
  template <class X, class Flags>
  static detail::masked_view<X, Flags> masked(const X& x, const Flags& flags) {
    detail::check_sizes(x.size(), flags.size(), "accrue_reduce");
    return {x, flags};
  }

  /// Calls `run(view)` with the whole input of a call on a host.
  template <class Run>
  static auto with_view(const reduction& c, const Run& run) {
    using tensor = detail::tensor_view<T>;
    const tensor x{elements(c.x), c.x.flat};
    const tensor y{elements(c.y), c.y.flat};
    if constexpr (takes_masks) {
      if (c.masked) {
        return run(input(masked(x, flags_of(c)), y));
      }
    }
    return run(input(x, y));
  }
  static flag_view flags_of(const reduction& c) {
    return {static_cast<const unsigned char*>(c.mask.data), bytes_of(c.mask), c.mask.flat};
  }
  static std::size_t bytes_of(const any_array& mask) {
    constexpr std::size_t widths[] = {1, 2, 4, 8};
    const auto integer = static_cast<unsigned>(mask.type) - static_cast<unsigned>(element_type::i8);
    return widths[integer % 4];
  }

  /// The lines of the inputs, as a grouping.
  template <bool with_mask>
  struct input_lines {
    using element = T;
    static constexpr bool is_grouping = true;
    static constexpr const char* call = "axis";
    lines<T> x;
    lines<T> y;
    flag_lines mask;

    [[nodiscard]] std::size_t count() const { return x.shape->count(); }
    [[nodiscard]] std::size_t size() const { return x.shape->size(); }
    [[nodiscard]] auto group(std::size_t g) const {
      const auto second = [&] {
        return reads_pairs(operation) ? y.group(g) : detail::tensor_view<T>{nullptr, detail::tensor_shape::of(0, 1)};
      };
      if constexpr (with_mask) {
        return input(masked(x.group(g), mask.group(g)), second());
      } else {
        return input(x.group(g), second());
      }
    }
  };
  template <bool with_mask>
  static input_lines<with_mask> lines_of(const reduction& c) {
    return {{elements(c.x), c.x_lines},
            {elements(c.y), c.y_lines},
            {static_cast<const unsigned char*>(c.mask.data), bytes_of(c.mask), c.mask_lines}};
  }

  template <class Space>
  static void reduce_on(const Space& space, const reduction& c) {
    auto* const results = static_cast<result*>(c.results);
    const R r = reducer();
    if constexpr (asynchronous_space<Space>) {
      reduce_on_device(space, r, c, results);
    } else {
      const auto alone = [&](const auto& v) { return detail::run(space, r, v); };
      if (c.x_lines == nullptr) {
        *results = with_view(c, alone);
        return;
      }
      if constexpr (takes_masks) {
        if (c.masked) return detail::reduce_groups_on_host(team_of(space), r, lines_of<true>(c), results, alone);
      }
      detail::reduce_groups_on_host(team_of(space), r, lines_of<false>(c), results, alone);
    }
  }

  /// Devices take arrays of at most two strides.
  template <class Element>
  static detail::strided_view<Element> matrix(const Element* data, const detail::tensor_shape& s) {
    if (s.rank > 2) throw error(errc::invalid_argument, "accrue_reduce: devices take arrays of two different strides at most");
    if (s.rank == 1) return {data, 1, s.extents[0], 0, s.strides[0]};
    return {data, s.extents[0], s.extents[1], s.strides[0], s.strides[1]};
  }
  template <class Space, class V>
  static void launch(const Space& space, const R& r, const V& view, result* to, bool into) {
    if (into) {
      const auto v = detail::view_in_any_order_for<R>(view);
      reduce_range_into(space, detail::reducer_over<decltype(v)>(r), v, to);
    } else {
      *to = detail::run(space, r, view);
    }
  }
  /// Calls `run(view)` with an input there; `flags` is null where there is no mask.
  template <class Run>
  static auto with_matrices(const detail::tensor_view<T>& x, const detail::tensor_view<T>& y, const flag_view* flags, const Run& run) {
    const auto a = matrix(x.data, x.shape);
    const auto b = reads_pairs(operation) ? matrix(y.data, y.shape) : a;
    if constexpr (has_masked_kernel(types::entry)) {
      if (flags != nullptr && flags->bytes == 1) return run(input(masked(a, matrix<std::uint8_t>(flags->data, flags->shape)), b));
    }
    if (flags != nullptr) {
      throw error(errc::invalid_argument, "accrue_reduce: on devices masks are of one byte an element, and elements are float or double");
    }
    if (a.contiguous() && b.contiguous()) {
      using array = detail::contiguous_view<T>;
      return run(input(array{a.data, a.size()}, array{b.data, b.size()}));
    }
    if constexpr (of_sums) {
      throw error(errc::invalid_argument, "accrue_reduce: scaled products of sums take arrays without strides on devices");
    } else {
      return run(input(a, b));
    }
  }
  /// The same with the whole input of a call.
  template <class Run>
  static auto with_view_there(const reduction& c, const Run& run) {
    const flag_view flags = flags_of(c);
    return with_matrices({elements(c.x), c.x.flat}, {elements(c.y), c.y.flat}, c.masked ? &flags : nullptr, run);
  }
  template <class Space>
  static void reduce_on_device(const Space& space, const R& r, const reduction& c, result* results) {
    if (c.x_lines == nullptr) return with_view_there(c, [&](const auto& v) { launch(space, r, v, results, c.into); });
    const auto lines = lines_of<false>(c);
    for (std::size_t g = 0; g < lines.count(); ++g) {
      const auto x = lines.x.group(g);
      const auto y = reads_pairs(operation) ? lines.y.group(g) : x;
      const flag_view flags = c.masked ? lines.mask.group(g) : flag_view{};
      with_matrices(x, y, c.masked ? &flags : nullptr, [&](const auto& v) { launch(space, r, v, results + g, true); });
    }
  }

  class partial : public any_partial {
   public:
    partial() : value_(reducer()) {}
    [[nodiscard]] std::unique_ptr<any_partial> copy() const override { return std::make_unique<partial>(*this); }
    template <class Space>
    void add(const Space& space, const reduction& c) {
      auto added = partial_on(space, c);
      if constexpr (detail::has_positions<R>) {
        added.move_positions(seen_);
        seen_ += c.x.shape.size();
      }
      value_.merge(added);
    }
    void merge(const any_partial& other) override {
      const auto* same = dynamic_cast<const partial*>(&other);
      if (same == nullptr) throw error(errc::invalid_argument, "accrue_partial_merge: the two are of different reductions");
      value_.merge(same->value_);
    }
    void move_positions([[maybe_unused]] std::size_t first) override {
      if constexpr (detail::has_positions<R>) {
        value_.move_positions(first);
        seen_ += first;
      } else {
        throw error(errc::invalid_argument, "accrue_partial_move_positions: the reduction has none");
      }
    }
    std::span<std::int64_t> words() override {
      if constexpr (detail::is_additive<R>()) {
        return value_.words();
      } else {
        throw error(errc::invalid_argument, "accrue_partial_words: states of this reduction do not add; merge them, or their bytes");
      }
    }
    void finish(void* to) const override { *static_cast<result*>(to) = value_.finish(); }
    [[nodiscard]] std::vector<std::byte> to_bytes() const override { return value_.to_bytes(); }
    void from_bytes(std::span<const std::byte> bytes) override { value_ = partial_result<R>::from_bytes(bytes, reducer()); }

    std::span<std::byte> state(bool to_add) override {
      value_.merge(partial_result<R>(reducer()));
      auto& state = const_cast<typename R::state&>(value_.state());  // value_ is not const
      if constexpr (requires { state.put_sign_in_digits(); }) {
        if (to_add) state.put_sign_in_digits();
      }
      return std::as_writable_bytes(std::span(&state, 1));
    }
    [[nodiscard]] bool adds() const override { return detail::is_additive<R>(); }
    void join(std::byte* left, const std::byte* right, [[maybe_unused]] std::size_t first) const override {
      const auto state_at = [](const std::byte* bytes) {
        typename R::state s;
        std::memcpy(static_cast<void*>(&s), bytes, sizeof(s));
        return partial_result<R>(reducer(), s);
      };
      auto joined = state_at(left);
      auto behind = state_at(right);
      if constexpr (detail::has_positions<R>) behind.move_positions(first);
      joined.merge(behind);
      std::memcpy(left, &joined.state(), sizeof(typename R::state));
    }

   protected:
    partial_result<R> value_;

   private:
    template <class Space>
    static partial_result<R> partial_on(const Space& space, const reduction& c) {
      const auto run = [&](const auto& v) { return detail::run_partial(space, reducer(), v); };
      if constexpr (asynchronous_space<Space>) {
        return with_view_there(c, run);
      } else {
        return with_view(c, run);
      }
    }

    std::size_t seen_ = 0;
  };
  /// The same with a wide end.
  class wide_partial : public entry<of_partials>::partial {
   public:
    [[nodiscard]] std::unique_ptr<any_partial> copy() const override { return std::make_unique<wide_partial>(*this); }
    void finish(void* to) const override {
      const auto& state = this->value_.state();
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(state)>, typename R::state>) {
        *static_cast<result*>(to) = partial_result<R>(reducer(), state).finish();
      } else {  // a mean's
        *static_cast<result*>(to) = partial_result<R>(reducer(), {state.sum, state.count}).finish();
      }
    }
  };
  static std::unique_ptr<any_partial> make_partial() {
    return std::make_unique<typename std::conditional_t<is_wide, std::type_identity<wide_partial>, std::type_identity<partial>>::type>();
  }
};

template <element_type e, std::size_t k>
constexpr entry_functions entry_or_none() {
  entry_functions found;
  if constexpr (closed_set[k].element == e && in_interface(closed_set[k])) {
    found.result_bytes = sizeof(typename entry<k>::result);
    if constexpr (entry<k>::merges) found.partial = entry<k>::make_partial;
  }
  return found;
}
template <element_type e, class Space, std::size_t k>
constexpr functions_on_space entry_or_none_on() {
  functions_on_space found;
  if constexpr (closed_set[k].element == e && in_interface(closed_set[k])) {
    found.reduce = [](const void* space, const reduction& c) { entry<k>::reduce_on(*static_cast<const Space*>(space), c); };
    if constexpr (entry<k>::merges) {
      found.add = [](const void* space, const reduction& c, any_partial& to) {
        static_cast<typename entry<entry<k>::of_partials>::partial&>(to).add(*static_cast<const Space*>(space), c);
      };
    }
  }
  return found;
}

template <element_type e>
entry_functions functions_of_element(std::size_t k) {
  static constexpr auto all = []<std::size_t... i>(std::index_sequence<i...>) {
    return std::array<entry_functions, sizeof...(i)>{entry_or_none<e, i>()...};
  }(std::make_index_sequence<closed_set.size()>{});
  return all[k];
}
template <element_type e, class Space>
functions_on_space functions_on(std::size_t k) {
  static constexpr auto all = []<std::size_t... i>(std::index_sequence<i...>) {
    return std::array<functions_on_space, sizeof...(i)>{entry_or_none_on<e, Space, i>()...};
  }(std::make_index_sequence<closed_set.size()>{});
  return all[k];
}

}  // namespace accrue::c
