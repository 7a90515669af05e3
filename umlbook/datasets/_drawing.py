"""What the synthetic sets share: sizes, seeds, jitter, and the checks of their arguments."""

from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

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
    require_count("n_samples", n_samples)
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


def require_count(name: str, value: int) -> None:
    """Raise unless the value is a whole number of 1 or more."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name}={value!r} must be a whole number")
    if value < 1:
        raise ValueError(f"{name}={value!r} must be 1 or more")


def require_numbers(*, positive: bool = False, **values: float) -> None:
    """Raise unless every value is a finite number of 0 or more, or above 0 if ``positive``."""
    wanted = "a finite number above 0" if positive else "a finite number of 0 or more"
    for name, value in values.items():
        if not isinstance(value, Real) or isinstance(value, bool):
            raise TypeError(f"{name}={value!r} must be {wanted}")
        if not np.isfinite(value) or value < 0 or (positive and value == 0):
            raise ValueError(f"{name}={value!r} must be {wanted}")
