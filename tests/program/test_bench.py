# SPDX-License-Identifier: BSD-3-Clause
"""accrue bench from outside: every suite at tiny sizes on the host, its results file, its words, its errors, and the report made of it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, REPORT = sys.argv[1:3]
TINY = ["--mib", "1", "--cache-mib", "1", "--most", "14", "--rounds", "3", "--threads", "1", "--threads", "2", "--where", "host"]


def bench(*arguments, code=0):
    done = subprocess.run([PROGRAM, "bench", *arguments], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done


def results_of(suite, folder, *more):
    path = folder / f"{suite}.json"
    done = bench("--suite", suite, *TINY, *more, "--json", str(path))
    results = json.loads(path.read_text())
    rows = results["rows"]
    assert rows and all(r["suite"] == suite for r in rows), suite
    assert all(r.get("verified", r["by"].startswith("read only")) for r in rows), suite
    assert all(r["median_s"] > 0 and r["rounds"] == 3 and r["bytes_per_s"] > 0 for r in rows), suite
    assert len(done.stdout.splitlines()) == len(rows) + 1, "a line a row, after the machine's"
    assert len(done.stderr.splitlines()) >= len(rows), "progress goes to standard error"
    return results


def check_machine(results):
    for key in ("date", "commit", "compiler", "processor", "processors", "processor_mhz", "instruction_set"):
        assert results[key] not in ("", None), key


def check_rivals(rows):
    contenders = {r["by"] for r in rows}
    assert {"accrue exact", "accrue fast", "accrue", "OpenMP reduction", "read only"} <= contenders, contenders
    for r in rows:
        if r["by"].startswith("read only"):
            continue
        errors = r["errors_ulp"]
        assert len(errors) == 13 and r["exact_cases"] == f"{sum(e == 0 for e in errors.values())}/13", r
        if r["by"] in ("accrue exact", "accrue"):
            assert all(e == 0 for e in errors.values()), r
        if r["by"] == "OpenMP reduction" and r["what"] in ("sum", "dot"):  # a fast wrong answer is seen to be wrong
            assert errors["ill-conditioned"] > 1000, r
            assert errors["overflow on the way"].startswith("inf for"), r


def check_report(folder, files):
    draws = [
        p
        for p in (sys.executable, "/usr/bin/python3")
        if subprocess.run([p, "-c", "import matplotlib"], capture_output=True).returncode == 0
    ]
    if not draws:
        return print("no Python here has matplotlib: the report was not made")
    subprocess.run([draws[0], REPORT, str(folder / "page"), *map(str, files)], check=True)
    page = (folder / "page" / "index.html").read_text()
    for name in ("rivals_host", "sizes_host", "exact_against_fast_host", "scaling"):
        assert (folder / "page" / f"{name}.png").stat().st_size > 10000, name
    assert page.count("<img") == 4 and "ill-conditioned" in page and "bf16" in page


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        results = {suite: results_of(suite, folder) for suite in ("rivals", "sizes", "types", "scaling")}
        for r in results.values():
            check_machine(r)
        check_rivals(results["rivals"]["rows"])
        sizes = results["sizes"]["rows"]
        assert {r["n"] for r in sizes} == {1 << k for k in range(4, 15)} and {r["type"] for r in sizes} == {"f32", "f64"}
        assert {r["type"] for r in results["types"]["rows"]} == {"f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8"}
        assert {(r["what"], r["threads"]) for r in results["scaling"]["rows"]} == {(w, t) for w in ("sum", "dot", "min") for t in (1, 2)}
        check_report(folder, [folder / f"{suite}.json" for suite in results])

        both = folder / "scaling.json"
        bench("--once", "--suite", "rivals", *TINY, "--filter", "accrue min f64", "--json", str(both), "--keep")
        kept = json.loads(both.read_text())["rows"]
        assert kept[:-1] == results["scaling"]["rows"] and kept[-1]["suite"] == "rivals" and kept[-1]["verified"], kept[-1]
        both.write_text(both.read_text().replace(results["scaling"]["processor"], "another"))
        refused = bench("--once", "--suite", "rivals", *TINY, "--filter", "accrue min f64", "--json", str(both), "--keep", code=1)
        assert "another processor" in refused.stderr, refused.stderr
        before, held = folder / "before.json", both.read_text()
        os.link(both, before)
        bench("--once", "--suite", "rivals", *TINY, "--filter", "accrue min f64", "--json", str(both))
        assert len(json.loads(both.read_text())["rows"]) == 1
        assert before.read_text() == held, "the file was replaced, not written over"
        assert not list(folder.glob("*.part"))
        link = folder / "link.json"
        link.symlink_to(both)
        bench("--once", "--suite", "rivals", *TINY, "--filter", "accrue min f32", "--json", str(link))
        assert link.is_symlink() and json.loads(both.read_text())["rows"][0]["type"] == "f32", "links are written through"

    listed = bench("--list", "--suite", "rivals", "--where", "host", "--filter", "sum f32 accrue").stdout.splitlines()
    assert listed and all("accrue" in row and "f32" in row and "sum" in row for row in listed), listed
    assert bench("--list", "--where", "host", "--filter", "no such row").stdout == ""
    once = bench("--once", "--suite", "rivals", *TINY, "--filter", "accrue min f64").stdout.splitlines()
    assert len(once) == 2 and once[1].endswith("right") and "GB/s" not in once[1], once
    printed = bench("--once", "--suite", "rivals", *TINY, "--filter", "accrue min f64", "--json", "/dev/stdout").stdout
    assert '"verified": true' in printed, printed
    assert "suite" in bench("--suite", "nothing", code=105).stderr
    assert "ladder needs" in bench("--suite", "ladder", "--where", "host", code=1).stderr
    settled = bench(
        "--suite", "scaling", *TINY[:6], "--where", "host", "--threads", "1", "--spread", "1000", "--filter", "dot OpenMP"
    ).stdout
    assert "unsettled" not in settled and "+-" in settled, settled


main()
