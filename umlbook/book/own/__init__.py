"""Your own data: a file in, clusters, metric, diagnostics and advice out.

`analyse` does it in one call and `own_data` as a panel; `prepared` reads a file into a matrix for
any estimator.
"""

from umlbook.book.own.files import TableError
from umlbook.book.own.methods import METHODS
from umlbook.book.own.panel import own_data
from umlbook.book.own.preparing import prepared
from umlbook.book.own.result import Analysis, analyse

__all__ = ["METHODS", "Analysis", "TableError", "analyse", "own_data", "prepared"]
