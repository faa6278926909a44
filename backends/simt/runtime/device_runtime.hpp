// SPDX-License-Identifier: BSD-3-Clause
// A device space over its runtime_api: errors, and the memory of calls. A backend's runtime.cpp includes this and instantiates it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "accrue/backends/simt/runtime/device_api.hpp"

namespace accrue::simt {

/// While it lives, allocation is no part of a graph that some thread may be capturing.
template <class Space>
class relaxed_capture {
 public:
  relaxed_capture() { check<Space>(runtime_api<Space>::exchange_capture_mode(mode_), "capture mode"); }
  relaxed_capture(const relaxed_capture&) = delete;
  relaxed_capture& operator=(const relaxed_capture&) = delete;
  ~relaxed_capture() { (void)runtime_api<Space>::exchange_capture_mode(mode_); }

 private:
  typename runtime_api<Space>::capture_mode mode_ = runtime_api<Space>::relaxed;
};

template <class Space>
unsigned char* allocate_zeroed(std::size_t bytes) {
  using api = runtime_api<Space>;
  const relaxed_capture<Space> relaxed;
  void* p = nullptr;
  check<Space>(api::allocate(&p, bytes), "workspace");
  typename api::stream own = nullptr;
  auto cleared = api::create_stream(own);
  if (cleared == api::success) {
    cleared = api::fill(p, 0, bytes, own);
    if (cleared == api::success) cleared = api::synchronize(own);
    (void)api::destroy_stream(own);
  }
  if (cleared != api::success) (void)api::release(p);
  check<Space>(cleared, "workspace");
  return static_cast<unsigned char*>(p);
}
template <class Space, class T>
T* allocate_pinned() {
  const relaxed_capture<Space> relaxed;
  void* p = nullptr;
  check<Space>(runtime_api<Space>::allocate_pinned(&p, sizeof(T)), "pinned memory");
  return new (p) T{};
}

/// The device memory of a call, and pinned memory for what it brings back.
template <class Space>
struct workspace_slot {
  struct host_part {
    int status;
    alignas(64) unsigned char result[result_bytes];
  };
  static constexpr std::size_t bytes = std::size_t{4} << 20;
  unsigned char* device_memory = allocate_zeroed<Space>(bytes);
  host_part* host = allocate_pinned<Space, host_part>();
};

/// The workspaces of a device. Blocking calls take one each; asynchronous calls share that of their stream, on which they follow
/// each other; each graph has its own, for as long as the graph exists.
template <class Space>
class device_state {
 public:
  using api = runtime_api<Space>;
  using slot_type = workspace_slot<Space>;

  explicit device_state(int device) {
    device_description d{};
    check<Space>(api::describe(device, d), "device");
    facts = d.facts;
    status = allocate_pinned<Space, int>();
  }

  slot_type* take() {
    const std::lock_guard lock(mutex_);
    return take_locked();
  }
  void give_back(slot_type* slot) {
    const std::lock_guard lock(mutex_);
    free_.push_back(slot);
  }
  slot_type* of_stream(unsigned long long stream) {
    const std::lock_guard lock(mutex_);
    slot_type*& slot = streams_[stream];
    if (slot == nullptr) slot = take_locked();
    return slot;
  }
  slot_type* of_graph(const capture<typename api::graph>& c, typename api::stream stream) {
    const std::lock_guard lock(mutex_);
    slot_type*& slot = graphs_[{c.number, stream}];
    if (slot == nullptr) {
      slot = take_locked();
      // The graph and what is instantiated from it hold on to the slot; with the last of them it comes back.
      auto lease = std::make_unique<graph_lease>(graph_lease{this, c.number, stream});
      check<Space>(api::keep_with(c.into, lease.get(), release), "graph's workspace");
      (void)lease.release();
    }
    return slot;
  }

  /// Where memory in the order of streams comes from, some of which stays here when it is given back: to get it from the device again after
  /// every synchronisation takes some 100 us. A null pool, which is the device's own, where it has no others.
  typename api::pool pool() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(has_pool_, true)) {
      const relaxed_capture<Space> relaxed;
      if (api::create_pool(pool_, facts.device, std::uint64_t{1} << 28) != api::success) {
        (void)api::last_error();
        pool_ = {};
      }
    }
    return pool_;
  }

  device_facts facts{};
  int* status = nullptr;  ///< what asynchronous reductions have to report

 private:
  struct graph_lease {
    device_state* state;
    unsigned long long capture;
    typename api::stream stream;
  };
  static void release(void* p) {
    const std::unique_ptr<graph_lease> lease(static_cast<graph_lease*>(p));
    const std::lock_guard lock(lease->state->mutex_);
    const auto found = lease->state->graphs_.find({lease->capture, lease->stream});
    lease->state->free_.push_back(found->second);
    lease->state->graphs_.erase(found);
  }

  slot_type* take_locked() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<slot_type>());
      free_.push_back(all_.back().get());
    }
    slot_type* slot = free_.back();
    free_.pop_back();
    return slot;
  }

  std::mutex mutex_;
  typename api::pool pool_{};
  bool has_pool_ = false;
  std::vector<std::unique_ptr<slot_type>> all_;
  std::vector<slot_type*> free_;
  std::map<unsigned long long, slot_type*> streams_;
  std::map<std::pair<unsigned long long, typename api::stream>, slot_type*> graphs_;
};

/// Kept until the process ends: the runtime may be gone before static destructors run.
template <class Space>
device_state<Space>& state_of(int device) {
  static auto* mutex = new std::mutex;
  static auto* states = new std::map<int, std::unique_ptr<device_state<Space>>>;
  static thread_local std::pair<int, device_state<Space>*> latest{-1, nullptr};
  if (latest.first == device) return *latest.second;
  const std::lock_guard lock(*mutex);
  auto& state = (*states)[device];
  if (!state) state = std::make_unique<device_state<Space>>(device);
  latest = {device, state.get()};
  return *state;
}

template <class Space>
int current_device() {
  using api = runtime_api<Space>;
  int device = 0;
  int count = 0;
  static const auto found = api::count_devices(count);
  if (found != api::success) {
    (void)api::last_error();
    throw error(errc::no_device,
                std::string("accrue::") + Space::name + ": no " + api::name + " device (" + api::text_of(found) + ")");
  }
  check<Space>(api::current_device(device), "no device");
  return device;
}

/// The space's device is current while this lives.
template <class Space>
class device_guard {
 public:
  explicit device_guard(int device) : previous_(current_device<Space>()), changed_(device >= 0 && device != previous_) {
    if (changed_) check<Space>(runtime_api<Space>::use_device(device), "device");
  }
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;
  ~device_guard() {
    if (changed_) (void)runtime_api<Space>::use_device(previous_);
  }

 private:
  detail::fp_environment environment_;  // the driver computes too
  int previous_;
  bool changed_;
};

template <class Space>
void throw_status(int status) {
  const std::string who = std::string("accrue::") + Space::name;
  if (status == static_cast<int>(errc::integer_overflow))
    throw overflow_error(who + ": an integer total does not fit its result type");
  if (status == static_cast<int>(errc::empty_range))
    throw error(errc::empty_range, who + ": no elements, of which there is no result");
  if (status == static_cast<int>(errc::out_of_range))
    throw error(errc::out_of_range, who + ": offsets of segments that do not ascend from 0 to the number of elements, keys or indices "
                                          "that are none, or contributions or forces beyond the bound of fixed_point, or too "
                                          "small for its unit");
  if (status == static_cast<int>(errc::invalid_argument)) {
    throw error(errc::invalid_argument, who + ": a particle has moved further than half the skin since the neighbour list was built");
  }
  if (status == static_cast<int>(errc::bad_input)) throw error(errc::bad_input, who + ": the position of a particle is not finite");
  if (status != 0) throw error(errc::internal, who + ": a kernel left the status " + std::to_string(status));
}

/// Throws what asynchronous reductions left.
template <class Space>
void report(device_state<Space>& state) {
  volatile int& status = *state.status;
  const int left = status;
  if (left == 0) return;
  status = 0;
  throw_status<Space>(left);
}

template <class Space>
device_call<Space>::device_call(const Space& space) : space_(space), previous_device_(0) {
  using api = runtime_api<Space>;
  // First of all: some runtimes forget an error with the next call.
  const auto earlier = api::peek_error();
  previous_device_ = current_device<Space>();
  check<Space>(earlier, "an earlier call failed");
  const int device = space.device >= 0 ? space.device : previous_device_;
  if (device != previous_device_) check<Space>(api::use_device(device), "device");
  try {
    device_state<Space>& state = state_of<Space>(device);
    device_ = &state.facts;
    status_ = state.status;
    if (space.threads % least_warp != 0 || space.threads > most_threads) {
      throw error(errc::invalid_argument, std::string("accrue::") + Space::name + ": " + std::to_string(space.threads) +
                                              " threads are no block of whole warps up to 512");
    }
    report(state);
  } catch (...) {
    if (device != previous_device_) (void)api::use_device(previous_device_);
    throw;
  }
  api::push_range("accrue");
}
template <class Space>
device_call<Space>::~device_call() {
  runtime_api<Space>::pop_range();
  if (device_->device != previous_device_) (void)runtime_api<Space>::use_device(previous_device_);
}

template <class Space>
void device_call<Space>::check_reachable(const void* p) const {
  memory_place place{};
  check<Space>(runtime_api<Space>::locate(p, place), "pointer");
  const std::string who = std::string("accrue::") + Space::name;
  if (!place.reachable) {
    throw error(errc::wrong_space,
                who + ": the device cannot read ordinary host memory; use memory of the space, managed or pinned memory");
  }
  if (place.device >= 0 && place.device != device_->device) {
    throw error(errc::wrong_space, who + ": the memory belongs to device " + std::to_string(place.device) +
                                       ", the call to device " + std::to_string(device_->device));
  }
}

template <class Space>
launch_request device_call<Space>::request(void* result) const {
  const unsigned threads = (space_.threads + device_->warp_width - 1) / device_->warp_width * device_->warp_width;
  launch_request r{device_, space_.stream, space_.blocks, threads, nullptr, 0, result, status_};
  if (space_.workspace != nullptr) {
    r.workspace = space_.workspace->data();
    r.workspace_bytes = space_.workspace->size();
  } else {
    r.workspace = slot_->device_memory;
    r.workspace_bytes = workspace_slot<Space>::bytes;
  }
  return r;
}

template <class Space>
blocking_call<Space>::blocking_call(const Space& space) : device_call<Space>(space) {
  using api = runtime_api<Space>;
  capture<typename api::graph> c;
  check<Space>(api::capture_of(space.stream, c), "stream");
  if (c.active) {
    throw error(errc::invalid_argument,
                std::string("accrue::") + Space::name + ": the stream is being captured, so only reduce_into can run on it");
  }
  this->slot_ = state_of<Space>(this->device_->device).take();
  this->slot_->host->status = 0;
  this->status_ = &this->slot_->host->status;
}
template <class Space>
blocking_call<Space>::~blocking_call() {
  state_of<Space>(this->device_->device).give_back(this->slot_);
}
template <class Space>
void* blocking_call<Space>::result() const {
  return this->slot_->host->result;
}
template <class Space>
void blocking_call<Space>::wait() const {
  check<Space>(runtime_api<Space>::synchronize(this->space_.stream), "a kernel failed");
  throw_status<Space>(this->slot_->host->status);
}

template <class Space>
asynchronous_call<Space>::asynchronous_call(const Space& space) : device_call<Space>(space) {
  using api = runtime_api<Space>;
  if (space.workspace != nullptr) return;
  capture<typename api::graph> c;
  check<Space>(api::capture_of(space.stream, c), "capture");
  device_state<Space>& state = state_of<Space>(this->device_->device);
  if (c.active) {
    this->slot_ = state.of_graph(c, space.stream);
    return;
  }
  unsigned long long number = 0;
  check<Space>(api::number_of(space.stream, number), "stream's number");
  this->slot_ = state.of_stream(number);
}

template <class Space>
void asynchronous_call<Space>::refuse_capture(const char* what) const {
  using api = runtime_api<Space>;
  capture<typename api::graph> c;
  check<Space>(api::capture_of(this->space_.stream, c), "capture");
  if (c.active) throw error(errc::invalid_argument, std::string("accrue::") + Space::name + ": a stream that is being captured: " + what);
}

template <class Space>
stream_memory<Space>::stream_memory(const device_call<Space>& call, std::size_t bytes) : device_(call.device()), stream_(call.stream()) {
  check<Space>(runtime_api<Space>::allocate_in_order(&data_, bytes, state_of<Space>(device_).pool(), stream_),
               ("no memory for " + std::to_string(bytes) + " bytes").c_str());
}
template <class Space>
stream_memory<Space>::~stream_memory() {
  const device_guard<Space> guard(device_);
  (void)runtime_api<Space>::release_in_order(data_, stream_);
}

template <class Space>
std::vector<device_description> devices(std::string& why) {
  using api = runtime_api<Space>;
  std::vector<device_description> all;
  int count = 0;
  if (const auto e = api::count_devices(count); e != api::success) {
    (void)api::last_error();
    why = api::text_of(e);
    return all;
  }
  for (int d = 0; d < count; ++d) {
    device_description one{};
    check<Space>(api::describe(d, one), "device");
    all.push_back(std::move(one));
  }
  return all;
}

template <class Space, class Stream>
void* device_space<Space, Stream>::allocate(std::size_t size_bytes) const {
  const device_guard<Space> guard(device);
  void* p = nullptr;
  check<Space>(runtime_api<Space>::allocate(&p, size_bytes != 0 ? size_bytes : 1),
               ("no memory for " + std::to_string(size_bytes) + " bytes").c_str());
  return p;
}
template <class Space, class Stream>
void device_space<Space, Stream>::deallocate(void* p) const {
  const device_guard<Space> guard(device);
  check<Space>(runtime_api<Space>::release(p), "free");
}
template <class Space, class Stream>
void device_space<Space, Stream>::copy(void* to, const void* from, std::size_t size_bytes) const {
  const device_guard<Space> guard(device);
  if (size_bytes != 0) check<Space>(runtime_api<Space>::copy(to, from, size_bytes, stream), "copy");
}
template <class Space, class Stream>
void device_space<Space, Stream>::fill(void* to, int byte, std::size_t size_bytes) const {
  const device_guard<Space> guard(device);
  if (size_bytes != 0) check<Space>(runtime_api<Space>::fill(to, byte, size_bytes, stream), "fill");
}
template <class Space, class Stream>
void device_space<Space, Stream>::synchronize() const {
  const device_guard<Space> guard(device);
  check<Space>(runtime_api<Space>::synchronize(stream), "a kernel failed");
  report(state_of<Space>(current_device<Space>()));
}

template <class Space>
device_workspace<Space>::device_workspace(std::size_t bytes) : size_(bytes) {
  if (bytes < least_workspace_bytes) throw error(errc::invalid_argument, "accrue: the workspace is too small");
  (void)current_device<Space>();
  data_ = allocate_zeroed<Space>(bytes);
}
template <class Space>
device_workspace<Space>::~device_workspace() {
  (void)runtime_api<Space>::release(data_);
}

}  // namespace accrue::simt
