"""Variance in, number of topics out."""

from kaiwa.design.answer import Alternative, Design, design
from kaiwa.design.kinds import METHODS, TESTS
from kaiwa.design.sizes import topics_for_width, topics_needed

__all__ = ["METHODS", "TESTS", "Alternative", "Design", "design", "topics_for_width", "topics_needed"]
