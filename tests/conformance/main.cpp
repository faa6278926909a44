// SPDX-License-Identifier: BSD-3-Clause
// Runs the suite with the instruction set named in ACCRUE_TEST_INSTRUCTION_SET, if any.
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
  std::printf("instruction set: %s\n", accrue::to_string(accrue::current_instruction_set()));
  return Catch::Session().run(argc, argv);
}
