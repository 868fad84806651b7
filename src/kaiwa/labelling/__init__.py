"""Votes in, agreement and qrels out; and the items that assessors judge.

Read ``agreement`` (``agree``) with ``assessors``, ``coefficients`` and ``estimates``; ``voted_qrels`` (``gains``) with
``gains``, the schemes; then ``items``, ``judging_course`` and ``figures``, which serve the pages. ``command`` is the
shell.
"""
