"""A report in paragraphs: why properties fail, and what would repair them."""
