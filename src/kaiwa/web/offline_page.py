"""One file to judge without a server: the assessor's page with its scripts, styles, words and items in it.

The scripts are those of the server's page. ``offline.js`` stands in for the server: it answers their requests from the
items in the page, keeps the votes in the browser, and saves them as a file. The page may run these scripts only, known
by their hash, and may ask nothing of any network (Content-Security-Policy).
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from kaiwa.files.atomic import write_text
from kaiwa.formats.fields import cell
from kaiwa.formats.labelling_tools import FORMAT, VERSION
from kaiwa.labelling.items import guideline_texts, own_order, task_criteria
from kaiwa.nouns.criteria import writable
from kaiwa.web.pages import Words, assessor_page, language_of, static_files, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.nouns.criteria import TaskItem
    from kaiwa.task.folder import Task


_MODULES = ("words.js", "keys.js", "board.js", "outbox.js", "dialogs.js", "assess.js")
"""The scripts of the assessor's page, each after those that it imports."""
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_LINKS = re.compile(r'<link rel="[^>]*>\n?|<script [^>]*></script>\n?|<nav class="languages".*?</nav>\n?', re.DOTALL)


def write_page(path: Path, task: Task, items: Sequence[TaskItem], assessor: str) -> None:
    """Write the page of one assessor."""
    write_text(path, page_text(task, items, assessor))


def page_text(task: Task, items: Sequence[TaskItem], assessor: str) -> str:
    """The HTML of the page of one assessor, complete in itself."""
    words = _offline_words(words_of(task.settings.languages[0]))
    html = _LINKS.sub("", assessor_page(words, title=task.settings.title, name=cell("assessor", assessor)))
    style = "\n".join(static_files()[name].decode() for name in ("base.css", "page.css", "assess.css"))
    script = "\n".join([static_files()["offline.js"].decode(), *map(_wrapped, _MODULES)])
    data = json.dumps(_data(task, items, assessor), ensure_ascii=False).replace("<", "\\u003c")
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'"
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>\n'
        f'<script type="application/json" id="round">{data}</script>\n</head>'
    )
    html = html.replace("</head>", head, 1)
    return html.replace("</body>", f'<script type="module">{script}</script>\n</body>', 1)


def _offline_words(words: Words) -> Words:
    """The words of the page; what to do in the end is another thing without a server."""
    return Words(words.lang, {**words.table, "assess.finished_detail": words("assess.save_file_now")})


def _data(task: Task, items: Sequence[TaskItem], assessor: str) -> dict[str, object]:
    """The items as the page needs them: posts and comments in an order of the assessor's own."""
    salt, lang = task.settings.title, partial(language_of, languages=task.settings.languages)
    by_topic: dict[str, dict[str, TaskItem]] = {}
    for one in items:
        by_topic.setdefault(one.topic, {})[one.comment] = one
    posts = []
    for topic in own_order(by_topic, assessor=assessor, salt=salt):
        comments = by_topic[topic]
        listed = [comments[name] for name in own_order(comments, assessor=assessor, salt=f"{salt}\0{topic}")]
        post = writable(listed[0].post)
        shown = [
            {"comment": one.comment, "text": writable(one.text), "lang": lang(one.text), "shown": one.shown}
            for one in listed
        ]
        posts.append({"topic": topic, "text": post, "lang": lang(post), "items": shown})
    content = json.dumps([one.shown for one in items])
    return {
        "format": FORMAT,
        "version": VERSION,
        "task": task.settings.title,
        "assessor": assessor,
        "sheet": sha256(content.encode()).hexdigest()[:16],
        "criteria": task_criteria(task).fields(),
        "guidelines": guideline_texts(task),
        "posts": posts,
    }


def _wrapped(name: str) -> str:
    """A module as a block of one script: what it exports is an object with its name."""
    text = static_files()[name].decode()
    names = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(r"const \1 = \2_module;", text))
    return f"const {name.removesuffix('.js')}_module = (() => {{\n{body}\nreturn {{ {names} }};\n}})();"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
