"""The nouns, one module each: Pair, Run, Votes, Gains, Scores. Frozen; they check themselves when made."""
