"""The crossed model on the command line: scores with assessors, repeats and gaps."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest

import kaiwa as api

if TYPE_CHECKING:
    from pathlib import Path

Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def panel(tmp_path: Path) -> Path:
    """Three runs on fifteen topics, two of three assessors and two repeats of each; a tenth is missing."""
    rng = np.random.default_rng(4)
    lines = ["measure,topic,run,assessor,repeat,score"]
    for topic in range(15):
        level = rng.normal(0, 0.2)
        for run, mean in (("A", 0.2), ("B", 0.5), ("C", 0.9)):
            if rng.random() < 0.1:
                continue
            cell = mean + level + rng.normal(0, 0.1)
            for repeat in (1, 2):
                for place in rng.choice(3, 2, replace=False).tolist():
                    score = cell + 0.3 * place + rng.normal(0, 0.1)
                    lines.append(f"quality,q{topic},{run},{('ann', 'bob', 'cleo')[place]},{repeat},{score:.4f}")
    path = tmp_path / "panel.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_variance_gives_components_leniency_and_what_more_buys(kaiwa: Kaiwa, panel: Path) -> None:
    """One JSON object; the most lenient assessor comes first."""
    fields = json.loads(kaiwa("variance", str(panel), "--crossed", "--json").stdout)
    names = [one["name"] for one in fields["components"]]
    assert names == ["topic", "topic x run", "answer", "assessor", "assessor x topic", "assessor x run", "residual"]
    assert [one["assessor"] for one in fields["leniency"]] == ["cleo", "bob", "ann"]
    assert [one["change"] for one in fields["extras"]][:2] == ["now", "one more topic"]
    assert (fields["topics"], fields["runs"], fields["assessors"], fields["repeats"]) == (15, 3, 3, 2)


def test_compare_keeps_topics_with_missing_scores(kaiwa: Kaiwa, panel: Path) -> None:
    """Adjusted means, ranks, and the probability that a is better than b."""
    done = kaiwa("compare", str(panel), "--test", "crossed", "--json")
    fields = json.loads(done.stdout)
    assert fields["ranks"] == {"C": 1, "B": 2, "A": 3}
    assert fields["missing"] > 0
    assert {"a", "b", "diff", "p", "effect_size", "significant", "probability"} <= set(fields["pairs"][0])
    assert "P(better)" in kaiwa("compare", str(panel), "--test", "crossed", "--table", "pairs").stdout
    assert kaiwa("compare", str(panel), "--test", "crossed", "--format", "tex").stdout.startswith(r"\begin{tabular}")


def test_python_gives_what_the_command_gives(kaiwa: Kaiwa, panel: Path) -> None:
    """Both read the same scores."""
    fields = json.loads(kaiwa("compare", str(panel), "--test", "crossed", "--json").stdout)
    result = api.compare(panel, test="crossed")
    assert not any("the mean over" in note for note in result.notes)
    assert [pair.p for pair in result.pairs] == pytest.approx([pair["p"] for pair in fields["pairs"]])


def test_another_test_takes_the_mean_and_says_so(kaiwa: Kaiwa, panel: Path) -> None:
    """Like the repeats of a log; a note says what a score is the mean of."""
    done = kaiwa("compare", str(panel), "--missing", "drop-topics", "--test", "tukey")
    assert "the mean over its assessors and repeats" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--missing", "drop-topics"], "leave out --missing"),
        (["--table", "anova"], "unknown table 'anova'; known: leaderboard, pairs"),
        (["--margin", "0.1"], "leave out --margin"),
        (["--baseline", "A"], "compares all pairs"),
    ],
)
def test_options_that_do_not_fit_are_refused(kaiwa: Kaiwa, panel: Path, options: list[str], message: str) -> None:
    """One line and exit code 2."""
    done = kaiwa("compare", str(panel), "--test", "crossed", *options)
    assert (done.returncode, message in done.stderr) == (2, True)


def test_duplicate_of_an_assessor_names_the_line(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The second score of one assessor needs a repeat of its own."""
    path = tmp_path / "twice.csv"
    path.write_text("topic,run,assessor,score\nq1,A,ann,1\nq1,A,bob,0\nq1,A,ann,0\n", encoding="utf-8")
    done = kaiwa("variance", str(path), "--crossed")
    assert done.returncode == 2
    assert "twice.csv:4: duplicate score: twice of run 'A' on topic 'q1' by assessor 'ann'" in done.stderr


def test_votes_are_modelled_by_item(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """A file of votes gives the leniency of its assessors."""
    lines = ["topic,comment,assessor,level"]
    lines += [
        f"q{i % 4},c{i},{who},{i * 7 % 3 // 2 + more}" for i in range(24) for more, who in enumerate(("ann", "bob"))
    ]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fields = json.loads(kaiwa("variance", str(path), "--crossed", "--json").stdout)
    assert [one["assessor"] for one in fields["leniency"]] == ["bob", "ann"]
