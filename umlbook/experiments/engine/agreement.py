"""The one rule of agreement: when a printed number counts as reproduced.

Had the authors done their experiment once more, with other random numbers on the same data, they
would have printed another number. How far it would lie from the first is the *spread*: that of
what is printed, which is a mean over runs in some papers and a single run in others. A printed
number is **reproduced** when ours is at most two spreads of the difference away from it. Whether
the two are within half a point is said beside it, whatever the spread.

What is repeated is the whole replicate: a run of folds, a set of pairs, a start. Where two methods
are run from the same starts, the spread of their difference is that of the paired differences.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

REPRODUCED, DIFFERS = "reproduced", "differs"
MISSING, NO_NUMBER = "not available", "no number printed"
VERDICTS = (REPRODUCED, DIFFERS, MISSING, NO_NUMBER)
WITHIN = 2.0
CLOSE = 0.5  # points


def spread(*means: tuple[float, float], unit: float) -> float:
    """Standard deviation of a difference of means, each given as (deviation of a run, runs).

    It is at least half a unit of the last printed digit, since print is rounded.

    >>> round(spread((0.06, 4), (0.16, 16), unit=0.001), 6), spread((0.0, 20), unit=0.01)
    (0.05, 0.005)
    """
    return max(math.hypot(*(deviation / math.sqrt(runs) for deviation, runs in means)), unit / 2)


def deviation(runs: ArrayLike) -> float:
    """Standard deviation of a run, estimated from several; 0 for a single one."""
    values = np.asarray(runs, dtype=float)
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def paired_spread(ours: ArrayLike, reference: ArrayLike, printed_runs: int, unit: float) -> float:
    """Spread of the gap between two methods whose runs begin alike, in print and here.

    >>> paired_spread([0.5, 0.7, 0.9], [0.4, 0.6, 0.8], printed_runs=20, unit=0.001) < 0.0015
    True
    """
    gaps = np.asarray(ours) - np.asarray(reference)
    apart = deviation(gaps)
    return spread((apart, printed_runs), (apart, len(gaps)), unit=2 * unit)


def deviations(printed: float | None, ours: float | None, spread: float) -> float | None:
    """How many spreads ours lies above the printed number; None without both.

    >>> round(deviations(0.95, 0.97, spread=0.01), 6)
    2.0
    """
    if printed is None or ours is None or math.isnan(printed):
        return None
    gap = ours - printed
    return gap / spread if spread else math.copysign(math.inf, gap) if gap else 0.0


def verdict(printed: float | None, ours: float | None, spread: float) -> str:
    """Reproduced when the two are at most two spreads apart.

    >>> verdict(0.95, 0.97, spread=0.01), verdict(0.95, 0.98, spread=0.01)
    ('reproduced', 'differs')
    """
    if printed is None:
        return NO_NUMBER
    apart = deviations(printed, ours, spread)
    if apart is None:
        return MISSING
    return REPRODUCED if abs(apart) <= WITHIN + 1e-9 else DIFFERS


def is_close(printed: float | None, ours: float | None, points: float = 100.0) -> bool | None:
    """Whether the two are within half a point; ``points`` is what one unit of the score is.

    >>> is_close(0.950, 0.955), is_close(95.0, 95.6, points=1), is_close(None, 0.9)
    (True, False, None)
    """
    if printed is None or ours is None or math.isnan(printed):
        return None
    return abs(ours - printed) * points <= CLOSE + 1e-9
