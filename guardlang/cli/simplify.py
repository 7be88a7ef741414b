"""`guardlang simplify`: the guards that the others do not imply."""

from __future__ import annotations

import sys

import click

from guardlang.cli.inputs import read_guards
from guardlang.cli.options import budget_option, guards_argument, json_option, objects_option, solver_option
from guardlang.cli.printing import print_lines

__all__ = ["simplify"]


@click.command()
@guards_argument
@objects_option
@solver_option
@budget_option
@json_option
def simplify(guards_path: str, objects_paths: tuple[str, ...], solver: str, budget: int, as_json: bool) -> None:
    r"""Print the guards of GUARDS that the others do not imply, and to standard error why each other one is gone.

    Names must be known, by --objects, since nothing is proved about stand-ins.

    \b
    Exit status: 0 done, 1 the guards contradict each other, 2 an error.
    """
    (guards,) = read_guards([guards_path], objects_paths, stand_ins=False)
    kept = guards.simplify(solver, budget=budget)
    report = kept.report
    assert report is not None  # `simplify` sets it
    if as_json:
        print_lines([report.to_json()])
    else:
        print_lines(str(kept).splitlines())
        print_lines(str(report).splitlines(), sys.stderr)
    sys.exit(1 if report.contradiction else 0)
