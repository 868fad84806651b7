"""The texts and pairs of an index in, arrays that features and sources of candidates read out.

Read ``table``: every model is one row, how it is trained and how its arrays are opened. The other modules are one model
each.
"""
