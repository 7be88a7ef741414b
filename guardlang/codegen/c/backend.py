"""`backend="c"`: a request compiled and loaded."""

from __future__ import annotations

from typing import Any, cast

from guardlang import reading
from guardlang.codegen.c import building
from guardlang.codegen.c.access import resolve
from guardlang.codegen.c.source import CSource, write_source
from guardlang.codegen.c.tensors import TensorFacts, facts_for
from guardlang.codegen.check import Check, Request
from guardlang.frame import plain_mapping

__all__ = ["build"]


def build(request: Request) -> Check:
    """Return a check in C.

    Args:
        request: what to build.

    Returns:
        A callable whose C text is in `source`.

    Raises:
        CompilerNotFound: there is no C compiler.
        BuildError: the compiler refused the text.

    Example:
        >>> from guardlang.parse import parse
        >>> check = build(Request((parse("L['n'] % 2 == 1"),)))
        >>> check({"n": 7}), check({"n": 2**70}), check({})
        (True, False, False)
    """
    facts = facts_for(request.guards)
    source = write_source(request, facts)
    return assemble(request, source, building.load(source.compiled), facts)


def assemble(request: Request, source: CSource, module: Any, facts: TensorFacts) -> Check:
    """Return the check of a compiled module with the constants of a request.

    Args:
        request: what was asked for.
        source: what was compiled.
        module: the compiled module.
        facts: what the text relies on about tensors.
    """
    names = request.signature or ()
    check = module.make(
        source.letters,
        source.contents,
        names,
        plain_mapping,
        resolve,
        reading.read_attribute,
        reading.read_item,
        reading.item_by_position,
        facts.configuration(),
        source.text,
    )
    check.backend = "c"
    check.report = source.report
    return cast("Check", check)
