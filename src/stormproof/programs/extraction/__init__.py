"""Roles as Python functions: their source is interpreted, and becomes a system."""
