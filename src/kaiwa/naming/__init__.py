"""The names that settings take, by kind.

In: a kind, such as measures or systems. Out: a table of its names, each with what it is.
Read ``names``: one function and the table of kinds. The names for completion are generated from it.
"""
