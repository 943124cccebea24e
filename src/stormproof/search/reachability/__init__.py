"""Reachability without a bound on the channels (definitions, chapter 6).

`reach` answers *reachable* with a replayed run, *unreachable* with a certificate that `check_certificate`
accepts, or *undecided* with what was tried.
"""
