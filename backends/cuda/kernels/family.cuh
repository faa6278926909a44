// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the compiled library, in families: a family is one source file and instantiates each of its kernels once.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "accrue/backends/cuda/launch.cuh"

namespace accrue::cuda_backend {

template <class Form, class Source>
void launch_compiled(const simt::launch_request& request, const Form& form, const Source& source) {
  launch_here(request, form, source);
}

/// A kernel by the types that pick it.
template <class Form, class Source>
struct kernel_of {};
template <class... Kernels>
struct family {};

/// What lists know of a kernel; its launch function is here so that the library has it.
struct kernel_row {
  simt::kernel_facts (*facts)(const simt::device_facts& device);
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
    for (const std::string_view noise :
         {"accrue::cuda_backend::kernel_of", "accrue::simt::", "accrue::kernels::", "accrue::", "std::"}) {
      for (auto at = text.find(noise); at != std::string::npos; at = text.find(noise)) text.erase(at, noise.size());
    }
    return text.substr(1, text.size() - 2);  // between the angle brackets
  }();
  return name.c_str();
}

template <class Form, class Source>
kernel_row row(kernel_of<Form, Source>) {
  return {[](const simt::device_facts& device) {
            return simt::kernel_launch<runtime, Form, Source>::facts(device, name_of<Form, Source>());
          },
          reinterpret_cast<void (*)()>(&launch_compiled<Form, Source>)};
}
template <class... Kernels>
std::vector<kernel_row> rows_of(family<Kernels...>) {
  return {row(Kernels{})...};
}

// The families.
std::vector<kernel_row> exact_sums();
std::vector<kernel_row> exact_products();
std::vector<kernel_row> exact_moments();
std::vector<kernel_row> integer_sums();
std::vector<kernel_row> integer_products();
std::vector<kernel_row> fast_sums();
std::vector<kernel_row> ordered_sums();
std::vector<kernel_row> scaled_products();
std::vector<kernel_row> extrema();
std::vector<kernel_row> positions();

}  // namespace accrue::cuda_backend
