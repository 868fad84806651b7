"""Speed as a claim with a script: ours against the named peers, on the same work, in one run."""
