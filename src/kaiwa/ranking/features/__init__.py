"""A query and a batch of candidates in, one number for each candidate out.

Read ``table``: every feature is one row. ``batch`` is what a feature is given; the other modules are families of them.
"""
