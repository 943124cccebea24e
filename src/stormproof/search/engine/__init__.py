"""Calls to the native engine: names become integers and back. Only this package imports `_engine`."""
