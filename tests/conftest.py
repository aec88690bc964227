"""Settings for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# Nowhere a limit on time: other work on the machine must not fail a test. In CI the same examples every time: a change
# is judged by what it changes. Elsewhere hypothesis goes on exploring.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("exploring", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "exploring")
