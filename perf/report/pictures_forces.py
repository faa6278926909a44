# SPDX-License-Identifier: BSD-3-Clause
"""Pair forces in a picture: rates over the size of the system, on devices and hosts."""

from pictures_style import LIBRARY, MEASURED, OTHERS, plt
from words import place_name, processor_name, threads_text


def device_curves(results):
    """By words the rates of sweeps on a device, by the number of particles."""
    curves = {}
    for r in results.select("device_forces", what="sweep", by="accrue", kind="full"):
        words = f"{r['strategy']}, " + ("energy and virial at every step" if r["sums"] else "forces alone")
        curves.setdefault(words, []).append((r["n"], 1e-9 * r["n"] / r["median_s"]))
    return {words: sorted(points) for words, points in curves.items()}


def host_curves(results):
    """The fastest strategy's pair phase of the melt on all threads, and LAMMPS's fastest."""
    melts = results.select("forces", what="melt")
    most = max((r["threads"] for r in melts), default=0)
    curves = {}
    for r in melts:
        if r["threads"] != most or r["sums"]:
            continue
        words = f"{r['by']}, {threads_text(most)}, forces alone"
        best = curves.setdefault(words, {})
        best[r["n"]] = max(best.get(r["n"], 0), 1e-9 * r["n"] * r["steps"] / r["pair_s"])
    return {words: sorted(points.items()) for words, points in curves.items()}


def draw_forces(files):
    """Thousands of millions of particles and steps a second, over particles; a line for each way of each machine."""
    curves = {}  # of each its style, and its points, of all files of the machine
    for results in files:
        on_device = device_curves(results)
        name = place_name(results, "cuda") if on_device else processor_name(results)
        for words, points in (on_device or host_curves(results)).items():
            curves.setdefault(f"{name}: {words}", ("-" if on_device else "--", []))[1].extend(points)
    figure, axis = plt.subplots(figsize=(8.5, 5))
    others = iter(OTHERS * len(curves))
    for label, (style, points) in curves.items():
        color = MEASURED if "LAMMPS" in label else LIBRARY if style == "--" else next(others)
        axis.plot(*zip(*sorted(points)), style, marker="o", markersize=3, color=color, label=label)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("particles of a Lennard-Jones liquid, density 0.8442, cut-off 2.5")
    axis.set_ylabel("G particle-steps/s")
    axis.legend(fontsize=6.5, frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1))
    figure.tight_layout()
    return figure
