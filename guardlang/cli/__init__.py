"""The command line: `guardlang check`, `explain`, `show`, `simplify`, `implies`."""

from __future__ import annotations

from guardlang.cli.main import main

__all__ = ["main"]
