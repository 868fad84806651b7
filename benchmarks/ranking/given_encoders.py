"""Vectors that others have trained: a sentence encoder in an ONNX file, and the word vectors of a spaCy package.

They are read from paths; nothing is fetched. Neither package needs to be installed, only unpacked.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ranking.models.word_vectors import text_vectors, without_common
from kaiwa.ranking.texts import TokenLists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from benchmarks.ranking.candidate_features import ForeignBatch
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.ranking.texts import Corpus

    Encoder = Callable[[Sequence[str]], FloatArray]

_BATCH = 64
_LONGEST = 128
_SMOOTHING = 1e-3
_COMMON = 2
_SAMPLE = 20_000


def onnx_encoder(model: Path, tokeniser: Path) -> Encoder:
    """An encoder of texts: the mean of the last hidden states of an ONNX model, of length 1."""
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options)
    words = Tokenizer.from_file(str(tokeniser))
    words.enable_truncation(_LONGEST)
    words.enable_padding()

    def encoded(texts: Sequence[str]) -> FloatArray:
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        made = np.zeros((len(texts), 0))
        for low in range(0, len(texts), _BATCH):
            own = order[low : low + _BATCH]
            vectors = _means(session, words.encode_batch([texts[place] for place in own]))
            made = made if made.shape[1] else np.zeros((len(texts), vectors.shape[1]))
            made[own] = vectors
        return made

    return encoded


def _means(session: Any, encodings: Sequence[Any]) -> FloatArray:  # Any: of onnxruntime and tokenizers
    numbers, mask = (np.array([getattr(one, part) for one in encodings]) for part in ("ids", "attention_mask"))
    given = {"input_ids": numbers, "attention_mask": mask, "token_type_ids": np.zeros_like(numbers)}
    states = session.run(None, {one.name: given[one.name] for one in session.get_inputs()})[0]
    means = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return means / np.linalg.norm(means, axis=1, keepdims=True)


def spacy_encoder(vocab: Path, corpus: Corpus) -> Encoder:
    """An encoder of texts: the mean of the word vectors of a spaCy package, by rarity, without common directions."""
    row_of, rows = spacy_rows((vocab / "key2row").read_bytes()), np.load(vocab / "vectors")
    found = [row_of.get(murmur(corpus.words.text_of(word).encode()), -1) for word in range(len(corpus.words))]
    vectors = np.where(np.array(found)[:, None] >= 0, rows[found], 0).astype(np.float32)
    arrays = {"vectors": vectors, "rarity": (_SMOOTHING / (_SMOOTHING + corpus.shares)).astype(np.float32)}
    sample = text_vectors(
        corpus.comments.of(np.random.default_rng(1).permutation(len(corpus.comments))[:_SAMPLE]), arrays
    )
    arrays["vectors"] = without_common(vectors, sample, _COMMON).astype(np.float32)

    def encoded(texts: Sequence[str]) -> FloatArray:
        lists = [corpus.numbers(text) for text in texts]
        starts = np.cumsum([0, *map(len, lists)])
        return text_vectors(TokenLists(starts, np.concatenate(lists)), arrays)

    return encoded


def spacy_rows(packed: bytes) -> dict[int, int]:
    """The row of each word's hash: a map of 64-bit keys to numbers in MessagePack.

    >>> spacy_rows(bytes.fromhex("df00000002" "cf0000000000000007" "05" "cf0000000000000008" "cd0102"))
    {7: 5, 8: 258}
    """
    rows, at = {}, 5
    sizes = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
    for _ in range(int.from_bytes(packed[1:5])):
        pair = []
        for _ in range(2):
            size = sizes.get(packed[at], 0)
            pair.append(int.from_bytes(packed[at + 1 : at + 1 + size]) if size else packed[at])
            at += size + 1
        rows[pair[0]] = pair[1]
    return rows


def murmur(data: bytes, seed: int = 1) -> int:
    """MurmurHash64A (Appleby), with which spaCy numbers words.

    >>> hex(murmur(b""))
    '0xc6a4a7935bd1e995'
    """
    factor, word = 0xC6A4A7935BD1E995, (1 << 64) - 1
    found = seed ^ (len(data) * factor & word)
    whole = len(data) // 8 * 8
    for low in range(0, whole, 8):
        block = int.from_bytes(data[low : low + 8], "little") * factor & word
        block = (block ^ block >> 47) * factor & word
        found = (found ^ block) * factor & word
    if whole < len(data):
        found = (found ^ int.from_bytes(data[whole:], "little")) * factor & word
    found = (found ^ found >> 47) * factor & word
    return found ^ found >> 47


def encoder_columns(encode: Encoder, batches: Sequence[ForeignBatch]) -> dict[str, FloatArray]:
    """The cosines of the query with the comment, and with the post, of each candidate."""
    queries = [batch.query.text for batch in batches]
    sides = {"encoder-q2c": "comments", "encoder-q2p": "posts"}
    asked = encode(queries)
    starts = np.cumsum([0, *(len(batch.candidates) for batch in batches)]).tolist()
    columns = {}
    for name, side in sides.items():
        texts = [text for batch in batches for text in _texts(batch, side)]
        distinct = list(dict.fromkeys(texts))
        place_of = {text: place for place, text in enumerate(distinct)}
        vectors = encode(distinct)[[place_of[text] for text in texts]]
        parts = [vectors[low:high] @ asked[row] for row, (low, high) in enumerate(pairwise(starts))]
        columns[name] = np.concatenate(parts)
    return columns


def _texts(batch: ForeignBatch, side: str) -> Iterable[str]:
    texts = getattr(batch.query.index, side).texts
    return map(texts.text_of, getattr(batch.candidates, side).tolist())
