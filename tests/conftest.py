"""Settings for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# In CI the same examples every time: a change is judged by what it changes. Elsewhere hypothesis goes on exploring.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
