"""Benchmarks: Kaiwa compared with other tools on the same work."""
