"""`guardlang check`: whether guards hold on a frame, as the exit status."""

from __future__ import annotations

import sys

import click

from guardlang.cli.agreement import verdict_of
from guardlang.cli.inputs import read_inputs
from guardlang.cli.options import backend_option, frame_option, guards_argument, objects_option
from guardlang.cli.printing import print_headline

__all__ = ["check"]


@click.command()
@guards_argument
@frame_option
@objects_option
@backend_option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing: the exit status tells.")
def check(guards_path: str, frame_path: str, objects_paths: tuple[str, ...], backend: str | None, quiet: bool) -> None:
    r"""Tell whether all guards of GUARDS hold on a frame.

    \b
    Exit status: 0 the guards hold, 1 they do not, 2 an error.
    """
    inputs = read_inputs(guards_path, frame_path, objects_paths)
    explanation = inputs.guards.explain(inputs.frame.locals, inputs.frame.globals, state=inputs.frame.state)
    if backend is not None:
        verdict_of(backend, inputs, explanation)
    if not quiet:
        print_headline(explanation)
    sys.exit(0 if explanation else 1)
