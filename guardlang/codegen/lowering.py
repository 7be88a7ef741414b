"""Expressions to Python syntax trees that compute exactly what the interpreter does, or raise where it says undefined.

Where the exact type of an operand is proved, Python's own operator is used; everywhere else the tree tests for the common type
first and otherwise calls the function that the interpreter calls.
"""

from __future__ import annotations

import ast
import math
import sys
import types
from collections.abc import Callable
from typing import Any

from guardlang import arithmetic, reading
from guardlang.adapters import TensorAdapter, adapter_for
from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, TupleDisplay, UnaryOp
from guardlang.codegen import pyast as py
from guardlang.codegen.classes import ClassShape
from guardlang.codegen.keys import has_key, keys_are
from guardlang.codegen.scope import Scope
from guardlang.exhaustive import assert_never
from guardlang.functions import lookup
from guardlang.semantics import FUNCTIONS as MEANINGS
from guardlang.semantics import condition
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
from guardlang.state import reader_of
from guardlang.values import Undefined, equal, hashable, is_value, less, value_type_of

__all__ = ["Lowering", "NotLowered"]

# What fits in so many bits is added and multiplied without looking at the result.
_MACHINE_BITS = 64
_SCALARS = (bool, int, float, complex, str, bytes)
_ORDERED = {int: "number", float: "number", bool: "number", str: "str", bytes: "bytes"}
_SEQUENCES = (list, tuple)
_SIZED = (list, tuple, dict, str, bytes, set, frozenset)


class NotLowered(Exception):
    """An expression that this backend leaves to the interpreter."""


class Lowering:
    """Turns the expressions of one check into syntax trees.

    Args:
        scope: gives out names.
        parameters: the variables that hold the locals of a positional check; None for one that takes mappings.
        many_facts: whether several facts of tensors are read.
        leave: gives the tree of a verdict by the interpreter, for frames that the printed code does not cover.
    """

    def __init__(
        self, scope: Scope, parameters: dict[str, str] | None, leave: Callable[[], ast.expr], *, many_facts: bool
    ) -> None:
        self.scope = scope
        self.parameters = parameters
        self.variables: dict[Expr, str] = {}
        self.types: dict[Expr, type] = {}
        self.bits: dict[Expr, int | None] = {}
        self.shapes: dict[type, ClassShape] = {}
        self.facts: dict[tuple[Expr, str], str] = {}
        # Facts of tensors that are what direct reads of other facts need, such as a strided layout.
        self.proved: set[tuple[Expr, str]] = set()
        # Statements that must run before the one being printed.
        self.before: list[ast.stmt] = []
        self.reads_globals = False
        # Whether the check reads enough facts of tensors to pay for looking at their class.
        self.many_facts = many_facts
        # What the check returns when it leaves the verdict to the interpreter.
        self.leave = leave
        self._adapters: set[TensorAdapter] = set()
        self._class_checks: list[tuple[ast.expr, ClassShape]] = []

    # Conditions.

    def truth(self, expr: Expr) -> ast.expr:
        """Return the tree of a condition: true or false as the interpreter says, raising where it is undefined.

        Args:
            expr: a condition.
        """
        if expr in self.variables:
            return py.name(self.variables[expr])
        match expr:
            case Not():
                return py.negated(self.truth(expr.operand))
            case BoolOp():
                return py.every(expr.op, *[self.truth(operand) for operand in expr.operands])
            case IfExp():
                return py.choose(self.truth(expr.test), self.truth(expr.body), self.truth(expr.orelse))
            case Compare():
                links = [self._link(op, expr.operands[i], expr.operands[i + 1]) for i, op in enumerate(expr.ops)]
                return py.every("and", *links)
            case Const() | Call(function="same" | "distinct" | "isinstance" | "exact" | "hasattr" | "isnan" | "bool"):
                return self.value(expr)
            case TensorPropertySource(prop=TensorProperty.IS_CONTIGUOUS):
                return self.value(expr)
            case Call() | BinOp():
                return self._call(condition, "condition", self.value(expr))
        raise NotLowered

    def _link(self, op: str, left: Expr, right: Expr) -> ast.expr:
        if op in ("is", "is not"):
            return py.compare(self._object(left), op, self._object(right))
        if op in ("in", "not in"):
            return self._membership(op, left, right)
        if op in ("==", "!="):
            holds = self._equality(left, right)
            return holds if op == "==" else py.negated(holds)
        return self._order(op, left, right)

    def _object(self, expr: Expr) -> ast.expr:
        """Return the tree of an operand of `is`: a named object is the live one."""
        match expr:
            case ConstantSource():
                return self._live(expr)
            case IfExp() if expr not in self.variables:
                return py.choose(self.truth(expr.test), self._object(expr.body), self._object(expr.orelse))
        return self.value(expr)

    def _live(self, expr: ConstantSource) -> ast.expr:
        builtin = _BUILTIN_NAMES.get(id(expr.value))
        if builtin is not None:
            return py.name(builtin)
        return py.name(self.scope.cell(expr.name.rpartition(".")[2], expr.value))

    def _equality(self, left: Expr, right: Expr) -> ast.expr:
        if isinstance(left, Const | ConstantSource) and not isinstance(right, Const | ConstantSource):
            left, right = right, left
        kind, other = self.kind(left), self.kind(right)
        if kind in _SCALARS and other in _SCALARS and (kind is other or not {kind, other} & {str, bytes}):
            return py.compare(self.value(left), "==", self.value(right))
        if not isinstance(right, Const | ConstantSource) or isinstance(left, Const):
            # Two literals too: Python warns of `3 is value`.
            return self._call(equal, "equal", self.value(left), self.value(right))
        wanted = right.value if isinstance(right, Const) else right.content
        if isinstance(left, Call) and left.function == "keys" and left not in self.variables and _plain_names(wanted):
            return self._call(keys_are, "keys_are", self.value(left.args[0]), self._held(wanted, "names"))
        variable, bind = self._named(left)
        exactly = self._call(equal, "equal", variable, self.value(right))
        cls = type(wanted)
        if cls in (int, str, float, bytes) and (cls is not float or wanted == wanted):
            compared: ast.expr = py.choose(
                py.compare(py.call("type", variable), "is", py.name(cls.__name__)),
                py.compare(variable, "==", self.value(right)),
                exactly,
            )
        elif cls in (bool, type(None)) or not _equals_itself(wanted):
            compared = exactly
        else:
            value_type = value_type_of(cls)
            if value_type is not None and value_type.native:
                compared = py.choose(
                    py.compare(py.call("type", variable), "is", self._held(cls, cls.__name__)),
                    py.compare(variable, "==", self.value(right)),
                    exactly,
                )
            else:
                compared = exactly
        if _has_one_object(wanted):
            return py.every("or", py.compare(bind, "is", self._held(wanted, "value")), compared)
        return self._bound(bind, variable, compared)

    def _order(self, op: str, left: Expr, right: Expr) -> ast.expr:
        kinds = self.kind(left), self.kind(right)
        groups = [None if kind is None else _ORDERED.get(kind) for kind in kinds]
        if None not in kinds and groups[0] is not None and groups[0] == groups[1]:
            return py.compare(self.value(left), op, self.value(right))
        if sum(kind is None for kind in kinds) == 1 and any(kind in (int, float) for kind in kinds):
            unknown = left if kinds[0] is None else right
            variable, bind = self._named(unknown)
            sides = [variable if side is unknown else self.value(side) for side in (left, right)]
            return self._bound(
                bind,
                variable,
                py.choose(
                    py.compare(py.call("type", variable), "is", py.name("int")),
                    py.compare(sides[0], op, sides[1]),
                    self._call(less, "less", py.constant(op), *sides),
                ),
            )
        return self._call(less, "less", py.constant(op), self.value(left), self.value(right))

    def _membership(self, op: str, left: Expr, right: Expr) -> ast.expr:
        if isinstance(left, Const) and type(left.value) is str:
            found = self._call(has_key, "has_key", self.value(right), self.value(left))
        else:
            # The container is evaluated after the item, as it is written.
            item, container = self.value(left), self.value(right)
            found = self._call(reading.contains, "contains", container, item)
        return py.negated(found) if op == "not in" else found

    def _named(self, expr: Expr) -> tuple[ast.expr, ast.expr]:
        """Return a tree that may be used many times, and the tree to use the first time."""
        if expr in self.variables or isinstance(expr, Const | ConstantSource):
            return self.value(expr), self.value(expr)
        name = self.scope.variable(expr)
        bind = ast.NamedExpr(ast.Name(name, ast.Store()), self.value(expr))
        return py.name(name), bind

    def _bound(self, bind: ast.expr, variable: ast.expr, result: ast.expr) -> ast.expr:
        """Return the result with its variable bound first, where it is used before being read."""
        if bind is variable or not isinstance(bind, ast.NamedExpr):
            return result
        # The binding is the first thing evaluated in every result that is built here: `type(x) is ...` or a call.
        return _bind_first(result, bind)

    # Values.

    def value(self, expr: Expr) -> ast.expr:
        """Return the tree of a value, raising where it is undefined.

        Args:
            expr: any pure expression.

        Raises:
            NotLowered: it is left to the interpreter.
        """
        if expr in self.variables:
            return py.name(self.variables[expr])
        match expr:
            case LocalSource():
                if self.parameters is not None:
                    return py.name(self.parameters[expr.name])
                return py.item(py.name("L"), py.constant(expr.name))
            case GlobalSource():
                self.reads_globals = True
                return py.item(py.name("G"), py.constant(expr.name))
            case GlobalStateSource():
                reader = reader_of(expr.name)
                return py.call(self.scope.cell(f"read_{expr.name.removeprefix('torch.')}", reader))
            case Const():
                return self._constant(expr.value)
            case ConstantSource():
                return self._live(expr) if expr.content is expr.value else self._held(expr.content, expr.name)
            case AttrSource():
                return self._attribute(expr)
            case GetItemSource():
                return self._item(expr)
            case TensorPropertySource():
                return self._tensor(expr)
            case TypeSource():
                return py.call("type", self.value(expr.base))
            case WeakRefCallSource():
                return self._call(reading.dereference, "dereference", self.value(expr.base))
            case TupleIteratorGetItemSource():
                return self._call(reading.peek, "peek", self.value(expr.base), self.value(expr.index))
            case UnaryOp():
                return self._unary(expr)
            case BinOp():
                return self._binary(expr)
            case Not() | Compare() | BoolOp():
                return self.truth(expr)
            case IfExp():
                return py.choose(self.truth(expr.test), self.value(expr.body), self.value(expr.orelse))
            case Call():
                return self._function(expr)
            case TupleDisplay():
                return ast.Tuple([self.value(item) for item in expr.items], ast.Load())
            case CallFunctionNoArgsSource() | DynamicAttrSource() | DynamicGetItemSource():
                raise NotLowered
            case _:
                assert_never(expr)

    def _constant(self, value: Any) -> ast.expr:
        if value is None or value is True or value is False or type(value) in (str, bytes):
            return py.constant(value)
        if type(value) is int and value.bit_length() <= _MACHINE_BITS:
            return py.constant(value)
        if type(value) is float and math.isfinite(value):
            return py.constant(value)
        return self._held(value, "value")

    def _held(self, value: Any, hint: str) -> ast.expr:
        builtin = _BUILTIN_NAMES.get(id(value))
        if builtin is not None:
            return py.name(builtin)
        if type(value) is str:
            value = sys.intern(value)
        return py.name(self.scope.cell(hint, value))

    def _call(self, function: Any, hint: str, *args: ast.expr) -> ast.expr:
        return py.call(self.scope.cell(hint, function), *args)

    def _attribute(self, expr: AttrSource) -> ast.expr:
        base = self.value(expr.base)
        if expr.base in self.variables:
            fact = self._fact_of(expr.base, expr.member)
            if fact is not None:
                return fact
            if self._reads_plainly(expr.base, expr.member):
                return py.attribute(base, expr.member)
            if self._in_dict_only(expr.base, expr.member):
                # The class has a `__getattr__`, which Python's own access would ask when the name is missing.
                return py.item(py.name(self._instance_dict(expr.base)), py.constant(expr.member))
        return self._call(reading.read_attribute, "read_attribute", base, py.constant(expr.member))

    def _fact_of(self, base: Expr, member: str) -> ast.expr | None:
        """Return the tree that reads a fact of a tensor whose exact type is proved by code in C, if there is such code."""
        cls = self.types.get(base)
        adapter = adapter_for(cls) if cls is not None else None
        if cls is None or adapter is None or cls not in adapter.direct_classes or member not in adapter.direct_reads:
            return None
        variable = py.name(self.variables[base])
        if adapter.overrides_active is not None and adapter not in self._adapters:
            self._adapters.add(adapter)
            active = self.scope.cell("overrides_active", adapter.overrides_active)
            self._leave_unless(py.negated(py.call(active, variable)))
        if not self._check_direct(base, adapter, member):
            return None
        read = adapter.direct_reads[member]
        # Python's own access is quicker than a call, but rests on the class: worth its check for several facts.
        if self.many_facts and self._shape_of(cls).can_read(member):
            return py.attribute(variable, member)
        if self.many_facts and self._shape_of(cls).can_call(member):
            return py.call(py.attribute(variable, member))
        return py.call(self.scope.cell(f"{member}_of", read), variable)

    def _check_direct(self, base: Expr, adapter: TensorAdapter, member: str) -> bool:
        """Leave to the interpreter when another fact of a tensor says that this one cannot be read directly."""
        if member not in adapter.direct_when:
            return True
        other, wanted = adapter.direct_when[member]
        if (base, other) in self.proved:
            return True
        fact = self._fact_of(base, other)
        if fact is None:
            return False
        self.proved.add((base, other))
        self._leave_unless(py.compare(fact, "is", self._held(wanted, str(wanted).rpartition(".")[2])))
        return True

    def _shape_of(self, cls: type) -> ClassShape:
        """Return the shape of a class; the first time, with the check that it is still so."""
        shape = self.shapes.get(cls)
        if shape is None:
            shape = self.shapes[cls] = ClassShape(cls)
            self._check_class(shape)
        return shape

    def _reads_plainly(self, base: Expr, member: str) -> bool:
        """Tell whether Python's `x.member` is the pure read for an object whose exact type is proved."""
        cls = self.types.get(base)
        if cls is None or (member.startswith("__") and member not in _SAFE_DUNDERS):
            return False
        if cls is types.ModuleType or member in ("ndim", "shape"):
            return False
        if adapter_for(cls) is not None and member != "__dict__":
            return False
        if cls not in self.shapes and not ClassShape(cls).can_read(member):
            return False
        return self._shape_of(cls).can_read(member)

    def _check_class(self, shape: ClassShape) -> None:
        """Leave to the interpreter when the class is no longer what the attribute reads below rest on."""
        if not shape.layers:
            return
        name = shape.cls.__name__ if type(shape.cls) is type else "cls"
        cls = py.name(self.scope.cell(name, shape.cls))
        conditions: list[ast.expr] = [py.compare(py.attribute(cls, "__mro__"), "is", self._held(shape.mro, f"{name}_mro"))]
        for layer in shape.layers:
            entries = layer.owner.__dict__
            lacks = self.scope.cell(f"{layer.owner.__name__}_lacks", entries.keys().isdisjoint)
            names = self.scope.late_cell(f"{layer.owner.__name__}_names", layer.absent_names)
            conditions.append(py.call(lacks, py.name(names)))
        unchanged = py.every("and", *conditions)
        self._class_checks.append((unchanged, shape))
        self._leave_unless(unchanged)

    def finish(self) -> None:
        """Complete the checks of classes with what the reads printed since rest on."""
        for unchanged, shape in self._class_checks:
            for layer in shape.layers:
                if layer.present and isinstance(unchanged, ast.BoolOp):
                    keeps = self.scope.cell("keeps", _keeps(layer.owner, layer.present))
                    unchanged.values.append(py.call(keeps))

    def _leave_unless(self, condition: ast.expr) -> None:
        self.before.append(ast.If(py.negated(condition), [ast.Return(self.leave())], []))

    def _item(self, expr: GetItemSource) -> ast.expr:
        container = expr.base
        if isinstance(container, Call) and container.function in ("keys", "values"):
            mapping, index = self.value(container.args[0]), self.value(expr.index)
            return self._call(reading.item_by_position, "item_by_position", mapping, index, py.constant(container.function))
        key = expr.index
        if isinstance(container, Const | ConstantSource) or not isinstance(key, Const) or container not in self.variables:
            return self._call(reading.read_item, "read_item", self.value(container), self.value(key))
        base, index = self.value(container), self.value(key)
        cls = self.types.get(container)
        if cls is dict and _can_look_up(key.value):
            return py.item(base, index)
        if cls in _SEQUENCES and type(key.value) is int:
            return py.item(base, index)
        slow = self._call(reading.read_item, "read_item", base, index)
        if cls is not None or not _can_look_up(key.value):
            return slow
        kind = py.call("type", base)
        if type(key.value) is int:
            test = py.every("or", *[py.compare(kind, "is", py.name(c.__name__)) for c in (list, tuple, dict)])
        else:
            test = py.compare(kind, "is", py.name("dict"))
        return py.choose(test, py.item(base, index), slow)

    def _tensor(self, expr: TensorPropertySource) -> ast.expr:
        base = self.value(expr.base)
        prop = expr.prop
        if expr.base in self.variables and (expr.index is None or isinstance(expr.index, Const)):
            known = self.facts.get((expr.base, prop.value))
            fact = py.name(known) if known is not None else self._fact_of(expr.base, prop.value)
            if fact is not None:
                if expr.index is None:
                    return fact
                return py.item(py.name(self._fact(expr.base, prop.value, fact)), self.value(expr.index))
        index = py.constant(None) if expr.index is None else self.value(expr.index)
        return self._call(reading.tensor_property, "tensor_property", base, py.constant(prop.value), index)

    def _fact(self, base: Expr, name: str, read: ast.expr) -> str:
        """Return the variable of a tuple of facts that several sources share."""
        known = self.facts.get((base, name))
        if known is None:
            known = self.facts[base, name] = self.scope.fresh(f"{self.variables[base]}_{name}")
            self.before.append(py.store(known, read))
        return known

    def _unary(self, expr: UnaryOp) -> ast.expr:
        operand = self.value(expr.operand)
        kind = self.kind(expr.operand)
        if kind is float or (kind is int and self._bits(expr) is not None):
            return ast.UnaryOp(ast.USub() if expr.op == "-" else ast.Invert(), operand)
        return self._call(arithmetic.unary, "unary", py.constant(expr.op), operand)

    def _binary(self, expr: BinOp) -> ast.expr:
        for operand in (expr.left, expr.right):
            self._prove_int(operand)
        kinds = self.kind(expr.left), self.kind(expr.right)
        plain = all(kind in (int, float) for kind in kinds) and expr.op in _OPERATORS
        if plain and (float in kinds or self._bits(expr) is not None):
            return ast.BinOp(self.value(expr.left), _OPERATORS[expr.op](), self.value(expr.right))
        return self._call(arithmetic.binary, "binary", py.constant(expr.op), self.value(expr.left), self.value(expr.right))

    def _function(self, expr: Call) -> ast.expr:
        name = expr.function
        if name in ("same", "distinct"):
            return self._relation(name, [self._object(arg) for arg in expr.args])
        if name == "isinstance":
            return self._isinstance(expr)
        if name == "exact" and isinstance(expr.args[1], Const):
            plain = self._exact(expr.args[0], expr.args[1].value)
            if plain is not None:
                return plain
        if name == "len" and self.kind(expr.args[0]) in _SIZED:
            return py.call("len", self.value(expr.args[0]))
        if name == "isnan" and self.kind(expr.args[0]) is float:
            variable, bind = self._named(expr.args[0])
            return py.compare(bind, "!=", variable)
        if name in ("int", "float") and self.kind(expr.args[0]) is (int if name == "int" else float):
            return self.value(expr.args[0])
        if name == "hasattr":
            return self._hasattr(expr)
        meaning = MEANINGS.get(name)
        args = [self.value(arg) for arg in expr.args]
        if meaning is not None:
            return self._call(meaning, name, *args)
        function = lookup(name)
        if function is None:
            raise NotLowered
        if function.lower_python is not None:
            lowered: ast.expr = function.lower_python(*args)
            return lowered
        return self._call(function.evaluate, name, *args)

    def _relation(self, name: str, objects: list[ast.expr]) -> ast.expr:
        if len(objects) == 2:
            return py.compare(objects[0], "is" if name == "same" else "is not", objects[1])
        if name == "same" and all(isinstance(x, ast.Name | ast.Constant) for x in objects):
            return py.compare(objects[0], *[part for x in objects[1:] for part in ("is", x)])
        # A chain would leave out what stands behind the first difference, defined or not.
        ids = ast.Set([py.call("id", x) for x in objects])
        return py.compare(py.call("len", ids), "==", py.constant(1 if name == "same" else len(objects)))

    def _isinstance(self, expr: Call) -> ast.expr:
        wanted = expr.args[1]
        if not isinstance(wanted, ConstantSource) or not issubclass(type(wanted.value), type):
            x = self.value(expr.args[0])
            if isinstance(wanted, TupleDisplay) and wanted not in self.variables:
                classes: ast.expr = ast.Tuple([self._object(item) for item in wanted.items], ast.Load())
            else:
                classes = self._object(wanted)
            return self._call(reading.is_instance_of_any, "is_instance_of_any", x, classes)
        variable, bind = self._named(expr.args[0])
        cls = self._live(wanted)
        return py.every(
            "or",
            py.compare(py.call("type", bind), "is", cls),
            self._call(reading.is_instance, "is_instance", variable, cls),
        )

    def _exact(self, operand: Expr, wanted: Any) -> ast.expr | None:
        """Return the tree of `exact` with a scalar whose type and value tell everything; None otherwise."""
        cls = type(wanted)
        if isinstance(operand, Const):
            return None
        if wanted is None or cls is bool:
            return py.compare(self.value(operand), "is", py.constant(wanted))
        if cls not in (int, str, bytes, float) or (cls is float and (wanted != wanted or wanted == 0.0)):
            return None
        variable, bind = self._named(operand)
        return py.every(
            "and",
            py.compare(py.call("type", bind), "is", py.name(cls.__name__)),
            py.compare(variable, "==", self._constant(wanted)),
        )

    def _hasattr(self, expr: Call) -> ast.expr:
        base, member = expr.args
        if isinstance(member, Const) and base in self.variables and self._in_dict_only(base, member.value):
            return py.compare(py.constant(member.value), "in", py.name(self._instance_dict(base)))
        return self._call(reading.has_attribute, "has_attribute", self.value(base), self.value(member))

    def _in_dict_only(self, base: Expr, member: str) -> bool:
        """Tell whether an attribute can only be in the instance dict, which itself reads plainly."""
        cls = self.types.get(base)
        if cls is None or cls is types.ModuleType or member.startswith("__") or member in ("ndim", "shape"):
            return False
        if adapter_for(cls) is not None and member in _FACTS:
            return False
        if cls not in self.shapes and not ClassShape(cls).in_dict_only(member):
            return False
        return self._shape_of(cls).in_dict_only(member)

    def _instance_dict(self, base: Expr) -> str:
        """Return the variable of the dict of an object of a class that keeps its attributes there."""
        known = self.facts.get((base, "dict"))
        if known is None:
            known = self._fact(base, "dict", py.attribute(self.value(base), "__dict__"))
            # It may have been replaced by an object of a derived class.
            self._leave_unless(py.compare(py.call("type", py.name(known)), "is", py.name("dict")))
        return known

    # What is known of a value before it is read.

    def kind(self, expr: Expr) -> type | None:
        """Return the exact type that a value is proved to have, or None.

        Args:
            expr: any expression.
        """
        known = self.types.get(expr)
        if known is not None or expr in self.variables:
            # Noted when it was loaded: the parts below may be deeper than the stack.
            return known
        match expr:
            case Const():
                return type(expr.value)
            case ConstantSource():
                return type(expr.content)
            case Compare() | Not() | BoolOp():
                return bool
            case TensorPropertySource(prop=TensorProperty.IS_CONTIGUOUS):
                return bool
            case UnaryOp():
                kind = self.kind(expr.operand)
                return kind if kind in (int, float) else None
            case BinOp():
                return self._kind_of_arithmetic(expr)
            case IfExp():
                kind = self.kind(expr.body)
                return kind if kind is self.kind(expr.orelse) else None
            case Call(function="len" | "remaining" | "floor" | "ceil" | "trunc" | "int"):
                return int
            case Call(function="float" | "sqrt"):
                return float
            case Call(function="isnan" | "bool" | "same" | "distinct" | "exact" | "hasattr" | "isinstance"):
                return bool
            case Call(function="str"):
                return str
        return None

    def _kind_of_arithmetic(self, expr: BinOp) -> type | None:
        kinds = {self.kind(expr.left), self.kind(expr.right)}
        if not kinds <= {int, float} or expr.op not in _OPERATORS:
            return None
        return float if expr.op == "/" or float in kinds else int

    def _bits(self, expr: Expr) -> int | None:
        """Return a bound on the size of an integer in bits; None when there is none."""
        if expr in self.bits:
            return self.bits[expr]
        found = self._bits_of(expr)
        if found is not None or isinstance(expr, BinOp | UnaryOp):
            self.bits[expr] = found
        return found

    def _bits_of(self, expr: Expr) -> int | None:
        match expr:
            case Const(value=int() as value):
                return value.bit_length() if value.bit_length() < arithmetic.MAX_BITS else None
            case TensorPropertySource() if self._is_direct(expr):
                return _MACHINE_BITS
            case Call(function="len") if self.kind(expr.args[0]) in _SIZED:
                return _MACHINE_BITS
            case UnaryOp():
                inner = self._bits(expr.operand)
                return None if inner is None else inner + 1
            case BinOp(op="%"):
                return self._bits(expr.right)
            case BinOp() if expr.op in _OPERATORS:
                left, right = self._bits(expr.left), self._bits(expr.right)
                if left is None or right is None:
                    return None
                bits = left + right if expr.op == "*" else max(left, right) + 1
                return bits if bits < arithmetic.MAX_BITS else None
        if expr in self.variables and self.kind(expr) is int:
            self._make_small(expr)
            return _MACHINE_BITS
        return None

    def _is_direct(self, expr: TensorPropertySource) -> bool:
        """Tell whether a fact is read from a tensor in C, where sizes fit a machine word; a plain `.shape` holds any ints."""
        cls = self.types.get(expr.base)
        adapter = adapter_for(cls) if cls is not None else None
        return adapter is not None and cls in adapter.direct_classes

    def _prove_int(self, expr: Expr) -> None:
        """Leave to the interpreter when a size that was read directly is symbolic."""
        if isinstance(expr, TensorPropertySource) and expr in self.variables and expr not in self.types and expr.prop.indexed:
            variable = py.name(self.variables[expr])
            self._leave_unless(py.compare(py.call("type", variable), "is", py.name("int")))
            self.types[expr] = int

    def _make_small(self, expr: Expr) -> None:
        """Leave to the interpreter when an integer that is computed with is past the machine word."""
        bound = 1 << (_MACHINE_BITS - 1)
        variable = py.name(self.variables[expr])
        inside = py.compare(py.constant(-bound), "<", variable, "<", py.constant(bound))
        self._leave_unless(inside)


_OPERATORS: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "//": ast.FloorDiv,
    "%": ast.Mod,
}
_BUILTIN_TYPES = (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, type, range, slice)
_BUILTIN_NAMES: dict[int, str] = {id(cls): cls.__name__ for cls in _BUILTIN_TYPES}
# Attributes that adapters may answer; every other one of a tensor is read like that of any object.
_FACTS = frozenset({"shape", "ndim", "dtype", "device", "layout", "requires_grad", "grad"})
_SAFE_DUNDERS = frozenset({"__dict__", "__code__", "__globals__", "__closure__", "__defaults__", "__kwdefaults__"})


def _can_look_up(key: Any) -> bool:
    try:
        hashable(key)
    except Undefined:
        return False
    return bool(key == key) and type(key) in (str, int, bool, bytes, type(None))


def _plain_names(value: Any) -> bool:
    return type(value) is tuple and all(type(name) is str for name in value)


def _equals_itself(value: Any) -> bool:
    return is_value(value) and equal(value, value)


def _has_one_object(value: Any) -> bool:
    """Tell whether meeting the very object settles equality, and is likely: small ints, strings, registered singletons."""
    cls = type(value)
    if cls is int:
        return bool(-5 <= value <= 256)
    if cls in (bool, type(None), str):
        return True
    return value_type_of(cls) is not None and _equals_itself(value)


def _keeps(owner: type, present: dict[str, Any]) -> Any:
    """Return a function that tells whether a class still has some descriptors in its dict."""
    entries = owner.__dict__
    wanted = tuple(sorted(present.items()))

    def keeps() -> bool:
        return all(entries.get(name) is descriptor for name, descriptor in wanted)

    return keeps


def _bind_first(result: ast.expr, bind: ast.NamedExpr) -> ast.expr:
    """Replace the first read of a variable, in order of evaluation, by its binding."""
    if isinstance(result, ast.IfExp):
        return ast.IfExp(_bind_first(result.test, bind), result.body, result.orelse)
    if isinstance(result, ast.Compare):
        return ast.Compare(_bind_first(result.left, bind), result.ops, result.comparators)
    if isinstance(result, ast.Call):
        for position, arg in enumerate(result.args):
            if isinstance(arg, ast.Name) and arg.id == bind.target.id:
                return ast.Call(result.func, [*result.args[:position], bind, *result.args[position + 1 :]], [])
    if isinstance(result, ast.Name) and result.id == bind.target.id:
        return bind
    raise NotLowered
