"""A task folder in; the report of the round out; and published numbers computed again.

Read ``results`` (all that is computed), then ``report``, which draws it by the modules of sections. ``reproduce`` is a
verb of its own. ``command`` is the shell.
"""
