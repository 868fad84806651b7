"""Verbs that answer posts, and train what answers them."""
