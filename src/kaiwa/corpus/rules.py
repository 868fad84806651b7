"""Rules that a post or a comment must pass; a rule set is data, with the source of its rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

SIDES = ("post", "comment", "both")
_COUNTS = ("min_chars", "max_chars")
_TESTS = ("removes", "needs", *_COUNTS)


@dataclass(frozen=True)
class Rule:
    """One named reason to remove a text.

    ``removes`` is a pattern whose match removes the text, ``needs`` one without whose match it is removed;
    ``min_chars`` and ``max_chars`` limit its length. ``on`` is the text that is tested: that of the
    post or comment, or the ``name`` of its author. ``says`` describes the rule to users.
    """

    name: str
    says: str
    side: str = "both"
    on: str = "text"
    removes: str = ""
    needs: str = ""
    min_chars: int = 0
    max_chars: int = 0

    def __post_init__(self) -> None:
        if self.side not in SIDES or self.on not in {"text", "name"}:
            raise InputError(
                f"rule {self.name!r}: side {self.side!r} on {self.on!r}; side is {', '.join(SIDES)}, on is text or name"
            )
        if not any(getattr(self, test) for test in _TESTS):
            raise InputError(f"rule {self.name!r}: no test; give one of {', '.join(_TESTS)}")
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
        """
        removes, needs = self._patterns
        return (
            len(text) < self.min_chars
            or (self.max_chars > 0 and len(text) > self.max_chars)
            or (removes is not None and removes.search(text) is not None)
            or (needs is not None and needs.search(text) is None)
        )


@dataclass(frozen=True)
class RuleSet:
    """Rules with their source, and settings for the pairs that pass them.

    ``first_comments`` keeps only that many comments of each post (0: all); with ``merge``,
    near-duplicate comments are merged.
    """

    name: str
    source: str
    rules: tuple[Rule, ...]
    first_comments: int = 0
    merge: bool = True

    @cached_property
    def _by_side(self) -> dict[tuple[str, str], tuple[Rule, ...]]:
        return {
            (side, on): tuple(rule for rule in self.rules if rule.side in {side, "both"} and rule.on == on)
            for side in ("post", "comment")
            for on in ("text", "name")
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
        """The rule set of a table of fields; an unknown field is an error."""
        rest = {key: value for key, value in fields.items() if key != "rule"}
        _refuse_unknown("rule set", rest, ("name", "source", "first_comments", "merge"))
        _refuse_types("rule set", rest, {"name": str, "source": str, "first_comments": int, "merge": bool})
        rules = fields.get("rule", [])
        if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
            raise InputError("rule set: rule is not a list of tables; write [[rule]] before the fields of each rule")
        for rule in rules:
            place = f"rule {rule.get('name', '')!r}"
            _refuse_unknown(place, rule, tuple(Rule.__dataclass_fields__))
            _refuse_types(place, rule, {name: int if name in _COUNTS else str for name in Rule.__dataclass_fields__})
        try:
            return cls(rules=tuple(Rule(**rule) for rule in rules), **rest)
        except TypeError as fault:
            raise InputError(
                f"rule set: {str(fault).split(') ')[-1]}; give name, source and for each rule name and says"
            ) from None


def _refuse_types(place: str, fields: Mapping[str, Any], types: Mapping[str, type]) -> None:  # Any: TOML values
    wanted = {str: "text in quotes", int: "a whole number", bool: "true or false"}
    for name, value in fields.items():
        if type(value) is not types[name]:
            raise InputError(f"{place}: {name} is {type(value).__name__}; write {wanted[types[name]]}")


def _refuse_unknown(place: str, fields: Mapping[str, Any], known: tuple[str, ...]) -> None:  # Any: TOML values
    if unknown := [key for key in fields if key not in known]:
        raise InputError(f"{place}: unknown field {unknown[0]!r}; known: {', '.join(known)}")
