"""The nouns: Pair, Run, Votes, Gains, Scores. Frozen; they check themselves when made."""

from kaiwa.model.gains import Gains
from kaiwa.model.ids import FloatArray, IdArray, IdTable, IntArray, pack, unpack
from kaiwa.model.lists import TopicLists
from kaiwa.model.pair import Pair
from kaiwa.model.run import Run
from kaiwa.model.scores import Scores, ScoreSet
from kaiwa.model.votes import NA, Votes

__all__ = [
    "NA",
    "FloatArray",
    "Gains",
    "IdArray",
    "IdTable",
    "IntArray",
    "Pair",
    "Run",
    "ScoreSet",
    "Scores",
    "TopicLists",
    "Votes",
    "pack",
    "unpack",
]
