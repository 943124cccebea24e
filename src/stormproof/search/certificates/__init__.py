"""Certificates, made of what a search found; `trust` checks them and knows nothing of this."""
