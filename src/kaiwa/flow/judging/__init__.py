"""Verbs about runs that are pooled and judged, and about the votes."""
