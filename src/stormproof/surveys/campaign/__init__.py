"""Campaigns: many checks, each in a process of its own, with results that survive interruptions."""

from .jobs import Job, Plan, jobs_of
from .plan_file import plan_from_toml
from .results import Results, summary
from .run import run_campaign

__all__ = ["Job", "Plan", "Results", "jobs_of", "plan_from_toml", "run_campaign", "summary"]
