"""Which letters a chapter uses in its formulas, and which of them its notation explains."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

GREEK = (
    "alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|vartheta|kappa|lambda|mu|nu|xi|rho|"
    "sigma|tau|phi|varphi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Sigma|Phi|Psi|Omega"
)
STANDARD = {"I", "R", "E", "O"}
"""The identity, the real numbers, an expectation, the order of a number."""

_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$", re.DOTALL)
_WORDS = re.compile(
    r"\\(?:text|textbf|textit|mathrm|mathsf|mathbb|mathcal|operatorname\*?|tag\*?|begin|end|mbox)"
    r"\s*\{[^{}]*\}"
)
_NAMES = re.compile(r"(?:BR|ACC|MI|VI|ARI)(?![A-Za-z])")  # scores, names of several letters
_LETTER = re.compile(rf"\\({GREEK})(?![A-Za-z])|\\[A-Za-z]+|([A-Za-z])")


def formulas(text: str) -> list[str]:
    """The formulas of a text in Markdown.

    >>> formulas("Let $x$ be `$y$` and $$z = 1$$ so")
    ['x', 'z = 1']
    """
    return [one or other for one, other in _FORMULA.findall(_CODE.sub("", text))]


def letters(formula: str) -> set[str]:
    r"""The letters of a formula, Greek ones with their backslash; words and subscripts left out.

    >>> sorted(letters(r"\operatorname{tr}(X' A X) = \sum_i \lambda_i h_{\mathrm{max}}"))
    ['A', 'X', '\\lambda', 'h']
    """
    plain = _NAMES.sub(" ", _WORDS.sub(" ", formula))
    for _ in range(3):  # subscripts and what is inside them
        plain = re.sub(r"_\s*(?:\{[^{}]*\}|\\[A-Za-z]+|.)", " ", plain)
    return {f"\\{greek}" if greek else latin for greek, latin in _LETTER.findall(plain)} - {""}


def main_letters(cells: Iterable[str], least: int = 3) -> dict[str, int]:
    """The capital and Greek letters that occur in so many cells or more, with the number."""
    counts = Counter(
        letter
        for cell in cells
        for letter in set().union(*map(letters, formulas(cell)))
        if letter.startswith("\\") or letter.isupper()
    )
    return {letter: n for letter, n in counts.items() if n >= least and letter not in STANDARD}
