"""`guardlang show`: the code of a check."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from guardlang.ast import Expr
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
@click.option(
    "--abi",
    type=click.Choice(["python", "dlpack"]),
    default="python",
    show_default=True,
    help="With --backend c: a module for Python, or C11 over DLTensor pointers and int64_t that needs no Python.",
)
@click.option("--partial", is_flag=True, help="With --abi dlpack: leave out the guards that cannot be said so, and list them.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="With --abi dlpack: write guards.h and guards.c to this folder instead of printing them.",
)
def show(guards_path: str, objects_paths: tuple[str, ...], backend: str, abi: str, partial: bool, out: Path | None) -> None:
    r"""Print the code of the check that a backend makes of GUARDS.

    \b
    Exit status: 0 done, 2 an error.
    """
    (guards,) = read_guards([guards_path], objects_paths, stand_ins=backend != "smtlib")
    if backend == "smtlib":
        from guardlang.solver.smtlib import to_smtlib

        print_lines(to_smtlib(guards.exprs).splitlines())
        return
    if abi == "dlpack":
        if backend != "c":
            raise click.UsageError("--abi dlpack goes with --backend c")
        _show_dlpack(guards.exprs, partial, out)
        return
    check = guards.compile(backend)
    if check.backend == "python":
        print_python(check.source)
    else:
        print_lines(check.source.splitlines())


def _show_dlpack(guards: Sequence[Expr], partial: bool, out: Path | None) -> None:
    from guardlang.codegen.c.dlpack import write_dlpack

    made = write_dlpack(guards, partial=partial)
    if out is None:
        print_lines([*made.header.splitlines(), "", *made.source.splitlines()])
    else:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in (("guards.h", made.header), ("guards.c", made.source)):
            (out / name).write_text(text, "utf-8")
            click.echo(f"wrote {out / name}")
    for text, reason in made.refused:
        click.echo(f"left out: {text}: {reason}", err=True)
