"""The arguments and options that several commands share."""

from __future__ import annotations

import click

__all__ = [
    "backend_option",
    "budget_option",
    "frame_option",
    "guards_argument",
    "json_option",
    "objects_option",
    "solver_option",
]

guards_argument = click.argument("guards_path", metavar="GUARDS")

frame_option = click.option(
    "--frame",
    "frame_path",
    metavar="FRAME",
    required=True,
    help="A JSON file, - for standard input, or module:function.",
)

objects_option = click.option(
    "--objects",
    "objects_paths",
    metavar="MODULE[:NAME]",
    multiple=True,
    help="Import the objects that names stand for: a module such as torch, or a mapping of names to objects. May be repeated.",
)

backend_option = click.option(
    "--backend",
    metavar="NAME",
    help="Also run the check that this backend compiles; it is an error if it says anything else.",
)

solver_option = click.option(
    "--solver",
    default="all",
    show_default=True,
    metavar="NAME",
    help="Who proves: builtin, z3, sympy, all, or another.",
)

budget_option = click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="How many steps, relative to 100; the answer is the same on every machine.",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
