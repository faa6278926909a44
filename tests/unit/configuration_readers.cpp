// SPDX-License-Identifier: BSD-3-Clause
// The configuration readers: what they read of each format, and what they say of malformed files.
#include <accrue/error.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <sstream>

#include "readers/configuration.hpp"

using namespace accrue::program;

namespace {

using doubles = std::vector<double>;
using triple = std::array<double, 3>;
using flags = std::array<bool, 3>;

configuration read(const std::string& data, const std::string& format = "") {
  std::istringstream in(data);
  return read_configuration(in, "f", format);
}

std::string complaint(const std::string& data, const std::string& format = "") {
  try {
    read(data, format);
  } catch (const accrue::error& e) {
    CHECK(e.code() == accrue::errc::bad_input);
    return e.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string with_windows_ends(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return out;
}

const std::string nist = "  1.0E+01 8.0 6\n  2\n  2  1 -2.5 3\n  1  4 5 6e0\n";

const std::string xyz =
    "2\n"
    "Lattice=\"4 0 0 0 5 0 0 0 6\" Origin=\"-1 -2 -3\" Properties=species:S:1:id:I:1:pos:R:3:velo:R:3:q:R:2:forces:R:3 pbc=\"T F "
    "T\"\n"
    "Ar 7 1 2 3 .1 .2 .3 9 9 -1 -2 -3\n"
    "Ar 6 4 5 6 .4 .5 .6 9 9 -4 -5 -6\n";

const std::string data =
    "a title, 3 of it\n"
    "\n"
    "3 atoms  # counted\n"
    "1 atom types\n"
    "0 bonds\n"
    "2 extra bond per atom\n"
    "-1 3 xlo xhi\n"
    "0 5.5 ylo yhi\n"
    "0 6 zlo zhi\n"
    "0 0 0.0 xy xz yz\n"
    "\n"
    "Masses\n"
    "\n"
    "1 39.9 # Ar\n"
    "\n"
    "Pair Coeffs # lj/cut\n"
    "\n"
    "1 1 1\n"
    "\n"
    "Atoms # atomic\n"
    "\n"
    "30 1 7 8 9\n"
    "10 1 1 2 3 -1 0 +0\n"
    "# between\n"
    "20 1 4 5 6\n"
    "\n"
    "Velocities\n"
    "\n"
    "20 .4 .5 .6\n"
    "10 .1 .2 .3\n"
    "30 .7 .8 .9\n";

const std::string dump =
    "ITEM: UNITS\n"
    "lj\n"
    "ITEM: TIMESTEP\n"
    "100\n"
    "ITEM: NUMBER OF ATOMS\n"
    "2\n"
    "ITEM: BOX BOUNDS pp ff sm\n"
    "0 10\n"
    "-1 1\n"
    "2 2\n"
    "ITEM: ATOMS type fz fy fx id x y z vx vy vz\n"
    "1 -6 -5 -4 9 4 5 6 .4 .5 .6\n"
    "1 -3 -2 -1 8 1 2 3 .1 .2 .3\n";

}  // namespace

TEST_CASE("NIST: a box about the origin, atoms by id", "[configurations]") {
  const auto c = read(nist);
  CHECK(c.format == "nist");
  CHECK(c.low == triple{-5, -4, -3});
  CHECK(c.length == triple{10, 8, 6});
  CHECK(c.periodic == flags{true, true, true});
  CHECK(c.size() == 2);
  CHECK(c.positions == doubles{4, 5, 6, 1, -2.5, 3});
  CHECK(c.velocities.empty());
  CHECK(c.forces.empty());
  CHECK(read(nist + "\n \n").size() == 2);
  CHECK(read("1 1 1\n0\n").positions.empty());
}

TEST_CASE("malformed NIST files: line, what was expected, what was found", "[configurations]") {
  CHECK(complaint("1 2\n2\n", "nist") == "f:1: expected three box lengths, found '1 2'");
  CHECK(complaint("1 2 x\n2\n", "nist") == "f:1: expected a number, found 'x'");
  CHECK(complaint("1 0 1\n0\n") == "f:1: expected a box length above 0 where periodic, found '0'");
  CHECK(complaint("1 -3 1\n0\n") == "f:1: expected a box length above 0 where periodic, found '-3'");
  CHECK(complaint("1 nan 1\n0\n") == "f:1: expected a finite number, found 'nan'");
  CHECK(complaint("1 1 1e999\n0\n") == "f:1: expected a number in the range of a double, found '1e999'");
  CHECK(complaint("1 1 1\n") == "f:2: expected a number of atoms, found the end of the file");
  CHECK(complaint("1 1 1\n\n") == "f:2: expected a number of atoms, found ''");
  CHECK(complaint("1 1 1\n2 3\n") == "f:2: expected a number of atoms, found '2 3'");
  CHECK(complaint("1 1 1\n-2\n") == "f:2: expected a number of atoms, found '-2'");
  CHECK(complaint("1 1 1\n2.0\n") == "f:2: expected a number of atoms, found '2.0'");
  CHECK(complaint("1 1 1\n1\n1 2 3\n") == "f:3: expected atom 1 of 1 in 4 columns, found 3: '1 2 3'");
  CHECK(complaint("1 1 1\n1\n1 2 3 4 5\n") == "f:3: expected atom 1 of 1 in 4 columns, found 5: '1 2 3 4 5'");
  CHECK(complaint("1 1 1\n1\n1 2 inf 4\n") == "f:3: expected a finite number, found 'inf'");
  CHECK(complaint("1 1 1\n1\n1 2 3 4f\n") == "f:3: expected a number, found '4f'");
  CHECK(complaint("1 1 1\n1\n1 2 3 +-4\n") == "f:3: expected a number, found '+-4'");
  CHECK(complaint("1 1 1\n1\n-1 2 3 4\n") == "f:3: expected an atom id, found '-1'");
  CHECK(complaint("1 1 1\n2\n1 2 3 4\n") == "f:4: expected atom 2 of 2, found the end of the file");
  CHECK(complaint("1 1 1\n1\n1 2 3 4\n\n2 2 3 4\n") == "f:5: expected the end of the file after 1 atoms, found '2 2 3 4'");
  CHECK(complaint("1 1 1\n4\n2 0 0 0\n3 0 0 0\n2 0 0 0\n3 0 0 0\n") == "f:5: expected an id not used before, found 2");
}

TEST_CASE("counts that a file does not hold take no memory", "[configurations]") {
  CHECK(complaint("1 1 1\n123456789012345678\n1 0 0 0\n") ==
        "f:4: expected atom 2 of 123456789012345678, found the end of the file");
  CHECK(complaint("1 1 1\n12345678901234567890\n") ==
        "f:2: expected a number of atoms that memory could hold, found '12345678901234567890'");
  CHECK(complaint("1 1 1\n123456789012345678901\n") == "f:2: expected a number of atoms, found '123456789012345678901'");
  CHECK(complaint("123456789012345678\n\nA 0 0 0\n") == "f:4: expected atom 2 of 123456789012345678, found the end of the file");
  CHECK(complaint(replaced(dump, "\n2\nITEM: BOX", "\n123456789012345678\nITEM: BOX")) ==
        "f:14: expected atom 3 of 123456789012345678, found the end of the file");
  CHECK(complaint(replaced(data, "3 atoms ", "123456789012345678 atoms ")) ==
        "f:27: expected line 4 of 123456789012345678 in section Atoms, found 'Velocities'");
}

TEST_CASE("extended XYZ: columns, box, open boundaries", "[configurations]") {
  const auto c = read(xyz);
  CHECK(c.format == "xyz");
  CHECK(c.low == triple{-1, -2, -3});
  CHECK(c.length == triple{4, 5, 6});
  CHECK(c.periodic == flags{true, false, true});
  CHECK(c.positions == doubles{1, 2, 3, 4, 5, 6});
  CHECK(c.velocities == doubles{.1, .2, .3, .4, .5, .6});
  CHECK(c.forces == doubles{-1, -2, -3, -4, -5, -6});

  const auto bare = read("1\nLattice='2 0 0 0 2 0 0 0 2'\nA 1 1 1\n");
  CHECK(bare.low == triple{0, 0, 0});
  CHECK(bare.periodic == flags{true, true, true});
  const auto spelled = read("0\npbc = {1 0 True} lattice = \"2 0 0 0 0 0 0 0 2\"\n");
  CHECK(spelled.periodic == flags{true, false, true});
  CHECK(spelled.length == triple{2, 0, 2});
  CHECK(read("1\nProperties=vel:R:3:force:R:3:pos:R:3\n1 2 3 4 5 6 7 8 9").velocities == doubles{1, 2, 3});
  CHECK(read("1\nProperties=velocities:R:3:force:R:3:pos:R:3\n1 2 3 4 5 6 7 8 9").forces == doubles{4, 5, 6});
}

TEST_CASE("plain XYZ: any comment, the box that bounds the atoms", "[configurations]") {
  const auto c = read("2\nit's at t = 5 'and \"so on, e=3\nAr 1 2 3\nAr -1 4 3\n");
  CHECK(c.periodic == flags{false, false, false});
  CHECK(c.low == triple{-1, 2, 3});
  CHECK(c.length == triple{2, 2, 0});
  CHECK(c.positions == doubles{1, 2, 3, -1, 4, 3});
  CHECK(read("0\n\n").length == triple{0, 0, 0});
  CHECK(read("1\npbc=\"F F F\"\nA 1 2 3\n").size() == 1);
  // A second frame is left alone, whatever it holds.
  CHECK(read("1\n\nA 1 2 3\n\n2\nLattice=x\n").size() == 1);
}

TEST_CASE("malformed XYZ files: line, what was expected, what was found", "[configurations]") {
  const auto head = [](const std::string& comment) { return complaint("1\n" + comment + "\nA 1 2 3\n"); };
  CHECK(complaint("x\n", "xyz") == "f:1: expected a number of atoms, found 'x'");
  CHECK(complaint("2 3\n", "xyz") == "f:1: expected a number of atoms, found '2 3'");
  CHECK(complaint("-1\n\n") == "f:1: expected a number of atoms, found '-1'");
  CHECK(complaint("1.5\n\n") == "f:1: expected a number of atoms, found '1.5'");
  CHECK(complaint("1") == "f:2: expected a comment line, found the end of the file");
  CHECK(complaint("1\n\n") == "f:3: expected atom 1 of 1, found the end of the file");
  CHECK(complaint("1\n\nA 1 2\n") == "f:3: expected atom 1 of 1 in 4 columns, found 3: 'A 1 2'");
  CHECK(complaint("1\n\nA 1 2 3 4\n") == "f:3: expected atom 1 of 1 in 4 columns, found 5: 'A 1 2 3 4'");
  CHECK(complaint("1\n\nA 1 b 3\n") == "f:3: expected a number, found 'b'");
  CHECK(complaint("1\n\nA 1 2 -inf\n") == "f:3: expected a finite number, found '-inf'");
  CHECK(complaint("1\n\nA 1 2 3\nA 4 5 6\n") ==
        "f:4: expected the end of the file or another frame after 1 atoms, found 'A 4 5 6'");
  CHECK(complaint("2\n\nA 1e308 2 3\nA -1e308 2 3\n") ==
        "f:5: expected coordinates less than the largest double apart, found a wider span");
  CHECK(head("Lattice=\"1 0 0 0 1 0 .5 0 1\"") ==
        "f:2: expected an orthorhombic Lattice \"a 0 0 0 b 0 0 0 c\", found '1 0 0 0 1 0 .5 0 1'");
  CHECK(head("Lattice=\"1 0 0 0 1 0 0 0\"") == "f:2: expected nine numbers in Lattice, found '1 0 0 0 1 0 0 0'");
  CHECK(head("Lattice=\"1 0 0 0 y 0 0 0 1\"") == "f:2: expected a number, found 'y'");
  CHECK(head("Lattice=\"1 0 0 0 0 0 0 0 1\"") == "f:2: expected a box length above 0 where periodic, found '1 0 0 0 0 0 0 0 1'");
  CHECK(head("Lattice=\"1 0 0 0 -1 0 0 0 1\" pbc=\"F F F\"") ==
        "f:2: expected a box length of 0 or more, found '1 0 0 0 -1 0 0 0 1'");
  CHECK(head("Lattice=\"9e307 0 0 0 1 0 0 0 1\" Origin=\"9e307 0 0\"") ==
        "f:2: expected a box in the range of a double, found '9e307 0 0 0 1 0 0 0 1'");
  CHECK(head("Lattice=\"1 0 0") == "f:2: expected a closing quote after Lattice=, found '\"1 0 0'");
  CHECK(head("pbc=\"F F F\" pbc=\"F F F\"") == "f:2: expected pbc once, found it twice");
  CHECK(head("pbc=\"T T\"") == "f:2: expected three flags in pbc, found 'T T'");
  CHECK(head("pbc=\"T T 2\"") == "f:2: expected T or F in pbc, found '2'");
  CHECK(head("pbc=\"F T F\"") == "f:2: expected a Lattice, since pbc names a periodic direction, found none");
  CHECK(head("Origin=\"1 2\"") == "f:2: expected three numbers in Origin, found '1 2'");
  CHECK(head("Properties=") == "f:2: expected name:type:count in Properties, the type S, R, I or L, found ''");
  CHECK(head("Properties=species:S:1:pos:R") ==
        "f:2: expected name:type:count in Properties, the type S, R, I or L, found 'pos:R'");
  CHECK(head("Properties=a:X:1:pos:R:3") == "f:2: expected name:type:count in Properties, the type S, R, I or L, found 'a:X:1'");
  CHECK(head("Properties=species:S:1:pos:R:2") == "f:2: expected pos:R:3 in Properties, found 'pos:R:2'");
  CHECK(head("Properties=species:S:1:pos:R:3:forces:I:3") == "f:2: expected forces:R:3 in Properties, found 'forces:I:3'");
  CHECK(head("Properties=species:S:4") == "f:2: expected pos:R:3 in Properties, found none");
  CHECK(head("Properties=pos:R:3:vel:R:3:velo:R:3") ==
        "f:2: expected one column for each quantity in Properties, found a second in 'velo:R:3'");
  CHECK(head("Properties=a:R:x:pos:R:3") == "f:2: expected a number of columns in Properties, found 'x'");
  CHECK(head("Properties=a:R:0:pos:R:3") == "f:2: expected a number of columns from 1 to 1000 in Properties, found '0'");
  CHECK(head("Properties=a:R:18446744073709551615:pos:R:3") ==
        "f:2: expected a number of columns from 1 to 1000 in Properties, found '18446744073709551615'");
  CHECK(head("Properties=species:S:1:pos:R:3:q:R:1") == "f:3: expected atom 1 of 1 in 5 columns, found 4: 'A 1 2 3'");
}

TEST_CASE("LAMMPS data: header, sections, ids out of order", "[configurations]") {
  const auto c = read(data);
  CHECK(c.format == "lammps-data");
  CHECK(c.low == triple{-1, 0, 0});
  CHECK(c.length == triple{4, 5.5, 6});
  CHECK(c.periodic == flags{true, true, true});
  CHECK(c.positions == doubles{1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(c.velocities == doubles{.1, .2, .3, .4, .5, .6, .7, .8, .9});
  CHECK(c.forces.empty());
  CHECK(read(replaced(data, "Atoms # atomic", "Atoms")).size() == 3);
  const auto still = read(data.substr(0, data.find("Velocities")));
  CHECK(still.positions == c.positions);
  CHECK(still.velocities.empty());
  // The title may be anything, and need not be there for its place to count.
  CHECK(read(replaced(data, "a title, 3 of it", "")).size() == 3);
  CHECK(read(replaced(data, "a title, 3 of it", "12"), "lammps-data").size() == 3);
  CHECK(read("\n0 atoms\n1 atom types\n0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\n").positions.empty());
}

TEST_CASE("malformed LAMMPS data: line, what was expected, what was found", "[configurations]") {
  const auto edited = [](const std::string& from, const std::string& to) { return complaint(replaced(data, from, to)); };
  CHECK(complaint("", "lammps-data") == "f:1: expected the title of a LAMMPS data file, found the end of the file");
  CHECK(complaint("title\n", "lammps-data") ==
        "f:2: expected 'N atoms' in the header of a LAMMPS data file, found the end of the file");
  CHECK(edited("3 atoms ", "-3 atoms ") == "f:3: expected a number of atoms, found '-3'");
  CHECK(edited("0 bonds", "3 bondz") == "f:5: expected a header line of a LAMMPS data file, such as '100 atoms', found '3 bondz'");
  CHECK(edited("0 bonds", "1 2 bonds") ==
        "f:5: expected a header line of a LAMMPS data file, such as '100 atoms', found '1 2 bonds'");
  CHECK(edited("1 atom types", "2 atom types") == "f:4: expected one atom type, which is the limit, found '2 atom types'");
  CHECK(edited("1 atom types\n", "") == "f:11: expected '1 atom types' in the header of a LAMMPS data file, found 'Masses'");
  CHECK(edited("0 5.5 ylo yhi\n", "") == "f:11: expected ylo yhi in the header of a LAMMPS data file, found 'Masses'");
  CHECK(edited("0 5.5 ylo", "5 4 ylo") == "f:8: expected a box length above 0 where periodic, found '5 4 ylo yhi'");
  CHECK(edited("0 5.5 ylo", "0 inf ylo") == "f:8: expected a finite number, found 'inf'");
  CHECK(edited("0 5.5 ylo", "-1e308 1e308 ylo") == "f:8: expected a box in the range of a double, found '-1e308 1e308 ylo yhi'");
  CHECK(edited("0 0 0.0 xy", "0 1 0 xy") == "f:10: expected an orthorhombic box, found a tilted one: '0 1 0 xy xz yz'");
  CHECK(edited("0 0 0.0 xy xz yz", "1 0 0 avec") == "f:10: expected an orthorhombic box, found a triclinic one: '1 0 0 avec'");
  CHECK(edited("Masses", "Massen") == "f:12: expected a section of a LAMMPS data file, found 'Massen'");
  CHECK(edited("Atoms # atomic", "Atoms # full") == "f:20: expected atom style atomic, found 'full'");
  CHECK(edited("Atoms # atomic", "Atom") == "f:20: expected a section of a LAMMPS data file, found 'Atom'");
  CHECK(edited("30 1 7 8 9", "30 1 7 8") ==
        "f:22: expected id, type, x, y, z and perhaps three image flags, found 4 columns: '30 1 7 8'");
  CHECK(edited("30 1 7 8 9", "30 1 0.5 7 8 9") ==
        "f:22: expected id, type, x, y, z and perhaps three image flags, found 6 columns: '30 1 0.5 7 8 9'");
  CHECK(edited("30 1 7 8 9", "30 2 7 8 9") == "f:22: expected atom type 1 (there is one atom type), found '2'");
  CHECK(edited("30 1 7 8 9", "30 1 7 8 nan") == "f:22: expected a finite number, found 'nan'");
  CHECK(edited("30 1 7 8 9", "1.5 1 7 8 9") == "f:22: expected an atom id, found '1.5'");
  CHECK(edited("2 3 -1 0 +0", "2 3 -1 0 0.5") == "f:23: expected a whole number as image flag, found '0.5'");
  CHECK(edited("20 1 4 5 6", "30 1 4 5 6") == "f:25: expected an id not used before, found 30");
  CHECK(edited("20 1 4 5 6\n", "") == "f:26: expected line 3 of 3 in section Atoms, found 'Velocities'");
  CHECK(edited("3 atoms ", "2 atoms ") == "f:25: expected the end of section Atoms after 2 lines, found '20 1 4 5 6'");
  CHECK(edited("30 .7 .8 .9\n", "") == "f:31: expected line 3 of 3 in section Velocities, found the end of the file");
  CHECK(edited("30 .7 .8 .9", "30 .7 .8") == "f:31: expected id, vx, vy and vz, found 3 columns: '30 .7 .8'");
  CHECK(edited("30 .7 .8 .9", "10 .7 .8 .9") == "f:31: expected an id not used before, found 10");
  CHECK(edited("30 .7 .8 .9", "25 .7 .8 .9") == "f:31: expected the id of an atom, found 25");
  CHECK(edited("30 .7 .8 .9", "31 .7 .8 .9") == "f:22: expected an atom that has a velocity, found id 30 without");
  CHECK(complaint(data + "5 .7 .8 .9\n") == "f:32: expected the end of section Velocities after 3 lines, found '5 .7 .8 .9'");
  CHECK(complaint(data + "Velocities\n") == "f:32: expected one section Velocities, found a second");
  CHECK(complaint(data + "Atoms\n") == "f:32: expected one section Atoms, found a second");
  CHECK(complaint(data.substr(0, data.find("Atoms #"))) == "f:20: expected a section Atoms, found the end of the file");
}

TEST_CASE("LAMMPS dump: columns by name, kinds of boundary, ids out of order", "[configurations]") {
  const auto c = read(dump);
  CHECK(c.format == "lammps-dump");
  CHECK(c.low == triple{0, -1, 2});
  CHECK(c.length == triple{10, 2, 0});
  CHECK(c.periodic == flags{true, false, false});
  CHECK(c.positions == doubles{1, 2, 3, 4, 5, 6});
  CHECK(c.velocities == doubles{.1, .2, .3, .4, .5, .6});
  CHECK(c.forces == doubles{-1, -2, -3, -4, -5, -6});
  // The first of several frames; without ids, the file's order; without all three, no forces.
  CHECK(read(dump + dump).positions == c.positions);
  const auto plain = read(replaced(dump, "fx id x", "a b x"));
  CHECK(plain.positions == doubles{4, 5, 6, 1, 2, 3});
  CHECK(plain.forces.empty());
}

TEST_CASE("LAMMPS dump: scaled and unwrapped positions", "[configurations]") {
  const auto scaled = read(replaced(dump, "x y z", "xs ysu zs"));
  CHECK(scaled.positions == doubles{10, 3, 2, 40, 9, 2});
  CHECK(read(replaced(dump, "x y z", "xu yu zu")).positions == doubles{1, 2, 3, 4, 5, 6});
  // Where there are both, the ones inside the box.
  CHECK(read(replaced(dump, "x y z vx", "xu y z x")).positions == doubles{.1, 2, 3, .4, 5, 6});
}

TEST_CASE("malformed LAMMPS dumps: line, what was expected, what was found", "[configurations]") {
  const auto edited = [](const std::string& from, const std::string& to) { return complaint(replaced(dump, from, to)); };
  CHECK(complaint("ITEM: TIMESTEP\n") == "f:2: expected a timestep, found the end of the file");
  CHECK(edited("\n100\n", "\nx\n") == "f:4: expected a timestep, found 'x'");
  CHECK(edited("ITEM: TIMESTEP", "ITEM: STEP") ==
        "f:3: expected ITEM: and TIMESTEP, NUMBER OF ATOMS, BOX BOUNDS or ATOMS, found 'ITEM: STEP'");
  CHECK(edited("ITEM: BOX BOUNDS pp", "ITEM: BOX BOUNDSpp pp") ==
        "f:7: expected ITEM: and TIMESTEP, NUMBER OF ATOMS, BOX BOUNDS or ATOMS, found 'ITEM: BOX BOUNDSpp pp ff sm'");
  CHECK(edited("100\n", "100\n\n") == "f:5: expected ITEM: and TIMESTEP, NUMBER OF ATOMS, BOX BOUNDS or ATOMS, found ''");
  CHECK(edited("ATOMS\n2\n", "ATOMS\n-2\n") == "f:6: expected a number of atoms, found '-2'");
  CHECK(edited("ATOMS\n2\n", "ATOMS\n2 2\n") == "f:6: expected a number of atoms, found '2 2'");
  CHECK(edited("BOUNDS pp ff sm", "BOUNDS") ==
        "f:7: expected ITEM: BOX BOUNDS with three kinds of boundary such as pp, found 'ITEM: BOX BOUNDS'");
  CHECK(edited("BOUNDS pp", "BOUNDS xy xz yz pp") ==
        "f:7: expected an orthorhombic box, found a triclinic one: 'ITEM: BOX BOUNDS xy xz yz pp ff sm'");
  CHECK(edited("0 10\n", "0 10 0\n") == "f:8: expected low and high of the box, found '0 10 0'");
  CHECK(edited("0 10\n", "0 0\n") == "f:8: expected a box length above 0 where periodic, found '0 0'");
  CHECK(edited("2 2\n", "2 1\n") == "f:10: expected a box length of 0 or more, found '2 1'");
  CHECK(edited("2 2\n", "2 z\n") == "f:10: expected a number, found 'z'");
  CHECK(
      edited("ITEM: NUMBER OF ATOMS\n2\n", "")
          .ends_with("f:9: expected ITEM: NUMBER OF ATOMS before the atoms, found 'ITEM: ATOMS type fz fy fx id x y z vx vy vz'"));
  CHECK(edited("ITEM: BOX BOUNDS pp ff sm\n0 10\n-1 1\n2 2\n", "")
            .starts_with("f:7: expected ITEM: BOX BOUNDS before the atoms, found 'ITEM: ATOMS"));
  CHECK(edited("x y z vx", "x z vx q") ==
        "f:11: expected a column y, yu, ys or ysu, found 'ITEM: ATOMS type fz fy fx id x z vx q vy vz'");
  CHECK(edited("type", "id") == "f:11: expected column id once, found it twice");
  CHECK(edited("1 -6 -5", "1 -5") == "f:12: expected atom 1 of 2 in 11 columns, found 10: '1 -5 -4 9 4 5 6 .4 .5 .6'");
  CHECK(edited("-4 9", "-4 9.5") == "f:12: expected an atom id, found '9.5'");
  CHECK(edited("-4 9", "-4 8") == "f:13: expected an id not used before, found 8");
  CHECK(edited("1 -6 -5", "1 nan -5") == "f:12: expected a finite number, found 'nan'");
  CHECK(edited("ATOMS\n2\n", "ATOMS\n3\n") == "f:14: expected atom 3 of 3, found the end of the file");
  CHECK(edited("ATOMS\n2\n", "ATOMS\n1\n") ==
        "f:13: expected the end of the file or another frame after 1 atoms, found '1 -3 -2 -1 8 1 2 3 .1 .2 .3'");
  CHECK(complaint(replaced(replaced(dump, "x y z", "xs ys zs"), "9 4 5", "9 1e308 5")) ==
        "f:12: expected a position in the range of a double, found '1e308' box lengths");
}

TEST_CASE("formats are told from the content, or refused", "[configurations]") {
  const std::string start = "f:1: expected the start of a NIST, XYZ, LAMMPS data or LAMMPS dump file, found ";
  CHECK(complaint("") == start + "the end of the file");
  CHECK(complaint("hello\n") == start + "'hello'");
  CHECK(complaint("x,y,z\n1,2,3\n") == start + "'x,y,z'");
  CHECK(complaint("10.0 10.0\n800\n") == start + "'10.0 10.0'");
  CHECK(complaint("title\n\nAtoms\n") == start + "'title'");
  CHECK(complaint("\x7f" + std::string("ELF\0\x01", 5) + std::string(80, 'x')) ==
        start + "'?ELF??" + std::string(54, 'x') + "...'");
  CHECK(complaint("1\n", "pdb") == "unknown format 'pdb': expected nist, xyz, lammps-data or lammps-dump");
  for (const auto& text : {nist, xyz, data, dump}) {
    const auto told = read(text);
    const auto named = read(text, told.format);
    CHECK(named.format == told.format);
    CHECK(named.positions == told.positions);
  }
}

TEST_CASE("Windows line ends change nothing", "[configurations]") {
  for (const auto& text : {nist, xyz, data, dump}) {
    const auto expected = read(text);
    const auto c = read(with_windows_ends(text));
    CHECK(c.format == expected.format);
    CHECK(c.low == expected.low);
    CHECK(c.length == expected.length);
    CHECK(c.periodic == expected.periodic);
    CHECK(c.positions == expected.positions);
    CHECK(c.velocities == expected.velocities);
    CHECK(c.forces == expected.forces);
  }
  CHECK(complaint("1 1 1\r\n1\r\n1 2 3\r\n") == "f:3: expected atom 1 of 1 in 4 columns, found 3: '1 2 3'");
}

TEST_CASE("more atoms than vectors first make room for, ids descending", "[configurations]") {
  constexpr int n = 100000;
  std::string text = "1 1 1\n" + std::to_string(n) + "\n";
  for (int i = n; i > 0; --i) text += std::to_string(i) + " " + std::to_string(i) + " 0 -1\n";
  const auto c = read(text);
  REQUIRE(c.size() == n);
  bool in_order = true;
  for (std::size_t i = 0; i < n; ++i) {
    in_order = in_order && c.positions[3 * i] == static_cast<double>(i + 1) && c.positions[3 * i + 2] == -1;
  }
  CHECK(in_order);
}
