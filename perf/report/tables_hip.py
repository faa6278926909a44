# SPDX-License-Identifier: BSD-3-Clause
"""HIP over CUDA beside the CUDA backend: rates and times of runs of both programs in turn."""

import statistics

import tables_device
from markdown import table
from tables_device import GOALS, TYPES
from words import exponent


def pairs_of(files):
    """The k-th file of each commit through CUDA with its k-th through HIP."""
    runs = {}
    for f in files:
        for where in {r["where"] for r in f.select("types")} & {"cuda", "hip"}:
            runs.setdefault(f.header["commit"], {"cuda": [], "hip": []})[where].append(f)
    pairs = [list(zip(run["cuda"], run["hip"])) for run in runs.values()]
    return [of_commit for of_commit in pairs if of_commit]


def rates(results, where):
    """Bytes a second by what, input and type."""
    return {(r["what"], r["input"], r["type"]): r["bytes_per_s"] for r in results.select("types", where=where, by="accrue")}


def times(results, where):
    """Seconds of sums by type, size, contender, and graph or stream."""
    return {(r["type"], r["n"], r["by"], r["how"]): r["median_s"] for r in results.select("sizes", where=where)}


def over_cuda(pairs, figures):
    """Figures through HIP over those of the CUDA backend, medians over the pairs."""
    found = {}
    for through_cuda, through_hip in pairs:
        first, second = figures(through_cuda, "cuda"), figures(through_hip, "hip")
        for key in first.keys() & second.keys():
            found.setdefault(key, []).append(second[key] / first[key])
    return {key: statistics.median(ratios) for key, ratios in found.items()}


def rates_tables(pairs):
    """Rates through HIP over those of the CUDA backend."""
    header, ratios = pairs[0][0].header, over_cuda(pairs, rates)
    lines = [
        [f"{what}, {kind}"] + [f"{ratios[what, kind, t]:.3f}" if (what, kind, t) in ratios else "" for t in TYPES] for what, kind in GOALS
    ]
    text = (
        f"**{header['device']}**, commit {header['commit']}, {header['date']}; runs of both programs in turn: "
        + ", ".join(f"`{f.name()}`" for pair in pairs for f in pair)
        + ". Bytes per second through HIP over those of the CUDA backend, medians over the pairs:"
    )
    return [text, table([""] + TYPES, [line for line in lines if any(line[1:])])]


def times_tables(pairs):
    """Times of calls through HIP over those of the CUDA backend."""
    ratios = over_cuda(pairs, times)
    if not ratios:
        return []
    sizes = [n for _, n, _, _ in ratios]
    columns = [(by, how) for how in ("graph", "stream") for by in ("accrue fast", "accrue exact")]

    def cell(kind, column):
        of_sizes = [ratio for (t, _, *key), ratio in ratios.items() if t == kind and tuple(key) == column]
        return f"{statistics.median(of_sizes):.3f}, {max(of_sizes):.2f}" if of_sizes else ""

    text = (
        f"Time a call through HIP over that of the CUDA backend, the median over all sizes of {exponent(min(sizes))} to "
        f"{exponent(max(sizes))} and all pairs, and the largest of a size's medians:"
    )
    lines = [[kind] + [cell(kind, column) for column in columns] for kind in ("f32", "f64")]
    return [text, table([""] + [f"{by}, {how}" for by, how in columns], lines)]


def tables(files):
    """Through HIP alone, where a file has the limits; and beside CUDA, where there are files of both and of one commit."""
    beside = [block for pairs in pairs_of(files) for block in rates_tables(pairs) + times_tables(pairs)]
    return tables_device.tables(files, "hip") + beside
