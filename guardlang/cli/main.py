"""The command `guardlang` and what all its parts share: how it ends when something is wrong."""

from __future__ import annotations

from typing import Any

import click

from guardlang import __version__
from guardlang.cli.check import check
from guardlang.cli.explain import explain
from guardlang.cli.implies import implies
from guardlang.cli.printing import print_error
from guardlang.cli.show import show
from guardlang.cli.simplify import simplify
from guardlang.errors import GuardlangError

__all__ = ["ERROR", "main"]

ERROR = 2


class _Commands(click.Group):
    """Commands whose errors are told without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (GuardlangError, OSError) as error:
            print_error(_message(error))
            ctx.exit(ERROR)


def _message(error: GuardlangError | OSError) -> str:
    if isinstance(error, GuardlangError):
        return str(error)
    if error.filename is None:
        return error.strerror or "the system refused"
    return f"{error.filename}: {error.strerror}"


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="guardlang", message="%(prog)s %(version)s")
def main() -> None:
    r"""Check guards against a frame, say why they fail, show the code of a check, prove.

    \b
    GUARDS is a text file with one guard a line, what follows # being its origin,
    or the JSON form that GuardSet.to_json writes. - is standard input.

    \b
    FRAME is a JSON file {"L": {...}, "G": {...}, "S": {...}}: the locals, the globals
    and, if need be, the ambient state; or module:function, which is imported from the
    current directory or the Python path and called for these mappings.

    \b
    A name in guards, such as torch.Tensor, stands for the same thing in GUARDS and in a
    JSON frame: for the object that --objects gives, else for a stand-in of that name, so
    that no library is needed. Nothing that a file names is imported. With module:function
    names are looked up among the modules that it has imported.

    \b
    Exit status: 0 the guards hold, 1 they do not, 2 an error.
    """


main.add_command(explain)
main.add_command(check)
main.add_command(show)
main.add_command(simplify)
main.add_command(implies)
