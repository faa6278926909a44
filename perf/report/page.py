# SPDX-License-Identifier: BSD-3-Clause
"""The page: what the files hold, in pictures that lie beside it and in tables."""

from html import escape

from page_tables import errors_table, ladder_table, types_table
from pictures_contenders import draw_exact_against_fast, draw_rivals, draw_scaling, draw_sizes
from pictures_forces import draw_forces
from pictures_groups import draw_groups
from pictures_ladder import draw_ladders, draw_roofline
from pictures_style import plt
from words import place_name, threads_text

STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}img{max-width:100%}"
    "table{border-collapse:collapse;font-size:12px}td,th{padding:2px 7px;border-bottom:1px solid #ddd;text-align:right;"
    "white-space:nowrap}td:first-child,th:first-child{text-align:left}.limit{text-align:left}.proof{background:#f3e3c3}"
    ".wide{overflow-x:auto}.source{color:#777;font-size:12px}"
)


class Page:
    """The parts of a page in order, and its pictures' folder."""

    def __init__(self, folder):
        self.folder, self.parts, self.pictures = folder, [], set()
        folder.mkdir(parents=True, exist_ok=True)

    def add_heading(self, level, text):
        """A heading."""
        self.parts.append(f"<h{level}>{escape(text)}</h{level}>")

    def add_picture(self, name, figure, text):
        """A figure under its heading, saved beside the page; a name that an earlier file took gets a number."""
        same = sum(taken == name or taken.startswith(f"{name}-") for taken in self.pictures)
        name = f"{name}-{same + 1}" if same else name
        self.pictures.add(name)
        figure.savefig(self.folder / f"{name}.png")
        plt.close(figure)
        self.add_heading(2, text)
        self.parts.append(f'<img alt="{escape(text)}" src="{name}.png">')

    def save(self):
        """Writes index.html."""
        head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>accrue: measured</title><style>{STYLE}</style>'
        (self.folder / "index.html").write_text(head + "\n".join(self.parts) + "</html>\n")


def add_ladder(page, results):
    """The ladders, the roofline and the table of rungs."""
    page.add_picture("ladders", draw_ladders(results, "ABCD"), "The ladders, measured and published")
    page.add_picture("warps_and_registers", draw_ladders(results, "ER"), "Warps and registers")
    if any("counters" in r for r in results.select("ladder")):
        page.add_picture("roofline", draw_roofline(results), "Roofline")
    page.add_heading(2, "Every rung")
    page.parts.append(ladder_table(results))


def add_place(page, results, where):
    """What was measured on the host, or on a device."""
    on, place = "host" if where == "host" else "device", place_name(results, where)
    if any("exact_cases" in r for r in results.select("rivals", where=where)):
        page.add_picture(f"rivals_{on}", draw_rivals(results, where), f"Speed and correctness, {place}")
        page.add_heading(3, "Errors in units in the last place; nothing where the result is right")
        page.parts.append(errors_table(results, where))
    if results.select("sizes", where=where):
        page.add_picture(f"sizes_{on}", draw_sizes(results, where), f"Bandwidth over size, {place}")
        page.add_picture(f"exact_against_fast_{on}", draw_exact_against_fast(results, where), f"Exact against fast, {place}")
    if results.limits("types", where, ("type", "input")):
        page.add_heading(2, f"Every operation and type, {place}")
        page.parts.append(types_table(results, where))


def add_groups(page, results):
    """Many results of one call, on each place and number of threads."""
    for where, threads in dict.fromkeys((r["where"], r.get("threads")) for r in results.select("groups")):
        name = "groups_device" if threads is None else f"groups_{threads}_threads"
        words = place_name(results, where) + (f", {threads_text(threads)}" if threads else "")
        page.add_picture(name, draw_groups(results, where, threads), f"Sums of groups, {words}")


def make_page(folder, files):
    """Writes index.html and its pictures into a folder, one part for each file."""
    page = Page(folder)
    for results in files:
        page.add_heading(1, results.header.get("device") or place_name(results, "host"))
        if results.select("ladder"):
            add_ladder(page, results)
        for where in dict.fromkeys(r["where"] for suite in ("rivals", "sizes", "types") for r in results.select(suite)):
            add_place(page, results, where)
        if results.select("scaling", where="host"):
            page.add_picture("scaling", draw_scaling(results), "Threads")
        add_groups(page, results)
        if results.select("device_forces") or results.select("forces", what="melt"):
            page.add_picture("forces", draw_forces([results]), "Pair forces")
        facts = ", ".join(f"{key} {value}" for key, value in results.header.items() if key != "additions_per_s")
        page.parts.append(f"<p class=source>{escape(results.path.name)}: {escape(facts)}</p>")
    page.save()
