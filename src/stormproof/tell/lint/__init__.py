"""Warnings: what is allowed in a protocol, and hardly ever meant."""
