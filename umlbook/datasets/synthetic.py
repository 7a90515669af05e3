"""The synthetic sets of the papers, each drawn from a seed.

All take ``(n_samples, *, ..., noise, random_state)`` and give ``X, y``: rows are samples, in random
order, the classes as equal in size as ``n_samples`` allows (earlier classes take the remainder).
``noise`` is the standard deviation of the Gaussian jitter added to every coordinate of the shape.

The papers show these sets as pictures and state hardly a number; what a paper states and what is
our choice is said at each function.

``random_state`` is None (fresh draws at each call; NumPy's global state is not used), an int, a
``numpy.random.Generator`` or a ``numpy.random.RandomState``. The latter two advance, so that two
calls with the same one differ.
"""

from collections.abc import Sequence

import numpy as np

from umlbook._checks import check_count, check_nonnegative, check_positive
from umlbook.datasets._drawing import (
    Points,
    RandomState,
    Sample,
    class_sizes,
    directions,
    generator,
    jittered_sample,
)


def make_two_moons(
    n_samples: int = 200, *, noise: float = 0.1, random_state: RandomState = None
) -> Sample:
    r"""Two interleaved half circles of radius one, the points evenly spaced along each.

    Class 0 lies on :math:`(\cos t, \sin t)`, class 1 on :math:`(1 - \cos t, 1/2 - \sin t)`, for
    :math:`0 \le t \le \pi`: the geometry of scikit-learn's ``make_moons``.

    CPD-UML (Sec. 3.1, 200 points) and PM (Fig. 1, "moon") use such a set; how their points were
    drawn is not stated, so spacing and noise are our choice.

    Parameters
    ----------
    n_samples : int, default=200
    noise : float, default=0.1
    random_state : int, Generator, RandomState or None

    Returns
    -------
    X : ndarray (n_samples, 2)
    y : ndarray (n_samples,)

    Examples
    --------
    >>> X, y = make_two_moons(6, noise=0, random_state=0)
    >>> sorted(X[y == 1].round(2).tolist())
    [[0.0, 0.5], [1.0, -0.5], [2.0, 0.5]]
    """
    check_nonnegative("noise", noise)
    t_upper, t_lower = (np.linspace(0, np.pi, size) for size in class_sizes(n_samples, 2))
    upper = np.column_stack([np.cos(t_upper), np.sin(t_upper)])
    lower = np.column_stack([1 - np.cos(t_lower), 0.5 - np.sin(t_lower)])
    return jittered_sample([upper, lower], noise, generator(random_state))


def make_parallel_lines(
    n_samples: int = 200,
    *,
    n_lines: int = 2,
    length: float = 5.0,
    gap: float = 1.0,
    noise: float = 0.1,
    random_state: RandomState = None,
) -> Sample:
    r"""Parallel segments one above the other, the points uniform along each.

    Line :math:`k` is :math:`\{(s, k \cdot gap) : |s| \le length/2\}`, :math:`k = 0, 1, \dots`
    With the metric that looks across the lines only, the blur ratio of the true partition into
    :math:`K` equal classes is, in expectation,

    .. math:: \frac{noise^2}{noise^2 + gap^2 (K^2 - 1)/12} .

    CPCM draws two lines in Fig. 1(a) and three in Fig. 1(d) and gives no length, gap or noise. Its
    blur ratio of .041 for two lines means ``noise = 0.1034 * gap``; the length is our choice, long
    enough for k-means to cut across the lines.

    Parameters
    ----------
    n_samples : int, default=200
    n_lines : int, default=2
    length : float, default=5.0
        Length of each line.
    gap : float, default=1.0
        Distance between neighbouring lines.
    noise : float, default=0.1
    random_state : int, Generator, RandomState or None

    Returns
    -------
    X : ndarray (n_samples, 2)
        Column 0 runs along the lines, column 1 across.
    y : ndarray (n_samples,)

    Examples
    --------
    >>> X, y = make_parallel_lines(7, n_lines=3, gap=2, noise=0, random_state=0)
    >>> [X[y == k, 1].tolist() for k in range(3)]
    [[0.0, 0.0, 0.0], [2.0, 2.0], [4.0, 4.0]]
    """
    check_nonnegative("noise", noise)
    rng = generator(random_state)
    lines = _lines(n_samples, n_lines, length, gap, rng)
    return jittered_sample(lines, noise, rng)


def make_rings(
    n_samples: int = 200,
    *,
    n_rings: int | None = None,
    radii: Sequence[float] | None = None,
    noise: float = 0.1,
    random_state: RandomState = None,
) -> Sample:
    """Concentric circles around the origin, the points uniform in angle.

    CPCM shows three such circles in Fig. 1(f) without their radii; 1, 2, 3, ... are our choice.

    Parameters
    ----------
    n_samples : int, default=200
    n_rings : int, optional
        Number of rings: by default as many as ``radii``, or 2.
    radii : sequence of float, optional
        One radius a ring, by default 1, 2, 3, ...
    noise : float, default=0.1
    random_state : int, Generator, RandomState or None

    Returns
    -------
    X : ndarray (n_samples, 2)
    y : ndarray (n_samples,)

    Examples
    --------
    >>> X, y = make_rings(90, radii=[1, 3, 4], noise=0, random_state=0)
    >>> [float(np.hypot(*X[y == k].T).max().round(6)) for k in range(3)]
    [1.0, 3.0, 4.0]
    """
    check_nonnegative("noise", noise)
    if n_rings is None:
        n_rings = 2 if radii is None else len(radii)
    check_count("n_rings", n_rings)
    if radii is None:
        radii = range(1, n_rings + 1)
    if len(radii) != n_rings:
        raise ValueError(f"{n_rings=} but radii has {len(radii)} entries: give one radius a ring")
    for radius in radii:
        check_positive("radii", radius)
    rng = generator(random_state)
    sizes = class_sizes(n_samples, n_rings)
    rings = [r * directions(size, rng) for r, size in zip(radii, sizes, strict=True)]
    return jittered_sample(rings, noise, rng)


def make_circle(
    n_samples: int = 200, *, noise: float = 0.05, random_state: RandomState = None
) -> Sample:
    """A filled disc of radius 1/2 (class 0) inside a circle of radius 1 (class 1).

    PM shows a set "circle" of two clusters in Fig. 1 and says no more than that k-means does badly
    on it. This definition is ours: the disc's points are uniform in area, the circle's in angle.

    Parameters
    ----------
    n_samples : int, default=200
    noise : float, default=0.05
    random_state : int, Generator, RandomState or None

    Returns
    -------
    X : ndarray (n_samples, 2)
    y : ndarray (n_samples,)

    Examples
    --------
    >>> X, y = make_circle(100, noise=0, random_state=0)
    >>> radius = np.hypot(*X.T)
    >>> bool(radius[y == 0].max() <= 0.5), float(radius[y == 1].min().round(6))
    (True, 1.0)
    """
    check_nonnegative("noise", noise)
    rng = generator(random_state)
    n_disc, n_circle = class_sizes(n_samples, 2)
    # The square root makes the density uniform: a ring's area grows with its radius.
    disc = 0.5 * np.sqrt(rng.uniform(size=(n_disc, 1))) * directions(n_disc, rng)
    return jittered_sample([disc, directions(n_circle, rng)], noise, rng)


def make_cross(
    n_samples: int = 200, *, noise: float = 0.05, random_state: RandomState = None
) -> Sample:
    """Two bars of length 2 that cross at right angles in the origin, one class each.

    PM shows a set "cross" of two clusters in Fig. 1 and says no more than that k-means does badly
    on it. This definition is ours: class 0 is horizontal, class 1 vertical, points uniform along
    each. Near the origin the classes overlap, so no method can be right everywhere.

    Parameters
    ----------
    n_samples : int, default=200
    noise : float, default=0.05
    random_state : int, Generator, RandomState or None

    Returns
    -------
    X : ndarray (n_samples, 2)
    y : ndarray (n_samples,)

    Examples
    --------
    >>> X, y = make_cross(100, noise=0, random_state=0)
    >>> bool(np.all(X[y == 0, 1] == 0)), bool(np.all(X[y == 1, 0] == 0))
    (True, True)
    """
    check_nonnegative("noise", noise)
    rng = generator(random_state)
    n_across, n_up = class_sizes(n_samples, 2)
    horizontal = np.column_stack([rng.uniform(-1, 1, n_across), np.zeros(n_across)])
    vertical = np.column_stack([np.zeros(n_up), rng.uniform(-1, 1, n_up)])
    return jittered_sample([horizontal, vertical], noise, rng)


def make_noisy_lines(
    n_samples: int = 300,
    *,
    length: float = 5.0,
    gap: float = 1.0,
    noise: float = 0.1,
    correlated_scale: float = 5.0,
    correlation: float = 0.95,
    gaussian_scale: float = 1.0,
    random_state: RandomState = None,
) -> Sample:
    r"""Three parallel lines in space, hidden among 53 features of pure noise.

    The set of CPCM, Sec. 5.1 and Fig. 2. The paper states: the three parallel lines of Fig. 1(d),
    plus 3 features of highly correlated Gaussian noise of high variance, plus 50 features of
    Gaussian noise. Ours are: the third coordinate of the lines, which holds jitter only, and all
    numbers. Two of the correlated features have correlation ``correlation``:

    .. math:: x_j = scale \, (\sqrt{c}\, g + \sqrt{1-c}\, e_j), \qquad g, e_j \sim N(0, 1) .

    Parameters
    ----------
    n_samples : int, default=300
    length : float, default=5.0
        Length of each line.
    gap : float, default=1.0
        Distance between neighbouring lines.
    noise : float, default=0.1
        Jitter of the first three columns.
    correlated_scale : float, default=5.0
        Standard deviation of columns 3 to 5.
    correlation : float, default=0.95
        Correlation of any two of columns 3 to 5, from 0 to 1.
    gaussian_scale : float, default=1.0
        Standard deviation of columns 6 to 55.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    X : ndarray (n_samples, 56)
        Columns: 0 along the lines, 1 across (the only one that tells the classes), 2 jitter,
        3 to 5 correlated noise, 6 to 55 independent noise.
    y : ndarray (n_samples,)

    Examples
    --------
    >>> X, y = make_noisy_lines(random_state=0)
    >>> X.shape
    (300, 56)
    >>> [round(X[y == k, 1].mean()) for k in range(3)]
    [0, 1, 2]
    """
    check_nonnegative("noise", noise)
    check_nonnegative("correlated_scale", correlated_scale)
    check_nonnegative("correlation", correlation)
    check_nonnegative("gaussian_scale", gaussian_scale)
    if correlation > 1:
        raise ValueError(f"correlation must be from 0 to 1, got {correlation!r}")
    rng = generator(random_state)
    flat_lines = _lines(n_samples, 3, length, gap, rng)
    lines, y = jittered_sample([np.pad(line, ((0, 0), (0, 1))) for line in flat_lines], noise, rng)
    shared, own = rng.standard_normal((n_samples, 1)), rng.standard_normal((n_samples, 3))
    correlated = correlated_scale * (np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own)
    gaussian = gaussian_scale * rng.standard_normal((n_samples, 50))
    return np.hstack([lines, correlated, gaussian]), y


def _lines(
    n_samples: int, n_lines: int, length: float, gap: float, rng: np.random.Generator
) -> list[Points]:
    """Points uniform along horizontal segments at the heights 0, gap, 2 gap, ..."""
    check_count("n_lines", n_lines)
    check_positive("length", length)
    check_positive("gap", gap)
    return [
        np.column_stack([rng.uniform(-length / 2, length / 2, size), np.full(size, k * gap)])
        for k, size in enumerate(class_sizes(n_samples, n_lines))
    ]
