r"""Text for LaTeX: escaped, measured and breakable; it compiles under pdflatex whatever its characters are.

pdflatex's own fonts have the letters of most European languages. Chinese, Japanese and Korean text goes through
``\kaiwacjk``, any other character through ``\kaiwachar``: commands that a table defines when it needs them
(``definitions``). docs/decisions/064 gives the reasons.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

from kaiwa.report.text_tables import visible

LONGEST = 300
"""Longer texts are cut in a LaTeX table; the data files have them whole."""
_PIECE = re.compile(r"[^/_.,:;=@+-]{0,8}[/_.,:;=@+-]+|[^/_.,:;=@+-]{1,8}")
"""A part of a long word after which a line may break."""
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\symbol{34}",
    **{char: f"\\{char}" for char in "#$%&_{}"},
}
_LATIN = re.compile("[ -~¡-ª¬®-º¼-ÏÑ-Ýß-ïñ-ýÿ-ăĆ-ďĒ-ėĚ-ĥĨ-ĭİ-ķĹ-ľŁ-ňŌ-ťŨ-űŴ-ž‐-―‘’“”†‡•…‰€™←↑→↓]")
"""What pdflatex prints without a package, by compiling each character with TeX Live 2022."""
_CJK = re.compile("[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff5e]")
_LIGATURES = re.compile(r"(?<=-)(?=-)|(?<=,)(?=,)|(?<=')(?=')|(?<=[?!])(?=`)")
_FAMILIES = {"gbsn": "gb2312", "min": "shift_jis", "bsmi": "big5", "mj": "euc_kr"}
"""Font families of the CJK package, and the character set that each covers."""
_NOTE = r"% Chinese, Japanese, Korean: \usepackage{CJKutf8} with pdflatex; a font that has them with XeLaTeX, LuaLaTeX"
_BRANCHES = {
    r"\kaiwacjk": (
        r"\providecommand{\kaiwacjk}[2]{\ifdefined\Umathcode#2\else\ifdefined\CJKfamily"
        r"\begin{CJK}{UTF8}{#1}#2\end{CJK}\else[?]\fi\fi}"
    ),
    r"\kaiwachar": (
        r"\providecommand{\kaiwachar}[1]{\ifdefined\Umathcode#1\else\ifnum\pdfstrcmp{\encodingdefault}{OT1}=0 [?]\else"
        r"\ifcsname u8:\detokenize{#1}\endcsname#1\else[?]\fi\fi\fi}"
    ),
}


def latex_escape(text: str) -> str:
    r"""The text for LaTeX: special characters escaped, control characters shown, nothing joined to a ligature.

    >>> print(latex_escape("D#-nDCG_10 & 5% <--"))
    D\#-nDCG\_10 \& 5\% \textless{}-{}-
    >>> print(latex_escape("会話-C-R1 会话 ж"))
    \kaiwacjk{min}{会話}-C-R1 \kaiwacjk{gbsn}{会话} \kaiwachar{ж}
    """
    kinds = groupby(visible(text), key=_kind)
    return "".join(_WRITTEN[kind]("".join(chars)) for kind, chars in kinds)


def definitions(text: str) -> list[str]:
    """The lines that define the commands which the LaTeX text uses; empty for most texts."""
    used = [line for name, line in _BRANCHES.items() if name in text]
    lines = [f"{line}%" for line in used]
    return [_NOTE, *lines] if r"\kaiwacjk" in text else lines


def clipped(text: str) -> str:
    """The text, cut with a mark at a space if it is too long for a table.

    >>> clipped("word " * 100)[-8:]
    'd word …'
    """
    if len(text) <= LONGEST:
        return text
    cut = text[: LONGEST - 2]
    return (cut.rsplit(" ", 1)[0] if " " in cut[LONGEST // 2 :] else cut) + " …"


def points(text: str) -> float:
    """About how wide the text is at 10 pt, in points; rather too wide.

    >>> points("iii"), points("MMM"), points("会話")
    (11.4, 31.2, 20.0)
    """
    return round(sum(map(_points_of, text)), 1)


def breakable(text: str, room: float) -> str:
    r"""The escaped text, in which a word wider than ``room`` points may break.

    >>> print(breakable("a short path/report_of_runs", 60))
    a short path/\allowbreak{}report\_\allowbreak{}of\_\allowbreak{}runs
    """
    words = text.split(" ")
    return " ".join(latex_escape(word) if points(word) <= room else _broken(word) for word in words)


def _broken(word: str) -> str:
    return r"\allowbreak{}".join(map(latex_escape, _PIECE.findall(word)))


def _kind(char: str) -> str:
    return "latin" if _LATIN.match(char) else "cjk" if _CJK.match(char) else "other"


def _latin(text: str) -> str:
    apart = _LIGATURES.sub("\x00", text)
    return "".join("{}" if char == "\x00" else _SPECIAL.get(char, char) for char in apart)


def _cjk(text: str) -> str:
    family = next((one for one, charset in _FAMILIES.items() if _encodes(text, charset)), None)
    if family:
        return rf"\kaiwacjk{{{family}}}{{{text}}}"
    return "".join(map(_cjk, text)) if len(text) > 1 else _other(text)


def _encodes(text: str, charset: str) -> bool:
    try:
        text.encode(charset)
    except UnicodeEncodeError:
        return False
    return True


def _other(text: str) -> str:
    return "".join(rf"\kaiwachar{{{char}}}" for char in text)


_WRITTEN = {"latin": _latin, "cjk": _cjk, "other": _other}


def _points_of(char: str) -> float:
    if unicodedata.east_asian_width(char) in "WF":
        return 10.0
    if char in "MW@%—" or not _LATIN.match(char):
        return 10.4
    if char in "ijlftI.,:;'|!()[] ":
        return 3.8
    if char in "mwOQHKN":
        return 8.4
    return 5.4 if char.islower() or char.isdigit() or char in "-_" else 7.9
