"""An encoder given as an ONNX file: its vectors, its systems, and files that cannot be used."""

from __future__ import annotations

import builtins
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import kaiwa
from kaiwa.errors import InputError, MissingExtra
from kaiwa.ranking.answering import Bot
from kaiwa.ranking.model_folder import open_models
from kaiwa.ranking.models.onnx_encoder import EncoderFiles, OnnxEncoder
from kaiwa.ranking.system import ranked
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.matching import query_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Made = Callable[[str, str | bytes], Path]
    Files = tuple[Path, Path]


def encoder_of(files: Files) -> OnnxEncoder:
    """The encoder of two files."""
    return OnnxEncoder(EncoderFiles(files[0].read_bytes(), files[1].read_bytes()))


def plain_vector(files: Files, onnx_file: dict[str, Any], text: str) -> np.ndarray:
    """The mean of the rows of the text's characters, of length 1."""
    vocabulary = json.loads(files[1].read_bytes())["model"]["vocab"]
    rows = len(vocabulary)
    table = np.random.default_rng(1).standard_normal((rows, onnx_file["WIDTH"])).astype(np.float32)
    mean = table[[vocabulary.get(one, 0) for one in text]].mean(axis=0)
    return np.asarray(mean / np.sqrt(mean @ mean))


def test_a_text_is_the_mean_of_its_tokens_of_length_1(encoder_files: Files, onnx_file: dict[str, Any]) -> None:
    """Texts of different lengths in one batch; one without tokens is 0; at most 128 tokens are read."""
    texts = ["考试顺利", "", "海", "考试" * 200, "\ud800"]
    vectors = encoder_of(encoder_files).encoded(texts)
    expected = [plain_vector(encoder_files, onnx_file, text[:128]) for text in (texts[0], texts[2], texts[3], "?")]
    assert vectors[[0, 2, 3, 4]] == pytest.approx(np.array(expected), abs=1e-6)
    assert not vectors[1].any()


def test_the_systems_of_an_encoder_find_the_nearest_of_all(
    index: Path, models_folder: Path, encoder_files: Files, onnx_file: dict[str, Any]
) -> None:
    """By the cosines of all comments and posts, up to the rounding to eight bits."""
    opened = open_index(index)
    models, query = open_models(models_folder, opened), query_of(opened, "考试顺利")
    own = plain_vector(encoder_files, onnx_file, query.text)
    texts = opened.comments.texts
    cosines = [plain_vector(encoder_files, onnx_file, texts.text_of(one)) @ own for one in range(len(opened.comments))]
    found = ranked(query, SYSTEMS["encoder"], k=3, models=models)
    assert int(np.argmax(cosines)) in found.comments
    replies = Bot(index, models=models_folder).reply(query.text, system="encoder")
    for one in replies:
        assert one.features["encoder-q2c"] == pytest.approx(
            plain_vector(encoder_files, onnx_file, one.text) @ own, abs=0.03
        )
        number = next(n for n in range(len(texts)) if texts.id_of(n) == one.comment)
        starts = opened.links.comment_starts
        posts = opened.links.comment_posts[starts[number] : starts[number + 1]].tolist()
        by_post = [plain_vector(encoder_files, onnx_file, opened.posts.texts.text_of(post)) @ own for post in posts]
        assert one.features["encoder-q2p"] == pytest.approx(np.mean(by_post), abs=0.03)


def test_an_encoder_is_kept_until_its_files_change(
    index: Path, encoder_files: Files, onnx_file: dict[str, Any], tmp_path: Path
) -> None:
    """Other bytes, another encoder; a text of the takedown list has no vector."""
    target, (network, tokenizer) = tmp_path / "models", encoder_files
    assert kaiwa.models(index, target, encoder=network, tokenizer=tokenizer).trained == ("tokens", "encoder")
    assert kaiwa.models(index, target, encoder=network, tokenizer=tokenizer).kept == ("tokens", "encoder")
    other = tmp_path / "other.onnx"
    other.write_bytes(onnx_file["onnx_bytes"](np.ones((400, 4))))
    assert kaiwa.models(index, target, encoder=other, tokenizer=tokenizer).trained == ("encoder",)
    hidden = frozenset({"c04"})
    kaiwa.models(index, target, encoder=network, tokenizer=tokenizer, takedown=hidden)
    opened = open_index(index)
    codes = open_models(target, opened).opened("encoder").comments.codes
    numbers = opened.comments.texts.find(["c04", "c05"])
    assert [bool(codes[one].any()) for one in numbers.tolist()] == [False, True]


def test_without_an_encoder_its_systems_are_left_out_and_asked_for_with_a_file(index: Path, tmp_path: Path) -> None:
    """One line with the options that make it."""
    kaiwa.models(index, tmp_path / "models", names=["towers"])
    with pytest.raises(
        InputError, match=r"no model 'encoder' here; make it with kaiwa models INDEX -o models --encoder"
    ):
        Bot(index, models=tmp_path / "models").reply("考试", system="encoder")


def test_bad_files_are_one_line_before_anything_is_written(
    index: Path, encoder_files: Files, onnx_file: dict[str, Any], made: Made, tmp_path: Path
) -> None:
    """A wrong or truncated network, a wrong tokenizer, one of another network, one file alone, a missing file."""
    network, tokenizer = encoder_files
    table = np.ones((400, 4))
    cases = [
        (made("text.onnx", "hello"), tokenizer, r"text.onnx: is not a network in ONNX format"),
        (made("empty.onnx", ""), tokenizer, r"empty.onnx: is not a network in ONNX format"),
        (made("cut.onnx", network.read_bytes()[:-40]), tokenizer, r"cut.onnx: is not a network in ONNX format"),
        (made("in.onnx", onnx_file["onnx_bytes"](table, inputs=("pixels",))), tokenizer, r"has the input 'pixels'"),
        (network, made("t.json", "{}"), r"t.json: is not a tokenizer; give the tokenizer.json of the encoder"),
        (made("small.onnx", onnx_file["onnx_bytes"](np.ones((3, 4)))), tokenizer, r"does not fit .*small.onnx"),
        (network, None, r"an encoder is two files, a network and its tokenizer.json; give tokenizer= too"),
        (None, tokenizer, r"give encoder= too"),
        (tmp_path / "absent.onnx", tokenizer, r"absent.onnx: no such file"),
    ]
    for one, other, what in cases:
        with pytest.raises(InputError, match=what):
            kaiwa.models(index, tmp_path / "models", encoder=one, tokenizer=other)
    with pytest.raises(InputError, match="an encoder is two files"):
        kaiwa.models(index, tmp_path / "models", names=["encoder"])
    assert not (tmp_path / "models").exists()


def test_a_missing_extra_is_one_line(index: Path, encoder_files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    real = builtins.__import__

    def without(name: str, *rest: object, **named: object) -> object:
        if name.partition(".")[0] == "onnxruntime":
            raise ModuleNotFoundError(name=name)
        return real(name, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"onnxruntime is not installed; type: pip install 'kaiwa\[encode\]'"):
        kaiwa.models(index, index.parent / "absent", encoder=encoder_files[0], tokenizer=encoder_files[1])
