"""C text: the one place where anything that is not guardlang's own becomes part of a C file."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["comment", "escaped", "identifier", "indented"]

_LONGEST = 200


def escaped(text: str) -> str:
    r"""Return a text as it may stand in a C string literal or comment: ASCII, no quote, backslash, trigraph or end of comment.

    Args:
        text: any text.

    Example:
        >>> print(escaped('say "a*/b"'))
        say \042a*\057b\042
    """
    parts: list[str] = []
    before = ""
    for char in text:
        plain = (
            " " <= char <= "~"
            and char not in '"\\'
            and not (char == "/" and before == "*")
            and not (char == "?" and before == "?")
        )
        parts.append(char if plain else "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogatepass")))
        before = char
    return "".join(parts)


def comment(text: str) -> str:
    """Return a C comment on one line.

    Args:
        text: any text; cut when it is long.

    Example:
        >>> comment("L['n'] == 1")
        "/* L['n'] == 1 */"
    """
    shown = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    body = escaped(shown).replace("/*", "/ *")
    return f"/* {body} */"


def identifier(hint: str, taken: Iterable[str] = ()) -> str:
    """Return a C identifier that looks like a text and is none of those taken.

    Args:
        hint: any text.
        taken: identifiers in use.

    Example:
        >>> identifier("it's"), identifier("9", ["item_9"])
        ('it_s', 'item_9_2')
    """
    base = (
        "".join(char if char.isascii() and (char.isalnum() or char == "_") else "_" for char in hint)[:40].strip("_") or "value"
    )
    if base[0].isdigit() or base in _KEYWORDS:
        base = f"item_{base}"
    used, name, number = set(taken), base, 1
    while name in used:
        number += 1
        name = f"{base}_{number}"
    return name


_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register restrict
    return short signed sizeof static struct switch typedef union unsigned void volatile while main
"""
_KEYWORDS = frozenset(_WORDS.split())


def indented(lines: Iterable[str], levels: int = 1) -> list[str]:
    """Return lines moved to the right; empty ones stay empty.

    Example:
        >>> indented(["x = 1;", ""])
        ['    x = 1;', '']
    """
    return [f"{'    ' * levels}{line}" if line else line for line in lines]
