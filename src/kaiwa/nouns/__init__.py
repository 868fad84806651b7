"""What verbs take and give: ``run``, ``qrels``, ``votes``, ``scores``; frozen, checked when they are made.

``matrix`` and ``cells`` are what pure methods take of scores; ``ids`` finds millions of ids; ``measure_name``,
``criteria`` and ``normalise`` are how names, answers and texts are read.
"""
