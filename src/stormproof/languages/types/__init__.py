"""Session types with crash-stop failures: local and global types, projection, translation."""
