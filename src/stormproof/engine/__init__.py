"""The door to the native engine: names become integers here, and integers names. Nothing else imports `_engine`."""
