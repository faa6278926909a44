# SPDX-License-Identifier: BSD-3-Clause
"""The accrue program from outside: results against Python's exact fractions, JSON, errors, large files in pieces."""
import array
import gzip
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

PROGRAM, DATA = sys.argv[1:3]


def run(*arguments, code=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def stats(*arguments):
    return json.loads(run("stats", "--json", *arguments).stdout)


def nearest(x):
    """The double nearest to a fraction: Python's true division of integers rounds correctly."""
    return x.numerator / x.denominator


def check(report, values):
    exact = sum((Fraction(v) for v in values), Fraction(0))
    n = len(values)
    assert report["count"] == n
    assert float(report["sum"]) == nearest(exact), (report, nearest(exact))
    assert report["mean"] == nearest(exact / n)
    naive = 0.0
    for v in values:
        naive += v
    assert float(report["naive_sum"]) == naive
    assert float(report["min"]) == min(values) and report["min_index"] == values.index(min(values))
    assert float(report["max"]) == max(values) and report["max_index"] == values.index(max(values))
    if n > 1:
        variance = sum(((Fraction(v) - exact / n) ** 2 for v in values), Fraction(0)) / (n - 1)
        assert math.isclose(report["standard_deviation"], math.sqrt(variance), rel_tol=1e-15)


def main():
    for name in sorted(os.listdir(os.path.join(DATA, "nist_strd"))):
        path = os.path.join(DATA, "nist_strd", name)
        values = [float(line) for line in open(path).read().splitlines()[60:] if line.strip()]
        report = stats("--format", "strd", path)[0]
        check(report["columns"][0], values)
        mean = report["certified"]["mean"]
        assert math.isclose(report["columns"][0]["mean"], mean, rel_tol=1e-14), name
    with tempfile.TemporaryDirectory() as folder:
        def path(name, data):
            full = os.path.join(folder, name)
            with open(full, "wb") as f:
                f.write(data)
            return full

        values = [((-1) ** i) * 1.1 * 2.0 ** (i * 7919 % 90 - 45) for i in range(60000)]
        raw = path("values.bin", struct.pack(f"<{len(values)}d", *values))
        check(stats("--type", "f64", raw)[0]["columns"][0], values)
        text = path("values.txt", "\n".join(map(repr, values)).encode())
        check(stats(text)[0]["columns"][0], values)
        csv = path("two.csv", b"t,v\n0,1.5\n1,2.5\n2,-7\n")
        assert [c["name"] for c in stats(csv)[0]["columns"]] == ["t", "v"]
        check(stats("-c", "v", csv)[0]["columns"][0], [1.5, 2.5, -7.0])
        assert "is a directory" in run("stats", folder, code=1).stderr
        assert run("stats", path("nothing.txt", b"")).stdout.endswith("nothing.txt: no numbers\n")
        assert "left out, no numbers: w" in run("stats", path("na.csv", b"v,w\n1,NA\n2,3\n")).stdout
        assert "no numbers" in run("stats", "--by", "v", path("one.csv", b"v\n1\n")).stdout
        check(stats("-c", "a", path("mark.csv", b"\xef\xbb\xbfa,b\n1,2\n"))[0]["columns"][0], [1.0])
        # A column's name takes no file with it; empty fields; groups; standard input and pipes.
        check(stats("--column", "v", csv)[0]["columns"][0], [1.5, 2.5, -7.0])
        holes = path("holes.csv", b"who,a,b\nx,1,\ny,2.5,7\nx,,-3\nx,0.1,1e100\ny,4,2\n")
        assert "empty field" in run("stats", holes, code=1).stderr
        whole = stats("--skip-empty", "-c", "a", "-c", "b", holes)[0]["columns"]
        check(whole[0], [1.0, 2.5, 0.1, 4.0])
        check(whole[1], [7.0, -3.0, 1e100, 2.0])
        assert [c["empty_fields"] for c in whole] == [1, 1]
        by = stats("--skip-empty", "--by", "who", holes)[0]["columns"]
        assert [(c["group"], c["name"]) for c in by] == [("x", "a"), ("x", "b"), ("y", "a"), ("y", "b")]
        for report, expected in zip(by, ([1.0, 0.1], [-3.0, 1e100], [2.5, 4.0], [7.0, 2.0])):
            check(report, expected)
        many = [(i * 7919 % 1013, ((-1) ** i) * 1.1 * 2.0 ** (i % 60)) for i in range(200000)]
        grouped = stats("--by", "key", path("many.csv", b"key,value\n" + "".join(f"k{k},{v!r}\n" for k, v in many).encode()))[0]["columns"]
        assert len(grouped) == 1013
        for report in grouped[::97]:
            check(report, [v for k, v in many if report["group"] == f"k{k}"])
        piped = subprocess.run([PROGRAM, "stats", "--json", "-"], input=open(csv, "rb").read(), capture_output=True, check=True)
        check(json.loads(piped.stdout)[0]["columns"][1], [1.5, 2.5, -7.0])
        piped = subprocess.run([PROGRAM, "stats", "--json", "--type", "f64", "-"], input=open(raw, "rb").read(), capture_output=True, check=True)
        check(json.loads(piped.stdout)[0]["columns"][0], values)
        piped = subprocess.run([PROGRAM, "stats", "--type", "f64", "-"], input=b"1234567890", capture_output=True)
        assert piped.returncode == 1 and b"within an element" in piped.stderr
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        with subprocess.Popen(["cp", text, fifo]):
            check(stats(fifo)[0]["columns"][0], values)
        numbers = [2**62, 2**62, -5, 2**62]
        wide = stats("--type", "i64", path("i.bin", struct.pack("<4q", *numbers)))[0]["columns"][0]
        assert float(wide["sum"]) == float(sum(numbers)) and wide["min"] == "-5"
        fits = stats("--type", "i64", path("j.bin", struct.pack("<2q", 2**62, 2**62 - 1)))[0]["columns"][0]
        assert fits["sum"] == str(2**63 - 1)
        half = stats("--type", "f16", path("h.bin", struct.pack("<3e", 1.5, -2, 65504)))[0]["columns"][0]
        assert float(half["sum"]) == 65503.5 and half["max"] == "65504"
        empty = stats("--type", "f32", path("e.bin", b""))[0]["columns"][0]
        assert empty["count"] == 0 and empty["mean"] is None
        assert "values.txt: column 1 (f64)" in run("stats", text).stdout
        # A file that takes longer than a second shows progress on standard error and nothing else on standard output.
        block = array.array("d", values).tobytes()
        long = os.path.join(folder, "long.bin")
        with open(long, "wb") as f:
            for _ in range(2000):
                f.write(block)
        begun = time.monotonic()
        done = run("stats", "--type", "f64", "--json", long)
        assert "%" in done.stderr or time.monotonic() - begun < 1.5, done.stderr
        assert json.loads(done.stdout)[0]["columns"][0]["count"] == 2000 * len(values)
        bad = run("stats", path("bad.txt", b"1\nx\n"), code=1)
        assert bad.stderr.strip().endswith("bad.txt:2:1: expected a number, found 'x'"), bad.stderr
        assert "cannot be opened" in run("stats", os.path.join(folder, "absent"), code=1).stderr
        assert "gzip -dc" in run("stats", path("z.csv.gz", gzip.compress(b"a,b\n1,2\n")), code=1).stderr
        assert "binary data" in run("stats", path("zero.csv", b"1\n\0\n"), code=1).stderr
        latin = json.loads(run("stats", "--json", path("latin.csv", b"pr\xe9is\n1\n2\n")).stdout)[0]["columns"][0]
        assert float(latin["sum"]) == 3
        assert "unknown type" in run("stats", "--type", "f128", raw, code=1).stderr
    information = json.loads(run("info", "--json").stdout)
    assert "serial" in information["backends"] and information["read_bandwidth_one_thread_bytes_per_s"] > 1e8
    assert run("--version").stdout.strip().count(".") == 2
    assert run().stdout == run("--help").stdout
    print("the program's answers are exact")


main()
