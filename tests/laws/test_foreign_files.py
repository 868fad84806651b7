"""What the user keeps in and beside our folders survives every verb that writes a folder."""

from __future__ import annotations

import json
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kaiwa
from kaiwa.checking.check import check
from kaiwa.errors import InputError
from kaiwa.files.marks import Mark, remove_named
from kaiwa.reporting.report import ReportHead, write_files
from kaiwa.retrieval.build import build_index
from kaiwa.show.page import Section, Table

if TYPE_CHECKING:
    from collections.abc import Callable

RUN = "q1 Q0 c1 1 2.0 R\nq1 Q0 c1 2 1.0 R\n"
HEX = "0123456789abcdef"
TOPICS = 2


def indexed(inputs: Path, target: Path) -> None:
    """An index of the repository."""
    build_index(inputs / "repo", target, language="en", tokens="en", progress=lambda _done, _total: None)


def cleaned(inputs: Path, target: Path) -> None:
    """A repository of the pairs."""
    kaiwa.clean(inputs / "pairs.tsv", target)


def held_out(inputs: Path, target: Path) -> None:
    """The repository without two topics."""
    kaiwa.topics(inputs / "repo", n=TOPICS, rest=target, seed=1)


def reported(_inputs: Path, target: Path) -> None:
    """The files of a report of one table."""
    table = Table("t", "A table", ("run", "mean"), (("A", 0.5),))
    write_files(target, [Section("S", (table,))], ReportHead("T", "", "", "1"))


def fixed(inputs: Path, target: Path) -> None:
    """A fixed copy of the run."""
    check(inputs / "R.txt", fix=target)


def rewritten(inputs: Path, target: Path) -> None:
    """The run in another format."""
    kaiwa.convert(inputs / "good.txt", format="trec-run").write(target)


WRITERS: dict[str, Callable[[Path, Path], None]] = {
    "index": indexed,
    "clean": cleaned,
    "topics --rest": held_out,
    "report": reported,
    "check --fix": fixed,
    "convert": rewritten,
}
NAMES = st.sampled_from(
    [
        "data-2024",
        f"data-{HEX}",
        f".out.{HEX}",
        f".out.{HEX}.old",
        f".manifest.json.{HEX}",
        "out-files",
        "notes.txt",
        "takedown.txt",
        "pairs.spill",
        "spill-x",
        "data",
        "tables",
        ".hidden",
    ]
)
FOREIGN = st.dictionaries(st.tuples(st.booleans(), NAMES, st.booleans()), st.binary(max_size=4), max_size=6)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs, their repository, a faulty run and a good one."""
    folder = tmp_path_factory.mktemp("inputs")
    texts = ["the sea is blue", "my dog ran home", "snow fell all night", "we won the match", "tea is ready now"]
    lines = [f"p{at}\t{text}\tc{at}\tI like {text}\n" for at, text in enumerate(texts)]
    (folder / "pairs.tsv").write_text("".join(lines), encoding="utf-8")
    (folder / "R.txt").write_text(RUN, encoding="utf-8")
    (folder / "good.txt").write_text(RUN.splitlines(keepends=True)[0].replace("R\n", "S\n"), encoding="utf-8")
    cleaned(folder, folder / "repo")
    return folder


def placed(folder: Path, foreign: dict[tuple[bool, str, bool], bytes]) -> dict[Path, bytes]:
    """The foreign files that could be made: in the folder or beside it, each a file or a file in a folder."""
    made = {}
    for (inside, name, is_folder), content in foreign.items():
        path = (folder if inside else folder.parent) / name
        path = path / "report.json" if is_folder else path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(content)
        except OSError:
            continue
        made[path] = content
    return made


@pytest.mark.parametrize("verb", WRITERS)
@settings(max_examples=25)
@given(before=FOREIGN, after=FOREIGN)
def test_no_foreign_file_is_lost(
    inputs: Path, verb: str, before: dict[tuple[bool, str, bool], bytes], after: dict[tuple[bool, str, bool], bytes]
) -> None:
    """Before the first write, between two, and when the verb refuses: each file keeps its bytes."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "out")
        kept = placed(target, before) if before else {}
        for more in (after, {}):
            with suppress(InputError):  # a folder that is not ours
                WRITERS[verb](inputs, target)
            kept |= placed(target, more)
        assert {path: path.read_bytes() for path in kept} == kept


def test_folders_of_the_user_stay_in_an_index(inputs: Path, tmp_path: Path) -> None:
    """Whatever they are called: only what the old manifest names is removed."""
    indexed(inputs, tmp_path / "index")
    first = next((tmp_path / "index").glob("data-*"))
    for name in ("data-2024", f"data-{HEX}"):
        (tmp_path / "index" / name).mkdir()
        (tmp_path / "index" / name / "thesis.tex").write_text("years", encoding="utf-8")
    (first / "mine.txt").write_text("mine", encoding="utf-8")
    indexed(inputs, tmp_path / "index")
    assert (tmp_path / "index" / f"data-{HEX}" / "thesis.tex").exists()
    assert (tmp_path / "index" / "data-2024" / "thesis.tex").exists()
    assert [entry.name for entry in first.iterdir()] == ["mine.txt"]


def test_a_foreign_report_json_does_not_make_a_folder_ours(inputs: Path, tmp_path: Path) -> None:
    """The mark says what it is."""
    (tmp_path / "x-files").mkdir()
    (tmp_path / "x-files" / "report.json").write_text('{"mine": 1}', encoding="utf-8")
    with pytest.raises(InputError, match="folder with other files"):
        reported(inputs, tmp_path / "x-files")
    assert (tmp_path / "x-files" / "report.json").read_text(encoding="utf-8") == '{"mine": 1}'


def test_a_users_file_where_a_new_file_must_go_is_refused(inputs: Path, tmp_path: Path) -> None:
    """A merged.parquet that the mark does not name is not ours; nothing is written."""
    cleaned(inputs, tmp_path / "repo")
    named = json.loads((tmp_path / "repo" / "manifest.json").read_text(encoding="utf-8"))
    mine = {**named, "files": [name for name in named["files"] if name != "posts.parquet"]}
    (tmp_path / "repo" / "manifest.json").write_text(json.dumps(mine), encoding="utf-8")
    (tmp_path / "repo" / "posts.parquet").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"posts\.parquet: is not a file of Kaiwa"):
        cleaned(inputs, tmp_path / "repo")
    assert (tmp_path / "repo" / "posts.parquet").read_text(encoding="utf-8") == "mine"
    assert [entry.name for entry in tmp_path.iterdir()] == ["repo"]


@pytest.mark.parametrize("name", ["../mine.txt", "/etc/hostname", "link/mine.txt", "", 7, None])
def test_a_mark_names_nothing_outside_its_folder(tmp_path: Path, name: object) -> None:
    """Neither by a path nor through a link is a file removed that is elsewhere."""
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "link").symlink_to(tmp_path)
    (tmp_path / "out" / "m.json").write_text(json.dumps({"what": "w", "files": [name]}), encoding="utf-8")
    assert Mark("m.json", "w").files_of(tmp_path / "out") == ["m.json"]
    remove_named(tmp_path / "out", ["m.json"])
    assert (tmp_path / "mine.txt").exists()
    shutil.rmtree(tmp_path / "out")
