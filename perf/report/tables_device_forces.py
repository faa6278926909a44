# SPDX-License-Identifier: BSD-3-Clause
"""The suite device_forces: neighbour lists and pair forces on a device, by the number of particles."""

from markdown import table
from tables_device import device_headline


def rate_table(rows):
    """Thousands of millions of particles and steps a second, and how many sweeps a list costs."""
    sizes = sorted({r["n"] for r in rows})

    def of(n, **labels):
        return next(r for r in rows if r["n"] == n and all(r.get(k) == v for k, v in labels.items()))

    def rates(**labels):
        there = [r for r in rows if all(r.get(k) == v for k, v in {"what": "sweep", **labels}.items())]
        rate = {r["n"]: f"{1e-9 * r['n'] / r['median_s']:.2f}" for r in there}
        return [rate.get(n, "-") for n in sizes]

    lines = []
    for kind, strategies in (("full", ("fixed_point", "gather")), ("half", ("fixed_point", "atomic"))):
        for strategy in strategies:
            for sums, words in ((False, "in a graph"), (True, "energy and virial exact at every step")):
                lines.append([f"{kind} list, `{strategy}`, {words}"] + rates(by="accrue", kind=kind, strategy=strategy, sums=sums))
    for words, labels in (("full list, `fixed_point`, in a graph, a functor", {"by": "a functor"}),
                          ("full list, `fixed_point`, in a graph, a functor given 1/r^2", {"by": "a functor given 1/r^2"}),
                          ("full list, `fixed_point`, in a graph, three types", {"by": "three types"}),
                          ("a full list of the caller's own, `fixed_point`, in a graph", {"by": "accrue", "kind": "own full"})):
        if any(cell != "-" for cell in rates(**labels)):
            lines.append([words] + rates(**labels))
    trajectory = {r["n"]: f"{1e-9 * r['n'] * r['steps'] / r['median_s']:.2f}" for r in rows if r["what"] == "trajectory"}
    if trajectory:
        lines.append(["a trajectory, `fixed_point`: steps of 0.005 with their builds, no energy"] + [trajectory.get(n, "-") for n in sizes])
    full = {"by": "accrue", "kind": "full"}
    builds = [of(n, what="list", **full)["median_s"] / of(n, what="sweep", strategy="fixed_point", sums=False, **full)["median_s"] for n in sizes]
    lines.append(["a build of the full list, in sweeps of `fixed_point`"] + [f"{b:.1f}" for b in builds])
    own = {r["n"]: r["median_s"] for r in rows if r["what"] == "list" and r["kind"] == "own full"}
    if own:
        sweeps = {n: own[n] / of(n, what="sweep", strategy="fixed_point", sums=False, **full)["median_s"] for n in own}
        lines.append(["taking a full list of the caller's own, in the same"] + [f"{sweeps[n]:.1f}" if n in sweeps else "-" for n in sizes])
    return table(["G particle-steps/s"] + [f"{n:,}" for n in sizes], lines)


def tables(files):
    """Of every file with such rows, its headline and its table."""
    blocks = []
    for results in files:
        rows = results.select("device_forces")
        if rows:
            blocks += [device_headline(results), rate_table(rows)]
    return blocks
