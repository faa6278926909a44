# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a document that this program writes: between <!-- NAME:begin --> and <!-- NAME:end -->, each on a line of its own."""


def rewrite(path, name, text):
    """Puts `text` between the marks."""
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->\n"
    before, found, rest = path.read_text().partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{path} has no {begin.strip()} and {end.strip()}")
    path.write_text(before + begin + text + "\n" + end + after)
