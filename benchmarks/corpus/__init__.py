"""Benchmarks on a corpus of the user: each is run by name, with the path of an index, a repository or texts."""
