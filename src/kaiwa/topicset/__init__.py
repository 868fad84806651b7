"""Topic set size design: variance in, number of topics out."""

from kaiwa.topicset.answer import Alternative, Design, design
from kaiwa.topicset.designed_tests import METHODS, TESTS
from kaiwa.topicset.pass_rates import PassRateDesign, pass_rate_design
from kaiwa.topicset.sizes import difference_found, topics_for_width, topics_needed

__all__ = [
    "METHODS",
    "TESTS",
    "Alternative",
    "Design",
    "PassRateDesign",
    "design",
    "difference_found",
    "pass_rate_design",
    "topics_for_width",
    "topics_needed",
]
