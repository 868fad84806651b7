"""Benchmarks over a corpus of the user's: each is run by name, with the path of an index, a repository or texts."""
