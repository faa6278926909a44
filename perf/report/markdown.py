# SPDX-License-Identifier: BSD-3-Clause
"""Tables in Markdown."""


def table(head, rows):
    """A table of texts; its first column is on the left."""
    lines = [head, ["---"] * len(head)] + rows
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
