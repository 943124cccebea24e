"""From what the engine found to the run that is shown: every fault explicit, as few of them as possible."""
