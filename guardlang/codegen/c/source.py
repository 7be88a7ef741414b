"""A request as one C file and the constants that it is loaded with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import attrs

from guardlang.ast import Expr
from guardlang.codegen import python
from guardlang.codegen.c.ambient import AmbientGuards, split_ambient
from guardlang.codegen.c.lowering import Lowering, NotLowered, operands_of
from guardlang.codegen.c.printer import comment
from guardlang.codegen.c.regions import Cell, Code, Note, Region, Tree, make_tree
from guardlang.codegen.c.tensors import TensorFacts
from guardlang.codegen.check import Request
from guardlang.codegen.interp import evaluator
from guardlang.codegen.plan import Plan, Test, make_plan
from guardlang.interning import text_of
from guardlang.sources import GlobalSource
from guardlang.walk import children, postorder

__all__ = ["CSource", "write_source"]

_MARK = re.compile(r"\$([vktefp])(\d*)")
# A test whose tree has more nodes than this is left to Python: printed, it would be longer than it is worth.
_LARGEST_TEST = 200
# A form that occurs twice becomes a function when its code has so many lines.
_WORTH_A_FUNCTION = 6


@attrs.frozen(eq=False)
class CSource:
    """What a C check is built from.

    Args:
        text: gives the file as it is shown, with the guards as comments.
        compiled: the file as it is compiled: equal for sets of equal form.
        letters: the kind of each constant.
        contents: the constants.
        report: what was decided, a line each.
    """

    text: Callable[[], str]
    compiled: str
    letters: bytes
    contents: tuple[Any, ...]
    report: tuple[str, ...]


def write_source(request: Request, facts: TensorFacts) -> CSource:
    """Return the C file of a request.

    Args:
        request: what to build.
        facts: what the C code can tell about tensors.

    Example:
        >>> from guardlang.parse import parse
        >>> source = write_source(Request((parse("L['n'] == 1"),)), TensorFacts(None))
        >>> source.letters, source.contents[:2]
        (b'oio', ('n', 1))
    """
    return _Writer(request, facts).write()


class LazyCheck:
    """The Python check of some guards, made when it is first asked.

    Args:
        guards: the guards.

    Example:
        >>> from guardlang.parse import parse
        >>> LazyCheck((parse("L['n'] == 1"),))({"n": 1}, None)
        True
    """

    __slots__ = ("_check", "_guards")

    def __init__(self, guards: tuple[Expr, ...]) -> None:
        self._guards = guards
        self._check: Callable[[Any, Any], bool] | None = None

    def __call__(self, locals: Any, globals: Any) -> bool:
        check = self._check
        if check is None:
            try:
                check = python.build(Request(self._guards))
            except Exception:  # noqa: BLE001  # whatever Python cannot compile, the interpreter means the same
                check = evaluator(self._guards)
            self._check = check
        return check(locals, globals)


class _Writer:
    def __init__(self, request: Request, facts: TensorFacts) -> None:
        self.request = request
        self.facts = facts
        watches = () if facts.native is None else facts.native.watches
        self.ambient, self.watches = split_ambient(request.guards, watches)
        apart = set(self.ambient)
        self.numbers = [number for number in range(len(request.guards)) if number not in apart]
        self.plan: Plan = make_plan([request.guards[number] for number in self.numbers])
        self.parameters: dict[str, int] | None = None
        if request.signature is not None:
            self.parameters = {name: position for position, name in enumerate(request.signature)}
        self.report: list[str] = []
        self.tree: Tree = make_tree(self.plan, self._is_computed_in_place)

    def _is_computed_in_place(self, node: Expr) -> bool:
        if self.facts.is_computed(node):
            return True
        try:
            operands_of(node)
        except NotLowered:
            return True
        return False

    def write(self) -> CSource:
        for region in self.tree.regions:
            self._lower(region)
        self._lower_ambient()
        self._lower_impure()
        layout = _Layout(self.tree)
        functions = layout.functions()
        cells = list(_cells_in_order(self.tree.root))
        header = [
            f"#define PARAMETERS {-1 if self.parameters is None else len(self.parameters)}",
            f"#define CELLS {len(cells)}",
            f"#define TENSORS {int(self.facts.native is not None)}",
            f"#define KEPT {self.tree.root.all_kept}",
            f"#define READS_GLOBALS {int(self._reads_globals())}",
        ]
        lines = [*header, "", *functions]
        before = ["runtime.h"] if self.facts.native is None else ["runtime.h", "tensor.h"]
        statements = "\n".join(line for line in lines if isinstance(line, str) and line)
        plain = "\n".join([*map(_without_comments, before), statements, _without_comments("module.h")])

        def shown() -> str:
            body = "\n".join(line if isinstance(line, str) else _comment(line) for line in lines)
            return "\n".join([*map(_runtime, before), body, _runtime("module.h")])

        letters = "".join(cell.letter for cell in cells).encode()
        return CSource(shown, plain, letters, tuple(cell.content for cell in cells), tuple(self.report))

    def _reads_globals(self) -> bool:
        return any(isinstance(node, GlobalSource) for node in postorder(*self.request.guards)) or bool(self.plan.impure)

    # One region.

    def _lower(self, region: Region) -> None:
        lowering = Lowering(region, self.tree.by_node, self.parameters, self.facts)
        if region.node is not None:
            # A value that is needed outside lies among the kept ones from the start.
            region.slots = int(not region.kept)
            own = "$e0" if region.kept else "$v0"
            lowering.loading = True
            operands = [lowering.value(operand) for operand in operands_of(region.node)]
            read = lowering.read(region.node, operands)
            region.load = Code(None, [*lowering.taken(), f"READ({own}, {read});"])
            lowering.loading = False
        for step in region.steps:
            region.codes.append(self._test(lowering, step) if isinstance(step, Test) else step)

    def _test(self, lowering: Lowering, test: Test) -> Code:
        if _size(test.expr, self.tree.by_node) > _LARGEST_TEST:
            return self._left(lowering, self.numbers[test.guard], test.expr)
        try:
            lowering.require(test.expr, lambda: LazyCheck((test.expr,)))
        except NotLowered:
            lowering.reset()
            return self._left(lowering, self.numbers[test.guard], test.expr)
        return Code(Note(test.expr, self.numbers[test.guard]), lowering.taken())

    def _left(self, lowering: Lowering, number: int, expr: Expr) -> Code:
        text = text_of(expr)
        self.report.append(f"guard {number} is evaluated by Python: {text if len(text) <= 160 else text[:157] + '...'}")
        lowering.leave(LazyCheck((expr,)))
        return Code(Note(expr, number), lowering.taken())

    def _lower_impure(self) -> None:
        root = self.tree.root
        lowering = Lowering(root, self.tree.by_node, self.parameters, self.facts)
        for number in self.plan.impure:
            root.codes.append(self._left(lowering, self.numbers[number], self.plan.guards[number]))

    def _lower_ambient(self) -> None:
        if not self.ambient:
            return
        root = self.tree.root
        lowering = Lowering(root, self.tree.by_node, self.parameters, self.facts)
        guards = tuple(self.request.guards[number] for number in self.ambient)
        lowering.require_ambient(AmbientGuards(guards, self.watches))
        root.codes.insert(0, Code(None, lowering.taken()))
        # After the statements, a note for each guard that they stand for.
        root.codes[1:1] = [Code(Note(self.request.guards[number], number), []) for number in self.ambient]


def _comment(note: Note) -> str:
    text = text_of(note.expr)
    return f"    {comment(text if note.number is None else f'{note.number}: {text}')}"


def _size(expr: Expr, known: dict[Expr, Region]) -> int:
    """Return the nodes of an expression as a tree, down to what is read once for all; capped."""
    sizes: dict[Expr, int] = {}
    stack: list[tuple[Expr, bool]] = [(expr, False)]
    while stack:
        node, done = stack.pop()
        if done:
            sizes[node] = min(_LARGEST_TEST + 1, 1 + sum(sizes[child] for child in children(node)))
        elif node not in sizes:
            if node in known:
                sizes[node] = 1
                continue
            stack.append((node, True))
            stack.extend((child, False) for child in children(node) if child not in sizes)
    # The operands of a relation stand side by side, however many they are.
    return sizes[expr] if len(sizes) - 1 > len(children(expr)) else 1


def _cells_in_order(root: Region) -> Iterator[Cell]:
    stack = [root]
    while stack:
        region = stack.pop()
        yield from region.cells
        stack.extend(reversed(list(region.children())))


@attrs.define
class _Function:
    """The size of the function that is being printed."""

    slots: int = 0
    tensors: int = 0


class _Layout:
    """Decides which regions become functions, gives everything its number, and prints."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.form: dict[int, int] = {}
        self.lines: dict[int, int] = {}
        self.example: dict[int, Region] = {}
        self._sizes()
        self.called = self._repeated()

    def _sizes(self) -> None:
        """Give equal numbers to regions of equal form; innermost first."""
        numbers: dict[Any, int] = {}
        for region in reversed(self.tree.regions):
            region.all_cells = len(region.cells) + sum(child.all_cells for child in region.children())
            parts: list[Any] = [tuple(region.load.lines) if region.load else None, region.slots, region.tensors, region.kept]
            parts.append("".join(cell.letter for cell in region.cells))
            count = len(region.load.lines) if region.load else 0
            for code in region.codes:
                if isinstance(code, Region):
                    parts.append(self.form[id(code)])
                    count += self.lines[id(code)]
                else:
                    parts.append(tuple(code.lines))
                    count += len(code.lines)
            # What is read from several places counts its operands from its parent and stays there.
            parts.append(None if region.from_parent_only else id(region))
            number = numbers.setdefault(tuple(parts), len(numbers))
            self.form[id(region)] = number
            self.lines[id(region)] = count
            self.example[number] = region

    def _repeated(self) -> dict[int, int]:
        """Return the forms that become functions: those printed twice or more if they did not."""
        uses: dict[int, int] = {}
        for region in self.example.values():
            for child in region.children():
                uses[self.form[id(child)]] = uses.get(self.form[id(child)], 0) + 1
        worth = [
            form
            for form, count in uses.items()
            if count > 1 and self.lines[id(self.example[form])] >= _WORTH_A_FUNCTION and self.example[form].from_parent_only
        ]
        return {form: position for position, form in enumerate(sorted(worth))}

    def functions(self) -> list[str | Note]:
        """Return the lines of all functions, those that are called first."""
        lines: list[str | Note] = []
        # Inner forms have smaller numbers, so each function stands before its callers.
        for form, position in self.called.items():
            lines += self._function(
                f"static int part_{position}(const Frame *f, const Cell *k, PyObject **kept, PyObject *parent)",
                self.example[form],
                "parent",
            )
        return [
            *lines,
            *self._function("static int holds(const Frame *f, const Cell *k, PyObject **kept)", self.tree.root, "NULL"),
        ]

    def _function(self, head: str, region: Region, parent: str) -> list[str | Note]:
        function = _Function()
        body: list[str | Note] = []
        self._print(region, parent, function, body)
        slots, tensors = function.slots, function.tensors
        lines: list[str | Note] = [head, "{"]
        lines.append(f"    PyObject *v[{max(slots, 1)}] = {{NULL}};")
        if tensors:
            lines.append(f"    Tensor t[{tensors}];")
        lines += [
            "    int result = 0;",
            "    (void)f, (void)k, (void)kept;",
            *[f"    {line}" if isinstance(line, str) else line for line in body],
        ]
        lines += ["    result = 1;", "    goto out;", "out:", f"    release(v, {slots});", "    return result;", "}", ""]
        return lines

    def _print(self, top: Region, parent: str, function: _Function, body: list[str | Note]) -> None:
        """Print a region and what is inside, with a stack of our own: sources are as deep as they like."""
        # Region, cells before it, kept values before it and before its parent, C for the parent.
        stack: list[Any] = [(top, 0, 0, 0, parent)]
        while stack:
            task = stack.pop()
            if isinstance(task, list):
                body += task
                continue
            region, cells, kept, kept_of_parent, parent = task
            slots, tensors = function.slots, function.tensors
            function.slots += region.slots
            function.tensors += region.tensors

            def placed(
                lines: Sequence[str],
                slots: int = slots,
                cells: int = cells,
                tensors: int = tensors,
                kept: int = kept,
                kept_of_parent: int = kept_of_parent,
                parent: str = parent,
            ) -> list[str]:
                first = {"v": slots, "k": cells, "t": tensors, "e": kept, "f": kept_of_parent}

                def place(match: re.Match[str]) -> str:
                    letter = match[1]
                    if letter == "p":
                        return parent
                    number = first[letter] + int(match[2])
                    return f"kept[{number}]" if letter in "ef" else f"{letter}[{number}]"

                return [_MARK.sub(place, line) for line in lines]

            tasks: list[Any] = []
            if region.load is not None:
                tasks.append(placed(region.load.lines))
            cell, keep = cells + len(region.cells), kept + int(region.kept)
            for code in region.codes:
                if isinstance(code, Code):
                    notes: list[str | Note] = [] if code.comment is None else [code.comment]
                    tasks.append(notes + placed(code.lines))
                    continue
                value = "NULL" if region.node is None else f"kept[{kept}]" if region.kept else f"v[{slots}]"
                position = self.called.get(self.form[id(code)])
                if position is not None:
                    assert code.node is not None
                    tasks.append([Note(code.node), f"CALL(part_{position}(f, k + {cell}, kept + {keep}, {value}));"])
                else:
                    tasks.append((code, cell, keep, kept, value))
                cell += code.all_cells
                keep += code.all_kept
            stack.extend(reversed(tasks))


@cache
def _runtime(name: str) -> str:
    return (Path(__file__).parent / name).read_text("utf-8")


@cache
def _without_comments(name: str) -> str:
    return _strip(_runtime(name))


_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def _strip(text: str) -> str:
    """Return C without comments and empty lines; no string literal of the runtime holds what looks like a comment."""
    lines = (line.rstrip() for line in _COMMENT.sub("", text).split("\n"))
    return "\n".join(line for line in lines if line) + "\n"
