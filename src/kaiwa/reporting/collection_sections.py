"""The collection's sections: assessors, pool, systems, and the data card."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import counted
from kaiwa.show.page import Data, Details, Paragraph, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.labelling.agreement import Agreement, Contested
    from kaiwa.labelling.estimates import Estimate
    from kaiwa.reporting.results import PoolFacts
    from kaiwa.show.page import Part
    from kaiwa.show.text import Cell


def agreement_section(found: Agreement, contested: Sequence[Contested], texts: Mapping[str, str]) -> Section:
    """The agreement of the assessors, and the most contested items."""
    rows: list[list[Cell]] = [
        ["raw agreement of two assessors", *_estimate(found.raw)],
        ["Fleiss' kappa", *_estimate(found.fleiss)],
        *([f"Krippendorff's alpha ({metric})", *_estimate(one)] for metric, one in found.alpha.items()),
    ]
    missing = counted(found.missing, "NA vote")
    lead = f"{counted(found.items, 'item')} with {found.votes_per_item:.3g} votes each; {missing}."
    parts: list[Part] = [
        Paragraph(" ".join([lead, "Limits of 95%.", *found.notes])),
        Table("agreement", "Agreement of the assessors", ["statistic", "value", "low", "high"], rows),
    ]
    if contested:
        items: list[list[Cell]] = [
            [one.topic, one.comment, texts.get(one.comment, "-"), " ".join(map(str, one.votes))] for one in contested
        ]
        header = ["topic", "comment", "text", "votes at L0, L1, ..."]
        parts.append(Table("contested", "Most contested items", header, items))
    return Section("Assessors", tuple(parts))


def _estimate(one: Estimate) -> list[Cell]:
    return [None if isnan(value) else value for value in (one.value, one.low, one.high)]


def pool_section(facts: PoolFacts, unjudged_topics: Sequence[str]) -> Section:
    """What was pooled, who contributed it, the unjudged share of each run, and the topics without judgements."""
    gaps = {one.run: (int(one.unjudged.sum()), int(one.returned.sum())) for one in facts.coverage}
    rows: list[list[Cell]] = [
        [one.name, one.items, one.unique, *([_share(*gaps[one.name])] if one.name in gaps else [None] if gaps else [])]
        for one in facts.runs
    ]
    header = ["run", "items", "only this run", *(["unjudged, %"] if gaps else [])]
    runs, teams, sizes, coverage = facts.runs, facts.teams, facts.sizes, facts.coverage
    depth = facts.depth or len(sizes)
    reach = f", to depth {facts.depth}" if facts.depth else "" if facts.pooled else f", ranks 1 to {depth}"
    parts: list[Part] = [
        Paragraph(_pooled(facts, depth)),
        Table("pool", f"What each run contributed to the pool{reach}", header, rows, digits=1),
    ]
    if len(teams) < len(runs):
        by_team: list[list[Cell]] = [[one.name, one.items, one.unique] for one in teams]
        parts.append(Table("pool-teams", "What each team contributed", ["team", "items", "only this team"], by_team))
    by_depth: list[list[Cell]] = [[place, size] for place, size in enumerate(sizes, start=1)]
    parts.append(
        Details("Size of the pool at each depth", (Table("pool-sizes", "Pool by depth", ["depth", "items"], by_depth),))
    )
    if unjudged_topics:
        names: list[list[Cell]] = [[topic] for topic in unjudged_topics]
        table = Table("unjudged-topics", "Topics without judgements", ["topic"], names)
        parts.append(Details(f"{counted(len(names), 'topic')} without judgements", (table,)))
    by_rank: list[list[Cell]] = [
        [one.run, rank, returned, unjudged]
        for one in coverage
        for rank, (returned, unjudged) in enumerate(
            zip(one.returned.tolist(), one.unjudged.tolist(), strict=True), start=1
        )
    ]
    if by_rank:
        about = "Returned and unjudged comments at each rank"
        parts.append(Data(Table("unjudged", about, ["run", "rank", "returned", "unjudged"], by_rank)))
    return Section("Pool", tuple(parts))


def _pooled(facts: PoolFacts, depth: int) -> str:
    low, middle, high = (f"{value:g}" for value in np.quantile(facts.per_topic, [0.0, 0.5, 1.0]))
    spread = f"{low} to {high} per topic, median {middle}"
    if not facts.pooled:
        return (
            f"The task folder holds no pool. The runs have {counted(facts.items, 'different comment')} at ranks 1 to "
            f"{depth}: {spread}."
        )
    to_depth = f"to depth {facts.depth}" if facts.depth else "(depth not recorded)"
    judged = "" if facts.unjudged is None else f" {facts.items - facts.unjudged:,} of them are judged."
    pooled = f"{counted(facts.items, 'comment')} {'was' if facts.items == 1 else 'were'} pooled {to_depth}: {spread}."
    return f"{pooled}{judged} Those that only one run found would not have been judged without it."


def _share(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def systems_section(descriptions: Mapping[str, str]) -> Section:
    """The description of each run."""
    rows: list[list[Cell]] = [[run, about or "no description"] for run, about in descriptions.items()]
    return Section("Systems", (Table("systems", "Descriptions by the authors", ["run", "description"], rows),))


def data_card_section(facts: Sequence[tuple[str, str]], inputs: Sequence[tuple[str, str, str, str]]) -> Section:
    """The data card: what the collection is, and the exact files behind the results."""
    parts: list[Part] = [Table("data-card", "The collection", ["what", "value"], facts)]
    if inputs:
        header = ["file", "made by", "options", "SHA-256"]
        files = Table("inputs", "The files these results were made from", header, inputs)
        parts.append(Details("Files and their hashes", (files,)))
    return Section("Data card", tuple(parts))
