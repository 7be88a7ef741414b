"""`backend="auto"`: a check in Python at once, and one in C in its place once it was called often enough to be worth a build."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any, cast

from guardlang.codegen import python
from guardlang.codegen.check import Check, Request
from guardlang.codegen.plan import Plan, make_plan
from guardlang.errors import GuardlangError

__all__ = ["AutoCheck", "build", "calls_before_build", "worth_building"]

# Fewer steps than this take Python less time than the call itself does.
_FEWEST_STEPS = 12
# Measured: what C saves a step and a call, what a build costs in any case, and what each step adds to it, in seconds.
_SAVED = 60e-9
_BUILD = 0.25
_BUILD_STEP = 0.5e-3
# A build may cost so many times what the calls so far would have saved: a check that was called often will be called again.
_TRUST = 50.0


def build(request: Request) -> Check:
    """Return a check that starts in Python.

    Args:
        request: what to build.

    Example:
        >>> from guardlang.parse import parse
        >>> build(Request((parse("L['n'] == 1"),))).report
        ('stays in Python: 2 steps are too few for C to be worth a build',)
    """
    first = python.build(request)
    plan = make_plan(request.guards)
    if not worth_building(plan):
        steps = len(plan.steps)
        first.report = (
            *first.report,
            f"stays in Python: {steps} step{'' if steps == 1 else 's'} are too few for C to be worth a build",
        )
        return first
    return cast("Check", AutoCheck(request, first, calls_before_build(plan)))


def worth_building(plan: Plan) -> bool:
    """Tell whether C can save enough of a call to be worth a build.

    Args:
        plan: the plan of the check.

    Example:
        >>> worth_building(make_plan([]))
        False
    """
    return len(plan.steps) >= _FEWEST_STEPS


def calls_before_build(plan: Plan) -> int:
    """Return how many calls a check must have had before it is built in C.

    Args:
        plan: the plan of the check.

    Example:
        >>> calls_before_build(make_plan([])) > 1
        True
    """
    steps = max(1, len(plan.steps))
    return max(1, int((_BUILD + _BUILD_STEP * steps) / (_SAVED * steps * _TRUST)))


class AutoCheck:
    """A check that is one in Python first.

    Args:
        request: what it checks.
        first: the check in Python.
        calls: how many calls to wait for before C is built in another thread.

    Example:
        >>> from guardlang.parse import parse
        >>> request = Request((parse("L['n'] == 1"),))
        >>> check = AutoCheck(request, python.build(request), calls=1)
        >>> check({"n": 1})
        True
        >>> check.wait()
        >>> check({"n": 1}), check.backend
        (True, 'c')
    """

    def __init__(self, request: Request, first: Check, calls: int) -> None:
        self.request = request
        self.backend = "python"
        self.source = first.source
        self.report = (*first.report, f"C is built after {calls} call{'' if calls == 1 else 's'}")
        self._first = first
        self._left = calls
        self._built = threading.Event()
        self._current: Callable[..., bool] = self._count

    def __call__(self, *args: Any, **keywords: Any) -> bool:
        """Return whether all guards hold."""
        return self._current(*args, **keywords)

    def _count(self, *args: Any, **keywords: Any) -> bool:
        self._left -= 1
        if self._left == 0:
            self._current = self._first
            threading.Thread(target=_build_for, args=(weakref.ref(self),), name="guardlang build", daemon=True).start()
        return self._first(*args, **keywords)

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the build that was started is over, one way or the other.

        Args:
            timeout: seconds to wait at the most; None for as long as it takes.
        """
        self._built.wait(timeout)

    def take(self, check: Check) -> None:
        """Go on with another check that says the same.

        Args:
            check: the check in C.
        """
        self.source = check.source
        self.report = (*check.report, "built in C, in the background")
        self.backend = "c"
        # The last one: one store, so a call in another thread gets the one check or the other.
        self._current = check
        self._built.set()

    def stay(self, reason: str) -> None:
        """Go on in Python for good.

        Args:
            reason: why, for the report.
        """
        self.report = (*self._first.report, f"stays in Python: {reason}")
        self._built.set()


def _build_for(wanted: weakref.ref[AutoCheck]) -> None:
    """Build C for a check that may be gone by then; whatever goes wrong, the check goes on in Python."""
    check = wanted()
    if check is None:
        return
    from guardlang.codegen.c.backend import build as build_c

    try:
        built = build_c(check.request)
    except GuardlangError as error:
        check.stay(str(error).replace("\n", " "))
    except Exception as error:  # noqa: BLE001  # a full disk, no processes left: nothing that the caller of a check should hear of
        check.stay(f"{type(error).__name__} while C was built: {error}")
    else:
        check.take(built)
