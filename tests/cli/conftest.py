from runner import run  # noqa: F401
