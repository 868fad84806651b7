"""A tiny sentence encoder: an ONNX file written byte by byte, and its tokenizer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FLOAT, INT64 = 1, 7  # element types of ONNX
WIDTH = 8


def _number(value: int) -> bytes:
    """A whole number in the variable length of protocol buffers."""
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _number(rest) if rest else bytes([low])


def _field(tag: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _number(tag << 3) + _number(value)
    return _number(tag << 3 | 2) + _number(len(value)) + value


def _value(name: str, kind: int, axes: Sequence[str | int]) -> bytes:
    """The name, element type and axes of an input or output."""
    shape = b"".join(_field(1, _field(2, one.encode()) if isinstance(one, str) else _field(1, one)) for one in axes)
    return _field(1, name.encode()) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def onnx_bytes(table: np.ndarray, *, inputs: Sequence[str] = ("input_ids", "attention_mask")) -> bytes:
    """A network whose output is the row of each token in the table ("tokens x dimensions"): one Gather."""
    weights = _field(1, table.shape[0]) + _field(1, table.shape[1]) + _field(2, FLOAT)
    weights += _field(8, b"table") + _field(9, table.astype("<f4").tobytes())
    node = _field(1, b"table") + _field(1, inputs[0].encode()) + _field(2, b"last_hidden_state") + _field(4, b"Gather")
    graph = _field(1, node) + _field(2, b"tiny") + _field(5, weights)
    for name in inputs:
        graph += _field(11, _value(name, INT64, ("texts", "tokens")))
    graph += _field(12, _value("last_hidden_state", FLOAT, ("texts", "tokens", table.shape[1])))
    return _field(1, 8) + _field(7, graph) + _field(8, _field(2, 13))


def tokenizer_bytes(characters: str) -> bytes:
    """A tokenizer.json with one token for each of the characters, and one for all others."""
    vocabulary = {"[UNK]": 0} | {one: place for place, one in enumerate(sorted(set(characters)), start=1)}
    split = {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated", "invert": False}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}
    return json.dumps({"version": "1.0", "added_tokens": [], "pre_tokenizer": split, "model": model}).encode()


def write_encoder(folder: Path, characters: str, *, rows: int | None = None) -> tuple[Path, Path]:
    """An encoder of these characters with random vectors, and its tokenizer, as two files."""
    count = len(set(characters)) + 1 if rows is None else rows
    table = np.random.default_rng(1).standard_normal((count, WIDTH)).astype(np.float32)
    files = folder / "tiny.onnx", folder / "tokenizer.json"
    files[0].write_bytes(onnx_bytes(table))
    files[1].write_bytes(tokenizer_bytes(characters))
    return files
