"""A cleaned repository, with what each rule removed; and the rule sets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.build.repository.cleaning import Cleaned
    from kaiwa.corpus.rules import RuleSet
    from kaiwa.report.text_tables import Cell

_WIDTH = 60
"""Width of the examples in a table; the JSON fields have them in full."""


@dataclass(frozen=True)
class CleanView:
    """The result of cleaning, and its folder."""

    cleaned: Cleaned
    repository: Path

    def text(self) -> str:
        """What was kept, and a table of what each rule removed."""
        cleaned, made = self.cleaned, self.cleaned.manifest
        kept = f"{counted(made.posts, 'post')}, {counted(made.comments, 'comment')}, {counted(made.pairs, 'pair')}"
        merged = f"{counted(cleaned.merged, 'comment')} merged into near-duplicates"
        lines = [f"{self.repository}: {kept} of {cleaned.pairs_read:,} read; {merged}"]
        counts = {"post": cleaned.conflicting.posts, "comment": cleaned.conflicting.comments}
        lines += [
            f"{counted(counts[one.side], f'{one.side} id')} with more than one text, the first kept: {one}"
            for one in cleaned.conflicting.examples
        ]
        if cleaned.removed:
            rows: list[list[Cell]] = [[why, count, self._examples(why)] for why, count in cleaned.removed.items()]
            lines += ["", table(["removed", "pairs", "for example"], rows)]
        return "\n".join(lines)

    def _examples(self, why: str) -> str:
        return shorten(" | ".join(self.cleaned.examples.get(why, [])), _WIDTH, placeholder=" ...")

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The counts as JSON fields."""
        cleaned, made = self.cleaned, self.cleaned.manifest
        return {
            "repository": str(self.repository),
            "rules": made.rules,
            "pairs_read": cleaned.pairs_read,
            "posts": made.posts,
            "comments": made.comments,
            "pairs": made.pairs,
            "merged": cleaned.merged,
            "removed": cleaned.removed,
            "examples": cleaned.examples,
            "conflicting_ids": asdict(cleaned.conflicting),
        }


@dataclass(frozen=True)
class RulesView:
    """The known rule sets."""

    sets: Mapping[str, RuleSet]

    def text(self) -> str:
        """Each rule set with its source and its rules."""
        return "\n".join(line for chosen in self.sets.values() for line in _rule_lines(chosen))

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The rule sets as JSON fields."""
        sets = {
            name: {"source": one.source, "rules": [asdict(rule) for rule in one.rules]}
            for name, one in self.sets.items()
        }
        return {"rule_sets": sets}


def _rule_lines(chosen: RuleSet) -> list[str]:
    lines = [f"{chosen.name}: {chosen.source}"]
    lines += [f"  {rule.name} ({rule.side}): {rule.says}" for rule in chosen.rules]
    lines += [f"  first {counted(chosen.first_comments, 'comment')} of a post"] if chosen.first_comments else []
    lines += ["  near-duplicate comments merged"] if chosen.merge else []
    return lines
