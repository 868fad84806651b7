"""Votes of assessors: the gains that they give, and their agreement."""
