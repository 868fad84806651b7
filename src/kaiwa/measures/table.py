"""Measures: runs and gains in, scores out. Every measure is one row of MEASURES."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, Names, UnknownName, option
from kaiwa.formats.reading import name_list
from kaiwa.measures import families
from kaiwa.measures.families import din_lists, intent_aware, intent_recall
from kaiwa.measures.lists import share
from kaiwa.nouns.measure_name import ALIASES, MeasureName, parse_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kaiwa.measures.judgements import Batch
    from kaiwa.measures.lists import Lists
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.measure_name import Option


@dataclass(frozen=True)
class Measure:
    """A measure: its description, its function of lists, and its options.

    ``normalised`` divides by the score of the ideal list; ``condensed`` measures use judged items only; ``cutoff``
    is None if the measure works with or without one, else what its @k must be ("k", or a number). ``uses`` is
    what the value is computed from: "lists", or a whole batch for its "votes" or "intents".
    """

    description: str
    value: Callable[..., FloatArray]
    options: Mapping[str, Option] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    normalised: bool = False
    condensed: bool = False
    cutoff: str | None = None
    uses: str = "lists"


_BETA = {"beta": 1.0}
_NCU = {"gamma": 0.95, "beta": 1.0, "rho": 0.99}

MEASURES = Names(
    "measure",
    {
        "nG": Measure("gain at rank 1 over the ideal's", families.first_gain, normalised=True, cutoff="1"),
        "nERR": Measure("ERR over the ideal's", families.expected_reciprocal_rank, normalised=True),
        "P+": Measure("mean blended ratio down to the preferred rank", families.p_plus, _BETA),
        "RR": Measure("reciprocal rank of the first relevant item", families.reciprocal_rank),
        "O": Measure("blended ratio at the first relevant rank", families.o_measure, _BETA),
        "P": Measure("blended ratio at the preferred rank", families.p_measure, _BETA),
        "AP": Measure("average precision", families.average_precision),
        "Q": Measure("average blended ratio", families.q_measure, _BETA),
        "NCUgu,P": Measure(
            "graded-uniform NCU, precision", families.graded_uniform_ncu, _BETA | {"s": ()}, {"utility": "P"}
        ),
        "NCUgu,BR": Measure(
            "graded-uniform NCU, blended ratio", families.graded_uniform_ncu, _BETA | {"s": ()}, {"utility": "BR"}
        ),
        "NCUrb,P": Measure("rank-biased NCU, precision", families.rank_biased_ncu, _NCU, {"utility": "P"}),
        "NCUrb,BR": Measure("rank-biased NCU, blended ratio", families.rank_biased_ncu, _NCU, {"utility": "BR"}),
        "NCUrb,IE": Measure("rank-biased NCU, rho^r", families.rank_biased_ncu, _NCU, {"utility": "IE"}),
        "GAP": Measure("graded average precision", families.graded_average_precision),
        "nDCG": Measure(
            "discounted gain over the ideal's; (b=2) for the original form",
            families.discounted_gain,
            {"b": 0.0},
            normalised=True,
        ),
        "RBP": Measure("rank-biased precision", families.rank_biased_precision, {"p": 0.95}),
        "nRBP": Measure("RBP over the ideal's", families.rank_biased_precision, {"p": 0.95}, normalised=True),
        "ERR": Measure("expected reciprocal rank", families.expected_reciprocal_rank),
        "EBR": Measure("expected blended ratio", families.expected_blended_ratio, _BETA),
        "nEBR": Measure("EBR over the ideal's", families.expected_blended_ratio, _BETA, normalised=True),
        "iRBU": Measure("intentwise rank-biased utility", families.intentwise_rank_biased_utility, {"rho": 0.99}),
        "niRBU": Measure(
            "iRBU over the ideal's", families.intentwise_rank_biased_utility, {"rho": 0.99}, normalised=True
        ),
        "Prec": Measure("relevant items in the first k, over k", families.precision, cutoff="k"),
        "Hit": Measure("whether anything relevant was returned", families.hit),
        "Recall": Measure("relevant items returned, over all", families.recall),
        "bpref": Measure("preference over judged items", families.bpref, condensed=True),
        "bpref_R": Measure("bpref, penalty over R", families.bpref_r, condensed=True),
        "bpref_N": Measure("bpref, penalty over N", families.bpref_n, condensed=True),
        "bpref_relative": Measure("bpref, penalty over r-1", families.bpref_relative, condensed=True),
        "rpref_N": Measure("graded preference, worst penalty", families.rpref_n, condensed=True),
        "rpref_relative": Measure("graded preference, penalty over r-1", families.rpref_relative, condensed=True),
        "rpref_relative2": Measure("graded preference, penalty over r", families.rpref_relative2, condensed=True),
        "Acc": Measure("share of votes in the named levels, to rank k", families.accuracy, cutoff="k", uses="votes"),
        "I-rec": Measure("intents covered, over all", families.intent_recall, uses="intents"),
        "P+Q": Measure("Q of informational, P+ of navigational intents", families.p_plus_q, _BETA, uses="intents"),
        "P+Q#": Measure("half I-rec, half P+Q", families.p_plus_q_sharp, _BETA, uses="intents"),
    },
)
"""Every measure, the official STC measures first; D-, D#-, DIN-, DIN#- and IA- go before any that uses lists."""


# A measure by name: found in the table, with its options checked.


_BOUNDS = {"p": (0.0, 0.9999), "gamma": (0.0, 1.0), "rho": (0.0001, 1.0), "b": (1.01, 1000.0), "beta": (0.0, 1e6)}


@dataclass(frozen=True)
class Chosen:
    """A measure with its name as written, its options and its cutoff."""

    text: str
    name: MeasureName
    measure: Measure
    options: dict[str, Any]  # Any: a number, several, or a fixed word, as in the measure's signature

    def value(self, batch: Batch) -> FloatArray:
        """The measure's value of each list of the batch; NaN where it is undefined."""
        prefix, cutoff = self.name.prefix, self.name.cutoff
        if prefix == "IA-":
            return intent_aware(batch, self._plain)
        value = self._of_lists(din_lists(batch, cutoff=cutoff)) if prefix.startswith("DIN") else self._plain(batch)
        return (value + intent_recall(batch, cutoff=cutoff)) / 2.0 if "#" in prefix else value

    def _plain(self, batch: Batch) -> FloatArray:
        if self.measure.uses != "lists":
            return self.measure.value(batch, cutoff=self.name.cutoff, **self.options)
        seen = batch.condensed if self.measure.condensed else batch
        return self._of_lists(seen.lists(self.name.cutoff))

    def _of_lists(self, lists: Lists) -> FloatArray:
        value = self.measure.value(lists, **self.options)
        if not self.measure.normalised:
            return value
        return share(value, lists.ideal_score(self.measure.value, **self.options))


def choose(text: str) -> Chosen:
    """The measure of that name.

    >>> choose("RBP(p=0.8)@5").options
    {'p': 0.8}
    >>> choose("nER@10")
    Traceback (most recent call last):
    kaiwa.errors.UnknownName: unknown measure 'nER'; did you mean 'nERR' or 'nEBR' or 'ERR'?
    """
    name = parse_name(text)
    if name.base not in MEASURES:
        raise UnknownName.among("measure", name.base, [*MEASURES, *ALIASES])
    measure = MEASURES[name.base]
    _check_cutoff(text, name, measure)
    if name.prefix and measure.uses != "lists":
        raise InputError(f"measure {text!r}: {name.prefix} goes before a measure of one list, as in D#-nDCG@10")
    if name.levels and measure.uses != "votes":
        raise InputError(f"measure {text!r}: only Acc takes levels; give gains with {option('levels')}")
    options: dict[str, Any] = {**measure.options, **_checked_options(text, name, measure), **measure.fixed}
    return Chosen(text, name, measure, options | ({"levels": name.levels} if measure.uses == "votes" else {}))


def chosen_measures(names: str | Sequence[str]) -> list[Chosen]:
    """The measures of these names; a name with commas that is no measure is several.

    >>> [one.text for one in chosen_measures(["nG@1,P+", "Acc(L1,L2)@1"])]
    ['nG@1', 'P+', 'Acc(L1,L2)@1']
    """
    listed = name_list("measures", names)
    if not listed:
        example = option("measures", python='["nG@1", "nERR@10"]')
        raise InputError(f"no measures; give at least one, as {example}")
    return [choose(name) for given in listed for name in _apart(given)]


def one_measure(names: str | Sequence[str]) -> str:
    """The one measure of these names; an error with several.

    >>> one_measure(["nERR@10"])
    'nERR@10'
    """
    given = [one.text for one in chosen_measures(names)]
    if len(given) > 1:
        raise InputError(f"{option('measures')} is one name here, and {', '.join(given)} are given; give one")
    return given[0]


def _apart(given: str) -> list[str]:
    """The name, or the names between its commas."""
    if "," not in given:
        return [given]
    try:
        choose(given)
    except InputError:
        return re.split(r",(?![^()]*\))", given)
    return [given]


def _check_cutoff(text: str, name: MeasureName, measure: Measure) -> None:
    if measure.cutoff == "k" and name.cutoff is None:
        raise InputError(f"measure {text!r} needs a cutoff; write it like {text}@5")
    if measure.cutoff == "1" and name.cutoff != 1:
        raise InputError(f"measure {text!r} is defined at rank 1 only; write {name.base}@1, or nDCG@k for deeper ranks")


def _checked_options(text: str, name: MeasureName, measure: Measure) -> dict[str, Any]:
    checked: dict[str, Any] = {}
    for key, given in name.options.items():
        if key not in measure.options:
            known = ", ".join(measure.options) or "none"
            raise InputError(f"measure {text!r} takes no option {key!r}; it takes: {known}")
        several = isinstance(measure.options[key], tuple)
        numbers = given if isinstance(given, tuple) else (given,)
        low, high = _BOUNDS.get(key, (0.0, float("inf")))
        if not all(low <= number <= high and number < float("inf") for number in numbers):
            raise InputError(f"measure {text!r}: {key} must lie in {low:g}..{high:g}")
        if not several and len(numbers) > 1:
            raise InputError(f"measure {text!r}: {key} takes one number, not {len(numbers)}")
        checked[key] = numbers if several else numbers[0]
    return checked
