"""The verbs of the Python API, on the nouns they belong to."""
