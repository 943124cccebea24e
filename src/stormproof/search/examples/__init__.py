"""Sample runs that show properties that hold, and coverage."""
