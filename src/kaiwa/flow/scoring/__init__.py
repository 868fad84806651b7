"""Verbs about scores: made, compared, standardised, and the number of topics that they ask for."""
