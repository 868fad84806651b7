"""What each noun and result shows: one table from its class to its sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.api.sheet import Sheet
from kaiwa.compare.groups import best_first
from kaiwa.errors import counted, in_python
from kaiwa.report.printed_limits import CORRELATION
from kaiwa.report.results.agree_view import ASSESSOR_HEADING, ASSESSOR_NOTE, agreement_counts, assessor_rows
from kaiwa.report.results.assessors_view import panel_notes, panel_rows
from kaiwa.report.results.crossed_view import (
    board_rows,
    component_rows,
    crossed_notes,
    extra_rows,
    leniency_rows,
    sizes_text,
)
from kaiwa.report.results.design_answer import answer_text, headline, percent
from kaiwa.report.results.leaderboard import (
    COLUMNS,
    baseline_rows,
    cut_note,
    difference_note,
    leaderboard_rows,
    printed_baseline,
    printed_leaderboard,
)
from kaiwa.report.results.rank_set_text import rank_set_note
from kaiwa.report.results.tau_view import overlap_name
from kaiwa.report.text_tables import few, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kaiwa.api.measure_table import MeasureTable
    from kaiwa.build.repository.cleaning import Cleaned
    from kaiwa.check.checked_files import Check
    from kaiwa.compare.baseline import BaselineComparison
    from kaiwa.compare.comparison import Comparison
    from kaiwa.compare.crossed_comparison import CrossedComparison
    from kaiwa.compare.crossed_variance import CrossedVariance
    from kaiwa.compare.rank_agreement import RankAgreement
    from kaiwa.compare.variance_components import Variance
    from kaiwa.flow.retrieve import Bot
    from kaiwa.flow.topics import Topics
    from kaiwa.label.agreement import Agreement, Estimate
    from kaiwa.label.assessor_quality import PanelQuality
    from kaiwa.measure.scoring import Scored
    from kaiwa.model.gains import Gains
    from kaiwa.model.observations import Observations
    from kaiwa.model.run import Run
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.scores import Scores
    from kaiwa.model.shown import Shown
    from kaiwa.model.votes import Votes
    from kaiwa.rank.replies import Replies
    from kaiwa.report.text_tables import Cell
    from kaiwa.studies.pool_report import PoolReport
    from kaiwa.topicset.answer import Design

_FIRST = 10


def sheet_of(thing: Shown) -> Sheet:
    """The sheet of a noun or result, by its class or the nearest class above it."""
    return next(SHEETS[kind.__name__] for kind in type(thing).__mro__ if kind.__name__ in SHEETS)(thing)


def text_of(thing: Shown) -> str:
    """What ``print`` shows of a noun or result."""
    return in_python(sheet_of(thing).plain())


def _run(run: Run) -> Sheet:
    rows: list[list[Cell]] = []
    for topic in run.topics[:_FIRST]:
        rows += [[topic, rank, *row] for rank, row in enumerate(run.ranking(topic)[:_FIRST], start=1)]
    rows = rows[:_FIRST]
    caption = f"{run.name}: {counted(len(run), 'comment')} of {counted(len(run.topics), 'topic')}"
    return Sheet(["topic", "rank", "comment", "score"], rows, caption, unseen=len(run) - len(rows))


def _gains(gains: Gains) -> Sheet:
    values, counts = np.unique(gains.gains, return_counts=True)
    rows = list(zip(values.tolist(), counts.tolist(), strict=True))[::-1]
    size = f"{counted(len(gains), 'judged comment')} of {counted(len(gains.topics), 'topic')}"
    unjudged = f"{counted(gains.without_votes, 'item')} without a vote left unjudged" if gains.without_votes else ""
    notes = tuple(filter(None, [unjudged]))
    return Sheet(["gain", "comments"], rows, f"{size}; gmax {gains.top:g}", notes=notes)


def _votes(votes: Votes) -> Sheet:
    levels = votes.counts().sum(axis=0).tolist()
    rows: list[list[Cell]] = [[f"L{level}", count] for level, count in enumerate(levels)]
    people = counted(len(votes.assessors), "assessor")
    caption = f"{counted(len(votes.level), 'vote')} of {people} on {counted(votes.items, 'item')}"
    return Sheet(["level", "votes"], [*rows, ["NA", votes.missing]], caption)


def _scores(scores: Scores) -> Sheet:
    order = best_first(scores.oriented.mean(axis=0)).tolist()
    means = scores.values.mean(axis=0).tolist()
    rows: list[list[Cell]] = [[scores.runs[run], means[run]] for run in order]
    return Sheet([scores.axes.run, f"mean {scores.label}"], rows, counted(len(scores.topics), scores.axes.topic))


def _score_set(scores: ScoreSet) -> Sheet:
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


def _scored(scored: Scored) -> Sheet:
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
    sheet = _score_set(scored)
    return Sheet(sheet.header, sheet.rows, sheet.caption, notes=tuple(notes))


def _treatment(scored: Scored) -> str:
    kept = any(set(scored.undefined) & set(scores.topics) for scores in scored.values())
    return "counted 0" if kept else "left out"


def _comparison(comparison: Comparison) -> Sheet:
    unranked = [f"not ranked, for missing scores: {few(comparison.unranked)}"] if comparison.unranked else []
    notes = (*unranked, rank_set_note(comparison), *cut_note(comparison, uncut=".columns() has"))
    board = printed_leaderboard(comparison)
    return Sheet(
        board.header,
        leaderboard_rows(comparison),
        f"Leaderboard by mean {comparison.label}",
        notes=notes,
        text="\n".join([board.text(), *map(visible, notes)]),
        names=COLUMNS,
        printed=board.rows,
    )


def _baseline(comparison: BaselineComparison) -> Sheet:
    caption = f"{comparison.label} over {counted(comparison.topics, comparison.axes.topic)}"
    notes = tuple(difference_note(comparison, uncut=".columns() has"))
    printed = printed_baseline(comparison)
    return Sheet(printed.header, baseline_rows(comparison), caption, notes=notes, printed=printed.rows)


def _variance(variance: Variance) -> Sheet:
    rows: list[list[Cell]] = [
        ["V_E (within runs)", variance.v_e, *(variance.v_e_limits or (None, None))],
        ["V_E2 (two-way residual)", variance.v_e2, *(variance.v_e2_limits or (None, None))],
    ]
    size = f"{counted(variance.topics, 'topic')}, {counted(variance.runs, 'run')}"
    caption = f"{size}; {percent(variance.confidence)} limits"
    return Sheet(["variance", "value", "low", "high"], rows, caption, digits=6)


def _observations(observed: Observations) -> Sheet:
    columns = observed.columns()
    rows = [list(row) for row in zip(*(column[:_FIRST] for column in columns.values()), strict=True)]
    unseen = len(observed.values) - len(rows)
    return Sheet(list(columns), rows, f"{observed.label}: {', '.join(observed.sizes())}", unseen=unseen)


def _crossed_variance(found: CrossedVariance) -> Sheet:
    shown = component_rows(found)
    rows: list[list[Cell]] = [[one.name, one.variance, one.share, one.low, one.high] for one in found.components]
    lower = [one for one in (leniency_rows(found), extra_rows(found)) if one.rows]
    text = "\n\n".join(one.text() for one in (shown, *lower))
    caption = f"{found.label}: {sizes_text(found)}"
    second = Sheet(lower[-1].header, lower[-1].rows, digits=lower[-1].digits)
    return Sheet(
        shown.header,
        rows,
        caption,
        notes=tuple(crossed_notes(found)),
        digits=6,
        text=text,
        printed=shown.rows,
        second=second,
    )


def _crossed_comparison(found: CrossedComparison) -> Sheet:
    board = board_rows(found)
    return Sheet(
        board.header, board.rows, f"Leaderboard by adjusted mean {found.label}", notes=tuple(crossed_notes(found))
    )


def _agreement(found: Agreement) -> Sheet:
    named = {"Fleiss' kappa": found.fleiss, "raw agreement": found.raw}
    named |= {f"Krippendorff's alpha, {metric}": estimate for metric, estimate in found.alpha.items()}
    notes = (f"{counted(found.missing, 'NA vote')} left out",) if found.missing else ()
    rows = [[name, *_bounds(estimate)] for name, estimate in named.items()]
    people = Sheet(ASSESSOR_HEADING, assessor_rows(found.assessors), notes=(ASSESSOR_NOTE,))
    caption = agreement_counts(found)
    return Sheet(["statistic", "value", "95% low", "high"], rows, caption, notes=notes, second=people)


def _panel(found: PanelQuality) -> Sheet:
    shown = panel_rows(found)
    return Sheet(shown.header, shown.rows, notes=tuple(panel_notes(found)), digits=shown.digits)


def _rank_agreement(found: RankAgreement) -> Sheet:
    tau = found.tau
    rows: list[list[Cell]] = [
        [f"tau ({tau.ties}, {tau.interval} interval)", tau.tau, tau.low, tau.high],
        ["tau_ap", found.tau_ap, None, None],
        ["tau_ap, symmetric", found.tau_ap_symmetric, None, None],
        [f"rank-biased overlap, p = {found.persistence:g}", found.rbo, None, None],
        *([overlap_name(k), share, None, None] for k, share in found.overlap.items()),
    ]
    printed: list[list[Cell]] = [[*rows[0][:2], *map(CORRELATION.cut, (tau.low, tau.high))], *rows[1:]]
    left_out = [f"left out, because only one side has them: {few(found.left_out)}"] if found.left_out else []
    notes = (*left_out, *CORRELATION.note([tau.low, tau.high], uncut=".columns() has"))
    first, second = found.labels
    caption = f"{first} against {second}, {counted(len(found.runs), found.axes.run)}"
    return Sheet(["agreement", "value", "low", "high"], rows, caption, notes=notes, printed=printed)


def _design(design: Design) -> Sheet:
    text = answer_text(design)
    if design.width is not None:
        widths = [[near.n, near.min_diff] for near in design.alternatives]
        return Sheet(["topics", "expected width"], widths, "Nearby", headline(design), text=text)
    goal = f"smallest difference at {percent(design.asked.power or 0.8)}"
    rows = [[near.n, near.power, near.min_diff] for near in design.alternatives]
    return Sheet(["topics", "power", goal], rows, "Nearby", headline(design), text=text)


def _replies(replies: Replies) -> Sheet:
    rows: list[list[Cell]] = [
        [reply.text, reply.score, reply.post_text, " ".join(reply.words), reply.comment] for reply in replies
    ]
    return Sheet(["reply", "score", "to the post", "words shared", "comment"], rows)


def _bot(bot: Bot) -> Sheet:
    posts, comments = len(bot.index.posts.texts), len(bot.index.comments.texts)
    return Sheet(["posts", "comments", "words by"], [[posts, comments, bot.index.tokeniser]], "An open index")


def _pool(report: PoolReport) -> Sheet:
    pool = report.pool
    size = f"{counted(len(pool), 'item')} to judge: {counted(len(pool.topics), 'topic')}"
    caption = f"{size}, {counted(len(pool.runs), 'run')}, depth {report.depth}"
    rows: list[list[Cell]] = [[share.name, share.items, share.unique] for share in report.runs]
    return Sheet(["run", "items", "only this run"], rows, caption)


def _check(check: Check) -> Sheet:
    rows: list[list[Cell]] = [[one.file, one.line, one.severity, one.code, one.message] for one in check.problems]
    caption = f"{counted(len(check.files), 'file')}: {counted(len(check.problems), 'problem')}"
    return Sheet(["file", "line", "severity", "code", "message"], rows, caption)


def _cleaned(cleaned: Cleaned) -> Sheet:
    made = cleaned.manifest
    kept = f"{counted(made.posts, 'post')}, {counted(made.comments, 'comment')}, {counted(made.pairs, 'pair')}"
    caption = f"{kept} of {cleaned.pairs_read:,} read; {counted(cleaned.merged, 'comment')} merged into near-duplicates"
    return Sheet(["removed", "pairs"], list(cleaned.removed.items()), caption)


def _topics(found: Topics) -> Sheet:
    caption = f"{counted(len(found.topics), 'topic')} of {counted(found.candidates, 'post')}"
    return Sheet(["topic", "text"], list(found.topics.items()), caption)


def _measures(measures: MeasureTable) -> Sheet:
    return Sheet(["measure", "description"], list(measures.items()))


SHEETS: Mapping[str, Callable[[Any], Sheet]] = {  # Any: each function takes the class it is named under
    "Agreement": _agreement,
    "BaselineComparison": _baseline,
    "Bot": _bot,
    "Check": _check,
    "Cleaned": _cleaned,
    "Comparison": _comparison,
    "CrossedComparison": _crossed_comparison,
    "CrossedVariance": _crossed_variance,
    "Design": _design,
    "Gains": _gains,
    "MeasureTable": _measures,
    "Observations": _observations,
    "PanelQuality": _panel,
    "PoolReport": _pool,
    "RankAgreement": _rank_agreement,
    "Replies": _replies,
    "Run": _run,
    "Scored": _scored,
    "ScoreSet": _score_set,
    "Scores": _scores,
    "Topics": _topics,
    "Variance": _variance,
    "Votes": _votes,
}


def _bounds(estimate: Estimate) -> list[Cell]:
    """The estimate and its interval; None if undefined."""
    return [None if value != value else value for value in (estimate.value, estimate.low, estimate.high)]  # noqa: PLR0124
