"""Equality of systems up to names, and where two systems differ."""
