"""Text to nodes, through Python's own parser. Nothing that a text names is imported, called or evaluated."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Generator, Mapping
from typing import Any, NoReturn, cast

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.errors import GuardlangError, GuardNameError, GuardSyntaxError, GuardTypeError, nearest
from guardlang.functions import known_functions, lookup
from guardlang.language import FUNCTIONS, MANY, METHODS, ROOTS, SPECIAL_FORMS
from guardlang.reading import read_attribute
from guardlang.sources import (
    AttrSource,
    CallFunctionNoArgsSource,
    Const,
    ConstantSource,
    DynamicAttrSource,
    DynamicGetItemSource,
    GetItemSource,
    GlobalSource,
    GlobalStateSource,
    LocalSource,
    TensorProperty,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)
from guardlang.typecheck import check_condition, check_types
from guardlang.values import Undefined, constructor_of, hashable

__all__ = ["MAX_DEPTH", "MAX_TEXT", "parse", "parse_condition"]

# Bounds on what a text from outside may cost; a 100 kB name fits easily.
MAX_TEXT = 4_000_000
MAX_DEPTH = 1_000

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
_COMPARISON: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_ROOT_NODES: dict[str, type[LocalSource | GlobalSource | GlobalStateSource]] = {
    "L": LocalSource,
    "G": GlobalSource,
    "S": GlobalStateSource,
}
_BUILTINS: dict[str, Any] = {name: value for name, value in vars(builtins).items() if not name.startswith("_")}

# A step of the conversion: yields the operands it needs, gets their nodes back, returns its own.
_Steps = Generator[ast.expr, Expr, Expr]


def parse(text: str, objects: Mapping[str, Any] | None = None) -> Expr:
    """Return the expression that a text spells.

    Args:
        text: one expression of the language.
        objects: live objects by the (dotted) names that the text may use; builtins are always there.

    Raises:
        GuardSyntaxError: not an expression of the language; has the place and a hint.
        GuardNameError: a name that is not known.
        GuardTypeError: an expression that can never be defined.

    Example:
        >>> parse("L['x'].shape[0] % 8 == 0")
        <Compare L['x'].shape[0] % 8 == 0>
    """
    reader = _Reader(text, objects or {})
    expr = reader.read()
    check_types(expr, reader.locate)
    return expr


def parse_condition(text: str, objects: Mapping[str, Any] | None = None) -> Expr:
    """Return the guard that a text spells: an expression that is a condition.

    Args:
        text: one condition of the language.
        objects: as for `parse`.

    Raises:
        GuardSyntaxError: as `parse`.
        GuardNameError: as `parse`.
        GuardTypeError: as `parse`, and for an expression that is no condition.

    Example:
        >>> parse_condition("L['x']")
        Traceback (most recent call last):
        guardlang.errors.GuardTypeError: L['x'] is a value, not a condition
          L['x']
          ^^^^^^
        hint: compare it with something, or write bool(L['x'])
    """
    reader = _Reader(text, objects or {})
    expr = reader.read()
    check_condition(expr, reader.locate)
    return expr


class _Reader:
    """Converts one text; keeps where each node stands for the errors of later passes."""

    def __init__(self, text: str, objects: Mapping[str, Any]) -> None:
        if not isinstance(text, str):
            raise GuardTypeError("the text of a guard is a str", hint="or build the expression with L, G and S")
        self.text = text
        self.objects = objects
        self.places: dict[Expr, ast.expr] = {}
        self.lines: list[bytes] = []
        self.indent = len(text) - len(text.lstrip(" \t"))

    def read(self) -> Expr:
        return self._convert(self._tree())

    def locate(self, error: GuardlangError, expr: Expr | None) -> GuardlangError:
        """Add the text and the place of a node to an error."""
        error.source_text = self.text
        place = self.places.get(expr) if expr is not None else None
        if place is not None:
            error.start, error.end = self._span(place)
        else:
            error.start, error.end = 0, len(self.text)
        return error

    def _tree(self) -> ast.expr:
        if not self.text.strip():
            raise GuardSyntaxError("the text of the guard is empty", hint="write a condition such as L['x'] == 1")
        if len(self.text) > MAX_TEXT:
            raise GuardSyntaxError(f"the text of the guard is longer than {MAX_TEXT} characters")
        try:
            code = self.text[self.indent :].encode("utf-8")
        except UnicodeEncodeError as error:
            raise GuardSyntaxError(
                "the text holds a lone surrogate",
                text=self.text,
                start=error.start + self.indent,
                hint=r"write it as an escape in the string, such as '\ud800'",
            ) from None
        # As Python's parser counts them; with their ends, of one character or two.
        self.lines = [*code.splitlines(keepends=True), b""]
        try:
            return ast.parse(code, "<guard>", mode="eval").body
        except SyntaxError as error:
            raise self._syntax_error(error) from None
        except (RecursionError, MemoryError):
            raise self._too_deep() from None
        except ValueError as error:
            raise GuardSyntaxError(f"the text cannot be read: {error}", text=self.text, start=0) from None

    def _syntax_error(self, error: SyntaxError) -> GuardSyntaxError:
        start = 0
        if error.lineno is not None and error.lineno <= len(self.lines):
            start = self._offset(error.lineno, 0)
            line = self.lines[error.lineno - 1].decode("utf-8")
            # Python gives 0 where the text ends too soon.
            start += min(len(line), error.offset - 1) if error.offset else len(line)
        message = error.msg.split(" (<guard>")[0]
        return GuardSyntaxError(f"not an expression: {message}", text=self.text, start=start)

    def _too_deep(self) -> GuardSyntaxError:
        return GuardSyntaxError(
            f"the text is nested deeper than {MAX_DEPTH} levels", hint="split it, or build the expression with L, G and S"
        )

    def _offset(self, line: int, column: int) -> int:
        """Return the character offset in the text of a line and a byte column."""
        before = sum(len(part.decode("utf-8")) for part in self.lines[: line - 1])
        return self.indent + before + len(self.lines[line - 1][:column].decode("utf-8", "replace"))

    def _span(self, node: ast.expr) -> tuple[int, int]:
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self._offset(node.lineno, node.col_offset), self._offset(end_line, end_column)

    def _fail(
        self, node: ast.expr, message: str, hint: str | None = None, kind: type[GuardlangError] = GuardSyntaxError
    ) -> NoReturn:
        start, end = self._span(node)
        raise kind(message, text=self.text, start=start, end=end, hint=hint)

    def _convert(self, root: ast.expr) -> Expr:
        """Run the steps of the tree with a stack of our own, so that depth costs no recursion."""
        stack: list[tuple[ast.expr, _Steps]] = [(root, self._steps(root))]
        result: Expr | None = None
        while stack:
            place, steps = stack[-1]
            try:
                needed = next(steps) if result is None else steps.send(result)
                result = None
            except StopIteration as stop:
                result = cast("Expr", stop.value)
                self.places.setdefault(result, place)
                stack.pop()
            except GuardlangError as error:
                if error.source_text is None:
                    error.source_text = self.text
                    error.start, error.end = self._span(place)
                raise
            else:
                if len(stack) >= MAX_DEPTH:
                    raise self._too_deep()
                stack.append((needed, self._steps(needed)))
        return cast("Expr", result)

    def _steps(self, node: ast.expr) -> _Steps:
        steps = _STEPS.get(type(node))
        if steps is None:
            self._fail(node, f"guards have no {_CONSTRUCTS.get(type(node), type(node).__name__)}")
        return steps(self, node)

    # One generator for each kind of Python node, in the order of the language's tables.

    def _constant(self, node: ast.Constant) -> _Steps:
        return Const(node.value)
        yield

    def _name(self, node: ast.Name) -> _Steps:
        return self._named(node, [node.id])
        yield

    def _attribute(self, node: ast.Attribute) -> _Steps:
        path = _dotted(node)
        if path is not None and path[0] not in ROOTS:
            return self._named(node, path)
        base = yield node.value
        return AttrSource(base, node.attr)

    def _named(self, node: ast.expr, path: list[str]) -> Expr:
        """Return the named object of a dotted path: the longest prefix in `objects`, the rest by pure reads."""
        if path[0] in ROOTS:
            self._fail(node, f"{path[0]} needs a name", hint=f"write {path[0]}['x']")
        for cut in range(len(path), 0, -1):
            prefix = ".".join(path[:cut])
            if prefix in self.objects:
                value = self.objects[prefix]
                break
            if cut == 1 and prefix in _BUILTINS:
                value = _BUILTINS[prefix]
                break
        else:
            self._unknown(node, ".".join(path))
        for position in range(cut, len(path)):
            try:
                value = read_attribute(value, path[position])
            except Undefined as error:
                self._fail(node, f"{'.'.join(path[:position])} {error.cause}", kind=GuardNameError)
        return ConstantSource(".".join(path), value)

    def _unknown(self, node: ast.expr, name: str, hint: str | None = None) -> NoReturn:
        if name in FUNCTIONS or name in SPECIAL_FORMS or lookup(name) is not None:
            message = f"{name} is a function of the language, not an object"
            self._fail(node, message, hint=f"call it: {name}(...)", kind=GuardNameError)
        hint = hint or nearest(name, [*self.objects, *_BUILTINS, *FUNCTIONS, *SPECIAL_FORMS])
        self._fail(node, f"unknown name {name!r:.100}", hint=hint or "pass the object in `objects`", kind=GuardNameError)

    def _subscript(self, node: ast.Subscript) -> _Steps:
        if isinstance(node.value, ast.Name) and node.value.id in ROOTS and node.value.id not in self.objects:
            if isinstance(node.slice, ast.Constant) and type(node.slice.value) is str:
                return _ROOT_NODES[node.value.id](node.slice.value)
            self._fail(node, f"{node.value.id}[...] takes the name as a string literal", hint=f"write {node.value.id}['x']")
        if isinstance(node.slice, ast.Slice):
            self._fail(node, "guards have no slices", hint="compare the items one by one")
        base = yield node.value
        index = yield node.slice
        return GetItemSource(base, index)

    def _unary(self, node: ast.UnaryOp) -> _Steps:
        if isinstance(node.op, ast.UAdd):
            self._fail(node, "guards have no unary plus", hint="leave it out")
        operand = yield node.operand
        if isinstance(node.op, ast.Not):
            return Not(operand)
        return UnaryOp("-" if isinstance(node.op, ast.USub) else "~", operand)

    def _binary(self, node: ast.BinOp) -> _Steps:
        if type(node.op) not in _BINARY:
            self._fail(node, "guards have no matrix product")
        left = yield node.left
        right = yield node.right
        return BinOp(_BINARY[type(node.op)], left, right)

    def _compare(self, node: ast.Compare) -> _Steps:
        operands = [(yield node.left)]
        for comparator in node.comparators:
            operands.append((yield comparator))
        return Compare(tuple(_COMPARISON[type(op)] for op in node.ops), tuple(operands))

    def _bool(self, node: ast.BoolOp) -> _Steps:
        operands = []
        for value in node.values:
            operands.append((yield value))
        return BoolOp("and" if isinstance(node.op, ast.And) else "or", tuple(operands))

    def _if(self, node: ast.IfExp) -> _Steps:
        test = yield node.test
        body = yield node.body
        orelse = yield node.orelse
        return IfExp(test, body, orelse)

    def _tuple(self, node: ast.Tuple) -> _Steps:
        items = []
        for element in node.elts:
            items.append((yield element))
        return TupleDisplay(tuple(items))

    def _list_or_set(self, node: ast.List | ast.Set) -> _Steps:
        items = []
        for element in node.elts:
            item = yield element
            items.append(self._literal(element, item))
        if isinstance(node, ast.List):
            return Const(items)
        return Const(self._hashed(node, items))

    def _dict(self, node: ast.Dict) -> _Steps:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self._fail(node, "guards have no ** in a dict")
            name = yield key
            item = yield value
            (held,) = self._hashed(key, [self._literal(key, name)])
            made[held] = self._literal(value, item)
        return Const(made)

    def _literal(self, place: ast.expr, expr: Expr) -> Any:
        if not isinstance(expr, Const):
            self._fail(place, "lists, sets and dicts hold literals only", hint="compare the items one by one, or use a tuple")
        return expr.value

    def _hashed(self, place: ast.expr, items: list[Any]) -> set[Any]:
        try:
            for item in items:
                hashable(item)
            return set(items)
        except (Undefined, TypeError):
            self._fail(place, "an item of a set or a key of a dict must be hashable", kind=GuardTypeError)

    def _call(self, node: ast.Call) -> _Steps:
        if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
            self._fail(node, "calls take positional operands only")
        path = _dotted(node.func)
        if path is None or path[0] in ROOTS or (isinstance(node.func, ast.Attribute) and self._is_method(path)):
            return (yield from self._method(node))
        name = ".".join(path)
        of_language = name in _FOLDED or name in FUNCTIONS or name in SPECIAL_FORMS
        if not of_language and lookup(name) is None and constructor_of(name) is None:
            self._unknown_function(node, name)
        args = []
        for arg in node.args:
            args.append((yield arg))
        return self._apply(node, name, args)

    def _is_method(self, path: list[str]) -> bool:
        name = ".".join(path)
        return path[-1] in METHODS and constructor_of(name) is None and lookup(name) is None

    def _method(self, node: ast.Call) -> _Steps:
        func = node.func
        if not isinstance(func, ast.Attribute):
            self._fail(node, "an input cannot be called with operands", hint="call(x) calls x without any")
        if func.attr not in METHODS:
            known = ", ".join(f".{name}()" for name in METHODS)
            hint = "write x.shape[i]" if func.attr == "size" else nearest(func.attr, METHODS) or f"guards know {known}"
            self._fail(node, f"guards cannot call the method {func.attr!r:.100}", hint=hint)
        if len(node.args) != METHODS[func.attr]:
            self._check_count(node, f".{func.attr}", len(node.args), METHODS[func.attr], METHODS[func.attr])
        base = yield func.value
        index = (yield node.args[0]) if node.args else None
        return TensorPropertySource(base, TensorProperty(func.attr), index)

    def _unknown_function(self, node: ast.Call, name: str) -> NoReturn:
        known = [*FUNCTIONS, *SPECIAL_FORMS, *known_functions()]
        if name in _BUILTINS or name in self.objects:
            self._fail(node, f"{name} is no function of the language: guards call nothing by name", kind=GuardNameError)
        hint = nearest(name, known) or "register_function adds one"
        self._fail(node, f"unknown function {name!r:.100}", hint=hint, kind=GuardNameError)

    def _apply(self, node: ast.Call, name: str, args: list[Expr]) -> Expr:
        literals = [arg.value for arg in args if isinstance(arg, Const)]
        if len(literals) == len(args):
            folded = self._fold(node, name, literals)
            if folded is not None:
                return folded
        if name in SPECIAL_FORMS:
            self._check_count(node, name, len(args), SPECIAL_FORMS[name], SPECIAL_FORMS[name])
            return self._special(node, name, args)
        signature = FUNCTIONS.get(name)
        if signature is not None:
            self._check_count(node, name, len(args), signature.least, signature.most)
            return Call(name, tuple(args))
        function = lookup(name)
        if function is None:
            self._fail(node, f"{name} takes literals only")
        self._check_count(node, name, len(args), function.least, MANY if function.most is None else function.most)
        return Call(name, tuple(args))

    def _check_count(self, node: ast.Call, name: str, given: int, least: int, most: int) -> None:
        if least <= given <= most:
            return
        wanted = str(least) if least == most else f"{least} or more" if most >= MANY else f"{least} to {most}"
        self._fail(node, f"{name} takes {wanted} operand{'s' if wanted != '1' else ''}, not {given}", kind=GuardTypeError)

    def _special(self, node: ast.Call, name: str, args: list[Expr]) -> Expr:
        if name == "type":
            return TypeSource(args[0])
        if name == "deref":
            return WeakRefCallSource(args[0])
        if name == "call":
            return CallFunctionNoArgsSource(args[0])
        if name == "peek":
            return TupleIteratorGetItemSource(args[0], args[1])
        if name == "getitem":
            return DynamicGetItemSource(args[0], args[1])
        member = args[1].value if isinstance(args[1], Const) else None
        if type(member) is not str:
            self._fail(node, "getattr takes the attribute as a string literal", kind=GuardTypeError)
        return DynamicAttrSource(args[0], member)

    def _fold(self, node: ast.Call, name: str, literals: list[Any]) -> Expr | None:
        """Return the constant that a constructor with literals spells; None if the call stays a call."""
        fold = _FOLDED.get(name)
        if fold is not None:
            try:
                made = fold(literals)
            except (TypeError, ValueError, OverflowError) as error:
                self._fail(node, f"{name}: {error}", kind=GuardTypeError)
            return None if made is None else Const(made)
        value_type = constructor_of(name)
        if value_type is None or value_type.construct is None or lookup(name) is not None:
            return None
        try:
            return Const(value_type.construct(*literals))
        except Exception as error:  # noqa: BLE001  # a registered constructor's own complaint is the user's answer
            self._fail(node, f"{name}: {error}", kind=GuardTypeError)


def _dotted(node: ast.expr) -> list[str] | None:
    """Return the names of `a.b.c`; None when it starts with anything but a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return [node.id, *reversed(parts)]


def _fold_float(args: list[Any]) -> float | None:
    if len(args) == 1 and type(args[0]) is str:
        if args[0] not in ("nan", "inf", "-nan", "-inf"):
            raise ValueError("takes the strings 'nan', 'inf', '-nan' and '-inf' only")
        return float(args[0])
    return None


def _fold_complex(args: list[Any]) -> complex | None:
    if len(args) in (1, 2) and all(type(arg) in (bool, int, float) for arg in args):
        return complex(*args)
    return None


def _fold_range(args: list[Any]) -> range:
    if not all(type(arg) is int for arg in args):
        raise TypeError("takes ints")
    return range(*args)


def _fold_set(kind: type[set[Any] | frozenset[Any]]) -> Callable[[list[Any]], Any]:
    def fold(args: list[Any]) -> Any:
        if not args:
            return kind()
        if len(args) == 1 and type(args[0]) in (tuple, list, set, frozenset):
            for item in args[0]:
                try:
                    hashable(item)
                except Undefined as error:
                    raise TypeError(f"an item {error.cause}") from None
            return kind(args[0])
        return None

    return fold


# Constructors of literals that Python has no syntax for.
_FOLDED: dict[str, Callable[[list[Any]], Any]] = {
    "complex": _fold_complex,
    "float": _fold_float,
    "frozenset": _fold_set(frozenset),
    "range": _fold_range,
    "set": _fold_set(set),
    "slice": lambda args: slice(*args),
}

_STEPS: dict[type[ast.expr], Callable[[_Reader, Any], _Steps]] = {
    ast.Constant: _Reader._constant,
    ast.Name: _Reader._name,
    ast.Attribute: _Reader._attribute,
    ast.Subscript: _Reader._subscript,
    ast.UnaryOp: _Reader._unary,
    ast.BinOp: _Reader._binary,
    ast.Compare: _Reader._compare,
    ast.BoolOp: _Reader._bool,
    ast.IfExp: _Reader._if,
    ast.Tuple: _Reader._tuple,
    ast.List: _Reader._list_or_set,
    ast.Set: _Reader._list_or_set,
    ast.Dict: _Reader._dict,
    ast.Call: _Reader._call,
}

_CONSTRUCTS: dict[type[ast.expr], str] = {
    ast.Await: "await",
    ast.DictComp: "comprehensions",
    ast.GeneratorExp: "comprehensions",
    ast.JoinedStr: "f-strings",
    ast.Lambda: "lambda",
    ast.ListComp: "comprehensions",
    ast.NamedExpr: "assignments",
    ast.SetComp: "comprehensions",
    ast.Slice: "slices",
    ast.Starred: "starred operands",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
}
