# SPDX-License-Identifier: BSD-3-Clause
"""Puts tested code into README and the pages: behind a line `<!-- snippet FILE NAME -->` stands what FILE has between two lines that end
in `! [NAME]`.

python3 docs/snippets.py           writes the pages anew
python3 docs/snippets.py --check   fails where one is not up to date, or shows code that no test compiles or runs; commands must name what
                                   exists: scripts, presets and options
"""
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
LANGUAGES = {".cpp": "cpp", ".cu": "cpp", ".c": "c", ".f90": "fortran", ".yml": "yaml", ".txt": "cmake", ".sh": "sh"}


def code_of(file, name):
    """The lines between the two marks, without their common indentation."""
    lines = (ROOT / file).read_text().splitlines()
    marks = [k for k, line in enumerate(lines) if re.search(r"! \[" + re.escape(name) + r"\]( \*/)?$", line)]
    if len(marks) % 2 or not marks:
        sys.exit(f"{file} has {len(marks)} marks of '{name}'")
    parts = [textwrap.dedent("\n".join(lines[a + 1 : b])) for a, b in zip(marks[::2], marks[1::2])]
    return f"```{LANGUAGES[pathlib.Path(file).suffix]}\n" + ("\n" if file.endswith(".txt") else "\n\n").join(parts) + "\n```"


def fresh(text):
    def replaced(match):
        return match.group(1) + "\n" + code_of(match.group(2), match.group(3))

    return re.sub(r"(<!-- snippet (\S+) (\S+) -->)\n```.*?\n```", replaced, text, flags=re.S)


def unknown_words(commands):
    """What commands name that is not there."""
    presets = {p["name"] for p in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    cmake = "".join(f.read_text() for f in [*ROOT.glob("cmake/*.cmake"), *ROOT.glob("**/CMakeLists.txt")] if "build" not in f.parts)
    sources = "".join(f.read_text() for f in [*ROOT.glob("src/program/*.cpp"), *ROOT.glob("perf/**/*.cpp"), *ROOT.glob("perf/report/*.py")])
    found = [f"script {s}" for s in re.findall(r"\b((?:scripts|perf|docs)/[\w/]+\.(?:sh|py))", commands) if not (ROOT / s).exists()]
    found += [f"preset {p}" for p in re.findall(r"--preset (\S+)", commands) if p not in presets]
    found += [f"option {o}" for o in re.findall(r"-D(ACCRUE_\w+)", commands) if not re.search(rf"\b{o}\b", cmake)]
    for line in commands.splitlines():
        if re.match(r"\S*(accrue|accrue_bench) ", line):
            found += [f"option {o}" for o in re.findall(r" --([a-z][a-z-]*)", line.split("#")[0]) if f'"--{o}' not in sources]
    return found


wrong = []
for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
    text = page.read_text()
    new = fresh(text)
    for match in re.finditer(r"^```sh\n(.*?)^```$", text, flags=re.M | re.S):
        wrong += [f"{page.name}: there is no {what}" for what in unknown_words(match.group(1))]
    for match in re.finditer(r"^```(\w+)$", text, flags=re.M):
        if match.group(1) == "sh":
            continue
        if not re.search(r"-->\n$", text[: match.start()]):
            wrong.append(f"{page.name}, line {text.count(chr(10), 0, match.start()) + 1}: code that no test compiles")
    if new == text:
        continue
    if "--check" in sys.argv:
        wrong.append(f"{page.name} does not show the tested code: run python3 docs/snippets.py")
    else:
        page.write_text(new)
print("\n".join(wrong) or "the pages show tested code")
sys.exit(1 if wrong else 0)
