"""Other sources of candidates than the search of the best pairs: one module each."""
