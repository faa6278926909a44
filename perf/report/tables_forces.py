# SPDX-License-Identifier: BSD-3-Clause
"""The suite forces: the standard Lennard-Jones benchmark by every strategy, beside LAMMPS."""

import statistics

from markdown import table
from words import headline, processor_name, threads_text

NATIVE = "LAMMPS native"
PUBLISHED = {"critical": "5.17", "triangle": "5.61"}  # speed-ups on 11 threads


class Times:
    """Seconds of the rows of one file."""

    def __init__(self, results):
        melts = results.select("forces", what="melt")
        self.pair = {(r["by"], r["strategy"], r["sums"], r["n"], r["threads"]): r["pair_s"] for r in melts}
        builds = {}
        for r in melts:
            builds.setdefault((r["by"], r["n"], r["threads"]), []).append(r["neighbor_s"] / r["builds"])
        self.build = {key: statistics.median(seconds) for key, seconds in builds.items()}
        self.sweep = {(r["strategy"], r["sums"], r["n"], r["threads"]): r["median_s"] for r in results.select("forces", what="sweep")}
        self.sizes = sorted({r["n"] for r in melts})
        self.most_threads = max(r["threads"] for r in melts)

    def best_pair(self, sums, n, threads):
        """Of the two strategies that are ever the fastest."""
        return min(self.pair["accrue", s, sums, n, threads] for s in ("replicated", "fixed_point"))

    def best_sweep(self, n, threads, wanted=False):
        """Of all strategies, forces alone; with the energy, or (True) with energy and virial."""
        return min(s for (_, sums, *key), s in self.sweep.items() if sums == wanted and key == [n, threads])


def goals_tables(times):
    """The ratios that were aimed at."""
    pair, build, best, most = times.pair, times.build, times.best_pair, times.most_threads
    ratios = [  # words, goal, ratio by number of atoms
        (
            "with energy and virial, 1 thread, speed against LAMMPS lj/cut/opt without",
            "1.5",
            lambda n: pair[NATIVE, "lj/cut/opt", False, n, 1] / best(True, n, 1),
        ),
        (
            "forces alone, 1 thread, speed against LAMMPS lj/cut/opt",
            "",
            lambda n: pair[NATIVE, "lj/cut/opt", False, n, 1] / best(False, n, 1),
        ),
        (
            "forces alone, 2 threads, speed against LAMMPS lj/cut/omp",
            "",
            lambda n: pair[NATIVE, "lj/cut/omp", False, n, 2] / best(False, n, 2),
        ),
        ("2 threads against 1, forces alone", "1.9", lambda n: best(False, n, 1) / best(False, n, 2)),
        ("2 threads against 1, with energy and virial", "1.9", lambda n: best(True, n, 1) / best(True, n, 2)),
        (
            f"fixed_point against the fastest, {threads_text(most)}",
            "0.85",
            lambda n: best(False, n, most) / pair["accrue", "fixed_point", False, n, most],
        ),
        ("neighbour build, 1 thread, speed against LAMMPS", "1.5", lambda n: build[NATIVE, n, 1] / build["accrue", n, 1]),
        (
            "a sweep with the energy, 1 thread, time against forces alone",
            "1.15",
            lambda n: times.best_sweep(n, 1, "energy") / times.best_sweep(n, 1),
        ),
        (
            "a sweep with energy and virial, 1 thread, time against forces alone",
            "",
            lambda n: times.best_sweep(n, 1, True) / times.best_sweep(n, 1),
        ),
    ]
    if most > 2:
        ratios += [
            (f"{most} threads against 1, best strategy, melt", "13", lambda n: best(False, n, 1) / best(False, n, most)),
            (
                f"{most} threads against 1, best strategy, sweeps of the melted state",
                "13",
                lambda n: times.best_sweep(n, 1) / times.best_sweep(n, most),
            ),
        ]

    def cell(ratio, n):
        try:
            return f"{ratio(n):.2f}"
        except (KeyError, ValueError):  # not measured
            return ""

    lines = [[words] + [cell(ratio, n) for n in times.sizes] + [goal] for words, goal, ratio in ratios]
    lines = [line for line in lines if any(line[1:-1])]
    return [table(["ratio"] + [f"{n} atoms" for n in times.sizes] + ["goal"], lines)] if lines else []


def melt_tables(melts, times):
    """Million atom-steps a second in the pair phase of the melt, and milliseconds of a neighbour build."""
    cases = sorted({(n, threads) for _, n, threads in times.build})
    heads = [f"{n} atoms, {threads_text(threads)}" for n, threads in cases]
    rates, builds = {}, {}
    for r in melts:
        name = f"{r['by']} {r['strategy']}" + (", energy and virial every step" if r["sums"] else "")
        rates.setdefault(name, {})[r["n"], r["threads"]] = f"{r['n'] * r['steps'] / r['pair_s'] * 1e-6:.2f}"
    for (by, *case), seconds in times.build.items():
        builds.setdefault(by, {})[tuple(case)] = f"{seconds * 1e3:.2f}"
    return [
        table([title] + heads, [[name] + [cells.get(c, "") for c in cases] for name, cells in found.items()])
        for title, found in (("million atom-steps/s in the pair phase", rates), ("neighbour build, ms", builds))
    ]


def sweep_tables(rows, n):
    """Strategies on the melted state of n atoms, with energy and virial: speed-ups over one thread, and where time goes."""
    row = {(r["strategy"], r["threads"]): r for r in rows}
    threads = sorted({r["threads"] for r in rows} - {1})
    heads = [f"{t} threads" for t in threads]
    lines = []
    for strategy in dict.fromkeys(r["strategy"] for r in rows if r["threads"] == 1):
        one = row[strategy, 1]["median_s"]
        cells = [f"{one / row[strategy, t]['median_s']:.2f}" if (strategy, t) in row else "" for t in threads]
        lines.append([strategy, f"{one * 1e3:.2f}"] + cells)
    if 11 in threads:
        lines += [[f"published, {s}", ""] + [speed_up if t == 11 else "" for t in threads] for s, speed_up in PUBLISHED.items()]
    blocks = [table([f"{n} atoms: speed-up over 1 thread", "ms, 1 thread"] + heads, lines)]
    if max(threads, default=1) > 2 and all((s, t) in row for s in PUBLISHED for t in threads):
        idle = {s: [row[s, t]["idle_before_merging_s"] for t in threads] for s in PUBLISHED}
        lines = [[s] + [f"{seconds * 1e6:.1f}" for seconds in idle[s]] for s in idle]
        ratios = [triangle / critical for triangle, critical in zip(idle["triangle"], idle["critical"])]
        lines.append(["triangle / critical (published: one half)"] + [f"{ratio:.2f}" for ratio in ratios])
        blocks.append(table([f"{n} atoms: idle before the section, all threads, us"] + heads, lines))
    return blocks


def tables(files):
    """Of every file with such rows, its headline and its tables."""
    blocks = []
    for results in files:
        melts, sweeps = results.select("forces", what="melt"), results.select("forces", what="sweep", sums=True)
        if melts or sweeps:
            blocks.append(headline(results, processor_name(results), results.header["compiler"]))
        if melts:
            times = Times(results)
            blocks += goals_tables(times) + melt_tables(melts, times)
        for n in sorted({r["n"] for r in sweeps}):
            blocks += sweep_tables([r for r in sweeps if r["n"] == n], n)
    return blocks
