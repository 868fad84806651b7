"""Dawid-Skene, severity and agreement of each assessor, against plain computations and known panels."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from kaiwa.labelling.assessors import assessor_quality, dawid_skene, severity
from kaiwa.nouns.votes import NA, Votes

Row = tuple[str, str, str, int | None]


def panel(seed: int, *, topics: int = 12, per_topic: int = 6, people: int = 5, share: float = 0.7) -> Votes:
    """Votes on levels 0 to 2; each assessor is as much lower than the truth as his or her number is high."""
    rng = np.random.default_rng(seed)
    rows = list[Row]()
    for item in range(topics * per_topic):
        truth = rng.integers(0, 3)
        for who in range(people):
            if rng.random() < share:
                level = int(np.clip(truth - (rng.random() < 0.2 * who) + (rng.random() < 0.1), 0, 2))
                rows.append((f"q{item // per_topic}", f"c{item}", f"a{who}", None if rng.random() < 0.05 else level))
    return Votes.from_rows(rows, max_level=2)


def plain_dawid_skene(
    votes: Votes, rounds: int
) -> tuple[list[float], dict[tuple[int, int, int], float], list[list[float]]]:
    """The same EM with lists and dictionaries: shares of levels, confusion, probabilities of the items' levels."""
    levels = range(votes.top + 1)
    given = [
        (i, a, g)
        for i, a, g in zip(votes.item.tolist(), votes.assessor.tolist(), votes.level.tolist(), strict=True)
        if g != NA
    ]
    of_item: dict[int, list[tuple[int, int]]] = {}
    for item, who, level in given:
        of_item.setdefault(item, []).append((who, level))
    probable = {
        item: [sum(g == level for _, g in listed) / len(listed) for level in levels] for item, listed in of_item.items()
    }
    shares, confusion = list[float](), dict[tuple[int, int, int], float]()
    for _ in range(rounds):
        shares = [sum(one[level] for one in probable.values()) / len(probable) for level in levels]
        mass: dict[tuple[int, int, int], float] = {}
        for item, who, level in given:
            for true in levels:
                mass[who, true, level] = mass.get((who, true, level), 0.0) + probable[item][true]
        confusion = {
            (who, true, level): value / total
            for (who, true, level), value in mass.items()
            if (total := sum(mass.get((who, true, other), 0.0) for other in levels)) > 0
        }
        for item, listed in of_item.items():
            logs = [
                log(max(shares[true], 1e-10))
                + sum(log(max(confusion.get((who, true, level), 0.0), 1e-10)) for who, level in listed)
                for true in levels
            ]
            weights = [exp(one - max(logs)) for one in logs]
            probable[item] = [one / sum(weights) for one in weights]
    return shares, confusion, [probable[item] for item in sorted(probable)]


@pytest.mark.parametrize("seed", range(4))
def test_dawid_skene_equals_the_plain_em(seed: int) -> None:
    """Shares, confusion and probabilities after the same number of rounds; some votes are NA or missing."""
    votes = panel(seed)
    model = dawid_skene(votes, rounds=7, tolerance=-1.0)
    shares, confusion, probable = plain_dawid_skene(votes, 7)
    voted = votes.counts().sum(axis=1) > 0
    assert model.rounds == 7
    assert model.shares == pytest.approx(shares)
    assert model.probabilities[voted] == pytest.approx(np.array(probable))
    for place, value in confusion.items():
        assert model.confusion[place] == pytest.approx(value, abs=1e-12)


def test_dawid_skene_never_lowers_the_likelihood() -> None:
    """More rounds of EM fit the votes at least as well."""
    votes = panel(9)
    found = [dawid_skene(votes, rounds=rounds, tolerance=-1.0).log_likelihood for rounds in range(1, 12)]
    assert found == sorted(found)


def test_an_item_without_a_vote_has_no_probable_level() -> None:
    """NaN, not a guess; an assessor without a vote has no confusion."""
    votes = Votes.from_rows([("q", "a", "ann", 1), ("q", "a", "bob", 1), ("q", "b", "eve", None)])
    model = dawid_skene(votes)
    assert np.isnan(model.probabilities[1]).all()
    assert np.isnan(model.confusion[2]).all()


def test_severity_on_a_complete_table_is_the_distance_from_the_mean() -> None:
    """Everybody voted on everything: the mean of all minus the assessor's mean."""
    votes = panel(3, share=1.1)
    votes = Votes.from_rows(
        [
            (f"q{item % 7}", f"c{item}", f"a{who}", max(int(level), 0))
            for (item, who), level in np.ndenumerate(votes.by_assessor())
        ]
    )
    table = votes.by_assessor()
    found = [one.value for one in severity(votes, rng=np.random.default_rng(1), trials=20)]
    assert found == pytest.approx((table.mean() - table.mean(axis=0)).tolist())


def test_severity_is_not_that_of_the_items_or_of_the_colleagues() -> None:
    """Who judges only bad items, beside the most severe colleague, is as severe as his own judgement."""
    effects = {"ann": 0, "bob": 1, "eve": 2}
    rows = list[Row]()
    for item in range(20):
        pair = ("ann", "bob") if item % 2 else ("bob", "eve")
        quality = 6 if item % 2 else 3
        rows += [(f"q{item}", "c", name, quality - effects[name]) for name in pair]
    votes = Votes.from_rows(rows)
    found = severity(votes, rng=np.random.default_rng(1), trials=50)
    by_name = {name: round(one.value, 9) for name, one in zip(votes.assessors, found, strict=True)}
    assert by_name == {"ann": -1.0, "bob": 0.0, "eve": 1.0}


def test_an_assessor_who_shares_no_item_has_no_severity() -> None:
    """Nothing to compare with: NaN, and last in the list."""
    rows: list[Row] = [(f"q{item}", "c", name, item % 2) for item in range(6) for name in ("ann", "bob")]
    found = assessor_quality(Votes.from_rows([*rows, ("q9", "c", "zoe", 1)]), rng=np.random.default_rng(1), trials=20)
    assert [one.name for one in found] == ["ann", "bob", "zoe"]
    assert np.isnan(found[-1].severity.value)
    assert np.isnan(found[-1].agreement)


def test_the_interval_of_the_severity_resamples_whole_topics() -> None:
    """With copies of the same items in each topic, the interval is as wide as that of one item per topic."""
    rng = np.random.default_rng(5)
    levels = rng.integers(0, 3, size=(15, 3))

    def rows(copies: int) -> list[Row]:
        return [
            (f"q{q}", f"c{c}", f"a{a}", int(levels[q, a])) for q in range(15) for c in range(copies) for a in range(3)
        ]

    one, five = (severity(Votes.from_rows(rows(copies)), rng=np.random.default_rng(1), trials=200) for copies in (1, 5))
    assert [x.low for x in one] == pytest.approx([x.low for x in five])
    assert [x.high for x in one] == pytest.approx([x.high for x in five])


def test_severe_assessors_of_a_known_panel_are_in_order() -> None:
    """The simulated assessors get more severe with their number; shares and rows of the confusion sum to 1."""
    found = assessor_quality(panel(1, topics=60), rng=np.random.default_rng(1), trials=100)
    by_name = sorted(found, key=lambda one: one.name)
    severities = [one.severity.value for one in by_name]
    assert severities == sorted(severities)
    assert by_name[0].severity.high < by_name[-1].severity.low
    assert [sum(one.shares) for one in found] == pytest.approx([1.0] * 5)
    assert [sum(row) for one in found for row in one.confusion] == pytest.approx([1.0] * 15)
    assert [one.agreement for one in found] == sorted(one.agreement for one in found)


def test_severity_on_one_topic_has_no_interval_over_topics() -> None:
    """The topics of the others say nothing about a newcomer who has judged one."""
    rows: list[Row] = [(f"q{n}", f"c{n}", who, n % 3) for n in range(9) for who in ("ann", "bob")]
    votes = Votes.from_rows([*rows, ("q1", "c1", "new", 2)], max_level=2)
    ann, _, new = severity(votes, rng=np.random.default_rng(1), trials=50)
    assert np.isnan([new.low, new.high]).all()
    assert new.value < 0
    assert not np.isnan([ann.low, ann.high]).any()
