// SPDX-License-Identifier: BSD-3-Clause
// Runs the suite with the instruction set named in ACCRUE_TEST_INSTRUCTION_SET, if any. Where the backend has no device it says so and
// counts as skipped.
#if defined(ACCRUE_TEST_HOOK)
#include ACCRUE_TEST_HOOK
#endif
#include <accrue/error.hpp>
#include <accrue/instruction_set.hpp>
#include <catch2/catch_session.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  if (const char* wanted = std::getenv("ACCRUE_TEST_INSTRUCTION_SET")) {
    using accrue::instruction_set;
    for (const auto set : {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512}) {
      if (std::strcmp(wanted, accrue::to_string(set)) != 0) continue;
      if (accrue::limit_instruction_set(set) != set) {
        std::printf("this processor has no %s\n", wanted);
        return 4;  // the code that CTest takes for a skipped test
      }
    }
  }
#if defined(ACCRUE_TEST_HOOK)
  try {
    hook::make().synchronize();
  } catch (const accrue::error& e) {
    if (e.code() != accrue::errc::no_device) throw;
    std::printf("%s\n", e.what());
    return 4;
  }
#endif
  std::printf("instruction set: %s\n", accrue::to_string(accrue::current_instruction_set()));
  return Catch::Session().run(argc, argv);
}
