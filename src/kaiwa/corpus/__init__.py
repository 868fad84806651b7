"""Raw post-comment pairs in, a repository and the topics of a round out.

Read ``repository`` (``clean``) and ``topics`` (``topics``). A cleaning reads its files (``inputs``), puts pairs through
the rules (``pair_keys``, ``rules``, ``tweets``), removes duplicates (``duplicates``), draws a sample (``samples``) and
writes what is left (``cleaning``), on any engine (``job``). ``command`` is the shell.
"""
