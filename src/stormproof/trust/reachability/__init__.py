"""Certificates that a goal is never reached, and what checks them without the code that found them."""
