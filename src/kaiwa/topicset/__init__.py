"""A variance, scores of a pilot or a pass rate in; the number of topics out.

Read ``design`` (the function, the result), then ``tests`` (every test is one row), ``requirement``, ``sizes``,
``power_functions`` and ``pilots``. ``design_cost``, ``design_decision``, ``design_pass_rate``, ``design_review``,
``design_rounds`` and ``design_simulation`` are verbs of their own, each with its methods beside it. ``command`` is the
shell.
"""
