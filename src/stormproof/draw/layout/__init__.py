"""Layered graph layout."""
