"""The commands that write, one or more for each verb, and a small round in which they run."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from benchmarks.faults.faulty_process import run_here
from kaiwa.cli.group import VERBS, kaiwa
from kaiwa.cli.output import OUT_FILE

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Command:
    """A command that writes, and one that makes older outputs of the same names; none if it never replaces a file."""

    line: str
    older: str = ""
    copied: str = ""  # a file, and where it is copied after the older command, so that its outputs are stale

    @property
    def verb(self) -> str:
        """The verb."""
        return self.line.split()[0]


WORDS = "rain sun tea train beach photo exam music cat dog walk cook book film game friend work sleep"
RUNS = " ".join(f"runs/T{run}-C-R1.txt" for run in range(3))
FAULTY = " ".join(f"faulty/T{run}-C-R1.txt" for run in range(3))
COMMANDS = (
    Command("init fresh"),
    Command("make task", "make task", "votes.csv task/votes.csv"),
    Command("clean pairs.tsv -o out", "clean few.tsv -o out"),
    Command("topics repository -n 4 --rest out -o drawn.tsv", "topics few -n 2 --rest out -o drawn.tsv"),
    Command("index repository -o out", "index few -o out"),
    Command("index repository -o out --shards 2", "index few -o out --shards 3"),
    Command("models index topicword -o out", "models index vectors -o out"),
    Command("train index qrels.txt --topics topics.tsv -o out",
            "train index qrels.txt --topics topics.tsv -o out --features q2p"),
    Command("retrieve index topics.tsv -o new.txt --system bm25", "retrieve index topics.tsv -o new.txt -k 2"),
    Command("retrieve-all index topics.tsv -o out", "retrieve-all index topics.tsv -o out -k 2"),
    Command(f"fuse {RUNS} -o new.txt", f"fuse {RUNS} -o new.txt --method combsum"),
    Command(f"check {FAULTY} --fix fixed", f"check {FAULTY} --fix fixed --depth 1"),
    Command(f"pool {RUNS} -o new.tsv", f"pool {RUNS} -o new.tsv --depth 1"),
    Command("pool --sheet sheet.csv --assessors A1,A2"),  # a sheet that differs is kept
    Command("pool --sheet sheet.html --assessor A1", "pool --sheet sheet.html --assessor A2"),
    Command("votes judged -o new.csv", "gains few.csv -o new.csv"),
    Command("verify judged -o new.json", "verify judged -o new.json --heads 00"),
    Command("backup judged -o copy.db"),
    Command("names systems -o new.csv", "names measures -o new.csv"),
    Command("reply index hello -o new.csv", "reply index hello -o new.csv -k 2"),
    Command("agree votes.csv -o new.json", "agree votes.csv -o new.json --merge L1+L2"),
    Command(
        f"unanimity --votes votes.csv {RUNS} -o new.json", f"unanimity --votes votes.csv {RUNS} -o new.json --p 0.5"
    ),
    Command("gains votes.csv -o new.txt", "gains votes.csv -o new.txt --scheme sum"),
    Command(f"score {RUNS} --qrels qrels.txt -o new.csv", f"score {RUNS} --qrels qrels.txt -o new.csv -m P+"),
    Command("compare scores.csv -m nG@1 -o c.svg --trials 100", "compare scores.csv -m P+ -o c.svg --trials 100"),
    Command("compare scores.csv -m nG@1 -o c.txt --trials 100", "compare scores.csv -m P+ -o c.txt --trials 100"),
    Command("tau scores.csv -m nG@1 -m P+ -o new.txt", "tau scores.csv -m nG@1 -m nERR@10 -o new.txt"),
    Command("standardise scores.csv --save-factors f.csv -o s.csv",
            "standardise scores.csv -m P+ --save-factors f.csv -o s.csv"),
    Command("standardisation scores.csv -m nG@1 -o new.txt", "standardisation scores.csv -m P+ -o new.txt"),
    Command("variance scores.csv -m nG@1 -o new.txt", "variance scores.csv -m P+ -o new.txt"),
    Command("design --variance 0.1 --systems 5 --min-diff 0.1 -o p.svg",
            "design --variance 0.2 --systems 5 --min-diff 0.1 -o p.svg"),
    Command(f"convert {RUNS} --format res -o out", "convert runs/T0-C-R1.txt --format res -o out"),
    Command("convert qrels.txt --format ntcir-qrels -o new.txt", "convert few.qrels --format ntcir-qrels -o new.txt"),
    Command("reproduce tau -o new.csv", "reproduce measures -o new.csv"),
    Command("status task -o new.csv", "status other -o new.csv"),
    Command("report other -o new.html", "report another -o new.html"),
)  # fmt: skip
READ_ONLY = (
    *("help", "completion"),
    *("serve", "invite"),  # the store is a database; tests/web kills its server
)
"""Verbs that write no file: the trials count their calls, of which there are none."""
SLOW = ("demo",)
"""Verbs that run others, on a corpus of their own: only in the long version."""
DEMO = Command("demo out --size 1000")
READING = (
    "status .",
    "names",
    "design .",
    "reproduce",
    "help",
    "completion bash",
)


def verbs_with_outputs() -> set[str]:
    """The verbs of the command line that have an option or argument for an output."""
    context = click.Context(kaiwa)
    return {name for name in VERBS if _has_output(kaiwa.get_command(context, name))}


def _has_output(command: click.Command | None) -> bool:
    inner = list(command.commands.values()) if isinstance(command, click.Group) else []
    return command is not None and (
        any(one.type is OUT_FILE for one in command.params) or any(_has_output(one) for one in inner)
    )


def make_round(folder: Path, seed: int) -> None:
    """A task folder with the inputs of every command, made by the commands themselves."""
    rng = random.Random(seed)
    folder.mkdir(parents=True)
    words = WORDS.split()
    texts = [" ".join(rng.sample(words, 7)) for _ in range(80)]
    pairs = [f"p{at // 2}\tpost {texts[at // 2]}\tc{at:02}\tcomment {texts[79 - at]}\n" for at in range(60)]
    _write(folder / "pairs.tsv", pairs)
    _write(folder / "few.tsv", pairs[:30])
    _write(folder / "topics.tsv", [f"q{at}\t{texts[60 + at]}\n" for at in range(6)])
    for name, shift in (("runs", 0), ("faulty", 1)):
        for run in range(3):
            _write(folder / name / f"T{run}-C-R1.txt", _run_lines(f"T{run}-C-R1", run, shift))
    items = [(f"q{topic}", f"c{comment:02}") for topic in range(6) for comment in range(12)]
    votes = ["topic,comment,assessor,level\n", *_votes(items, rng)]
    _write(folder / "votes.csv", votes)
    _write(folder / "few.csv", votes[:100])
    _write(folder / "qrels.txt", [f"{topic} 0 {comment} {rng.randrange(3)}\n" for topic, comment in items])
    _write(folder / "few.qrels", [f"{topic} 0 {comment} 1\n" for topic, comment in items[:9]])
    _write(folder / "kaiwa.toml", ['[task]\ntitle = "a small round"\n[comparing]\ntrials = 100\n'])
    for line in (
        "clean pairs.tsv -o repository",
        "clean few.tsv -o few",
        "index repository -o index",
        "models index topicword -o models",
        "train index qrels.txt --topics topics.tsv -o ranker --features q2p,q2c --no-ablations",
        f"score {RUNS} --qrels qrels.txt -o scores.csv",
        f"score {RUNS} --qrels qrels.txt -m nG@1 -o first.csv",
        f"score {RUNS} --qrels qrels.txt -m P+ -o second.csv",
    ):
        _made(line, folder)
    _make_task(folder, folder / "task", ("few.csv", "runs"))
    shutil.copy(folder / "topics.tsv", folder / "task" / "topics.tsv")
    _make_task(folder, folder / "other", ("first.csv",))
    _make_task(folder, folder / "another", ("second.csv",), "P+")
    _make_task(folder, folder / "judged", ("repository",))
    shutil.copy(folder / "topics.tsv", folder / "judged" / "topics.tsv")
    for place in (folder, folder / "judged"):
        _write(place / "pool.tsv", [f"{topic}\t{comment}\n" for topic, comment in items])
    _made("votes judged --add votes.csv", folder)


def _make_task(folder: Path, task: Path, names: tuple[str, ...], measure: str = "nG@1") -> None:
    """Another task folder, with some of the files; its votes are those of a few items."""
    _write(
        task / "kaiwa.toml",
        [f'[task]\ntitle = "{task.name}"\n[scoring]\nmeasures = ["{measure}"]\n[comparing]\ntrials = 100\n'],
    )
    for name in names:
        if (folder / name).is_dir():
            shutil.copytree(folder / name, task / name)
        else:
            shutil.copy(folder / name, task / ("votes.csv" if name == "few.csv" else "scores.csv"))


def _votes(items: list[tuple[str, str]], rng: random.Random) -> list[str]:
    return [f"{topic},{comment},a{who},{rng.randrange(3)}\n" for topic, comment in items for who in range(3)]


def _run_lines(name: str, run: int, twice: int) -> list[str]:
    lines = [
        f"q{topic} 0 c{(topic + rank + 3 * run) % 12:02} {rank} {9 - rank} {name}\n"
        for topic in range(6)
        for rank in range(1, 5)
    ]
    return lines + lines[-1:] * twice


def _write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(lines), encoding="utf-8")


def _made(line: str, folder: Path) -> None:
    if code := run_here(line, folder):
        raise RuntimeError(f"{line}: exit code {code}")
