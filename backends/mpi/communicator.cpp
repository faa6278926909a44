// SPDX-License-Identifier: BSD-3-Clause
#include "accrue/backends/mpi/communicator.hpp"

#include <memory>
#include <string>

#include "accrue/error.hpp"

namespace accrue::ranks {

namespace {

int free_duplicate(MPI_Comm, int, void* value, void*) {
  auto* const c = static_cast<communicator*>(value);
  const int code = MPI_Comm_free(&c->own);
  delete c;
  return code;
}

/// The key under which a communicator has its duplicate.
int duplicate_key() {
  static const int key = [] {
    int k = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_duplicate, &k, nullptr), "MPI_Comm_create_keyval");
    return k;
  }();
  return key;
}

}  // namespace

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw error(errc::kernel_failure, std::string("accrue::mpi: ") + call + ": " + std::string(text, static_cast<std::size_t>(length)));
}

const communicator& communicator_of(MPI_Comm comm) {
  int begun = 0;
  int ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun == 0 || ended != 0) throw error(errc::not_initialized, "accrue::mpi: MPI is not initialized, or is finalized already");
  if (comm == MPI_COMM_NULL) throw error(errc::invalid_argument, "accrue::mpi: MPI_COMM_NULL");
  int between = 0;
  check(MPI_Comm_test_inter(comm, &between), "MPI_Comm_test_inter");
  if (between != 0) throw error(errc::invalid_argument, "accrue::mpi: an intercommunicator");
  void* found = nullptr;
  int known = 0;
  check(MPI_Comm_get_attr(comm, duplicate_key(), &found, &known), "MPI_Comm_get_attr");
  if (known != 0) return *static_cast<communicator*>(found);
  auto made = std::make_unique<communicator>();
  made->callers = comm;
  check(MPI_Comm_dup(comm, &made->own), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(made->own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(made->own, &made->rank), "MPI_Comm_rank");
  check(MPI_Comm_size(made->own, &made->size), "MPI_Comm_size");
  check(MPI_Comm_set_attr(comm, duplicate_key(), made.get()), "MPI_Comm_set_attr");
  return *made.release();
}

}  // namespace accrue::ranks
