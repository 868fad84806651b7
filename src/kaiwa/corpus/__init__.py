"""Cleaning of pairs: rule sets, duplicates, near-duplicates, topics."""
