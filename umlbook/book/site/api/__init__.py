"""The reference: every public name, from its docstring, with its equations and its example.

- `names`: which names are public, and the equations that each implements (``names.csv``)
- `docstrings`: numpydoc, read and completed: defaults, and what ``parameters.csv`` says of
  arguments that mean the same everywhere
- `rooms`: a page for each room of the package, and the list of all names
- `which`: *Which estimator?*, from the guide of chapter 8 and the results that are stored
- `guides`: pairs in scikit-learn's cross-validation, sizes, pickles and column names
- `links`: names in the text of the chapters become links
"""
