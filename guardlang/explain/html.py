"""An explanation as one HTML page: self-contained, without scripts, everything from outside escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable

from guardlang.explain.explanation import Explanation, Failure
from guardlang.guard import Guard

__all__ = ["to_html"]

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem }
body { color: #1b1f24; background: #fff }
h1 { font-size: 1.2rem } h2 { font-size: 1rem; margin: 1.5rem 0 .25rem }
table { border-collapse: collapse; width: 100% } th { text-align: left; font-weight: 600 }
th, td { padding: .3rem 1rem .3rem 0; border-bottom: 1px solid #d8dee4; vertical-align: top; overflow-wrap: anywhere }
code { font: 13px/1.5 ui-monospace, monospace } .holds { color: #116329 } .fails { color: #a40e26 } .origin { color: #57606a }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117 } th, td { border-color: #30363d }
  .holds { color: #3fb950 } .fails { color: #ff7b72 } .origin { color: #9198a1 }
}
"""


def to_html(explanation: Explanation, *, title: str = "guardlang") -> str:
    """Return an explanation as the text of an HTML page.

    Args:
        explanation: what to show.
        title: the title of the page.

    Example:
        >>> from guardlang import GuardSet
        >>> guards = GuardSet()
        >>> _ = guards.add("L['<b>'] < 4")
        >>> page = to_html(guards.explain({"<b>": 7}))
        >>> "<td><code>L[&#x27;&lt;b&gt;&#x27;] &lt; 4</code></td>" in page
        True
    """
    verdict = "holds" if explanation else "fails"
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(title)}</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        f'<h1 class="{verdict}">{_text(explanation.headline())}</h1>',
        *_failures(explanation),
        *_blocked(explanation),
        *_hints(explanation),
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _failures(explanation: Explanation) -> Iterable[str]:
    if not explanation.failures:
        return
    yield "<table><thead><tr><th>guard</th><th>actual</th><th>from</th></tr></thead><tbody>"
    for failure in explanation.failures:
        got = f"<td>{_text(failure.got)}{_values(failure)}</td>"
        yield f"<tr>{_code(str(failure.guard))}{got}{_origins(failure.guard)}</tr>"
    yield "</tbody></table>"


def _values(failure: Failure) -> str:
    """Return the values that the guard read, but for those that are told already."""
    told = [(source, value) for source, value in failure.values if value not in failure.got]
    return "".join(f"<br><code>{_text(source)} = {_text(value)}</code>" for source, value in told)


def _blocked(explanation: Explanation) -> Iterable[str]:
    for group in explanation.blocked:
        yield f"<h2>not evaluated: {_text(group.reason)}</h2>"
        yield "<table><tbody>"
        for guard in group.guards:
            yield f"<tr>{_code(str(guard))}{_origins(guard)}</tr>"
        yield "</tbody></table>"


def _hints(explanation: Explanation) -> Iterable[str]:
    if explanation.hints:
        yield "<h2>hints</h2><ul>"
        for hint in explanation.hints:
            yield f"<li>{_text(hint)}</li>"
        yield "</ul>"


def _code(text: str) -> str:
    return f"<td><code>{_text(text)}</code></td>"


def _origins(guard: Guard) -> str:
    return f'<td class="origin">{"<br>".join(_text(str(origin)) for origin in guard.origins)}</td>'


def _text(text: str) -> str:
    """Escape a text: what HTML gives a meaning, and whatever cannot be seen or would turn the direction of writing."""
    return html.escape("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text))
