"""A sentence encoder as an ONNX file with its tokenizer, and the vectors of all texts of an index by it.

The vector of a text is the network's first output of two axes ("texts x dimensions"); if it has none, the mean of its
first output over the tokens of the text. It has length 1. The files are kept in the model, so that nothing else is
needed to answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.ambient import no_progress, share
from kaiwa.errors import InputError, needs_extra
from kaiwa.ranking.models.dense_codes import Coded, coded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kaiwa.ambient import Progress
    from kaiwa.ranking.models.dense_codes import Singles

    Texts = Callable[[int, int], list[str]]


LONGEST = 128
"""Tokens of a text that are read."""
_BATCH = 32
_BLOCK = 1024  # texts sorted by length, so that a batch has texts of about one length


_FAULTS = ("Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NotImplemented", "RuntimeException")
"""The errors of onnxruntime; they have no common class."""


class EncoderFiles(NamedTuple):
    """The bytes of the two files, and their names for messages."""

    network: bytes
    tokenizer: bytes
    network_name: str = "the encoder"
    tokenizer_name: str = "the tokenizer of the encoder"


class OnnxEncoder:
    """Encodes texts; a file that cannot be used, and a tokenizer of another network, are errors before any work."""

    def __init__(self, files: EncoderFiles) -> None:
        with needs_extra("encode"):
            import onnxruntime
            from onnxruntime.capi import onnxruntime_pybind11_state as state
            from tokenizers import Tokenizer

        self._files = files
        self._faults: tuple[type[Exception], ...] = tuple(getattr(state, name) for name in _FAULTS)
        try:
            self._tokenizer = Tokenizer.from_buffer(files.tokenizer)
        except ValueError:
            what, fix = "is not a tokenizer", "give the tokenizer.json of the encoder"
            raise InputError.at(files.tokenizer_name, what, fix) from None
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # our own message is enough
        try:
            self._session = onnxruntime.InferenceSession(files.network, options, providers=["CPUExecutionProvider"])
        except self._faults:
            fix = "give one file with all its weights"
            raise InputError.at(files.network_name, "is not a network in ONNX format", fix) from None
        self._inputs = self._known_inputs()
        self.dimensions = self._probed()

    def encoded(self, texts: Sequence[str]) -> Singles:
        """The vectors of texts, of length 1 ("texts x dimensions"); 0 for a text without a token."""
        clean = [text.encode(errors="replace").decode() for text in texts]
        ids = [one.ids for one in self._tokenizer.encode_batch(clean)]
        vectors = np.zeros((len(ids), self.dimensions), dtype=np.float32)
        order = [place for place in np.argsort([len(one) for one in ids], kind="stable").tolist() if ids[place]]
        for low in range(0, len(order), _BATCH):
            part = order[low : low + _BATCH]
            vectors[part] = self._run([ids[place] for place in part])
        return vectors

    def _known_inputs(self) -> tuple[str, ...]:
        names = tuple(one.name for one in self._session.get_inputs())
        if unknown := set(names) - {"input_ids", "attention_mask", "token_type_ids"}:
            what = f"has the input {min(unknown)!r}, which no text gives"
            raise InputError.at(self._files.network_name, what, "give an encoder with input_ids and attention_mask")
        return names

    def _probed(self) -> int:
        """The number of dimensions, found with the highest token: a tokenizer of another network is an error."""
        highest = max(self._tokenizer.get_vocab().values(), default=0)
        return len(self._run([[highest]])[0])

    def _run(self, ids: list[list[int]]) -> Singles:
        longest = max(map(len, ids))
        tokens = np.array([one + [0] * (longest - len(one)) for one in ids], dtype=np.int64)
        mask = (np.arange(longest) < np.array([[len(one)] for one in ids])).astype(np.int64)
        values = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        try:
            outputs = self._session.run(None, {name: values[name] for name in self._inputs})
        except self._faults:
            what = f"does not fit {self._files.network_name}: the network refuses its tokens"
            raise InputError.at(self._files.tokenizer_name, what, "give the tokenizer.json of this encoder") from None
        return _lengths_of_one(self._pooled(outputs, mask))

    def _pooled(self, outputs: list[Any], mask: Any) -> Singles:  # Any: arrays of several dtypes
        by_axes = {one.ndim: one for one in reversed(outputs) if isinstance(one, np.ndarray)}
        if 2 in by_axes and len(by_axes[2]) == len(mask):  # noqa: PLR2004  texts x dimensions
            return np.asarray(by_axes[2], dtype=np.float32)
        if 3 not in by_axes:  # noqa: PLR2004  texts x tokens x dimensions
            what = "has no output of a vector for each text or token"
            raise InputError.at(self._files.network_name, what, "give a sentence encoder")
        means: Singles = (by_axes[3] * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return means.astype(np.float32)


class EncoderCodes(NamedTuple):
    """The coded posts and comments, and the encoder."""

    posts: Coded
    comments: Coded
    encoder: QueryEncoder


class QueryEncoder:
    """The encoder of an open model: made when a query is first encoded; the last query is kept."""

    def __init__(self, files: EncoderFiles) -> None:
        self._files = files
        self._made: OnnxEncoder | None = None
        self._last: tuple[str, Coded] | None = None

    def query(self, text: str) -> Coded:
        """The coded vector of a query."""
        if self._last is None or self._last[0] != text:
            self._made = self._made or OnnxEncoder(self._files)
            self._last = text, coded(self._made.encoded([text]))
        return self._last[1]


def made_encoder_codes(
    files: EncoderFiles, sides: Mapping[str, tuple[int, Texts]], *, progress: Progress = no_progress
) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model: the texts of both sides, encoded, and the files; ``sides`` are sizes and texts."""
    encoder = OnnxEncoder(files)
    arrays: dict[str, Any] = {  # Any: arrays
        "network": np.frombuffer(files.network, dtype=np.uint8),
        "tokenizer": np.frombuffer(files.tokenizer, dtype=np.uint8),
    }
    whole, done = sum(count for count, _ in sides.values()), 0
    for side, (count, texts) in sides.items():
        own = share(progress, done / max(whole, 1), (done + count) / max(whole, 1))
        codes, factors = np.zeros((count, encoder.dimensions), dtype=np.int8), np.zeros(count, dtype=np.float32)
        for low in range(0, count, _BLOCK):
            high = min(low + _BLOCK, count)
            codes[low:high], factors[low:high] = coded(encoder.encoded(texts(low, high)))
            own(high, count)
        arrays |= {f"{side}.codes": codes, f"{side}.factors": factors}
        done += count
    return arrays


def opened_encoder_codes(arrays: Mapping[str, Any]) -> EncoderCodes:  # Any: arrays
    """The model, from its arrays."""
    posts, comments = (Coded(arrays[f"{side}.codes"], arrays[f"{side}.factors"]) for side in ("posts", "comments"))
    files = EncoderFiles(arrays["network"].tobytes(), arrays["tokenizer"].tobytes())
    return EncoderCodes(posts, comments, QueryEncoder(files))


def _lengths_of_one(vectors: Singles) -> Singles:
    lengths = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    unit: Singles = vectors / np.maximum(lengths, np.float32(1e-12))
    return unit
