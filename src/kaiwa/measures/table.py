"""Measures: lists of gains in, scores out. Every measure is one function, and one row of MEASURES."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError, Names, UnknownName, option
from kaiwa.formats.reading import measure_list
from kaiwa.measures.lists import share
from kaiwa.nouns.measure_name import MeasureName, parse_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kaiwa.measures.judgements import Batch, Intents
    from kaiwa.measures.lists import Lists
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.measure_name import MeasuresInput, Option


def average_precision(lists: Lists) -> FloatArray:
    """The precision at each relevant rank, summed and divided by min(k, R); per list."""
    return share(_over_relevant(lists, lists.precision), lists.possible)


def q_measure(lists: Lists, *, beta: float) -> FloatArray:
    """The blended ratio at each relevant rank, summed and divided by min(k, R) (Sakai 2004); per list."""
    return share(_over_relevant(lists, lists.blended_ratio(beta)), lists.possible)


def rank_biased_ncu(lists: Lists, *, utility: str, gamma: float, beta: float, rho: float) -> FloatArray:
    """The expected utility at the rank where the reader stops, with weights that fall by gamma; per list.

    Sakai and Robertson, EVIA 2008: relevant item i is the last one read with a probability proportional to
    gamma^(i-1). ``utility`` is P (precision), BR (blended ratio) or IE (rho^r).
    """
    weights = gamma ** (lists.found - 1.0)
    possible = lists.possible
    denominator = possible.astype(np.float64) if gamma == 1.0 else (1.0 - gamma**possible) / (1.0 - gamma)
    return share(_over_relevant(lists, weights * _utility(lists, utility, beta, rho)), denominator)


def graded_uniform_ncu(lists: Lists, *, utility: str, s: tuple[float, ...], beta: float) -> FloatArray:
    """The expected utility at the rank where the reader stops, with weights proportional to s(level); per list.

    Sakai and Robertson, EVIA 2008. ``s`` gives each level's weight, lowest level first; if it is empty, the weights
    are the gains.
    """
    weights, whole = lists.gains, lists.ideal_score(_total_gain)
    if s:
        weights, whole = _stops(lists, s=s), lists.ideal_score(_total_stop, s=s)
    return share(_over_relevant(lists, weights * _utility(lists, utility, beta, 1.0)), whole)


def graded_average_precision(lists: Lists) -> FloatArray:
    """Graded average precision in NTCIREVAL's form, with m(x) = x(x+1); per list.

    Robertson, Kanoulas and Yilmaz, SIGIR 2010: sum over relevant i of (1/i) sum_{j<=i} m(min(x_i, x_j)), x the
    level if gains came from levels, else the gain. Levels with the same gain are one level.
    """
    found = lists.relevant_only
    x = _levels(lists, found.gains)
    total = np.zeros(len(x))
    for place in range(x.shape[1]):
        shared = np.minimum(x[:, : place + 1], x[:, place, None])
        total += (shared * (shared + 1.0)).sum(axis=1) / found.ranks[:, place]
    return share(total, lists.ideal_score(_total_merit))


def _total_gain(lists: Lists) -> FloatArray:
    total: FloatArray = lists.gains.sum(axis=1)
    return total


def _total_stop(lists: Lists, *, s: tuple[float, ...]) -> FloatArray:
    total: FloatArray = _stops(lists, s=s).sum(axis=1)
    return total


def _total_merit(lists: Lists) -> FloatArray:
    x = _levels(lists, lists.gains)
    total: FloatArray = (x * (x + 1.0)).sum(axis=1)
    return total


def _stops(lists: Lists, *, s: tuple[float, ...]) -> FloatArray:
    if len(s) != len(lists.levels):
        what = f"s gives {len(s)} stop weights for {len(lists.levels)} levels"
        raise InputError(f"{what}; give one per level ({option('levels')})")
    return np.concatenate(([0.0], s))[_levels(lists, lists.gains).astype(np.int64)]


def _levels(lists: Lists, gains: FloatArray) -> FloatArray:
    if not lists.levels:
        return gains
    return np.searchsorted(np.concatenate(([0.0], lists.levels)), gains).astype(np.float64)


def _utility(lists: Lists, utility: str, beta: float, rho: float) -> FloatArray:
    if utility == "P":
        return lists.precision
    return lists.blended_ratio(beta) if utility == "BR" else np.power(rho, lists.ranks)


def _over_relevant(lists: Lists, value: FloatArray) -> FloatArray:
    """The value summed over relevant ranks; per list."""
    total: FloatArray = np.where(lists.relevant, value, 0.0).sum(axis=1)
    return total


# Measures of a reader who stops when satisfied: ERR, EBR and iRBU.


def expected_reciprocal_rank(lists: Lists) -> FloatArray:
    """The expected reciprocal rank at which the reader stops; per list.

    Chapelle et al., CIKM 2009; STC overview 2016, Eq. 3, with stop probability g/(gmax+1).
    """
    return lists.stopping @ (1.0 / lists.ranks)


def expected_blended_ratio(lists: Lists, *, beta: float) -> FloatArray:
    """The expected blended ratio at the rank where the reader stops (Sakai and Zeng, SIGIR 2019); per list."""
    expected: FloatArray = (lists.stopping * lists.blended_ratio(beta)).sum(axis=1)
    return expected


def intentwise_rank_biased_utility(lists: Lists, *, rho: float) -> FloatArray:
    """The expected rho^r at the rank r where the reader stops (Sakai and Zeng, SIGIR 2019); per list."""
    return lists.stopping @ (rho**lists.ranks)


# Gains discounted by rank: nG@1, DCG in both forms, RBP.


def first_gain(lists: Lists) -> FloatArray:
    """The gain at rank 1; per list."""
    return lists.gains[:, 0]


def discounted_gain(lists: Lists, *, b: float) -> FloatArray:
    """The gain discounted by rank; per list.

    ``b`` 0 is Microsoft's form, discount ln(r+1) (Burges et al., ICML 2005); otherwise the original with log
    base b and no discount down to rank b (Jarvelin and Kekalainen, TOIS 2002).
    """
    return lists.gains @ (1.0 / _discount(lists.ranks, b))


def rank_biased_precision(lists: Lists, *, p: float) -> FloatArray:
    """(1-p)/gmax sum g(r) p^(r-1), the gain rate of a reader of persistence p; per list.

    Moffat and Zobel, TOIS 2008.
    """
    return (1.0 - p) * (lists.gains @ (p ** (lists.ranks - 1.0))) / lists.top


def _discount(ranks: FloatArray, b: float) -> FloatArray:
    if b == 0:
        return np.log(ranks + 1.0)
    return np.maximum(np.log(ranks) / log(b), 1.0)


# Measures of finding one good item soon: RR, O, P and P+.


def reciprocal_rank(lists: Lists) -> FloatArray:
    """One over the rank of the first relevant item, 0 if there is none; per list."""
    return np.where(lists.relevant.any(axis=1), 1.0 / (lists.relevant.argmax(axis=1) + 1.0), 0.0)


def o_measure(lists: Lists, *, beta: float) -> FloatArray:
    """The blended ratio at the first relevant rank (Sakai 2007, IPSJ TOD 48); per list."""
    return _blended_at(lists, lists.relevant.argmax(axis=1), beta)


def p_measure(lists: Lists, *, beta: float) -> FloatArray:
    """The blended ratio at the preferred rank (Sakai 2007); per list."""
    return _blended_at(lists, _preferred(lists), beta)


def p_plus(lists: Lists, *, beta: float) -> FloatArray:
    """The mean blended ratio over the relevant ranks down to the preferred one (Sakai 2007); per list.

    STC overview 2016, Eq. 2. A list without a relevant item scores 0.
    """
    counted = lists.relevant & (lists.ranks <= _preferred(lists)[:, None] + 1)
    total: FloatArray = np.where(counted, lists.blended_ratio(beta), 0.0).sum(axis=1)
    number: IntArray = counted.sum(axis=1)
    return total / np.maximum(number, 1)


def _preferred(lists: Lists) -> IntArray:
    """The first position of the highest gain in each list, counted from 0."""
    place: IntArray = lists.gains.argmax(axis=1)
    return place


def _blended_at(lists: Lists, place: IntArray, beta: float) -> FloatArray:
    at_place = np.take_along_axis(lists.blended_ratio(beta), place[:, None], axis=1)[:, 0]
    return np.where(lists.relevant.any(axis=1), at_place, 0.0)


# Measures for topics of several intents: I-rec, DIN gains, P+Q; D- and IA- wrap any other measure.


def intent_recall(batch: Batch, *, cutoff: int | None) -> FloatArray:
    """I-rec: the number of the topic's intents that the list covers, over all; per list."""
    intents = _intents(batch)
    known = intents.chances[batch.topics] > 0
    numbers = range(known.shape[1])
    covered = np.stack([batch.of_intent(intent).lists(cutoff).relevant.any(axis=1) for intent in numbers], axis=1)
    return share((covered & known).sum(axis=1, dtype=np.float64), known.sum(axis=1))


def intent_aware(batch: Batch, value: Callable[[Batch], FloatArray]) -> FloatArray:
    """IA: a measure's value for each intent, weighted by the probability of the intent; per list."""
    chances = _intents(batch).chances[batch.topics]
    values = np.stack([value(batch.of_intent(intent)) for intent in range(chances.shape[1])], axis=1)
    expected: FloatArray = np.where(chances > 0, chances * values, 0.0).sum(axis=1)
    return expected


def din_lists(batch: Batch, *, cutoff: int | None) -> Lists:
    """The lists by global gain, in which a navigational intent counts only in its first relevant item."""
    intents = _intents(batch)
    whole = batch.lists(cutoff)
    gains = np.zeros_like(whole.gains)
    for intent in range(intents.chances.shape[1]):
        own = batch.of_intent(intent).lists(cutoff)
        spent = intents.navigational[batch.topics, intent, None] & (own.found - own.relevant > 0)
        gains += intents.chances[batch.topics, intent, None] * np.where(spent, 0.0, own.gains)
    return replace(whole, gains=gains)


def p_plus_q(batch: Batch, *, cutoff: int | None, beta: float) -> FloatArray:
    """P+Q: Q of each informational intent and P+ of each navigational one, weighted by probability; per list."""
    intents = _intents(batch)
    chances = intents.chances[batch.topics]
    total = np.zeros(len(chances))
    for intent in range(chances.shape[1]):
        own = batch.of_intent(intent).lists(cutoff)
        is_navigational = intents.navigational[batch.topics, intent]
        value = np.where(is_navigational, p_plus(own, beta=beta), q_measure(own, beta=beta))
        total += np.where(chances[:, intent] > 0, chances[:, intent] * value, 0.0)
    return total


def p_plus_q_sharp(batch: Batch, *, cutoff: int | None, beta: float) -> FloatArray:
    """P+Q#: half I-rec and half P+Q; per list."""
    return (intent_recall(batch, cutoff=cutoff) + p_plus_q(batch, cutoff=cutoff, beta=beta)) / 2.0


def _intents(batch: Batch) -> Intents:
    if batch.judgements.intents is None:
        raise InputError(f"a diversity measure needs judgements by intent; give them with {option('intents')}")
    return batch.judgements.intents


# Preferences between judged items, on condensed lists: the bpref and rpref variants.


def bpref(lists: Lists) -> FloatArray:
    """1 - min(R, nonrelevant items above)/min(R, N), averaged over relevant items; per list."""
    return _penalised(lists, np.minimum(lists.total_relevant, lists.total_nonrelevant), capped=True)


def bpref_r(lists: Lists) -> FloatArray:
    """1 - min(R, nonrelevant items above)/R, averaged over relevant items; per list."""
    return _penalised(lists, lists.total_relevant, capped=True)


def bpref_n(lists: Lists) -> FloatArray:
    """1 - (nonrelevant items above)/N, averaged over relevant items; per list."""
    return _penalised(lists, lists.total_nonrelevant, capped=False)


def bpref_relative(lists: Lists) -> FloatArray:
    """1 - (nonrelevant items above)/(r-1), averaged over relevant items; an item at rank 1 counts 0; per list."""
    kept = 1.0 - (lists.ranks - lists.found)[:, 1:] / (lists.ranks[1:] - 1.0)
    return share(np.where(lists.relevant[:, 1:], kept, 0.0).sum(axis=1), lists.total_relevant)


def rpref_n(lists: Lists) -> FloatArray:
    """The gain after graded penalties, each over the worst possible penalty; per list."""
    gain = lists.ideal_score(total_gain)
    worst = lists.total_relevant + lists.total_nonrelevant - gain / lists.top
    return share(_kept_gain(lists, np.where(worst > 0, worst, np.inf)[:, None]), gain)


def rpref_relative(lists: Lists) -> FloatArray:
    """The gain after graded penalties, each over r-1; an item at rank 1 counts 0; per list."""
    ranks = lists.relevant_only.ranks
    worst = np.where(ranks > 1, ranks - 1.0, 1.0)
    return share(_kept_gain(lists, worst, skip_first=True), lists.ideal_score(total_gain))


def rpref_relative2(lists: Lists) -> FloatArray:
    """The gain after graded penalties, each over r; per list."""
    return share(_kept_gain(lists, lists.relevant_only.ranks), lists.ideal_score(total_gain))


def total_gain(lists: Lists) -> FloatArray:
    """The sum of the gains; per list."""
    total: FloatArray = lists.gains.sum(axis=1)
    return total


def _penalised(lists: Lists, worst: IntArray, *, capped: bool) -> FloatArray:
    above = lists.ranks - lists.found
    if capped:
        above = np.minimum(above, lists.total_relevant[:, None])
    kept = 1.0 - above / np.maximum(worst, 1)[:, None]
    return share(np.where(lists.relevant, kept, 0.0).sum(axis=1), lists.total_relevant)


def _kept_gain(lists: Lists, worst: FloatArray, *, skip_first: bool = False) -> FloatArray:
    """The gain of each relevant item times (1 - penalty/worst), summed; per list.

    The penalty of an item is 1 for each nonrelevant item above it, and (g(r) - g(j))/g(r) for each relevant item j
    above it with a smaller gain.
    """
    found = lists.relevant_only
    penalty = found.ranks - np.arange(1.0, found.ranks.shape[1] + 1.0)
    for place in range(1, found.gains.shape[1]):
        own = found.gains[:, place]
        lost = np.maximum(own[:, None] - found.gains[:, :place], 0.0).sum(axis=1)
        penalty[:, place] += np.divide(lost, own, out=np.zeros_like(lost), where=own > 0)
    kept = found.gains * (1.0 - penalty / worst)
    if skip_first:
        kept[found.ranks == 1] = 0.0
    total: FloatArray = kept.sum(axis=1)
    return total


# Counts of relevant items and of votes: Prec, Hit, Recall, Acc.


def precision(lists: Lists) -> FloatArray:
    """C(k)/k, also if the list is shorter than k; per list."""
    share_of_k: FloatArray = lists.relevant.sum(axis=1) / float(lists.cutoff or 1)
    return share_of_k


def hit(lists: Lists) -> FloatArray:
    """1 if a relevant item was returned, else 0; per list."""
    return np.where(lists.relevant.any(axis=1), 1.0, 0.0)


def recall(lists: Lists) -> FloatArray:
    """C(k)/R; per list."""
    return share(lists.relevant.sum(axis=1, dtype=np.float64), lists.total_relevant)


def accuracy(batch: Batch, *, cutoff: int, levels: tuple[int, ...]) -> FloatArray:
    """Acc(G)@k: the share of the votes in the levels G, averaged over the first k ranks; per list.

    STC overview 2016, Japanese subtask. An unjudged or missing item counts 0.
    """
    votes = batch.judgements.votes
    if votes is None:
        raise InputError(f"Acc needs the votes themselves; give them with {option('votes')}")
    if not levels or max(levels) >= votes.shape[1]:
        raise InputError(f"Acc needs levels of the scale 0..{votes.shape[1] - 1}; write it like Acc(L1,L2)@5")
    wanted = share(votes[:, list(levels)].sum(axis=1, dtype=np.float64), votes.sum(axis=1))
    per_row = np.append(np.where(np.isnan(wanted), 0.0, wanted), 0.0)
    total: FloatArray = per_row[batch.rows[:, :cutoff]].sum(axis=1)
    return total / cutoff


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
        "nG": Measure("gain at rank 1 over the ideal's", first_gain, normalised=True, cutoff="1"),
        "nERR": Measure("ERR over the ideal's", expected_reciprocal_rank, normalised=True),
        "P+": Measure("mean blended ratio down to the preferred rank", p_plus, _BETA),
        "RR": Measure("reciprocal rank of the first relevant item", reciprocal_rank),
        "O": Measure("blended ratio at the first relevant rank", o_measure, _BETA),
        "P": Measure("blended ratio at the preferred rank", p_measure, _BETA),
        "AP": Measure("average precision", average_precision),
        "Q": Measure("average blended ratio", q_measure, _BETA),
        "NCUgu,P": Measure("graded-uniform NCU, precision", graded_uniform_ncu, _BETA | {"s": ()}, {"utility": "P"}),
        "NCUgu,BR": Measure(
            "graded-uniform NCU, blended ratio", graded_uniform_ncu, _BETA | {"s": ()}, {"utility": "BR"}
        ),
        "NCUrb,P": Measure("rank-biased NCU, precision", rank_biased_ncu, _NCU, {"utility": "P"}),
        "NCUrb,BR": Measure("rank-biased NCU, blended ratio", rank_biased_ncu, _NCU, {"utility": "BR"}),
        "NCUrb,IE": Measure("rank-biased NCU, rho^r", rank_biased_ncu, _NCU, {"utility": "IE"}),
        "GAP": Measure("graded average precision", graded_average_precision),
        "nDCG": Measure(
            "discounted gain over the ideal's; (b=2) for the original form",
            discounted_gain,
            {"b": 0.0},
            normalised=True,
        ),
        "RBP": Measure("rank-biased precision", rank_biased_precision, {"p": 0.95}),
        "nRBP": Measure("RBP over the ideal's", rank_biased_precision, {"p": 0.95}, normalised=True),
        "ERR": Measure("expected reciprocal rank", expected_reciprocal_rank),
        "EBR": Measure("expected blended ratio", expected_blended_ratio, _BETA),
        "nEBR": Measure("EBR over the ideal's", expected_blended_ratio, _BETA, normalised=True),
        "iRBU": Measure("intentwise rank-biased utility", intentwise_rank_biased_utility, {"rho": 0.99}),
        "niRBU": Measure("iRBU over the ideal's", intentwise_rank_biased_utility, {"rho": 0.99}, normalised=True),
        "Prec": Measure("relevant items in the first k, over k", precision, cutoff="k"),
        "Hit": Measure("whether anything relevant was returned", hit),
        "Recall": Measure("relevant items returned, over all", recall),
        "bpref": Measure("preference over judged items", bpref, condensed=True),
        "bpref_R": Measure("bpref, penalty over R", bpref_r, condensed=True),
        "bpref_N": Measure("bpref, penalty over N", bpref_n, condensed=True),
        "bpref_relative": Measure("bpref, penalty over r-1", bpref_relative, condensed=True),
        "rpref_N": Measure("graded preference, worst penalty", rpref_n, condensed=True),
        "rpref_relative": Measure("graded preference, penalty over r-1", rpref_relative, condensed=True),
        "rpref_relative2": Measure("graded preference, penalty over r", rpref_relative2, condensed=True),
        "Acc": Measure("share of votes in the named levels, to rank k", accuracy, cutoff="k", uses="votes"),
        "I-rec": Measure("intents covered, over all", intent_recall, uses="intents"),
        "P+Q": Measure("Q of informational, P+ of navigational intents", p_plus_q, _BETA, uses="intents"),
        "P+Q#": Measure("half I-rec, half P+Q", p_plus_q_sharp, _BETA, uses="intents"),
    },
)
"""Every measure, the official STC measures first; D-, D#-, DIN-, DIN#- and IA- go before any that uses lists."""


# A measure by name: found in the table, with its options checked.


_BOUNDS = {"p": (0.0, 0.9999), "gamma": (0.0, 1.0), "rho": (0.0001, 1.0), "b": (1.01, 1000.0), "beta": (0.0, 1e6)}


@dataclass(frozen=True)
class Chosen:
    """A measure with its name in our spelling, its options and its cutoff."""

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


def choose(given: object) -> Chosen:
    """The measure of that name.

    >>> choose("RBP(p=0.8)@5").options
    {'p': 0.8}
    >>> choose("nER@10")
    Traceback (most recent call last):
    kaiwa.errors.UnknownName: unknown measure 'nER'; did you mean 'nERR' or 'nEBR' or 'ERR'?
    """
    name = parse_name(given)
    if name.base not in MEASURES:
        raise UnknownName.among("measure", name.base, MEASURES)
    text = str(name)
    measure = MEASURES[name.base]
    _check_cutoff(text, name, measure)
    if name.prefix and measure.uses != "lists":
        raise InputError(f"measure {text!r}: {name.prefix} goes before a measure of one list, as in D#-nDCG@10")
    if name.levels and measure.uses != "votes":
        raise InputError(f"measure {text!r}: only Acc takes levels; give gains with {option('levels')}")
    options: dict[str, Any] = {**measure.options, **_checked_options(text, name, measure), **measure.fixed}
    return Chosen(text, name, measure, options | ({"levels": name.levels} if measure.uses == "votes" else {}))


def chosen_measures(names: MeasuresInput) -> list[Chosen]:
    """The measures of these names, or of ir_measures; a name with commas that is no measure is several.

    >>> [one.text for one in chosen_measures(["nG@1,P+", "Acc(L1,L2)@1"])]
    ['nG@1', 'P+', 'Acc(L1,L2)@1']
    """
    listed = measure_list(names)
    if not listed:
        example = option("measures", python='["nG@1", "nERR@10"]')
        raise InputError(f"no measures; give at least one, as {example}")
    return [choose(name) for given in listed for name in _apart(given)]


def one_measure(names: MeasuresInput) -> str:
    """The one measure of these names; an error with several.

    >>> one_measure(["nERR@10"])
    'nERR@10'
    """
    given = [one.text for one in chosen_measures(names)]
    if len(given) > 1:
        raise InputError(f"{option('measures')} is one name here, and {', '.join(given)} are given; give one")
    return given[0]


def _apart(given: object) -> list[object]:
    """The name, or the names between its commas."""
    if not isinstance(given, str) or "," not in given:
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
