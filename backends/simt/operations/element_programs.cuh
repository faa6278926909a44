// SPDX-License-Identifier: BSD-3-Clause
// Operations that fold one element after the other: fast sums, reducers of elements, and several operations fused.
#pragma once

#include "accrue/backends/simt/operations/kernel_program.cuh"
#include "accrue/backends/simt/operations/digits.cuh"

namespace accrue::simt {

/// The last step of sums that round as they go.
template <class R>
ACCRUE_DEVICE R last_step_of(R total, last_step step, std::size_t n) {
  switch (step) {
    case last_step::square_root:
      return square_root(total);
    case last_step::mean:
      return divide(total, static_cast<R>(n));
    case last_step::value:
      break;
  }
  return total;
}
/// One NaN for all, as the host has it.
template <class R>
ACCRUE_DEVICE R canonical_nan(R v) {
  return v != v ? std::numeric_limits<R>::quiet_NaN() : v;
}
ACCRUE_DEVICE void store_floating(double total, scalar_type type, void* result) {
  const double v = canonical_nan(total);
  if (type.bytes == 8) {
    *static_cast<double*>(result) = v;
  } else {
    *static_cast<float*>(result) = narrow(v);
  }
}

/// Number k of a state that has doubles, or floats.
ACCRUE_DEVICE double load_part(const void* state, unsigned k, scalar_type type) {
  return type.bytes == 8 ? static_cast<const double*>(state)[k] : widen(static_cast<const float*>(state)[k]);
}
ACCRUE_DEVICE void store_part(double part, void* state, unsigned k, scalar_type type) {
  if (type.bytes == 8) {
    static_cast<double*>(state)[k] = part;
  } else {
    static_cast<float*>(state)[k] = narrow(part);
  }
}

/// Writes a total of R after its last step.
template <class R>
ACCRUE_DEVICE void store_rounded(R total, last_step step, scalar_type type, std::size_t n, void* result) {
  const R v = canonical_nan(last_step_of(total, step, n));
  if (type.bytes == sizeof(R)) {
    *static_cast<R*>(result) = v;
  } else if constexpr (sizeof(R) == 4) {
    *static_cast<double*>(result) = widen(v);
  } else {
    *static_cast<float*>(result) = narrow(v);
  }
}

template <class R, chunk_term what, class T>
ACCRUE_DEVICE R arithmetic_term(T x) {
  const R v = to_arithmetic<R>(x);
  if constexpr (what == chunk_term::magnitude) return magnitude(v);
  if constexpr (what == chunk_term::square) return multiply(v, v);
  return v;
}
template <class R, chunk_term what, class T>
ACCRUE_DEVICE R arithmetic_term(pair_of<T> e) {
  return multiply(to_arithmetic<R>(e.x), to_arithmetic<R>(e.y));
}
template <chunk_term what, class R>
ACCRUE_DEVICE R arithmetic_join(R a, R b) {
  return what == chunk_term::factor ? multiply(a, b) : add(a, b);
}
template <chunk_term what, class R>
inline constexpr R arithmetic_start = what == chunk_term::factor ? R(1) : R(0);

/// Any order: a few independent sums of R in each thread.
template <class Element, class R, chunk_term what>
struct kernel_program<fast_sum<Element, R, what>> : partials<kernel_program<fast_sum<Element, R, what>>, fast_sum<Element, R, what>, R> {
  using op_type = fast_sum<Element, R, what>;
  using base = partials<kernel_program, op_type, R>;
  static constexpr int ways = 8;
  struct accumulator {
    R sum[ways];
  };
  struct shared_storage : base::shared_storage {};

  static ACCRUE_DEVICE void start(const op_type&, accumulator& a, shared_storage&) {
#pragma unroll
    for (int k = 0; k < ways; ++k) a.sum[k] = arithmetic_start<what, R>;
  }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type&, accumulator& a, shared_storage&, const Element (&x)[n], unsigned count, Index) {
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      if (k < count) a.sum[k % ways] = arithmetic_join<what>(a.sum[k % ways], arithmetic_term<R, what>(x[k]));
    }
  }
  static ACCRUE_DEVICE R partial_of(const op_type&, accumulator& a) {
#pragma unroll
    for (int half = ways / 2; half != 0; half /= 2) {
#pragma unroll
      for (int k = 0; k < half; ++k) a.sum[k] = arithmetic_join<what>(a.sum[k], a.sum[k + half]);
    }
    return a.sum[0];
  }
  static ACCRUE_DEVICE R empty(const op_type&) { return arithmetic_start<what, R>; }
  static ACCRUE_DEVICE void merge(const op_type&, R& a, const R& b) { a = arithmetic_join<what>(a, b); }
  static ACCRUE_DEVICE bool needs_elements(const op_type& op) { return op.step == last_step::mean; }
  /// The state is a number, and of a mean the number of elements behind it.
  static ACCRUE_DEVICE std::size_t add_state(const op_type& op, R& a, const void* state) {
    const double total = arithmetic_join<what>(to_double(a), load_part(state, 0, op.state));
    if constexpr (sizeof(R) == sizeof(double)) {
      a = total;
    } else {
      a = narrow(total);
    }
    return op.step == last_step::mean ? static_cast<std::size_t>(static_cast<const std::int64_t*>(state)[1]) : 1;
  }
  static ACCRUE_DEVICE void store_state(const op_type& op, const R& a, std::size_t n, void* state) {
    store_part(to_double(a), state, 0, op.state);
    if (op.step == last_step::mean) static_cast<std::int64_t*>(state)[1] = static_cast<std::int64_t>(n);
  }
  static ACCRUE_DEVICE void store(const op_type& op, const R& total, std::size_t n, void* result, int*, shared_storage&) {
    store_rounded(total, op.step, op.result, n, result);
  }
};

template <class T>
struct complex_total {
  T real;
  T imaginary;
};
template <class Program, class Op, class T>
struct fast_complex : partials<Program, Op, complex_total<double>> {
  using base = partials<Program, Op, complex_total<double>>;
  using accumulator = complex_total<T>;
  struct shared_storage : base::shared_storage {};

  static ACCRUE_DEVICE void start(const Op&, accumulator& a, shared_storage&) { a = {0, 0}; }
  static ACCRUE_DEVICE complex_total<double> partial_of(const Op&, const accumulator& a) {
    return {to_double(a.real), to_double(a.imaginary)};
  }
  static ACCRUE_DEVICE complex_total<double> empty(const Op&) { return {0, 0}; }
  static ACCRUE_DEVICE void merge(const Op&, complex_total<double>& a, const complex_total<double>& b) {
    a = {add(a.real, b.real), add(a.imaginary, b.imaginary)};
  }
  static ACCRUE_DEVICE std::size_t add_state(const Op& op, complex_total<double>& a, const void* state) {
    merge(op, a, {load_part(state, 0, op.state), load_part(state, 1, op.state)});
    return 1;
  }
  static ACCRUE_DEVICE void store_state(const Op& op, const complex_total<double>& a, std::size_t, void* state) {
    store_part(a.real, state, 0, op.state);
    store_part(a.imaginary, state, 1, op.state);
  }
  static ACCRUE_DEVICE void store(const Op&, const complex_total<double>& t, std::size_t, void* result, int*, shared_storage&) {
    store_floating(t.real, scalar_type::of<T>(), result);
    store_floating(t.imaginary, scalar_type::of<T>(), static_cast<T*>(result) + 1);
  }
};
template <class T>
struct kernel_program<fast_complex_sum<T>> : fast_complex<kernel_program<fast_complex_sum<T>>, fast_complex_sum<T>, T> {
  using base = fast_complex<kernel_program, fast_complex_sum<T>, T>;
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const fast_complex_sum<T>&, typename base::accumulator& a, typename base::shared_storage&,
                                 const std::complex<T> (&z)[n], unsigned count, Index) {
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      if (k < count) a = {add(a.real, z[k].real()), add(a.imaginary, z[k].imag())};
    }
  }
};
template <class T>
struct kernel_program<fast_complex_dot<T>> : fast_complex<kernel_program<fast_complex_dot<T>>, fast_complex_dot<T>, T> {
  using base = fast_complex<kernel_program, fast_complex_dot<T>, T>;
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const fast_complex_dot<T>& op, typename base::accumulator& a, typename base::shared_storage&,
                                 const pair_of<std::complex<T>> (&z)[n], unsigned count, Index) {
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      if (k >= count) continue;
      const T xi = op.conjugate ? -z[k].x.imag() : z[k].x.imag();
      const T xr = z[k].x.real();
      const T yr = z[k].y.real();
      const T yi = z[k].y.imag();
      a.real = add(a.real, subtract(multiply(xr, yr), multiply(xi, yi)));
      a.imaginary = add(a.imaginary, add(multiply(xr, yi), multiply(xi, yr)));
    }
  }
};

/// A reducer of elements in any order.
template <class R, class Element>
struct kernel_program<of_elements<R, Element, true>>
    : partials<kernel_program<of_elements<R, Element, true>>, of_elements<R, Element, true>, typename R::state> {
  using op_type = of_elements<R, Element, true>;
  using accumulator = typename R::state;
  using base = partials<kernel_program, op_type, accumulator>;
  struct shared_storage : base::shared_storage {};

  static ACCRUE_DEVICE void start(const op_type& op, accumulator& a, shared_storage&) { a = op.reducer.start(); }
  template <int n, class Index>
  static ACCRUE_DEVICE void fold(const op_type& op, accumulator& a, shared_storage&, const Element (&x)[n], unsigned count, Index) {
#pragma unroll
    for (unsigned k = 0; k < n; ++k) {
      if (k < count) op.reducer.fold(a, x[k]);
    }
  }
  static constexpr bool saturates = requires(const R r, const accumulator a) { r.saturated(a); };
  static ACCRUE_DEVICE bool saturated(const op_type& op, const accumulator& a) requires(saturates) { return op.reducer.saturated(a); }
  static ACCRUE_DEVICE accumulator partial_of(const op_type&, const accumulator& a) { return a; }
  static ACCRUE_DEVICE accumulator empty(const op_type& op) { return op.reducer.start(); }
  static ACCRUE_DEVICE void merge(const op_type& op, accumulator& a, const accumulator& b) { op.reducer.merge(a, b); }
  static ACCRUE_DEVICE std::size_t add_state(const op_type& op, accumulator& a, const void* state) {
    merge(op, a, *static_cast<const accumulator*>(state));
    return 1;
  }
  static ACCRUE_DEVICE void store_state(const op_type&, const accumulator& a, std::size_t, void* state) {
    *static_cast<accumulator*>(state) = a;
  }
  static ACCRUE_DEVICE void store(const op_type& op, const accumulator& s, std::size_t, void* result, int*, shared_storage&) {
    using result_type = std::remove_cvref_t<decltype(op.reducer.finish(s))>;
    *static_cast<result_type*>(result) = op.reducer.finish(s);
  }
};

/// Several operations in one pass, one after the other on each tile.
template <>
struct kernel_program<fused_operations<>> {
  struct accumulator {};
  struct shared_storage {};
  static constexpr std::size_t zero_bytes = 0;
  static constexpr std::size_t partial_bytes = 0;
  static ACCRUE_DEVICE void start(const fused_operations<>&, accumulator&, shared_storage&) {}
  template <int n, class Element, class Index>
  static ACCRUE_DEVICE void fold(const fused_operations<>&, accumulator&, shared_storage&, const Element (&)[n], unsigned, Index) {}
  static ACCRUE_DEVICE void close(const fused_operations<>&, accumulator&, shared_storage&, const block_team&) {}
  static ACCRUE_DEVICE void finish(const fused_operations<>&, shared_storage&, const block_team&, std::size_t, const ending&) {}
};
template <class First, class... Rest>
struct kernel_program<fused_operations<First, Rest...>> {
  using op_type = fused_operations<First, Rest...>;
  using head = kernel_program<First>;
  using tail = kernel_program<fused_operations<Rest...>>;
  struct accumulator {
    typename head::accumulator first;
    typename tail::accumulator rest;
  };
  struct shared_storage {
    typename head::shared_storage first;
    typename tail::shared_storage rest;
  };
  static constexpr std::size_t zero_bytes = head::zero_bytes + tail::zero_bytes;
  static constexpr std::size_t partial_bytes = (head::partial_bytes + 15) / 16 * 16 + tail::partial_bytes;

  static ACCRUE_DEVICE void start(const op_type& op, accumulator& a, shared_storage& r) {
    head::start(op.first, a.first, r.first);
    tail::start(op.rest, a.rest, r.rest);
  }
  template <int n, class Element, class Index>
  static ACCRUE_DEVICE void fold(const op_type& op, accumulator& a, shared_storage& r, const Element (&x)[n], unsigned count,
                                 Index index_of) {
    head::fold(op.first, a.first, r.first, x, count, index_of);
    tail::fold(op.rest, a.rest, r.rest, x, count, index_of);
  }
  static ACCRUE_DEVICE void close(const op_type& op, accumulator& a, shared_storage& r, const block_team& team) {
    head::close(op.first, a.first, r.first, team);
    tail::close(op.rest, a.rest, r.rest, behind_first(team));
  }
  static ACCRUE_DEVICE void finish(const op_type& op, shared_storage& r, const block_team& team, std::size_t n, const ending& e) {
    head::finish(op.first, r.first, team, n, e.behind(op.offset, op.state_offset));
    tail::finish(op.rest, r.rest, behind_first(team), n, e);
  }

 private:
  static ACCRUE_DEVICE block_team behind_first(const block_team& team) {
    return {team.index, team.count, team.zeros + head::zero_bytes, team.partials + (head::partial_bytes + 15) / 16 * 16 * team.count};
  }
};

}  // namespace accrue::simt
