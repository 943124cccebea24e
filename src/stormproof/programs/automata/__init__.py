"""What makes an automaton of a program: reachable local states, dead values, names, limits, places."""
