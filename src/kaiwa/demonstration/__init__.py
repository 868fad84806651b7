"""A folder in, a whole round on real conversations with simulated assessors out.

Read ``command`` and ``demo``.
"""
