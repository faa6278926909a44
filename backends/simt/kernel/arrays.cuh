// SPDX-License-Identifier: BSD-3-Clause
// How a thread reads elements: 16 bytes at a time where they lie on 16-byte boundaries, one by one elsewhere.
#pragma once

#include "accrue/backends/simt/kernel/arithmetic.cuh"
#include "accrue/backends/simt/operations/sources.hpp"

namespace accrue::simt {

/// How many elements one load brings.
template <class T>
inline constexpr unsigned elements_per_load = sizeof(T) <= 16 && 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;

/// An element of an array with strides: out of line, for the division.
template <class T>
ACCRUE_DEVICE_RARE T element_at_strides(const T* data, std::size_t i, std::size_t columns, std::ptrdiff_t row_stride,
                                        std::ptrdiff_t column_stride, unsigned parts) {
  const std::size_t number = i / parts;
  const std::size_t row = number / columns;
  return data[static_cast<std::ptrdiff_t>(row) * row_stride + static_cast<std::ptrdiff_t>(number - row * columns) * column_stride +
              static_cast<std::ptrdiff_t>(i - number * parts)];
}

/// A source's access on the device. `width` elements make a vector, which `load` brings from so many elements behind a `place`.
/// `near` reads one element of contiguous arrays, `at` of any.
template <class Source>
struct reader;

template <class T>
struct reader<array<T>> {
  using element = T;
  static constexpr unsigned width = elements_per_load<T>;
  static constexpr bool vectors = 16 % sizeof(T) == 0;
  using place = const T*;
  struct packed {
    vector16 q;
  };

  static ACCRUE_DEVICE T near(const array<T>& s, std::size_t i) { return s.data[i]; }
  static ACCRUE_DEVICE T at(const array<T>& s, std::size_t i) {
    return element_at_strides(s.data, s.first + i, s.columns, s.row_stride, s.column_stride, s.parts);
  }
  static ACCRUE_DEVICE place place_of(const array<T>& s, std::size_t i) { return s.data + i; }
  static ACCRUE_DEVICE packed load(place p, unsigned behind) { return {load_vector16(p + behind)}; }
  static ACCRUE_DEVICE void unpack(const array<T>&, const packed& p, T* out) { memcpy(static_cast<void*>(out), &p.q, 16); }
};

template <class T>
struct reader<array_pair<T>> {
  using element = pair_of<T>;
  using inner = reader<array<T>>;
  static constexpr unsigned width = elements_per_load<T>;
  static constexpr bool vectors = inner::vectors;
  struct place {
    const T* x;
    const T* y;
  };
  struct packed {
    vector16 x, y;
  };

  static ACCRUE_DEVICE element near(const array_pair<T>& s, std::size_t i) { return {s.x.data[i], s.y.data[i]}; }
  static ACCRUE_DEVICE element at(const array_pair<T>& s, std::size_t i) { return {inner::at(s.x, i), inner::at(s.y, i)}; }
  static ACCRUE_DEVICE place place_of(const array_pair<T>& s, std::size_t i) { return {s.x.data + i, s.y.data + i}; }
  static ACCRUE_DEVICE packed load(const place& p, unsigned behind) { return {load_vector16(p.x + behind), load_vector16(p.y + behind)}; }
  static ACCRUE_DEVICE void unpack(const array_pair<T>&, const packed& p, element* out) {
    T x[width];
    T y[width];
    memcpy(static_cast<void*>(x), &p.x, 16);
    memcpy(static_cast<void*>(y), &p.y, 16);
#pragma unroll
    for (unsigned k = 0; k < width; ++k) out[k] = {x[k], y[k]};
  }
};

template <class Source, class F>
struct reader<transformed<Source, F>> {
  using inner = reader<Source>;
  using source = transformed<Source, F>;
  using element = typename source::element;
  static constexpr unsigned width = inner::width;
  static constexpr bool vectors = inner::vectors;
  using place = typename inner::place;
  using packed = typename inner::packed;

  static ACCRUE_DEVICE element near(const source& s, std::size_t i) { return s.f(inner::near(s.x, i)); }
  static ACCRUE_DEVICE element at(const source& s, std::size_t i) { return s.f(inner::at(s.x, i)); }
  static ACCRUE_DEVICE place place_of(const source& s, std::size_t i) { return inner::place_of(s.x, i); }
  static ACCRUE_DEVICE packed load(const place& p, unsigned behind) { return inner::load(p, behind); }
  static ACCRUE_DEVICE void unpack(const source& s, const packed& p, element* out) {
    typename inner::element x[width];
    inner::unpack(s.x, p, x);
#pragma unroll
    for (unsigned k = 0; k < width; ++k) out[k] = s.f(x[k]);
  }
};

/// Two arrays whose elements may differ in size; where they do, there are no vectors.
template <class X, class Y, class F>
struct reader<transformed_pair<X, Y, F>> {
  using source = transformed_pair<X, Y, F>;
  using element = typename source::element;
  static constexpr bool vectors = reader<X>::vectors && reader<Y>::vectors && reader<X>::width == reader<Y>::width;
  static constexpr unsigned width = vectors ? reader<X>::width : 1;
  struct place {
    typename reader<X>::place x;
    typename reader<Y>::place y;
  };
  struct packed {
    typename reader<X>::packed x;
    typename reader<Y>::packed y;
  };

  static ACCRUE_DEVICE element near(const source& s, std::size_t i) {
    return s.f(reader<X>::near(s.x, i), reader<Y>::near(s.y, i));
  }
  static ACCRUE_DEVICE element at(const source& s, std::size_t i) { return s.f(reader<X>::at(s.x, i), reader<Y>::at(s.y, i)); }
  static ACCRUE_DEVICE place place_of(const source& s, std::size_t i) {
    return {reader<X>::place_of(s.x, i), reader<Y>::place_of(s.y, i)};
  }
  static ACCRUE_DEVICE packed load(const place& p, unsigned behind) {
    return {reader<X>::load(p.x, behind), reader<Y>::load(p.y, behind)};
  }
  static ACCRUE_DEVICE void unpack(const source& s, const packed& p, element* out) {
    typename X::element x[reader<X>::width];
    typename Y::element y[reader<Y>::width];
    reader<X>::unpack(s.x, p.x, x);
    reader<Y>::unpack(s.y, p.y, y);
#pragma unroll
    for (unsigned k = 0; k < width; ++k) out[k] = s.f(x[k], y[k]);
  }
};

/// Element by element: whether one is read at all is for `takes_part` to say.
template <class Source, class Mask>
struct reader<masked<Source, Mask>> : reader<Source> {
  using source = masked<Source, Mask>;
  using element = typename source::element;
  static constexpr bool vectors = false;

  static ACCRUE_DEVICE element near(const source& s, std::size_t i) { return reader<Source>::near(s.x, i); }
  static ACCRUE_DEVICE element at(const source& s, std::size_t i) { return reader<Source>::at(s.x, i); }
};

/// Whether element i takes part in the reduction.
template <bool contiguous, class Source>
ACCRUE_DEVICE bool takes_part(const Source& s, std::size_t i) {
  if constexpr (requires { s.mask; }) {
    using read = reader<decltype(s.mask)>;
    const std::size_t k = i / s.parts;
    if (!takes_part<contiguous>(s.x, i) || !takes_part<contiguous>(s.mask, k)) return false;
    return static_cast<bool>(contiguous ? read::near(s.mask, k) : read::at(s.mask, k));
  } else if constexpr (has_mask<Source>()) {
    return takes_part<contiguous>(s.x, i);
  } else {
    return true;
  }
}

}  // namespace accrue::simt
