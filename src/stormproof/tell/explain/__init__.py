"""A report in paragraphs: why properties fail, and which lines, verified, would repair the protocol."""
