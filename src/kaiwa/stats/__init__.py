"""What several methods need of statistics: arrays in, numbers out.

``resampling`` (with ``random_words`` and ``shuffle_kernel``) draws trials; ``p_values`` counts them; ``anova``,
``reml``, ``kendall`` and ``studentised_range`` are models and distributions; ``solvers`` finds sizes; ``compiled``
holds loops.
"""
