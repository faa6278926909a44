# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a CUDA device from the JSON that accrue_cuda_perf writes, each figure beside its goal.

Usage: cuda_report.py results/FILE.json         prints the tables
       cuda_report.py --write results/FILE.json  rewrites docs/cuda.md, and README's short table, between the cuda markers
       cuda_report.py [--write] CUDA.json HIP.json [CUDA.json HIP.json ...]  HIP over CUDA beside CUDA: prints, or rewrites docs/hip.md
A figure is bytes per second over those of a kernel that only reads, medians of one run; of sizes, time over CUB's.
"""
import json
import pathlib
import re
import sys

TYPES = ["f64", "f32", "f16", "bf16", "i32", "i64", "i8"]
# (row of the results, goal by type; None: no goal)
ROWS = [
    ("fast sum", 0.99), ("ordered sum", 0.99), ("sum", 0.99), ("min", 0.99), ("max", 0.99), ("argmin", 0.95), ("argmax", 0.95),
    ("fuse(sum, min, max)", 0.95), ("exact sum, uniform", 0.985), ("exact sum, normal", 0.985), ("exact dot, uniform", 0.95),
    ("exact sum of squares, uniform", 0.95), ("exact sum of squares, normal", 0.95), ("exact moments, uniform", 0.95),
    ("exact moments, normal", 0.95), ("exact sum, exponents +-30", {"f64": 0.95, "f32": 0.90}),
    ("exact sum, exponents +-40", {"f64": 0.95}), ("exact sum, whole range", 0.10), ("torch.sum", None)]


def rows(data):
    """ROWS, then those of each CUB."""
    rivals = [(f"CUB {version} {what}", None) for version in data["cubs"].values()
              for what in ("run_to_run, uniform", "not_guaranteed, uniform", "gpu_to_gpu, uniform", "gpu_to_gpu, normal", "min")]
    return ROWS + rivals


def cells(data):
    return {(r["what"], r["type"]): r for r in data["table"]}


def header(data, path):
    return (f"**{data['device']}** (driver {data['driver'] // 1000}.{data['driver'] % 1000 // 10}, {data['compiler']}, CUB "
            f"{' and '.join(data['cubs'].values())}, commit {data['commit']}, {data['date']}; `perf/results/{path.name}`)")


def large(data, path, wanted=None):
    values = cells(data)
    lines = [header(data, path), "",
             f"Share of the {values['read only', '']['bytes_per_s'] * 1e-9:.0f} GB/s that a kernel reaches which only reads, "
             f"{data['input_bytes'] / 2**30:.0f} GiB of data:", "",
             "| | " + " | ".join(TYPES) + " | goal |", "| --- |" + " --- |" * (len(TYPES) + 1)]
    for what, goal in rows(data):
        if wanted and not any(re.fullmatch(w, what) for w in wanted):
            continue
        row = [f"{values[what, t]['of_read_only']:.3f}" if (what, t) in values else "" for t in TYPES]
        if not any(row):
            continue
        goals = ", ".join(f"{t} {g}" for t, g in goal.items()) if isinstance(goal, dict) else "" if goal is None else str(goal)
        lines.append(f"| {what} | " + " | ".join(row) + f" | {goals} |")
    return lines


def sizes(data):
    lines = []
    rivals = list(data["cubs"])
    for t in ("f32", "f64"):
        measured = [r for r in data["sizes"] if r["type"] == t]
        if not measured:
            continue
        kinds = [(kind, where) for where in ("graph", "stream") for kind in ["fast", "exact"] + rivals]
        titles = [f"{'CUB ' + data['cubs'][kind] if kind in rivals else kind}, {where}" for kind, where in kinds]
        lines += ["", f"Microseconds a call, {t}, and in brackets the time over that of CUB {data['cubs'][rivals[0]]}'s run_to_run (goals: fast at most "
                  "1.0 everywhere, exact at most 1.3 below 2^20):", "", "| n | " + " | ".join(titles) + " |", "| --- |" + " --- |" * len(titles)]
        for r in measured:
            def cell(kind, where):
                own = r[f"{kind}_{where}_us"]
                return f"{own:.2f}" + ("" if kind in rivals else f" ({own / r[f'{rivals[0]}_{where}_us']:.2f})")
            lines.append(f"| 2^{r['log2_n']} | " + " | ".join(cell(k, w) for k, w in kinds) + " |")
    return lines


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]


def beside(pairs, paths):
    """Rates of the second of each pair, and times of small inputs, over the first's; medians over the pairs."""
    first = pairs[0][0]
    here = pathlib.Path(__file__).resolve().parent.parent
    lines = [f"**{first['device']}**, commit {first['commit']}, {first['date']}; runs of both programs in turn: "
             + ", ".join(f"`{p.relative_to(here)}`" for p in paths)
             + ". Bytes per second through HIP over those of the CUDA backend, medians over the pairs:", "",
             "| | " + " | ".join(TYPES) + " |", "| --- |" + " --- |" * len(TYPES)]
    for what, _ in ROWS:
        def cell(t):
            rates = [(cells(a).get((what, t)), cells(b).get((what, t))) for a, b in pairs]
            ratios = [b["bytes_per_s"] / a["bytes_per_s"] for a, b in rates if a and b]
            return f"{median(ratios):.3f}" if ratios else ""
        row = [cell(t) for t in TYPES]
        if any(row):
            lines.append(f"| {what} | " + " | ".join(row) + " |")
    lines += ["", "Time a call through HIP over that of the CUDA backend, the median over all sizes of 2^4 to 2^31, and the largest:", "",
              "| | fast, graph | exact, graph | fast, stream | exact, stream |", "| --- | --- | --- | --- | --- |"]
    times = [{(r["type"], r["log2_n"]): r for r in side.get("sizes", [])} for side in pairs[0]]
    for t in ("f32", "f64"):
        row = []
        for key in ("fast_graph_us", "exact_graph_us", "fast_stream_us", "exact_stream_us"):
            ratios = [times[1][at][key] / times[0][at][key] for at in times[0] if at in times[1] and at[0] == t]
            row.append(f"{median(ratios):.3f}, {max(ratios):.2f}")
        lines.append(f"| {t} | " + " | ".join(row) + " |")
    return lines


def rewrite(path, lines, mark="cuda"):
    text = path.read_text()
    begin, end = f"<!-- {mark}:begin -->\n", f"<!-- {mark}:end -->"
    path.write_text(re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: begin + "\n".join(lines) + "\n" + end, text, flags=re.S))


def main():
    write = "--write" in sys.argv
    paths = [pathlib.Path(a) for a in sys.argv[1:] if a != "--write"]
    data = json.loads(paths[0].read_text())
    root = pathlib.Path(__file__).resolve().parent.parent
    if len(paths) > 1:
        runs = [json.loads(p.read_text()) for p in paths]
        lines = beside(list(zip(runs[::2], runs[1::2])), [p.resolve() for p in paths])
        return rewrite(root / "docs" / "hip.md", lines, "hip") if write else print("\n".join(lines))
    full = large(data, paths[0]) + sizes(data)
    if not write:
        return print("\n".join(full))
    rewrite(root / "docs" / "cuda.md", full)
    short = ["fast sum", "ordered sum", "sum", "min", "exact sum, uniform", "exact sum, normal", "exact sum of squares, uniform",
             "exact sum, exponents .-30", "torch.sum", r"CUB [0-9.]+ (run_to_run|gpu_to_gpu), uniform"]
    rewrite(root / "README.md", large(data, paths[0], short))


main()
