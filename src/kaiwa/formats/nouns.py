"""The nouns that files contain, with their words in messages and the command that takes a file of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.formats.format import Noun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.compare.standardisation import Factors
    from kaiwa.formats.collection.pair_files import Batch
    from kaiwa.formats.collection.tweet_files import Tweet
    from kaiwa.formats.intent_files import IntentChances
    from kaiwa.formats.scores.score_cells import Cells
    from kaiwa.model.gains import Gains
    from kaiwa.model.run import Run
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.votes import Votes

RUNS: Noun[list[Run], list[Run]] = Noun("run", "a run", "a run file", "score it: kaiwa score {path} --qrels QRELS")
QRELS: Noun[Gains, Gains] = Noun(
    "qrels", "qrels", "a qrels file", "score runs against it: kaiwa score RUN... --qrels {path}"
)
VOTES: Noun[Votes, Votes] = Noun(
    "votes", "votes", "a vote file", "turn its votes into qrels: kaiwa gains {path} -o QRELS"
)
SCORES: Noun[Cells, ScoreSet] = Noun("scores", "scores", "a score file", "compare its runs: kaiwa compare {path}")
TOPICS: Noun[dict[str, str], dict[str, str]] = Noun(
    "topics", "topics", "a topic file", "answer its topics: kaiwa retrieve INDEX {path} -o RUN"
)
PAIRS: Noun[Iterator[Batch], Iterator[Batch]] = Noun(
    "pairs", "pairs", "a file of pairs", "make a repository from it: kaiwa clean {path} -o REPO"
)
TWEETS: Noun[Iterator[Tweet], Iterator[Tweet]] = Noun(
    "tweets", "tweets", "a file of tweets", "make a repository from it: kaiwa clean {path} -o REPO --rules twitter"
)
FACTORS: Noun[dict[str, Factors], dict[str, Factors]] = Noun(
    "factors",
    "standardisation factors",
    "a file of standardisation factors",
    "standardise scores with it: kaiwa standardise SCORES --factors {path}",
)
CHANCES: Noun[IntentChances, IntentChances] = Noun(
    "chances",
    "probabilities of intents",
    "a file of intent probabilities",
    "score runs with it: kaiwa score RUN... --intents QRELS --chances {path}",
)
