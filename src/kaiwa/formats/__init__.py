"""Files and data frames in, nouns out, and back.

Read ``reading``: a noun from whatever a caller has. ``table`` is every format, one row each, as ``recognition``
describes it; ``readers`` finds the format of a file. The other modules are the formats of one noun each; ``convert``
and ``writers`` write them.
"""
