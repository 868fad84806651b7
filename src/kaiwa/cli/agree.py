from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.shell.output import IN_FILE, emit, json_option, remark, seed_option
from kaiwa.cli.shell.progress import progress

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.flow.agree import AgreementReport
    from kaiwa.label.agreement import Estimate
    from kaiwa.report.text_tables import Cell


@click.command("agree", epilog="Example: kaiwa agree labels.txt.gz --merge L1+L2 --json")
@click.argument("votes", type=IN_FILE)
@click.option("--merge", metavar="L1+L2", help="Levels to count as one class.")
@click.option("--top", type=click.IntRange(1), help="The scale's highest level (default: 2 in an STC label file).")
@click.option("--pairs", is_flag=True, help="Cohen's kappa, plain and weighted, of every two assessors.")
@click.option("-n", "--contested", type=click.IntRange(0), default=5, show_default=True, help="Most contested items.")
@click.option(
    "--samples", type=click.IntRange(2, 100_000), default=1000, show_default=True, help="Resamples of topics."
)
@seed_option
@json_option
def command(  # noqa: PLR0917  click passes by name
    votes: Path,
    merge: str | None,
    top: int | None,
    pairs: bool,  # noqa: FBT001
    contested: int,
    samples: int,
    seed: int,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Fleiss' kappa, Krippendorff's alpha and raw agreement of VOTES, with intervals over topics.

    VOTES is an STC label file (post, comment, labels) or tidy CSV topic,comment,assessor,level. NA votes are
    counted and otherwise passed over.
    """
    from kaiwa.flow.agree import agree_file

    with progress("resampling topics"):
        report = agree_file(votes, seed=seed, top=top, merge=merge, samples=samples, number=contested, pairs=pairs)
    if report.agreement.missing:
        remark(f"{report.agreement.missing:,} votes are NA and were not counted")
    emit(_text(report), _fields(report), as_json=as_json)


def _text(report: AgreementReport) -> str:
    from kaiwa.report.text_tables import table

    found = report.agreement
    rows: list[list[Cell]] = [
        _row("Fleiss' kappa", found.fleiss),
        *(_row(f"Krippendorff's alpha, {metric}", value) for metric, value in found.alpha.items()),
        _row("raw agreement", found.raw),
    ]
    counted = (
        f"{found.items:,} items of {found.topics:,} topics, {found.votes:,} votes, {found.votes_per_item:g} an item"
    )
    parts = [counted, table(["statistic", "value", "95% low", "high"], rows)]
    if report.contested:
        cells: list[list[Cell]] = [
            [item.topic, item.comment, " ".join(map(str, item.votes)), item.agreement] for item in report.contested
        ]
        parts.append("most contested\n" + table(["topic", "comment", "votes L0 L1 ...", "agreement"], cells))
    if report.pairs:
        cells = [
            [
                f"{pair.first} {pair.second}",
                pair.items,
                pair.agreement,
                *map(_number, (pair.kappa, pair.linear, pair.quadratic)),
            ]
            for pair in report.pairs
        ]
        parts.append(table(["assessors", "items", "agreement", "kappa", "linear", "quadratic"], cells))
    return "\n\n".join(parts)


def _row(name: str, value: Estimate) -> list[Cell]:
    return [name, _number(value.value), _number(value.low), _number(value.high)]


def _number(value: float) -> float | None:
    """The number, or nothing where it is undefined."""
    return None if value != value else value  # noqa: PLR0124  only NaN differs from itself


def _estimate(value: Estimate) -> dict[str, float | None]:
    return {"value": _number(value.value), "low": _number(value.low), "high": _number(value.high)}


def _fields(report: AgreementReport) -> dict[str, Any]:  # Any: JSON values
    found = report.agreement
    return {
        "fleiss_kappa": _number(found.fleiss.value),
        "krippendorff_alpha": {metric: _number(value.value) for metric, value in found.alpha.items()},
        "raw_agreement": _number(found.raw.value),
        "items": found.items,
        "topics": found.topics,
        "votes": found.votes,
        "missing": found.missing,
        "votes_per_item": found.votes_per_item,
        "intervals": {
            "fleiss_kappa": _estimate(found.fleiss),
            "krippendorff_alpha": {metric: _estimate(value) for metric, value in found.alpha.items()},
            "raw_agreement": _estimate(found.raw),
        },
        "contested": [
            {"topic": item.topic, "comment": item.comment, "votes": list(item.votes), "agreement": item.agreement}
            for item in report.contested
        ],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "items": pair.items,
                "agreement": pair.agreement,
                "cohen_kappa": _number(pair.kappa),
                "linear": _number(pair.linear),
                "quadratic": _number(pair.quadratic),
            }
            for pair in report.pairs
        ],
    }
