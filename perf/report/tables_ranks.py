# SPDX-License-Identifier: BSD-3-Clause
"""The suite ranks: sums of fields over MPI ranks, beside plain ones and those of climate models."""

from markdown import table
from words import headline, processor_name

PLAIN = "plain loops, MPI_Allreduce"


def cases_of(rows):
    """(elements of a field on each rank, fields), as they were measured."""
    return list(dict.fromkeys((r["n"], r["fields"]) for r in rows))


def seconds(rows, by, case):
    found = [r["median_s"] for r in rows if r["by"] == by and (r["n"], r["fields"]) == case]
    return found[0] if found else None


def rivals_of(rows):
    return [by for by in dict.fromkeys(r["by"] for r in rows) if by not in ("accrue", PLAIN)]


def ranks_of(results):
    return results.select("ranks")[0]["ranks"]


def case_text(case):
    n, fields = case
    return f"{fields:,} field{'s' if fields > 1 else ''} of {n:,}"


def title(results):
    return f"{ranks_of(results)} ranks on {processor_name(results)}"


def measured(files):
    """The files with such rows, by the number of ranks."""
    return sorted((f for f in files if f.select("ranks")), key=ranks_of)


def time_table(rows):
    """Microseconds of a call by case."""
    contenders = [PLAIN, "accrue", *rivals_of(rows)]
    lines = []
    for case in cases_of(rows):
        times = [seconds(rows, by, case) for by in contenders]
        lines.append([case_text(case)] + ["" if t is None else f"{1e6 * t:.1f}" for t in times])
    return table(["us a call; elements of a field on each rank"] + contenders, lines)


def ratio_table(files):
    """accrue's time over the plain one's by case and number of ranks."""
    lines = []
    for case in cases_of(files[0].select("ranks")):
        cells = [(seconds(f.select("ranks"), "accrue", case), seconds(f.select("ranks"), PLAIN, case)) for f in files]
        lines.append([case_text(case)] + ["" if None in pair else f"{pair[0] / pair[1]:.2f}" for pair in cells])
    return table(["accrue's time over the plain one's"] + [f"{ranks_of(f)} ranks" for f in files], lines)


def tables(files):
    """Times on the most ranks, and ratios on all numbers of them."""
    found = measured(files)
    if not found:
        return []
    most = found[-1]
    return [headline(most, title(most), most.header["compiler"]), time_table(most.select("ranks")), ratio_table(found)]


def short_table(files):
    """README's: times over the plain one's on the most ranks."""
    found = measured(files)
    if not found:
        return []
    rows = found[-1].select("ranks")
    cases = [case for case in cases_of(rows) if case in ((65536, 1), (1024, 10), (1024, 1000))]
    lines = []
    for by in ["accrue", *rivals_of(rows)]:
        ratios = [(seconds(rows, by, case), seconds(rows, PLAIN, case)) for case in cases]
        lines.append([by] + ["" if None in pair else f"{pair[0] / pair[1]:.3g}" for pair in ratios])
    return [headline(found[-1], title(found[-1])), table(["time against " + PLAIN] + [case_text(case) for case in cases], lines)]
