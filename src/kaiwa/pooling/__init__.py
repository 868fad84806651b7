"""Runs in, the items to judge out, with who contributed them and what is unjudged.

Read ``pool`` (the function, the result, the sheets), then ``items``; ``command`` is the shell.
"""
