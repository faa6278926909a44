# SPDX-License-Identifier: BSD-3-Clause
"""Tables of measured ratios from the JSON that accrue_perf writes, and README's copy of them.

Usage: report.py results/*.json           prints the tables
       report.py --readme results/*.json  rewrites the part of ../README.md between the perf markers
A figure is the ratio of two medians of one run, unless it says otherwise.
"""
import json
import pathlib
import sys

# (what, row, row it is divided by, goal)
RATIOS = [
    ("exact sum, f64 uniform, memory", "sum_f64/exact/uniform/memory/{t}", "sum_f64/plain/uniform/memory/{t}", 1.05),
    ("exact sum, f64 normal, memory", "sum_f64/exact/normal/memory/{t}", "sum_f64/plain/uniform/memory/{t}", 1.05),
    ("exact sum, f32 uniform, memory", "sum_f32/exact/uniform/memory/{t}", "sum_f32/plain/uniform/memory/{t}", 1.05),
    ("exact sum, f32 normal, memory", "sum_f32/exact/normal/memory/{t}", "sum_f32/plain/uniform/memory/{t}", 1.05),
    ("exact dot, f64 normal, memory", "dot_f64/exact/normal/memory/{t}", "dot_f64/plain/normal/memory/{t}", 1.05),
    ("exact sum of squares, f64 normal, memory", "sum_squares_f64/exact/normal/memory/{t}", "sum_squares_f64/plain/normal/memory/{t}", 1.3),
    ("exact moments, f64 normal, memory", "moments_f64/exact/normal/memory/{t}", "sum_squares_f64/plain/normal/memory/{t}", 1.3),
    ("exact sum, exponents over +-300 bits, memory", "sum_f64/exact/wide/memory/{t}", "sum_f64/plain/uniform/memory/{t}", 3),
    ("ordered sum, f64, memory", "sum_f64/ordered/uniform/memory/{t}", "sum_f64/plain/uniform/memory/{t}", None),
    ("fast sum, f64, memory", "sum_f64/fast/uniform/memory/{t}", "sum_f64/plain/uniform/memory/{t}", 1.0),
    ("fast sum, f32, memory", "sum_f32/fast/uniform/memory/{t}", "sum_f32/plain/uniform/memory/{t}", 1.0),
    ("min, f64, memory", "min_f64/any/normal/memory/{t}", "min_f64/plain/normal/memory/{t}", 1.0),
    ("max, f64, memory", "max_f64/any/normal/memory/{t}", "max_f64/plain/normal/memory/{t}", 1.0),
    ("argmin, f64, memory", "argmin_f64/any/normal/memory/{t}", "argmin_f64/plain/normal/memory/{t}", 1.0),
    ("exact sum, f64, first-level cache", "sum_f64/exact/normal/L1/1", "sum_f64/plain/normal/L1/1", 4),
    ("exact sum, f64, second-level cache", "sum_f64/exact/normal/L2/1", "sum_f64/plain/normal/L2/1", 2.5),
]
TIMES = [("exact sum of 8 doubles", "sum_f64/exact/normal/n=8/1", 60), ("exact sum of 100 doubles", "sum_f64/exact/normal/n=100/1", 150),
         ("exact sum of 1000 doubles", "sum_f64/exact/normal/n=1000/1", 400)]


def medians(path):
    data = json.loads(path.read_text())
    times = {}
    for row in data["benchmarks"]:
        if row.get("aggregate_name") == "median":
            times[row["run_name"].removesuffix("/real_time")] = row["real_time"]
    return data["context"], times


def table(path):
    context, times = medians(path)
    threads = sorted({int(name.rsplit("/", 1)[1]) for name in times if "/memory/" in name})
    lines = [f"**{context['processor']}, {context['instruction_set']}** ({context['num_cpus']} processors, {context['compiler']}, "
             f"commit {context['commit']}, {context['date'][:10]}; `perf/results/{path.name}`)", "",
             "| time against the plain loop | " + " | ".join(f"{t} thread{'s' if t > 1 else ''}" for t in threads) + " | goal |",
             "| --- |" + " --- |" * (len(threads) + 1)]
    for what, row, base, goal in RATIOS:
        cells = []
        for t in threads:
            a, b = times.get(row.format(t=t)), times.get(base.format(t=t))
            single = "{t}" not in row and t != threads[0]
            cells.append("" if a is None or b is None or single else f"{a / b:.2f}")
        if any(cells):
            lines.append(f"| {what} | " + " | ".join(cells) + f" | {goal or ''} |")
    for what, row, goal in TIMES:
        if row in times:
            lines.append(f"| {what} | {times[row]:.0f} ns |" + " |" * (len(threads) - 1) + f" {goal} ns |")
    return "\n".join(lines)


def main():
    arguments = sys.argv[1:]
    into_readme = "--readme" in arguments
    paths = [pathlib.Path(a) for a in arguments if a != "--readme"]
    paths = [p for p in paths if "benchmarks" in json.loads(p.read_text())]  # the other programs have reports of their own
    text = "\n\n".join(table(p) for p in paths)
    if not into_readme:
        print(text)
        return
    readme = pathlib.Path(__file__).resolve().parent.parent / "README.md"
    begin, end = "<!-- perf:begin -->\n", "<!-- perf:end -->"
    before, rest = readme.read_text().split(begin)
    after = rest.split(end)[1]
    readme.write_text(before + begin + text + "\n" + end + after)


main()
