# SPDX-License-Identifier: BSD-3-Clause
"""The suite groups: many results of one call, by the shape of the groups."""

from markdown import table
from tables_device import device_headline
from words import headline, processor_name, threads_text


def shape_text(row):
    """A grouping in words."""
    n = f"{row['length']:,}"
    names = {"rows": f"rows of {n}", "columns": f"columns, {n} of them", "uniform": f"segments of 1 to {2 * row['length'] - 1:,}"}
    names |= {f"{order} keys": f"{n} groups by {order} keys" for order in ("sorted", "random")}
    names |= {"power law": f"segments by a power law, mean {n}", "one giant": f"half in one segment, the others of mean {n}"}
    return names[row["grouping"]]


def groups_table(rows, kind):
    """Gigabytes a second read and written: of exact sums, on ordinary and on wide data, and of what else there is beside them."""
    others = sorted({(r["what"], r["by"]) for r in rows if r["what"] != "sum" or not r["by"].startswith("accrue exact")})
    others.sort(key=lambda o: (not o[1].startswith("CUB"), o))
    shapes = list(dict.fromkeys((r["grouping"], r["length"]) for r in rows))

    def cell(shape, what, by, data="normal"):
        mine = [r for r in rows if (r["grouping"], r["length"], r["what"], r["by"], r["input"]) == (*shape, what, by, data)]
        return f"{1e-9 * mine[0]['bytes_per_s']:.0f}" if mine else ""

    def name(what, by):
        return by if not by.startswith("accrue") else f"fast {what}" if by.endswith("fast") else f"exact {what}" if by.endswith("exact") else what

    lines = []
    for shape in shapes:
        first = next(r for r in rows if (r["grouping"], r["length"]) == shape)
        cells = [cell(shape, "sum", "accrue exact"), cell(shape, "sum", "accrue exact", "exponents +-30")]
        lines.append([shape_text(first)] + cells + [cell(shape, *o) for o in others])
    return table([f"GB/s, {kind}", "exact sum", "of exponents +-30"] + [name(*o) for o in others], lines)


def tables(files):
    """Of every file with such rows, its headline and its tables."""
    blocks = []
    for results in files:
        rows = results.select("groups")
        if not rows:
            continue
        devices = any(r["where"] != "host" for r in rows)
        blocks.append(device_headline(results) if devices else headline(results, processor_name(results)))
        for where, threads in dict.fromkeys((r["where"], r.get("threads")) for r in rows):
            for kind in ("f64", "f32"):
                mine = [r for r in rows if (r["where"], r.get("threads"), r["type"]) == (where, threads, kind)]
                if mine:
                    blocks.append(groups_table(mine, kind if threads is None else f"{kind}, {threads_text(threads)}"))
    return blocks
