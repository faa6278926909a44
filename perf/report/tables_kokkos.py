# SPDX-License-Identifier: BSD-3-Clause
"""The suite kokkos: accrue on Kokkos beside Kokkos's own reducers and ScatterView."""

from markdown import table
from words import exponent, headline, size_text

SIZES = {  # columns: what, and whether accrue's time or the rival's
    "exact, into a View": ("exact sum", True),
    "fast, into a View": ("fast sum", True),
    "Sum, into a View": ("exact sum", False),
    "exact, to a host variable": ("exact sum, to a host variable", True),
    "Sum, to a host variable": ("exact sum, to a host variable", False),
}


def speeds(rows, column, columns):
    """Lines of accrue's speeds by what and rival; `columns` are the values of the field `column`."""
    found = {}
    for r in rows:
        if "speed" in r:
            found.setdefault((r["what"], r["against"]), {})[r[column]] = f"{r['speed']:.2f}"
    return [[what.removeprefix("scatter, "), rival] + [cells.get(c, "") for c in columns] for (what, rival), cells in found.items()]


def kokkos_headline(results):
    """The execution space, what it ran on, and the release of Kokkos."""
    header = results.header
    space = results.select("kokkos")[0]["where"]
    place = header.get("device") or f"{header['processor']}, {header['concurrency']} threads"
    release = header["kokkos"]
    return headline(results, f"{space}, {place}", f"Kokkos {release // 10000}.{release // 100 % 100}.{release % 100}")


def large_tables(reductions):
    """Speeds on the largest inputs."""
    largest = max(r["bytes"] for r in reductions)
    types = ["f64", "f32"]
    text = f"Kokkos's time over accrue's, {size_text(largest)} of normal data:"
    lines = speeds([r for r in reductions if r["bytes"] == largest], "type", types)
    return [text, table(["", "against"] + types, lines)]


def sizes_tables(reductions):
    """Times of sums of f64 by size, but for the largest."""
    largest = max(r["bytes"] for r in reductions)
    times = {}
    for r in reductions:
        if r["type"] == "f64" and r["bytes"] < largest:
            times.setdefault(r["n"], {})[r["what"], r["by"] == "accrue"] = f"{1e6 * r['median_s']:.2f}"
    lines = [[str(n)] + [times[n].get(column, "") for column in SIZES.values()] for n in sorted(times)]
    return ["Sums of f64 by size, microseconds:", table(["elements"] + list(SIZES), lines)] if lines else []


def scatter_tables(scatters):
    """Speeds of scattered additions by strategy."""
    targets = sorted({r["targets"] for r in scatters})
    items = exponent(scatters[0]["n"])
    text = f"Eight contributions of each of {items} items to targets near it, Kokkos's time over accrue's:"
    head = ["strategy", "against"] + [f"{exponent(t)} targets" for t in targets]
    return [text, table(head, speeds(scatters, "targets", targets))]


def tables(files):
    """Of every file with such rows, its headline and its tables."""
    blocks = []
    for results in files:
        rows = results.select("kokkos")
        scatters = [r for r in rows if "targets" in r]
        reductions = [r for r in rows if "targets" not in r]
        blocks += [kokkos_headline(results)] if rows else []
        blocks += large_tables(reductions) + sizes_tables(reductions) if reductions else []
        blocks += scatter_tables(scatters) if scatters else []
    return blocks
