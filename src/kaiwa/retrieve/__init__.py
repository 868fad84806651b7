"""Retrieval of comments for a post: tokens, similarities, the index, exact search."""
