"""Mutation testing: one small fault at a time, and whether a test fails on it."""
