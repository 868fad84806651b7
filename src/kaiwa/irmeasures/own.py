"""Kaiwa's measures that ir_measures does not know, as measures of ir_measures."""

from __future__ import annotations

from ir_measures.measures import Measure, ParamInfo

from kaiwa.measure import MEASURES

NAMES = {
    "nG": "nG",
    "nERR": "nERR",
    "Pplus": "P+",
    "Q": "Q",
    "O": "O",
    "GAP": "GAP",
    "nRBP": "nRBP",
    "EBR": "EBR",
    "nEBR": "nEBR",
    "iRBU": "iRBU",
    "niRBU": "niRBU",
}
"""The name that ``ir_measures.parse_measure`` takes, to Kaiwa's name."""

_SHARED = {
    "cutoff": ParamInfo(dtype=int, desc="ranking cutoff threshold"),
    "gains": ParamInfo(dtype=dict, desc="gain of each grade (default: the grade itself)"),
    "judged_only": ParamInfo(dtype=bool, default=False, desc="remove unjudged items first"),
}


def _own(name: str, kaiwa_name: str) -> Measure:
    """A measure of Kaiwa's as one of ir_measures', with its options as parameters."""
    measure = MEASURES[kaiwa_name]
    options = {key: ParamInfo(dtype=float, default=value, desc=key) for key, value in measure.options.items()}
    fields = {
        "__name__": name,
        "NAME": name,
        "PRETTY_NAME": kaiwa_name,
        "SHORT_DESC": measure.description,
        "SUPPORTED_PARAMS": _SHARED | options,
    }
    text = f"Kaiwa's {kaiwa_name}: {measure.description}."
    made: Measure = type(f"_{name}", (Measure,), {**fields, "__doc__": text})()
    return made


OWN = {name: _own(name, kaiwa_name) for name, kaiwa_name in NAMES.items()}
"""Kaiwa's measures by the name that ir_measures takes."""
