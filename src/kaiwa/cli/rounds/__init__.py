"""Verbs about a whole round and what is told of it."""
