"""Verbs that make what is searched: clean pairs, topics, an index."""
