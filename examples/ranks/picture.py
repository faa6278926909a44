# SPDX-License-Identifier: BSD-3-Clause
"""Draws what the number of ranks changes: picture.py PICTURE FILE..., files of the example, that of one rank first, named by their ranks."""
import pathlib
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

picture, *files = sys.argv[1:]
runs = {}
for name in files:
    ranks = int(re.search(r"(\d+)\D*$", pathlib.Path(name).name).group(1))
    runs[ranks] = [[float.fromhex(x) for x in line.split()] for line in pathlib.Path(name).read_text().splitlines()]
first = next(iter(runs.values()))
figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
for column, name in ((1, "MPI_Allreduce of doubles"), (0, "accrue")):
    for ranks, lines in list(runs.items())[1:]:
        off = [abs(a[column] - b[column]) / b[column] for a, b in zip(lines, first)]
        style = {"marker": ".", "linewidth": 1, "label": f"{name}, {ranks} ranks"}
        if column == 0:
            style = {"color": "black", "linewidth": 2.5, "label": None if ranks != max(runs) else f"{name}, all of these"}
        axes.plot(range(1, len(off) + 1), off, **style)
axes.set_yscale("symlog", linthresh=1e-17)
axes.set_ylim(bottom=-2e-18)
axes.set_yticks([0] + [10.0**e for e in range(-17, -11)])
axes.set_xlabel("step of conjugate gradients")
axes.set_ylabel("residual against one rank's, relative")
axes.legend(fontsize="small", frameon=False)
figure.savefig(picture, dpi=120)
