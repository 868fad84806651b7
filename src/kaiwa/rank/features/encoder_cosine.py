"""An encoder given as a file: the cosine of the query and the post or comment of each pair, by stored vectors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.dense_codes import products

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch
    from kaiwa.rank.models.dense_codes import Coded
    from kaiwa.rank.models.onnx_encoder import EncoderCodes


def encoder_cosine(batch: Batch, *, side: str) -> FloatArray:
    """The cosine of the encoded query and the stored comment, or the mean over its posts."""
    model: EncoderCodes = batch.models.opened("encoder")
    stored: Coded = getattr(model, side)
    numbers = batch.candidates.comments if side == "comments" else batch.numbered_posts[0]
    found = products(stored.of(numbers), model.encoder.query(batch.query.text))
    return found if side == "comments" else batch.mean_of_posts(found)


ENCODER_FEATURES = {
    f"encoder-{short}": Feature(
        partial(encoder_cosine, side=side),
        f"cosine of the query and the {noun} by an encoder given as a file",
        ("encoder",),
    )
    for short, side, noun in (("q2p", "posts", "post"), ("q2c", "comments", "comment"))
}
