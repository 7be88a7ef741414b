"""Guards as C11 without Python: the tensor and integer part of a set over `DLTensor *` and `int64_t`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from guardlang.ast import BinOp, BoolOp, Call, Compare, Expr, IfExp, Not, UnaryOp
from guardlang.codegen.c.printer import comment, escaped, identifier
from guardlang.errors import PortabilityError
from guardlang.interning import text_of
from guardlang.sources import AttrSource, Const, ConstantSource, LocalSource, TensorProperty, TensorPropertySource, TypeSource
from guardlang.walk import postorder

__all__ = ["Standalone", "write_dlpack"]


@attrs.frozen
class Standalone:
    """A check in C that needs no Python.

    Args:
        header: the text of `NAME.h`.
        source: the text of `NAME.c`.
        refused: the guards that are not in it, each with the reason.
    """

    header: str
    source: str
    refused: tuple[tuple[str, str], ...]


def write_dlpack(guards: Sequence[Expr], name: str = "guards", *, partial: bool = False) -> Standalone:
    """Return a set of guards as a C header and a C source.

    The check returns 0 when all guards hold, else the number of the first that does not, counted from 1. An integer that does not
    fit in 64 bits on the way makes its guard fail: the caller then takes the way that is always right.

    Args:
        guards: the guards, in the order of addition.
        name: the prefix of what the files define.
        partial: whether guards that cannot be said in such terms are left out and listed, and not an error.

    Raises:
        PortabilityError: a guard speaks of something else than sizes, strides, types and devices of tensors, and integers.

    Example:
        >>> from guardlang.parse import parse
        >>> made = write_dlpack([parse("L['x'].shape[0] % 8 == L['n']")])
        >>> "int guards_check(const DLTensor *x, int64_t n);" in made.header
        True
    """
    prefix = identifier(name)
    roles = _roles(guards)
    functions: list[str] = []
    texts: list[str] = []
    refused: list[tuple[str, str]] = []
    used: set[str] = set()
    for guard in guards:
        try:
            body = _Guard(roles, used).body(guard)
        except _Refused as error:
            refused.append((text_of(guard), str(error)))
            continue
        texts.append(text_of(guard))
        functions.append(_function(f"guard_{len(texts)}", roles, body, texts[-1]))
    if refused and not partial:
        text, reason = refused[0]
        raise PortabilityError(
            f"the guard {text} cannot be C over DLPack tensors: {reason}", hint="`--partial` leaves such guards out"
        )
    return Standalone(_header(prefix, roles, len(texts)), _source(prefix, roles, functions, texts, used, refused), tuple(refused))


class _Refused(Exception):
    """Why a guard has no C of this kind."""


@attrs.frozen
class _Role:
    """How a local is passed.

    Args:
        identifier: the name of the parameter.
        tensor: whether it is a tensor; else an integer.
    """

    identifier: str
    tensor: bool

    @property
    def parameter(self) -> str:
        """The declaration of the parameter."""
        return f"const DLTensor *{self.identifier}" if self.tensor else f"int64_t {self.identifier}"


_TENSOR_MEMBERS = ("ndim", "dtype", "device")


def _roles(guards: Iterable[Expr]) -> dict[str, _Role]:
    """Return the parameter of each local: a tensor where a fact of a tensor is read, else an integer."""
    tensors: set[str] = set()
    names: list[str] = []
    for node in postorder(*guards):
        match node:
            case LocalSource():
                names.append(node.name)
            case TensorPropertySource(base=LocalSource(name=name)):
                tensors.add(name)
            case AttrSource(base=LocalSource(name=name), member=member) if member in _TENSOR_MEMBERS:
                tensors.add(name)
    roles: dict[str, _Role] = {}
    for name in names:
        roles[name] = _Role(identifier(name, [role.identifier for role in roles.values()] + list(_RESERVED)), name in tensors)
    return roles


_RESERVED = ("strides_of", "add", "subtract", "multiply", "floor_divide", "modulo", "size_of", "is_compact", "has_type", "is_on")

_ARITHMETIC = {"+": "add", "-": "subtract", "*": "multiply", "//": "floor_divide", "%": "modulo"}
_NEEDS = {"subtract": (), "modulo": (), "floor_divide": (), "stride_of": ("multiply",), "is_compact": ("multiply", "stride_of")}


class _Guard:
    """Writes the statements of one guard: they return 0 as soon as it does not hold."""

    def __init__(self, roles: dict[str, _Role], used: set[str]) -> None:
        self.roles = roles
        self.used = used
        self.lines: list[str] = []
        self.levels = 1
        self.count = 0

    def body(self, guard: Expr) -> list[str]:
        self.emit(f"return {self.condition(guard)};")
        return self.lines

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.levels + line)

    def fresh(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}_"

    def helper(self, name: str) -> str:
        self.used.update((name, *_NEEDS.get(name, ())))
        return name

    def condition(self, expr: Expr) -> str:
        match expr:
            case Compare(ops=("is" | "==",), operands=(TypeSource(base=LocalSource(name=name)), ConstantSource(value=cls))):
                if cls is int and not self.roles[name].tensor:
                    return "1"
                raise _Refused(f"the type of L[{name!r}] is not there to be asked")
            case Compare(
                ops=("==" | "is" | "!=" | "is not" as op,), operands=(AttrSource() as fact, Const() | ConstantSource() as wanted)
            ):
                found = self.attribute(fact, wanted.value)
                if found is not None:
                    return found if op in ("==", "is") else f"!{found}"
        match expr:
            case Compare():
                return self.chain(expr)
            case BoolOp():
                return self.junction(expr)
            case Not():
                return f"!({self.condition(expr.operand)})"
            case IfExp():
                result = self.fresh("holds")
                self.emit(f"int {result};")
                self.branch(f"if ({self.condition(expr.test)}) {{", expr.body, result)
                self.branch("else {", expr.orelse, result)
                return result
            case Const(value=bool() as value):
                return str(int(value))
            case TensorPropertySource(prop=TensorProperty.IS_CONTIGUOUS):
                return f"{self.helper('is_compact')}({self.tensor(expr.base)})"
        raise _Refused(f"it holds {text_of(expr)}")

    def branch(self, head: str, expr: Expr, result: str) -> None:
        self.emit(head)
        self.levels += 1
        self.emit(f"{result} = {self.condition(expr)};")
        self.levels -= 1
        self.emit("}")

    def junction(self, expr: BoolOp) -> str:
        result = self.fresh("holds")
        self.emit(f"int {result} = {self.condition(expr.operands[0])};")
        for operand in expr.operands[1:]:
            self.branch(f"if ({'!' if expr.op == 'or' else ''}{result}) {{", operand, result)
        return result

    def chain(self, expr: Compare) -> str:
        if any(op not in ("==", "!=", "<", "<=", ">", ">=") for op in expr.ops):
            raise _Refused(f"it holds {text_of(expr)}")
        if len(expr.ops) == 1:
            left, right = (self.number(operand) for operand in expr.operands)
            return f"({left} {expr.ops[0]} {right})"
        links = [Compare((op,), expr.operands[i : i + 2]) for i, op in enumerate(expr.ops)]
        return self.junction(BoolOp("and", tuple(links)))

    def number(self, expr: Expr) -> str:
        match expr:
            case Const(value=int() as value) if type(value) is int:
                if not -(2**63) < value < 2**63:
                    raise _Refused("it holds an integer past 64 bits")
                return f"INT64_C({value})" if value >= 0 else f"(-INT64_C({-value}))"
            case LocalSource():
                role = self.roles[expr.name]
                if role.tensor:
                    raise _Refused(f"{text_of(expr)} is a tensor")
                return role.identifier
            case TensorPropertySource(
                prop=TensorProperty.SIZE | TensorProperty.STRIDE as prop, index=Const(value=int() as index)
            ):
                reader = "size_of" if prop is TensorProperty.SIZE else "stride_of"
                if abs(index) >= 2**31:
                    raise _Refused("it holds a dimension that no tensor has")
                return self.computed(f"{self.helper(reader)}({self.tensor(expr.base)}, {index}")
            case AttrSource(member="ndim"):
                return f"(int64_t){self.tensor(expr.base)}->ndim"
            case UnaryOp(op="-"):
                return self.computed(f"{self.helper('subtract')}(0, {self.number(expr.operand)}")
            case BinOp() if expr.op in _ARITHMETIC:
                left, right = self.number(expr.left), self.number(expr.right)
                return self.computed(f"{self.helper(_ARITHMETIC[expr.op])}({left}, {right}")
            case Call(function="min" | "max", args=(first, *rest)) if rest:
                best = self.fresh("best")
                self.emit(f"int64_t {best} = {self.number(first)};")
                for operand in rest:
                    number = self.number(operand)
                    other = self.fresh("other")
                    self.emit(f"int64_t {other} = {number};")
                    self.emit(f"if ({other} {'<' if expr.function == 'min' else '>'} {best})")
                    self.emit(f"    {best} = {other};")
                return best
        raise _Refused(f"it holds {text_of(expr)}")

    def computed(self, call: str) -> str:
        result = self.fresh("n")
        self.emit(f"int64_t {result};")
        self.emit(f"if (!{call}, &{result}))")
        self.emit("    return 0;")
        return result

    def tensor(self, base: Expr) -> str:
        if isinstance(base, LocalSource):
            return self.roles[base.name].identifier
        raise _Refused(f"{text_of(base)} is no parameter")

    def attribute(self, fact: AttrSource, wanted: Any) -> str | None:
        if fact.member == "dtype":
            code = _dtype_code(wanted)
            if code is None:
                raise _Refused("DLPack has no such dtype")
            return f"{self.helper('has_type')}({self.tensor(fact.base)}, {code[0]}, {code[1]})"
        if fact.member == "device":
            device = _device_code(wanted)
            if device is None:
                raise _Refused("DLPack has no such device")
            return f"{self.helper('is_on')}({self.tensor(fact.base)}, {device[0]}, {device[1]})"
        return None


_KINDS = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}


def _dtype_code(dtype: Any) -> tuple[int, int] | None:
    """Return DLPack's kind and width of a dtype, by its name."""
    name = str(dtype).rpartition(".")[2] if type(dtype).__module__.partition(".")[0] in ("torch", "numpy") else ""
    kind = name.rstrip("0123456789")
    bits = name.removeprefix(kind)
    if kind not in _KINDS or (not bits) is not (kind == "bool"):
        return None
    return _KINDS[kind], int(bits or 8)


_DEVICES = {"cpu": 1, "cuda": 2, "mps": 8, "xpu": 14}


def _device_code(device: Any) -> tuple[int, int] | None:
    """Return DLPack's kind of a device and its index."""
    kind, index = getattr(device, "type", None), getattr(device, "index", None)
    if type(device).__name__ != "device" or kind not in _DEVICES or (index is None) is not (kind == "cpu"):
        return None
    return _DEVICES[kind], index or 0


def _parameters(roles: dict[str, _Role]) -> str:
    return ", ".join(role.parameter for role in roles.values()) or "void"


def _function(name: str, roles: dict[str, _Role], body: list[str], text: str) -> str:
    unused = [f"    (void){role.identifier};" for role in roles.values()]
    return "\n".join([comment(text), f"static int {name}({_parameters(roles)})", "{", *unused, *body, "}", ""])


_ABI = """\
#ifndef DLPACK_DLPACK_H_
/* What DLPack defines, for those who do not include its own header before this one. */
#define DLPACK_DLPACK_H_
typedef struct { int32_t device_type; int32_t device_id; } DLDevice;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides;
    uint64_t byte_offset;
} DLTensor;
#endif
"""


def _header(prefix: str, roles: dict[str, _Role], count: int) -> str:
    guard = f"{prefix.upper()}_H"
    return f"""\
#ifndef {guard}
#define {guard}

#include <stdint.h>

{_ABI}
#ifdef __cplusplus
extern "C" {{
#endif

/* How many guards there are. */
#define {prefix.upper()}_COUNT {count}

/* Return 0 when all guards hold, else the number of the first that does not, from 1. */
int {prefix}_check({_parameters(roles)});

/* Return the text of a guard by its number; NULL for a number that is none. */
const char *{prefix}_text(int number);

#ifdef __cplusplus
}}
#endif

#endif
"""


def _source(
    prefix: str, roles: dict[str, _Role], functions: list[str], texts: list[str], used: set[str], refused: list[tuple[str, str]]
) -> str:
    lines = [f'#include "{prefix}.h"', "", "#include <stddef.h>", ""]
    lines += [comment(f"left out: {text}: {reason}") for text, reason in refused] + ([""] if refused else [])
    lines += [_HELPERS[name] for name in _HELPERS if name in used]
    lines += functions
    lines.append(f"int {prefix}_check({_parameters(roles)})")
    arguments = ", ".join(role.identifier for role in roles.values())
    lines += ["{", *[f"    (void){role.identifier};" for role in roles.values()]]
    for number in range(1, len(texts) + 1):
        lines += [f"    if (!guard_{number}({arguments}))", f"        return {number};"]
    lines += ["    return 0;", "}", "", "static const char *const texts[] = {"]
    lines += [f'    "{escaped(text)}",' for text in texts]
    lines += ["    NULL,", "};", "", f"const char *{prefix}_text(int number)", "{"]
    lines += [f"    return number >= 1 && number <= {len(texts)} ? texts[number - 1] : NULL;", "}", ""]
    return "\n".join(lines)


# Each returns 0 where there is no result: past 64 bits, no such dimension, division by zero.
_HELPERS = {
    "add": """\
static int add(int64_t a, int64_t b, int64_t *result)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
        return 0;
    *result = a + b;
    return 1;
}
""",
    "subtract": """\
static int subtract(int64_t a, int64_t b, int64_t *result)
{
    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b)
        return 0;
    *result = a - b;
    return 1;
}
""",
    "multiply": """\
static int multiply(int64_t a, int64_t b, int64_t *result)
{
    if (a != 0 && b != 0) {
        if (a == INT64_MIN || b == INT64_MIN)
            return 0;
        if ((a < 0 ? -a : a) > INT64_MAX / (b < 0 ? -b : b))
            return 0;
    }
    *result = a * b;
    return 1;
}
""",
    "floor_divide": """\
static int floor_divide(int64_t a, int64_t b, int64_t *result)
{
    if (b == 0 || (b == -1 && a == INT64_MIN))
        return 0;
    *result = a / b - (a % b != 0 && (a < 0) != (b < 0));
    return 1;
}
""",
    "modulo": """\
static int modulo(int64_t a, int64_t b, int64_t *result)
{
    if (b == 0)
        return 0;
    *result = b == -1 ? 0 : a % b;
    if (*result != 0 && (*result < 0) != (b < 0))
        *result += b;
    return 1;
}
""",
    "size_of": """\
static int size_of(const DLTensor *x, int64_t i, int64_t *result)
{
    i += i < 0 ? x->ndim : 0;
    if (i < 0 || i >= x->ndim)
        return 0;
    *result = x->shape[i];
    return 1;
}
""",
    "stride_of": """\
static int stride_of(const DLTensor *x, int64_t i, int64_t *result)
{
    i += i < 0 ? x->ndim : 0;
    if (i < 0 || i >= x->ndim)
        return 0;
    *result = 1;
    if (x->strides != NULL) {
        *result = x->strides[i];
        return 1;
    }
    for (int64_t j = x->ndim - 1; j > i; j--)
        if (!multiply(*result, x->shape[j] > 1 ? x->shape[j] : 1, result))
            return 0;
    return 1;
}
""",
    "is_compact": """\
static int is_compact(const DLTensor *x)
{
    int64_t expected = 1, stride;
    for (int64_t i = 0; i < x->ndim; i++)
        if (x->shape[i] == 0)
            return 1;
    for (int64_t i = x->ndim - 1; i >= 0; i--) {
        if (x->shape[i] == 1)
            continue;
        if (!stride_of(x, i, &stride) || stride != expected || !multiply(expected, x->shape[i], &expected))
            return 0;
    }
    return 1;
}
""",
    "has_type": """\
static int has_type(const DLTensor *x, int kind, int bits)
{
    return x->dtype.code == kind && x->dtype.bits == bits && x->dtype.lanes == 1;
}
""",
    "is_on": """\
static int is_on(const DLTensor *x, int kind, int index)
{
    return (int)x->device.device_type == kind && (kind == 1 || x->device.device_id == index);
}
""",
}
