"""Exercises 8.1 and 8.3: the cell picked by its labels, and the control that is missing."""

from itertools import combinations

import numpy as np

from umlbook.algebra import Array
from umlbook.book.exercises.bank.properties import (
    agrees_with,
    is_finite,
    is_number,
    is_place_and_number,
)
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake

# ----------------------------------------------------------------- 8.1 the label-picked cell

N_SETS, N_SETTINGS, N_SEEDS = 5, 4, 6
ROUNDING = 1e-3  # the report has three decimals, and so may the answer


def least_cut(scores: Array, cut: Array) -> Array:
    """Mean score of each data set when each seed takes its setting with the smallest cut."""
    setting = cut.argmin(axis=1, keepdims=True)
    return np.asarray(np.take_along_axis(scores, setting, axis=1).mean(axis=(1, 2)))


# Written out, without `least_cut`, for this is the solution that a reader is shown.
def picked_cell(scores: Array, cut: Array, reported: Array) -> Array:
    """Reference of 8.1."""
    setting = cut.argmin(axis=1, keepdims=True)
    honest = np.take_along_axis(scores, setting, axis=1).mean(axis=(1, 2))
    cell = np.argmax(np.abs(reported - honest))
    return np.array([cell, honest[cell]])


def _same_cell(number: Array, scores: Array, cut: Array, reported: Array) -> Array:
    """The right data set with another number."""
    cell = int(picked_cell(scores, cut, reported)[0])
    return np.array([cell, number[cell]])


def _highest(scores: Array, cut: Array, reported: Array) -> Array:
    cell = int(reported.argmax())
    return np.array([cell, least_cut(scores, cut)[cell]])


def _dearest(scores: Array, cut: Array, reported: Array) -> Array:
    honest = least_cut(scores, cut)
    cell = int(np.argmax(scores.max(axis=1).mean(axis=1) - honest))
    return np.array([cell, honest[cell]])


def _believed(scores: Array, cut: Array, reported: Array) -> Array:
    return _same_cell(reported, scores, cut, reported)


def _largest_cut(scores: Array, cut: Array, reported: Array) -> Array:
    return _same_cell(least_cut(scores, -cut), scores, cut, reported)


def _all_fits(scores: Array, cut: Array, reported: Array) -> Array:
    return _same_cell(scores.mean(axis=(1, 2)), scores, cut, reported)


def _one_setting(scores: Array, cut: Array, reported: Array) -> Array:
    mean_cut = np.broadcast_to(cut.mean(axis=2, keepdims=True), cut.shape)
    return _same_cell(least_cut(scores, mean_cut), scores, cut, reported)


def same_report(left: Array, right: Array) -> bool:
    """The same data set, and the same number to the decimals of the report."""
    a, b = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    return a.shape == b.shape and np.allclose(a, b, rtol=0, atol=ROUNDING)


def drawn_report(rng: np.random.Generator) -> Case:
    """Scores and cuts of fits, and a report with one cell that the labels chose."""
    level = rng.uniform(0.3, 0.7, (N_SETS, 1, 1)) + rng.normal(0, 0.1, (N_SETS, N_SETTINGS, 1))
    raw = level + rng.normal(0, 0.04, (N_SETS, N_SETTINGS, N_SEEDS))
    scores: Array = np.clip(raw, 0.0, 1.0).round(3)
    cut = 1.2 - scores + rng.normal(0, 0.12, scores.shape)
    honest, best = least_cut(scores, cut), scores.max(axis=1).mean(axis=1)
    cell = np.argsort(best - honest)[-2]  # not where it pays most: the report must be read
    reported = np.round(np.where(np.arange(N_SETS) == cell, best, honest), 3)
    return Case("the report in your data", scores=scores, cut=cut, reported=reported)


def report_cases(rng: np.random.Generator) -> list[Case]:
    """A report in which each known mistake gives an answer of its own."""
    known = (picked_cell, _highest, _dearest, _believed, _largest_cut, _all_fits, _one_setting)
    while True:
        case = drawn_report(rng)
        answers = [answer(*case.values()) for answer in known]
        gaps = [np.abs(a - b).max() for a, b in combinations(answers, 2)]
        if min(gaps) > 4 * ROUNDING:
            return [case]


def is_not_honest(attempt: Attempt) -> str | None:
    """What is reported for this data set is not what the smallest cut gives."""
    cell = int(attempt.array[0])
    gap = attempt.case.reported[cell] - least_cut(attempt.case.scores, attempt.case.cut)[cell]
    if abs(gap) > ROUNDING:
        return None
    return f"data set {cell} is honest: what is reported for it is what the smallest cut gives"


def is_honest_score(attempt: Attempt) -> str | None:
    """The score is what the smallest cut gives."""
    cell, score = int(attempt.array[0]), attempt.array[1]
    gap = score - least_cut(attempt.case.scores, attempt.case.cut)[cell]
    if abs(gap) <= ROUNDING:
        return None
    return f"data set {cell} was picked; your score for it is too {'large' if gap > 0 else 'small'}"


EX_8_1 = Exercise(
    id="8.1",
    title="the cell that was picked by its labels",
    answer="picked",
    kind="value",
    reference=picked_cell,
    cases=report_cases,
    properties=[
        is_place_and_number("data set", lambda case: len(case.reported), "a score"),
        is_finite,
        is_not_honest,
        is_honest_score,
    ],
    mistakes=[
        Mistake(
            "the highest number",
            "a high score may be an easy data set: compare each with what its own fits give",
            _highest,
        ),
        Mistake(
            "where it would pay most",
            "here the labels would have gained most, but was it done? Compare with the report",
            _dearest,
        ),
        Mistake(
            "the report believed",
            "this is the reported number itself: what does the setting score that the cut chooses?",
            _believed,
        ),
        Mistake(
            "the largest cut",
            "this takes the setting that cuts most neighbours apart: small is good",
            _largest_cut,
        ),
        Mistake(
            "the mean of all fits",
            "this is the mean of all settings: choose one for each seed, by the cut, then average",
            _all_fits,
        ),
        Mistake(
            "one setting for all seeds",
            "this chooses by the mean cut: each seed is a run of its own and chooses for itself",
            _one_setting,
        ),
    ],
    hints=[
        "For each data set and seed, which setting has the smallest cut? What does it score?",
        "cut.argmin(axis=1, keepdims=True) has the settings; np.take_along_axis picks the scores.",
        "Average over the seeds: all data sets but one then agree with the report.",
    ],
    solution="The choice by the cut gives each reported number but one; that one is the mean of "
    "the best score of each seed, which takes labels.",
    same=same_report,
)

# ------------------------------------------------------------------- 8.3 the missing control


def control_cases(rng: np.random.Generator) -> list[Case]:
    """A usual table, a control that does harm, one that does better, and no gain at all."""
    plain = rng.uniform(0.3, 0.6, 7)
    gain = np.append(rng.uniform(0.05, 0.2, 6), 0.01)
    part = gain * rng.uniform(0.4, 0.9, 7) + rng.uniform(0.005, 0.02, 7)
    method = plain + gain
    return [
        Case("the table in your data", plain=plain, control=plain + part, method=method),
        Case("a control below k-means", plain=plain, control=plain - part, method=method),
        Case("a control above the method", plain=plain, control=method + part, method=method),
        Case("a method below k-means", plain=method, control=method - part, method=plain),
        Case("a method that is k-means", plain=plain, control=plain + part, method=plain),
    ]


def share_without_learning(plain: Array, control: Array, method: Array) -> float:
    """Reference of 8.3."""
    gain = np.mean(method - plain)
    return float(np.mean(control - plain) / gain) if gain > 0 else np.nan


def _gains(attempt: Attempt) -> bool:
    return bool(np.mean(attempt.case.method - attempt.case.plain) > 0)


def is_nan_without_gain(attempt: Attempt) -> str | None:
    """No gain, no share of it; a number otherwise."""
    if _gains(attempt):
        return is_finite(attempt)
    if np.isnan(attempt.number):
        return None
    return "the method gains nothing, so there is nothing to share: return np.nan"


def all_when_equal(attempt: Attempt) -> str | None:
    """A control that equals the method has all of the gain."""
    share = float(np.asarray(attempt.again(control=attempt.case.method)).item())
    if not _gains(attempt) or np.isclose(share, 1):
        return None
    return f"a control that scores as the method does has share {share:.3g} by your count, not 1"


def none_when_plain(attempt: Attempt) -> str | None:
    """A control that equals plain k-means has nothing of it."""
    share = float(np.asarray(attempt.again(control=attempt.case.plain)).item())
    if not _gains(attempt) or np.isclose(share, 0):
        return None
    return f"a control that scores as k-means does has share {share:.3g} by your count, not 0"


EX_8_3 = Exercise(
    id="8.3",
    title="the control that is missing",
    reference=share_without_learning,
    cases=control_cases,
    properties=[
        is_number,
        is_nan_without_gain,
        all_when_equal,
        none_when_plain,
        agrees_with(share_without_learning, "share"),
    ],
    mistakes=[
        Mistake(
            "a ratio of scores",
            "this divides scores: k-means has most of the score already; divide the gains over it",
            lambda plain, control, method: control.mean() / method.mean(),
        ),
        Mistake(
            "the share of learning",
            "this is the share that the learning adds: asked for is what is there without it",
            lambda plain, control, method: 1 - share_without_learning(plain, control, method),
        ),
        Mistake(
            "a mean of shares",
            "this averages the shares of the data sets: where the gain is tiny a share can be "
            "anything; average the gains first",
            lambda plain, control, method: (
                float(np.mean((control - plain) / (method - plain)))
                if method.mean() > plain.mean()
                else np.nan
            ),
        ),
        Mistake(
            "per cent of k-means",
            "this is the gain of the control per score of k-means: divide by the method's gain",
            lambda plain, control, method: np.mean(control - plain) / plain.mean(),
        ),
        Mistake(
            "cut off at 0 and 1",
            "this forces the share between 0 and 1: a control may do harm, or better than the "
            "method, and the reader should see it",
            lambda plain, control, method: np.clip(
                share_without_learning(plain, control, method), 0, 1
            ),
        ),
        Mistake(
            "a share of a loss",
            "two losses have a positive ratio, which looks like a share of a gain and is none",
            lambda plain, control, method: np.mean(control - plain) / np.mean(method - plain),
        ),
    ],
    hints=[
        "What does the method gain over k-means, on average? What does the control gain?",
        "Divide the second mean by the first; do not average ratios.",
        "When the mean gain is not above zero there is nothing to divide by: np.nan.",
    ],
    solution="The mean gain of the control over k-means, divided by that of the method. What is "
    "left is all that the learning did.",
)
