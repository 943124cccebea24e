"""Transformations from systems to systems."""
