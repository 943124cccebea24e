"""The language of goals: what `reach`, `never`, `always possible` and `leads to` ask for."""
