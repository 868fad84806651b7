"""Laws of inputs: a pipe gives what a file gives, for every format and every verb that reads one."""

from __future__ import annotations

import contextlib
import gzip
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kaiwa.errors import InputError
from kaiwa.files import inputs as input_files
from kaiwa.files import parquet as parquet_reading
from kaiwa.files import zstd
from kaiwa.files.inputs import open_input
from kaiwa.formats.pairs import FIELDS
from kaiwa.formats.readers import read, read_pairs, read_run, read_scores, read_votes
from kaiwa.formats.table import FORMATS
from kaiwa.formats.takedown import read_takedown
from kaiwa.formats.text_files import read_blocks

EXAMPLES = Path(__file__).parents[1] / "formats" / "examples"
ONE_FILE = [name for name in FORMATS if all(path.is_file() for path in (EXAMPLES / name).iterdir())]

TOPICS = range(600)
RUNS = [f"T{team}-C-R1" for team in range(5)]
INPUTS = {
    "m.txt": "".join(
        " ".join(f"{(7 * topic + 13 * run) % 101 / 101:.4f}" for run in range(5)) + "\n" for topic in TOPICS
    ),
    "scores.csv": "measure,topic,run,score\n"
    + "".join(
        f"AP,q{topic},{run},{(topic * place) % 7 / (7 + place)}\n" for topic in TOPICS for place, run in enumerate(RUNS)
    ),
    "other.csv": "measure,topic,run,score\n"
    + "".join(
        f"AP,q{topic},{run},{(topic * place) % 11 / (11 + place)}\n"
        for topic in TOPICS
        for place, run in enumerate(RUNS)
    ),
    "T0-C-R1.txt": "<SYSDESC>words</SYSDESC>\n"
    + "".join(f"q{topic} 0 c{rank + topic} {rank} {1 / rank} T0-C-R1\n" for topic in TOPICS for rank in range(1, 11)),
    "T1-C-R1.txt": "<SYSDESC>words</SYSDESC>\n"
    + "".join(
        f"q{topic} 0 c{2 * rank + topic} {rank} {1 / rank} T1-C-R1\n" for topic in TOPICS for rank in range(1, 11)
    ),
    "qrels.txt": "# gmax 3\n"
    + "".join(f"q{topic} 0 c{topic + item} {item % 3}\n" for topic in TOPICS for item in range(1, 9)),
    "votes.csv": "topic,comment,assessor,level\n"
    + "".join(
        f"q{topic},c{topic + item},a{who},{(topic * who + item) % 3}\n"
        for topic in TOPICS
        for item in (1, 2, 3)
        for who in range(3)
    ),
    "pairs.tsv": "".join(
        f"p{at}\ta post of words {at}\tc{at}\t{7919 * at:x} or {104729 * at:x} of {1299709 * at:x}\n" for at in TOPICS
    ),
    "topics.tsv": "".join(f"q{topic}\ta post of words {topic} and what else was said of it\n" for topic in TOPICS),
    "ids.txt": "".join(f"c{topic}\n" for topic in TOPICS if topic % 2),
}
VERBS = [
    "check T0-C-R1.txt",
    "score T0-C-R1.txt T1-C-R1.txt --qrels qrels.txt -m nG@1",
    "compare m.txt",
    "compare scores.csv",
    "compare scores.csv --baseline T1-C-R1 --test t",
    "tau scores.csv --other other.csv",
    "standardise m.txt",
    "variance scores.csv",
    "design m.txt --systems 5 --min-diff 0.1",
    "convert qrels.txt --format ntcir-qrels -o out.txt",
    "convert T0-C-R1.txt --format trec-run -o out",
    "pool T0-C-R1.txt T1-C-R1.txt --depth 5 -o out.tsv",
    "agree votes.csv",
    "gains votes.csv -o out.txt",
    "unanimity T0-C-R1.txt T1-C-R1.txt --votes votes.csv -m nERR@10",
    "clean pairs.tsv -o repository --quiet",
]


@contextlib.contextmanager
def pipes_of(files: dict[str, bytes], folder: Path) -> Iterator[None]:
    """Named pipes in the folder, each with a writer that ends when its reader does."""
    writers = [Thread(target=_write, args=(folder / name, data), daemon=True) for name, data in files.items()]
    for name in files:
        os.mkfifo(folder / name)
    for writer in writers:
        writer.start()
    yield


def _write(path: Path, data: bytes) -> None:
    with contextlib.suppress(BrokenPipeError, FileNotFoundError), path.open("wb") as pipe:
        pipe.write(data)


def _content(found: object) -> object:
    return list(found) if isinstance(found, Iterator) else found


@pytest.mark.parametrize("name", ONE_FILE)
def test_a_pipe_is_read_as_its_file(name: str, tmp_path: Path) -> None:
    """Recognition opens the input, and the reader opens it again: neither loses a byte."""
    (path,) = (EXAMPLES / name).iterdir()
    noun = FORMATS[name].noun
    with pipes_of({path.name: path.read_bytes()}, tmp_path):
        found = _content(read(noun, tmp_path / path.name))
    assert repr(found).replace(str(tmp_path), str(path.parent)) == repr(_content(read(noun, path)))


def test_a_process_that_read_a_pipe_leaves_no_open_file(tmp_path: Path) -> None:
    """Its copy of the pipe is closed at the end, so nothing is written to stderr."""
    program = "import sys, pathlib\nfrom kaiwa.files.inputs import open_input\n"
    program += "with open_input(pathlib.Path(sys.argv[1])) as pipe: print(pipe.read(3).decode())"
    with pipes_of({"pipe": b"one and two"}, tmp_path):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program, tmp_path / "pipe"],
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, "one\n", "")


@pytest.mark.parametrize("words", VERBS)
def test_a_verb_gives_the_same_for_pipes_as_for_files(words: str, tmp_path: Path) -> None:
    """Each input is larger than what a pipe holds, or than what is looked at to recognise a format."""
    files, pipes = tmp_path / "files", tmp_path / "pipes"
    used = {name: text.encode() for name, text in INPUTS.items() if name in words.split()}
    for folder in (files, pipes):
        folder.mkdir()
    for name, data in used.items():
        (files / name).write_bytes(data)
    expected = _kaiwa(words, files)
    assert expected.returncode < 2, expected.stderr
    with pipes_of(used, pipes):
        found = _kaiwa(words, pipes)
    assert (found.returncode, found.stdout, found.stderr) == (expected.returncode, expected.stdout, expected.stderr)
    assert _written(pipes) == _written(files)


def _written(folder: Path) -> dict[str, bytes]:
    """What a verb wrote into the folder, without manifests, which name times."""
    return {path.name: path.read_bytes() for path in folder.rglob("out*") if path.is_file()}


def test_retrieval_gives_the_same_for_pipes_as_for_files(tmp_path: Path) -> None:
    """Topics and a takedown list."""
    files, pipes = tmp_path / "files", tmp_path / "pipes"
    for folder in (files, pipes):
        folder.mkdir()
    for name in ("pairs.tsv", "topics.tsv", "ids.txt"):
        (files / name).write_text(INPUTS[name], encoding="utf-8")
    for words in ("clean pairs.tsv -o repository --rules none", "index repository -o ../index --language en"):
        assert _kaiwa(words, files).returncode == 0
    words = "retrieve ../index topics.tsv --takedown ids.txt -o out.txt"
    expected = _kaiwa(words, files)
    assert expected.returncode == 0, expected.stderr
    with pipes_of({name: INPUTS[name].encode() for name in ("topics.tsv", "ids.txt")}, pipes):
        assert _kaiwa(words, pipes).stdout == expected.stdout
    assert _written(pipes) == _written(files)


def _kaiwa(words: str, folder: Path, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kaiwa.cli", *words.split()]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False, **options)  # type: ignore[call-overload,no-any-return]  # options of run


def test_standard_input_is_read_as_a_file(tmp_path: Path) -> None:
    """Through /dev/stdin, all topics of a matrix are compared."""
    found = _kaiwa("compare /dev/stdin --json", tmp_path, input=INPUTS["m.txt"])
    assert f'"topics": {len(TOPICS)}' in found.stdout


def test_a_pipe_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy of a pipe is bounded."""
    monkeypatch.setattr(input_files, "MAX_PIPE_BYTES", 1 << 20)
    with pipes_of({"run.txt": b"q1 0 c1 1 1 A\n" * 100_000}, tmp_path), pytest.raises(InputError, match="gives over"):
        sum(1 for _ in read_blocks(tmp_path / "run.txt"))


def test_a_pipe_can_be_read_from_any_place(tmp_path: Path) -> None:
    """Archives and tables are read from their ends."""
    with pipes_of({"data": bytes(range(256)) * 1000}, tmp_path):
        with open_input(tmp_path / "data") as source:
            assert source.seek(-2, os.SEEK_END) == 255_998
            assert source.read() == b"\xfe\xff"
        with open_input(tmp_path / "data") as source:
            assert source.read(2) == b"\x00\x01"


SEVERAL_PARTS: dict[str, Callable[[Path], object]] = {
    "pairs.tsv": lambda path: list(read_pairs(path)),
    "ids.txt": read_takedown,
    "T0-C-R1.txt": read_run,
    "votes.csv": read_votes,
    "scores.csv": read_scores,
}


@pytest.mark.parametrize("ending", [".gz", ".zst"])
@pytest.mark.parametrize("name", SEVERAL_PARTS)
def test_a_packed_file_of_several_parts_that_was_cut_short_is_refused(name: str, ending: str, tmp_path: Path) -> None:
    """Wherever a part is cut: only whole parts are a file, which a compressor could have written."""
    lines = INPUTS[name].splitlines(keepends=True)[:60]
    pack = gzip.compress if ending == ".gz" else zstd.compress
    parts = [pack("".join(lines[low : low + 20]).encode()) for low in (0, 20, 40)]
    whole = b"".join(parts)
    boundaries = {len(parts[0]), len(parts[0] + parts[1])}
    path = tmp_path / f"{name}{ending}"
    for cut in range(len(whole)):
        if cut in boundaries:
            continue
        path.write_bytes(whole[:cut])
        with pytest.raises(InputError, match=r"is not a complete|is empty"):
            SEVERAL_PARTS[name](path)


def test_a_parquet_file_that_decompresses_without_end_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """One long text, written once and repeated by number, in a small file."""
    path = tmp_path / "pairs.parquet"
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), ["x" * (2 << 20)])
    pq.write_table(pa.table(dict.fromkeys(FIELDS, repeated)), path, compression="zstd", store_schema=False)
    assert pq.read_schema(path).types == [pa.string()] * len(FIELDS)
    assert path.stat().st_size < 1 << 15
    with pytest.raises(InputError, match="a cell is longer than 1,048,576 bytes"):
        list(read_pairs(path))


def test_long_texts_that_repeat_come_in_small_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often a text is repeated, a batch fits into memory; no row is lost."""
    monkeypatch.setattr(parquet_reading, "_BATCH_BYTES", 10_000)
    columns = {name: pa.array([f"{name}{at % 3}" * 100 for at in range(500)]) for name in FIELDS}
    path = tmp_path / "pairs.parquet"
    pq.write_table(pa.table(columns), path)
    with path.open("rb") as file:
        batches = list(parquet_reading.text_batches(file, path, FIELDS, ""))
    assert max(map(len, batches)) < 10
    assert [text for batch in batches for text in batch["comment"].to_pylist()] == columns["comment"].to_pylist()


@pytest.mark.parametrize("name", ["samples_a.jsonl.gz", "samples_a.jsonl.zst", "log.json.zst"])
def test_a_log_that_decompresses_to_far_more_than_its_size_is_refused(name: str, tmp_path: Path) -> None:
    """Before it is in memory."""
    pack = gzip.compress if name.endswith(".gz") else zstd.compress
    (tmp_path / name).write_bytes(pack(b"[" + b"[]," * (20 << 20)))
    with pytest.raises(InputError, match="decompresses to over 250 times its size"):
        read_scores(tmp_path / name)


def test_the_members_of_an_archive_are_bounded_together(tmp_path: Path) -> None:
    """Each is small enough, all of them are not."""
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", '{"eval": {}}')
        for number in range(4):
            archive.writestr(f"_journal/summaries/{number}.json", b"[]" + b" " * (10 << 20))
    with pytest.raises(InputError, match=r"with .* decompresses to over 250 times its size"):
        read_scores(path)
