// SPDX-License-Identifier: BSD-3-Clause
// The nccl backend: reductions over the data of all GPUs of an NCCL communicator. Its users link accrue::nccl.
#pragma once

#include "accrue/accrue.hpp"
#include "accrue/backends/nccl/nccl.hpp"
