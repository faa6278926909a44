# SPDX-License-Identifier: BSD-3-Clause
"""Puts tested code into README and the pages: behind a line `<!-- snippet FILE NAME -->` stands what FILE has between two lines that end
in `! [NAME]`.

python3 docs/snippets.py           writes the pages anew
python3 docs/snippets.py --check   fails where one is not up to date, or shows code that no test compiles or runs; commands stand behind a
                                   line `<!-- run STAGE -->` and are run in that stage of the tests by tests/docs/commands.py
"""
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGES = {p["name"] for p in json.loads((ROOT / "CMakePresets.json").read_text())["testPresets"]}
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


wrong = []
for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
    text = page.read_text()
    new = fresh(text)
    for match in re.finditer(r"^```(\w+)$", text, flags=re.M):
        marked = r"<!-- run (\S+) -->\n$" if match.group(1) == "sh" else r"<!-- snippet \S+ \S+ -->\n$"
        mark = re.search(marked, text[: match.start()])
        if not mark or (match.group(1) == "sh" and mark.group(1) not in STAGES):
            wrong.append(f"{page.name}, line {text.count(chr(10), 0, match.start()) + 1}: code that no test compiles or runs")
    if new == text:
        continue
    if "--check" in sys.argv:
        wrong.append(f"{page.name} does not show the tested code: run python3 docs/snippets.py")
    else:
        page.write_text(new)
print("\n".join(wrong) or "the pages show tested code")
sys.exit(1 if wrong else 0)
