"""The demo: a whole round on a real repository, with SIMULATED assessors; each command as a user would type it.

``demo`` writes the raw files (``collection``), runs the commands in the folder and returns a ``Demo``. What it shows
meanwhile, the commands and what they print, goes where progress and remarks go.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.ambient import remark
from kaiwa.errors import InputError, counted, option, typed
from kaiwa.formats.reading import path_of, seed_of
from kaiwa.nouns.votes import SIMULATED_NOTICE
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.folder import CONFIG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

    import numpy as np

SIZE, SMALLEST = 40_000, 1_000
"""Pairs in the repository; with fewer there are too few comments that answer a topic."""
_MARK = (".kaiwa-demo.json", "demo")
_TITLE = "Kaiwa demo: a round on English chat"
_JUDGED = "Kaiwa demo: judge English chat"
_POST = "I had a dog when I was little, he was my best friend"


@dataclass(frozen=True, repr=False)
class Demo(Result, os.PathLike[str]):
    """A finished demo: its folder, as which it can be given to a verb, and the steps that made it.

    ``steps`` are announcements with their commands. ``report`` is None of a demo that people judge.

    >>> from pathlib import Path
    >>> made = Demo(Path("demo"), (("Pool.", ("kaiwa pool runs/*.txt -o pool.tsv",)),), is_judged=False)
    >>> made, made.commands
    (Demo('demo', 1 command), ('kaiwa pool runs/*.txt -o pool.tsv',))
    """

    folder: Path
    steps: tuple[tuple[str, tuple[str, ...]], ...]
    is_judged: bool

    @property
    def report(self) -> Path | None:
        """The report; None if people have to judge first."""
        return self.folder / "report.html" if self.is_judged else None

    @property
    def pool(self) -> Path:
        """The items to judge."""
        return self.folder / "pool.tsv"

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands, which can be typed in the folder."""
        return tuple(line for _, lines in self.steps for line in lines)

    def __repr__(self) -> str:
        return f"Demo({str(self.folder)!r}, {counted(len(self.commands), 'command')})"

    def __fspath__(self) -> str:
        return str(self.folder)

    def describe(self) -> Description:
        """What to open, and what to type next."""
        place = typed(self.folder)
        if self.is_judged:
            then = [f"status {place}", f"reply {typed(self.folder / 'index')} {typed(_POST)} -k 3"]
            first = f"Open {self.report} in a browser. The commands above work in {self.folder}/. Then try:"
        else:
            then = [f"invite {place} me", f"serve {place}"]
            first = f"{self.folder}/ is a task without votes. Get a private link, and judge:"
        rows = [[words, line] for words, lines in self.steps for line in lines]
        return Description(
            tables=[Table("commands", ["step", "command"], rows)],
            fields={
                "folder": str(self.folder),
                "report": None if self.report is None else str(self.report),
                "pool": str(self.pool),
                "commands": self.commands,
            },
            text="\n".join([first, *(f"  {line}" for line in _as_typed(then))]),
        )


def _as_typed(commands: Sequence[str]) -> list[str]:
    """The commands as bash, zsh and fish run them; the first line puts this ``kaiwa`` on the PATH if needed."""
    called = Path(sys.argv[0])
    own = called if called.name == "kaiwa" else Path(sysconfig.get_path("scripts")) / "kaiwa"
    if not own.is_file():
        return [f"{typed(sys.executable)} -m kaiwa {command}" for command in commands]
    found = shutil.which("kaiwa")
    path = [] if found and own.samefile(found) else [f'export PATH={typed(own.parent.absolute())}:"$PATH"']
    return [*path, *(f"kaiwa {command}" for command in commands)]


def demo(folder: PathLike[str] | str = "demo", *, size: int = SIZE, judge: bool = False, seed: int = 1) -> Demo:
    """A whole round on a real repository of about ``size`` pairs, ending in a report.

    The conversations are those of the package chitchat-dataset (English, MIT); the systems are real; the ASSESSORS ARE
    SIMULATED, and all output about them repeats this. With ``judge`` there are no votes: the folder is a task for
    people, without the systems that need a model. An earlier demo in the folder is replaced, any other folder refused.

    >>> import kaiwa
    >>> kaiwa.demo("demo", size=10)
    Traceback (most recent call last):
    kaiwa.errors.InputError: size=10 is too small a repository; give at least 1000
    """
    import numpy as np

    from kaiwa.demonstration.collection import installed_corpus, write_collection

    target, rng = path_of("folder", folder), np.random.default_rng(seed_of(seed))
    if size < SMALLEST:
        raise InputError(f"{option('size', str(size))} is too small a repository; give at least {SMALLEST}")
    _refuse_other(target)
    corpus = installed_corpus()
    kept = _remove_earlier(target)
    _write_settings(target, _JUDGED if judge else _TITLE, corpus.origin, notice="" if judge else SIMULATED_NOTICE)
    if not judge:
        _write_settings(target / "training", f"{_TITLE}: labels to learn from", corpus.origin, notice=SIMULATED_NOTICE)
    made = write_collection(target, corpus, pairs=size, rng=rng)
    with contextlib.chdir(target):
        _announce(f"A round in {target}/, on real conversations: {corpus.origin}.")
        remark(f"pairs.tsv: {made.pairs:,} pairs of {made.conversations:,} conversations; licence in ORIGIN.txt")
        remark(f"candidates.tsv: {made.candidates:,} posts of other conversations, to draw topics from")
        steps = _run_steps(_TO_JUDGE) if judge else _run_round(rng)
    _mark_finished(target, kept)
    return Demo(target, tuple(steps), is_judged=not judge)


# The steps: the announcement before each command, and the commands as a user would type them.


_Step = tuple[str, tuple[str, ...]]

_FAULTY_RUN = "runs/BM25-E-R2.txt"

_SYSTEMS = {
    "TFIDF-E-R1": "run0",
    "TFIDF-E-R2": "run1",
    "TFIDF-E-R3": "run2",
    "BM25-E-R1": "bm25-q2p",
    "BM25-E-R2": "bm25-q2c",
    "BM25-E-R3": "bm25",
    "Fusion-E-R1": "fusion",
    "Fusion-E-R2": "fusion --fusion combsum",
    "Pilot-E-R3": "run3 --models models",
    "Pilot-E-R4": "run4 --models models",
    "Pilot-E-R5": "run5 --models models",
}
"""Four teams' runs, named as NTCIR names them, and the system that makes each."""
_QUICK = ("TFIDF-E-R1", "TFIDF-E-R2", "BM25-E-R1", "BM25-E-R2", "BM25-E-R3", "Fusion-E-R1")
"""The runs of a pool that people judge: those that need no model."""
_BASELINES = {"TFIDF-E-R1": "run0", "TFIDF-E-R2": "run1", "TFIDF-E-R3": "run2"}

_COLLECTING: tuple[_Step, ...] = (
    (
        "Raw pairs become a repository; the output lists what each rule removed.",
        ("kaiwa clean pairs.tsv -o repository --rules chat",),
    ),
    (
        "Topics: 100 posts of held-out conversations, without near-duplicates in the repository.",
        ("kaiwa topics repository --source candidates.tsv -n 100 -o topics.tsv",),
    ),
    (
        "The repository is indexed. (The first index on a machine compiles the search too, once.)",
        ("kaiwa index repository -o index --language en",),
    ),
)
_RETRIEVING: tuple[_Step, ...] = (
    *_COLLECTING,
    (
        "Models are trained from the pairs of the repository: word translation (TransLM) and topic words (TopicWord).",
        ("kaiwa models index translation topicword -o models",),
    ),
    (
        "Eleven systems answer: by similar posts (Q2P), comments (Q2C) and both, fused, with TransLM and TopicWord.",
        tuple(f"kaiwa retrieve index topics.tsv -o runs/{run}.txt --system {how}" for run, how in _SYSTEMS.items()),
    ),
)
_LABELLING: tuple[_Step, ...] = (
    (
        "Training data, as the organisers made it: other topics, three baselines, and their pool.",
        (
            "kaiwa topics repository --source training/candidates.tsv -n 60 -o training/topics.tsv",
            *(
                f"kaiwa retrieve index training/topics.tsv -o training/runs/{run}.txt --system {how}"
                for run, how in _BASELINES.items()
            ),
            "kaiwa pool training/runs/*.txt --depth 10 -o training/pool.tsv",
        ),
    ),
)
_LEARNING: tuple[_Step, ...] = (
    (
        "A ranker learns from these SIMULATED labels how to weight the features, and answers the topics of the round.",
        (
            "kaiwa train index training --models models -o ranker",
            "kaiwa retrieve index topics.tsv -o runs/Learned-E-R1.txt --ranker ranker --models models",
        ),
    ),
)
_POOLING: tuple[_Step, ...] = (
    (
        "The run checker reports the errors as a compiler does, and writes fixed copies.",
        (
            "kaiwa check runs/*.txt --topics topics.tsv --repository repository --fix fixed",
            "cp fixed/*.txt runs/",
            "kaiwa check runs/*.txt --topics topics.tsv --repository repository",
        ),
    ),
    ("The runs are pooled into the items to judge.", ("kaiwa pool runs/*.txt --depth 10 -o pool.tsv",)),
)
_TO_JUDGE: tuple[_Step, ...] = (
    *_COLLECTING,
    (
        "Six systems answer: by similar posts (Q2P), by similar comments (Q2C), by both, and fused.",
        tuple(f"kaiwa retrieve index topics.tsv -o runs/{run}.txt --system {_SYSTEMS[run]}" for run in _QUICK),
    ),
    _POOLING[-1],
)
_MEASURING: tuple[_Step, ...] = (
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
            "kaiwa score runs/*.txt --qrels qrels.txt --max-gain 3 -m nG@1,nERR@10,P+ -o scores.csv",
            "kaiwa score runs/*.txt --qrels qrels-unanimity.txt --max-gain 12 -m nG@1,nERR@10 -o scores-unanimity.csv",
        ),
    ),
    ("Which runs differ significantly? All pairs are tested together.", ("kaiwa compare scores.csv -m nERR@10",)),
    (
        "Do two measures rank the runs alike? Do the two kinds of gain?",
        ("kaiwa tau scores.csv -m nG@1,nERR@10", "kaiwa tau scores.csv --other scores-unanimity.csv -m nERR@10"),
    ),
    (
        "Scores on one scale for every topic (std-AB), and the variances, raw and standardised.",
        (
            "kaiwa standardise scores.csv --method std-ab -o scores-std.csv",
            "kaiwa variance scores.csv -m nERR@10",
            "kaiwa variance scores-std.csv -m nERR@10",
        ),
    ),
    ("How many topics does the next round need?", ("kaiwa design .",)),
    ("Everything on one page, and the status of the round.", ("kaiwa report . -o report.html", "kaiwa status .")),
)


def _run_round(rng: np.random.Generator) -> list[_Step]:
    """The round, in the current folder."""
    from kaiwa.demonstration.collection import insert_errors

    steps = _run_steps((*_RETRIEVING, *_LABELLING))
    _simulate(Path("training"), rng)
    steps += _run_steps(_LEARNING)
    _announce(f"Three errors are inserted into {_FAULTY_RUN}:")
    remark(insert_errors(Path(_FAULTY_RUN)))
    steps += _run_steps(_POOLING)
    _simulate(Path(), rng)
    steps += _run_steps(_MEASURING)
    _warn()
    return steps


def _run_steps(steps: Iterable[_Step]) -> list[_Step]:
    """Show every command and run it, as a shell in this folder would; what it prints is shown too."""
    from kaiwa.task.making import run_hidden

    done = list(steps)
    for words, lines in done:
        _announce(words)
        for line in lines:
            remark(f"$ {line}")
            if line.startswith("cp "):
                *sources, place = _expanded(line)
                for source in sources:
                    shutil.copy(source, place)
            else:
                for printed in run_hidden(line).splitlines():
                    remark(printed)
    return done


def _expanded(line: str) -> list[str]:
    """The words after the first, those with ``*`` replaced by the files that match."""
    words = shlex.split(line)[1:]
    return [path for word in words for path in (sorted(map(str, Path().glob(word))) if "*" in word else [word])]


def _simulate(folder: Path, rng: np.random.Generator) -> None:
    """Write the votes of the SIMULATED assessors on the pool of a folder."""
    from kaiwa.demonstration.collection import HOW_SIMULATED, simulate_votes
    from kaiwa.files.atomic import visible_files, write_text
    from kaiwa.formats.votes import write_votes

    votes = simulate_votes(
        visible_files((folder / "runs").glob("*.txt")),
        repository=Path("repository"),
        next_messages=Path("next-messages.tsv"),
        depth=10,
        rng=rng,
    )
    path, note = folder / "votes.csv", folder / "SIMULATED-ASSESSORS.txt"
    write_votes(path, votes)
    write_text(note, f"{path.name}: {SIMULATED_NOTICE}\n\n{HOW_SIMULATED}")
    _warn()
    remark(f"{path}: {len(votes.item):,} SIMULATED votes on {votes.items:,} items; see {note}")


def _announce(words: str) -> None:
    remark("")
    remark(words)


def _warn() -> None:
    head, _, rest = SIMULATED_NOTICE.partition(": ")
    for line in ("", "*" * 78, f"*  {' '.join(head)}", f"*  {rest}", "*" * 78):
        remark(line)


# The folder: an earlier demo is replaced, a file of the user stays, any other folder is refused.


def _write_settings(folder: Path, title: str, origin: str, *, notice: str) -> None:
    from kaiwa.files.atomic import write_text
    from kaiwa.task.init import settings_text

    facts = {"title": title, "notice": notice, "origin": origin, "licence": "see ORIGIN.txt"}
    settings = settings_text(facts)
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    write_text(folder / CONFIG, settings.replace('["zh"]', '["en"]'))


def _remove_earlier(folder: Path) -> frozenset[Path]:
    """Remove the files of an earlier demo, as its mark names them; the user's files, which stay."""
    from kaiwa.files.marks import UNFINISHED, Mark, foreign_entries, remove_named, remove_unfinished

    if (folder / UNFINISHED).exists():
        remove_unfinished(folder)
    elif files := Mark(*_MARK).files_of(folder):
        if inside := [path for path in foreign_entries(folder, files) if len(path.parts) > 1]:
            raise InputError.at(folder / inside[0], "is not a file of the demo", "move it, or choose another folder")
        remove_named(folder, files)
    elif folder.is_dir() and any(folder.iterdir()):
        raise InputError.at(folder, "holds a demo that is not complete", "delete it, or choose another folder")
    kept = frozenset(_files(folder))
    folder.mkdir(parents=True, exist_ok=True)
    if not kept:
        (folder / UNFINISHED).touch()  # all of the folder is ours until the mark is written
    return kept


def _mark_finished(folder: Path, kept: frozenset[Path]) -> None:
    """Name every file of the demo in its mark."""
    from kaiwa.files.marks import UNFINISHED, Mark

    (folder / UNFINISHED).unlink(missing_ok=True)
    Mark(*_MARK).write(folder, {}, (str(path.relative_to(folder)) for path in _files(folder) if path not in kept))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())


def _refuse_other(folder: Path) -> None:
    """Refuse a folder that holds anything but an earlier demo."""
    settings = folder / "kaiwa.toml"
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not settings.is_file()):
        raise InputError.at(folder, "already exists and is not a demo", "choose another folder")
    if settings.is_file() and not _is_demo(folder, settings.read_text(encoding="utf-8", errors="replace")):
        raise InputError.at(folder, "holds a task that is not a demo", "choose another folder")


def _is_demo(folder: Path, settings: str) -> bool:
    """Whether these are settings of a demo that can be made again; one that people judge, only if it is incomplete."""
    from kaiwa.files.marks import UNFINISHED

    return SIMULATED_NOTICE in settings or (_JUDGED in settings and (folder / UNFINISHED).exists())
