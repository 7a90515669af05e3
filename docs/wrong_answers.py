"""Write docs/wrong-answers.md: how the checks of the exercises fare against wrong answers.

``python docs/wrong_answers.py`` makes and judges all of them, in two minutes or so.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "wrong-answers.md"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.mechanical import Row, examine  # noqa: E402
from support.right_answers import EXCUSED  # noqa: E402

from umlbook.book.exercises.bank import all_exercises  # noqa: E402

HEAD = """# Wrong answers, made mechanically

Does a check reject every wrong answer, and no right one? For each exercise of the book a program
makes wrong answers: one place of the solution is changed (a sign, a factor, an axis, an index, a
transpose, a comparison, a statement left out, a number of clusters read off the labels), or its
result is spoilt (half of it, sorted, counted from one, as floats, printed; a stream of states that
is too short, late, or one array for all). Proofs to order get all orders, with a step left out and
with the false one. `tests/support/wrong_answers.py` makes them.

Whether an answer is wrong is not for the check to say. It is compared with the reference on data
drawn apart from those of the check, as general as the text of the exercise allows
(`tests/support/admissible.py`), or judged by a route of its own (`tests/support/right_answers.py`).
An answer that differs nowhere is *equivalent*: the change made no difference.

- *rejected*: wrong, and the check says so; *named*: it also says which mistake it is
- *equivalent*: right after all, and accepted; they are listed below
- *accepted*: wrong, and the check lets it pass. A test fails when there is one.
- *refused*: right, and the check rejects it. A test fails when there is one.

The data are those of the student `reader`. This page is made by `python docs/wrong_answers.py`;
`pytest tests/test_exercises_wrong.py` judges a fixed part of the answers, with `--wrong-all` all.

"""


def table_row(row: Row) -> str:
    """The counts of one exercise."""
    counts = [row.generated, row.rejected, row.named]
    counts += [len(row.equivalent), len(row.accepted), len(row.refused)]
    return f"| {row.exercise} | " + " | ".join(map(str, counts)) + " |"


def page(rows: Iterable[Row]) -> str:
    """The whole document."""
    rows = list(rows)
    code = [row for row in rows if all_exercises()[row.exercise].kind != "order"]
    sums = [_sum("without the proofs to order", code), _sum("all", rows)]
    names = ["exercise", "generated", "rejected", "named", "equivalent", "accepted", "refused"]
    lines = [f"| {' | '.join(names)} |", "|---|" + "---:|" * 6, *map(table_row, rows + sums)]
    listed = [f"- **{row.exercise}**: " + "; ".join(row.equivalent) for row in rows if _code(row)]
    why = [f"- **{key}**, {how}: {reason}" for (key, how), reason in EXCUSED.items()]
    parts = [
        HEAD + "\n".join(lines),
        "## Equivalent answers\n\nWhere two orders of a proof are right, both are: they are not "
        "listed. A line is a line of the solution as shown.\n\n" + "\n".join(listed),
        "## Right in spite of a difference\n\n" + "\n".join(why),
    ]
    return "\n\n".join(parts) + "\n"


def _sum(name: str, rows: list[Row]) -> Row:
    """The rows added up."""
    total = Row(name)
    for row in rows:
        for count, value in vars(row).items():
            if count != "exercise":
                setattr(total, count, getattr(total, count) + value)
    return total


def _code(row: Row) -> bool:
    """Whether an exercise has equivalent answers that are code, not letters."""
    return any(not re.fullmatch(r"\W*[a-z]+\W*", how) for how in row.equivalent)


if __name__ == "__main__":
    examined = []
    for spec in all_exercises().values():
        examined.append(examine(spec))
        print(table_row(examined[-1]), flush=True)
    PAGE.write_text(page(examined), encoding="utf-8")
    sys.exit(any(row.accepted or row.refused for row in examined))
