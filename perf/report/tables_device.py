# SPDX-License-Identifier: BSD-3-Clause
"""The suites types, rivals and sizes on one device, and types on a host: shares of the read limit, each beside its goal, and times of small
inputs."""

import statistics

from load import share_of_limit
from markdown import table
from words import exponent, headline, processor_name, size_text

TYPES = ["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8"]
# accrue's rows in the order of the tables, by what and input, and their goals.
GOALS = {
    ("fast sum", "uniform"): "0.99",
    ("ordered sum", "uniform"): "0.99",
    ("sum", "uniform"): "0.99",
    ("min", "uniform"): "0.99",
    ("max", "uniform"): "0.99",
    ("argmin", "uniform"): "0.95",
    ("argmax", "uniform"): "0.95",
    ("fuse(sum, min, max)", "uniform"): "0.95",
    ("exact sum", "uniform"): "0.985",
    ("exact sum", "normal"): "0.985",
    ("exact dot", "uniform"): "0.95",
    ("exact sum of squares", "uniform"): "0.95",
    ("exact sum of squares", "normal"): "0.95",
    ("exact moments", "uniform"): "0.95",
    ("exact moments", "normal"): "0.95",
    ("exact sum", "exponents +-30"): "f64 0.95, f32 0.9",
    ("exact sum", "exponents +-40"): "f64 0.95",
    ("exact sum", "whole range"): "0.1",
}


def shares(results, where):
    """Shares of the read limit by (what, input), then by type: of accrue's types, and of the rivals' sums and minima."""
    found = {}
    read = results.limits("types", where, ("type", "input"))
    for r in results.select("types", where=where, by="accrue"):
        if (r["type"], r["input"]) in read:
            found.setdefault((r["what"], r["input"]), {})[r["type"]] = share_of_limit(r, read[r["type"], r["input"]])
    read = results.limits("rivals", where, ("type", "what"))
    for r in results.select("rivals", where=where):
        if r["what"] in ("sum", "min") and r["by"] != "read only" and not r["by"].startswith("accrue"):
            limit = read.get((r["type"], r["what"]), read.get(("f64", "sum")))  # torch has types that the others have not
            if limit:
                found.setdefault((f"{r['by']}, {r['what']}", r["input"]), {})[r["type"]] = share_of_limit(r, limit)
    return found


def cubs(results):
    """CUB's releases, the newest first."""
    names = {r["by"].split()[1] for r in results.rows if r.get("by", "").startswith("CUB ")}
    return sorted(names, key=lambda version: [int(part) for part in version.split(".")], reverse=True)


def device_headline(results):
    """The device, its driver, and what the programs were built with."""
    header, versions = results.header, cubs(results)
    driver = f"driver {header['driver'] // 1000}.{header['driver'] % 1000 // 10}"
    return headline(results, header["device"], driver, header.get("device_compiler"), versions and f"CUB {' and '.join(versions)}")


def host_goal(what, _):
    """Shares that are wanted of a host with many cores."""
    return "0.8" if what == "exact moments" else "0.9"


def shares_tables(results, where, head, goal):
    """A headline, and shares of the read limit."""
    read = results.select("types", where=where, by="read only")
    if not read:
        return []
    found, rows = shares(results, where), []
    for what, kind in list(GOALS) + sorted(set(found) - set(GOALS)):
        name = f"{what}, {kind}" if what.startswith("exact") else what
        if (what, kind) in found:
            cells = [f"{found[what, kind][t]:.3f}" if t in found[what, kind] else "" for t in TYPES]
            rows.append([name] + cells + [goal(what, kind)])
    text = (
        "Share of what a kernel reaches which only reads the same input "
        f"({statistics.median(r['bytes_per_s'] for r in read) * 1e-9:.0f} GB/s, the median over the inputs), "
        f"{size_text(read[0]['bytes'])} of data:"
    )
    return [head, text, table([""] + TYPES + ["goal"], rows)]


def size_times(results, where):
    """Microseconds by (type, n), then by (contender, graph or stream)."""
    times = {}
    for r in results.select("sizes", where=where):
        times.setdefault((r["type"], r["n"]), {})[r["by"], r["how"]] = 1e6 * r["median_s"]
    return times


def sizes_tables(results, where):
    """Times of small inputs, and over those of the newest CUB's deterministic sum."""
    versions, times, blocks = cubs(results), size_times(results, where), []
    if not versions:
        return []
    newest = f"CUB {versions[0]} run_to_run"
    contenders = ["accrue fast", "accrue exact"] + [f"CUB {version} run_to_run" for version in versions]
    columns = [(by, how) for how in ("graph", "stream") for by in contenders]

    def cell(found, by, how):
        if (by, how) not in found:
            return ""
        time = f"{found[by, how]:.2f}"
        has_ratio = by.startswith("accrue") and (newest, how) in found
        return f"{time} ({found[by, how] / found[newest, how]:.2f})" if has_ratio else time

    for kind in ("f32", "f64"):
        measured = sorted(n for t, n in times if t == kind)
        if measured:
            text = (
                f"Microseconds a call, {kind}, inputs outside the cache, and in brackets the time over that of {newest} "
                "(goals: fast at most 1.0 everywhere, exact at most 1.3 below 2^20):"
            )
            rows = [[exponent(n)] + [cell(times[kind, n], *c) for c in columns] for n in measured]
            blocks += [text, table(["n"] + [f"{by}, {how}" for by, how in columns], rows)]
    return blocks


def tables(files, where="cuda"):
    """Of every file with types and their limits, or with sizes, on such a device, all its tables."""
    blocks = []
    for f in files:
        head, sizes = device_headline(f) if "device" in f.header else "", sizes_tables(f, where)
        shares_found = shares_tables(f, where, head, lambda *key: GOALS.get(key, ""))
        blocks += shares_found + sizes if shares_found else [head] * (len(sizes) > 0) + sizes
    return blocks


def host_tables(files):
    """Of every file with types on a host, the shares of the read limit."""
    blocks = []
    for f in files:
        if f.select("types", where="host", by="read only"):
            head = headline(f, processor_name(f), f"{f.header['processors']} processors", f.header["compiler"])
            blocks += shares_tables(f, "host", head, host_goal)
    return blocks
