"""Roles with variables: what they offer, and what comes then."""
