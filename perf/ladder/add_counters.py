# SPDX-License-Identifier: BSD-3-Clause
"""Puts the profiler's counters of each rung's first kernel into the results of accrue_ladder_perf.

Usage: add_counters.py RESULTS.json COUNTERS.csv, where the second comes from
  ncu --csv --log-file COUNTERS.csv --metrics <the names below> accrue_ladder_perf --once
"""
import csv
import json
import sys

METRICS = {
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct": "load_efficiency_percent",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct": "store_efficiency_percent",
    "smsp__sass_average_branch_targets_threads_uniform.pct": "branch_efficiency_percent",
    "smsp__thread_inst_executed_per_inst_executed.ratio": "active_threads_an_instruction",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": "bank_conflicts",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "achieved_occupancy_percent",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "memory_throughput_percent",
}


def launches(path):
    """The ladder's launches in order: name, counters."""
    found = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(line for line in file if line.startswith('"')):
            if "ladder::" not in row["Kernel Name"]:
                continue
            launch = found.setdefault(int(row["ID"]), (row["Kernel Name"], {}))
            if row["Metric Name"] in METRICS:
                launch[1][METRICS[row["Metric Name"]]] = float(row["Metric Value"].replace(",", ""))
    return [found[k] for k in sorted(found)]


def first_launches(all_launches):
    """A rung begins where the kernel changes."""
    before = ""
    for name, counters in all_launches:
        if name != before:
            yield counters
        before = name


def main():
    results = json.load(open(sys.argv[1]))
    rungs = [r for r in results["rows"] if r["ladder"]]
    counters = list(first_launches(launches(sys.argv[2])))
    if len(counters) != len(rungs):
        sys.exit(f"{len(rungs)} rungs, but the counters of {len(counters)}")
    for rung, found in zip(rungs, counters):
        rung["counters"] = found
    with open(sys.argv[1], "w") as file:
        file.write(json.dumps(results, indent=1) + "\n")


main()
