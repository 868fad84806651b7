"""Every format that Kaiwa reads or writes, in one table: a format is added here and in a module of its own.

The first row of a noun is its default: the reader that explains what is wrong with a file no row recognises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.formats import intent_files, ntcireval_folders, qrels_files, run_files, topic_files, vote_files
from kaiwa.formats.collection import pair_files, tweet_files
from kaiwa.formats.format import Format, Noun
from kaiwa.formats.scores import discpower, factor_files, llm_logs, nev_files, score_tables, trec_eval
from kaiwa.registry import Names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.compare.standardisation import Factors
    from kaiwa.formats.collection.pair_files import Batch
    from kaiwa.formats.collection.tweet_files import Tweet
    from kaiwa.formats.intent_files import IntentChances
    from kaiwa.formats.scores.score_cells import Cells
    from kaiwa.model.gains import Gains
    from kaiwa.model.run import Run
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.votes import Votes

RUNS: Noun[list[Run], list[Run]] = Noun("run", "a run", "a run file", "score it: kaiwa score {path} --qrels QRELS")
QRELS: Noun[Gains, Gains] = Noun(
    "qrels", "qrels", "a qrels file", "score runs against it: kaiwa score RUN... --qrels {path}"
)
VOTES: Noun[Votes, Votes] = Noun(
    "votes", "votes", "a vote file", "turn its votes into qrels: kaiwa gains {path} -o QRELS"
)
SCORES: Noun[Cells, ScoreSet] = Noun("scores", "scores", "a score file", "compare its runs: kaiwa compare {path}")
TOPICS: Noun[dict[str, str], dict[str, str]] = Noun(
    "topics", "topics", "a topic file", "answer its topics: kaiwa retrieve INDEX {path} -o RUN"
)
PAIRS: Noun[Iterator[Batch], Iterator[Batch]] = Noun(
    "pairs", "pairs", "a file of pairs", "make a repository of it: kaiwa clean {path} -o REPO"
)
TWEETS: Noun[Iterator[Tweet], Iterator[Tweet]] = Noun(
    "tweets", "tweets", "a file of tweets", "make a repository of it: kaiwa clean {path} -o REPO --rules twitter"
)
FACTORS: Noun[dict[str, Factors], dict[str, Factors]] = Noun(
    "factors",
    "standardisation factors",
    "a file of standardisation factors",
    "standardise scores with it: kaiwa standardise SCORES --factors {path}",
)
CHANCES: Noun[IntentChances, IntentChances] = Noun(
    "chances",
    "chances of intents",
    "a file of intents' chances",
    "score runs with it: kaiwa score RUN... --intents QRELS --chances {path}",
)

_ROWS: list[Format[Any, Any]] = [  # Any: each row has the types of its noun
    Format(
        "ntcir-run",
        RUNS,
        "topic 0 comment rank score run",
        "STC/NTCIR run: `<SYSDESC>...</SYSDESC>`, then ranked lines; RUN.txt",
        run_files.is_ntcir_run,
        run_files.read_run_file,
        run_files.ntcir_run_texts,
    ),
    Format(
        "trec-run",
        RUNS,
        "topic Q0 doc rank score run",
        "TREC run; RUN.txt",
        run_files.is_trec_run,
        run_files.read_run_file,
        run_files.trec_run_texts,
    ),
    Format(
        "res",
        RUNS,
        "a doc a line",
        "NTCIREVAL's folder of rankings: TOPIC/TOPIC.RUN.res, with runlist",
        ntcireval_folders.is_res,
        ntcireval_folders.read_res,
        ntcireval_folders.res_texts,
    ),
    Format(
        "trec-qrels",
        QRELS,
        "topic 0 doc grade",
        "TREC judgements, whole or real grades; also `topic group doc grade`",
        qrels_files.is_trec_qrels,
        qrels_files.read_qrels_file,
        qrels_files.trec_qrels_texts,
    ),
    Format(
        "ntcir-qrels",
        QRELS,
        "topic doc L2",
        "NTCIR judgements, levels or grades",
        qrels_files.is_ntcir_qrels,
        qrels_files.read_qrels_file,
        qrels_files.ntcir_qrels_texts,
    ),
    Format(
        "beir-qrels",
        QRELS,
        "query-id TAB corpus-id TAB score",
        "BEIR judgements, under that heading",
        qrels_files.is_beir_qrels,
        qrels_files.read_qrels_file,
        qrels_files.beir_qrels_texts,
    ),
    Format(
        "rel",
        QRELS,
        "doc L2",
        "NTCIREVAL's judgements: one TOPIC.rel, or a folder of TOPIC/TOPIC.rel, with topics.tid",
        ntcireval_folders.is_rel,
        ntcireval_folders.read_rel,
        ntcireval_folders.rel_texts,
    ),
    Format(
        "stc-labels",
        VOTES,
        "post comment label ...",
        "STC labels: one column an assessor, each 0, 1, 2 or NA",
        vote_files.is_labels,
        vote_files.read_labels,
    ),
    Format(
        "votes-csv",
        VOTES,
        "topic,comment,assessor,level",
        "tidy CSV of votes, with a column for each further criterion",
        vote_files.is_vote_csv,
        vote_files.read_vote_csv,
        vote_files.vote_csv_texts,
    ),
    Format(
        "matrix",
        SCORES,
        "topics x runs",
        "topics x runs matrix of one measure, spaced or CSV, with or without run names and topic column",
        score_tables.is_matrix,
        score_tables.read_matrix,
        score_tables.matrix_texts,
    ),
    Format(
        "csv",
        SCORES,
        "measure,topic,run,score",
        "tidy CSV of scores",
        score_tables.is_tidy,
        score_tables.read_tidy,
        score_tables.tidy_texts,
    ),
    Format(
        "discpower",
        SCORES,
        "topics x runs",
        "Discpower's MEASURE.tsmatrix, or a folder of them with runlist and topics.tid",
        discpower.is_discpower,
        discpower.read_discpower,
        discpower.discpower_texts,
    ),
    Format(
        "nev",
        SCORES,
        "topic MEASURE= value",
        "NTCIREVAL's output RUN.LABEL.nev, or a folder of such files",
        nev_files.is_nev,
        nev_files.read_nev,
        nev_files.nev_texts,
    ),
    Format(
        "trec-eval",
        SCORES,
        "measure topic value",
        "the output of `trec_eval -q`, or a folder of RUN.eval files",
        trec_eval.is_trec_eval,
        trec_eval.read_trec_eval,
        trec_eval.trec_eval_texts,
    ),
    Format(
        "lm-eval",
        SCORES,
        "a JSON sample a line",
        "samples_TASK_TIME.jsonl of lm-evaluation-harness",
        llm_logs.is_lm_eval,
        llm_logs.read_log,
        read_together=llm_logs.read_logs,
    ),
    Format(
        "inspect",
        SCORES,
        "a JSON log",
        "JSON log of inspect_ai",
        llm_logs.is_inspect,
        llm_logs.read_log,
        read_together=llm_logs.read_logs,
    ),
    Format(
        "promptfoo",
        SCORES,
        "a JSON log",
        "results.json of promptfoo",
        llm_logs.is_promptfoo,
        llm_logs.read_log,
        read_together=llm_logs.read_logs,
    ),
    Format(
        "topics",
        TOPICS,
        "id TAB text",
        "topics, one a line",
        topic_files.is_topics,
        topic_files.read_topic_file,
        topic_files.topics_texts,
    ),
    Format(
        "pairs-tsv",
        PAIRS,
        "post_id TAB post TAB comment_id TAB comment",
        "pairs as TSV, with or without a heading",
        pair_files.is_pairs_tsv,
        pair_files.read_pairs_tsv,
    ),
    Format(
        "pairs-jsonl",
        PAIRS,
        "a JSON object a line",
        "pairs as JSONL with the keys post_id, post, comment_id, comment",
        pair_files.is_pairs_jsonl,
        pair_files.read_pairs_jsonl,
    ),
    Format(
        "pairs-parquet",
        PAIRS,
        "columns post_id, post, comment_id, comment",
        "pairs as Parquet",
        pair_files.is_pairs_parquet,
        pair_files.read_pairs_parquet,
    ),
    Format(
        "tweets",
        TWEETS,
        "a JSON object a line",
        "tweets as JSONL, in the service's fields or as id, text, name, reply_to, retweet",
        tweet_files.is_tweets,
        tweet_files.read_tweets,
    ),
    Format(
        "factors",
        FACTORS,
        "measure,topic,mean,sd",
        "standardisation factors, written by `kaiwa standardise --save-factors`",
        factor_files.is_factors,
        factor_files.read_factors,
        factor_files.factors_texts,
    ),
    Format(
        "chances",
        CHANCES,
        "topic intent chance [inf|nav]",
        "how likely each intent of a topic is",
        intent_files.is_intent_chances,
        intent_files.read_intent_chances,
    ),
]

FORMATS: Names[Format[Any, Any]] = Names("format", {row.name: row for row in _ROWS})
