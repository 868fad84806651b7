"""Runs and judgements in, scores of every topic out.

Read ``score`` (the function; its result is the noun ``Scores``), then ``judgements`` (the join of runs and gains),
``lists`` (ranked gains as matrices), ``table`` (every measure is one row) and ``scoring``. ``vote_resampling`` gives
intervals from votes. ``command`` is the shell.
"""
