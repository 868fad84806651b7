"""The demo's steps: the announcement before each command, and the commands as a user would type them."""

from __future__ import annotations

Step = tuple[str, tuple[str, ...]]

FAULTY_RUN = "runs/BM25-E-R2.txt"

_SYSTEMS = {
    "TFIDF-E-R1": "run0",
    "TFIDF-E-R2": "run1",
    "TFIDF-E-R3": "run2",
    "BM25-E-R1": "bm25-q2p",
    "BM25-E-R2": "bm25-q2c",
    "BM25-E-R3": "bm25",
    "Fusion-E-R1": "fusion",
    "Fusion-E-R2": "fusion --fuse combsum",
    "Pilot-E-R3": "run3 --models models",
    "Pilot-E-R4": "run4 --models models",
    "Pilot-E-R5": "run5 --models models",
}
"""Four teams' runs, named as NTCIR names them, and the system that makes each."""
_QUICK = ("TFIDF-E-R1", "TFIDF-E-R2", "BM25-E-R1", "BM25-E-R2", "BM25-E-R3", "Fusion-E-R1")
"""The runs of a pool that people judge: those that need no model."""
_BASELINES = {"TFIDF-E-R1": "run0", "TFIDF-E-R2": "run1", "TFIDF-E-R3": "run2"}

_COLLECTING: tuple[Step, ...] = (
    (
        "Raw pairs become a repository; the output lists what each rule removed.",
        ("kaiwa clean pairs.tsv -o repository --rules chat",),
    ),
    (
        "Topics: 100 posts of held-out conversations, without near-duplicates in the repository.",
        ("kaiwa topics repository --from candidates.tsv -n 100 -o topics.tsv",),
    ),
    (
        "The repository is indexed. (The first index on a machine compiles the search too, once.)",
        ("kaiwa index repository -o index --lang en",),
    ),
)
RETRIEVING: tuple[Step, ...] = (
    *_COLLECTING,
    (
        "Models are trained from the pairs of the repository: word translation (TransLM) and topic words (TopicWord).",
        ("kaiwa models index -o models --translation --topicword",),
    ),
    (
        "Eleven systems answer: by similar posts (Q2P), comments (Q2C) and both, fused, with TransLM and TopicWord.",
        tuple(f"kaiwa retrieve index topics.tsv -o runs/{run}.txt --system {how}" for run, how in _SYSTEMS.items()),
    ),
)
LABELLING: tuple[Step, ...] = (
    (
        "Training data, as the organisers made it: other topics, three baselines, and their pool.",
        (
            "kaiwa topics repository --from training/candidates.tsv -n 60 -o training/topics.tsv",
            *(
                f"kaiwa retrieve index training/topics.tsv -o training/runs/{run}.txt --system {how}"
                for run, how in _BASELINES.items()
            ),
            "kaiwa pool training/runs/*.txt --depth 10 -o training/pool.tsv",
        ),
    ),
)
LEARNING: tuple[Step, ...] = (
    (
        "A ranker learns from these SIMULATED labels how to weight the features, and answers the topics of the round.",
        (
            "kaiwa train index training --models models -o ranker",
            "kaiwa retrieve index topics.tsv -o runs/Learned-E-R1.txt --model ranker --models models",
        ),
    ),
)
POOLING: tuple[Step, ...] = (
    (
        "The run checker reports the errors as a compiler does, and writes fixed copies.",
        (
            "kaiwa check runs/*.txt --topics topics.tsv --repo repository --fix -o fixed",
            "cp fixed/*.txt runs/",
            "kaiwa check runs/*.txt --topics topics.tsv --repo repository",
        ),
    ),
    ("The runs are pooled into the items to judge.", ("kaiwa pool runs/*.txt --depth 10 -o pool.tsv",)),
)
TO_JUDGE: tuple[Step, ...] = (
    *_COLLECTING,
    (
        "Six systems answer: by similar posts (Q2P), by similar comments (Q2C), by both, and fused.",
        tuple(f"kaiwa retrieve index topics.tsv -o runs/{run}.txt --system {_SYSTEMS[run]}" for run in _QUICK),
    ),
    POOLING[-1],
)
MEASURING: tuple[Step, ...] = (
    ("How far do the SIMULATED assessors agree?", ("kaiwa agree votes.csv --contested 3",)),
    (
        "SIMULATED votes become gains: the mean, and the gain that rewards unanimity.",
        (
            "kaiwa gains votes.csv --scheme mean -o qrels.txt",
            "kaiwa gains votes.csv --scheme unanimity --p 0.2 -o qrels-unanimity.txt",
        ),
    ),
    (
        "Gains become scores, for both kinds of gain.",
        (
            "kaiwa score runs/*.txt --qrels qrels.txt --top 3 -m nG@1 -m nERR@10 -m P+ -o scores.csv",
            "kaiwa score runs/*.txt --qrels qrels-unanimity.txt --top 12 -m nG@1 -m nERR@10 -o scores-unanimity.csv",
        ),
    ),
    ("Which runs differ significantly? All pairs are tested together.", ("kaiwa compare scores.csv -m nERR@10",)),
    (
        "Do two measures rank the runs alike? Do the two kinds of gain?",
        ("kaiwa tau scores.csv -m nG@1 -m nERR@10", "kaiwa tau scores.csv scores-unanimity.csv -m nERR@10"),
    ),
    (
        "Scores on one scale for every topic (std-AB), and the variances, raw and standardised.",
        (
            "kaiwa standardise scores.csv --method std-ab -o scores-std.csv",
            "kaiwa variance scores.csv -m nERR@10",
            "kaiwa variance scores-std.csv -m nERR@10",
        ),
    ),
    ("How many topics does the next round need?", ("kaiwa next .",)),
    ("Everything on one page, and the status of the round.", ("kaiwa report . -o report.html", "kaiwa status .")),
)
