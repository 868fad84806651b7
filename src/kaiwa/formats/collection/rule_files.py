"""Rule sets: the ones that come with Kaiwa, and a user's own, as TOML."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

from kaiwa.corpus.rules import RuleSet
from kaiwa.errors import InputError
from kaiwa.formats.text.toml_files import read_toml
from kaiwa.registry import Names


def known_rules() -> Names[RuleSet]:
    """The rule sets that come with Kaiwa, by name.

    >>> sorted(known_rules())
    ['chat', 'none', 'plain', 'twitter', 'weibo']
    """
    shipped = sorted(files("kaiwa.corpus").joinpath("rulesets").iterdir(), key=lambda entry: entry.name)
    sets = [RuleSet.from_fields(tomllib.loads(entry.read_text(encoding="utf-8"))) for entry in shipped]
    return Names("rule set", {rules.name: rules for rules in sets})


def read_rules(name: str) -> RuleSet:
    """The rule set of that name, or the one in the TOML file of that name."""
    if not name.endswith(".toml"):
        return known_rules()[name]
    try:
        return RuleSet.from_fields(read_toml(Path(name), "see kaiwa clean --rules list for the shape"))
    except InputError as fault:
        raise fault if str(fault).startswith(name) else InputError(f"{name}: {fault.marked}") from None
