"""A kind in, its names out: measures, systems, features, tests, formats, rules and all others that settings take.

``names`` is the public function, ``NameTable`` its result. A kind is one row of KINDS; its names stand where they are
used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import Names, UnknownName, counted
from kaiwa.show.result import Description, Result, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kaiwa.show.text import Cell

    Rows = list[dict[str, Any]]  # Any: JSON values; the first is the name


class NameTable(Result):
    """The names of a kind, each with its description and what else is known of it.

    >>> import kaiwa
    >>> measures = kaiwa.names("measures")
    >>> measures["nG"]
    "gain at rank 1 over the ideal's"
    >>> "nDCG" in measures, list(measures)[:3]
    (True, ['nG', 'nERR', 'P+'])
    """

    def __init__(
        self, kind: str, singular: str, rows: Rows, notes: tuple[str, ...] = (), unprinted: tuple[str, ...] = ()
    ) -> None:
        self.kind = kind
        self.names = rows
        self._singular = singular
        self._notes = notes
        self._unprinted = unprinted

    def __repr__(self) -> str:
        return f"NameTable({counted(len(self), self._singular)})"

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(str(row["name"]) for row in self.names))

    def __len__(self) -> int:
        return len({row["name"] for row in self.names})

    def __contains__(self, name: object) -> bool:
        return any(row["name"] == name for row in self.names)

    def __getitem__(self, name: str) -> str:
        """The description of a name."""
        found = [str(row.get("description", "")) for row in self.names if row["name"] == name]
        if not found:
            raise UnknownName.among(self._singular, name, self)
        return found[0]

    def describe(self) -> Description:
        """A row for each name."""
        columns = [column for column in self.names[0] if column not in self._unprinted]
        return Description(
            tables=(Table(self.kind, columns, [[_cell(row[column]) for column in columns] for row in self.names]),),
            notes=self._notes,
            fields={"kind": self.kind, "names": self.names},
        )


def _cell(value: Any) -> Cell:  # Any: JSON values
    if isinstance(value, dict | list | tuple):
        return ", ".join(map(str, value))
    return value  # type: ignore[no-any-return]  # a text, a number or None


@dataclass(frozen=True)
class Kind:
    """What one of the names is called, the names, lines below the table, and what JSON alone has."""

    singular: str
    rows: Callable[[], Rows]
    notes: tuple[str, ...] = ()
    unprinted: tuple[str, ...] = ()


def names(kind: str | None = None) -> NameTable:
    """The names of a kind, with what each is; without a kind the kinds.

    >>> import kaiwa
    >>> print(kaiwa.names("fusions"))
    name     description
    -------  ------------------------------------------------------------------------------
    rrf      the sum of 1 / (60 + rank) (Cormack et al. 2009)
    combsum  the sum of the scores, each ranking scaled from 0 to 1 (Fox and Shaw 1994)
    combmnz  CombSUM times the number of rankings that have the comment (Fox and Shaw 1994)
    """
    if kind is None:
        rows: Rows = [{"name": name, "description": f"each {one.singular}"} for name, one in KINDS.items()]
        return NameTable("kinds", "kind", rows)
    chosen = KINDS[kind]
    return NameTable(kind, chosen.singular, chosen.rows(), chosen.notes, chosen.unprinted)


def _measures() -> Rows:
    from kaiwa.measures.table import MEASURES

    return [
        {"name": name, "description": one.description, "options": dict(one.options), "cutoff": one.cutoff}
        for name, one in MEASURES.items()
    ]


def _schemes() -> Rows:
    from kaiwa.labelling.gains import SCHEMES

    return [{"name": name, "description": one.description} for name, one in SCHEMES.items()]


def _tests() -> Rows:
    from kaiwa.comparison.baseline import BASELINE_TESTS
    from kaiwa.comparison.comparison import TESTS
    from kaiwa.comparison.texts import BASELINE_NAMES, TEST_NAMES

    both = {**TEST_NAMES, **{name: BASELINE_NAMES[name] for name in BASELINE_TESTS if name not in TESTS}}
    return [
        {
            "name": name,
            "description": both.get(name, "the model of topic, run, assessor and repeat"),
            "compares": [
                *(["all pairs"] if name in TESTS else []),
                *(["with a baseline"] if name in BASELINE_TESTS else []),
            ],
        }
        for name in dict.fromkeys([*TESTS, *BASELINE_TESTS])
    ]


def _designs() -> Rows:
    from kaiwa.topicset.tests import TESTS

    rows: Rows = [
        {"name": name, "description": one.promise.format(topic="topic"), "variance": one.error}
        for name, one in TESTS.items()
    ]
    return [*rows, {"name": "interval", "description": "a confidence interval has this width", "variance": "V_E"}]


def _simulated() -> Rows:
    import numpy as np

    from kaiwa.topicset.pilots import simulated_tests

    return [{"name": name, "description": "as in a design"} for name in simulated_tests(np.random.default_rng(1))]


def _spendings() -> Rows:
    from kaiwa.topicset.rounds import SPENDING

    return [{"name": name, "description": "a spending function of alpha"} for name in SPENDING]


def _methods() -> Rows:
    exact, sakai = "the noncentral distribution itself", "the approximation of the published tables"
    return [{"name": "exact", "description": exact}, {"name": "sakai", "description": sakai}]


def _formats() -> Rows:
    from kaiwa.formats.table import FORMATS

    return [
        {
            "name": name,
            "description": one.description,
            "noun": one.noun.name,
            "line": one.shape,
            "written": one.texts is not None,
        }
        for name, one in FORMATS.items()
    ]


def _written() -> Rows:
    return [row for row in _formats() if row["written"]]


def _rules() -> Rows:
    from kaiwa.corpus.rules import known_rules

    rows: Rows = []
    for name, chosen in known_rules().items():
        own = [(rule.name, rule.side, rule.says) for rule in chosen.rules]
        if chosen.first_comments:
            own.append(("first comments", "comment", f"first {counted(chosen.first_comments, 'comment')} of a post"))
        if chosen.merge:
            own.append(("merged", "comment", "near-duplicate comments merged"))
        rows += [
            {"name": name, "description": chosen.source, "rule": rule, "side": side, "says": says}
            for rule, side, says in own or [("", "", "")]
        ]
    return rows


def _codes() -> Rows:
    from kaiwa.checking.problems import CODES

    return [
        {"name": name, "description": one.meaning, "severity": one.severity, "fix": one.fix}
        for name, one in CODES.items()
    ]


def _systems() -> Rows:
    from kaiwa.ranking.system_table import SYSTEMS

    return [
        {"name": name, "description": one.description, "needs": one.models, "origin": one.origin, "guess": one.guess}
        for name, one in SYSTEMS.items()
    ]


def _features() -> Rows:
    from kaiwa.ranking.features.table import FEATURES

    return [
        {"name": name, "description": one.description, "needs": one.needs, "family": one.group}
        for name, one in FEATURES.items()
    ]


def _models() -> Rows:
    from kaiwa.ranking.models.table import MODELS

    return [{"name": name, "description": one.description, "needs": one.needs} for name, one in MODELS.items()]


def _fusions() -> Rows:
    from kaiwa.ranking.fusion import DESCRIPTIONS, FORMULAS

    return [{"name": name, "description": DESCRIPTIONS[name]} for name in FORMULAS]


def _learners() -> Rows:
    from kaiwa.ranking.ranker import LEARNERS

    return [
        {"name": name, "description": one.description, "parameter": one.parameter} for name, one in LEARNERS.items()
    ]


def _tokenisers() -> Rows:
    from kaiwa.retrieval.tokenisers import TOKENISERS

    described = {
        "zh": "words of Chinese",
        "ja": "words of Japanese",
        "en": "words of English, stemmed, without stop words",
        "bigrams": "pairs of neighbouring characters, of any language",
    }
    return [{"name": name, "description": described[name]} for name in TOKENISERS]


def _reproductions() -> Rows:
    from kaiwa.reporting.reproduce import REPRODUCTIONS

    return [{"name": name, "description": "published numbers, computed again"} for name in REPRODUCTIONS]


KINDS = Names(
    "kind of names",
    {
        "measures": Kind(
            "measure",
            _measures,
            ("@k after a name is the cutoff. The prefixes D-, D#-, DIN-, DIN#- and IA- need judgements by intent.",),
        ),
        "schemes": Kind("scheme", _schemes),
        "rules": Kind("rule set", _rules),
        "systems": Kind(
            "system",
            _systems,
            ("fusion:A,B fuses the systems A and B. --json has what each had to guess.",),
            ("guess",),
        ),
        "features": Kind("feature", _features),
        "models": Kind("model", _models),
        "learners": Kind("learner", _learners),
        "fusions": Kind("fusion", _fusions),
        "tokenisers": Kind("tokeniser", _tokenisers, ("zh+bigrams has both; so have ja and en.",)),
        "codes": Kind("check code", _codes),
        "reproductions": Kind("reproduction", _reproductions),
        "tests": Kind("test", _tests),
        "designs": Kind("design", _designs),
        "methods": Kind("method", _methods),
        "formats": Kind("format", _formats),
        "written-formats": Kind("written format", _written),
        "simulated-tests": Kind("simulated test", _simulated),
        "spendings": Kind("spending", _spendings),
    },
)
"""Every kind of names."""
