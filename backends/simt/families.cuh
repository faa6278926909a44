// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the compiled library, in families: a backend compiles one source file for each, which instantiates its kernels
// once.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "accrue/backends/simt/launch.cuh"

namespace accrue::simt {

template <class Space, class Form, class Source>
void launch_compiled(const launch_request& request, const Form& form, const Source& source) {
  launch_here<Space>(request, form, source);
}

/// A kernel by the types that pick it.
template <class Form, class Source>
struct kernel_of {};
template <class... Kernels>
struct family {};

/// What lists know of a kernel; its launch function is here so that the library has it.
struct kernel_row {
  kernel_facts (*facts)(const device_facts& device);
  void (*launch)();
};

/// "fast_sum<float, ...>, array<float>": the types' own names, demangled.
template <class Form, class Source>
const char* name_of() {
  static const std::string name = [] {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> demangled(
        abi::__cxa_demangle(typeid(kernel_of<Form, Source>).name(), nullptr, nullptr, &status), std::free);
    std::string text = status == 0 ? demangled.get() : typeid(kernel_of<Form, Source>).name();
    for (const std::string_view noise : {"accrue::simt::kernel_of", "accrue::simt::", "accrue::kernels::", "accrue::", "std::"}) {
      for (auto at = text.find(noise); at != std::string::npos; at = text.find(noise)) text.erase(at, noise.size());
    }
    return text.substr(1, text.size() - 2);  // between the angle brackets
  }();
  return name.c_str();
}

template <class Space, class Form, class Source>
kernel_row row(kernel_of<Form, Source>) {
  return {[](const device_facts& device) { return kernel_launch<Space, Form, Source>::facts(device, name_of<Form, Source>()); },
          reinterpret_cast<void (*)()>(&launch_compiled<Space, Form, Source>)};
}
template <class Space, class... Kernels>
std::vector<kernel_row> rows_of(family<Kernels...>) {
  return {row<Space>(Kernels{})...};
}
template <class Space, class... Families>
std::vector<kernel_row> rows_of(Families... families) {
  std::vector<kernel_row> all;
  for (const auto& rows : {rows_of<Space>(families)...}) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

/// The families; they take the names of what they hold.
namespace families {

template <class Space>
std::vector<kernel_row> exact_sums();
template <class Space>
std::vector<kernel_row> exact_products();
template <class Space>
std::vector<kernel_row> exact_moments();
template <class Space>
std::vector<kernel_row> integer_sums();
template <class Space>
std::vector<kernel_row> integer_products();
template <class Space>
std::vector<kernel_row> fast_sums();
template <class Space>
std::vector<kernel_row> ordered_sums();
template <class Space>
std::vector<kernel_row> scaled_products();
template <class Space>
std::vector<kernel_row> extrema();
template <class Space>
std::vector<kernel_row> positions();

}  // namespace families
}  // namespace accrue::simt
