"""A task folder to judge: topics, a pool, and a repository with the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.formats.repository import Manifest, writing_repository

if TYPE_CHECKING:
    from pathlib import Path


def make_task(folder: Path, *, topics: int, comments: int, votes_per_item: int, settings: str = "") -> Path:
    """The folder with ``topics`` posts and as many ``comments`` for each in its pool."""
    folder.mkdir(parents=True)
    (folder / "kaiwa.toml").write_text(
        f'[task]\ntitle = "A round"\nlanguages = ["zh"]\n[judging]\nvotes_per_item = {votes_per_item}\n{settings}',
        encoding="utf-8",
    )
    posts = {f"q{number}": f"今年第一次去夏威夷 {number}" for number in range(topics)}
    items = [(topic, f"{topic}-c{number}") for topic in posts for number in range(comments)]
    (folder / "topics.tsv").write_text("".join(f"{one}\t{text}\n" for one, text in posts.items()), encoding="utf-8")
    (folder / "pool.tsv").write_text("".join(f"{topic}\t{comment}\n" for topic, comment in items), encoding="utf-8")
    names = [comment for _, comment in items]
    with writing_repository(folder / "repository") as writer:
        writer.add("posts", ["p"], ["一个帖子"])
        writer.add("comments", names, [f"海水真的很蓝 {number}" for number in range(len(names))])
        writer.add("pairs", ["p"] * len(names), names)
        writer.finish(Manifest())
    return folder
