# SPDX-License-Identifier: BSD-3-Clause
"""The page's tables, in HTML."""

from html import escape

from ladder import TITLES, rungs
from load import contenders_in_order, share_of_limit

RUNG = ["rung", "type", "time, us", "GB/s", "of read", "step", "cumulative", "published, us", "step", "cumulative", "right"]
RESOURCES = ["registers", "shared, bytes", "occupancy, %"]
COUNTERS = {
    "achieved_occupancy_percent": "achieved, %",
    "issue_percent": "issue, %",
    "lanes_at_work": "lanes at work",
    "branch_efficiency_percent": "branch eff., %",
    "load_efficiency_percent": "load eff., %",
    "store_efficiency_percent": "store eff., %",
    "bank_conflicts": "bank conflicts",
    "stalled_at_barriers": "stalled at barriers",
    "stalled_on_shared": "on shared memory",
    "stalled_on_shuffles": "on shuffles",
    "stalled_on_memory": "on memory",
    "dram_bytes": "MB moved",
    "memory_throughput_percent": "memory busy, %",
}


def cell(text, kind=""):
    """A cell of a line of a table."""
    return f"<td class={kind}>{text}</td>" if kind else f"<td>{text}</td>"


def line(cells):
    """A line of a table."""
    return f"<tr>{''.join(cells)}</tr>"


def table(heads, lines):
    """A table that scrolls where it is too wide."""
    first = line(f"<th>{escape(head)}</th>" for head in heads)
    return "<div class=wide><table>" + "\n".join([first] + lines) + "</table></div>"


def title_line(text, columns):
    """A line of one cell."""
    return f"<tr><td colspan={columns}><b>{escape(text)}</b></td></tr>"


def error_text(error):
    """Units in the last place; nothing where there are none; or what came out for what."""
    return escape(error) if isinstance(error, str) else f"{error:.2g}" if error else ""


def errors_table(results, where):
    """Errors of every contender on every input, in units in the last place."""
    rows = [r for r in results.select("rivals", where=where) if "errors_ulp" in r]
    cases = list(rows[0]["errors_ulp"])
    lines = []
    for operation, kind in dict.fromkeys((r["what"], r["type"]) for r in rows):
        lines.append(title_line(f"{operation}, {kind}", len(cases) + 2))
        for r in contenders_in_order([r for r in rows if (r["what"], r["type"]) == (operation, kind)]):
            errors = [error_text(r["errors_ulp"][case]) for case in cases]
            lines.append(line(cell(text) for text in [escape(r["by"]), r["exact_cases"]] + errors))
    return table(["contender", "right on"] + cases, lines)


def types_table(results, where):
    """Shares of the read limit by operation and type."""
    rows = results.select("types", where=where, by="accrue")
    read = results.limits("types", where, ("type", "input"))
    types = list(dict.fromkeys(r["type"] for r in rows))
    lines = []
    for what, kind in dict.fromkeys((r["what"], r["input"]) for r in rows):
        found = {r["type"]: r for r in rows if (r["what"], r["input"]) == (what, kind)}
        texts = {t: f"{share_of_limit(r, read[t, kind]):.3f}" + ("" if r["verified"] else " <b>WRONG</b>") for t, r in found.items()}
        lines.append(line([cell(escape(f"{what}, {kind}"))] + [cell(texts.get(t, "")) for t in types]))
    return table(["share of the read limit"] + types, lines)


def counter_text(key, value):
    """A counter with as many digits as say something."""
    return f"{value * 1e-6:.1f}" if key == "dram_bytes" else f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def rung_line(r, read):
    """A rung: figures beside the published ones, resources, counters; the counter that shows its limit is marked."""
    counters = r.get("counters", {})
    ratio = lambda key: f"{r[key]:.2f}" if key in r else ""
    figures = [
        escape(r["name"]),
        r["type"],
        f"{1e6 * r['median_s']:.2f}",
        f"{1e-9 * r['bytes_per_s']:.0f}",
        f"{r['bytes_per_s'] / read:.3f}",
        ratio("step"),
        ratio("cumulative"),
        f"{1e6 * r['published_s']:.1f} ({r['published_on']})" if "published_s" in r else "",
        ratio("published_step"),
        ratio("published_cumulative"),
        "yes" if r["verified"] else "<b>NO</b>",
    ]
    resources = [r.get("registers", ""), r.get("shared_bytes", ""), f"{100 * r['occupancy']:.0f}" if "occupancy" in r else ""]
    proofs = [cell(counter_text(k, counters[k]) if k in counters else "", "proof" if r.get("proof") == k else "") for k in COUNTERS]
    return line([cell(text) for text in figures + resources] + proofs + [cell(escape(r.get("limit", "")), "limit")])


def ladder_table(results):
    """Every rung of every ladder."""
    heads = RUNG + RESOURCES + list(COUNTERS.values()) + ["limit"]
    lines = []
    for letter, title in TITLES.items():
        rows = rungs(results, letter)
        if rows:
            lines.append(title_line(title, len(heads)))
        lines += [rung_line(r, results.header["read_bytes_per_s"]) for r in rows]
    return table(heads, lines)
