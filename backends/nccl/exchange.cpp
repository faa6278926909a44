// SPDX-License-Identifier: BSD-3-Clause
// Calls of NCCL, and the failures of ranks.
#include "accrue/backends/nccl/exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace accrue::nccl_ranks {

void check(ncclResult_t code, ncclComm_t comm, const char* call) {
  while (code == ncclInProgress) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (ncclCommGetAsyncError(comm, &code) != ncclSuccess) break;
  }
  if (code == ncclSuccess) return;
  std::string text = std::string("accrue::nccl: ") + call + ": " + ncclGetErrorString(code);
  if (const char* detail = ncclGetLastError(comm); detail != nullptr && *detail != 0) text.append(": ").append(detail);
  throw error(errc::kernel_failure, text);
}

void add_words(ncclComm_t comm, std::int64_t* words, std::size_t count, void* stream) {
  check(ncclAllReduce(words, words, count, ncclInt64, ncclSum, comm, static_cast<cudaStream_t>(stream)), comm, "ncclAllReduce");
}
void gather(ncclComm_t comm, const void* mine, void* all, std::size_t bytes, void* stream) {
  check(ncclAllGather(mine, all, bytes, ncclUint8, comm, static_cast<cudaStream_t>(stream)), comm, "ncclAllGather");
}

void put_error(message& m, errc code, const std::string& what) {
  m.code = static_cast<std::int32_t>(code);
  const std::size_t length = std::min(what.size(), sizeof(m.text) - 1);
  std::memcpy(m.text, what.data(), length);
  m.text[length] = 0;
}

void throw_failures(const std::vector<message>& all) {
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].code == 0) continue;
    const auto code = static_cast<errc>(all[k].code);
    const std::string text = "accrue: rank " + std::to_string(k) + ": " + all[k].text;
    if (code == errc::integer_overflow) throw overflow_error(text);
    throw error(code, text);
  }
  for (const message& m : all) {
    if (m.kind != all[0].kind || m.state_bytes != all[0].state_bytes) {
      throw error(errc::size_mismatch, "accrue::nccl: the ranks have called different reductions");
    }
  }
}

}  // namespace accrue::nccl_ranks
