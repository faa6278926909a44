# SPDX-License-Identifier: BSD-3-Clause
"""Tables of accrue beside Kokkos's own reductions, from the JSON that accrue_kokkos_perf writes, and the copy of them in docs/kokkos.md.

Usage: kokkos_report.py results/*-kokkos*.json          prints the tables
       kokkos_report.py --docs results/*-kokkos*.json   rewrites the part of ../docs/kokkos.md between the perf markers
"""

import json
import pathlib
import sys


def version(number):
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def tables(path):
    data = json.loads(path.read_text())
    rows = data["rows"]
    where = data.get("device") or f"{data['processor']}, {data['concurrency']} threads"
    lines = [
        f"**Kokkos::{data['space']}, {where}** (Kokkos {version(data['kokkos'])}, commit {data['commit']}, {data['date']}; `{path.parent.name}/{path.name}`)",
        "",
    ]
    largest = {t: max(r["n"] for r in rows if r["type"] == t and r["what"] == "fast sum") for t in ("f64", "f32")}
    lines += [
        f"Kokkos's time over accrue's, {largest['f64'] * 8 / 2**30:g} GiB of normal data:",
        "",
        "| | against | f64 | f32 |",
        "| --- | --- | --- | --- |",
    ]
    large = [r for r in rows if r["n"] >= largest["f64"] // 2 and not r["what"].startswith("scatter")]
    for what, rival in dict.fromkeys((r["what"], r["rival"]) for r in large):
        cells = [f"{r['speed']:.2f}" for t in ("f64", "f32") for r in large if (r["what"], r["type"]) == (what, t)]
        lines.append(f"| {what} | {rival} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "Sums of f64 by size, microseconds:",
        "",
        "| elements | exact, into a View | fast, into a View | Sum, into a View | exact, to a host variable | Sum, to a host variable |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    small = {(r["what"], r["n"]): r for r in rows if r["type"] == "f64"}
    for n in sorted({n for what, n in small if what == "fast sum" and n < largest["f64"]}):
        exact, fast, host = (small[w, n] for w in ("exact sum", "fast sum", "exact sum, to a host variable"))
        cells = [exact["accrue_s"], fast["accrue_s"], exact["kokkos_s"], host["accrue_s"], host["kokkos_s"]]
        lines.append(f"| {n} | " + " | ".join(f"{1e6 * s:.2f}" for s in cells) + " |")
    lines += [
        "",
        "Eight contributions of each of 2^20 items to targets near it, Kokkos's time over accrue's:",
        "",
        "| strategy | against | 2^15 targets | 2^20 targets |",
        "| --- | --- | --- | --- |",
    ]
    scatter = [r for r in rows if r["what"].startswith("scatter")]
    for what, rival in dict.fromkeys((r["what"], r["rival"]) for r in scatter):
        cells = [f"{r['speed']:.2f}" for r in scatter if (r["what"], r["rival"]) == (what, rival)]
        lines.append(f"| {what[9:]} | {rival} | " + " | ".join(cells) + " |")
    return lines + [""]


def main():
    arguments = sys.argv[1:]
    docs = "--docs" in arguments
    text = "\n".join(line for a in arguments if a != "--docs" for line in tables(pathlib.Path(a)))
    if not docs:
        print(text)
        return
    page = pathlib.Path(__file__).parent.parent / "docs" / "kokkos.md"
    before, rest = page.read_text().split("<!-- perf:begin -->")
    page.write_text(before + "<!-- perf:begin -->\n" + text + "<!-- perf:end -->" + rest.split("<!-- perf:end -->")[1])


main()
