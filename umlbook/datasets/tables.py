"""The bundled tables and scikit-learn's own, read into one shape."""

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DATA_FOLDER = Path(__file__).parent / "data"


@dataclass(frozen=True)
class LabelledTable:
    """Samples as rows, a class number for each, and the names of columns and classes.

    Grey values stay ``uint8`` here so that a kept table is small; ``load`` hands out ``float64``.
    """

    data: NDArray[np.float64] | NDArray[np.uint8]
    target: NDArray[np.int64]
    feature_names: tuple[str, ...]
    target_names: tuple[str, ...]


def class_order(labels: list[str]) -> tuple[str, ...]:
    """The distinct labels in order: by value when all are whole numbers, else alphabetically.

    Examples
    --------
    >>> class_order(["10", "9", "1", "9"])
    ('1', '9', '10')
    >>> class_order(["pp", "im", "pp"])
    ('im', 'pp')
    """
    numeric = all(label.isdigit() for label in labels)
    return tuple(sorted(set(labels), key=int if numeric else str))


def pixel_names(height: int, width: int) -> tuple[str, ...]:
    """Names ``pixel_row_column`` of an image's pixels, row after row.

    Examples
    --------
    >>> pixel_names(1, 2)
    ('pixel_0_0', 'pixel_0_1')
    """
    return tuple(f"pixel_{row}_{column}" for row in range(height) for column in range(width))


def csv_table(path: Path) -> LabelledTable:
    """The table in a gzipped CSV file whose last column is the class."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    labels = [row[-1] for row in rows]
    classes = class_order(labels)
    number = {name: k for k, name in enumerate(classes)}
    return LabelledTable(
        data=np.array([row[:-1] for row in rows], dtype=np.float64),
        target=np.array([number[label] for label in labels], dtype=np.int64),
        feature_names=tuple(header[:-1]),
        target_names=classes,
    )


def usps20_table() -> LabelledTable:
    """The sample of USPS digits, its 8-bit code turned back into grey values from -1 to 1."""
    with np.load(DATA_FOLDER / "usps20.npz") as stored:
        codes, digits = stored["X"], stored["y"]
    return LabelledTable(
        data=codes / 127.5 - 1.0,
        target=digits.astype(np.int64),
        feature_names=pixel_names(16, 16),
        target_names=tuple("0123456789"),
    )


def sklearn_table(name: str) -> LabelledTable:
    """One of the small tables that scikit-learn carries: iris, wine, breast_cancer or digits."""
    # Imported on demand: most readers of this package need nothing of it.
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    return LabelledTable(
        data=np.asarray(bunch.data, dtype=np.float64),
        target=np.asarray(bunch.target, dtype=np.int64),
        feature_names=tuple(str(name) for name in bunch.feature_names),
        target_names=tuple(str(name) for name in bunch.target_names),
    )
