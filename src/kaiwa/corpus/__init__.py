"""Pairs in, better pairs out: rule sets, near-duplicates, topics, splits."""
