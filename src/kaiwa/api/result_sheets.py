"""What each result shows: comparisons, variances, agreement, designs, pools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.api.sheet import Sheet
from kaiwa.errors import counted
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
    from kaiwa.build.repository.cleaning import Cleaned
    from kaiwa.check.checked_files import Check
    from kaiwa.compare.baseline import BaselineComparison
    from kaiwa.compare.comparison import Comparison
    from kaiwa.compare.crossed_comparison import CrossedComparison
    from kaiwa.compare.crossed_variance import CrossedVariance
    from kaiwa.compare.rank_agreement import RankAgreement
    from kaiwa.compare.variance_components import Variance
    from kaiwa.flow.collection.topics import Topics
    from kaiwa.label.agreement import Agreement, Estimate
    from kaiwa.label.assessor_quality import PanelQuality
    from kaiwa.report.text_tables import Cell
    from kaiwa.studies.pool_report import PoolReport
    from kaiwa.topicset.answer import Design


def comparison_sheet(comparison: Comparison) -> Sheet:
    """The leaderboard."""
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


def baseline_sheet(comparison: BaselineComparison) -> Sheet:
    """The difference of each run from the baseline."""
    caption = f"{comparison.label} over {counted(comparison.topics, comparison.axes.topic)}"
    notes = tuple(difference_note(comparison, uncut=".columns() has"))
    printed = printed_baseline(comparison)
    return Sheet(printed.header, baseline_rows(comparison), caption, notes=notes, printed=printed.rows)


def variance_sheet(variance: Variance) -> Sheet:
    """V_E and V_E2 with their limits."""
    rows: list[list[Cell]] = [
        ["V_E (within runs)", variance.v_e, *(variance.v_e_limits or (None, None))],
        ["V_E2 (two-way residual)", variance.v_e2, *(variance.v_e2_limits or (None, None))],
    ]
    size = f"{counted(variance.topics, 'topic')}, {counted(variance.runs, 'run')}"
    caption = f"{size}; {percent(variance.confidence)} limits"
    return Sheet(["variance", "value", "low", "high"], rows, caption, digits=6)


def crossed_variance_sheet(found: CrossedVariance) -> Sheet:
    """The components, the leniency of assessors, and the effect of more of each."""
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


def crossed_comparison_sheet(found: CrossedComparison) -> Sheet:
    """The leaderboard by adjusted means."""
    board = board_rows(found)
    return Sheet(
        board.header, board.rows, f"Leaderboard by adjusted mean {found.label}", notes=tuple(crossed_notes(found))
    )


def agreement_sheet(found: Agreement) -> Sheet:
    """The statistics of agreement, and a row for each assessor."""
    named = {"Fleiss' kappa": found.fleiss, "raw agreement": found.raw}
    named |= {f"Krippendorff's alpha, {metric}": estimate for metric, estimate in found.alpha.items()}
    notes = (f"{counted(found.missing, 'NA vote')} left out",) if found.missing else ()
    rows = [[name, *_bounds(estimate)] for name, estimate in named.items()]
    people = Sheet(ASSESSOR_HEADING, assessor_rows(found.assessors), notes=(ASSESSOR_NOTE,))
    caption = agreement_counts(found)
    return Sheet(["statistic", "value", "95% low", "high"], rows, caption, notes=notes, second=people)


def _bounds(estimate: Estimate) -> list[Cell]:
    """The estimate and its interval; None if undefined."""
    return [None if value != value else value for value in (estimate.value, estimate.low, estimate.high)]  # noqa: PLR0124


def panel_sheet(found: PanelQuality) -> Sheet:
    """A row for each assessor."""
    shown = panel_rows(found)
    return Sheet(shown.header, shown.rows, notes=tuple(panel_notes(found)), digits=shown.digits)


def rank_agreement_sheet(found: RankAgreement) -> Sheet:
    """Every coefficient of agreement of the two rankings."""
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


def design_sheet(design: Design) -> Sheet:
    """The answer, and nearby numbers of topics."""
    text = answer_text(design)
    if design.width is not None:
        widths = [[near.n, near.min_diff] for near in design.alternatives]
        return Sheet(["topics", "expected width"], widths, "Nearby", headline(design), text=text)
    goal = f"smallest difference at {percent(design.asked.power or 0.8)}"
    rows = [[near.n, near.power, near.min_diff] for near in design.alternatives]
    return Sheet(["topics", "power", goal], rows, "Nearby", headline(design), text=text)


def pool_sheet(report: PoolReport) -> Sheet:
    """The items of each run."""
    pool = report.pool
    size = f"{counted(len(pool), 'item')} to judge: {counted(len(pool.topics), 'topic')}"
    caption = f"{size}, {counted(len(pool.runs), 'run')}, depth {report.depth}"
    rows: list[list[Cell]] = [[share.name, share.items, share.unique] for share in report.runs]
    return Sheet(["run", "items", "only this run"], rows, caption)


def check_sheet(check: Check) -> Sheet:
    """The problems found."""
    rows: list[list[Cell]] = [[one.file, one.line, one.severity, one.code, one.message] for one in check.problems]
    caption = f"{counted(len(check.files), 'file')}: {counted(len(check.problems), 'problem')}"
    return Sheet(["file", "line", "severity", "code", "message"], rows, caption)


def cleaned_sheet(cleaned: Cleaned) -> Sheet:
    """How many pairs each rule removed."""
    made = cleaned.manifest
    kept = f"{counted(made.posts, 'post')}, {counted(made.comments, 'comment')}, {counted(made.pairs, 'pair')}"
    caption = f"{kept} of {cleaned.pairs_read:,} read; {counted(cleaned.merged, 'comment')} merged into near-duplicates"
    return Sheet(["removed", "pairs"], list(cleaned.removed.items()), caption)


def topics_sheet(found: Topics) -> Sheet:
    """The topics drawn."""
    caption = f"{counted(len(found.topics), 'topic')} of {counted(found.candidates, 'post')}"
    return Sheet(["topic", "text"], list(found.topics.items()), caption)
