"""The door to the native engine: names become integers, integers names. Only this room imports `_engine`."""
