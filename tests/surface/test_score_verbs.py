"""score, tau, variance, standardise, unanimity: the command and the function are one door; options that cannot act."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import kaiwa
from kaiwa.cli.group import main

Typed = Callable[..., subprocess.CompletedProcess[str]]
TOPICS = [f"q{place}" for place in range(8)]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Typed]:
    """A function that runs ``kaiwa`` with the given words in the current folder, in this process."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["kaiwa", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ending:
            sys.exit(main())
        return subprocess.CompletedProcess(words, int(ending.value.code or 0), *capsys.readouterr())

    yield run
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with runs, judgements, votes and scores."""
    monkeypatch.chdir(tmp_path)
    items = {"a": 2, "b": 1, "c": 0}
    lines = [f"{topic} 0 {item} {grade}\n" for topic in TOPICS for item, grade in items.items()]
    Path("qrels.txt").write_text("".join(lines))
    votes = [
        f"{topic},{item},{who},{max(0, grade - (place + lift) % 2)}\n"
        for place, topic in enumerate(TOPICS)
        for item, grade in items.items()
        for lift, who in enumerate(("ann", "bob", "cleo"))
    ]
    Path("votes.csv").write_text("topic,comment,assessor,level\n" + "".join(votes))
    for place, (name, order) in enumerate({"A": "abc", "B": "bac", "C": "cba"}.items()):
        ranked = [order if (row + place) % 3 else order[::-1] for row in range(len(TOPICS))]
        rows = [
            f"{topic} 0 {item} {rank} {9 - rank} {name}\n"
            for topic, own in zip(TOPICS, ranked, strict=True)
            for rank, item in enumerate(own, 1)
        ]
        Path(f"{name}.txt").write_text("".join(rows))
    kaiwa.score(["A.txt", "B.txt", "C.txt"], "qrels.txt", ["nG@1", "nERR@10"]).write("scores.csv")
    return tmp_path


REFUSED = {
    "a scheme without votes": (("score", "A.txt", "--qrels", "qrels.txt", "--scheme", "sum"), "give --votes"),
    "a level without votes": (("score", "A.txt", "--qrels", "qrels.txt", "--max-level", "2"), "give --votes"),
    "a weight without its scheme": (("score", "A.txt", "--votes", "votes.csv", "--p", ".5"), "--scheme unanimity"),
    "trials without uncertainty": (("score", "A.txt", "--qrels", "qrels.txt", "--trials", "50"), "--uncertainty votes"),
    "chances without intents": (("score", "A.txt", "--qrels", "qrels.txt", "--chances", "qrels.txt"), "--intents"),
    "intervals without votes": (
        ("score", "A.txt", "--qrels", "qrels.txt", "--uncertainty", "votes"),
        "give the votes with --votes",
    ),
    "one measure": (("tau", "scores.csv", "-m", "nG@1"), "choose two: -m A -m B, or give --other scores"),
    "three measures of two sides": (
        ("tau", "scores.csv", "--other", "scores.csv", "-m", "nG@1", "-m", "nERR@10", "-m", "P+"),
        "3 measures for two sides",
    ),
    "trials of the crossed model": (
        ("variance", "scores.csv", "-m", "nG@1", "--crossed", "--trials", "500"),
        "--crossed draws no trials; leave out --trials",
    ),
    "an engine of the crossed model": (
        ("variance", "scores.csv", "-m", "nG@1", "--crossed", "--engine", "local[2]"),
        "--crossed draws no trials; leave out --engine",
    ),
    "a slope of another method": (
        ("standardise", "scores.csv", "--method", "std", "--a", ".1"),
        "--method std has no A and B; leave out --a",
    ),
    "a pattern of no teams": (
        ("standardisation", "scores.csv", "--leave-out", "years", "--team-pattern", "(.)"),
        "--team-pattern finds the teams of --leave-out teams; add it",
    ),
    "one year": (
        ("standardisation", "scores.csv", "-m", "nG@1", "--leave-out", "years"),
        "1 file of scores; --leave-out years needs two or more",
    ),
    "ratings drawn and read": (
        ("unanimity", "A.txt", "B.txt", "--votes", "votes.csv", "--qrels", "qrels.txt"),
        "ratings come from one source",
    ),
    "drawn ratings of votes": (
        ("unanimity", "A.txt", "B.txt", "--votes", "votes.csv", "--sizes", "4"),
        "--sizes 4 draws ratings; leave it out, or give --qrels",
    ),
    "teams that are not asked for": (
        ("unanimity", "A.txt", "B.txt", "--qrels", "qrels.txt", "--team-pattern", "(.)"),
        "--team-pattern finds the teams of --best-of-teams; add it",
    ),
    "a gmax of drawn ratings": (
        ("unanimity", "A.txt", "B.txt", "--qrels", "qrels.txt", "--max-gain", "5"),
        "--max-gain '5' is not 'topic'",
    ),
    "a weight that is too large": (
        ("unanimity", "A.txt", "B.txt", "--qrels", "qrels.txt", "--p", "0.2,101"),
        "--p 101 is not in 0..100",
    ),
    "a level of drawn ratings": (
        ("unanimity", "A.txt", "B.txt", "--qrels", "qrels.txt", "--max-level", "2"),
        "--max-level is of votes; leave it out, or give --levels",
    ),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("case", REFUSED)
def test_an_option_that_cannot_act_is_refused_with_what_works(typed: Typed, case: str) -> None:
    """One line, exit code 2."""
    words, message = REFUSED[case]
    done = typed(*words)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert message in done.stderr


@pytest.mark.usefixtures("here")
def test_standardised_scores_have_their_factors_and_save_them() -> None:
    """The same factors from the result, from its file, and for a later round."""
    made = kaiwa.standardise("scores.csv", save_factors="factors.csv")
    saved = kaiwa.read_factors("factors.csv")
    assert list(made.factors) == list(saved) == ["nG@1", "nERR@10"]
    assert made.factors["nG@1"].means.tolist() == saved["nG@1"].means.tolist()
    for factors in (made, made.factors, "factors.csv"):
        assert kaiwa.standardise("scores.csv", factors=factors) == made  # type: ignore[arg-type]  # each form in turn
    with pytest.raises(kaiwa.InputError, match="are raw scores; standardise that round first"):
        kaiwa.standardise("scores.csv", factors=kaiwa.read_scores("scores.csv"))


@pytest.mark.usefixtures("here")
def test_dense_and_crossed_variances_agree_on_complete_scores() -> None:
    """V_E and V_E2 of the model are those of the analysis of variance."""
    dense, crossed = (kaiwa.variance("scores.csv", "nERR@10", crossed=one) for one in (False, True))
    assert crossed.v_e == pytest.approx(dense.v_e, rel=1e-6)
    assert crossed.v_e2 == pytest.approx(dense.v_e2, rel=1e-6)
    assert (dense.crossed, crossed.crossed, crossed.pilots) == (False, True, ())


@pytest.mark.usefixtures("here")
def test_scores_are_written_as_tidy_csv_whatever_stdout_shows(typed: Typed) -> None:
    """-o is the noun's own file; the ending of another form, or --table matrix, says otherwise; -o - prints it."""
    words = ("score", "A.txt", "B.txt", "--qrels", "qrels.txt", "-m", "nG@1")
    tidy = typed(*words, "-o", "-").stdout
    assert tidy.startswith("measure,topic,run,score\nnG@1,q0,A,")
    for name, form in (("s.csv", "--json"), ("s.scores", "--quiet")):
        typed(*words, "-o", name, form)
        assert Path(name).read_text() == tidy
    typed(*words, "-o", "m.csv", "--table", "matrix")
    assert Path("m.csv").read_text().startswith("topic,A,B\nq0,")
    typed(*words, "-o", "s.json")
    assert set(json.loads(Path("s.json").read_text())["means"]) == {"A", "B"}
