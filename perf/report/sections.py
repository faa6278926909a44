# SPDX-License-Identifier: BSD-3-Clause
"""The marked sections of the documents, and the tables that stand in them."""

import tables_device
import tables_device_forces
import tables_forces
import tables_gpus
import tables_groups
import tables_hip
import tables_kokkos
import tables_loops
import tables_ranks

# Document, name of the section, and what makes its tables.
SECTIONS = [
    ("README.md", "loops", tables_loops.short_table),
    ("docs/cpu.md", "loops", tables_loops.tables),
    ("docs/cpu.md", "types", tables_device.host_tables),
    ("docs/cuda.md", "cuda", tables_device.tables),
    ("docs/hip.md", "hip", tables_hip.tables),
    ("docs/kokkos.md", "kokkos", tables_kokkos.tables),
    ("docs/forces.md", "forces", tables_forces.tables),
    ("docs/forces.md", "device_forces", tables_device_forces.tables),
    ("docs/groupings.md", "groups", tables_groups.tables),
    ("README.md", "ranks", tables_ranks.short_table),
    ("docs/ranks.md", "ranks", tables_ranks.tables),
    ("docs/ranks.md", "gpus", tables_gpus.tables),
]


def sections(files):
    """Document, name and text of the sections that the files have rows for."""
    made = [(document, name, "\n\n".join(tables(files))) for document, name, tables in SECTIONS]
    found = [section for section in made if section[2]]
    if not found:
        raise ValueError("these files have rows for no table")
    return found
