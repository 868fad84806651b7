"""The words of a command line in, one call of a verb and its result on stdout out.

Read ``group`` (the table of verbs, signals, errors), ``command`` (what every verb has), ``output`` (how a result is
shown) and ``options`` (options of several verbs).
"""
