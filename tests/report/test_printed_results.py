"""What people read of a comparison: ranks without a winner, limits within the scale, letters as ranges."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

import kaiwa
from kaiwa.cli.group import kaiwa as command
from kaiwa.comparison.leaderboard import Leaderboard
from kaiwa.comparison.texts import best_means, first_rank, printed_leaderboard
from kaiwa.reporting.methods_limits import ResultLimits, limits_section

if TYPE_CHECKING:
    from pathlib import Path

TOPICS = tuple(map(str, range(12)))


def compared(means: dict[str, float], *, measure: str = "nERR@10", spread: float = 0.5) -> kaiwa.Comparison:
    """A comparison of runs with these means, and scores that vary by this much around them."""
    noise = np.random.default_rng(1).uniform(-spread, spread, (12, len(means)))
    values = np.array(list(means.values())) + noise - noise.mean(axis=0)
    return kaiwa.Scores.from_matrix(measure, TOPICS, tuple(means), values).compare(trials=499)


def board(found: kaiwa.Comparison) -> Leaderboard:
    """What the test of all pairs found."""
    assert isinstance(found.one, Leaderboard)
    return found.one


def test_one_run_of_rank_1_is_named() -> None:
    """One run that all others are significantly worse than."""
    assert first_rank(board(compared({"A": 0.9, "B": 0.2, "C": 0.1}, spread=0.01))) == "1 run has rank 1: A"


def test_runs_that_share_rank_1_have_no_winner() -> None:
    """Their number comes first; the highest mean is a fact, not a result."""
    found = compared({"A": 0.5, "B": 0.51, "C": 0.49})
    assert first_rank(board(found)) == "3 runs share rank 1; highest mean: B"
    flat = kaiwa.Scores.from_matrix("P+", TOPICS, ("A", "B"), np.full((12, 2), 0.5)).compare(trials=99)
    assert first_rank(board(flat)) == "2 runs share rank 1; highest mean: A, B"


def test_the_report_names_no_leader(small_round: Path) -> None:
    """In the command, its JSON, the page and every file."""
    done = CliRunner().invoke(command, ["report", str(small_round)])
    assert "nG@1: 2 runs share rank 1; highest mean: Aoi-C-R1\n" in done.output
    fields = json.loads(CliRunner().invoke(command, ["report", str(small_round), "--json"]).stdout)
    assert fields["rank_1"]["nG@1"] == ["Aoi-C-R1", "Aoi-C-R2"]
    assert fields["best_mean"]["nG@1"] == ["Aoi-C-R1"]
    texts = [small_round / "report.html", *(small_round / "report-files").rglob("*.*")]
    for path in (path for path in texts if path.suffix in {".html", ".json", ".csv", ".tex"}):
        assert not any(words in path.read_text(encoding="utf-8").lower() for words in ("leads", "best run"))


def test_limits_are_cut_at_the_scale_on_the_page_and_uncut_in_the_files(small_round: Path) -> None:
    """nG@1 is between 0 and 1; the note tells where the limits were cut."""
    CliRunner().invoke(command, ["report", str(small_round)])
    page, files = (small_round / "report.html").read_text(encoding="utf-8"), small_round / "report-files"
    tables = json.loads((files / "report.json").read_text(encoding="utf-8"))["tables"]
    lows = [row[3] for row in tables["leaderboard-ng-1"]["rows"]]
    assert min(lows) < 0
    assert f"{min(lows):.4f}" not in page
    assert "Limits are cut at 0, the end of the scale; the data files have them uncut." in page
    assert "$-$" not in (files / "tables" / "leaderboard-ng-1.tex").read_text(encoding="utf-8")
    assert "-0." in (files / "data" / "leaderboard-ng-1.csv").read_text(encoding="utf-8")


def test_scores_without_a_known_scale_keep_their_limits() -> None:
    """A measure of another tool, and z-scores under the name of a measure."""
    for found in (compared({"A": 0.9, "B": 0.1}, measure="bleu"), compared({"A": 0.9, "B": -0.4})):
        lows = [row[3] for row in printed_leaderboard(board(found)).rows]
        assert lows == [standing.low for standing in found.leaderboard]


def test_python_prints_cut_limits_and_gives_uncut_ones() -> None:
    """print, notebook and LaTeX against columns, CSV and data frames."""
    found = compared({"A": 0.9, "B": 0.1})
    low = min(standing.low for standing in found.leaderboard)
    assert low < 0
    assert f"{low:.4f}" not in str(found) + found._repr_html_() + found.to_latex()
    assert "Limits are cut at 0 and 1, the ends of the scale; JSON has them uncut." in str(found)
    assert low in found.columns()["low"]


def test_differences_end_at_the_largest_possible_one() -> None:
    """The limits of a run minus the baseline are between -1 and 1."""
    values = np.array([[1.0, 0.0], [0.9, 0.0], [0.2, 0.1]])
    found = kaiwa.Scores.from_matrix("nG@1", ("1", "2", "3"), ("A", "B"), values).compare(baseline="B", test="t")
    assert found.pairs[0].high > 1
    assert "Limits of differences are cut at 1" in str(found)
    assert f"{found.pairs[0].high:.4f}" not in str(found)


def test_110_runs_have_ranges_of_letters() -> None:
    """A leaderboard whose groups column stays narrow; JSON has every letter."""
    found = compared({f"R{place}": place / 110 for place in range(110)}, spread=0.3)
    shown = [str(row[5]) for row in printed_leaderboard(board(found)).rows]
    assert max(map(len, shown)) <= len("(aa)-(zz)")
    assert max(len(standing.groups) for standing in found.leaderboard) > 15
    assert any(read.count("-") == 1 for read in shown)


def test_two_runs_are_one_comparison() -> None:
    """Not "all 1 pairs"."""
    found = compared({"A": 0.9, "B": 0.1})
    assert "the familywise error of the one comparison to 0.05" in found.methods()
    assert repr(found).endswith("of 1 pair significant)")
    assert best_means(board(found)) == ["A"]


def test_the_report_names_the_setting_that_holds_the_error() -> None:
    """Near-duplicate runs of one team: a limit of the results, with the line for ``kaiwa.toml``."""
    rng = np.random.default_rng(2)
    team = rng.normal(0.4, 0.2, (40, 1)) + rng.normal(0, 0.02, (40, 20))
    values = np.hstack((team, rng.normal(0.4, 0.2, (40, 2))))
    scores = kaiwa.Scores.from_matrix(
        "P+", tuple(map(str, range(40))), tuple(f"R{place}" for place in range(22)), values
    )
    limits = ResultLimits((), {}, 0.8, None, pooled=False, condensed=False, takedowns=0)
    hsd, robust = (str(limits_section([board(scores.compare(test=test))], limits)) for test in ("hsd", "robust"))
    assert 'correlations are not equal; test = "robust" in kaiwa.toml holds it (.045' in hsd.replace("\\", "")
    assert "holds it" not in robust


@pytest.mark.parametrize("columns", [60, 80])
def test_sentences_wrap_on_a_terminal_and_nowhere_else(tmp_path: Path, columns: int) -> None:
    """The methods paragraph fits the terminal, the table is untouched; a pipe gets one line per paragraph."""
    scores = tmp_path / "scores.csv"
    kaiwa.Scores.from_matrix("nG@1", TOPICS, ("A", "B"), np.random.default_rng(1).random((12, 2))).write(scores)
    words = [sys.executable, "-m", "kaiwa.cli", "compare", str(scores), "--trials", "99"]
    piped = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    ours, theirs = pty.openpty()
    with subprocess.Popen(words, stdout=theirs, stderr=subprocess.DEVNULL, env={**os.environ, "COLUMNS": str(columns)}):
        os.close(theirs)
        shown = _all_of(ours)
    lines = shown.replace("\r\n", "\n").splitlines()
    assert max(map(len, lines)) <= columns < max(map(len, piped.splitlines()))
    assert lines[:4] == piped.splitlines()[:4]
    assert " ".join(shown.split()) == " ".join(piped.split())


def _all_of(terminal: int) -> str:
    """All that is written to the terminal; reading it after the end is an error on Linux."""
    found = b""
    try:
        while part := os.read(terminal, 65_536):
            found += part
    except OSError:
        pass
    os.close(terminal)
    return found.decode()


def test_a_p_that_no_trial_reaches_is_printed_as_a_limit() -> None:
    """In the text and in LaTeX, of all pairs and of a baseline; the data keep the number."""
    chance = np.random.default_rng(1)
    values = chance.random((40, 1)) + chance.normal(0, 0.05, (40, 3)) + np.array([0.0, 0.5, 0.52])
    scores = kaiwa.Scores.from_matrix("AP", tuple(map(str, range(40))), ("A", "B", "C"), values)
    pairs = scores.compare()
    planned = scores.compare(baseline="A", test="randomisation")
    robust = scores.compare(baseline="A")
    assert "<= 0.0002" in pairs.describe().plain("pairs")
    assert (str(robust).count("<= 0.0002"), str(robust).splitlines()[0].split()[6]) == (2, "p")
    assert str(planned).count("<= 0.0002") == 2
    assert str(planned).count("<= 0.0004") == 2
    assert fields_of(pairs)["smallest_p"] == fields_of(planned)["smallest_p"] == 1 / 5001
    assert r"$\le$ 0.0002" in pairs.to_latex("pairs")
    assert r"$\le$ 0.0004" in planned.to_latex()
    assert min(pair["p"] for pair in fields_of(pairs)["pairs"]) == 1 / 5001
    share = scores.compare(baseline="A", test="randomisation", p_rule="share")
    assert "<= 0.0002" in str(share)
    assert fields_of(share)["pairs"][0]["raw_p"] == 0


def fields_of(found: kaiwa.Comparison) -> dict[str, Any]:  # Any: JSON values
    """What ``--json`` prints."""
    fields: dict[str, Any] = json.loads(found.to_json())
    return fields


def test_an_infinite_limit_of_a_difference_is_null_in_json() -> None:
    """Three topics have eight signs: no difference can be rejected at .05."""
    scores = kaiwa.Scores.from_matrix("x", ("1", "2", "3"), ("A", "B"), np.array([[0.1, 0.2], [0.4, 0.3], [0.2, 0.6]]))
    pair = fields_of(scores.compare(baseline="A"))["pairs"][0]
    assert (pair["low"], pair["high"]) == (None, None)
