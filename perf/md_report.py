# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the Lennard-Jones benchmark from the JSON that accrue_md_perf writes, and the copy of them in docs/forces.md.

Usage: md_report.py results/*-md-*.json         prints the tables
       md_report.py --docs results/*-md-*.json  rewrites the part of ../docs/forces.md between the perf markers
Figures are medians of one run; ratios are of medians of the same run.
"""
import collections
import json
import pathlib
import statistics
import sys


def rate(atoms, steps, seconds):
    return atoms * steps / seconds * 1e-6


def melt_table(rows):
    """Million atom-steps a second in the pair phase of 100 steps from the lattice, and milliseconds of a neighbour build."""
    pair, build = collections.defaultdict(list), collections.defaultdict(list)
    for r in rows:
        name = r["code"] + " " + r["strategy"] + (", energy and virial every step" if r["sums"] else "")
        pair[name, r["atoms"], r["threads"]].append(rate(r["atoms"], r["steps"], r["pair_s"]))
        build[r["code"], r["atoms"], r["threads"]].append(r["neighbor_s"] / r["builds"] * 1e3)
    cases = sorted({key[1:] for key in pair})
    head = " | ".join(f"{atoms} atoms, {t} thread{'s' if t > 1 else ''}" for atoms, t in cases)
    lines = [f"| million atom-steps/s in the pair phase | {head} |", "| --- |" + " --- |" * len(cases)]
    for name in dict.fromkeys(key[0] for key in pair):
        cells = [f"{statistics.median(pair[name, *c]):.2f}" if pair.get((name, *c)) else "" for c in cases]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", f"| neighbour build, ms | {head} |", "| --- |" + " --- |" * len(cases)]
    for code in dict.fromkeys(key[0] for key in build):
        cells = [f"{statistics.median(build[code, *c]):.2f}" if build.get((code, *c)) else "" for c in cases]
        lines.append(f"| {code} | " + " | ".join(cells) + " |")
    return lines


def goal_table(rows, sweeps):
    """The ratios that the benchmark was set out to reach."""
    pair, build = collections.defaultdict(list), collections.defaultdict(list)
    for r in rows:
        pair[r["code"], r["strategy"], r["sums"], r["atoms"], r["threads"]].append(r["pair_s"])
        build[r["code"], r["atoms"], r["threads"]].append(r["neighbor_s"] / r["builds"])
    pair = {k: statistics.median(v) for k, v in pair.items()}
    build = {k: statistics.median(v) for k, v in build.items()}
    native = "LAMMPS native"
    lines = ["| ratio | " + " | ".join(f"{a} atoms" for a in sorted({k[3] for k in pair})) + " | goal |", ""]
    sizes = sorted({k[3] for k in pair})
    lines[1] = "| --- |" + " --- |" * (len(sizes) + 1)

    def line(what, goal, value):
        cells = []
        for atoms in sizes:
            try:
                cells.append(f"{value(atoms):.2f}")
            except (KeyError, ValueError):
                cells.append("")
        if any(cells):
            lines.append(f"| {what} | " + " | ".join(cells) + f" | {goal} |")

    def best(sums, atoms, threads):
        return min(pair["accrue", s, sums, atoms, threads] for s in ("replicated", "fixed_point"))

    line("with energy and virial, 1 thread, speed against LAMMPS lj/cut/opt without", "1.5",
         lambda a: pair[native, "lj/cut/opt", False, a, 1] / best(True, a, 1))
    line("forces alone, 1 thread, speed against LAMMPS lj/cut/opt", "",
         lambda a: pair[native, "lj/cut/opt", False, a, 1] / best(False, a, 1))
    line("forces alone, 2 threads, speed against LAMMPS lj/cut/omp", "", lambda a: pair[native, "lj/cut/omp", False, a, 2] / best(False, a, 2))
    line("2 threads against 1, forces alone", "1.9", lambda a: best(False, a, 1) / best(False, a, 2))
    line("2 threads against 1, with energy and virial", "1.9", lambda a: best(True, a, 1) / best(True, a, 2))
    most = max(k[4] for k in pair)
    line(f"fixed_point against the fastest, {most} threads", "0.85", lambda a: best(False, a, most) / pair["accrue", "fixed_point", False, a, most])
    line("neighbour build, 1 thread, speed against LAMMPS", "1.5", lambda a: build[native, a, 1] / build["accrue", a, 1])
    if most > 2:
        line(f"{most} threads against 1, best strategy, melt", "13", lambda a: best(False, a, 1) / best(False, a, most))
        one = {(r["atoms"], r["strategy"], r["sums"], r["threads"]): r["sweep_s"] for r in sweeps}
        line(f"{most} threads against 1, best strategy, sweeps of the melted state", "13",
             lambda a: min(v for k, v in one.items() if k[0] == a and not k[2] and k[3] == 1) /
             min(v for k, v in one.items() if k[0] == a and not k[2] and k[3] == most))
    return lines


def sweep_table(rows):
    """Strategies on the melted state, with energy and virial: speed-up over one thread of the same strategy, and where time goes."""
    lines = []
    for atoms in sorted({r["atoms"] for r in rows}):
        mine = [r for r in rows if r["atoms"] == atoms and r["sums"]]
        threads = sorted({r["threads"] for r in mine})
        time = {(r["strategy"], r["threads"]): r for r in mine}
        lines += ["", f"| {atoms} atoms: speed-up over 1 thread | ms, 1 thread | " + " | ".join(f"{t} threads" for t in threads[1:]) + " |",
                  "| --- | --- |" + " --- |" * (len(threads) - 1)]
        for s in dict.fromkeys(r["strategy"] for r in mine):
            one = time[s, 1]["sweep_s"]
            cells = [f"{one / time[s, t]['sweep_s']:.2f}" for t in threads[1:]]
            lines.append(f"| {s} | {one * 1e3:.2f} | " + " | ".join(cells) + " |")
        if 11 in threads:
            lines.append("| published, critical | | " + " | ".join("5.17" if t == 11 else "" for t in threads[1:]) + " |")
            lines.append("| published, triangle | | " + " | ".join("5.61" if t == 11 else "" for t in threads[1:]) + " |")
        if threads[-1] > 2:
            lines += ["", f"| {atoms} atoms: idle before the section, all threads, us | " + " | ".join(f"{t} threads" for t in threads[1:]) + " |",
                      "| --- |" + " --- |" * (len(threads) - 1)]
            for s in ("critical", "triangle"):
                lines.append(f"| {s} | " + " | ".join(f"{time[s, t]['idle_before_merging_s'] * 1e6:.1f}" for t in threads[1:]) + " |")
            ratio = [time["triangle", t]["idle_before_merging_s"] / time["critical", t]["idle_before_merging_s"] for t in threads[1:]]
            lines.append("| triangle / critical (published: one half) | " + " | ".join(f"{r:.2f}" for r in ratio) + " |")
    return lines


def report(path):
    data = json.loads(path.read_text())
    c = data["context"]
    melts = [r for r in data["rows"] if r["case"] == "melt"]
    sweeps = [r for r in data["rows"] if r["case"] == "sweep"]
    lines = [f"**{c['processor']}, {c['instruction_set']}** ({c['compiler']}, commit {c['commit']}, {c['date'][:10]}; `perf/results/{path.name}`)", ""]
    return "\n".join(lines + goal_table(melts, sweeps) + [""] + melt_table(melts) + sweep_table(sweeps))


def main():
    arguments = sys.argv[1:]
    paths = [pathlib.Path(a) for a in arguments if a != "--docs"]
    text = "\n\n".join(report(p) for p in paths)
    if "--docs" not in arguments:
        print(text)
        return
    page = pathlib.Path(__file__).resolve().parent.parent / "docs" / "forces.md"
    begin, end = "<!-- perf:begin -->\n", "<!-- perf:end -->"
    before, rest = page.read_text().split(begin)
    page.write_text(before + begin + text + "\n" + end + rest.split(end)[1])


main()
