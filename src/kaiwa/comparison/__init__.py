"""Scores in; p-values, intervals, ranks and groups out.

Read ``comparison`` (``compare``, the result), then ``leaderboard`` and ``allpairs``: every pair of runs. ``baseline``
compares with one run, ``family`` under several measures together, ``crossed`` (``crossed_model``, ``components``)
where scores are missing or repeated. ``ranks`` gives ranks and groups; ``notes``, ``texts``, ``crossed_texts`` and
``figures`` are what people see. ``tau``, ``variance``, ``standardise`` and ``unanimity`` are verbs of their own;
``standardisation_study`` is what standardisation changes, ``unknown_runs`` what runs get that had no part in its
factors. ``command`` is the shell.
"""
