# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands that README and the pages show: commands.py SOURCE STAGE runs, in the source tree, every block behind a line
`<!-- run STAGE -->`; a folder for $HOME is made and removed. What is different from a reader's run is what a test cannot have:

- on the host `accrue bench` measures a few rows of tiny inputs for three rounds, since the pages' own sizes take minutes;
- without a device, what says `needs a device` at its line's end, and what reads the results of such lines, is left out;
- `scripts/test.sh`, which starts this test, does not start again.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, STAGE = pathlib.Path(sys.argv[1]), sys.argv[2]
TINY = "--mib 1 --cache-mib 1 --most 10 --rounds 3 --threads 2 --filter 'sum f64 accrue'"


def blocks_of(page):
    """The blocks for this stage."""
    return re.findall(rf"^<!-- run {STAGE} -->\n```sh\n(.*?)^```$", page.read_text(), flags=re.M | re.S)


def as_tested(block, device):
    lines = block.replace("\\\n", " ").splitlines()
    kept = [line for line in lines if not line.startswith("scripts/test.sh") and (device or "needs a device" not in line)]
    text = "\n".join(kept)
    return re.sub(r"(accrue bench (?!--list|--suite ladder)(?:[^#\n]*?))(?= *(#|$))", rf"\1 {TINY}", text, flags=re.M)


device = pathlib.Path("/dev/nvidia0").exists()
pages = [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]
ran = 0
with tempfile.TemporaryDirectory() as home:
    environment = {**os.environ, "HOME": home, "Kokkos_ROOT": os.environ.get("Kokkos_ROOT", "/usr")}
    for page in pages:
        for block in blocks_of(page):
            commands = as_tested(block, device)
            print(f"== {page.relative_to(SOURCE)}\n{commands}", flush=True)
            subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=SOURCE, env=environment, check=True)
            ran += 1
assert ran > 0, f"no page shows commands of the stage {STAGE}"
print(f"{ran} blocks ran")
