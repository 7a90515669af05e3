"""Your own data: a file in, clusters, metric, diagnostics and advice out.

`analyse` does it in one call and `own_data` as a panel; `ask_pairs` asks which rows belong
together; `prepared` reads a file or a data frame into a matrix for any estimator.

- `files`, `layout`, `names`: what a file is, where its table begins, which row holds names
- `raw`, `rows`, `frames`: its rows, or a sample of them; tables that are in memory already
- `numerals`, `roles`, `columns`: numbers as people write them, numbers that measure nothing
- `using`, `notes`, `preparing`: the matrix, with every decision written down
- `messy`: files with something odd, each with its reading or the question to ask
- `methods`, `clouds`, `diagnostics`, `choosing`, `explaining`, `advice`: fit, measure, suggest
- `pictures`, `wording`, `keeping`, `result`, `panel`: draw, say, keep; `analyse` and `own_data`
- `interview`, `pair_page`, `asking_panel`: questions about pairs, two rows as a page, `ask_pairs`
"""

from umlbook.book.own.asking_panel import ask_pairs
from umlbook.book.own.files import TableError, TableQuestion
from umlbook.book.own.methods import METHODS
from umlbook.book.own.panel import own_data
from umlbook.book.own.preparing import prepared
from umlbook.book.own.result import Analysis, analyse

__all__ = [
    "METHODS",
    "Analysis",
    "TableError",
    "TableQuestion",
    "analyse",
    "ask_pairs",
    "own_data",
    "prepared",
]
