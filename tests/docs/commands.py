# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands that README and the pages show: commands.py SOURCE STAGE runs, in the source tree, every block behind a line
`<!-- run STAGE -->`; a folder for $HOME is made and removed. What is different from a reader's run is what a test cannot have:

- on the host `accrue bench` measures a few rows of tiny inputs for three rounds, since the pages' own sizes take minutes, and `soak_serial` adds
  up few cases;
- without a device, matplotlib or ncu, lines that say `needs a device` and so on are left out;
- `scripts/test.sh`, which starts this test, does not start again;
- what is configured anew is compiled with the stage's flags, so that ccache has its objects.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE, STAGE = pathlib.Path(sys.argv[1]), sys.argv[2]
TINY = "--mib 1 --cache-mib 1 --most 10 --rounds 3 --threads 2 --filter 'sum f64'"


def blocks_of(page):
    """The blocks for this stage."""
    return re.findall(rf"^<!-- run {STAGE} -->\n```sh\n(.*?)^```$", page.read_text(), flags=re.M | re.S)


def as_the_stage():
    """What of the stage's configuration changes its objects, as arguments of CMake."""
    cache = (SOURCE / "build" / STAGE / "CMakeCache.txt").read_text()
    found = re.findall(r"^(CMAKE_CXX_FLAGS_RELEASE|CMAKE_CXX_VISIBILITY_PRESET):\w+=(.+)$", cache, flags=re.M)
    return " ".join(shlex.quote(f"-D{name}={value}") for name, value in found)


def as_tested(block, have):
    lines = block.replace("\\\n", " ").splitlines()
    lacking = [f"needs {a}{what}" for what, there in have.items() for a in ("", "a ") if not there]
    kept = [line for line in lines if not line.startswith("scripts/test.sh") and not any(words in line for words in lacking)]
    configures = r"^(scripts/demo\.sh|cmake -S \. -B build/mine)"
    kept = [re.sub(configures, lambda command: f"{command[0]} {as_the_stage()}", line) for line in kept]
    kept = [re.sub(r"(soak_serial --cases) \d+", r"\1 500", line) for line in kept]
    return re.sub(r"(accrue bench (?!--list|--suite ladder)(?:[^#\n]*?))(?= *(#|$))", rf"\1 {TINY}", "\n".join(kept), flags=re.M)


device = pathlib.Path("/dev/nvidia0").exists()
pages = [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]
ran = 0
with tempfile.TemporaryDirectory() as home:
    # A Python that draws, under the name that the pages use.
    import_it = ["-c", "import matplotlib"]
    draws = [p for p in ("python3", "/usr/bin/python3") if subprocess.run([p, *import_it], stderr=subprocess.DEVNULL).returncode == 0]
    (pathlib.Path(home) / "bin").mkdir()
    (pathlib.Path(home) / "bin/python3").symlink_to(shutil.which((draws or ["python3"])[0]))
    environment = {"Kokkos_ROOT": "/usr", **os.environ, "HOME": home, "PATH": f"{home}/bin:{os.environ['PATH']}"}
    for page in pages:
        for block in blocks_of(page):
            commands = as_tested(block, {"device": device, "matplotlib": bool(draws), "ncu": device and shutil.which("ncu")})
            print(f"== {page.relative_to(SOURCE)}\n{commands}", flush=True)
            began = time.monotonic()
            subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=SOURCE, env=environment, check=True)
            print(f"== {time.monotonic() - began:.0f} s", flush=True)
            ran += 1
assert ran > 0, f"no page shows commands of the stage {STAGE}"
print(f"{ran} blocks ran")
