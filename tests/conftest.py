"""Hypothesis runs without deadlines (these machines are noisy) and reproducibly."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "stormproof", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("stormproof")


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: some tests wait for other processes, browsers and clocks."""
    return (os.cpu_count() or 1) + 1
