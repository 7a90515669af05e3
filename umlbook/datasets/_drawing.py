"""What the synthetic sets share: sizes, seeds and jitter."""

from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from umlbook._checks import check_count

Points = NDArray[np.float64]
Sample = tuple[Points, NDArray[np.int64]]
RandomState = int | np.integer | np.random.Generator | np.random.RandomState | None


def directions(size: int, rng: np.random.Generator) -> Points:
    """Unit vectors of the plane, uniform in angle."""
    angle = rng.uniform(0, 2 * np.pi, size)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def jittered_sample(shapes: list[Points], noise: float, rng: np.random.Generator) -> Sample:
    """The shapes' points with Gaussian jitter, numbered by shape, in random order."""
    X = np.concatenate(shapes)
    y = np.repeat(np.arange(len(shapes), dtype=np.int64), [len(shape) for shape in shapes])
    X += noise * rng.standard_normal(X.shape)
    # Rows in the order of their class would give it away to whatever depends on the order.
    order = rng.permutation(len(X))
    return X[order], y[order]


def class_sizes(n_samples: int, n_classes: int) -> list[int]:
    """Sizes that sum to n_samples and differ by one at most, larger ones first."""
    check_count("n_samples", n_samples)
    if n_samples < n_classes:
        raise ValueError(f"{n_samples=} is too few for {n_classes} classes: give at least one each")
    smaller, remainder = divmod(int(n_samples), n_classes)
    return [smaller + (k < remainder) for k in range(n_classes)]


def generator(random_state: RandomState) -> np.random.Generator:
    """The generator that ``random_state`` stands for."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, dtype=np.uint32))
    if isinstance(random_state, np.random.Generator):
        return random_state
    whole = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if random_state is None or (whole and random_state >= 0):
        return np.random.default_rng(random_state)
    raise ValueError(
        f"{random_state=} must be None, an int of 0 or more, a numpy.random.Generator "
        "or a numpy.random.RandomState"
    )
