"""Violations that need more messages in flight than the bounds that are explored one after the other."""

from __future__ import annotations


def eight_ticks(requirements: str, ticks: int = 8) -> str:
    """A sends its ticks to B and reaches B through C. Only if none of them was received yet, which needs all
    of them in flight, is B early; then it waits for a second `fast`, which nobody sends."""
    sends = "\n".join(f"  a{i}: B!tick -> a{i + 1}" for i in range(ticks))
    return f"""
role A {{
{sends}
  a{ticks}: C!go -> end
}}
role B {{
  w: A?tick -> t
     C?fast -> early
  t: A?tick -> t
     C?fast -> done
  early: C?fast -> done
  done: A?tick -> done
}}
role C {{
  w: A?go -> v
  v: B!fast -> end
}}
{requirements}
"""
