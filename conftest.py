"""Settings of every test run: how hypothesis searches, and what is left out when an extra is not installed."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from hypothesis import HealthCheck, settings

# Doctests of an adapter need the library that it adapts.
NEEDS = {"pytorch": "torch", "numpy_adapter": "numpy", "numpy_adapter.py": "numpy", "numpy_observe.py": "numpy"}

collect_ignore = [str(Path("guardlang") / name) for name, library in NEEDS.items() if find_spec(library) is None]

# No deadlines anywhere: a test never depends on time. `dev` and `ci` draw the same examples in every run, so that a red run is
# red again; only `fuzz` looks for new ones, and prints how to repeat what it finds.
settings.register_profile(
    "dev",
    max_examples=50,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", settings.get_profile("dev"), max_examples=150)
settings.register_profile("fuzz", settings.get_profile("dev"), max_examples=5_000, derandomize=False, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")
