# SPDX-License-Identifier: BSD-3-Clause
"""The suites loops and accumulate: accrue on the host beside plain vectorised loops, and strategies of accumulation."""

from markdown import table
from words import headline, processor_name, threads_text

# (what, type, by, input, from, goal), and the words for it. Goals are times over the plain loop's.
RATIOS = {
    ("sum", "f64", "accrue exact", "uniform", "memory", "1.05"): "exact sum, f64 uniform, memory",
    ("sum", "f64", "accrue exact", "normal", "memory", "1.05"): "exact sum, f64 normal, memory",
    ("sum", "f32", "accrue exact", "uniform", "memory", "1.05"): "exact sum, f32 uniform, memory",
    ("sum", "f32", "accrue exact", "normal", "memory", "1.05"): "exact sum, f32 normal, memory",
    ("dot", "f64", "accrue exact", "normal", "memory", "1.05"): "exact dot, f64 normal, memory",
    ("sum of squares", "f64", "accrue exact", "normal", "memory", "1.3"): "exact sum of squares, f64 normal, memory",
    ("moments", "f64", "accrue exact", "normal", "memory", "1.3"): "exact moments, f64 normal, memory",
    ("sum", "f64", "accrue exact", "wide", "memory", "3"): "exact sum, exponents over +-300 bits, memory",
    ("sum", "f64", "accrue exact", "whole range", "memory", ""): "exact sum, exponents over the whole range, memory",
    ("sum", "f64", "accrue ordered", "uniform", "memory", ""): "ordered sum, f64, memory",
    ("sum", "f64", "accrue fast", "uniform", "memory", "1.0"): "fast sum, f64, memory",
    ("sum", "f32", "accrue fast", "uniform", "memory", "1.0"): "fast sum, f32, memory",
    ("min", "f64", "accrue", "normal", "memory", "1.0"): "min, f64, memory",
    ("max", "f64", "accrue", "normal", "memory", "1.0"): "max, f64, memory",
    ("argmin", "f64", "accrue", "normal", "memory", "1.0"): "argmin, f64, memory",
    ("sum", "f64", "accrue exact", "normal", "L1", "4"): "exact sum, f64, first-level cache",
    ("sum", "f64", "accrue exact", "normal", "L2", "2.5"): "exact sum, f64, second-level cache",
}
# Nanoseconds of a call, by its number of doubles.
CALLS = {8: 60, 100: 150, 1000: 400}


def times_table(results):
    """Times over the plain loop's, and of short calls, by numbers of threads."""
    rows = results.select("loops")
    threads = sorted({r["threads"] for r in rows})
    lines = []

    def add(text, mine, cell, goal):
        found = {r["threads"]: r for r in mine}
        if found:
            lines.append([text] + [cell(found[t]) if t in found else "" for t in threads] + [goal])

    for (*key, goal), text in RATIOS.items():
        mine = [r for r in rows if "speed" in r and [r[k] for k in ("what", "type", "by", "input", "from")] == key]
        add(text, mine, lambda r: f"{1 / r['speed']:.2f}", goal)
    for n, goal in CALLS.items():
        mine = results.select("loops", what="sum", type="f64", by="accrue exact", n=n, **{"from": "call"})
        add(f"exact sum of {n} doubles", mine, lambda r: f"{1e9 * r['median_s']:.0f} ns", f"{goal} ns")
    return table(["time against the plain loop"] + [threads_text(t) for t in threads] + ["goal"], lines)


def short_table(files):
    """README's: times over the plain loop's by where the elements lie, from the newest file of the machine with most processors."""
    found = [f for f in files if f.select("loops")]
    if not found:
        return []
    newest = max(found, key=lambda f: (f.header.get("processors", 1), f.header["date"]))
    rows = [r for r in newest.select("loops") if "speed" in r]
    threads = sorted({r["threads"] for r in rows})
    places = {f"{n} elements": ("call", n, 1) for n in CALLS}
    places |= {"first-level cache": ("L1", None, 1), "second-level cache": ("L2", None, 1)}
    places |= {f"memory, {threads_text(t)}": ("memory", None, t) for t in threads}

    def cell(what, kind, by, place):
        where, n, t = place
        mine = [r for r in rows if (r["what"], r["type"], r["by"], r["from"], r["threads"]) == (what, kind, by, where, t)]
        mine = [r for r in mine if r["input"] == "normal" and n in (None, r["n"])]
        return f"{1 / mine[0]['speed']:.2f}" if mine else ""

    shown = {"exact sum, f64": ("sum", "f64", "accrue exact"), "exact sum, f32": ("sum", "f32", "accrue exact")}
    shown |= {"exact dot product, f64": ("dot", "f64", "accrue exact")}
    shown |= {"exact sum of squares, f64": ("sum of squares", "f64", "accrue exact")}
    lines = [[text] + [cell(*key, place) for place in places.values()] for text, key in shown.items()]
    return [headline(newest, processor_name(newest)), table(["time against a plain loop"] + list(places), lines)]


def accumulate_table(results):
    """Nanoseconds of a contribution, and times over plain private copies, by targets and threads."""
    lines = []
    for r in results.select("accumulate", by="replicated"):
        same = {k: r[k] for k in ("width", "targets", "threads")}
        mine = {by: results.select("accumulate", by=by, **same) for by in ("fixed_point", "fixed_point with a bound", "atomic")}
        each = 1e9 * r["median_s"] / r["n"]
        over = [f"{1 / rows[0]['speed']:.2f}" if rows else "" for rows in mine.values()]
        lines.append([f"{r['targets']:,}", str(r["width"]), threads_text(r["threads"]), f"{each:.2f} ns"] + over)
    return table(["targets", "doubles a target", "threads", "replicated, a contribution", "fixed_point, times that", "with a bound", "atomic"], lines)


def tables(files):
    """Of every file with such rows, its headline and its tables."""
    blocks = []
    for results in files:
        made = [make(results) for suite, make in (("loops", times_table), ("accumulate", accumulate_table)) if results.select(suite)]
        if made:
            processors = results.header.get("processors")
            facts = processors and f"{processors} processors", results.header["compiler"]
            blocks += [headline(results, processor_name(results), *facts)] + made
    return blocks
