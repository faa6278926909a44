# SPDX-License-Identifier: BSD-3-Clause
"""The profiler's counters of each rung, put into the ladder's results."""

import csv
import json

METRICS = {
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct": "load_efficiency_percent",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct": "store_efficiency_percent",
    "smsp__sass_average_branch_targets_threads_uniform.pct": "branch_efficiency_percent",
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio": "lanes_at_work",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": "stalled_on_memory",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": "stalled_at_barriers",
    "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio": "stalled_on_shared",
    "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio": "stalled_on_shuffles",
    "smsp__issue_active.avg.pct_of_peak_sustained_active": "issue_percent",
    "dram__bytes.sum": "dram_bytes",
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


def rungs_of(all_launches):
    """A rung begins where the kernel changes: the counters of its first launch, and the bytes of all of them."""
    found = []
    before = ""
    for name, counters in all_launches:
        if name != before:
            found.append(dict(counters))
        else:
            found[-1]["dram_bytes"] += counters["dram_bytes"]
        before = name
    return found


def add_counters(results_path, counters_path):
    """Puts the counters beside the times of a results file."""
    with open(results_path) as file:
        results = json.load(file)
    rungs = [r for r in results["rows"] if r.get("ladder")]
    counters = rungs_of(launches(counters_path))
    if len(counters) != len(rungs):
        raise ValueError(f"{len(rungs)} rungs, but the counters of {len(counters)}")
    for rung, found in zip(rungs, counters):
        rung["counters"] = found
    with open(results_path, "w") as file:
        file.write(json.dumps(results, indent=1) + "\n")
