"""`python -m guardlang`: the command line."""

from __future__ import annotations

from guardlang.cli import main

if __name__ == "__main__":
    main(prog_name="guardlang")
