"""The rows as one table for people and one JSON text for programs."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

import attrs
from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.rows import Row

__all__ = ["Result", "as_json", "print_table"]

PEERS = ("guardlang", "numpy", "sympy", "torch", "z3-solver")


@attrs.frozen
class Result:
    """What came of one benchmark file.

    Args:
        benchmark: the name of the file, without `bench_`.
        rows: what it measured.
        skipped: why it measured nothing; empty if it did.
        failed: the error that ended it; empty if none did.

    Example:
        >>> Result("c", skipped="needs a C compiler").rows
        ()
    """

    benchmark: str
    rows: tuple[Row, ...] = ()
    skipped: str = ""
    failed: str = ""


def print_table(results: Sequence[Result], console: Console) -> None:
    """Print one table of all rows, then what was skipped or failed.

    Example:
        >>> row = Row.of("20 guards", ours=1.5e-6, theirs=3e-6, goal=1.1, note="hand-written")
        >>> print_table([Result("check", rows=(row,))], Console(width=90, no_color=True))
        benchmark  what       ours    theirs  ratio  goal    met  peer, note
        check      20 guards  1.5 us  3 us    0.500  <= 1.1  yes  hand-written
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("benchmark", "what", "ours", "theirs", "ratio", "goal", "met", "peer, note"):
        table.add_column(heading, overflow="fold")
    for result in results:
        for row in result.rows:
            goal = "" if row.goal is None else f"<= {row.goal:g}"
            texts = [result.benchmark, row.name, seconds(row.ours), seconds(row.theirs), f"{row.ratio:.3f}", goal]
            style = "red" if row.met is False else None
            table.add_row(*map(Text, texts), Text(MET[row.met]), Text(row.note), style=style)
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        console.out(line.rstrip(), highlight=False)
    for result in results:
        if result.skipped:
            console.print(Text(f"skipped {result.benchmark}: {result.skipped}"))
        if result.failed:
            console.print(Text(f"failed {result.benchmark}: {result.failed}"))


MET = {True: "yes", False: "NO", None: ""}


def seconds(value: float) -> str:
    """Return a time with the unit that fits it.

    Example:
        >>> seconds(0.25), seconds(1.5e-6), seconds(9e-9), seconds(75.0)
        ('250 ms', '1.5 us', '9 ns', '75 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def as_json(results: Sequence[Result]) -> str:
    """Return the results and what they were measured on.

    Example:
        >>> row = Row.of("20 guards", ours=1.0, theirs=2.0)
        >>> json.loads(as_json([Result("check", rows=(row,))]))["rows"][0]["ratio"]
        0.5
    """
    document = {
        "machine": {
            "python": platform.python_version(),
            "implementation": platform.python_implementation(),
            "system": platform.system(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "packages": {name: found for name in PEERS if (found := version_of(name))},
        },
        "rows": [
            {"benchmark": result.benchmark, **attrs.asdict(row), "met": row.met} for result in results for row in result.rows
        ],
        "skipped": {result.benchmark: result.skipped for result in results if result.skipped},
        "failed": {result.benchmark: result.failed for result in results if result.failed},
    }
    return json.dumps(document, indent=2) + "\n"


def version_of(package: str) -> str | None:
    """Return the version of an installed package, None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
