# SPDX-License-Identifier: BSD-3-Clause
"""Tables, pictures and a page from the results files of accrue_bench: python3 perf/report COMMAND ..., see --help."""

import argparse
import pathlib
import sys

from counters import METRICS, add_counters
from load import ROOT, load
from rewrite import rewrite
from sections import sections


def files_of(arguments):
    """The results files that were named."""
    return [load(f) for f in arguments.files]


def tables(arguments):
    """Prints every table that the files have rows for."""
    texts = [text for document, name, text in sections(files_of(arguments)) if document != "README.md"]
    print("\n\n".join(texts))  # README's table holds some of those in docs/cpu.md


def write(arguments):
    """Rewrites the marked sections that the files have rows for."""
    for document, name, text in sections(files_of(arguments)):
        rewrite(arguments.root / document, name, text)
        print(f"{document}: {name}")


def page(arguments):
    """Makes index.html and its pictures; needs matplotlib."""
    try:
        from page import make_page
    except ImportError as error:
        raise ValueError(f"a page cannot be drawn: {error}") from error
    make_page(arguments.folder, files_of(arguments))


def picture(arguments):
    """Draws one picture of the documents: groups (of one file), or forces; needs matplotlib."""
    try:
        from pictures_forces import draw_forces
        from pictures_groups import draw_groups
    except ImportError as error:
        raise ValueError(f"a picture cannot be drawn: {error}") from error
    files = files_of(arguments)
    if arguments.name == "forces":
        figure = draw_forces(files)
    else:
        places = sorted({(r["where"], r.get("threads")) for r in files[0].select("groups")}, key=lambda p: (p[0], p[1] or 0))
        if len(files) != 1 or not places:
            raise ValueError("the picture of groups is of one file that has some")
        figure = draw_groups(files[0], *places[-1])
    figure.savefig(arguments.picture)


def counters(arguments):
    """Puts the profiler's counters beside the times of the ladder."""
    add_counters(arguments.results, arguments.counters)


def metrics(arguments):
    """Names what the profiler has to count, for ncu --metrics."""
    print(",".join(METRICS))


def main():
    """The command line."""
    parser = argparse.ArgumentParser(prog="python3 perf/report", description="Tables, pictures and a page from results of accrue bench.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(run):
        added = commands.add_parser(run.__name__, help=run.__doc__, description=run.__doc__)
        added.set_defaults(run=run)
        return added

    def with_files(added):
        added.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE", help="results of accrue bench --json")

    with_files(command(tables))
    writes = command(write)
    writes.add_argument("--root", type=pathlib.Path, default=ROOT, help="the folder of README.md and docs/ (default: this repository)")
    with_files(writes)
    pages = command(page)
    pages.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help="made if it is not there")
    with_files(pages)
    pictures = command(picture)
    pictures.add_argument("name", choices=("groups", "forces"))
    pictures.add_argument("picture", type=pathlib.Path, metavar="PICTURE.png")
    with_files(pictures)
    counts = command(counters)
    counts.add_argument("results", type=pathlib.Path, metavar="RESULTS.json", help="a file with the ladder's rows, rewritten")
    counts.add_argument("counters", type=pathlib.Path, metavar="COUNTERS.csv", help="by ncu --csv --print-units base --metrics ...")
    command(metrics)
    arguments = parser.parse_args()
    try:
        arguments.run(arguments)
    except (OSError, ValueError) as error:
        sys.exit(f"perf/report: {error}")


main()
