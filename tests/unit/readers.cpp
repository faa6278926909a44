// SPDX-License-Identifier: BSD-3-Clause
// The file readers: what they read, and what they say of malformed files.
#include <accrue/error.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <sstream>

#include "readers/column_file.hpp"

using namespace accrue::program;

namespace {

struct contents {
  std::vector<std::string> names;
  std::vector<element_type> types;
  std::vector<std::string> bytes;

  template <class T>
  std::vector<T> as(std::size_t k) const {
    std::vector<T> x(bytes.at(k).size() / sizeof(T));
    if (!x.empty()) std::memcpy(x.data(), bytes[k].data(), bytes[k].size());
    return x;
  }
};

contents read(const std::string& data, const std::string& name, const read_options& options = {}) {
  std::istringstream in(data);
  const auto file = open_columns(in, name, data.size(), options);
  contents c;
  for (const auto& col : file->columns()) {
    c.names.push_back(col.name);
    c.types.push_back(col.type);
    c.bytes.emplace_back();
  }
  file->read([&](const piece& p) { c.bytes[p.index].append(static_cast<const char*>(p.data), p.size * size_of(c.types[p.index])); });
  return c;
}

std::string complaint(const std::string& data, const std::string& name, const read_options& options = {}) {
  try {
    read(data, name, options);
  } catch (const accrue::error& e) {
    CHECK(e.code() == accrue::errc::bad_input);
    return e.what();
  }
  return "";
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data, const char* order = "False") {
  const std::string header = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  return file + header + data;
}

template <class T>
std::string raw(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(std::data(values)), values.size() * sizeof(T)};
}

using doubles = std::vector<double>;

}  // namespace

TEST_CASE("text: blanks, comments, line ends, signs", "[readers]") {
  const auto c = read("# a comment\n  1 2.5e3\r\n\n+3\t-4\n nan -inf", "f.txt");
  REQUIRE(c.names.size() == 2);
  CHECK(c.as<double>(0).size() == 3);
  CHECK(c.as<double>(0)[1] == 3);
  CHECK(c.as<double>(1)[0] == 2500);
  CHECK(c.as<double>(1)[2] == -std::numeric_limits<double>::infinity());
  CHECK(read("", "f.txt").names.empty());
  CHECK(read("5\n6\n", "f.txt").as<double>(0) == doubles{5, 6});
  CHECK(read("head\nmore\n7", "f.txt", {.skip_lines = 2}).as<double>(0) == doubles{7});
}

TEST_CASE("CSV: header, quotes, delimiters, columns by name and number", "[readers]") {
  const std::string data = "time,\"value, raw\",label\n0,1.5,a\n1,\"2.5\",\"b \"\"x\"\"\"\n";
  const auto all = read(data, "f.csv");
  CHECK(all.names == std::vector<std::string>{"time", "value, raw"});
  CHECK(all.as<double>(1) == doubles{1.5, 2.5});
  CHECK(read(data, "f.csv", {.columns = {"value, raw"}}).as<double>(0) == doubles{1.5, 2.5});
  const auto picked = read(data, "f.csv", {.columns = {"2", "time"}});
  CHECK(picked.as<double>(0) == doubles{1.5, 2.5});
  CHECK(picked.as<double>(1) == doubles{0, 1});
  CHECK(read("1;2\n3;4\n", "f.csv").as<double>(1) == doubles{2, 4});
  CHECK(read("a\tb\n1\t2\n", "f.tsv").as<double>(1) == doubles{2});
}

TEST_CASE("long text comes in pieces", "[readers]") {
  std::string data;
  for (int i = 0; i < 200000; ++i) data += std::to_string(i) + "\n";
  const auto x = read(data, "f").as<double>(0);
  REQUIRE(x.size() == 200000);
  CHECK(x[199999] == 199999);
}

TEST_CASE("malformed text: file, line, column, what was expected", "[readers]") {
  CHECK(complaint("1\n2\nx3\n", "f.txt") == "f.txt:3:1: expected a number, found 'x3'");
  CHECK(complaint("a,b\n1,2\n3,1e5z\n", "f.csv") == "f.csv:3:3: expected a number, found '1e5z'");
  CHECK(complaint("a,b\n1,2\n3,\n", "f.csv") == "f.csv:3:3: expected a number, found an empty field (--skip-empty leaves such out)");
  CHECK(complaint("1 2\n3\n", "f.txt") == "f.txt:2:1: expected 2 fields, found 1");
  CHECK(complaint("1\n1e999\n", "f.txt") == "f.txt:2:1: expected a number in the range of a double, found '1e999'");
  CHECK(complaint("a,b\n1,\"2\n", "f.csv") == "f.csv:2:3: expected a closing quote, found the end of the line");
  CHECK(complaint("a,b\n1,2\n", "f.csv", {.columns = {"c"}}) == "f.csv: no column 'c': expected a number from 1 to 2 or one of: a, b");
  CHECK(complaint("a,b\n1,2\n", "f.csv", {.columns = {"3"}}) == "f.csv: no column '3': expected a number from 1 to 2 or one of: a, b");
  CHECK(complaint("1\n", "f", {.skip_lines = 5}) == "f:1:1: expected data after 5 lines to skip, found the end of the file");
  CHECK(complaint("1", "f", {.format = "xml"}) == "unknown format 'xml': expected text, npy, raw or strd");
}

TEST_CASE("NPY: types, shapes, orders", "[readers]") {
  CHECK(read(npy("<f8", "(3,)", raw<double>({1, 2, 3})), "f.npy").as<double>(0) == doubles{1, 2, 3});
  CHECK(read(npy("<i4", "(2,)", raw<std::int32_t>({-1, 7})), "f.npy").types[0] == element_type::i32);
  CHECK(read(npy("|b1", "(2,)", std::string("\1\0", 2)), "f.npy").types[0] == element_type::u8);
  const auto rows = read(npy("<f4", "(2, 3)", raw<float>({1, 2, 3, 4, 5, 6})), "f.npy");
  CHECK(rows.as<float>(1) == std::vector<float>{2, 5});
  const auto columns = read(npy("<f4", "(2, 3)", raw<float>({1, 2, 3, 4, 5, 6}), "True"), "f.npy");
  CHECK(columns.as<float>(1) == std::vector<float>{3, 4});
  CHECK(read(npy("<f2", "(0,)", ""), "f.npy").as<std::uint16_t>(0).empty());
}

TEST_CASE("malformed binary files", "[readers]") {
  CHECK(complaint("hello", "f.npy") == "f.npy: not an NPY file: expected \\x93NUMPY at its start");
  CHECK(complaint(npy("<f8", "(3,)", raw<double>({1, 2})), "f.npy") ==
        "f.npy: truncated: the header promises 3 x 1 elements, the file has room for 2");
  CHECK(complaint(npy("<f8", "(4611686018427387904, 8)", ""), "f.npy").find("truncated") != std::string::npos);
  CHECK(complaint(npy(">f8", "(1,)", raw<double>({1})), "f.npy") == "f.npy: big-endian data ('>f8'): expected little-endian");
  CHECK(complaint(npy("<c16", "(1,)", ""), "f.npy") == "f.npy: element type '<c16': expected f2, f4, f8, i1 to i8, u1 to u8 or b1");
  CHECK(complaint(npy("<f8", "(1,1,1)", raw<double>({1})), "f.npy") == "f.npy: 3 dimensions: expected an array of one or two");
  CHECK(complaint(std::string("\x93NUMPY\x01\x00\xff\xff", 10), "f.npy") == "f.npy: the file ends inside the NPY header");
  CHECK(complaint("12345", "f", {.type = element_type::f32}) == "f: 5 bytes are not a whole number of f32 elements");
  CHECK(complaint("", "f", {.format = "raw"}) == "f: raw data need --type");
  try {
    element_type_named("f128");
    FAIL();
  } catch (const accrue::error& e) {
    CHECK(std::string(e.what()) == "unknown type 'f128': expected one of f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64");
  }
}

TEST_CASE("StRD headers", "[readers]") {
  std::string header;
  for (int k = 1; k <= 60; ++k) {
    header += k == 41 ? "Sample Mean ybar: 1.25 (exact)\n" : k == 42 ? "Sample Standard Deviation (denom. = n-1) s: 0.5\n" : "-\n";
  }
  std::istringstream in(header + "1\n");
  const auto v = read_strd_header(in, "f");
  CHECK(v.mean == 1.25);
  CHECK(v.standard_deviation == 0.5);
  std::istringstream short_file("x\n");
  CHECK_THROWS_AS(read_strd_header(short_file, "f"), accrue::error);
}
