"""JSON text read strictly, and where in the text a value stands, for errors that point at it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from guardlang.errors import FrameFormatError

__all__ = ["Members", "Path", "Unfit", "format_error", "line_and_column", "parse_json", "path_text", "place_of"]

# Member names and positions from the top of a document down to a value.
Path = tuple[str | int, ...]

_MAX_DIGITS = 4_000
_SHOWN = 60
_LONGEST_PATH = 200
_SPACE = re.compile(r"[ \t\n\r]*")
_skipper = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)


class Members(dict[str, Any]):
    """A JSON object. `repeated` is a name that stands in it twice, or None."""

    __slots__ = ("repeated",)

    def __init__(self, pairs: Iterable[tuple[str, Any]]) -> None:
        self.repeated: str | None = None
        for name, value in pairs:
            if name in self:
                self.repeated = name
            self[name] = value


@attrs.frozen
class Unfit:
    """A number that JSON texts get wrong: it stands where the value would, until a reader with a path complains of it.

    Args:
        message: what is wrong.
        hint: what would be right.
    """

    message: str
    hint: str


def parse_json(text: str, *, file: str) -> Any:
    """Return the value of a JSON text: objects as `Members`, numbers that have no exact value as `Unfit`.

    Args:
        text: the text.
        file: the name of the file, for errors.

    Raises:
        FrameFormatError: the text is not JSON; has line and column.

    Example:
        >>> parse_json('{"a": [1, 2.5]}', file="a.json")
        {'a': [1, 2.5]}
        >>> parse_json('{"a": [1,, 2]}', file="a.json")
        Traceback (most recent call last):
            ...
        guardlang.errors.FrameFormatError: a.json:1:10: not JSON: Expecting value
          {"a": [1,, 2]}
                   ^
    """
    try:
        return json.loads(text, object_pairs_hook=Members, parse_int=_integer, parse_float=_real, parse_constant=_constant)
    except json.JSONDecodeError as error:
        hint = "names and texts stand in double quotes" if text[error.pos : error.pos + 1] == "'" else None
        raise _error(f"not JSON: {error.msg}", text, error.pos, None, file, hint) from None
    except RecursionError:
        raise FrameFormatError(f"{file}: nested too deeply to be read") from None


def _integer(digits: str) -> int | Unfit:
    if len(digits) > _MAX_DIGITS:
        return Unfit(f"a number of {len(digits)} digits", 'write it in hexadecimal: {"$int": "0x..."}')
    return int(digits)


def _real(digits: str) -> float | Unfit:
    number = float(digits)
    if math.isfinite(number):
        return number
    return Unfit(f"{digits:.40} is too large for a float", 'write {"$float": "inf"} for infinity')


def _constant(name: str) -> Unfit:
    return Unfit(f"{name} is not JSON", f'write {{"$float": "{name.lower().replace("infinity", "inf")}"}}')


def format_error(
    message: str, text: str, path: Path, *, file: str, hint: str | None = None, at_name: bool = False
) -> FrameFormatError:
    """Return an error about a value of a JSON text.

    Args:
        message: what is wrong with it.
        text: the text.
        path: the way to the value.
        file: the name of the file.
        hint: what would be right.
        at_name: whether the caret goes to the value's name instead.

    Example:
        >>> print(format_error("no size", '{"L": {"x": -1}}', ("L", "x"), file="f.json", hint="sizes are not negative"))
        f.json:1:13: L['x']: no size
          {"L": {"x": -1}}
                      ^^
        hint: sizes are not negative
    """
    start, end = place_of(text, path, at_name=at_name)
    where = f"{path_text(path)}: " if path else ""
    return _error(where + message, text, start, end, file, hint)


def _error(message: str, text: str, start: int, end: int | None, file: str, hint: str | None) -> FrameFormatError:
    line, column = line_and_column(text, start)
    return FrameFormatError(f"{file}:{line}:{column}: {message}", text=text, start=start, end=end, hint=hint)


def line_and_column(text: str, position: int) -> tuple[int, int]:
    r"""Return the line and the column of a position, both from 1.

    Example:
        >>> line_and_column("ab\ncd", 4)
        (2, 2)
    """
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def path_text(path: Path) -> str:
    """Return a path as people write it.

    Example:
        >>> path_text(("L", "x", "$tensor", "shape", 0))
        "L['x']['$tensor']['shape'][0]"
    """
    if not path:
        return ""
    steps = [f"[{_short(step)!r}]" if isinstance(step, str) else f"[{step}]" for step in path[1:]]
    text = _short(str(path[0])) + "".join(steps)
    return text if len(text) <= _LONGEST_PATH else f"{text[: _LONGEST_PATH // 2]}...{text[-_LONGEST_PATH // 2 :]}"


def _short(name: str) -> str:
    return name if len(name) <= _SHOWN else name[: _SHOWN - 3] + "..."


def place_of(text: str, path: Sequence[str | int], *, at_name: bool = False) -> tuple[int, int]:
    """Return where a value starts and ends in a JSON text.

    Args:
        text: a text that `parse_json` has read.
        path: the way to the value; of a name that is there twice, the last one counts.
        at_name: whether the place of the value's name is wanted instead.

    Example:
        >>> text = '{"a": [1, {"b": null}]}'
        >>> start, end = place_of(text, ("a", 1, "b"))
        >>> text[start:end]
        'null'
    """
    position = _past_space(text, 0)
    name_place: tuple[int, int] | None = None
    for step in path:
        if isinstance(step, str):
            name_place, position = _find_member(text, position, step)
        else:
            name_place, position = None, _find_item(text, position, step)
    if at_name and name_place is not None:
        return name_place
    return position, _past_value(text, position)


def _past_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return position if found is None else found.end()


def _past_value(text: str, position: int) -> int:
    return _skipper.raw_decode(text, position)[1]


def _find_member(text: str, position: int, wanted: str) -> tuple[tuple[int, int], int]:
    place, value = (position, position + 1), position
    position = _past_space(text, position + 1)
    while text[position] != "}":
        name, end = _skipper.raw_decode(text, position)
        start_of_value = _past_space(text, _past_space(text, end) + 1)
        if name == wanted:
            place, value = (position, end), start_of_value
        position = _past_space(text, _past_value(text, start_of_value))
        if text[position] == ",":
            position = _past_space(text, position + 1)
    return place, value


def _find_item(text: str, position: int, wanted: int) -> int:
    position = _past_space(text, position + 1)
    for _ in range(wanted):
        position = _past_space(text, _past_value(text, position))
        position = _past_space(text, position + 1)
    return position
