"""One run in words: why it violates a property, and what happens in it."""
