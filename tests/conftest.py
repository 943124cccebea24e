"""Hypothesis runs without deadlines (these machines are noisy) and reproducibly."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "stormproof", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("stormproof")
