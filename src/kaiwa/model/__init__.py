"""The nouns, one module each: Pair, Run, Votes, Gains, Scores. Frozen, and checked when made."""
