"""What only the notebooks use: the ledger, figures, steppers, explorers, quizzes and exercises."""

from umlbook.book.compare import compare
from umlbook.book.concordance import concordance
from umlbook.book.draw import (
    draw_clusters,
    draw_deformation,
    draw_kernel,
    draw_pairs,
    draw_path,
    draw_simplex,
    draw_spectrum,
)
from umlbook.book.exercises import exercise
from umlbook.book.explorer import explorer
from umlbook.book.figures import PALETTE, line_look, new_figure, show
from umlbook.book.hand_in import hand_in
from umlbook.book.invariants import monotone, on_simplex, orthonormal, psd, rows_sum_to_one
from umlbook.book.ledger import check, check_true, entry, erratum
from umlbook.book.notation import notation
from umlbook.book.progress import report, set_student
from umlbook.book.quiz import quiz
from umlbook.book.stepper import stepper
from umlbook.book.tables import rounded, table

__all__ = [
    "PALETTE",
    "check",
    "check_true",
    "compare",
    "concordance",
    "draw_clusters",
    "draw_deformation",
    "draw_kernel",
    "draw_pairs",
    "draw_path",
    "draw_simplex",
    "draw_spectrum",
    "entry",
    "erratum",
    "exercise",
    "explorer",
    "hand_in",
    "line_look",
    "monotone",
    "new_figure",
    "notation",
    "on_simplex",
    "orthonormal",
    "psd",
    "quiz",
    "report",
    "rounded",
    "rows_sum_to_one",
    "set_student",
    "show",
    "stepper",
    "table",
]
