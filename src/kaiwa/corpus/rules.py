"""Rules that a post or a comment must pass; a rule set is data, with the source of its rules."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, Names
from kaiwa.formats.text_files import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from kaiwa.nouns.run import Pair


SIDES = ("post", "comment", "both")
ON = ("text", "name", "date")
CANDIDATES = ("comments", "both")
_COUNTS = ("min_chars", "max_chars")
_DATES = ("since", "until")
_TESTS = ("removes", "needs", *_COUNTS, *_DATES)
_DATE = re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?")


@dataclass(frozen=True)
class Rule:
    """One named reason to remove a text.

    ``removes`` is a pattern whose match removes the text, ``needs`` one without whose match it is removed;
    ``min_chars`` and ``max_chars`` limit its length. ``on`` is what is tested: the ``text`` of the post or comment, the
    ``name`` of its author, or its ``date``, such as 2014-08-04; ``since`` and ``until`` are the first and the last
    date, year or month that pass. An unknown date does not pass them. ``says`` describes the rule to users.
    """

    name: str
    says: str
    side: str = "both"
    on: str = "text"
    removes: str = ""
    needs: str = ""
    min_chars: int = 0
    max_chars: int = 0
    since: str = ""
    until: str = ""

    def __post_init__(self) -> None:
        if self.side not in SIDES or self.on not in ON:
            known = f"side is {', '.join(SIDES)}, on is {', '.join(ON)}"
            raise InputError(f"rule {self.name!r}: side {self.side!r} on {self.on!r}; {known}")
        if not any(getattr(self, test) for test in _TESTS):
            raise InputError(f"rule {self.name!r}: no test; give one of {', '.join(_TESTS)}")
        for bound in filter(None, (self.since, self.until)):
            if self.on != "date":
                raise InputError(f'rule {self.name!r}: since and until are tests of a date; add on = "date"')
            if not _DATE.fullmatch(bound):
                raise InputError(f"rule {self.name!r}: {bound!r} is not a date; write 2014, 2014-08 or 2014-08-04")
        if self.since and self.until and self.until[: len(self.since)] < self.since[: len(self.until)]:
            raise InputError(f"rule {self.name!r}: until {self.until} is before since {self.since}; exchange them")
        self._patterns  # noqa: B018  an invalid pattern is refused here

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
        try:
            removes = re.compile(self.removes) if self.removes else None
            return removes, re.compile(self.needs) if self.needs else None
        except re.error as fault:
            raise InputError(f"rule {self.name!r}: not a regular expression ({fault}); fix the pattern") from None

    def refuses(self, text: str) -> bool:
        """Whether the rule removes the text.

        >>> Rule("short", "too short", min_chars=3).refuses("ok")
        True
        >>> window = Rule("half", "", on="date", since="2014", until="2014-06")
        >>> [window.refuses(date) for date in ("2013-12-31", "2014-01-01", "2014-06-30", "2014-07-01", "")]
        [True, False, False, True, True]
        """
        removes, needs = self._patterns
        return (
            self._is_outside(text)
            or len(text) < self.min_chars
            or (self.max_chars > 0 and len(text) > self.max_chars)
            or (removes is not None and removes.search(text) is not None)
            or (needs is not None and needs.search(text) is None)
        )

    def _is_outside(self, date: str) -> bool:
        """Whether the date is not from ``since`` to ``until``; a year or a month has all its days."""
        early = bool(self.since) and date[: len(self.since)] < self.since
        return early or (bool(self.until) and (not date or date[: len(self.until)] > self.until))


@dataclass(frozen=True)
class RuleSet:
    """Rules with their source, and settings for the pairs that pass them.

    ``first_comments`` keeps only that many comments of each post (0: all); with ``merge``, near-duplicate comments are
    merged; with ``once``, each id is in one pair only, its first. ``candidates`` are what a system may answer: the
    ``comments``, or ``both`` posts and comments, which needs ``once`` and no ``merge``: a candidate has one id.
    """

    name: str
    source: str
    rules: tuple[Rule, ...]
    first_comments: int = 0
    merge: bool = True
    once: bool = False
    candidates: str = "comments"

    def __post_init__(self) -> None:
        if self.candidates not in CANDIDATES:
            known = " or ".join(CANDIDATES)
            raise InputError(f"rule set {self.name!r}: candidates {self.candidates!r}; candidates are {known}")
        if self.candidates == "both" and (self.merge or not self.once):
            fix = "add once = true and merge = false"
            raise InputError(
                f'rule set {self.name!r}: candidates = "both" needs a text to have one id and one pair; {fix}'
            )
        if self.once and self.first_comments:
            what = f"first_comments = {self.first_comments} cannot act where each id is used once"
            raise InputError(f"rule set {self.name!r}: {what}; leave it out")

    @property
    def on_tweets(self) -> tuple[str, ...]:
        """The rules that look at the name or the date of a tweet, which pairs do not have."""
        return tuple(rule.name for rule in self.rules if rule.on != "text")

    @cached_property
    def _by_side(self) -> dict[tuple[str, str], tuple[Rule, ...]]:
        return {
            (side, on): tuple(rule for rule in self.rules if rule.side in {side, "both"} and rule.on == on)
            for side in ("post", "comment")
            for on in ON
        }

    def against(self, side: str, text: str, *, on: str = "text") -> str | None:
        """The name of the first rule that the text breaks, or None.

        >>> RuleSet("s", "", (Rule("short", "", min_chars=3),)).against("post", "ok")
        'short'
        """
        for rule in self._by_side[side, on]:
            if rule.refuses(text):
                return rule.name
        return None

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> RuleSet:  # Any: values of a TOML file, checked here
        """The rule set of a table of fields; an unknown field is an error.

        ``extends`` names a rule set that comes with Kaiwa, whose rules are applied first.
        """
        rest = {key: value for key, value in fields.items() if key != "rule"}
        _refuse_unknown("rule set", rest, tuple(_FIELDS))
        _refuse_types("rule set", rest, _FIELDS)
        extended = _shipped_sets()[rest.pop("extends")] if "extends" in rest else {}
        rules = fields.get("rule", [])
        if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
            raise InputError("rule set: rule is not a list of tables; write [[rule]] before the fields of each rule")
        for rule in rules:
            place = f"rule {rule.get('name', '')!r}"
            _refuse_unknown(place, rule, tuple(Rule.__dataclass_fields__))
            _refuse_types(place, rule, {name: int if name in _COUNTS else str for name in Rule.__dataclass_fields__})
        try:
            return cls(rules=tuple(Rule(**rule) for rule in [*extended.get("rule", []), *rules]), **rest)
        except TypeError as fault:
            raise InputError(
                f"rule set: {str(fault).split(') ')[-1]}; give name, source and for each rule name and says"
            ) from None


_FIELDS = {
    "name": str,
    "source": str,
    "extends": str,
    "first_comments": int,
    "merge": bool,
    "once": bool,
    "candidates": str,
}


def _refuse_types(place: str, fields: Mapping[str, Any], types: Mapping[str, type]) -> None:  # Any: TOML values
    wanted = {str: "text in quotes", int: "a whole number", bool: "true or false"}
    for name, value in fields.items():
        if type(value) is not types[name]:
            raise InputError(f"{place}: {name} is {type(value).__name__}; write {wanted[types[name]]}")


def _refuse_unknown(place: str, fields: Mapping[str, Any], known: tuple[str, ...]) -> None:  # Any: TOML values
    if unknown := [key for key in fields if key not in known]:
        raise InputError(f"{place}: unknown field {unknown[0]!r}; known: {', '.join(known)}")


# Pairs that pass a rule set, and counts of those that were removed.


EXAMPLES = 3
EXAMPLE_CHARS = 60


class Removals:
    """How many pairs each rule removed, with the first few texts it removed.

    >>> removals = Removals()
    >>> removals.add("short", "ok")
    >>> removals.counts, removals.examples
    ({'short': 1}, {'short': ['ok']})
    """

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.examples: dict[str, list[str]] = {}

    def add(self, reason: str, text: str, *, times: int = 1) -> None:
        """Count a removed text."""
        self.counts[reason] = self.counts.get(reason, 0) + times
        shown = self.examples.setdefault(reason, [])
        if text and len(shown) < EXAMPLES and text[:EXAMPLE_CHARS] not in shown:
            shown.append(text[:EXAMPLE_CHARS])

    def include(self, later: Removals) -> None:
        """Add what was removed later in the same input."""
        for reason, count in later.counts.items():
            self.add(reason, "", times=count)
            for text in later.examples[reason]:
                self.add(reason, text, times=0)


def passing(pairs: Iterable[Pair], rules: RuleSet, removals: Removals, takedown: AbstractSet[str]) -> list[Pair]:
    """The pairs whose post and comment both pass; the others are counted by the first rule that removes them.

    A comment of a takedown passes, because its near-duplicates are still to be found; no example shows a takedown.
    """
    kept = []
    last: str | None = None
    post_reason: str | None = None
    for pair in pairs:
        if pair.post != last:
            last, post_reason = pair.post, rules.against("post", pair.post)
        reason = post_reason or rules.against("comment", pair.comment)
        if reason is None or pair.comment_id in takedown:
            kept.append(pair)
        else:
            removed, name = (pair.post, pair.post_id) if post_reason else (pair.comment, pair.comment_id)
            hidden = pair.post_id in takedown
            removals.add(reason, "" if hidden else removed if removed.strip() else f"{name} (empty)")
    return kept


# Rule sets: the ones that come with Kaiwa, and a user's own, as TOML.


def known_rules() -> Names[RuleSet]:
    """The rule sets that come with Kaiwa, by name.

    >>> sorted(known_rules())
    ['chat', 'none', 'ntcir12-ja', 'plain', 'twitter', 'weibo']
    """
    return Names("rule set", {name: RuleSet.from_fields(fields) for name, fields in _shipped_sets().items()})


def _shipped_sets() -> Names[dict[str, Any]]:  # Any: values of TOML files
    """The fields of the rule sets that come with Kaiwa, by name."""
    shipped = sorted(files("kaiwa.corpus").joinpath("rulesets").iterdir(), key=lambda entry: entry.name)
    sets = [tomllib.loads(entry.read_text(encoding="utf-8")) for entry in shipped]
    return Names("rule set", {fields["name"]: fields for fields in sets})


def read_rules(name: str) -> RuleSet:
    """The rule set of that name, or the one in the TOML file of that name."""
    if not name.endswith(".toml"):
        return known_rules()[name]
    try:
        return RuleSet.from_fields(read_toml(Path(name), "see kaiwa names rules for examples"))
    except InputError as fault:
        raise fault if str(fault).startswith(name) else InputError(f"{name}: {fault.marked}") from None
