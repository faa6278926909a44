// SPDX-License-Identifier: BSD-3-Clause
// A process for each GPU, started by the first: plain C++, whose kernels are the library's. Prints what differs from one process.
#include <accrue/nccl.hpp>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t elements = 400009;

std::vector<double> sequence() {
  std::vector<double> x(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    x[i] = std::ldexp(static_cast<double>(i * 2654435761u % 1000003u) - 500001.0, static_cast<int>(i * 40503u % 61u) - 30);
  }
  return x;
}

/// The number that rank 0 made, by way of a file that appears when it is whole.
ncclUniqueId shared_id(int rank, const std::string& file) {
  ncclUniqueId id;
  if (rank == 0) {
    if (ncclGetUniqueId(&id) != ncclSuccess) std::abort();
    std::ofstream(file + ".new", std::ios::binary).write(id.internal, sizeof(id.internal));
    std::rename((file + ".new").c_str(), file.c_str());
    return id;
  }
  for (int tries = 0; tries < 6000; ++tries) {
    std::ifstream in(file, std::ios::binary);
    if (in.read(id.internal, sizeof(id.internal))) return id;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::abort();
}

int run_rank(int rank, int ranks, const std::string& file) {
  const ncclUniqueId id = shared_id(rank, file);
  const accrue::cuda device(rank);
  ncclComm_t comm = nullptr;
  if (cudaSetDevice(rank) != cudaSuccess || ncclCommInitRank(&comm, ranks, id, rank) != ncclSuccess) return 3;
  const auto x = sequence();
  const std::size_t first = elements * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks);
  const std::size_t count = elements * static_cast<std::size_t>(rank + 1) / static_cast<std::size_t>(ranks) - first;
  auto* const mine = static_cast<double*>(device.allocate((count + 1) * sizeof(double)));
  device.copy(mine, x.data() + first, count * sizeof(double));
  double* const norm_there = mine + count;
  //! [nccl]
  const accrue::nccl gpus(comm, device);                      // accrue/nccl.hpp; a device and its stream: accrue::cuda(0, stream)
  const double sum = accrue::sum(gpus, mine, count);          // of all GPUs' elements, the same bits on every rank
  const auto largest = accrue::argmax(gpus, mine, count);     // counts through the ranks
  accrue::reduce_into(gpus, accrue::view(mine, count), accrue::norm2_of<double>{}, norm_there);  // on the stream, nothing waits
  //! [nccl]
  double norm = 0;
  device.copy(&norm, norm_there, sizeof(double));
  device.synchronize();
  device.deallocate(mine);
  (void)ncclCommDestroy(comm);
  const auto here = accrue::argmax(accrue::serial{}, x);
  const bool right = sum == accrue::sum(accrue::serial{}, x) && norm == accrue::norm2(accrue::serial{}, x) && largest.index == here.index;
  if (!right) std::printf("rank %d: %a, %a at %zu\n", rank, sum, norm, largest.index);
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4) return run_rank(std::atoi(argv[1]), std::atoi(argv[2]), argv[3]);
  int ranks = 0;
  if (cudaGetDeviceCount(&ranks) != cudaSuccess || ranks == 0) {
    std::printf("no device\n");
    return 4;  // the code that CTest takes for a skipped test
  }
  const std::string file = "nccl_id_" + std::to_string(getpid());
  const std::string number = std::to_string(ranks);
  std::vector<pid_t> children;
  for (int k = 0; k < ranks; ++k) {
    const std::string rank = std::to_string(k);
    const char* arguments[] = {argv[0], rank.c_str(), number.c_str(), file.c_str(), nullptr};
    pid_t child = 0;
    if (posix_spawn(&child, argv[0], nullptr, nullptr, const_cast<char**>(arguments), environ) != 0) return 3;
    children.push_back(child);
  }
  int failed = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    failed += status != 0 ? 1 : 0;
  }
  std::remove(file.c_str());
  std::printf("%d processes, %d failed\n", ranks, failed);
  return failed;
}
