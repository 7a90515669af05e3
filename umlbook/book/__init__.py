"""What only the notebooks use, in seven rooms; here are the names that chapters import.

`page` is what a page is made of, `ledger` holds the claims of the papers, `exercises` the
exercises and quizzes, `hands` the pictures that a reader moves, `own` the chapter on a reader's own
data, `lite` the book that runs in a browser, and `site` the static pages. The imports go one way:
`page` and `lite` import none of the others, `ledger`, `exercises`, `hands` and `own` import `page`
only, and `site` imports `page`, `ledger` and `lite`.

Imported in a notebook, this limits the kernel's linear algebra to one thread (`umlbook._threads`)
and puts a bar under cells that take long (`page.waiting`); `import umlbook` alone changes nothing.
"""

from umlbook._threads import limit_kernel
from umlbook.book.exercises.hand_in import hand_in
from umlbook.book.exercises.judge import exercise
from umlbook.book.exercises.progress import report, set_student
from umlbook.book.exercises.quiz import quiz
from umlbook.book.ledger import check, check_true, entry, erratum
from umlbook.book.ledger.concordance import concordance
from umlbook.book.ledger.notation import notation
from umlbook.book.page.compare import compare
from umlbook.book.page.draw import draw_kernel, draw_pairs, draw_path, draw_spectrum
from umlbook.book.page.draw_points import draw_clusters, draw_deformation, draw_simplex
from umlbook.book.page.explorer import explorer
from umlbook.book.page.figures import PALETTE, line_look, new_figure, show
from umlbook.book.page.invariants import monotone, on_simplex, orthonormal, psd, rows_sum_to_one
from umlbook.book.page.stepper import stepper
from umlbook.book.page.tables import rounded, table
from umlbook.book.page.waiting import announce_slow_cells

limit_kernel()
announce_slow_cells()

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
