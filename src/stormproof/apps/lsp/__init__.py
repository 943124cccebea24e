"""The language server: what editors ask about .storm texts, over standard input and output.

`server` receives the questions. Those about names are answered at once from the words of the text
(`navigation`, `renaming`, `hover`, `completion`); reading, formatting, checks and repairs (`checks`,
`lenses`, `actions`) may take longer and are done by worker processes, so that typing is never blocked.
"""
