# SPDX-License-Identifier: BSD-3-Clause
"""How pictures look; nothing else loads matplotlib but the files of pictures."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

MEASURED, PUBLISHED, LIBRARY = "#1f6f8b", "#c9a35b", "#8b1f4f"
BEHIND = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
OWN = {"accrue exact": LIBRARY, "accrue fast": "#d9698f", "accrue ordered": "#f0b3c8", "accrue": LIBRARY, "read only": "black"}
OTHERS = ["#1f6f8b", "#c9a35b", "#5b8c5a", "#6a5acd", "#8a8a8a", "#d2691e", "#2e8b8b", "#b8860b", "#4682b4", "#556b2f"]
plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 120, "savefig.bbox": "tight"})


def colors(results):
    """A contender keeps its colour in every picture of a file."""
    contenders = {r["by"] for suite in ("rivals", "types", "sizes", "scaling") for r in results.select(suite)}
    others = sorted(contenders - set(OWN))
    return OWN | {by: OTHERS[k % len(OTHERS)] for k, by in enumerate(others)}
