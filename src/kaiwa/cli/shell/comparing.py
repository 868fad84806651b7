"""How ``kaiwa compare`` compares: its options, and the comparison that they ask for."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import click
from click.core import ParameterSource

from kaiwa.cli.shell.output import remarks
from kaiwa.cli.shell.progress import progress
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kaiwa.cli.shell.output import View
    from kaiwa.compare.comparison import Comparison
    from kaiwa.flow.scoring.compare import Resampling, ScoreFiles
    from kaiwa.model.direction import Direction
    from kaiwa.report.results.compare_view import BaselineView, ComparisonView, FamilyView
    from kaiwa.report.results.crossed_view import CrossedComparisonView
    from kaiwa.stats.p_values import PRule

    Paths = tuple[Path, ...]

ALL_PAIRS = ("hsd", "step-down", "tukey", "robust", "robust-step-down")
PAIRED = ("t", "randomisation", "bootstrap")
CROSSED = "crossed"


@dataclass(frozen=True)
class CompareOptions:
    """How runs are compared, and what is shown."""

    measures: tuple[str, ...]
    family: bool
    directions: Mapping[str, Direction]
    test: str | None
    baseline: str | None
    trials: int | Literal["auto"]
    max_trials: int
    alpha: float
    margin: float | None
    p_rule: PRule
    missing: str
    show_pairs: bool
    show_anova: bool
    latex: bool
    team_pattern: str | None
    heat_map: Path | None
    caterpillar: Path | None
    seed: int
    engine: str

    @property
    def measure(self) -> str | None:
        """The one measure; None if none was given."""
        return self.measures[0] if self.measures else None


def comparison_view(scores: Paths, options: CompareOptions) -> View:
    """The comparison that the options ask for: a family, a baseline, the crossed model or all pairs."""
    if options.family:
        return _family(scores, options)
    if len(options.measures) > 1:
        raise InputError("several measures; give one, or add --family to compare under all of them as one family")
    if options.baseline is not None:
        return _with_baseline(scores, options.baseline, options)
    if options.test == CROSSED:
        return _crossed(scores, options)
    return _all_pairs(scores, options)


@contextmanager
def _asked(scores: Paths, options: CompareOptions, doing: str) -> Iterator[tuple[ScoreFiles, Resampling]]:
    """The files and the resampling of the options, with progress; remarks are printed at the end of the block."""
    import numpy as np

    from kaiwa.engine.trial_workers import trial_workers
    from kaiwa.flow.scoring.compare import Resampling, ScoreFiles

    threads = os.cpu_count() or 1
    with remarks() as remark, progress(doing) as moved, trial_workers(options.engine, threads=threads) as workers:
        files = ScoreFiles(scores, options.missing, options.directions, remark)
        rng = np.random.default_rng(options.seed)
        yield files, Resampling(rng, workers, moved, options.alpha, options.p_rule, options.margin)


def _family(scores: Paths, options: CompareOptions) -> FamilyView:
    from kaiwa.compare.teams import best_of_teams
    from kaiwa.flow.scoring.compare import compare_files_as_family
    from kaiwa.report.results.compare_view import ComparisonView, FamilyView

    _require_family_options(options)
    with _asked(scores, options, "resampling") as (files, how):
        compared = compare_files_as_family(files, how, measures=options.measures, trials=int(options.trials))
    shown = (options.latex, options.show_pairs, options.show_anova)
    views = [ComparisonView(one, best_of_teams(one, pattern=options.team_pattern), *shown) for one in compared.values()]
    return FamilyView(views)


def _require_family_options(options: CompareOptions) -> None:
    given = click.get_current_context().get_parameter_source("test") is ParameterSource.COMMANDLINE
    if given and options.test != "robust":
        raise InputError(f"--test {options.test} has no family of measures; leave it out, or choose robust")
    if options.baseline is not None:
        raise InputError("--family compares all pairs; leave out --baseline")
    if options.trials == "auto":
        raise InputError("--trials auto is for one measure; give a number with --family")
    if options.heat_map or options.caterpillar:
        raise InputError("figures show one measure; leave out --family to draw them")


def _all_pairs(scores: Paths, options: CompareOptions) -> ComparisonView:
    from kaiwa.compare.teams import best_of_teams
    from kaiwa.flow.scoring.compare import compare_files
    from kaiwa.report.results.compare_view import ComparisonView

    test = options.test or "hsd"
    if test in PAIRED:
        raise InputError(
            f"--test {test} compares with a baseline; add --baseline RUN, or choose {', '.join(ALL_PAIRS)}"
        )
    with _asked(scores, options, "shuffling") as (files, how):
        compared = compare_files(
            files, how, measure=options.measure, test=test, trials=options.trials, cap=options.max_trials
        )
    _draw(compared, options)
    teams = best_of_teams(compared, pattern=options.team_pattern)
    return ComparisonView(compared, teams, options.latex, options.show_pairs, options.show_anova)


def _with_baseline(scores: Paths, baseline: str, options: CompareOptions) -> BaselineView:
    from kaiwa.flow.scoring.compare import compare_files_with_baseline
    from kaiwa.report.results.compare_view import BaselineView

    typed = partial(is_typed, click.get_current_context())  # test and trials of kaiwa.toml compare all pairs
    test = (options.test if typed("test") else None) or "randomisation"
    if test not in PAIRED:
        raise InputError(f"--test {test} compares all pairs; leave out --baseline, or choose {', '.join(PAIRED)}")
    trials = options.trials if typed("trials") else None
    if trials == "auto":
        raise InputError("--trials auto is for comparing all pairs; leave it out, or give a number with --baseline")
    if options.heat_map or options.caterpillar:
        raise InputError("figures show all pairs; leave out --baseline to draw them")
    with _asked(scores, options, "testing") as (files, how):
        compared = compare_files_with_baseline(files, baseline, how, measure=options.measure, test=test, trials=trials)
    return BaselineView(compared, options.latex)


def is_typed(context: click.Context, option: str) -> bool:
    """Whether the option is on the command line, and not from kaiwa.toml or a default."""
    return context.get_parameter_source(option) is ParameterSource.COMMANDLINE


def _crossed(scores: Paths, options: CompareOptions) -> CrossedComparisonView:
    from kaiwa.flow.scoring.compare import ScoreFiles, compare_files_crossed
    from kaiwa.report.results.crossed_view import CrossedComparisonView

    if options.missing != "error":
        raise InputError("--test crossed uses every score; leave out --missing")
    if options.heat_map or options.caterpillar or options.show_anova:
        raise InputError("--test crossed has no ANOVA table and no figures; leave out --anova and figures")
    if is_typed(click.get_current_context(), "margin"):
        raise InputError("--test crossed has no verdicts; leave out --margin")
    with remarks() as remark, progress("fitting the model"):
        files = ScoreFiles(scores, directions=options.directions, remark=remark)
        compared = compare_files_crossed(files, measure=options.measure, alpha=options.alpha)
    return CrossedComparisonView(compared, options.latex, options.show_pairs)


def _draw(result: Comparison, options: CompareOptions) -> None:
    if not (options.heat_map or options.caterpillar):
        return
    from kaiwa.disk.atomic_files import write_text
    from kaiwa.report.figures.comparison_figures import caterpillar_svg, heat_map_svg

    for path, draw in ((options.heat_map, heat_map_svg), (options.caterpillar, caterpillar_svg)):
        if path:
            write_text(path, draw(result))
