// SPDX-License-Identifier: BSD-3-Clause
// The CUDA runtime behind the backend: devices, errors, and the memory of calls.
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "accrue/backends/cuda/cuda.hpp"
#include "accrue/error.hpp"

namespace accrue::cuda_backend {

namespace {

errc code_of(cudaError_t e) {
  switch (e) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInvalidDevice:
    case cudaErrorInitializationError:
    case cudaErrorDevicesUnavailable:
    case cudaErrorStubLibrary:
      return errc::no_device;
    case cudaErrorMemoryAllocation:
      return errc::out_of_memory;
    default:
      return errc::kernel_failure;
  }
}

/// Throws for a failed runtime call, and clears the runtime's memory of it.
void check(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return;
  (void)cudaGetLastError();
  throw error(code_of(e), std::string("accrue::cuda: ") + what + ": " + cudaGetErrorString(e));
}

unsigned char* allocate_zeroed(std::size_t bytes) {
  // Allocation is no part of a graph that some thread may be capturing.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  check(cudaThreadExchangeStreamCaptureMode(&mode), "capture mode");
  void* p = nullptr;
  const cudaError_t allocated = cudaMalloc(&p, bytes);
  cudaError_t cleared = cudaSuccess;
  if (allocated == cudaSuccess) {
    cudaStream_t own = nullptr;
    cleared = cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    if (cleared == cudaSuccess) cleared = cudaMemsetAsync(p, 0, bytes, own);
    if (cleared == cudaSuccess) cleared = cudaStreamSynchronize(own);
    if (own != nullptr) cudaStreamDestroy(own);
  }
  (void)cudaThreadExchangeStreamCaptureMode(&mode);
  check(allocated, "workspace");
  check(cleared, "workspace");
  return static_cast<unsigned char*>(p);
}

}  // namespace

/// The device memory of a call, and pinned memory for what it brings back.
struct workspace_slot {
  struct host_part {
    int status;
    alignas(64) unsigned char result[result_bytes];
  };
  unsigned char* device_memory = nullptr;
  host_part* host = nullptr;

  workspace_slot() : device_memory(allocate_zeroed(least_bytes)) {
    void* p = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    check(cudaThreadExchangeStreamCaptureMode(&mode), "capture mode");
    const cudaError_t e = cudaHostAlloc(&p, sizeof(host_part), cudaHostAllocPortable);
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    check(e, "pinned memory");
    host = new (p) host_part{};
  }
  static constexpr std::size_t least_bytes = std::size_t{4} << 20;
};

namespace {

/// The workspaces of a device. Blocking calls take one each; asynchronous calls share that of their stream, on which they follow
/// each other; each graph has its own, for as long as the graph exists.
class device_state {
 public:
  explicit device_state(int device) {
    const auto attribute = [&](cudaDeviceAttr a) {
      int v = 0;
      check(cudaDeviceGetAttribute(&v, a, device), "device attribute");
      return v;
    };
    facts.device = device;
    facts.architecture = 10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
    facts.multiprocessors = static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount));
    facts.shared_bytes = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    void* p = nullptr;
    check(cudaHostAlloc(&p, sizeof(int), cudaHostAllocPortable), "pinned memory");
    status = new (p) int{0};
  }

  workspace_slot* take() {
    const std::lock_guard lock(mutex_);
    return take_locked();
  }
  void give_back(workspace_slot* slot) {
    const std::lock_guard lock(mutex_);
    free_.push_back(slot);
  }
  workspace_slot* of_stream(unsigned long long stream) {
    const std::lock_guard lock(mutex_);
    workspace_slot*& slot = streams_[stream];
    if (slot == nullptr) slot = take_locked();
    return slot;
  }
  workspace_slot* of_graph(unsigned long long capture, cudaStream_t stream, cudaGraph_t graph) {
    const std::lock_guard lock(mutex_);
    workspace_slot*& slot = graphs_[{capture, stream}];
    if (slot == nullptr) {
      slot = take_locked();
      // The graph and what is instantiated from it hold on to the slot; with the last of them it comes back.
      auto lease = std::make_unique<graph_lease>(graph_lease{this, capture, stream});
      cudaUserObject_t object = nullptr;
      check(cudaUserObjectCreate(&object, lease.get(), release, 1, cudaUserObjectNoDestructorSync), "graph's workspace");
      (void)lease.release();
      check(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), "graph's workspace");
    }
    return slot;
  }

  simt::device_facts facts{};
  int* status = nullptr;  ///< what asynchronous reductions have to report

 private:
  struct graph_lease {
    device_state* state;
    unsigned long long capture;
    cudaStream_t stream;
  };
  static void CUDART_CB release(void* p) {
    const std::unique_ptr<graph_lease> lease(static_cast<graph_lease*>(p));
    const std::lock_guard lock(lease->state->mutex_);
    const auto found = lease->state->graphs_.find({lease->capture, lease->stream});
    lease->state->free_.push_back(found->second);
    lease->state->graphs_.erase(found);
  }

  workspace_slot* take_locked() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<workspace_slot>());
      free_.push_back(all_.back().get());
    }
    workspace_slot* slot = free_.back();
    free_.pop_back();
    return slot;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<workspace_slot>> all_;
  std::vector<workspace_slot*> free_;
  std::map<unsigned long long, workspace_slot*> streams_;
  std::map<std::pair<unsigned long long, cudaStream_t>, workspace_slot*> graphs_;
};

/// Kept until the process ends: the runtime may be gone before static destructors run.
device_state& state_of(int device) {
  static auto* mutex = new std::mutex;
  static auto* states = new std::map<int, std::unique_ptr<device_state>>;
  static thread_local std::pair<int, device_state*> latest{-1, nullptr};
  if (latest.first == device) return *latest.second;
  const std::lock_guard lock(*mutex);
  auto& state = (*states)[device];
  if (!state) state = std::make_unique<device_state>(device);
  latest = {device, state.get()};
  return *state;
}

int current_device() {
  int device = 0;
  int count = 0;
  static const cudaError_t devices = cudaGetDeviceCount(&count);
  if (devices != cudaSuccess) {
    (void)cudaGetLastError();
    throw error(errc::no_device, std::string("accrue::cuda: no CUDA device (") + cudaGetErrorString(devices) + ")");
  }
  check(cudaGetDevice(&device), "no CUDA device");
  return device;
}

void throw_status(int status) {
  if (status == static_cast<int>(errc::integer_overflow)) {
    throw overflow_error("accrue::cuda: an integer total does not fit its result type");
  }
  if (status != 0) throw error(errc::internal, "accrue::cuda: a kernel left the status " + std::to_string(status));
}

/// Throws what asynchronous reductions left.
void report(device_state& state) {
  volatile int& status = *state.status;
  const int left = status;
  if (left == 0) return;
  status = 0;
  throw_status(left);
}

}  // namespace

void check_launch() { check(cudaGetLastError(), "kernel launch"); }

call::call(const cuda& space) : space_(space), device_(nullptr), previous_device_(current_device()) {
  if (const cudaError_t earlier = cudaPeekAtLastError(); earlier != cudaSuccess) check(earlier, "an earlier call failed");
  if (space.threads % 32 != 0 || space.threads > 512) {
    throw error(errc::invalid_argument,
                "accrue::cuda: " + std::to_string(space.threads) + " threads are no block of whole warps up to 512");
  }
  if (space.device >= 0 && space.device != previous_device_) check(cudaSetDevice(space.device), "device");
  try {
    device_state& state = state_of(space.device >= 0 ? space.device : previous_device_);
    device_ = &state.facts;
    status_ = state.status;
    report(state);
  } catch (...) {
    if (space.device >= 0 && space.device != previous_device_) cudaSetDevice(previous_device_);
    throw;
  }
  nvtxRangePushA("accrue");
}
call::~call() {
  nvtxRangePop();
  if (device_->device != previous_device_) cudaSetDevice(previous_device_);
}

void call::check_readable(const void* p) const {
  cudaPointerAttributes a{};
  check(cudaPointerGetAttributes(&a, p), "pointer");
  if (a.type == cudaMemoryTypeUnregistered) {
    throw error(errc::wrong_space,
                "accrue::cuda: the device cannot read ordinary host memory; use memory of the space, managed or pinned memory");
  }
  if (a.type == cudaMemoryTypeDevice && a.device != device_->device) {
    throw error(errc::wrong_space, "accrue::cuda: the memory belongs to device " + std::to_string(a.device) +
                                       ", the call to device " + std::to_string(device_->device));
  }
}

simt::launch_request call::request(void* result) const {
  simt::launch_request r{device_, space_.stream, space_.blocks, space_.threads, nullptr, 0, result, status_};
  if (space_.workspace != nullptr) {
    r.workspace = space_.workspace->data();
    r.workspace_bytes = space_.workspace->size();
  } else {
    r.workspace = slot_->device_memory;
    r.workspace_bytes = workspace_slot::least_bytes;
  }
  return r;
}

blocking_call::blocking_call(const cuda& space) : call(space) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(space.stream, &capture), "stream");
  if (capture != cudaStreamCaptureStatusNone) {
    throw error(errc::invalid_argument, "accrue::cuda: the stream is being captured, so only reduce_into can run on it");
  }
  slot_ = state_of(device_->device).take();
  slot_->host->status = 0;
  status_ = &slot_->host->status;
}
blocking_call::~blocking_call() { state_of(device_->device).give_back(slot_); }

void* blocking_call::result() const { return slot_->host->result; }
void blocking_call::wait() const {
  check(cudaStreamSynchronize(space_.stream), "a kernel failed");
  throw_status(slot_->host->status);
}

asynchronous_call::asynchronous_call(const cuda& space) : call(space) {
  if (space.workspace != nullptr) return;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  check(cudaStreamGetCaptureInfo(space.stream, &capture, &id, &graph, nullptr, nullptr, nullptr), "capture");
  device_state& state = state_of(device_->device);
  if (capture == cudaStreamCaptureStatusActive) {
    slot_ = state.of_graph(id, space.stream, graph);
    return;
  }
  unsigned long long stream = 0;  // a handle may come back as another stream's, its number does not
  check(cudaStreamGetId(space.stream, &stream), "stream's number");
  slot_ = state.of_stream(stream);
}

std::vector<device_description> devices(std::string& why) {
  std::vector<device_description> all;
  int count = 0;
  if (const cudaError_t e = cudaGetDeviceCount(&count); e != cudaSuccess) {
    (void)cudaGetLastError();
    why = cudaGetErrorString(e);
    return all;
  }
  for (int d = 0; d < count; ++d) {
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, d), "device properties");
    device_description one{};
    one.name = p.name;
    one.facts = {d, 10 * p.major + p.minor, static_cast<unsigned>(p.multiProcessorCount), p.sharedMemPerBlockOptin};
    one.memory_bytes = p.totalGlobalMem;
    one.l2_bytes = static_cast<std::size_t>(p.l2CacheSize);
    one.threads_per_multiprocessor = p.maxThreadsPerMultiProcessor;
    one.memory_bus_bits = p.memoryBusWidth;
    check(cudaDeviceGetAttribute(&one.clock_khz, cudaDevAttrClockRate, d), "clock");
    check(cudaDeviceGetAttribute(&one.memory_clock_khz, cudaDevAttrMemoryClockRate, d), "memory clock");
    check(cudaDriverGetVersion(&one.driver), "driver version");
    check(cudaRuntimeGetVersion(&one.runtime), "runtime version");
    all.push_back(one);
  }
  return all;
}

}  // namespace accrue::cuda_backend

namespace accrue {

using cuda_backend::check;

namespace {

/// The space's device is current while this lives.
class device_guard {
 public:
  explicit device_guard(const cuda& space)
      : previous_(cuda_backend::current_device()), changed_(space.device >= 0 && space.device != previous_) {
    if (changed_) check(cudaSetDevice(space.device), "device");
  }
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;
  ~device_guard() {
    if (changed_) cudaSetDevice(previous_);
  }

 private:
  detail::fp_environment environment_;  // the driver computes too
  int previous_;
  bool changed_;
};

}  // namespace

void* cuda::allocate(std::size_t size_bytes) const {
  const device_guard guard(*this);
  void* p = nullptr;
  check(cudaMalloc(&p, size_bytes != 0 ? size_bytes : 1), ("no memory for " + std::to_string(size_bytes) + " bytes").c_str());
  return p;
}
void cuda::deallocate(void* p) const {
  const device_guard guard(*this);
  check(cudaFree(p), "free");
}
void cuda::copy(void* to, const void* from, std::size_t size_bytes) const {
  const device_guard guard(*this);
  if (size_bytes != 0) check(cudaMemcpyAsync(to, from, size_bytes, cudaMemcpyDefault, stream), "copy");
}
void cuda::fill(void* to, int byte, std::size_t size_bytes) const {
  const device_guard guard(*this);
  if (size_bytes != 0) check(cudaMemsetAsync(to, byte, size_bytes, stream), "fill");
}
void cuda::synchronize() const {
  const device_guard guard(*this);
  check(cudaStreamSynchronize(stream), "a kernel failed");
  cuda_backend::report(cuda_backend::state_of(cuda_backend::current_device()));
}

cuda_workspace::cuda_workspace(std::size_t bytes) : size_(bytes) {
  if (bytes < simt::least_workspace_bytes) throw error(errc::invalid_argument, "accrue::cuda_workspace: too small");
  (void)cuda_backend::current_device();
  data_ = cuda_backend::allocate_zeroed(bytes);
}
cuda_workspace::~cuda_workspace() { cudaFree(data_); }

}  // namespace accrue
