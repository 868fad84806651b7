"""Recall of true replies in three forms, each beside a ranking by popularity: provenance, not human judgement.

``python -m benchmarks.ranking.provenance REPOSITORY LARGER -o FOLDER`` holds out posts with ``kaiwa topics --rest`` and
uses each as a query. LARGER is a repository of the same posts with all their comments. Further posts are held out in
the same way, and rankers learn from their replies; models are trained on the pairs of LARGER without both groups of
posts and their near-duplicates. FOLDER keeps what was made, so that a second call prints the tables at once.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.ranking.provenance_data import LEARNED, MEASURED, pool_models, prepared
from benchmarks.ranking.provenance_lists import (
    COMMENT_SIDE,
    NEGATIVES,
    POST_SIDE,
    RARE,
    Asking,
    matched,
    put_back,
    still_there,
    stored,
)
from benchmarks.ranking.provenance_rankers import (
    by_trees,
    by_weights,
    calibrated_apart,
    chance_of_difference,
    found_by_topic,
    summed,
)
from kaiwa.retrieval.inverted_index import open_index

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from benchmarks.ranking.provenance_data import HeldOut
    from benchmarks.ranking.provenance_lists import Lists, Made
    from kaiwa.nouns.ids import FloatArray

POPULARITY = "popularity: number of posts"
_NO_POPULARITY = tuple(name for name in COMMENT_SIDE if name not in {"posts", "popularity", "unigram"})
_DEPTHS = (10, 100, 1000)


class Parts(NamedTuple):
    """The lists that rankers learn from, and those that are measured."""

    learned: Lists
    measured: Lists


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("larger", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--topics", type=int, default=2000)
    parser.add_argument("--learned", type=int, default=3000)
    options = parser.parse_args()
    counts = {MEASURED: options.topics, LEARNED: options.learned}
    held_out = prepared(options.repository, options.larger, options.output, counts=counts)
    asking = {part: _asking(options.output, part, own) for part, own in held_out.items()}

    def parts(name: str, made: Callable[[Asking], Made], features: tuple[str, ...]) -> Parts:
        files = {part: options.output / part / f"{name}.npz" for part in asking}
        return Parts(*(stored(files[part], made, asking[part], features) for part in (LEARNED, MEASURED)))

    _print_still_there(parts("still_there", still_there, COMMENT_SIDE + POST_SIDE))
    _print_put_back(parts("put_back", put_back, COMMENT_SIDE), asking[MEASURED])
    _print_matched(
        {
            "one post": parts("matched_one", lambda own: matched(own, own.held_out.put_back), COMMENT_SIDE),
            "several posts": parts("matched_several", lambda own: matched(own, own.held_out.first_kept), COMMENT_SIDE),
        }
    )


def _asking(folder: Path, part: str, held_out: HeldOut) -> Asking:
    pool = open_index(folder / part / "pool-index")
    return Asking(pool, pool_models(folder, part, pool), held_out)


def _print_still_there(parts: Parts) -> None:
    """Replies that are still under other posts: all of them, and the rare ones apart."""
    lists = parts.measured
    print(f"\n{len(lists.wanted)} held-out posts have {lists.wanted.sum()} replies under other posts;", end=" ")
    print(f"{lists.rare.sum()} of them, of {np.count_nonzero(lists.rare)} posts, are under at most {RARE}.\n")
    print("| ranking | recall@10 | recall@100 | rare, recall@10 | rare, recall@100 | rare, p against run2 |")
    print("|---|---:|---:|---:|---:|---:|")
    rankings = _pair_rankings(parts)
    run2 = found_by_topic(lists, rankings["run2"], 10, rare=True)
    for name, scores in rankings.items():
        found = [found_by_topic(lists, scores, depth, rare=rare) for rare in (False, True) for depth in (10, 100)]
        print(f"| {name} | {_cells(found)} | {chance_of_difference(found[2], run2):.3f} |")


def _pair_rankings(parts: Parts) -> dict[str, FloatArray]:
    lists = parts.measured
    return {
        POPULARITY: lists.column("posts"),
        "run2": _run2(lists),
        "towers": lists.column("towers-q2c"),
        "hybrid": lists.total(("q2p", "q2c", "towers-q2p", "towers-q2c")),
        "RankSVM, all but popularity": by_weights(*parts, (*_NO_POPULARITY, *POST_SIDE)),
        "RankSVM, all": by_weights(*parts, lists.features),
        "rare and common calibrated apart": calibrated_apart(*parts, floor=_run2(parts.learned)),
    }


def _run2(lists: Lists) -> FloatArray:
    return lists.column("q2p") + lists.column("q2c")


def _print_put_back(parts: Parts, asking: Asking) -> None:
    """One comment of each post, put back without its post."""
    lists = parts.measured
    print(f"\n{len(lists.wanted)} held-out posts, one comment of each put back among {len(asking.posts):,}.\n")
    print("| ranking | R@10 | R@100 | R@1000 |\n|---|---:|---:|---:|")
    ties = np.random.default_rng(3).random(len(asking.posts))
    rank_of = np.argsort(np.lexsort((ties, -asking.posts)))
    popular = rank_of[asking.numbers(asking.held_out.put_back.values())]
    for name, scores in _comment_rankings(parts).items():
        found = [found_by_topic(lists, scores, depth) for depth in _DEPTHS]
        if name == POPULARITY:  # among all comments, not only the candidates
            found = [(popular < depth).astype(np.float64) for depth in _DEPTHS]
        print(f"| {name} | {_cells(found)} |")
    print(f"| among the candidates | | | {lists.is_true.sum() / len(lists.wanted):.3f} |")


def _print_matched(forms: Mapping[str, Parts]) -> None:
    """The true reply among others that are as popular."""
    print(f"\nThe true reply among {NEGATIVES} comments with as many posts.\n")
    print("| ranking | " + " | ".join(f"replies of {name}, hit@10" for name in forms) + " |")
    print("|---|" + "---:|" * len(forms))
    by_form = [(parts.measured, _comment_rankings(parts)) for parts in forms.values()]
    for name in by_form[0][1]:
        print(f"| {name} | {_cells([found_by_topic(lists, rankings[name], 10) for lists, rankings in by_form])} |")


def _comment_rankings(parts: Parts) -> dict[str, FloatArray]:
    lists = parts.measured
    own = {
        POPULARITY: lists.column("posts"),
        "Q2C": lists.column("q2c"),
        "BM25": lists.column("bm25-q2c"),
        "translation: query given comment": lists.column("query-given-comment"),
        "translation: lift of the comment": lists.column("comment-lift"),
        "towers": lists.column("towers-q2c"),
        "Q2C + towers": lists.total(("q2c", "towers-q2c")),
        "RankSVM, Q2C + BM25 + towers": by_weights(*parts, ("q2c", "bm25-q2c", "towers-q2c")),
    }
    for group, features in (("all but popularity", _NO_POPULARITY), ("all", lists.features)):
        linear, trees = by_weights(*parts, features), by_trees(*parts, features)
        own[f"RankSVM, {group}"], own[f"LambdaMART, {group}"] = linear, trees
        own[f"RankSVM + LambdaMART, {group}"] = summed(lists, linear, trees)
    return own


def _cells(found: list[FloatArray]) -> str:
    """The mean over topics of each column, and its standard error."""
    return " | ".join(f"{one.mean():.3f} ± {one.std(ddof=1) / len(one) ** 0.5:.3f}" for one in found)


if __name__ == "__main__":
    main()
