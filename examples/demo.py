"""Guards on real tensors: checked, broken in five ways, and explained each time. Run by `make demo`; it checks its own outcomes.

A tracer has compiled `step` for the inputs of one call. What it relied on is written down as guards, and the compiled code may be
used again exactly while they hold.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

import torch

from guardlang import GuardSet, L, Origin, distinct, exact, is_, keys


class Block(torch.nn.Module):
    """A layer with a setting that its code branches on."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(64, 64)
        self.depth = 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Apply the layer as often as the setting says."""
        for _ in range(self.depth):
            x = self.linear(x)
        return x


def step(block: Block, x: torch.Tensor, out: torch.Tensor, skip: torch.Tensor, options: dict[str, object]) -> torch.Tensor:
    """Stand for the function that was compiled."""
    tiles = x.view(-1, 8, 64)
    y = block(tiles).view(x.shape) + skip
    if options["activation"] == "relu":
        y = torch.relu(y)
    return out.copy_(y)


def usual() -> dict[str, object]:
    """Return the inputs of the call that was traced: `skip` is the same tensor as `x`, `out` another one."""
    x = torch.ones(16, 64)
    return {
        "block": Block(),
        "x": x,
        "out": torch.zeros(16, 64),
        "skip": x,
        "options": {"activation": "relu", "scale": 2.0},
    }


def at(function: Callable[..., object], code: str, reason: str | None = None) -> Origin:
    """Return the line of a function that makes a guard necessary; a tracer knows it from the frame that it traces."""
    lines, first = inspect.getsourcelines(function)
    number = next(number for number, line in enumerate(lines) if code in line)
    return Origin(__file__, first + number, function.__name__, lines[number].strip(), reason=reason)


def guards_of_step() -> GuardSet:
    """Return what the compiled code relies on, as text or with operators, each guard with the line that it comes from."""
    guards = GuardSet(objects={"torch": torch})
    tiled, added, written = at(step, "tiles ="), at(step, "y = block"), at(step, "out.copy_")
    branched, looped = at(step, "if options"), at(Block.forward, "for _ in")

    # The tensors of the function.
    guards.add("type(L['x']) is torch.Tensor", origin=tiled)
    guards.add("L['x'].dtype == torch.float32", origin=added)
    guards.add(L["x"].shape[0] % 8 == 0, origin=tiled)
    guards.add(L["x"].shape[1] == 64, origin=tiled)

    # Which of them are one object, and which are not.
    guards.add(is_(L["skip"], L["x"]), origin=added, reason="read once")
    guards.add(distinct(L["x"], L["out"]), origin=written, reason="written in place")

    # The dict of options: its keys in their order, and the value that was branched on.
    guards.add(keys(L["options"]) == ("activation", "scale"), origin=branched)
    guards.add(L["options"]["activation"] == "relu", origin=branched, reason="branch taken")

    # An attribute of the module, and a parameter where modules keep it.
    guards.add(exact(L["block"].depth, 2), origin=looped, reason="loop unrolled")
    guards.add("L['block']._modules['linear']._parameters['weight'].requires_grad is True", origin=added)
    return guards


def show(title: str, text: object) -> None:
    """Print one part of the demo."""
    print(f"\n{title}\n{'-' * len(title)}\n{text}")


def main() -> None:
    """Check the guards on the traced inputs and on five others."""
    guards = guards_of_step()
    traced = usual()
    step(**traced)  # type: ignore[arg-type]  # the inputs are a dict of all kinds
    check = guards.compile(example=traced)

    show("What the compiled code relies on", str(guards).rstrip())
    show("On the traced inputs", guards.explain(traced))
    assert check(traced)
    assert check(usual()), "equal inputs are as good as the same ones"

    x = torch.ones(15, 64)
    broken(
        guards,
        "a batch of 15",
        {"x": x, "skip": x},
        ["L['x'].shape[0] % 8 == 0"],
        ["got 7", "L['x'].shape[0] = 15", "x.view(-1, 8, 64)"],
    )
    broken(
        guards,
        "skip is an equal tensor, but another one",
        {"skip": torch.ones(16, 64)},
        ["L['skip'] is L['x']"],
        ["two different objects of type torch.Tensor"],
    )
    broken(
        guards,
        "out is x itself: the result would overwrite the input",
        {"out": traced["x"], "x": traced["x"], "skip": traced["x"]},
        ["distinct(L['x'], L['out'])"],
        ["one object"],
    )
    broken(
        guards,
        "another option, and the scale is gone",
        {"options": {"activation": "gelu"}},
        ["keys(L['options']) == ('activation', 'scale')", "L['options']['activation'] == 'relu'"],
        ["('activation',)", "got 'gelu'"],
    )
    deeper = Block()
    deeper.depth = 3
    broken(guards, "a deeper block", {"block": deeper}, ["exact(L['block'].depth, 2)"], ["got 3", "loop unrolled"])

    lines = len(check.source.splitlines())
    print(f"\nFive misses, each explained. The check is {lines} lines of Python: print(check.source) shows them.")
    print("On files of your own: .venv/bin/guardlang --help. To add to the language: examples/guardlang_units.")


def broken(guards: GuardSet, title: str, changes: dict[str, object], failing: list[str], says: list[str]) -> None:
    """Check the guards on changed inputs, print why they fail, and make sure that it is what the change broke."""
    inputs = {**usual(), **changes}
    explanation = guards.explain(inputs)
    show(f"Broken: {title}", explanation)
    assert not guards.compile()(inputs)
    found = [str(failure.guard) for failure in explanation.failures]
    assert found == failing, f"{title}: {found}"
    for word in says:
        assert word in str(explanation), f"{title}: nothing says {word!r}"


if __name__ == "__main__":
    main()
