// SPDX-License-Identifier: BSD-3-Clause
// How a thread reads elements: 16 bytes at a time where they lie on 16-byte boundaries, one by one elsewhere.
#pragma once

#include "accrue/backends/simt/arithmetic.cuh"
#include "accrue/backends/simt/sources.hpp"

namespace accrue::simt {

/// How many elements one load brings.
template <class T>
inline constexpr unsigned elements_per_load = sizeof(T) <= 16 && 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;

/// A source's access on the device. `width` elements make a vector; vector v starts at element `first + v * width`.
template <class Source>
struct reader;

template <class T>
struct reader<array<T>> {
  using element = T;
  static constexpr unsigned width = elements_per_load<T>;
  static constexpr bool vectors = 16 % sizeof(T) == 0;
  struct packed {
    quad q;
  };

  static ACCRUE_DEVICE T at(const array<T>& s, std::size_t i) {
    if (s.columns == s.size) return s.data[static_cast<std::ptrdiff_t>(i) * s.column_stride];  // one row of one part each
    const std::size_t number = i / s.parts;
    const std::size_t row = number / s.columns;
    const std::size_t column = number - row * s.columns;
    return s.data[static_cast<std::ptrdiff_t>(row) * s.row_stride + static_cast<std::ptrdiff_t>(column) * s.column_stride +
                  static_cast<std::ptrdiff_t>(i - number * s.parts)];
  }
  static ACCRUE_DEVICE packed load(const array<T>& s, std::size_t first) { return {load_quad(s.data + first)}; }
  static ACCRUE_DEVICE void unpack(const array<T>&, const packed& p, T* out) { memcpy(out, &p.q, 16); }
};

template <class T>
struct reader<array_pair<T>> {
  using element = pair_of<T>;
  static constexpr unsigned width = elements_per_load<T>;
  static constexpr bool vectors = reader<array<T>>::vectors;
  struct packed {
    quad x, y;
  };

  static ACCRUE_DEVICE element at(const array_pair<T>& s, std::size_t i) {
    return {reader<array<T>>::at(s.x, i), reader<array<T>>::at(s.y, i)};
  }
  static ACCRUE_DEVICE packed load(const array_pair<T>& s, std::size_t first) {
    return {load_quad(s.x.data + first), load_quad(s.y.data + first)};
  }
  static ACCRUE_DEVICE void unpack(const array_pair<T>&, const packed& p, element* out) {
    T x[width];
    T y[width];
    memcpy(x, &p.x, 16);
    memcpy(y, &p.y, 16);
#pragma unroll
    for (unsigned k = 0; k < width; ++k) out[k] = {x[k], y[k]};
  }
};

template <class Source, class F>
struct reader<transformed<Source, F>> {
  using inner = reader<Source>;
  using element = typename transformed<Source, F>::element;
  static constexpr unsigned width = inner::width;
  static constexpr bool vectors = inner::vectors;
  using packed = typename inner::packed;

  static ACCRUE_DEVICE element at(const transformed<Source, F>& s, std::size_t i) { return s.f(inner::at(s.x, i)); }
  static ACCRUE_DEVICE packed load(const transformed<Source, F>& s, std::size_t first) { return inner::load(s.x, first); }
  static ACCRUE_DEVICE void unpack(const transformed<Source, F>& s, const packed& p, element* out) {
    typename inner::element x[width];
    inner::unpack(s.x, p, x);
#pragma unroll
    for (unsigned k = 0; k < width; ++k) out[k] = s.f(x[k]);
  }
};

/// Two arrays of types that may differ in size: one by one.
template <class X, class Y, class F>
struct reader<transformed_pair<X, Y, F>> {
  using element = typename transformed_pair<X, Y, F>::element;
  static constexpr unsigned width = reader<X>::width == reader<Y>::width ? reader<X>::width : 1;
  static constexpr bool vectors = reader<X>::vectors && reader<Y>::vectors && reader<X>::width == reader<Y>::width;
  struct packed {
    typename reader<X>::packed x;
    typename reader<Y>::packed y;
  };

  static ACCRUE_DEVICE element at(const transformed_pair<X, Y, F>& s, std::size_t i) {
    return s.f(reader<X>::at(s.x, i), reader<Y>::at(s.y, i));
  }
  static ACCRUE_DEVICE packed load(const transformed_pair<X, Y, F>& s, std::size_t first) {
    return {reader<X>::load(s.x, first), reader<Y>::load(s.y, first)};
  }
  static ACCRUE_DEVICE void unpack(const transformed_pair<X, Y, F>& s, const packed& p, element* out) {
    typename X::element x[width];
    typename Y::element y[width];
    reader<X>::unpack(s.x, p.x, x);
    reader<Y>::unpack(s.y, p.y, y);
#pragma unroll
    for (unsigned k = 0; k < width; ++k) out[k] = s.f(x[k], y[k]);
  }
};

}  // namespace accrue::simt
