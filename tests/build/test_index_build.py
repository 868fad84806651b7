"""The index on disk: whole or absent, checked, and refused in one line when it is not ours."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kaiwa.errors import InputError, UnknownName
from kaiwa.files import array_folder
from kaiwa.files import array_folder as array_writer
from kaiwa.ranking.answering import Bot
from kaiwa.retrieval.build import build_index
from kaiwa.retrieval.inverted_index import INDEX, index_from, open_index, open_index_files
from kaiwa.retrieval.matching import Matcher, query_of, search

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.files.array_folder import ArrayFolder


def rebuilt(repository: Path, target: Path, tokens: str | None = None) -> Path:
    """The repository indexed at the target."""
    build_index(repository, target, language="zh", tokens=tokens, progress=lambda _done, _total: None)
    return target


def data_of(target: Path) -> Path:
    """The folder with the arrays."""
    return next(target.glob("data-*"))


def test_any_flipped_byte_is_detected(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every file, in every part of it: refused when the index is opened or the part is read."""
    monkeypatch.setattr(array_folder, "CHUNK", 256)
    target = rebuilt(repository, tmp_path / "index")
    for name in [*sorted(data_of(target).iterdir()), target / "manifest.json"]:
        whole = name.read_bytes()
        for place in {0, len(whole) // 2, len(whole) - 2}:
            name.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
            with pytest.raises(InputError):
                _use_all(target)
        name.write_bytes(whole)
    _use_all(target)


def _use_all(target: Path) -> None:
    bot = Bot(target)
    for number in range(len(bot.index.terms)):
        for shard in bot.index.shards:
            for side in (shard.posts, shard.comments):
                own = side.own_terms(_one(number))
                side.slices(own[own >= 0])
    for side in (bot.index.posts, bot.index.comments):
        for number in range(len(side)):
            side.texts.id_of(number)
            side.texts.text_of(number)


def _one(number: int):  # type: ignore[no-untyped-def]  # noqa: ANN202
    import numpy as np

    return np.array([number])


def test_a_new_index_has_the_permissions_of_the_old_one(repository: Path, tmp_path: Path) -> None:
    """Of the folder, its data and its manifest: what others could not read stays so."""
    target = rebuilt(repository, tmp_path / "index")
    for path, mode in ((target, 0o750), (data_of(target), 0o700), (target / "manifest.json", 0o640)):
        path.chmod(mode)
    rebuilt(repository, target)
    found = [path.stat().st_mode & 0o777 for path in (target, data_of(target), target / "manifest.json")]
    assert found == [0o750, 0o700, 0o640]


def test_the_arrays_of_an_index_keep_their_names(index: Path) -> None:
    """An index of version 4, whenever it was built, has these."""
    postings = ("starts", "docs", "shapes", "often", "length", "inverse_norms", "bm25_peaks", "tfidf_peaks")
    texts = ("text", "text_starts", "ids", "id_starts", "row")
    arrays = {f"{name}.{part}" for name in ("posts", "comments") for part in (*postings, *texts)}
    arrays |= {f"terms.{part}" for part in ("slots", "starts", "text")}
    arrays |= {f"pairs.{part}" for part in ("comment_posts", "comment_starts", "post_comments", "post_starts")}
    arrays |= {f"merged.{part}" for part in ("ids", "id_starts", "kept")}
    assert {entry.stem for entry in data_of(index).iterdir()} == arrays
    facts = json.loads((index / "manifest.json").read_text(encoding="utf-8"))["facts"]
    assert list(facts)[:4] == ["language", "tokeniser", "k1", "b"]


def test_an_index_built_before_a_similarity_was_added_opens_without_it(index: Path) -> None:
    """The others answer as before, and asking for the missing one is an error."""
    files = open_index_files(index)
    arrays = {name: array for name, array in files.arrays.items() if not name.endswith("bm25_peaks")}
    older = index_from(arrays, files.facts, files.check)
    query = query_of(older, "考试")
    assert len(search(query, Matcher("tfidf", 1.0, 1.0), k=3))
    with pytest.raises(UnknownName, match="unknown similarity 'bm25'"):
        search(query, Matcher("bm25", 1.0, 1.0), k=3)


def test_opening_an_index_loads_nothing_of_the_build() -> None:
    """An answering process needs neither the writer nor pyarrow."""
    program = (
        "import sys, kaiwa.ranking.answering\n"
        "print([name for name in sys.modules if name.startswith(('kaiwa.build', 'kaiwa.disk.a', 'pyarrow'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", ["comments.docs.npy", "terms.text.npy"])
def test_a_missing_or_cut_file_is_one_line(index: Path, tmp_path: Path, name: str) -> None:
    """Refused when the index is opened."""
    shutil.copytree(index, tmp_path / "index")
    victim = data_of(tmp_path / "index") / name
    victim.write_bytes(victim.read_bytes()[:-1])
    with pytest.raises(InputError, match="missing or truncated"):
        open_index(tmp_path / "index")
    victim.unlink()
    with pytest.raises(InputError, match="missing or truncated"):
        open_index(tmp_path / "index")


def test_a_foreign_folder_is_refused(tmp_path: Path, repository: Path) -> None:
    """A missing folder, another folder, a repository: each one line."""
    with pytest.raises(InputError, match="no such index; build it with kaiwa index"):
        open_index(tmp_path / "nowhere")
    with pytest.raises(InputError, match="not an index"):
        open_index(tmp_path)
    with pytest.raises(InputError, match="not an index"):
        open_index(repository)


def test_an_index_of_another_version_is_refused(index: Path, tmp_path: Path) -> None:
    """The version is named."""
    shutil.copytree(index, tmp_path / "index")
    manifest = tmp_path / "index" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "version": 99}), encoding="utf-8")
    with pytest.raises(InputError, match="has index version 99"):
        open_index(tmp_path / "index")


def test_an_open_index_answers_on_while_it_is_replaced(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old arrays stay mapped, those not yet checked too; who opens next gets the new index."""
    monkeypatch.setattr(array_folder, "CHUNK", 256)
    bot = Bot(rebuilt(repository, tmp_path / "index"))
    before = [one.comment for one in bot.reply("考试", unfiltered=True)]
    rebuilt(repository, tmp_path / "index", "bigrams")
    assert [one.comment for one in bot.reply("考试", unfiltered=True)] == before
    assert open_index(tmp_path / "index").tokeniser == "bigrams"
    assert len(list((tmp_path / "index").glob("data-*"))) == 1


@pytest.mark.parametrize("tokens", ["bigrams", "zh+bigrams", "ja", "en"])
def test_each_tokeniser_builds_an_index_that_answers(repository: Path, tmp_path: Path, tokens: str) -> None:
    """Words, bigrams or both, in any language."""
    bot = Bot(rebuilt(repository, tmp_path / "index", tokens))
    assert bot.reply("Hawaii 考试 天気")


def test_a_failed_build_leaves_nothing(repository: Path, tmp_path: Path) -> None:
    """A broken repository is refused and no folder appears."""
    shutil.copytree(repository, tmp_path / "repo")
    (tmp_path / "repo" / "comments.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match="is missing, damaged or changed"):
        rebuilt(tmp_path / "repo", tmp_path / "index")
    assert not (tmp_path / "index").exists()


def test_a_build_killed_at_any_moment_leaves_the_old_index(repository: Path, tmp_path: Path) -> None:
    """The next reader finds the old index or the new one, whole."""
    target = rebuilt(repository, tmp_path / "index")
    program = (
        "import sys; from pathlib import Path; from kaiwa.retrieval.build import build_index\n"
        "print('ready', flush=True)\n"
        "while True: build_index(Path(sys.argv[1]), Path(sys.argv[2]), language='zh', tokens=None, progress=print)"
    )
    for wait in (0.0, 0.03, 0.11, 0.23):
        builder = subprocess.Popen([sys.executable, "-c", program, repository, target], stdout=subprocess.PIPE)
        assert builder.stdout is not None
        builder.stdout.readline()
        time.sleep(wait)
        os.kill(builder.pid, signal.SIGKILL)
        builder.wait()
        builder.stdout.close()
        assert Bot(target).reply("考试")[0].comment == "c04"
    rebuilt(repository, target)
    assert len(list(target.glob("data-*"))) == 1


def test_an_index_that_is_replaced_while_it_is_opened_is_opened_again(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest is read again; a damaged index is still refused at once."""
    target, read = rebuilt(repository, tmp_path / "index"), array_folder.read_manifest
    builds = iter(["bigrams", "zh"])

    def replaced(path: Path, kind: ArrayFolder) -> dict[str, object]:
        manifest = read(path, kind)
        for tokens in builds:
            rebuilt(repository, target, tokens)
            break
        return manifest

    monkeypatch.setattr(array_folder, "read_manifest", replaced)
    assert open_index(target).tokeniser == "zh"
    next(target.glob("data-*/*.npy")).unlink()
    with pytest.raises(InputError, match="missing or truncated"):
        open_index(target)


def test_two_builds_at_once_do_not_meet(repository: Path, tmp_path: Path) -> None:
    """The second is refused."""
    with (
        array_writer.writing_arrays(tmp_path / "index", INDEX, {}),
        pytest.raises(InputError, match="another build is running here"),
    ):
        rebuilt(repository, tmp_path / "index")


def test_a_build_stopped_late_leaves_no_takedown_list_behind(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list is copied at the very end; and beside a list alone, an index can be built."""
    shutil.copytree(repository, tmp_path / "repository")
    (tmp_path / "repository" / "takedown.txt").write_text("c01\n", encoding="utf-8")
    monkeypatch.setattr(array_writer, "checksums", _stopped)
    with pytest.raises(KeyboardInterrupt):
        rebuilt(tmp_path / "repository", tmp_path / "index")
    monkeypatch.undo()
    assert not (tmp_path / "index").exists()
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "takedown.txt").write_text("c02\n", encoding="utf-8")
    rebuilt(tmp_path / "repository", tmp_path / "index")
    assert (tmp_path / "index" / "takedown.txt").read_text(encoding="utf-8").split() == ["c02", "c01"]


def _stopped(_name: Path) -> None:
    raise KeyboardInterrupt


def _bytes_as_text() -> pa.Array:
    raw = pa.array([b"\xed\xa0\x80"], pa.binary())
    return pa.Array.from_buffers(pa.string(), 1, raw.buffers())


@pytest.mark.parametrize(
    ("comments", "complaint"),
    [
        (pa.table([["c1"], _bytes_as_text()], names=["comment_id", "comment"]), "contains bytes that are not UTF-8"),
        (pa.table([["c1"], ["w"], ["w"]], names=["comment_id", "comment", "comment"]), "duplicate column 'comment'"),
        (pa.table({"comment_id": ["c 1"], "comment": ["w"]}), "a comment_id is empty or contains white space"),
        (pa.table({"comment_id": [""], "comment": ["w"]}), "a comment_id is empty or contains white space"),
    ],
)
def test_tables_of_another_tool_are_refused_in_one_line(tmp_path: Path, comments: pa.Table, complaint: str) -> None:
    """What no reader, and no run file, could take."""
    pq.write_table(pa.table({"post_id": ["p1"], "post": ["w"]}), tmp_path / "posts.parquet")
    pq.write_table(comments, tmp_path / "comments.parquet")
    pq.write_table(pa.table({"post_id": ["p1"], "comment_id": ["c1"]}), tmp_path / "pairs.parquet")
    with pytest.raises(InputError, match=complaint):
        rebuilt(tmp_path, tmp_path / "index")
    assert not (tmp_path / "index").exists()
