"""Measures: runs and gains in, scores out. Every measure is one row of MEASURES."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kaiwa.measure.families import average, cascade, discounted, diversity, first_relevant, preference, set_counts
from kaiwa.registry import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kaiwa.measure.name import Option
    from kaiwa.model.ids import FloatArray


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
        "nG": Measure("gain at rank 1 over the ideal's", discounted.first_gain, normalised=True, cutoff="1"),
        "nERR": Measure("ERR over the ideal's", cascade.expected_reciprocal_rank, normalised=True),
        "P+": Measure("mean blended ratio down to the preferred rank", first_relevant.p_plus, _BETA),
        "RR": Measure("reciprocal rank of the first relevant item", first_relevant.reciprocal_rank),
        "O": Measure("blended ratio at the first relevant rank", first_relevant.o_measure, _BETA),
        "P": Measure("blended ratio at the preferred rank", first_relevant.p_measure, _BETA),
        "AP": Measure("average precision", average.average_precision),
        "Q": Measure("average blended ratio", average.q_measure, _BETA),
        "NCUgu,P": Measure(
            "graded-uniform NCU, precision", average.graded_uniform_ncu, _BETA | {"s": ()}, {"utility": "P"}
        ),
        "NCUgu,BR": Measure(
            "graded-uniform NCU, blended ratio", average.graded_uniform_ncu, _BETA | {"s": ()}, {"utility": "BR"}
        ),
        "NCUrb,P": Measure("rank-biased NCU, precision", average.rank_biased_ncu, _NCU, {"utility": "P"}),
        "NCUrb,BR": Measure("rank-biased NCU, blended ratio", average.rank_biased_ncu, _NCU, {"utility": "BR"}),
        "NCUrb,IE": Measure("rank-biased NCU, rho^r", average.rank_biased_ncu, _NCU, {"utility": "IE"}),
        "GAP": Measure("graded average precision", average.graded_average_precision),
        "nDCG": Measure(
            "discounted gain over the ideal's; (b=2) for the original form",
            discounted.discounted_gain,
            {"b": 0.0},
            normalised=True,
        ),
        "RBP": Measure("rank-biased precision", discounted.rank_biased_precision, {"p": 0.95}),
        "nRBP": Measure("RBP over the ideal's", discounted.rank_biased_precision, {"p": 0.95}, normalised=True),
        "ERR": Measure("expected reciprocal rank", cascade.expected_reciprocal_rank),
        "EBR": Measure("expected blended ratio", cascade.expected_blended_ratio, _BETA),
        "nEBR": Measure("EBR over the ideal's", cascade.expected_blended_ratio, _BETA, normalised=True),
        "iRBU": Measure("intentwise rank-biased utility", cascade.intentwise_rank_biased_utility, {"rho": 0.99}),
        "niRBU": Measure(
            "iRBU over the ideal's", cascade.intentwise_rank_biased_utility, {"rho": 0.99}, normalised=True
        ),
        "Prec": Measure("relevant items in the first k, over k", set_counts.precision, cutoff="k"),
        "Hit": Measure("whether anything relevant was returned", set_counts.hit),
        "Recall": Measure("relevant items returned, over all", set_counts.recall),
        "bpref": Measure("preference over judged items", preference.bpref, condensed=True),
        "bpref_R": Measure("bpref, penalty over R", preference.bpref_r, condensed=True),
        "bpref_N": Measure("bpref, penalty over N", preference.bpref_n, condensed=True),
        "bpref_relative": Measure("bpref, penalty over r-1", preference.bpref_relative, condensed=True),
        "rpref_N": Measure("graded preference, worst penalty", preference.rpref_n, condensed=True),
        "rpref_relative": Measure("graded preference, penalty over r-1", preference.rpref_relative, condensed=True),
        "rpref_relative2": Measure("graded preference, penalty over r", preference.rpref_relative2, condensed=True),
        "Acc": Measure("share of votes in the named levels, to rank k", set_counts.accuracy, cutoff="k", uses="votes"),
        "I-rec": Measure("intents covered, over all", diversity.intent_recall, uses="intents"),
        "P+Q": Measure("Q of informational, P+ of navigational intents", diversity.p_plus_q, _BETA, uses="intents"),
        "P+Q#": Measure("half I-rec, half P+Q", diversity.p_plus_q_sharp, _BETA, uses="intents"),
    },
)
"""Every measure, the official STC measures first; D-, D#-, DIN-, DIN#- and IA- go before any that uses lists."""
