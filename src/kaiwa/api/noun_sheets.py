"""What each noun shows: runs, gains, votes, scores, replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.api.sheet import Sheet
from kaiwa.compare.groups import best_first
from kaiwa.errors import counted
from kaiwa.report.text_tables import few

if TYPE_CHECKING:
    from kaiwa.api.measure_table import MeasureTable
    from kaiwa.flow.answers.retrieve import Bot
    from kaiwa.measure.scoring import Scored
    from kaiwa.model.gains import Gains
    from kaiwa.model.observations import Observations
    from kaiwa.model.run import Run
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.scores import Scores
    from kaiwa.model.votes import Votes
    from kaiwa.rank.replies import Replies
    from kaiwa.report.text_tables import Cell

_FIRST = 10


def run_sheet(run: Run) -> Sheet:
    """The first comments of the first topics."""
    rows: list[list[Cell]] = []
    for topic in run.topics[:_FIRST]:
        rows += [[topic, rank, *row] for rank, row in enumerate(run.ranking(topic)[:_FIRST], start=1)]
    rows = rows[:_FIRST]
    caption = f"{run.name}: {counted(len(run), 'comment')} of {counted(len(run.topics), 'topic')}"
    return Sheet(["topic", "rank", "comment", "score"], rows, caption, unseen=len(run) - len(rows))


def gains_sheet(gains: Gains) -> Sheet:
    """How many comments have each gain."""
    values, counts = np.unique(gains.gains, return_counts=True)
    rows = list(zip(values.tolist(), counts.tolist(), strict=True))[::-1]
    size = f"{counted(len(gains), 'judged comment')} of {counted(len(gains.topics), 'topic')}"
    unjudged = f"{counted(gains.without_votes, 'item')} without a vote left unjudged" if gains.without_votes else ""
    notes = tuple(filter(None, [unjudged]))
    return Sheet(["gain", "comments"], rows, f"{size}; gmax {gains.top:g}", notes=notes)


def votes_sheet(votes: Votes) -> Sheet:
    """How many votes each level has."""
    levels = votes.counts().sum(axis=0).tolist()
    rows: list[list[Cell]] = [[f"L{level}", count] for level, count in enumerate(levels)]
    people = counted(len(votes.assessors), "assessor")
    caption = f"{counted(len(votes.level), 'vote')} of {people} on {counted(votes.items, 'item')}"
    return Sheet(["level", "votes"], [*rows, ["NA", votes.missing]], caption)


def scores_sheet(scores: Scores) -> Sheet:
    """The mean of each run, the best first."""
    order = best_first(scores.oriented.mean(axis=0)).tolist()
    means = scores.values.mean(axis=0).tolist()
    rows: list[list[Cell]] = [[scores.runs[run], means[run]] for run in order]
    return Sheet([scores.axes.run, f"mean {scores.label}"], rows, counted(len(scores.topics), scores.axes.topic))


def score_set_sheet(scores: ScoreSet) -> Sheet:
    """The means of each run under every measure."""
    means, axes = scores.means(), scores.axes
    rows: list[list[Cell]] = [[run, *(own.get(measure) for measure in scores)] for run, own in means.items()]
    notes = [
        f"{measure}: {counted(len(names), noun)} left out for missing scores: {few(names)}"
        for noun, left_out in ((axes.topic, scores.topics_left_out), (axes.run, scores.runs_left_out))
        for measure, names in left_out.items()
        if names
    ]
    notes += [
        f"{measure}: {counted(count, 'missing score')} counted as 0"
        for measure, count in scores.filled.items()
        if count
    ]
    notes += scores.remarks
    return Sheet([axes.run, *(one.label for one in scores.values())], rows, _topics_of(scores), notes=tuple(notes))


def _topics_of(scores: ScoreSet) -> str:
    sizes = {len(one.topics) for one in scores.values()}
    topic = scores.axes.topic
    return f"Means over {counted(sizes.pop(), topic)}" if len(sizes) == 1 else f"Means over {topic}s"


def scored_sheet(scored: Scored) -> Sheet:
    """The means, and what was undefined, unanswered or unknown."""
    notes = [
        f"{counted(len(scored.undefined), 'topic')} without a relevant item {treatment}: {few(scored.undefined)}"
        for treatment in [_treatment(scored)]
        if scored.undefined
    ]
    notes += [
        f"{run}: no answer for {counted(len(topics), 'judged topic')}, scored 0: {few(topics)}"
        for run, topics in scored.unanswered.items()
    ]
    notes += [
        f"{run}: {counted(len(topics), 'topic')} never judged and not scored: {few(topics)}"
        for run, topics in scored.unknown.items()
    ]
    sheet = score_set_sheet(scored)
    return Sheet(sheet.header, sheet.rows, sheet.caption, notes=tuple(notes))


def _treatment(scored: Scored) -> str:
    kept = any(set(scored.undefined) & set(scores.topics) for scores in scored.values())
    return "counted 0" if kept else "left out"


def observations_sheet(observed: Observations) -> Sheet:
    """The first scores."""
    columns = observed.columns()
    rows = [list(row) for row in zip(*(column[:_FIRST] for column in columns.values()), strict=True)]
    unseen = len(observed.values) - len(rows)
    return Sheet(list(columns), rows, f"{observed.label}: {', '.join(observed.sizes())}", unseen=unseen)


def replies_sheet(replies: Replies) -> Sheet:
    """The replies with their reasons."""
    rows: list[list[Cell]] = [
        [reply.text, reply.score, reply.post_text, " ".join(reply.words), reply.comment] for reply in replies
    ]
    return Sheet(["reply", "score", "to the post", "words shared", "comment"], rows)


def bot_sheet(bot: Bot) -> Sheet:
    """The size of the open index."""
    posts, comments = len(bot.index.posts.texts), len(bot.index.comments.texts)
    return Sheet(["posts", "comments", "words by"], [[posts, comments, bot.index.tokeniser]], "An open index")


def measures_sheet(measures: MeasureTable) -> Sheet:
    """Every measure with its description."""
    return Sheet(["measure", "description"], list(measures.items()))
