"""`guardlang explain`: which guards fail on a frame, with which values, and what to do."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from guardlang.cli.agreement import verdict_of
from guardlang.cli.inputs import read_inputs
from guardlang.cli.options import backend_option, frame_option, guards_argument, json_option, objects_option
from guardlang.cli.printing import print_explanation, print_lines

__all__ = ["explain"]


@click.command()
@guards_argument
@frame_option
@objects_option
@backend_option
@json_option
@click.option("--html", "html_path", metavar="OUT", help="Also write a self-contained HTML page to the file OUT.")
def explain(
    guards_path: str, frame_path: str, objects_paths: tuple[str, ...], backend: str | None, as_json: bool, html_path: str | None
) -> None:
    r"""Say which guards of GUARDS fail on a frame, what they got, where they come from, and what to do.

    \b
    Exit status: 0 the guards hold, 1 they do not, 2 an error.
    """
    inputs = read_inputs(guards_path, frame_path, objects_paths)
    explanation = inputs.guards.explain(inputs.frame.locals, inputs.frame.globals, state=inputs.frame.state)
    if backend is not None:
        verdict_of(backend, inputs, explanation)
    if html_path is not None:
        from guardlang.explain.html import to_html

        Path(html_path).write_text(to_html(explanation, title=f"guardlang explain {guards_path}"), encoding="utf-8")
    if as_json:
        print_lines(explanation.to_json().splitlines())
    else:
        print_explanation(explanation)
    sys.exit(0 if explanation else 1)
