"""`guardlang show`: the code of a check."""

from __future__ import annotations

import click

from guardlang.cli.inputs import read_guards
from guardlang.cli.options import guards_argument, objects_option
from guardlang.cli.printing import print_lines, print_python

__all__ = ["show"]


@click.command()
@guards_argument
@objects_option
@click.option(
    "--backend",
    default="python",
    show_default=True,
    metavar="NAME",
    help="Whose code: python, interp (the guards themselves), smtlib (the question whether they can hold at all), or another.",
)
def show(guards_path: str, objects_paths: tuple[str, ...], backend: str) -> None:
    r"""Print the code of the check that a backend makes of GUARDS.

    \b
    Exit status: 0 done, 2 an error.
    """
    (guards,) = read_guards([guards_path], objects_paths, stand_ins=backend != "smtlib")
    if backend == "smtlib":
        from guardlang.solver.smtlib import to_smtlib

        print_lines(to_smtlib(guards.exprs).splitlines())
        return
    check = guards.compile(backend)
    if check.backend == "python":
        print_python(check.source)
    else:
        print_lines(check.source.splitlines())
