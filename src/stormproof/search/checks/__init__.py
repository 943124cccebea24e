"""One system, one failure model, some properties: requests, decisions, verdicts, reports."""
