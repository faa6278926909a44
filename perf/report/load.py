# SPDX-License-Identifier: BSD-3-Clause
"""Results files of accrue_bench: loading them, and selecting their rows.

A file is one object. Its header says when and on what it was measured: date, accrue, commit, compiler, processor, processors,
instruction_set, device, driver and others; what is unknown is missing. Its "rows" are a list of objects. A row says
  which it is: "suite", "where" (host, cuda, hip, Kokkos::OpenMP, ...), "what", "by", and what else tells it from others: "type", "input",
    "from", "n", "targets", "threads", "how", "strategy", "sums", "kind", ...; a rung of the suite ladder has "ladder" and "name";
  its figures: "bytes", "median_s", "spread", "rounds", "settled", "bytes_per_s", "verified", and those of its suite;
  beside a limit "of_limit", the limit's time over its own, and beside a reference "speed", the reference's time over its own, both
    with their spreads.
"""

import dataclasses
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass
class Results:
    """What a file holds."""

    path: pathlib.Path
    header: dict
    rows: list

    def select(self, suite, **wanted):
        """Rows of a suite that were timed and whose fields are as wanted."""
        return [r for r in self.rows if r["suite"] == suite and "median_s" in r and all(r.get(k) == v for k, v in wanted.items())]

    def limits(self, suite, where, keys):
        """Bytes a second of what only reads, by the fields that `keys` names."""
        return {tuple(r[k] for k in keys): r["bytes_per_s"] for r in self.select(suite, where=where, by="read only")}

    def name(self):
        """The file's path in this repository, or as it was given."""
        path = self.path.resolve()
        return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(self.path)


def share_of_limit(row, limit):
    """A row's share of the limit's rate: the median of single rounds' shares, or where it has none, the share of the medians."""
    return row.get("of_limit", row["bytes_per_s"] / limit)


def with_one_limit(rows):
    """The rows, with the fastest alone of the loops that only read one input, called "read only": it is the limit of the others."""
    fastest, others = {}, []
    for r in rows:
        if not r.get("by", "").startswith("read only"):
            others.append(r)
        elif "bytes_per_s" in r:
            key = tuple(r.get(k) for k in ("suite", "where", "what", "type", "input", "n", "threads"))
            fastest[key] = max(r, fastest.get(key, r), key=lambda r: r["bytes_per_s"])
    return others + [r | {"by": "read only"} for r in fastest.values()]


def load(path):
    """What the file at `path` holds, with one limit among the rows of each input."""
    path = pathlib.Path(path)
    try:
        header = json.loads(path.read_text())
        rows = header.pop("rows")
        right = all("suite" in r for r in rows)
    except (ValueError, KeyError, TypeError):  # no JSON, or of another form
        right = False
    if not right:
        raise ValueError(f"{path} is no results file of accrue_bench")
    return Results(path, header, with_one_limit(rows))


def contenders_in_order(rows):
    """The rows with accrue's first and the limit's last."""
    return sorted(rows, key=lambda r: (r["by"] == "read only", not r["by"].startswith("accrue"), r["by"]))
