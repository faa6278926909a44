# SPDX-License-Identifier: BSD-3-Clause
"""accrue bench from outside: every suite at tiny sizes on the host, its results file, its words, its errors, and the report made of it."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, REPORT = sys.argv[1:3]
ONE_TEAM = ["--mib", "1", "--cache-mib", "1", "--most", "8", "--rounds", "3", "--threads", "2", "--where", "host"]
TINY = [*ONE_TEAM, "--threads", "1"]


def bench(*arguments, code=0):
    done = subprocess.run([PROGRAM, "bench", *arguments], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done


def results_of(suite, folder, *more, extent=TINY):
    path = folder / f"{suite}.json"
    done = bench("--suite", suite, *extent, *more, "--json", str(path))
    results = json.loads(path.read_text())
    rows = results["rows"]
    assert rows and all(r["suite"] == suite for r in rows), suite
    assert all(r.get("verified", r["by"].startswith("read only")) for r in rows), suite
    assert all(r["median_s"] > 0 and r["rounds"] == 3 and r.get("bytes_per_s", 1) > 0 for r in rows), suite
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


def report(*arguments, python=sys.executable, code=0):
    done = subprocess.run([python, REPORT, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done


def check_sections(folder, committed):
    """Every marked section is written from the committed results, twice alike, and what is around it stays."""
    tree = pathlib.Path(REPORT).parent.parent
    marked = {}
    for document in ("README.md", *(f"docs/{p.name}" for p in sorted((tree / "docs").glob("*.md")))):
        if names := re.findall(r"<!-- (\w+):begin -->", (tree / document).read_text()):
            marked[document] = names
    assert {"README.md", "docs/cpu.md", "docs/cuda.md", "docs/groupings.md"} <= set(marked), marked
    (folder / "docs").mkdir()
    for document, names in marked.items():
        (folder / document).write_text("before\n" + "".join(f"<!-- {n}:begin -->\nold\n<!-- {n}:end -->\nafter {n}\n" for n in names))
    report("write", "--root", folder, *committed)
    written = {document: (folder / document).read_text() for document in marked}
    printed = report("tables", *committed).stdout
    for document, names in marked.items():
        assert written[document].startswith("before\n"), document
        for name in names:
            text, after = written[document].split(f"<!-- {name}:begin -->\n")[1].split(f"<!-- {name}:end -->\n")
            assert "| --- |" in text and "commit" in text and after.startswith(f"after {name}\n"), (document, name)
            assert text in printed or document == "README.md", (document, name)
    report("write", "--root", folder, *committed)
    assert written == {document: (folder / document).read_text() for document in marked}
    (folder / "README.md").write_text("no marks")
    assert "<!-- loops:begin -->" in report("write", "--root", folder, *committed, code=1).stderr
    assert "no results file" in report("tables", folder / "README.md", code=1).stderr


def check_counters(folder):
    """Counters of a rung's first launch, and the bytes of all its launches, come to its row."""
    results, counters = folder / "ladder.json", folder / "counters.csv"
    results.write_text(json.dumps({"rows": [{"suite": "ladder", "ladder": rung, "name": rung} for rung in ("A", "", "B")]}))
    launches = [("ladder::a", 5), ("another", 7), ("ladder::b", 11), ("ladder::b", 13)]
    lines = ["==PROF== a line of the profiler", '"ID","Kernel Name","Metric Name","Metric Value"']
    lines += [f'"{k}","{name}","dram__bytes.sum","1,00{size}"' for k, (name, size) in enumerate(launches)]
    counters.write_text("\n".join(lines) + "\n")
    assert "dram__bytes.sum" in report("metrics").stdout.strip().split(",")
    report("counters", results, counters)
    rows = json.loads(results.read_text())["rows"]
    assert [r.get("counters") for r in rows] == [{"dram_bytes": 1005}, None, {"dram_bytes": 10011 + 10013}], rows
    results.write_text(json.dumps({"rows": [{"suite": "ladder", "ladder": "A"}]}))
    assert "1 rungs" in report("counters", results, counters, code=1).stderr


def check_report(folder, files):
    results = pathlib.Path(REPORT).parent / "results"
    check_sections(folder, sorted([*results.glob("*.json"), *results.glob("*/*.json")]))
    check_counters(folder)
    draws = [
        p
        for p in (sys.executable, "/usr/bin/python3")
        if subprocess.run([p, "-c", "import matplotlib"], capture_output=True).returncode == 0
    ]
    if not draws:
        return print("no Python here has matplotlib: the page was not made")
    report("page", folder / "page", *files, python=draws[0])
    page = (folder / "page" / "index.html").read_text()
    for name in ("rivals_host", "sizes_host", "exact_against_fast_host", "scaling"):
        assert (folder / "page" / f"{name}.png").stat().st_size > 10000 and f'src="{name}.png"' in page, name
    assert page.count("<img") == 4 and "ill-conditioned" in page and "bf16" in page
    groups, forces = (next(results.glob(pattern)) for pattern in ("h100-groups-2*.json", "h100-device-forces-*.json"))
    report("page", folder / "more", groups, forces, python=draws[0])
    assert all((folder / "more" / f"{name}.png").exists() for name in ("groups_device", "forces"))
    for name, of in (("groups", [groups]), ("forces", [forces, *results.glob("*-md-*.json")])):
        report("picture", name, folder / f"{name}.png", *of, python=draws[0])
        assert (folder / f"{name}.png").stat().st_size > 10000, name
    assert "of one file" in report("picture", "groups", folder / "none.png", forces, python=draws[0], code=1).stderr


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fewer = {"sizes": ("--filter", "sum exact"), "types": ("--filter", "uniform")}  # verifying every row takes half a minute
        results = {suite: results_of(suite, folder, *fewer.get(suite, ())) for suite in ("rivals", "sizes", "types", "scaling")}
        for r in results.values():
            check_machine(r)
        check_rivals(results["rivals"]["rows"])
        sizes = results["sizes"]["rows"]
        assert {r["n"] for r in sizes} == {1 << k for k in range(4, 9)} and {r["type"] for r in sizes} == {"f32", "f64"}
        assert {r["type"] for r in results["types"]["rows"]} == {"f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8"}
        assert {(r["what"], r["threads"]) for r in results["scaling"]["rows"]} == {(w, t) for w in ("sum", "dot", "min") for t in (1, 2)}
        loops = results_of("loops", folder, "--filter", "sum f64")["rows"]
        assert {r["from"] for r in loops} == {"call", "L1", "L2", "memory"}
        assert all((r["by"] == "plain loop") != ("speed" in r) for r in loops)
        accumulate = results_of("accumulate", folder, extent=ONE_TEAM)["rows"]
        assert {r["by"] for r in accumulate} == {"replicated", "fixed_point", "fixed_point with a bound", "atomic"}
        assert all(r["verified"] for r in accumulate)
        groups = results_of("groups", folder, "--filter", "sum f64 normal", extent=ONE_TEAM)["rows"]
        assert {r["grouping"] for r in groups} == {"rows", "columns", "uniform", "power law", "one giant", "sorted keys", "random keys"}
        assert {"accrue exact", "accrue fast", "plain loop"} <= {r["by"] for r in groups}
        assert {r["threads"] for r in groups} == {2} and all(r["verified"] for r in groups)
        forces = results_of("forces", folder, "--cells", "5", extent=ONE_TEAM)["rows"]
        assert {r["what"] for r in forces} == {"melt", "sweep", "list"} and {r["n"] for r in forces} == {500}
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
