"""Output: aligned and coloured on a terminal, plain text in a pipe, and nothing from outside can steer the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

import click

from guardlang.explain import Blocked, Explanation
from guardlang.guard import Guard

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

__all__ = ["is_terminal", "print_error", "print_explanation", "print_headline", "print_lines", "print_python", "printable"]


def printable(text: str) -> str:
    r"""Return one line in which what cannot be seen, or would steer a terminal, is escaped.

    Example:
        >>> printable("a\x1b[31m\n[bold]")
        'a\\x1b[31m\\n[bold]'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _fit(text: str, stream: TextIO) -> str:
    """Return a line of which the stream can encode every character."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return printable(text).encode(encoding, "backslashreplace").decode(encoding)


def is_terminal(stream: TextIO) -> bool:
    """Tell whether output goes to somebody who sees colours."""
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def print_lines(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Print lines as they are, but for what cannot be seen."""
    stream = sys.stdout if stream is None else stream
    for line in lines:
        click.echo(_fit(line, stream), file=stream)


def print_error(message: str) -> None:
    """Print an error of one or several lines to standard error."""
    first, *rest = message.split("\n")
    if not is_terminal(sys.stderr):
        for line in (f"error: {first}", *rest):
            click.echo(_fit(line, sys.stderr), err=True)
        return
    console = _console(sys.stderr)
    console.print(_text(sys.stderr, ("error: ", "bold red"), (first, "bold")), soft_wrap=True)
    for line in rest:
        style = "cyan" if line.startswith("hint: ") else "red" if line.strip().strip("^") == "" else ""
        console.print(_text(sys.stderr, (line, style)), soft_wrap=True)


def print_headline(explanation: Explanation) -> None:
    """Print whether the guards hold."""
    if not is_terminal(sys.stdout):
        print_lines([explanation.headline()])
        return
    _console(sys.stdout).print(_headline(explanation), soft_wrap=True)


def print_explanation(explanation: Explanation) -> None:
    """Print why guards hold or do not."""
    if not is_terminal(sys.stdout):
        print_lines(explanation.lines())
        return
    console = _console(sys.stdout)
    for part in _parts(explanation):
        console.print(part)


def print_python(source: str) -> None:
    """Print Python source."""
    if not is_terminal(sys.stdout):
        print_lines(source.splitlines())
        return
    from rich.syntax import Syntax

    text = "\n".join(_fit(line, sys.stdout) for line in source.splitlines())
    _console(sys.stdout).print(Syntax(text, "python", theme="ansi_dark", background_color="default", word_wrap=True))


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    return Console(file=stream, markup=False, emoji=False, highlight=False)


def _text(stream: TextIO, *parts: tuple[str, str]) -> Text:
    from rich.text import Text

    return Text.assemble(*[(_fit(text, stream), style) for text, style in parts])


def _headline(explanation: Explanation) -> Text:
    return _text(sys.stdout, (explanation.headline(), "bold green" if explanation else "bold red"))


def _parts(explanation: Explanation) -> Iterable[RenderableType]:
    from rich.padding import Padding
    from rich.table import Table

    out = sys.stdout
    yield _headline(explanation)
    if explanation.failures:
        table = Table.grid(padding=(0, 3, 0, 0))
        for _ in range(3):
            table.add_column(overflow="fold")
        for failure in explanation.failures:
            origin = " | ".join(map(str, failure.guard.origins))
            table.add_row(_text(out, (str(failure.guard), "bold")), _text(out, (failure.got, "red")), _text(out, (origin, "dim")))
        yield Padding(table, (0, 0, 0, 2))
    for group in explanation.blocked:
        yield from _not_evaluated(group)
    for hint in explanation.hints:
        yield _text(out, ("hint: ", "cyan"), (hint, ""))


def _not_evaluated(group: Blocked) -> Iterable[RenderableType]:
    from rich.padding import Padding

    def guard_text(guard: Guard, reason: str) -> Text:
        origins = "".join(f"   {origin}" for origin in guard.origins)
        return _text(sys.stdout, (str(guard), "bold"), (reason, ""), (origins, "dim"))

    label = _text(sys.stdout, ("not evaluated", "yellow"))
    if len(group.guards) == 1:
        yield label + ": " + guard_text(group.guards[0], f"   ({group.reason})")
        return
    yield label + _text(sys.stdout, (f", because {group.reason}:", ""))
    for guard in group.guards:
        yield Padding(guard_text(guard, ""), (0, 0, 0, 2))
