"""Reachability without a bound on the channels (paper, preliminaries and appendix; semantics, section 6).

`reach` answers *reachable* with a replayed run, *unreachable* with a certificate that `check_certificate`
accepts, or *undecided* with what was tried.
"""
