# SPDX-License-Identifier: BSD-3-Clause
"""What tables and pictures say of a file, a place and a size."""


def headline(results, title, *facts):
    """The line over a file's tables: what was measured on, further facts where they are known, commit, date, file."""
    known = [fact for fact in facts if fact] + [f"commit {results.header['commit']}", results.header["date"]]
    return f"**{title}** ({', '.join(known)}; `{results.name()}`)"


def processor_name(results):
    """The host and the instructions that were used."""
    return f"{results.header['processor']}, {results.header['instruction_set']}"


def place_name(results, where):
    """The host with its cores, or the device."""
    header = results.header
    if where != "host":
        return header["device"]
    return header["processor"] + (f", {header['processors']} cores" if "processors" in header else "")


def size_text(size_bytes):
    """A size in the unit that suits it."""
    return f"{size_bytes / 2**30:.3g} GiB" if size_bytes >= 2**30 else f"{size_bytes / 2**20:.3g} MiB"


def threads_text(threads):
    """1 thread, 2 threads, ..."""
    return f"{threads} thread{'s' if threads > 1 else ''}"


def exponent(n):
    """A power of two as 2^k."""
    return f"2^{n.bit_length() - 1}"
