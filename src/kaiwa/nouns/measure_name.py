"""Names of measures as people write them: ``nERR@10``, ``RBP(p=0.8)@5``, ``Acc(L1,L2)@5``, ``D#-nDCG@10``.

The names of NTCIREVAL (``MSnDCG@0001``, ``P-plus``), trec_eval (``ndcg_cut_10``, ``recip_rank``), ranx (``ndcg@10``,
``rbp.80``) and ir_measures (``R@10``, and its objects) are also read; a result has ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, UnknownName, option

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, Protocol, TypeAlias

    class OtherMeasure(Protocol):
        """A measure of ir_measures, such as ``nDCG@10``."""

        NAME: str
        SUPPORTED_PARAMS: Mapping[str, Any]  # Any: of ir_measures
        params: Mapping[str, Any]  # Any: as above

    MeasuresInput: TypeAlias = str | OtherMeasure | Sequence[str | OtherMeasure]

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
    "BPref": "bpref",
    "alpha-rec": "I-rec",
    "map": "AP",
    "map_cut": "AP",
    "mrr": "RR",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG",
    "precision": "Prec",
    "recall": "Recall",
    "success": "Hit",
    "hit_rate": "Hit",
    "rbp": "RBP",
}
"""Other tools' names of our measures. Where a value may differ, ``OTHERWISE`` says how."""

OTHERWISE = {
    "map": "trec_eval and ranx divide by R, the number of relevant items, not by min(K, R)",
    "map_cut": "trec_eval and ranx divide by R, the number of relevant items, not by min(K, R)",
    "rbp": "ranx does not divide the gains by gmax",
}
"""What another tool does otherwise; for ``map`` and ``map_cut`` if there is a cutoff."""

NOT_OURS = frozenset(
    {
        "hits",
        "f1",
        "r_precision",
        "r-precision",
        "dcg",
        "dcg_burges",
        "ndcg_burges",
        "Rprec",
        "RPrec",
        "Rprec_mult",
        "gm_map",
        "gm_bpref",
        "infAP",
        "num_ret",
        "num_rel",
        "num_rel_ret",
        "num_nonrel_judged_ret",
        "num_q",
        "iprec_at_recall",
        "11pt_avg",
        "set_P",
        "set_recall",
        "set_F",
        "set_map",
        "set_relative_P",
        "relative_P",
        "ndcg_rel",
        "Rndcg",
        "binG",
        "G",
        "utility",
        "relstring",
        "runid",
        "official",
        "SetP",
        "SetRelP",
        "SetR",
        "SetF",
        "SetAP",
        "NumQ",
        "NumRel",
        "NumRet",
        "NumRelRet",
        "IPrec",
        "Judged",
        "Compat",
        "SDCG",
        "INST",
        "INSQ",
        "BPM",
        "NERR8",
        "NERR9",
        "NERR10",
        "NERR11",
        "Accuracy",
        "alpha_DCG",
        "alpha_nDCG",
        "ERR_IA",
        "nERR_IA",
        "AP_IA",
        "MAP_IA",
        "P_IA",
        "StRecall",
        "NRBP",
        "nNRBP",
    }
)
"""Measures of trec_eval, ranx and ir_measures that are not among ours."""

_BINARY = option("levels", "L1=0,L2=1", python="{1: 0, 2: 1}")
_RELEVANT = f"map the grades that do not count to 0 and the others to 1, as {_BINARY}"
_ELSEWHERE = {
    "rel": _RELEVANT,
    "gains": f"give the gain of each grade, as {option('levels', 'L1=1,L2=3', python='{1: 1, 2: 3}')}",
    "dcg": f"give the gain of each grade, 2^grade - 1, as {option('levels', 'L1=1,L2=3', python='{1: 1, 2: 3}')}",
    "judged_only": f"add {option('condensed', python='True')}",
}
"""Options of ir_measures that are settings of a score here, for all its measures."""

_SHAPE = re.compile(r"(?P<base>[^()@\s]+?)(?:\((?P<inside>[^()]*)\))?(?:@(?P<cutoff>[^@]*))?")
_TREC_EVAL = re.compile(r"(?P<base>P|recall|success|map_cut|ndcg_cut)[_.](?P<cutoff>[0-9]+)")
_RANX = re.compile(r"rbp\.(?P<digits>[0-9]+)")
_RANX_LEVEL = re.compile(r"(?P<name>[a-z_.@0-9]+)-l(?P<level>[0-9])")


@dataclass(frozen=True)
class MeasureName:
    """A parsed name: the measure, its prefix, options, levels and cutoff.

    ``remark`` is what the tool whose name it is does otherwise; it is not compared. ``str`` is our spelling.
    """

    base: str
    cutoff: int | None = None
    prefix: str = ""
    options: dict[str, Option] = field(default_factory=dict)
    levels: tuple[int, ...] = ()
    remark: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        options = [f"{key}={_shown(value)}" for key, value in self.options.items()]
        inside = ",".join([*options, *map("L{}".format, self.levels)])
        base = "P-measure" if self.base == "P" and self.cutoff else self.base  # P@10 is precision
        return f"{self.prefix}{base}{inside and f'({inside})'}{f'@{self.cutoff}' if self.cutoff else ''}"


def _shown(value: Option) -> str:
    return ":".join(f"{number:.15g}" for number in (value if isinstance(value, tuple) else (value,)))


def parse_name(given: object) -> MeasureName:
    """The parts of a measure's name, or of a measure of ir_measures.

    >>> parse_name("RBP(p=0.8)@5")
    MeasureName(base='RBP', cutoff=5, prefix='', options={'p': 0.8}, levels=())
    >>> str(parse_name("MSnDCG@0001")), str(parse_name("ndcg_cut_10")), str(parse_name("rbp.80"))
    ('nDCG@1', 'nDCG@10', 'RBP(p=0.8)')
    >>> parse_name("Acc(L1,L2)@5").levels
    (1, 2)
    """
    if not isinstance(given, str):
        return _of_ir_measures(given)
    text = _as_ours(given.strip())
    prefix = next((start for start in PREFIXES if text.startswith(start)), "")
    shape = _SHAPE.fullmatch(text.removeprefix(prefix))
    if not shape:
        raise InputError(f"measure {given!r} is not a name; write it like nERR@10 or RBP(p=0.8)@5")
    base = shape["base"]
    if base in NOT_OURS:
        raise not_ours(given)
    cutoff = _cutoff(shape["cutoff"], given)
    if base == "P" and cutoff is not None:
        base = "Prec"  # P@10 is precision in every tool; P alone and P-measure@10 are Sakai's P
    options, levels = _inside(shape["inside"] or "", given)
    ours = MeasureName(ALIASES.get(base, base), cutoff, prefix, options, levels)
    return replace(ours, remark=_remark(given, ours, OTHERWISE.get(base, "")))


def _as_ours(text: str) -> str:
    """A name of trec_eval or ranx in the form NAME(OPTIONS)@K; other names as they are."""
    if level := _RANX_LEVEL.fullmatch(text):
        what = "has a level of its own, but a score has one scale for all measures"
        raise InputError(f"measure {text!r} {what}; write {level['name']}, and {_RELEVANT}")
    if found := _TREC_EVAL.fullmatch(text):
        return f"{found['base']}@{found['cutoff']}"
    if found := _RANX.fullmatch(text):
        return f"rbp(p=0.{found['digits']})"
    numbered = re.fullmatch(r"(.+?)[_.][0-9.,]+", text)
    return numbered[1] if numbered and numbered[1] in NOT_OURS else text


def _remark(given: str, ours: MeasureName, otherwise: str) -> str:
    if not otherwise or (ours.base == "AP" and ours.cutoff is None):
        return ""
    return f"{given} is read as {ours}: {otherwise.replace('K', str(ours.cutoff))}"


def _of_ir_measures(given: object) -> MeasureName:
    """The name of a measure of ir_measures, with its own default of p."""
    name, asked, known = (getattr(given, part, None) for part in ("NAME", "params", "SUPPORTED_PARAMS"))
    if not (isinstance(name, str) and isinstance(asked, dict) and isinstance(known, dict)):
        raise InputError(f"measure {given!r} is not a name; write it like 'nERR@10', or give a measure of ir_measures")
    if name in NOT_OURS:
        raise not_ours(str(given))
    inside = dict(asked)
    cutoff = inside.pop("cutoff", None)
    if name == "RBP":
        inside.setdefault("p", known["p"].default)
    own = {"P": "Precision"}.get(name, name)  # P without a cutoff is Sakai's P
    written = ",".join(f"{key}={value}" for key, value in inside.items())
    ours = parse_name(f"{own}{f'({written})' if written else ''}{f'@{cutoff}' if cutoff else ''}")
    return replace(ours, remark=_remark(str(given), ours, _OBJECTS.get(name, "")))


_OBJECTS = {
    "AP": OTHERWISE["map"],
    "ERR": "ir_measures has gdeval's ERR, with gains 2^grade - 1 of grades up to 4; for its values add "
    f"{option('levels', 'L1=1,L2=3,L3=7,L4=15', python='{1: 1, 2: 3, 3: 7, 4: 15}')} and {option('max_gain', '15')}",
}


def not_ours(given: str) -> InputError:
    """The error for a measure of another tool that is not among ours."""
    what = f"measure {given!r} of another tool is not among Kaiwa's"
    return InputError(f"{what}; compute it there, and give its scores by topic to read_scores or compare")


def known_name(given: object, known: Collection[str]) -> str:
    """The one of the known names that is meant; another spelling of a measure means the same.

    >>> known_name("ndcg_cut_10", ["AP", "nDCG@10"]), known_name("map", ["map"])
    ('nDCG@10', 'map')
    >>> known_name("ap", ["AP", "nDCG@10"])
    Traceback (most recent call last):
    kaiwa.errors.UnknownName: unknown measure 'ap'; did you mean 'AP'?
    """
    if isinstance(given, str) and given in known:
        return given
    try:
        meant = parse_name(given)
    except InputError:
        meant = None
    for name in known if meant else ():
        try:
            if parse_name(name) == meant:
                return name
        except InputError:
            continue  # a name of scores is free text
    raise UnknownName.among("measure", str(given), known)


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
        if equals and (setting := _ELSEWHERE.get(key.strip())):
            what = f"{key.strip()} is a setting of the score, for all measures"
            raise InputError(f"measure {text!r}: {what}; leave it out, and {setting}")
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
