// SPDX-License-Identifier: BSD-3-Clause
// Instantiates the kernels of a group: those of the closed set's entries that belong to it, each once.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>

#include "accrue/backends/simt/library/library_kernels.hpp"
#include "accrue/backends/simt/operations/kernel_table.hpp"
#include "accrue/backends/simt/runtime/launch.cuh"

namespace accrue::simt {

template <class Space, class Op, class Source>
void launch_compiled(const launch_request& request, const Op& op, const Source& source) {
  launch_here<Space>(request, op, source);
}

/// "fast_sum<float, ...>, array<float>": the types' own names, demangled.
template <class Kernel>
const char* name_of() {
  static const std::string name = [] {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> demangled(abi::__cxa_demangle(typeid(Kernel).name(), nullptr, nullptr, &status),
                                                           std::free);
    std::string text = status == 0 ? demangled.get() : typeid(Kernel).name();
    for (const std::string_view noise : {"accrue::simt::kernel_of", "accrue::simt::", "accrue::kernels::", "accrue::", "std::"}) {
      for (auto at = text.find(noise); at != std::string::npos; at = text.find(noise)) text.erase(at, noise.size());
    }
    return text.substr(1, text.size() - 2);  // between the angle brackets
  }();
  return name.c_str();
}

template <class Space, class Op, class Source>
kernel_row row_of(kernel_of<Op, Source>) {
  return {[](const device_facts& device) {
            std::vector<kernel_facts> all{kernel_launch<Space, Op, Source>::facts(device, name_of<kernel_of<Op, Source>>())};
            pair_launch<Space, Op, Source>::add_facts(device, all);
            return all;
          },
          reinterpret_cast<void (*)()>(&launch_compiled<Space, Op, Source>)};
}

/// The entries of a group, their kernels, and one address for each of these.
template <kernel_group group>
inline constexpr entry_list entries_of =
    entries_where([](const named_reduction& r) { return group == kernel_group::masked ? has_masked_kernel(r) : group_of(r) == group; });
template <kernel_group group, std::size_t k>
struct kernel_in : std::type_identity<entry_kernel<entries_of<group>.entry[k]>> {};
template <std::size_t k>
struct kernel_in<kernel_group::masked, k> : masked_kernel_of<entry_kernel<entries_of<kernel_group::masked>.entry[k]>> {};
template <class Kernel>
inline constexpr char kernel_address = 0;

template <kernel_group group, std::size_t... k>
constexpr std::array<const char*, sizeof...(k)> kernels_of(std::index_sequence<k...>) {
  return {&kernel_address<typename kernel_in<group, k>::type>...};
}
/// Whether no entry before the group's k-th has its kernel.
template <kernel_group group>
constexpr bool is_first(std::size_t k) {
  constexpr auto kernels = kernels_of<group>(std::make_index_sequence<entries_of<group>.size>{});
  for (std::size_t j = 0; j < k; ++j) {
    if (kernels[j] == kernels[k]) return false;
  }
  return true;
}

template <class Space, kernel_group group, std::size_t k>
void add_row(std::vector<kernel_row>& rows) {
  if constexpr (is_first<group>(k)) rows.push_back(row_of<Space>(typename kernel_in<group, k>::type{}));
}
template <class Space, kernel_group group, std::size_t... k>
std::vector<kernel_row> rows_of(std::index_sequence<k...>) {
  std::vector<kernel_row> rows;
  (add_row<Space, group, k>(rows), ...);
  return rows;
}
template <class Space, kernel_group group>
std::vector<kernel_row> library_kernels() {
  return rows_of<Space, group>(std::make_index_sequence<entries_of<group>.size>{});
}

}  // namespace accrue::simt
