"""Your own data: a file in, clusters, metric, diagnostics and advice out.

`analyse` does it in one call and `own_data` as a panel; `prepared` reads a file into a matrix for
any estimator.

- `files`, `rows`, `columns`: what a file is; its rows, or a sample of them; its columns as numbers
- `preparing`: the matrix, with every decision written down
- `methods`, `diagnostics`, `advice`, `pictures`: fit, measure, suggest, draw
- `result`, `panel`: `analyse` and `own_data`
"""

from umlbook.book.own.files import TableError
from umlbook.book.own.methods import METHODS
from umlbook.book.own.panel import own_data
from umlbook.book.own.preparing import prepared
from umlbook.book.own.result import Analysis, analyse

__all__ = ["METHODS", "Analysis", "TableError", "analyse", "own_data", "prepared"]
