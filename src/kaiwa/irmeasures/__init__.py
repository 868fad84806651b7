"""Kaiwa as a provider of ir_measures.

>>> import ir_measures, kaiwa.irmeasures
>>> _ = kaiwa.irmeasures.register()
>>> qrels, run = {"q1": {"d1": 2, "d2": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}
>>> measures = [ir_measures.AP, kaiwa.irmeasures.nERR @ 10]
>>> found = ir_measures.calc_aggregate(measures, qrels, run)
>>> {str(measure): round(found[measure], 4) for measure in measures}
{'AP': 1.0, 'nERR@10': 0.7692}

Measures that ir_measures knows follow its definitions, which are trec_eval's and gdeval's; docs/interchange.md lists
them with Kaiwa's own. ir_measures is not among Kaiwa's dependencies: install it to import this module.
"""

from __future__ import annotations

import ir_measures

from kaiwa.irmeasures.evaluator import KaiwaProvider, provider
from kaiwa.irmeasures.own import OWN

nG, nERR, Pplus, Q, O = (OWN[name] for name in ("nG", "nERR", "Pplus", "Q", "O"))  # noqa: E741, N816  the papers' names
GAP, nRBP, EBR = (OWN[name] for name in ("GAP", "nRBP", "EBR"))  # noqa: N816
nEBR, iRBU, niRBU = (OWN[name] for name in ("nEBR", "iRBU", "niRBU"))  # noqa: N816

__all__ = ["OWN", "KaiwaProvider", "provider", "register"]


def register() -> KaiwaProvider:
    """Make the functions of ir_measures ask Kaiwa first, and ``parse_measure`` know Kaiwa's measures."""
    ir_measures.providers.registry[provider.NAME] = provider
    for name, measure in OWN.items():
        ir_measures.measures.registry.setdefault(name, measure)
    pipeline = ir_measures.DefaultPipeline.providers
    if provider not in pipeline:
        pipeline.insert(0, provider)
    return provider
