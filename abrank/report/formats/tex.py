"""Text and numbers as LaTeX prints them: ASCII only, so that any engine and encoding will do."""

from __future__ import annotations

import re
import unicodedata

from abrank._support.display import GROUP, MINUS, UNDEFINED
from abrank.report.cells import one_line

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "{''}",
    "`": r"\`{}",
    # A bracket or a star behind the end of a row would be taken for its option.
    **{character: f"{{{character}}}" for character in "[]*"},
    **{character: f"\\{character}" for character in "_&%#${}"},
}
_SYMBOLS = {
    GROUP: r"\,",
    MINUS: "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "·": r"$\cdot$",
    "²": r"$^2$",
    "∞": r"$\infty$",
    "≈": r"$\approx$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "→": r"$\rightarrow$",
    "Δ": r"$\Delta$",
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\dots{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
}
_GREEK = {
    letter: unicodedata.name(letter).split()[-1].lower().replace("lamda", "lambda")
    for letter in "αβγδεζηθικλμνξπρστυφχψω"
}
# Combining marks and the accents that every font of LaTeX has.
_ACCENTS = dict(
    zip(
        map(chr, (0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x30A, 0x30B, 0x30C,
                  0x323, 0x327)),
        ("\\`", "\\'", "\\^", "\\~", "\\=", "\\u", "\\.", '\\"', "\\r", "\\H", "\\v", "\\d", "\\c"),
        strict=True,
    )
)  # fmt: skip
# Two of them make one letter: a dash, a quotation mark.
_LIGATURE = re.compile(r"([-',])(?=\1)")
_POWER = re.compile(r"e\+0*([0-9]+)")


def escape(text: str, *, width: int) -> str:
    r"""Return text that LaTeX prints as it is: one line, cut in the middle to so many characters.

    Letters with an accent and Greek ones are printed; of any other script each character stands as
    its code, U+691C, since no font of plain LaTeX has it.

    Examples
    --------
    >>> print(escape("k1=0.9_b & 50%", width=40))
    k1=0.9\_b \& 50\%
    >>> print(escape("Käthe−β", width=40), escape("検", width=40))
    K\"{a}the$-$$\beta$ \texttt{U+691C}\allowbreak{}
    """
    shown = one_line(unicodedata.normalize("NFC", text), width=width)
    return "".join(_character(each) for each in _LIGATURE.sub("\\1\0", shown))


def _character(character: str) -> str:
    if character == "\0":  # between two that would become one
        return "{}"
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character.isascii():
        return character
    if character in _GREEK:
        return f"$\\{_GREEK[character]}$"
    base, *marks = list(unicodedata.normalize("NFD", character))
    if len(marks) == 1 and base.isascii() and base.isalpha() and marks[0] in _ACCENTS:
        return f"{_ACCENTS[marks[0]]}{{{base}}}"
    return _SYMBOLS.get(character, rf"\texttt{{U+{ord(character):04X}}}\allowbreak{{}}")


def number(text: str) -> str:
    r"""Return a number that was written for people, as LaTeX sets it; a dash where there is none.

    Examples
    --------
    >>> print(number("−0.004"), number("< 0.001"), number("+9.2%"), number("not defined"))
    $-0.004$ $<0.001$ $+9.2\%$ --
    >>> print(number("2.500e+06"))
    $2.500\times 10^{6}$
    """
    if text == UNDEFINED:
        return "--"
    shown = text.replace(MINUS, "-").replace("∞", r"\infty").replace("%", r"\%")
    shown = shown.replace(GROUP, r"\,").replace("< ", "<")
    return "$" + _POWER.sub(r"\\times 10^{\1}", shown) + "$"
