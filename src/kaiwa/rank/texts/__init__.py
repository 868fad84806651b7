"""Texts of an index as numbers of words, and what is computed over their words: what models and features share."""
