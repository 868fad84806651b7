"""Votes of assessors: what they add up to, and how far they agree."""
