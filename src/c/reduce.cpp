// SPDX-License-Identifier: BSD-3-Clause
// Reductions and partial results: arguments checked, and sent to their entry.
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "handles.hpp"
#include "ranks.hpp"
#include "typed.hpp"

namespace accrue::c {

namespace {

/// find(the element type of entry k, as a constant).
template <class Find>
auto by_element(std::size_t k, const Find& find) {
  decltype(find(std::integral_constant<element_type, element_type::f64>{})) found;
  const auto look = [&]<std::size_t... e>(std::index_sequence<e...>) {
    const auto of_k = static_cast<std::size_t>(closed_set[k].element);
    (void)((of_k == e && (found = find(std::integral_constant<element_type, static_cast<element_type>(e)>{}), true)) || ...);
  };
  look(std::make_index_sequence<detail::element_types>{});
  return found;
}
entry_functions functions_of(std::size_t k) {
  return by_element(k, [k](auto e) { return functions_of_element<decltype(e)::value>(k); });
}
/// Calls `run(functions of entry k, space)` with those of the kind of space it is.
template <class Run>
void run_entry(const any_space& space, std::size_t k, const Run& run) {
  std::visit([&]<class S>(const S& s) { run(by_element(k, [k](auto e) { return functions_on<decltype(e)::value, S>(k); }), &s); }, space);
}
void add_to(any_partial& partial, const any_space& space, std::size_t k, const reduction& r) {
  run_entry(space, k, [&](const functions_on_space& f, const void* s) { f.add(s, r, partial); });
}

[[noreturn]] void throw_invalid(const char* call, const char* what) {
  throw error(errc::invalid_argument, std::string(call) + ": " + what);
}

static_assert(static_cast<int>(named_operation::bit_xor) == ACCRUE_BIT_XOR && static_cast<int>(named_operation::minmax) == ACCRUE_MINMAX &&
              static_cast<int>(named_operation::moments) == ACCRUE_MOMENTS && static_cast<int>(element_type::c128) == ACCRUE_C128 &&
              static_cast<int>(element_type::u8) == ACCRUE_U8 && static_cast<int>(errc::not_initialized) == ACCRUE_NOT_INITIALIZED &&
              static_cast<int>(errc::integer_overflow) == ACCRUE_INTEGER_OVERFLOW);
static_assert(ACCRUE_MOST_DIMENSIONS == detail::tensor_shape::most_dimensions);
static_assert(sizeof(accrue_moments_result_f64) == sizeof(moments_result<double>) &&
              sizeof(accrue_moments_result_f32) == sizeof(moments_result<float>) &&
              sizeof(accrue_position_i8) == sizeof(position<std::int8_t>) && sizeof(accrue_scaled) == sizeof(scaled_value) &&
              sizeof(accrue_argminmax_result_f32) == sizeof(minmax_positions<float>) && std::is_standard_layout_v<position<double>>);

constexpr std::size_t bytes_of_elements[] = {8, 4, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16};

element_type checked_type(int type, const char* call) {
  if (type < 0 || static_cast<std::size_t>(type) >= detail::element_types) throw_invalid(call, "an unknown element type");
  return static_cast<element_type>(type);
}

/// The entry that a call asks for.
std::size_t checked_place(int operation, int type, const accrue_options* options, const char* call) {
  if (operation < 0 || static_cast<std::size_t>(operation) >= named_operations) throw_invalid(call, "an unknown operation");
  named_reduction r{static_cast<named_operation>(operation), checked_type(type, call), {}, {}};
  r.result = default_result(r.operation, r.element);
  r.guarantee = default_guarantee(r.operation, r.element);
  if (options != nullptr) {
    if (options->wide_result != 0) r.result = element_type::f64;
    switch (options->guarantee) {
      case ACCRUE_DEFAULT_GUARANTEE:
        break;
      case ACCRUE_EXACT:
        r.guarantee = guarantee_type::is_exact;
        break;
      case ACCRUE_ORDERED:
        r.guarantee = guarantee_type::is_ordered;
        break;
      case ACCRUE_FAST:
        r.guarantee = guarantee_type::is_fast;
        break;
      default:
        throw_invalid(call, "an unknown guarantee");
    }
  }
  std::size_t k = place_of(r);
  if (k == closed_set.size() && r.guarantee != guarantee_type::is_exact) {  // what has the same bits under every guarantee
    r.guarantee = guarantee_type::is_exact;
    if (default_guarantee(r.operation, r.element) == r.guarantee) k = place_of(r);
  }
  if (k == closed_set.size())
    throw_invalid(call, "there is no such reduction: the operation is not for this element type, guarantee or wide result");
  return k;
}

any_array checked_array(const accrue_array* a, const char* call) {
  const accrue_array& from = required(a, "accrue: an array is NULL");
  any_array to;
  to.type = checked_type(from.type, call);
  to.data = from.data;
  if (from.rank < 0 || from.rank > ACCRUE_MOST_DIMENSIONS) throw_invalid(call, "an array's rank is 0 to 15");
  for (int d = 0; d < from.rank; ++d) {
    if (from.extents[d] < 0) detail::throw_negative_count(call, from.extents[d]);
    to.shape.append(static_cast<std::size_t>(from.extents[d]), static_cast<std::ptrdiff_t>(from.strides[d]));
  }
  const std::size_t element_bytes = bytes_of_elements[static_cast<std::size_t>(to.type)];
  detail::check_extents(to.shape, element_bytes, call);
  if (to.shape.size() != 0 && to.data == nullptr) detail::throw_null_data(call, to.shape.size());
  to.flat = to.shape.collapsed();
  return to;
}

/// "3 x 4".
std::string text_of(const detail::tensor_shape& s) {
  std::string text;
  for (std::size_t d = 0; d < s.rank; ++d) text.append(d != 0 ? " x " : "").append(std::to_string(s.extents[d]));
  return s.rank != 0 ? text : "no dimensions";
}
void check_extents_of(const any_array& x, const any_array& other, const char* call) {
  const auto& a = x.shape;
  const auto& b = other.shape;
  if (a.rank != b.rank || !std::equal(a.extents.begin(), a.extents.begin() + static_cast<std::ptrdiff_t>(a.rank), b.extents.begin())) {
    throw error(errc::size_mismatch,
                std::string(call) + ": an input of " + text_of(a) + " elements against one, or a mask, of " + text_of(b));
  }
}

/// The inputs of a call of entry k.
reduction checked_inputs(std::size_t k, const accrue_array* x, const accrue_array* y, const accrue_options* options, const char* call) {
  reduction r;
  r.x = checked_array(x, call);
  if (reads_pairs(closed_set[k].operation)) {
    if (y == nullptr) throw_invalid(call, "the operation reads two inputs");
    r.y = checked_array(y, call);
    if (r.y.type != r.x.type) throw_invalid(call, "the two inputs have different element types");
    check_extents_of(r.x, r.y, call);
  } else if (y != nullptr) {
    throw_invalid(call, "the operation reads one input");
  }
  if (options != nullptr && options->mask != nullptr) {
    if (closed_set[k].guarantee == guarantee_type::is_ordered) throw_invalid(call, "the ordered tree has no masks");
    r.mask = checked_array(options->mask, call);
    if (!detail::is_integer_type(r.mask.type)) throw_invalid(call, "a mask's elements are integers");
    check_extents_of(r.x, r.mask, call);
    r.masked = true;
  }
  return r;
}
std::size_t place_for(int operation, const accrue_array* x, const accrue_options* options, const char* call) {
  return checked_place(operation, required(x, "accrue: an array is NULL").type, options, call);
}

using shape_groups = std::function<line_shape(const any_array&)>;

line_shape lines_along(const any_array& a, std::size_t d) {
  const auto groups = detail::groups_along(static_cast<const char*>(a.data), a.shape, d);
  return {groups.others, detail::tensor_shape::of(groups.length, groups.stride), nullptr, 0};
}
line_shape slices_across(const any_array& a, std::size_t d) {
  detail::tensor_shape each;
  for (std::size_t i = 0; i < a.shape.rank; ++i) {
    if (i != d) each.append(a.shape.extents[i], a.shape.strides[i]);
  }
  return {detail::tensor_shape::of(a.shape.extents[d], a.shape.strides[d]), each.collapsed(), nullptr, 0};
}
line_shape segments_of(const any_array& a, const std::int64_t* offsets, std::size_t count, const char* call) {
  if (a.shape.rank != 1) throw_invalid(call, "segments are of arrays of rank 1");
  return {{}, detail::tensor_shape::of(a.shape.extents[0], a.shape.strides[0]), offsets, count};
}

/// A call of entry k with its inputs, and its groups where it has several results.
struct checked_call {
  std::size_t k = 0;
  reduction inputs;
  std::optional<line_shape> x_groups;
  line_shape y_groups;
  line_shape mask_groups;

  checked_call(const char* call, accrue_operation operation, const accrue_array* x, const accrue_array* y, const accrue_options* options,
               const shape_groups& groups)
      : k(place_for(operation, x, options, call)), inputs(checked_inputs(k, x, y, options, call)) {
    if (!groups) return;
    x_groups = groups(inputs.x);
    if (reads_pairs(closed_set[k].operation)) y_groups = groups(inputs.y);
    if (inputs.masked) mask_groups = groups(inputs.mask);
  }
  [[nodiscard]] std::size_t results() const { return x_groups ? x_groups->count() : 1; }
  /// The inputs of group g alone.
  [[nodiscard]] reduction group(std::size_t g) const {
    if (!x_groups) return inputs;
    reduction one = inputs;
    const auto take = [g](any_array& a, const line_shape& groups) {
      const auto bytes = static_cast<std::ptrdiff_t>(bytes_of_elements[static_cast<std::size_t>(a.type)]);
      a.shape = a.flat = groups.line(g);
      if (a.data != nullptr) a.data = static_cast<const char*>(a.data) + groups.offset(g) * bytes;
    };
    take(one.x, *x_groups);
    if (reads_pairs(closed_set[k].operation)) take(one.y, y_groups);
    if (one.masked) take(one.mask, mask_groups);
    return one;
  }
};

/// In the kind of what ranks exchange: partial results of the caller's, not a reduction.
constexpr std::uint64_t joins_partials = std::uint64_t{1} << 32;

/// What this rank knows of each of a call's groups.
rank_partials partials_of(const accrue_space* space, const checked_call& c, const char* call) {
  const auto make = functions_of(c.k).partial;
  if (make == nullptr) throw_invalid(call, "over ranks reductions are exact, fast ones too");
  rank_partials all;
  all.kind = c.k + 1;
  for (std::size_t g = 0; g < c.results(); ++g) {
    const reduction one = c.group(g);
    all.of_groups.push_back(make());
    add_to(*all.of_groups.back(), space_of(space), c.k, one);
    all.elements.push_back(one.x.shape.size());
  }
  return all;
}

/// The exact reduction in the place of a fast one, whose bits would not be the same on every rank.
std::size_t place_over_ranks(std::size_t k) {
  named_reduction r = closed_set[k];
  if (r.guarantee != guarantee_type::is_fast) return k;
  r.guarantee = guarantee_type::is_exact;
  const std::size_t exact = place_of(r);
  return exact != closed_set.size() ? exact : k;
}

bool is_device(const accrue_space* space) {
  return std::visit([]<class S>(const S&) { return asynchronous_space<S>; }, space_of(space));
}

/// One result, or one for each of the groups.
accrue_status reduce_any(const char* call, const accrue_space* space, accrue_operation operation, const accrue_array* x,
                         const accrue_array* y, const accrue_options* options, void* results, bool into, const shape_groups& groups = {}) {
  return guarded([&] {
    const auto checked = [&] {
      checked_call c(call, operation, x, y, options, groups);
      if (results == nullptr && c.results() != 0) throw_invalid(call, "the pointer to the result is NULL");
      return c;
    };
    if (const auto& ranks = required(space, "accrue: the space is NULL").ranks) {
      std::size_t bytes = 0;
      const rank_partials all = ranks->join([&] {
        checked_call c = checked();
        c.k = place_over_ranks(c.k);
        bytes = functions_of(c.k).result_bytes;
        return partials_of(space, c, call);
      });
      const auto finish_to = [&](void* to) {
        for (std::size_t g = 0; g < all.of_groups.size(); ++g) all.of_groups[g]->finish(static_cast<char*>(to) + g * bytes);
      };
      if (!is_device(space) || !(into || groups)) return finish_to(results);
      std::vector<char> here(all.of_groups.size() * bytes);
      finish_to(here.data());
      std::visit(
          [&](const auto& s) {
            s.copy(results, here.data(), here.size());
            s.synchronize();
          },
          space_of(space));
      return;
    }
    checked_call c = checked();
    if (c.results() == 0) return;
    c.inputs.results = results;
    c.inputs.into = into;
    if (c.x_groups) {
      c.inputs.x_lines = &*c.x_groups;
      c.inputs.y_lines = &c.y_groups;
      c.inputs.mask_lines = &c.mask_groups;
    }
    run_entry(space_of(space), c.k, [&](const functions_on_space& f, const void* s) { f.reduce(s, c.inputs); });
  });
}
/// By groups that a dimension has.
template <class GroupsOf>
accrue_status reduce_by_dimension(const char* call, const accrue_space* space, accrue_operation operation, const accrue_array* x,
                                  const accrue_array* y, int dimension, const accrue_options* options, void* results,
                                  const GroupsOf& groups_of) {
  return reduce_any(call, space, operation, x, y, options, results, false, [&](const any_array& a) {
    if (dimension < 0 || static_cast<std::size_t>(dimension) >= a.shape.rank) throw_invalid(call, "no such dimension");
    return groups_of(a, static_cast<std::size_t>(dimension));
  });
}

}  // namespace

accrue_status reduce_typed(const char* call, const named_reduction& r, const accrue_space* space, const void* x, const void* y,
                           std::size_t n, void* result) {
  const auto type = static_cast<accrue_type>(r.element);
  const auto vector = [&](const void* data) { return accrue_vector(type, data, static_cast<std::int64_t>(n)); };
  const accrue_array first = vector(x);
  const accrue_array second = vector(y);
  accrue_options options{};
  options.guarantee = static_cast<accrue_guarantee>(static_cast<int>(r.guarantee) + ACCRUE_EXACT);
  return reduce_any(call, space, static_cast<accrue_operation>(r.operation), &first, reads_pairs(r.operation) ? &second : nullptr, &options,
                    result, false);
}

}  // namespace accrue::c

struct accrue_partial {
  std::unique_ptr<accrue::c::any_partial> value;
  std::size_t place;
};

using namespace accrue::c;

accrue_array accrue_vector(accrue_type type, const void* data, int64_t count) { return accrue_strided_vector(type, data, count, 1); }
accrue_array accrue_strided_vector(accrue_type type, const void* data, int64_t count, int64_t stride) {
  return {data, type, 1, {count}, {stride}};
}
accrue_array accrue_matrix(accrue_type type, const void* data, int64_t rows, int64_t columns, int64_t row_stride) {
  return {data, type, 2, {rows, columns}, {row_stride, 1}};
}

accrue_status accrue_reduce(const accrue_space* space, accrue_operation operation, const accrue_array* x, const accrue_array* y,
                            const accrue_options* options, void* result) {
  return reduce_any("accrue_reduce", space, operation, x, y, options, result, false);
}
accrue_status accrue_reduce_into(const accrue_space* space, accrue_operation operation, const accrue_array* x, const accrue_array* y,
                                 const accrue_options* options, void* result) {
  return reduce_any("accrue_reduce_into", space, operation, x, y, options, result, true);
}
accrue_status accrue_reduce_along(const accrue_space* space, accrue_operation operation, const accrue_array* x, const accrue_array* y,
                                  int dimension, const accrue_options* options, void* results) {
  return reduce_by_dimension("accrue_reduce_along", space, operation, x, y, dimension, options, results, lines_along);
}
accrue_status accrue_reduce_slices(const accrue_space* space, accrue_operation operation, const accrue_array* x, const accrue_array* y,
                                   int dimension, const accrue_options* options, void* results) {
  return reduce_by_dimension("accrue_reduce_slices", space, operation, x, y, dimension, options, results, slices_across);
}
accrue_status accrue_sum_slices_and_total(const accrue_space* space, const accrue_array* x, int dimension, double* sums, double* total) {
  constexpr const char* call = "accrue_sum_slices_and_total";
  return guarded([&] {
    const auto local = [&] {
      const checked_call c(call, ACCRUE_SUM, x, nullptr, nullptr, [&](const any_array& a) {
        if (a.type != accrue::element_type::f64) throw_invalid(call, "sums of ACCRUE_F64 alone");
        if (dimension < 0 || static_cast<std::size_t>(dimension) >= a.shape.rank) throw_invalid(call, "no such dimension");
        return slices_across(a, static_cast<std::size_t>(dimension));
      });
      return partials_of(space, c, call);
    };
    const auto& ranks = required(space, "accrue: the space is NULL").ranks;
    const rank_partials all = ranks != nullptr ? ranks->join(local) : local();
    const auto whole = functions_of(checked_place(ACCRUE_SUM, ACCRUE_F64, nullptr, call)).partial();
    for (std::size_t g = 0; g < all.of_groups.size(); ++g) {
      if (sums != nullptr) all.of_groups[g]->finish(sums + g);
      whole->merge(*all.of_groups[g]);
    }
    if (total != nullptr) whole->finish(total);
  });
}
accrue_status accrue_reduce_segments(const accrue_space* space, accrue_operation operation, const accrue_array* x, const accrue_array* y,
                                     const int64_t* offsets, size_t count, const accrue_options* options, void* results) {
  constexpr const char* call = "accrue_reduce_segments";
  return reduce_any(call, space, operation, x, y, options, results, false, [&](const any_array& a) {
    if (offsets == nullptr) throw_invalid(call, "no offsets");
    if (count == 0 && a.shape.size() != 0) accrue::detail::throw_no_offsets();
    return segments_of(a, offsets, count, call);
  });
}
accrue_status accrue_result_size(accrue_operation operation, accrue_type element, const accrue_options* options, size_t* bytes) {
  return guarded([&] {
    required(bytes, "accrue_result_size: the pointer is NULL for the result") =
        functions_of(checked_place(operation, element, options, "accrue_result_size")).result_bytes;
  });
}

accrue_status accrue_partial_create(accrue_operation operation, accrue_type element, const accrue_options* options,
                                    accrue_partial** partial) {
  constexpr const char* call = "accrue_partial_create";
  return guarded([&] {
    auto& out = required(partial, "accrue_partial_create: the pointer is NULL for the partial result");
    out = nullptr;
    const std::size_t k = checked_place(operation, element, options, call);
    const auto make = functions_of(k).partial;
    if (make == nullptr) throw_invalid(call, "partial results are of exact reductions");
    out = new accrue_partial{make(), k};
  });
}
accrue_status accrue_partial_copy(const accrue_partial* from, accrue_partial** partial) {
  return guarded([&] {
    auto& out = required(partial, "accrue_partial_copy: the pointer is NULL for the partial result");
    const auto& p = required(from, "accrue_partial_copy: the partial result is NULL");
    out = new accrue_partial{p.value->copy(), p.place};
  });
}
void accrue_partial_destroy(accrue_partial* partial) { delete partial; }
accrue_status accrue_partial_add(accrue_partial* partial, const accrue_space* space, const accrue_array* x, const accrue_array* y,
                                 const accrue_options* options) {
  constexpr const char* call = "accrue_partial_add";
  return guarded([&] {
    auto& p = required(partial, "accrue_partial_add: the partial result is NULL");
    const reduction r = checked_inputs(p.place, x, y, options, call);
    if (r.x.type != accrue::closed_set[p.place].element) throw_invalid(call, "the partial result is of another element type");
    refuse_ranks(space, call);
    add_to(*p.value, space_of(space), p.place, r);
  });
}
accrue_status accrue_partial_merge(accrue_partial* partial, const accrue_partial* other) {
  return guarded([&] {
    const auto& second = required(other, "accrue_partial_merge: the second partial result is NULL");
    required(partial, "accrue_partial_merge: the partial result is NULL").value->merge(*second.value);
  });
}
accrue_status accrue_partial_join(const accrue_space* space, accrue_partial* const* partials, size_t count) {
  constexpr const char* call = "accrue_partial_join";
  return guarded([&] {
    const auto copies = [&] {
      rank_partials mine;
      if (count != 0) required(partials, "accrue_partial_join: the array of partial results is NULL");
      for (size_t k = 0; k < count; ++k) {
        const accrue_partial& p = required(partials[k], "accrue_partial_join: a partial result is NULL");
        if (p.place != partials[0]->place) throw_invalid(call, "the partial results are of different reductions");
        mine.of_groups.push_back(p.value->copy());
        mine.elements.push_back(0);
      }
      mine.kind = joins_partials | (count != 0 ? partials[0]->place + 1 : 0);
      return mine;
    };
    const auto& ranks = required(space, "accrue: the space is NULL").ranks;
    rank_partials all = ranks != nullptr ? ranks->join(copies) : copies();
    for (size_t k = 0; k < count; ++k) partials[k]->value = std::move(all.of_groups[k]);
  });
}
accrue_status accrue_partial_move_positions(accrue_partial* partial, size_t first) {
  return guarded([&] { required(partial, "accrue_partial_move_positions: the partial result is NULL").value->move_positions(first); });
}
accrue_status accrue_partial_words(accrue_partial* partial, int64_t** words, size_t* count) {
  return guarded([&] {
    const auto all = required(partial, "accrue_partial_words: the partial result is NULL").value->words();
    required(words, "accrue_partial_words: the pointer is NULL for the words") = all.data();
    required(count, "accrue_partial_words: the pointer is NULL for their number") = all.size();
  });
}
accrue_status accrue_partial_finish(const accrue_partial* partial, void* result) {
  return guarded([&] {
    if (result == nullptr) throw_invalid("accrue_partial_finish", "the pointer to the result is NULL");
    required(partial, "accrue_partial_finish: the partial result is NULL").value->finish(result);
  });
}
accrue_status accrue_partial_byte_count(const accrue_partial* partial, size_t* bytes) {
  return guarded([&] {
    required(bytes, "accrue_partial_byte_count: the pointer is NULL for the number") =
        required(partial, "accrue_partial_byte_count: the partial result is NULL").value->to_bytes().size();
  });
}
accrue_status accrue_partial_to_bytes(const accrue_partial* partial, void* buffer, size_t bytes) {
  return guarded([&] {
    const auto all = required(partial, "accrue_partial_to_bytes: the partial result is NULL").value->to_bytes();
    if (buffer == nullptr || bytes < all.size()) throw_invalid("accrue_partial_to_bytes", "the buffer is too small");
    std::memcpy(buffer, all.data(), all.size());
  });
}
accrue_status accrue_partial_from_bytes(accrue_partial* partial, const void* buffer, size_t bytes) {
  return guarded([&] {
    if (buffer == nullptr) throw accrue::error(accrue::errc::null_data, "accrue_partial_from_bytes: no bytes");
    required(partial, "accrue_partial_from_bytes: the partial result is NULL")
        .value->from_bytes({static_cast<const std::byte*>(buffer), bytes});
  });
}
