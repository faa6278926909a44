# SPDX-License-Identifier: BSD-3-Clause
"""Puts tested code into README and the pages: behind a line `<!-- snippet FILE NAME -->` stands what FILE has between two lines that end
in `! [NAME]`.

python3 docs/snippets.py           writes the pages anew
python3 docs/snippets.py --check   fails where one is not up to date, or shows C++, C or Fortran that no test compiles
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
LANGUAGES = {".cpp": "cpp", ".cu": "cpp", ".c": "c", ".f90": "fortran"}


def code_of(file, name):
    """The lines between the two marks, without their common indentation."""
    lines = (ROOT / file).read_text().splitlines()
    marks = [k for k, line in enumerate(lines) if re.search(r"! \[" + re.escape(name) + r"\]( \*/)?$", line)]
    if len(marks) % 2 or not marks:
        sys.exit(f"{file} has {len(marks)} marks of '{name}'")
    parts = [textwrap.dedent("\n".join(lines[a + 1 : b])) for a, b in zip(marks[::2], marks[1::2])]
    return f"```{LANGUAGES[pathlib.Path(file).suffix]}\n" + "\n\n".join(parts) + "\n```"


def fresh(text):
    def replaced(match):
        return match.group(1) + "\n" + code_of(match.group(2), match.group(3))

    return re.sub(r"(<!-- snippet (\S+) (\S+) -->)\n```.*?\n```", replaced, text, flags=re.S)


wrong = []
for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
    text = page.read_text()
    new = fresh(text)
    for match in re.finditer(r"^```(cpp|c|fortran)$", text, flags=re.M):
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
