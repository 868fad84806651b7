"""Posts in, replies as JSON out, by one process or several on one mapped index.

Read ``app`` (the endpoints), ``serving`` (one process), ``processes`` (several).
"""
