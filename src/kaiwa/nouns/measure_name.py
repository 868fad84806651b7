"""Names of measures as people write them: ``nERR@10``, ``RBP(p=0.8)@5``, ``Acc(L1,L2)@5``, ``D#-nDCG@10``.

NTCIREVAL's names (``MSnDCG@0001``, ``P-plus``) and the common ones (``MAP``, ``P@10``) are also read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kaiwa.errors import InputError

Option = float | tuple[float, ...]

PREFIXES = ("DIN#-", "DIN-", "D#-", "D-", "IA-")

ALIASES = {
    "MSnDCG": "nDCG",
    "NDCG": "nDCG",
    "P-plus": "P+",
    "Pplus": "P+",
    "P-measure": "P",
    "O-measure": "O",
    "Q-measure": "Q",
    "MAP": "AP",
    "MRR": "RR",
    "Precision": "Prec",
    "R": "Recall",
    "Success": "Hit",
    "NCUguP": "NCUgu,P",
    "NCUguBR": "NCUgu,BR",
    "NCUrbP": "NCUrb,P",
    "NCUrbBR": "NCUrb,BR",
    "NCUrbIE": "NCUrb,IE",
    "Bpref": "bpref",
    "alpha-rec": "I-rec",
}

_SHAPE = re.compile(r"(?P<base>[^()@\s]+?)(?:\((?P<inside>[^()]*)\))?(?:@(?P<cutoff>[^@]*))?")


@dataclass(frozen=True)
class MeasureName:
    """A parsed name: the measure, its prefix, options, levels and cutoff."""

    base: str
    cutoff: int | None = None
    prefix: str = ""
    options: dict[str, Option] = field(default_factory=dict)
    levels: tuple[int, ...] = ()


def parse_name(text: str) -> MeasureName:
    """The parts of a measure's name.

    >>> parse_name("RBP(p=0.8)@5")
    MeasureName(base='RBP', cutoff=5, prefix='', options={'p': 0.8}, levels=())
    >>> parse_name("MSnDCG@0001").base
    'nDCG'
    >>> parse_name("Acc(L1,L2)@5").levels
    (1, 2)
    """
    prefix = next((start for start in PREFIXES if text.startswith(start)), "")
    shape = _SHAPE.fullmatch(text.strip().removeprefix(prefix))
    if not shape:
        raise InputError(f"measure {text!r} is not a name; write it like nERR@10 or RBP(p=0.8)@5")
    cutoff = _cutoff(shape["cutoff"], text)
    base = shape["base"]
    if base == "P" and cutoff is not None:
        base = "Prec"  # P@10 is precision in every tool; P alone and P-measure@10 are Sakai's P
    options, levels = _inside(shape["inside"] or "", text)
    return MeasureName(ALIASES.get(base, base), cutoff, prefix, options, levels)


def _cutoff(digits: str | None, text: str) -> int | None:
    if digits is None:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", digits) or int(digits) < 1:
        raise InputError(
            f"measure {text!r}: the cutoff {digits!r} is not a rank; give a whole number from 1, as nERR@10"
        )
    return int(digits)


def _inside(inside: str, text: str) -> tuple[dict[str, Option], tuple[int, ...]]:
    options: dict[str, Option] = {}
    levels: list[int] = []
    for part in filter(None, (part.strip() for part in inside.split(","))):
        key, equals, value = part.partition("=")
        if equals:
            options[key.strip()] = _value(value.strip(), text)
        elif re.fullmatch(r"L?[0-9]{1,3}", part):
            levels.append(int(part.removeprefix("L")))
        else:
            raise InputError(f"measure {text!r}: {part!r} is neither an option (p=0.8) nor a level (L2)")
    return options, tuple(levels)


def _value(value: str, text: str) -> Option:
    try:
        numbers = tuple(float(number) for number in value.split(":"))
    except ValueError:
        raise InputError(f"measure {text!r}: {value!r} is not a number; write options like p=0.8") from None
    return numbers[0] if len(numbers) == 1 else numbers
