"""`guardlang implies`: whether one set of guards holds wherever another does."""

from __future__ import annotations

import json
import sys

import click

from guardlang.cli.inputs import read_guards
from guardlang.cli.options import budget_option, json_option, objects_option, solver_option
from guardlang.cli.printing import print_lines

__all__ = ["implies"]


@click.command()
@click.argument("first_path", metavar="A")
@click.argument("second_path", metavar="B")
@objects_option
@solver_option
@budget_option
@json_option
def implies(first_path: str, second_path: str, objects_paths: tuple[str, ...], solver: str, budget: int, as_json: bool) -> None:
    r"""Tell whether the guards of B hold on every frame on which those of A do.

    If so, prints the guards of A that are enough for it; if not, a frame on which all of A hold and one of B does not.
    Names must be known, by --objects, since nothing is proved about stand-ins.

    \b
    Exit status: 0 they do, 1 they do not or no solver can tell, 2 an error.
    """
    first, second = read_guards([first_path, second_path], objects_paths, stand_ins=False)
    verdict = first.implies(second, solver=solver, budget=budget)
    print_lines([json.dumps(verdict.to_json())] if as_json else str(verdict).splitlines())
    sys.exit(0 if verdict else 1)
