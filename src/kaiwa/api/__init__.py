"""The Python API: files in, nouns out, and the verbs that hang on the nouns."""

from kaiwa.api.nouns import Gains, Run, Scores, ScoreSet, Votes, with_verbs
from kaiwa.api.reading import read_qrels, read_run, read_runs, read_scores, read_topics, read_votes
from kaiwa.api.results import Comparison
from kaiwa.api.verbs import design, open_index, score

__all__ = [
    "Comparison",
    "Gains",
    "Run",
    "ScoreSet",
    "Scores",
    "Votes",
    "design",
    "open_index",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "read_topics",
    "read_votes",
    "score",
    "with_verbs",
]
