"""The server for agents: tools over the Model Context Protocol, on standard input and output.

It reads no protocol itself: what is asked goes to worker processes (`apps.workers`), within limits.
"""
