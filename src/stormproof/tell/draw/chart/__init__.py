"""Message sequence charts."""
