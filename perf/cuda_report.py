# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a CUDA device from the JSON that accrue_bench writes, each figure beside its goal.

Usage: cuda_report.py results/FILE.json         prints the tables
       cuda_report.py --write results/FILE.json  rewrites docs/cuda.md, and README's short table, between the cuda markers
       cuda_report.py [--write] CUDA.json HIP.json [CUDA.json HIP.json ...]  HIP over CUDA beside CUDA: prints, or rewrites docs/hip.md
A figure is bytes per second over those of a kernel that only reads the same input, medians of one run; of sizes, time over CUB's.
"""

import json
import pathlib
import re
import statistics
import sys

TYPES = ["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8"]
# (what, input, goal by type; None: no goal)
ROWS = [
    ("fast sum", "uniform", 0.99),
    ("ordered sum", "uniform", 0.99),
    ("sum", "uniform", 0.99),
    ("min", "uniform", 0.99),
    ("max", "uniform", 0.99),
    ("argmin", "uniform", 0.95),
    ("argmax", "uniform", 0.95),
    ("fuse(sum, min, max)", "uniform", 0.95),
    ("exact sum", "uniform", 0.985),
    ("exact sum", "normal", 0.985),
    ("exact dot", "uniform", 0.95),
    ("exact sum of squares", "uniform", 0.95),
    ("exact sum of squares", "normal", 0.95),
    ("exact moments", "uniform", 0.95),
    ("exact moments", "normal", 0.95),
    ("exact sum", "exponents +-30", {"f64": 0.95, "f32": 0.90}),
    ("exact sum", "exponents +-40", {"f64": 0.95}),
    ("exact sum", "whole range", 0.10),
]


def device_rows(data, suite):
    return [r for r in data["rows"] if r["suite"] == suite and r.get("where") in ("cuda", "hip")]


def shares(data):
    """Rates over the read-only kernel's on the same input, and rates: of accrue's types, and of the rivals' sums and minima."""
    read = {(r["type"], r["input"]): r["bytes_per_s"] for r in device_rows(data, "types") if r["what"] == "read"}
    found = {
        (r["what"], r["input"], r["type"]): (r["bytes_per_s"] / read.get((r["type"], r["input"]), float("nan")), r["bytes_per_s"])
        for r in device_rows(data, "types")
        if r["what"] != "read"
    }
    rivals = [r for r in device_rows(data, "rivals") if r["what"] in ("sum", "min")]
    limit = {(r["type"], r["what"]): r["bytes_per_s"] for r in rivals if r["by"] == "read only"}
    for r in rivals:
        if not r["by"].startswith("accrue") and r["by"] != "read only":
            rate = r["bytes_per_s"]
            found[f"{r['by']}, {r['what']}", r["input"], r["type"]] = (rate / limit.get((r["type"], r["what"]), limit["f64", "sum"]), rate)
    return found


def cubs(data):
    """The releases, the newest first."""
    names = {r["by"].split()[1] for r in data["rows"] if r.get("by", "").startswith("CUB ")}
    return sorted(names, key=lambda v: [int(part) for part in v.split(".")], reverse=True)


def header(data, path):
    return (
        f"**{data['device']}** (driver {data['driver'] // 1000}.{data['driver'] % 1000 // 10}, {data['device_compiler']}, CUB "
        f"{' and '.join(cubs(data))}, commit {data['commit']}, {data['date']}; `perf/results/{path.name}`)"
    )


def all_rows(values):
    rivals = sorted({(what, kind) for what, kind, _ in values} - {(what, kind) for what, kind, _ in ROWS})
    return ROWS + [(what, kind, None) for what, kind in rivals]


def large(data, path, wanted=None):
    values = shares(data)
    read = [r for r in device_rows(data, "types") if r["what"] == "read"]
    lines = [
        header(data, path),
        "",
        "Share of what a kernel reaches which only reads the same input "
        f"({statistics.median(r['bytes_per_s'] for r in read) * 1e-9:.0f} GB/s, the median over the inputs), "
        f"{read[0]['bytes'] / 2**30:g} GiB of data:",
        "",
        "| | " + " | ".join(TYPES) + " | goal |",
        "| --- |" + " --- |" * (len(TYPES) + 1),
    ]
    for what, kind, goal in all_rows(values):
        name = f"{what}, {kind}" if what.startswith("exact") else what
        if wanted and not any(re.fullmatch(w, name) for w in wanted):
            continue
        row = [f"{values[what, kind, t][0]:.3f}" if (what, kind, t) in values else "" for t in TYPES]
        if not any(row):
            continue
        goals = ", ".join(f"{t} {g}" for t, g in goal.items()) if isinstance(goal, dict) else "" if goal is None else str(goal)
        lines.append(f"| {name} | " + " | ".join(row) + f" | {goals} |")
    return lines


def size_times(data):
    """Microseconds by (type, n), then by (contender, graph or stream)."""
    times = {}
    for r in device_rows(data, "sizes"):
        times.setdefault((r["type"], r["n"]), {})[r["by"], r["how"]] = 1e6 * r["median_s"]
    return times


def sizes(data):
    lines = []
    times = size_times(data)
    newest = f"CUB {cubs(data)[0]} run_to_run"
    columns = ["accrue fast", "accrue exact"] + [f"CUB {version} run_to_run" for version in cubs(data)]
    kinds = [(by, how) for how in ("graph", "stream") for by in columns]
    for t in ("f32", "f64"):
        measured = sorted(n for kind, n in times if kind == t)
        if not measured:
            continue
        lines += [
            "",
            f"Microseconds a call, {t}, inputs outside the cache, and in brackets the time over that of {newest} (goals: fast at most 1.0 "
            "everywhere, exact at most 1.3 below 2^20):",
            "",
            "| n | " + " | ".join(f"{by}, {how}" for by, how in kinds) + " |",
            "| --- |" + " --- |" * len(kinds),
        ]
        for n in measured:
            row = times[t, n]

            def cell(by, how):
                if (by, how) not in row:
                    return ""
                return f"{row[by, how]:.2f}" + (f" ({row[by, how] / row[newest, how]:.2f})" if by.startswith("accrue") else "")

            lines.append(f"| 2^{n.bit_length() - 1} | " + " | ".join(cell(*k) for k in kinds) + " |")
    return lines


def beside(pairs, paths):
    """Rates of the second of each pair, and times of small inputs, over the first's; medians over the pairs."""
    first = pairs[0][0]
    here = pathlib.Path(__file__).resolve().parent.parent
    lines = [
        f"**{first['device']}**, commit {first['commit']}, {first['date']}; runs of both programs in turn: "
        + ", ".join(f"`{p.relative_to(here)}`" for p in paths)
        + ". Bytes per second through HIP over those of the CUDA backend, medians over the pairs:",
        "",
        "| | " + " | ".join(TYPES) + " |",
        "| --- |" + " --- |" * len(TYPES),
    ]
    both = [(shares(a), shares(b)) for a, b in pairs]
    for what, kind, _ in ROWS:

        def cell(t):
            ratios = [b[what, kind, t][1] / a[what, kind, t][1] for a, b in both if (what, kind, t) in a and (what, kind, t) in b]
            return f"{statistics.median(ratios):.3f}" if ratios else ""

        row = [cell(t) for t in TYPES]
        if any(row):
            lines.append(f"| {what}, {kind} | " + " | ".join(row) + " |")
    times = [(size_times(a), size_times(b)) for a, b in pairs]
    sizes_measured = [n for _, n in times[0][0]]
    if not sizes_measured:
        return lines
    kinds = [(by, how) for how in ("graph", "stream") for by in ("accrue fast", "accrue exact")]
    lines += [
        "",
        f"Time a call through HIP over that of the CUDA backend, the median over all sizes of 2^{min(sizes_measured).bit_length() - 1} to "
        f"2^{max(sizes_measured).bit_length() - 1} and all pairs, and the largest of a size's medians:",
        "",
        "| | " + " | ".join(f"{by}, {how}" for by, how in kinds) + " |",
        "| --- |" + " --- |" * len(kinds),
    ]
    for t in ("f32", "f64"):
        row = []
        for kind in kinds:
            by_size = [statistics.median(b[at][kind] / a[at][kind] for a, b in times) for at in times[0][0] if at[0] == t]
            row.append(f"{statistics.median(by_size):.3f}, {max(by_size):.2f}")
        lines.append(f"| {t} | " + " | ".join(row) + " |")
    return lines


def rewrite(path, lines, mark="cuda"):
    text = path.read_text()
    begin, end = f"<!-- {mark}:begin -->\n", f"<!-- {mark}:end -->"
    path.write_text(re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: begin + "\n".join(lines) + "\n" + end, text, flags=re.S))


def main():
    write = "--write" in sys.argv
    paths = [pathlib.Path(a).resolve() for a in sys.argv[1:] if a != "--write"]
    runs = [json.loads(p.read_text()) for p in paths]
    root = pathlib.Path(__file__).resolve().parent.parent
    if len(paths) > 1:
        lines = beside(list(zip(runs[::2], runs[1::2])), paths)
        return rewrite(root / "docs" / "hip.md", lines, "hip") if write else print("\n".join(lines))
    full = large(runs[0], paths[0]) + sizes(runs[0])
    if not write:
        return print("\n".join(full))
    rewrite(root / "docs" / "cuda.md", full)
    short = [
        "fast sum",
        "ordered sum",
        "sum",
        "min",
        "exact sum, uniform",
        "exact sum, normal",
        "exact sum of squares, uniform",
        "exact sum, exponents .-30",
        "torch.*, sum",
        r"CUB [0-9.]+ (run_to_run|gpu_to_gpu), sum",
        "Thrust, sum",
        "Kokkos.*, sum",
    ]
    rewrite(root / "README.md", large(runs[0], paths[0], short))


main()
