"""Variance in, number of topics out. The module can be called: ``kaiwa.design(variance=..., ...)`` is ``design()``."""

import sys
from types import ModuleType
from typing import Any

from kaiwa.design.answer import Alternative, Design, design
from kaiwa.design.kinds import METHODS, TESTS
from kaiwa.design.passrate import PassRateDesign, pass_rate_design
from kaiwa.design.sizes import difference_found, topics_for_width, topics_needed

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


class _CallableModule(ModuleType):
    """The folder and the verb share a name, and importing the folder puts it where the verb would stand."""

    def __call__(self, **asked: Any) -> Design:  # Any: the arguments of ``design``
        """The topic set that meets a requirement."""
        return design(**asked)


sys.modules[__name__].__class__ = _CallableModule
