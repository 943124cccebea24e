"""The language of goals: what `reach`, `never` and `always possible` ask for."""
