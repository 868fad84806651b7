"""A small index in three languages, built once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kaiwa.files.rules import read_rules
from kaiwa.flow.clean import clean
from kaiwa.flow.index import build_index

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = """\
p1\t今天天气真好，适合出去走走\tc01\t一起去爬山吧
p1\t今天天气真好，适合出去走走\tc02\t我这里下雨了，好羡慕你
p1\t今天天气真好，适合出去走走\tc03\t天气真好
p2\t明天要考试了，好紧张\tc04\t祝你考试顺利
p2\t明天要考试了，好紧张\tc05\t别紧张，早点睡觉
p2\t明天要考试了，好紧张\tc06\t祝你考试顺利！！
p3\t周末去青岛看海\tc07\t青岛的海鲜很好吃
p3\t周末去青岛看海\tc01\t一起去爬山吧
p4\tThe first day in Hawaii\tc08\tEnjoy the beaches, I was in Hawaii last year
p4\tThe first day in Hawaii\tc09\tSend us some photos
p5\t今日はいい天気ですね\tc10\t散歩に行きましょう
p5\t今日はいい天気ですね\tc11\tこちらは雨が降っています
"""


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pairs above as a repository, near-duplicates merged."""
    folder = tmp_path_factory.mktemp("round")
    (folder / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    silent = lambda _done, _total: None  # noqa: E731
    clean(folder / "pairs.tsv", folder / "repo", rules=read_rules("plain"), sample=None, seed=1, progress=silent)
    return folder / "repo"


@pytest.fixture(scope="session")
def index(repository: Path) -> Path:
    """The repository's index."""
    target = repository.parent / "index"
    build_index(repository, target, language="zh", tokens=None, progress=lambda _done, _total: None)
    return target
