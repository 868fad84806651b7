"""Recall of true replies in three forms, each beside a ranking by popularity: provenance, not human judgement.

``python -m benchmarks.ranking.provenance REPOSITORY LARGER -o FOLDER`` holds out posts with ``kaiwa topics --rest`` and
uses each as a query. LARGER is a repository of the same posts with all their comments; models are trained on its pairs
without the held-out posts and their near-duplicates. Rankers are trained on four fifths of the topics and measured on
the rest. FOLDER keeps what was made, so that a second call prints the tables at once.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.ranking.provenance_data import pool_models, prepared
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
    by_weights,
    calibrated_apart,
    found_at,
    standardised_by_topic,
    true_ranks,
)
from kaiwa.formats.collection.index_folder import open_index

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.ranking.provenance_lists import Lists
    from kaiwa.model.ids import FloatArray

POPULARITY = "popularity: number of posts"
_NO_POPULARITY = tuple(name for name in COMMENT_SIDE if name not in {"posts", "popularity", "unigram"})


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("larger", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--topics", type=int, default=2000)
    options = parser.parse_args()
    held_out = prepared(options.repository, options.larger, options.output, topics=options.topics)
    pool = open_index(options.output / "pool-index")
    asking = Asking(pool, pool_models(options.output, pool), held_out)
    sides = COMMENT_SIDE + POST_SIDE
    _print_still_there(stored(options.output / "still.npz", still_there(asking), asking, sides))
    _print_put_back(stored(options.output / "back.npz", put_back(asking), asking, COMMENT_SIDE), asking)
    several = {topic: comments[0] for topic, comments in held_out.kept.items()}
    forms = {"one post": held_out.put_back, "several posts": several}
    _print_matched(
        {
            name: stored(options.output / f"matched-{len(replies)}.npz", matched(asking, replies), asking, COMMENT_SIDE)
            for name, replies in forms.items()
        }
    )


def _print_still_there(lists: Lists) -> None:
    """Replies that are still under other posts: all of them, and the rare ones apart."""
    print(f"\n{len(lists.wanted)} held-out posts have {lists.wanted.sum()} replies under other posts;", end=" ")
    print(f"{lists.rare.sum()} of them, of {np.count_nonzero(lists.rare)} posts, are under at most {RARE}.\n")
    print("| ranking | recall@10 | recall@100 | rare, recall@10 | rare, recall@100 |\n|---|---:|---:|---:|---:|")
    sums = standardised_by_topic(lists)
    run2 = lists.column("q2p") + lists.column("q2c")
    rankings = {
        POPULARITY: lists.column("posts"),
        "run2": run2,
        "towers": lists.column("towers-q2c"),
        "hybrid": sum(sums[:, lists.features.index(name)] for name in ("q2p", "q2c", "towers-q2p", "towers-q2c")),
        "RankSVM, all but popularity": by_weights(lists, (*_NO_POPULARITY, *POST_SIDE)),
        "RankSVM, all": by_weights(lists, lists.features),
        "rare and common calibrated apart": calibrated_apart(lists, floor=run2),
    }
    for name, scores in rankings.items():
        cells = [found_at(lists, scores, depth, rare=rare) for rare in (False, True) for depth in (10, 100)]
        print(f"| {name} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")


def _print_put_back(lists: Lists, asking: Asking) -> None:
    """One comment of each post, put back without its post."""
    print(f"\n{len(lists.wanted)} held-out posts, one comment of each put back among {len(asking.posts):,}.\n")
    print("| ranking | R@10 | R@100 | R@1000 |\n|---|---:|---:|---:|")
    ties = np.random.default_rng(3).random(len(asking.posts))
    rank_of = np.argsort(np.lexsort((ties, -asking.posts)))
    popular = rank_of[asking.numbers(asking.held_out.put_back.values())]
    for name, scores in _comment_rankings(lists).items():
        if name == POPULARITY:  # among all comments, not only the candidates
            cells = [float((popular < depth).mean()) for depth in (10, 100, 1000)]
        else:
            cells = [found_at(lists, scores, depth) for depth in (10, 100, 1000)]
        print(f"| {name} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")


def _print_matched(forms: Mapping[str, Lists]) -> None:
    """The true reply among others that are as popular."""
    print(f"\nThe true reply among {NEGATIVES} comments with as many posts.\n")
    print("| ranking | " + " | ".join(f"replies of {name}, hit@10" for name in forms) + " |")
    print("|---|" + "---:|" * len(forms))
    by_form = [(lists, _comment_rankings(lists)) for lists in forms.values()]
    for name in by_form[0][1]:
        cells = [float((true_ranks(lists, rankings[name]) < 10).mean()) for lists, rankings in by_form]
        print(f"| {name} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")


def _comment_rankings(lists: Lists) -> dict[str, FloatArray]:
    sums = replace(lists, rows=standardised_by_topic(lists))
    return {
        POPULARITY: lists.column("posts"),
        "Q2C": lists.column("q2c"),
        "BM25": lists.column("bm25-q2c"),
        "translation: query given comment": lists.column("query-given-comment"),
        "towers": lists.column("towers-q2c"),
        "Q2C + towers": sums.column("q2c") + sums.column("towers-q2c"),
        "RankSVM, Q2C + BM25 + towers": by_weights(lists, ("q2c", "bm25-q2c", "towers-q2c")),
        "RankSVM, all but popularity": by_weights(lists, _NO_POPULARITY),
        "RankSVM, all": by_weights(lists, lists.features),
    }


if __name__ == "__main__":
    main()
