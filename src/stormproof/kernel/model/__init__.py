"""Systems, failure models and runs: plain data that every other package uses."""
