"""The studio: a page on this machine to write, see, ask and play.

The server (`server`, `guard`, `page_session`, `document`) talks to pages and never reads a protocol itself:
every question goes to a worker process (`apps.workers`).
"""
