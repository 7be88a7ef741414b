"""Expressions to C: conditions that are 1, 0 or ASK, objects that are read, and numbers.

A condition that the C code does not decide is left to the Python check of the same condition, so what is lowered here need not be
complete, only right.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, UnaryOp
from guardlang.codegen.c.regions import Cell, Region
from guardlang.codegen.c.tensors import TensorFacts
from guardlang.reading import dereference, peek, tensor_property
from guardlang.sources import (
    AttrSource,
    Const,
    ConstantSource,
    GetItemSource,
    GlobalSource,
    GlobalStateSource,
    LocalSource,
    TensorPropertySource,
    TupleIteratorGetItemSource,
    TypeSource,
    WeakRefCallSource,
)
from guardlang.state import reader_of
from guardlang.values import equal, is_value, value_type_of
from guardlang.walk import children

__all__ = ["Lowering", "NotLowered", "operands_of"]

_WORD = 63
_FUNCTIONS_OF_NUMBERS = {
    "abs": "absolute({})",
    "floor": "to_whole({}, floor)",
    "ceil": "to_whole({}, ceil)",
    "trunc": "to_whole({}, trunc)",
    "round": "to_whole({}, rint)",
    "int": "to_whole({}, trunc)",
    "float": "to_real({})",
    "sqrt": "square_root({})",
}
_OPERATORS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "//": "floor_divide",
    "%": "modulo",
    "**": "power",
    "<<": "shift_left",
    ">>": "shift_right",
    "&": "bit_and",
    "|": "bit_or",
    "^": "bit_xor",
}


class NotLowered(Exception):
    """An expression that is left to Python."""


class Lowering:
    """Writes the statements of one region.

    Args:
        region: the region.
        by_node: the regions of all sources that are read once for all.
        parameters: the position of each local of a positional check; None for one that takes mappings.
        facts: what the C code can tell about tensors.
    """

    def __init__(
        self, region: Region, by_node: dict[Expr, Region], parameters: dict[str, int] | None, facts: TensorFacts
    ) -> None:
        self.region = region
        self.by_node = by_node
        self.parameters = parameters
        self.facts = facts
        # Whether the statements are those that read the region's own source: then its value is not there yet.
        self.loading = False
        self.lines: list[str] = []
        self.levels = 0
        self._tensors: dict[Expr, int] = {}

    def emit(self, line: str) -> None:
        """Add a statement."""
        self.lines.append("    " * self.levels + line)

    def taken(self) -> list[str]:
        """Return the statements written so far, and forget them."""
        lines, self.lines = self.lines, []
        return lines

    def reset(self) -> None:
        """Forget the statements of an expression that turned out not to be lowered; its cells and slots stay unused."""
        self.lines.clear()
        self.levels = 0
        self._tensors.clear()

    def require_ambient(self, guards: Any) -> None:
        """Write the statements that make sure of the guards on ambient state.

        Args:
            guards: tells whether they hold.
        """
        self.emit(f"MUST(ambient_holds(f, {self._cell('s', guards)}));")

    def leave(self, check: Any) -> None:
        """Write the statements that ask Python.

        Args:
            check: the Python check.
        """
        self.emit(f"HOLDS(ASK, {self._object_cell(check)});")

    # Conditions.

    def require(self, expr: Expr, ask: Callable[[], Any]) -> None:
        """Write the statements that leave the function unless a condition is true.

        Args:
            expr: the condition.
            ask: makes the Python check of it.

        Raises:
            NotLowered: there is no C for it at all.
        """
        if isinstance(expr, Not | BoolOp | IfExp):
            self.emit("{")
            self.levels += 1
            self.emit("int holds;")
            self._decide(expr, "holds")
            condition, sure = "holds", False
        else:
            condition, sure = self._condition(expr)
        if sure:
            self.emit(f"MUST({condition});")
        else:
            self.emit(f"HOLDS({condition}, {self._object_cell(ask())});")
        if condition == "holds":
            self.levels -= 1
            self.emit("}")

    def _decide(self, expr: Expr, variable: str) -> None:
        """Write statements that set a variable to 1, 0 or ASK."""
        match expr:
            case Not():
                self._decide(expr.operand, variable)
                self.emit(f"{variable} = not_({variable});")
            case BoolOp():
                self._decide(expr.operands[0], variable)
                for operand in expr.operands[1:]:
                    self.emit(f"if ({variable} == {0 if expr.op == 'or' else 1}) {{")
                    self._inside(operand, variable)
                    self.emit("}")
            case IfExp():
                self._decide(expr.test, variable)
                self.emit(f"if ({variable} == 1) {{")
                self._inside(expr.body, variable)
                self.emit(f"}} else if ({variable} == 0) {{")
                self._inside(expr.orelse, variable)
                self.emit("}")
            case Compare() if len(expr.ops) > 1:
                links = [Compare((op,), expr.operands[i : i + 2]) for i, op in enumerate(expr.ops)]
                self._decide(BoolOp("and", tuple(links)), variable)
            case Const(value=bool() as value):
                self.emit(f"{variable} = {int(value)};")
            case _:
                self.emit(f"{variable} = {self._condition(expr)[0]};")

    def _inside(self, expr: Expr, variable: str) -> None:
        tensors = dict(self._tensors)
        self.levels += 1
        self._decide(expr, variable)
        self.levels -= 1
        self._tensors = tensors

    def _condition(self, expr: Expr) -> tuple[str, bool]:
        """Return C for a condition without parts that are skipped, and whether it is never ASK."""
        match expr:
            case Compare(ops=("is" | "is not" as op,), operands=(left, right)):
                return self._identity(op, left, right)
            case Compare(ops=("==",), operands=(left, right)):
                return self._equality(left, right)
            case Compare(ops=("!=",), operands=(left, right)):
                return _negated(self._equality(left, right))
            case Compare(ops=("in",), operands=(item, container)):
                return self._membership(item, container), False
            case Compare(ops=("not in",), operands=(item, container)):
                return _negated((self._membership(item, container), False))
            case Compare(ops=(op,), operands=(left, right)):
                return self._order(op, left, right), False
            case Call(function="same" | "distinct" as name):
                return self._relation(name, expr.args), True
            case Call(function="isinstance", args=(x, ConstantSource(value=cls) as named)) if issubclass(type(cls), type):
                return f"is_instance({self.value(x)}, {self._object_cell(named.value)})", True
            case Call(function="hasattr", args=(x, Const(value=str() as member))):
                return self._has_attribute(x, member), False
            case Call(function="exact", args=(left, right)):
                return self._exactness(left, right), False
            case Call(function="isnan", args=(x,)):
                return f"is_nan({self.number(x)})", False
            case TensorPropertySource():
                return self._flag(expr)
            case Not():
                return _negated(self._condition(expr.operand))
        raise NotLowered

    def _identity(self, op: str, left: Expr, right: Expr) -> tuple[str, bool]:
        if isinstance(left, ConstantSource | Const) and not isinstance(right, ConstantSource | Const):
            left, right = right, left
        if isinstance(left, TypeSource) and isinstance(right, ConstantSource):
            condition = f"Py_IS_TYPE({self.value(left.base)}, (PyTypeObject *){self._object_cell(right.value)})"
            return (condition if op == "is" else f"!{condition}"), True
        fact = self._tensor_fact(left, right)
        if fact is not None:
            return (fact if op == "is" else f"not_({fact})"), False
        if isinstance(right, Const) and (right.value is None or right.value is True or right.value is False):
            named = {None: "Py_None", True: "Py_True", False: "Py_False"}[right.value]
            return f"{self.object(left)} {'==' if op == 'is' else '!='} {named}", True
        return f"{self.object(left)} {'==' if op == 'is' else '!='} {self.object(right)}", True

    def _equality(self, left: Expr, right: Expr) -> tuple[str, bool]:
        if isinstance(left, Const | ConstantSource) and not isinstance(right, Const | ConstantSource):
            left, right = right, left
        fact = self._tensor_fact(left, right)
        if fact is not None:
            return fact, False
        if not isinstance(right, Const | ConstantSource):
            if self._is_number(left) or self._is_number(right):
                return f"equal_numbers({self.number(left)}, {self.number(right)})", False
            return f"equal_objects({self.value(left)}, {self.value(right)})", False
        wanted = right.value if isinstance(right, Const) else right.content
        if self._is_number(left) and type(wanted) in (int, bool) and int(wanted).bit_length() <= _WORD:
            return f"number_is({self.number(left)}, {self._cell('i', int(wanted))})", False
        if self._is_number(left) and type(wanted) in (int, float, bool):
            return f"equal_numbers({self.number(left)}, {self._number_cell(wanted)})", False
        if isinstance(left, Call) and left.function == "keys" and _is_row_of_str(wanted):
            return f"keys_are({self.value(left.args[0])}, {self._object_cell(wanted)})", False
        x = self.value(left)
        if type(wanted) in (int, bool) and int(wanted).bit_length() <= _WORD:
            return f"equal_whole({x}, {self._cell('i', int(wanted))})", False
        if type(wanted) is float:
            return f"equal_real({x}, {self._cell('d', wanted)})", False
        if type(wanted) is str:
            return f"equal_text({x}, {self._object_cell(wanted)})", False
        value_type = value_type_of(type(wanted))
        if value_type is not None and value_type.native and is_value(wanted) and equal(wanted, wanted):
            return f"equal_native({x}, {self._object_cell(wanted)})", False
        return f"equal_objects({x}, {self._object_cell(wanted)})", False

    def _order(self, op: str, left: Expr, right: Expr) -> str:
        if op in (">", ">="):
            left, right = right, left
        if any(self._is_number(side) or _is_real(side) for side in (left, right)):
            return f"{'less' if op in ('<', '>') else 'at_most'}({self.number(left)}, {self.number(right)})"
        return f"less_objects({self.value(left)}, {self.value(right)}, {int(op in ('<=', '>='))})"

    def _membership(self, item: Expr, container: Expr) -> str:
        if isinstance(container, Const | ConstantSource):
            held = container.value if isinstance(container, Const) else container.content
            if type(held) in (tuple, list):
                return f"is_among({self.value(item)}, {self._object_cell(held)})"
            if type(held) in (set, frozenset):
                return f"is_in_set({self.value(item)}, {self._object_cell(held)})"
            raise NotLowered
        if isinstance(item, Const) and type(item.value) is str:
            return f"is_key(f, {self.value(container)}, {self._object_cell(item.value)})"
        raise NotLowered

    def _relation(self, name: str, args: tuple[Expr, ...]) -> str:
        objects = [self.object(arg) for arg in args]
        if len(objects) == 1:
            return "1"
        if len(objects) == 2:
            return f"{objects[0]} {'==' if name == 'same' else '!='} {objects[1]}"
        row = f"((PyObject *[]){{{', '.join(objects)}}})"
        return f"{'all_same' if name == 'same' else 'all_distinct'}({row}, {len(objects)})"

    def _has_attribute(self, x: Expr, member: str) -> str:
        return f"has_attribute(f, {self.value(x)}, {self._cell('a', sys.intern(member))})"

    def _exactness(self, left: Expr, right: Expr) -> str:
        if self._is_number(left) or self._is_number(right):
            raise NotLowered
        return f"exact_objects({self.value(left)}, {self.value(right)})"

    # Tensors.

    def _flag(self, expr: TensorPropertySource) -> tuple[str, bool]:
        code = self.facts.flag(expr)
        if code is None:
            raise NotLowered
        return code.format(t=self.tensor(expr.base)), False

    def _tensor_fact(self, left: Expr, right: Expr) -> str | None:
        """Return C that compares a fact of a tensor with a constant, if there is any."""
        if not isinstance(right, Const | ConstantSource):
            return None
        found = self.facts.comparison(left, right)
        if found is None:
            return None
        code, base, constants = found
        tensor = self.tensor(base)
        return code.format(*[self._cell(letter, content) for letter, content in constants], t=tensor)

    def tensor(self, base: Expr) -> str:
        """Return C for a tensor that has been looked into, and write what looks into it.

        Args:
            base: the tensor.
        """
        number = self._tensors.get(base)
        if number is None:
            number = self.region.tensors
            self.region.tensors += 1
            self.emit(f"open_tensor(&$t{number}, {self.value(base)});")
            self._tensors[base] = number
        return f"&$t{number}"

    # Numbers.

    def _is_number(self, expr: Expr) -> bool:
        """Tell whether an expression is computed as a number here."""
        if expr in self.by_node:
            return False
        match expr:
            case BinOp() | UnaryOp():
                return True
            case Call(function="len" | "min" | "max"):
                return True
            case Call():
                return expr.function in _FUNCTIONS_OF_NUMBERS and len(expr.args) == 1
            case TensorPropertySource() | AttrSource():
                return self.facts.number(expr) is not None
        return False

    def number(self, expr: Expr) -> str:
        """Return C for a number.

        Args:
            expr: any expression; what is no number comes out as OTHER.

        Raises:
            NotLowered: it is left to Python.
        """
        if expr in self.by_node:
            return f"number_of({self.value(expr)})"
        match expr:
            case Const(value=int() | float() as value):
                return self._number_cell(value)
            case BinOp():
                return f"{_OPERATORS[expr.op]}({self.number(expr.left)}, {self.number(expr.right)})"
            case UnaryOp():
                return f"{'negative' if expr.op == '-' else 'invert'}({self.number(expr.operand)})"
            case Call(function="len", args=(x,)):
                return f"length_of({self.value(x)})"
            case Call(function="min" | "max", args=args) if len(args) > 1:
                code = self.number(args[0])
                for arg in args[1:]:
                    code = f"{'smaller' if expr.function == 'min' else 'larger'}({code}, {self.number(arg)})"
                return code
            case Call(args=(x,)) if expr.function in _FUNCTIONS_OF_NUMBERS:
                return _FUNCTIONS_OF_NUMBERS[expr.function].format(self.number(x))
            case TensorPropertySource() | AttrSource():
                code_of_fact = self.facts.number(expr)
                if code_of_fact is not None:
                    code, base, index = code_of_fact
                    return code.format(t=self.tensor(base), i=None if index is None else self._cell("i", index))
        return f"number_of({self.value(expr)})"

    def _number_cell(self, value: float) -> str:
        if type(value) is float:
            return f"real({self._cell('d', value)})"
        if int(value).bit_length() > _WORD:
            raise NotLowered
        return f"whole({self._cell('i', int(value))})"

    # Objects.

    def object(self, expr: Expr) -> str:
        """Return C for an operand of `is`: a named object is the live one.

        Args:
            expr: any expression.
        """
        if isinstance(expr, ConstantSource):
            return self._object_cell(expr.value)
        return self.value(expr)

    def value(self, expr: Expr) -> str:
        """Return C for an object that is held, and write what reads it.

        Args:
            expr: any expression.

        Raises:
            NotLowered: it is left to Python.
        """
        held = self.by_node.get(expr)
        if held is not None:
            if not self.loading:
                return "$v0" if held is self.region and not held.kept else f"$e{held.kept_at - self.region.kept_at}"
            parent = self.region.parent
            assert parent is not None
            return "$p" if held is parent else f"$f{held.kept_at - parent.kept_at}"
        match expr:
            case Const():
                return self._object_cell(expr.value)
            case ConstantSource():
                return self._object_cell(expr.content)
            case TypeSource():
                return f"(PyObject *)Py_TYPE({self.value(expr.base)})"
        code = self.read(expr, [self.value(operand) for operand in operands_of(expr)])
        slot = f"$v{self.new_slot()}"
        self.emit(f"READ({slot}, {code});")
        return slot

    def read(self, expr: Expr, operands: list[str]) -> str:
        """Return the C call that reads a source.

        Args:
            expr: the source.
            operands: C for the values that it is read from, as `children` has them; constants are not asked for.

        Raises:
            NotLowered: it is left to Python.
        """
        match expr:
            case LocalSource():
                if self.parameters is not None:
                    return f"Py_NewRef(f->values[{self.parameters[expr.name]}])"
                return f"local_of(f, {self._object_cell(expr.name)})"
            case GlobalSource():
                return f"global_of(f, {self._object_cell(expr.name)})"
            case GlobalStateSource():
                return f"state_of(f, {self._object_cell(reader_of(expr.name))})"
            case AttrSource():
                return f"attribute_of(f, {operands[0]}, {self._cell('a', sys.intern(expr.member))})"
            case WeakRefCallSource():
                return f"referent_of(f, {operands[0]}, {self._object_cell(dereference)})"
            case GetItemSource(base=Call(function="keys" | "values" as which), index=Const(value=index)) if _fits(index):
                keys = int(which == "keys")
                cells = f"{self._object_cell(index)}, {self._cell('i', index)}, {self._object_cell(which)}"
                return f"item_by_position(f, {operands[0]}, {cells}, {keys})"
            case GetItemSource(index=Const(value=index)) if not isinstance(expr.base, Call):
                key = self._object_cell(index)
                if _fits(index):
                    return f"item_at(f, {operands[0]}, {key}, {self._cell('i', index)})"
                if type(index) in (str, bytes, type(None), bool) or type(index) is int:
                    return f"item_of(f, {operands[0]}, {key})"
                return f"call_2(f, f->check->read_item, {operands[0]}, {key})"
            case GetItemSource() if not isinstance(expr.base, Call):
                return f"call_2(f, f->check->read_item, {operands[0]}, {operands[1]})"
            case TensorPropertySource():
                cells = f"{self._object_cell(expr.prop.value)}, {operands[1] if len(operands) > 1 else 'Py_None'}"
                return f"call_3(f, {self._object_cell(tensor_property)}, {operands[0]}, {cells})"
            case TupleIteratorGetItemSource():
                return f"call_2(f, {self._object_cell(peek)}, {operands[0]}, {operands[1]})"
        raise NotLowered

    def new_slot(self) -> int:
        """Return the number of a slot that nothing is in."""
        self.region.slots += 1
        return self.region.slots - 1

    # Equal constants are not merged: which of them are equal is no part of the form that regions share.

    def _cell(self, letter: str, content: Any) -> str:
        self.region.cells.append(Cell(letter, content))
        return f"$k{len(self.region.cells) - 1}.{_MEMBERS[letter]}"

    def _object_cell(self, content: Any) -> str:
        return self._cell("o", sys.intern(content) if type(content) is str else content)


_MEMBERS = {"o": "object", "i": "whole", "d": "real", "a": "access", "k": "keys", "s": "ambient"}


def operands_of(expr: Expr) -> tuple[Expr, ...]:
    """Return the operands of a source whose values its read needs; constants that are part of the read are left out.

    Args:
        expr: a source.

    Raises:
        NotLowered: it is none that C code reads.
    """
    match expr:
        case AttrSource() | WeakRefCallSource():
            return (expr.base,)
        case GetItemSource(base=Call(function="keys" | "values", args=(mapping,)), index=Const(value=index)) if _fits(index):
            return (mapping,)
        case GetItemSource(index=Const()) if not isinstance(expr.base, Call):
            return (expr.base,)
        case GetItemSource() if not isinstance(expr.base, Call):
            return (expr.base, expr.index)
        case TensorPropertySource() | TupleIteratorGetItemSource():
            return children(expr)
        case LocalSource() | GlobalSource() | GlobalStateSource():
            return ()
    raise NotLowered


def _negated(condition: tuple[str, bool]) -> tuple[str, bool]:
    code, sure = condition
    return (f"!({code})" if sure else f"not_({code})"), sure


def _fits(index: Any) -> bool:
    return type(index) is int and abs(index) < 2**31


def _is_real(expr: Expr) -> bool:
    return isinstance(expr, Const) and type(expr.value) in (int, float, bool)


def _is_row_of_str(value: Any) -> bool:
    return type(value) is tuple and all(type(name) is str for name in value)
