"""An option changes what a verb shows or writes, or it is refused in one line: none is ignored, in no mode.

The options are those of the commands; one without a row here fails a test, and so does a verb.
"""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from kaiwa.cli.group import VERBS
from kaiwa.cli.group import kaiwa as group

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Typed = Callable[..., Any]  # Any: Done of the fixture

OWN_TESTS = {
    **dict.fromkeys(("demo", "init", "status", "run", "make"), "works in a task folder: tests/task, tests/cli"),
    **dict.fromkeys(("serve", "invite", "votes", "verify", "backup"), "needs a store of votes: tests/web, tests/cli"),
    **dict.fromkeys(("report", "convert", "reproduce"), "writes files of their own: tests/cli"),
    **dict.fromkeys(("names", "help", "completion"), "has no option but the form"),
}
"""Verbs that are not tried here, with what tests them."""
SHOWN = {"form", "as_json", "table", "output", "quiet", "help"}
"""Options of how a result is shown: tests/surface/test_results.py."""
SAME_RESULT = {"engine": "where the work runs never changes the result: tests/engine"}


@dataclass(frozen=True)
class Table:
    """The modes of a verb, each the words that choose it; and the words of each option that are tried in every mode."""

    modes: Mapping[str, str]
    options: Mapping[str, str]
    idle: Mapping[str, str] = field(default_factory=dict)
    """Options, or an option in a mode, that may leave the result of these data as it is, and why."""


SCORES = {"lower_is_better": "--lower-is-better nG@1", "higher_is_better": "--higher-is-better ppl"}
_RANKER = "a ranker names its features, of which some need models"
_SCALE = "a bound, within which all differences here are"
RUNS = "T1-C-R1.txt T1-C-R2.txt T2-C-R1.txt T3-C-R1.txt"
VARIANCE = "--variance 0.0643"
CELL = "--systems 3 --min-diff 0.2"
QUANTITIES = {
    "systems": "--systems 4",
    "min_diff": "--min-diff 0.3",
    "topics": "--topics 40",
    "power": "--power 0.9",
    "alpha": "--alpha 0.01",
    "test": "--test paired-t",
    "method": "--method sakai",
    "scale": "--scale 2",
    "solve": "--solve power",
}
DESIGN = {
    **QUANTITIES,
    "measures": "-m nG@1",
    "variance": "--variance 0.05",
    "correlation": "--correlation 0.5",
}
ANSWERS = {
    "system": "--system run0",
    "k": "-k 1",
    "models": "--models models",
    "ranker": "--ranker ranker",
    "fusion": "--fusion combsum",
    "min_chars": "--min-chars 40",
    "repeat": "--repeat 0.01",
    "near": "--near 0.01",
    "block": "--block blocked.txt",
    "takedown": "--takedown listed.txt",
    "unfiltered": "--unfiltered",
}
SYSTEMS = {
    "plain": "",
    "fusion": "--system fusion",
    "ranker": "--ranker ranker",
    "run3": "--system run3 --models models",
}

TABLES: dict[str, Table] = {
    "check": Table(
        {"plain": "check T1-C-R1.txt"},
        {
            "topics": "--topics topics.tsv",
            "repository": "--repository repository",
            "takedown": "--takedown listed.txt",
            "depth": "--depth 1",
            "ignore": "--ignore rank-order",
            "fix": "--fix out/fixed",
        },
    ),
    "pool": Table(
        {
            "runs": f"pool {RUNS} --depth 2 -o out/pool.tsv",
            "judged": f"pool {RUNS} --qrels qrels.txt --depth 2 -o out/pool.tsv",
            "sheet": "pool task --sheet out/judge.csv",
        },
        {
            "depth": "--depth 1",
            "max_items": "--max-items 3",
            "order": "--order score",
            "qrels": "--qrels qrels.txt",
            "takedown": "--takedown listed.txt",
            "measures": "-m AP",
            "sheet": "--sheet out/other.csv",
            "assessors": "--assessors A1,A2",
            "assessor": "--assessor A1",
            "seed": "--seed 2",
        },
    ),
    "agree": Table(
        {"agreement": "agree votes.csv --trials 20", "quality": "agree votes.csv --assessors"},
        {
            "merge": "--merge L1+L2",
            "max_level": "--max-level 3",
            "pairs": "--pairs",
            "assessors": "--assessors",
            "contested": "--contested 1",
            "confidence": "--confidence 0.8",
            "trials": "--trials 50",
            "seed": "--seed 2",
        },
    ),
    "gains": Table(
        {
            "mean": "gains votes.csv",
            "unanimity": "gains votes.csv --scheme unanimity",
            "without": "gains votes.csv --without ann",
        },
        {
            "scheme": "--scheme sum",
            "p": "--p 0.5",
            "levels": "--levels L1=1,L2=7",
            "max_level": "--max-level 3",
            "without": "--without bob",
            "task": "--task task",
        },
    ),
    "score": Table(
        {
            "qrels": f"score {RUNS} --qrels qrels.txt",
            "votes": f"score {RUNS} --votes votes.csv",
            "unanimity": f"score {RUNS} --votes votes.csv --scheme unanimity",
            "intervals": f"score {RUNS} --votes votes.csv --uncertainty votes --trials 20",
            "intents": f"score {RUNS} --intents intents.txt",
        },
        {
            "qrels": "--qrels qrels.txt",
            "votes": "--votes votes.csv",
            "intents": "--intents intents.txt",
            "chances": "--chances chances.txt",
            "measures": "-m AP",
            "levels": "--levels L1=1,L2=5",
            "max_gain": "--max-gain 9",
            "max_level": "--max-level 4",
            "scheme": "--scheme sum",
            "p": "--p 0.5",
            "order": "--order score",
            "depth": "--depth 1",
            "condensed": "--condensed",
            "no_relevant": "--no-relevant zero",
            "uncertainty": "--uncertainty votes",
            "trials": "--trials 30",
            "seed": "--seed 2",
        },
        {"no_relevant in intents": "every topic has a relevant item of some intent"},
    ),
    "unanimity": Table(
        {
            "votes": f"unanimity {RUNS} --votes votes.csv -m nERR@10 --trials 200",
            "drawn": f"unanimity {RUNS} --qrels qrels.txt -m nERR@10 --trials 200",
        },
        {
            "votes": "--votes votes.csv",
            "qrels": "--qrels qrels.txt",
            "levels": "--levels 5",
            "sizes": "--sizes 4",
            "p": "--p 9",
            "confusability": "--confusability entropy",
            "max_gain": "--max-gain topic",
            "best_of_teams": "--best-of-teams",
            "team_pattern": "--team-pattern (.)",
            "measures": "-m AP",
            "max_level": "--max-level 5",
            "order": "--order score",
            "alpha": "--alpha 0.9",
            "trials": "--trials 300",
            "seed": "--seed 5",
        },
        {
            "max_level in votes": "another gmax, by which no pair of these runs changes",
            "trials in votes": "no p is near alpha, so the counts of pairs are the same",
            "seed in votes": "as its trials",
        },
    ),
    "compare": Table(
        {
            **{
                test: f"compare gaps.csv -m nG@1 --test {test} --missing drop-topics"
                for test in ("robust", "robust-step-down", "hsd", "step-down", "tukey")
            },
            **{
                f"baseline {test}": f"compare gaps.csv -m nG@1 --baseline B-C-R1 --test {test} --missing drop-topics"
                for test in ("robust", "randomisation", "t", "bootstrap")
            },
            "crossed": "compare panel.csv --test crossed",
            "family": "compare gaps.csv --family --trials 499 --missing drop-topics",
            "auto": "compare gaps.csv --trials auto --missing drop-topics",
            "runs": f"compare {RUNS} --qrels qrels.txt --trials 499",
        },
        {
            **SCORES,
            "measures": "-m ppl",
            "qrels": "--qrels qrels.txt",
            "family": "--family",
            "test": "--test tukey",
            "baseline": "--baseline A-C-R1",
            "trials": "--trials 299",
            "max_trials": "--max-trials 7000",
            "alpha": "--alpha 0.4",
            "margin": "--margin 0.3",
            "p_rule": "--p-rule share",
            "missing": "--missing zero",
            "team_pattern": "--team-pattern (.)",
            "seed": "--seed 2",
        },
        {
            "max_trials in auto": "no p is near alpha: tests/surface/test_comparison.py",
            "missing in runs": "a run has a score on every topic",
            "seed in tukey": "its draws are those of the rank sets, which are clear here",
        },
    ),
    "tau": Table(
        {
            "measures": "tau scores.csv",
            "other": "tau scores.csv --other earlier.csv -m nG@1",
            "null": "tau scores.csv --interval null",
            "bootstrap": "tau scores.csv --interval bootstrap --trials 100",
        },
        {
            **SCORES,
            "other": "--other earlier.csv",
            "measures": "-m ppl,nG@1",
            "interval": "--interval bootstrap",
            "ties": "--ties listed",
            "confidence": "--confidence 0.8",
            "trials": "--trials 200",
            "persistence": "--persistence 0.5",
            "seed": "--seed 2",
        },
    ),
    "variance": Table(
        {
            "separate": "variance one.csv",
            "crossed": "variance panel.csv --crossed",
            "votes": "variance votes.csv --crossed",
            "of two": "variance scores.csv -m nG@1",
        },
        {
            **SCORES,
            "measures": "-m ppl",
            "crossed": "--crossed",
            "confidence": "--confidence 0.8",
            "trials": "--trials 300",
            "seed": "--seed 2",
        },
    ),
    "standardise": Table(
        {
            **{method: f"standardise scores.csv --method {method}" for method in ("std", "std-cdf", "std-ab")},
            "factors": "standardise scores.csv --factors factors.csv",
        },
        {
            **SCORES,
            "measures": "-m ppl",
            "method": "--method std-cdf",
            "a": "--a 0.3",
            "b": "--b 0.4",
            "factors": "--factors factors.csv",
            "save_factors": "--save-factors out/factors.csv",
        },
    ),
    "standardisation": Table(
        {
            "whole": "standardisation scores.csv -m nG@1",
            "teams": "standardisation scores.csv -m nG@1 --leave-out teams --team-pattern (.).*",
        },
        {
            **SCORES,
            "measures": "-m ppl",
            "a": "--a 0.3",
            "b": "--b 0.4",
            "systems": "--systems 3",
            "min_diff": "--min-diff 0.3",
            "power": "--power 0.9",
            "alpha": "--alpha 0.01",
            "test": "--test anova",
            "method": "--method sakai",
            "leave_out": "--leave-out years",
            "team_pattern": "--team-pattern (.-.).*",
            "marked": "--marked B-C-R1",
        },
    ),
    "design": Table(
        {
            "number": f"design {VARIANCE} {CELL}",
            "number of a test": f"design {VARIANCE} {CELL} --test two-way",
            "interval": f"design {VARIANCE} --min-diff 0.2 --test interval",
            "grid": f"design {VARIANCE} --systems 3,5 --min-diff 0.2",
            "std-ab": f"design --variance std-ab {CELL}",
            "scores": f"design scores.csv {CELL}",
            "power": "design scores.csv -m ppl --systems 3 --min-diff 0.2 --topics 20 --test tukey",
        },
        {**SCORES, **DESIGN},
        {"scale": _SCALE, "solve in power": "the power is found anyway"},
    ),
    "design simulate": Table(
        {
            "tukey": f"design simulate scores.csv -m ppl {CELL} --test tukey --trials 500",
            "two-way": f"design simulate scores.csv -m ppl {CELL} --test two-way --trials 500",
        },
        {
            **QUANTITIES,
            "measures": "-m nG@1",
            "designed_test": "--designed-test anova",
            "trials": "--trials 600",
            "seed": "--seed 2",
        },
        {"scale": _SCALE},
    ),
    "design decide": Table(
        {
            goal: f"design decide scores.csv -m nG@1 --goal {goal} --target 0.6"
            for goal in ("top", "tau", "discriminative")
        },
        {
            **SCORES,
            "measures": "-m ppl",
            "goal": "--goal top",
            "target": "--target 0.5",
            "best": "--best 2",
            "alpha": "--alpha 0.2",
            "seed": "--seed 9",
        },
    ),
    "design cost": Table(
        {
            "guess": f"design cost {VARIANCE} {CELL}",
            "hours": f"design cost {VARIANCE} {CELL} --hours 40",
            "runs": f"design cost {VARIANCE} {CELL} --runs T1-C-R1.txt,T2-C-R1.txt,T3-C-R1.txt",
            "judged": f"design cost {VARIANCE} {CELL} --runs T?-C-R1.txt --qrels qrels.txt",
            "voted": f"design cost {VARIANCE} {CELL} --runs T?-C-R1.txt --votes votes.csv --votes-per-item 1,2",
        },
        {
            **DESIGN,
            "measures": "-m nG@1",
            "hours": "--hours 60",
            "depth": "--depth 2",
            "votes_per_item": "--votes-per-item 2",
            "seconds": "--seconds 20",
            "pooled": "--pooled 2",
            "overlap": "--overlap 0.2",
            "runs": "--runs T1-C-R2.txt",
            "qrels": "--qrels qrels.txt",
            "votes": "--votes votes.csv",
            "max_level": "--max-level 5",
            "seed": "--seed 2",
        },
        {"scale": _SCALE},
    ),
    "design rounds": Table(
        {"number": f"design rounds --looks 30,60 {VARIANCE} {CELL}"},
        {
            **DESIGN,
            "looks": "--looks 90",
            "spending": "--spending pocock",
            "so_far": "--so-far scores.csv",
            "seed": "--seed 2",
        },
        {"scale": _SCALE},
    ),
    "design review": Table(
        {
            "number": f"design review scores.csv -m nG@1 {VARIANCE} {CELL}",
            "pilot": f"design review scores.csv -m nG@1 --pilot scores.csv {CELL}",
        },
        {
            **{name: QUANTITIES[name] for name in ("systems", "min_diff", "power", "alpha", "test", "scale")},
            "measures": "-m ppl",
            "variance": "--variance 0.05",
            "pilot": "--pilot earlier.csv",
        },
        {"scale": _SCALE},
    ),
    "design pass-rate": Table(
        {
            "two": "design pass-rate 0.62 --min-diff 0.05",
            "more": "design pass-rate 0.62 --min-diff 0.05 --systems 4",
        },
        {
            "min_diff": "--min-diff 0.1",
            "systems": "--systems 3",
            "power": "--power 0.9",
            "alpha": "--alpha 0.01",
            "correlation": "--correlation 0.3",
        },
    ),
    "clean": Table(
        {"all": "clean pairs.tsv -o out/repo", "sample": "clean pairs.tsv -o out/repo --sample 3"},
        {
            "rules": "--rules twitter",
            "keep_first": "--keep-first",
            "sample": "--sample 2",
            "takedown": "--takedown listed.txt",
            "seed": "--seed 3",
        },
        {"keep_first": "no id has several texts here: tests/cli/test_clean_cli.py"},
    ),
    "topics": Table(
        {
            "own": "topics repository -n 2",
            "source": "topics repository --source posts.tsv -n 2",
            "held out": "topics repository --hold-out topics.tsv --rest out/rest",
        },
        {
            "n": "-n 1",
            "source": "--source posts.tsv",
            "rest": "--rest out/rest",
            "exclude": "--exclude topics.tsv --exclude posts.tsv",
            "hold_out": "--hold-out topics.tsv",
            "takedown": "--takedown listed.txt",
            "seed": "--seed 4",
        },
        {"seed in own": "there is one post of each length: tests/flow/test_topics.py"},
    ),
    "index": Table(
        {"whole": "index repository -o out/index", "shards": "index repository -o out/index --shards 2"},
        {
            "language": "--language ja",
            "tokens": "--tokens bigrams",
            "shards": "--shards 3",
            "takedown": "--takedown listed.txt",
        },
    ),
    "models": Table(
        {"one": "models index topicword -o out/models"},
        {
            "bridge_from": "--bridge-from repository",
            "encoder": "--encoder posts.tsv",
            "tokenizer": "--tokenizer posts.tsv",
            "again": "--again",
            "seed": "--seed 2",
            "takedown": "--takedown listed.txt",
        },
    ),
    "train": Table(
        {
            "labels": "train index labels.txt --topics topics.tsv --folds 2 --features q2c,length",
            "votes": "train index label-votes.csv --topics topics.tsv --folds 2 --features q2c,length",
            "letor": "train --letor letor.txt --folds 2",
        },
        {
            "topics": "--topics other-topics.tsv",
            "models": "--models models",
            "letor": "--letor letor.txt",
            "features": "--features q2c",
            "candidates": "--candidates run0",
            "learner": "--learner lambdamart",
            "folds": "--folds 3",
            "scheme": "--scheme sum",
            "p": "--p 0.5",
            "levels": "--levels L1=1,L2=9",
            "max_level": "--max-level 5",
            "ablations": "--no-ablations",
            "takedown": "--takedown listed.txt",
            "seed": "--seed 7",
        },
    ),
    "reply": Table(
        {name: f"reply index rains {words}" for name, words in SYSTEMS.items()},
        ANSWERS,
        {"models in ranker": _RANKER},
    ),
    "retrieve": Table(
        {name: f"retrieve index topics.tsv {words}" for name, words in SYSTEMS.items()},
        {**ANSWERS, "name": "--name R"},
        {"models in ranker": _RANKER},
    ),
    "retrieve-all": Table(
        {"plain": "retrieve-all index topics.tsv -o out/runs"},
        {name: words for name, words in ANSWERS.items() if name != "system"},
    ),
    "fuse": Table(
        {"rrf": "fuse run0.run bm25.run", "combsum": "fuse run0.run bm25.run --method combsum"},
        {"method": "--method combmnz", "name": "--name other", "k": "-k 1"},
    ),
}


def _commands(name: str) -> dict[str, click.Command]:
    """A verb, and the commands that it has."""
    command = group.get_command(click.Context(group), name)
    assert command is not None
    inner = command.commands if isinstance(command, click.Group) else {}
    return {name: command, **{f"{name} {one}": each for one, each in inner.items()}}


COMMANDS = {name: each for verb in VERBS if verb not in OWN_TESTS for name, each in _commands(verb).items()}
CASES = [(name, mode) for name, table in TABLES.items() for mode in table.modes]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_every_verb_is_tried(name: str) -> None:
    """A new verb needs a table here, a new option a row."""
    options = {one.name for one in COMMANDS[name].params if isinstance(one, click.Option)} - SHOWN
    assert options - SAME_RESULT.keys() == TABLES[name].options.keys() - SAME_RESULT.keys()


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_an_option_changes_the_result_or_is_refused(
    everything: Path, monkeypatch: pytest.MonkeyPatch, typed: Typed, name: str, mode: str
) -> None:
    """With the same inputs otherwise; a refusal is exit code 2, one line on stderr and nothing on stdout."""
    monkeypatch.chdir(everything)
    table = TABLES[name]
    base = table.modes[mode].split()
    without = _seen(typed, base)
    assert without.code in {0, 1}, without.err
    idle = []
    for option, words in table.options.items():
        may_be_idle = table.idle.keys() & {option, f"{option} in {mode}"}
        if option in SAME_RESULT or may_be_idle or set(words.split()) <= set(base):
            continue
        found = _seen(typed, _with(base, words.split()))
        refused = found.code == 2 and not found.out and len(found.err.splitlines()) == 1
        if not refused and found == without:
            idle.append(option)
        assert refused or found.code in {0, 1}, (option, found)
    assert idle == []


def _with(base: list[str], words: list[str]) -> list[str]:
    """The words of a mode with an option; its value in the mode is replaced, because two would be refused."""
    if words[0] in base and len(words) > 1:
        at = base.index(words[0])
        return [*base[: at + 1], words[1], *base[at + 2 :]]
    return [*base, *words]


@dataclass(frozen=True)
class Seen:
    """What a command ended with, printed and wrote."""

    code: int
    out: str
    err: str = field(compare=False)
    files: Mapping[str, str] = field(default_factory=dict)


def _seen(typed: Typed, words: list[str]) -> Seen:
    """What the command does in an empty folder ``out``; of files only what they hold, and no record of it."""
    folder = Path("out")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if words[0] == "models":
        shutil.copytree("models", folder / "models")
    done = typed(*words, "--json")
    files = {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return Seen(done.code, done.out, done.err, files)
