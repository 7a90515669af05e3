"""List every sentence of the book that claims something of all cases, with its support.

A formula of the book is run; a sentence is not, and "always", "never" or "better" is quickly
written. ``python docs/sentences.py`` reads the notebooks and the quizzes and writes
docs/sentences.csv: a row for each sentence outside a proof that has one of `WORDS`, and what
supports it. The support is written by a person; a new sentence comes with an empty one, and a
sentence that is gone loses its row. ``--check`` writes nothing and exits with 1 if the list is out
of date or a support does not stand up (`fault`).

=====================  ====================================================================
support                what is looked at
=====================  ====================================================================
``(3.11)``             the number stands in some chapter as a tag; several may be named
``below``, ``above``   the next (last) code cell of the page asserts or checks something
``shown below``        the next code cell prints or draws it: one table or picture, not a law
``proof``              the reason stands in the sentence itself or in those beside it
``definition``         true by the meaning of the words, or a rule of this book or package
``paper``              it says what a paper claims or does, not what is so
``source``             known mathematics, with author and year
``tested``             a test of the package holds it; its name follows
``no claim``           an instruction, a question, a plan, a wrong answer of a quiz
=====================  ====================================================================

After any of these words may follow more: ``proof: a mean is never below its smallest part``.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_suffix(".csv")
COLUMNS = ["page", "sentence", "support"]

WORDS = re.compile(r"\b(always|never|cannot|only|every\w*|the same|better|worse)\b", re.I)
NUMBER = re.compile(r"\((\d+\.\d+)\)")
TAG = re.compile(r"\\tag\{(\d+\.\d+)\}")
CHECKED = re.compile(r"\b(check|check_true|erratum|assert|monotone|compare)\b")
TESTED = re.compile(r"tested: (test_\w+)\.py::(test_\w+)")
SUPPORTS = (
    "below",
    "above",
    "shown below",
    "proof",
    "definition",
    "paper",
    "source",
    "tested",
    "no claim",
)

PROOF = re.compile(r"\*Proof.*?(\$\\square\$|\\square|\Z)", re.S)
FENCE = re.compile(r"```.*?(```|\Z)", re.S)
DISPLAY = re.compile(r"\$\$.*?\$\$", re.S)
WHOLE = re.compile(r"\$[^$]*\$|`[^`]*`|\[[^\]]*\]\([^)]*\)")  # its full stops end no sentence
END = re.compile(r"(?<=[.!?])[*_)\"]*\s+(?=[*_(\"A-Z$`\[])")


class Found(NamedTuple):
    """A sentence, and the sources of the code cells before and after it ('' if there is none)."""

    page: str
    sentence: str
    before: str = ""
    after: str = ""


# ------------------------------------------------------------------------------ the sentences


def sentences(markdown: str) -> Iterator[str]:
    """The sentences of a text in order, without proofs, code and displayed formulas."""
    text = FENCE.sub("\n\n", PROOF.sub(" ", markdown))
    text = DISPLAY.sub(" ... ", text)
    for block in re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.)\s|\n#+ |\n\|", "\n" + text):
        line = " ".join(block.split())
        inside = [range(*match.span()) for match in WHOLE.finditer(line)]
        ends = [m.span() for m in END.finditer(line) if not any(m.start() in r for r in inside)]
        starts = [0, *(end for _, end in ends)]
        stops = [*(start for start, _ in ends), len(line)]
        parts = (line[i:j].strip(" |") for i, j in zip(starts, stops, strict=True))
        yield from filter(None, parts)


def claims(markdown: str) -> list[str]:
    """The sentences with one of the words; formulas and code alone do not count."""
    return [s for s in sentences(markdown) if WORDS.search(WHOLE.sub(" ", s))]


def notebook_claims(path: Path) -> Iterator[Found]:
    """The claims of a notebook with the code around them."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    kinds = [cell["cell_type"] for cell in cells]
    code = [s if kind == "code" else "" for s, kind in zip(sources, kinds, strict=True)]
    for i, kind in enumerate(kinds):
        if kind == "markdown":
            before = next(filter(None, reversed(code[:i])), "")
            after = next(filter(None, code[i + 1 :]), "")
            yield from (Found(path.stem, one, before, after) for one in claims(sources[i]))


def quiz_claims() -> Iterator[Found]:
    """The claims in the prompts, choices and reasons of the quizzes."""
    from umlbook.book.exercises.bank import all_questions

    for id, question in all_questions().items():
        choices = question.by_letter.values()
        texts = [question.prompt, *(text for c in choices for text in (c.text, c.why))]
        for text in texts:
            yield from (Found(f"quiz {id}", sentence) for sentence in claims(text))


def found() -> list[Found]:
    """Every claim of the book, once a page."""
    pages = sorted((ROOT / "notebooks").glob("*.ipynb"))
    every = [*(one for page in pages for one in notebook_claims(page)), *quiz_claims()]
    return list({(one.page, one.sentence): one for one in every}.values())


# -------------------------------------------------------------------------------- the supports


def tags() -> set[str]:
    """Every number that a formula of the book has."""
    texts = (ROOT / "notebooks").glob("*.ipynb")
    return {tag for path in texts for tag in TAG.findall(path.read_text().replace("\\\\", "\\"))}


def fault(support: str, one: Found, known: set[str]) -> str:
    """Why a support does not stand up; empty if it does."""
    numbers = NUMBER.findall(support)
    if missing := [number for number in numbers if number not in known]:
        return f"no formula has the number {missing[0]}"
    if numbers and support.startswith("("):
        return ""
    kind = next((s for s in SUPPORTS if re.match(rf"{s}\b", support)), None)
    if kind is None:
        return "no support" if not support else f"unknown support {support!r}"
    if kind in ("below", "above") and not CHECKED.search(
        getattr(one, "after" if kind == "below" else "before")
    ):
        return f"the code cell {kind} checks nothing"
    if kind == "shown below" and not re.search(
        r"\b(print|show|table|stepper|explorer)\(", one.after
    ):
        return "the code cell below shows nothing"
    if kind == "source" and not re.search(r"\d{4}", support):
        return "a source needs author and year"
    if kind == "tested":
        name = TESTED.match(support)
        path = name and ROOT / "tests" / f"{name[1]}.py"
        if not (name and path and path.exists() and f"def {name[2]}(" in path.read_text()):
            return "wanted 'tested: test_file.py::test_name' of a test that exists"
    return ""


def listed() -> dict[tuple[str, str], str]:
    """The supports of the list as it stands."""
    if not LIST.exists():
        return {}
    with LIST.open(encoding="utf-8", newline="") as lines:
        return {(row["page"], row["sentence"]): row["support"] for row in csv.DictReader(lines)}


def faults() -> list[str]:
    """What is wrong with the list, a line each."""
    supports, known, every = listed(), tags(), found()
    wrong = [
        f"{one.page}: {one.sentence}\n    {problem}"
        for one in every
        if (problem := fault(supports.get((one.page, one.sentence), ""), one, known))
    ]
    gone = supports.keys() - {(one.page, one.sentence) for one in every}
    return [*wrong, *(f"{page}: {text}\n    not in the book" for page, text in sorted(gone))]


def write() -> None:
    """Write the list anew; what was supported before keeps its support."""
    supports = listed()
    with LIST.open("w", encoding="utf-8", newline="") as lines:
        rows = csv.writer(lines, lineterminator="\n")
        rows.writerow(COLUMNS)
        for one in found():
            rows.writerow([one.page, one.sentence, supports.get((one.page, one.sentence), "")])


def main() -> int:
    """Write the list, or with ``--check`` look only; say what has no support."""
    if "--check" not in sys.argv[1:]:
        write()
    wrong = faults()
    print("\n".join([*wrong, f"{len(found())} sentences, {len(wrong)} to look at"]))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
