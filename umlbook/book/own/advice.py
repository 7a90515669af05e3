"""What to try next: rules in words, each from a number that was measured."""

from __future__ import annotations

from collections.abc import Sequence

from umlbook.book.own.choosing import Choice
from umlbook.book.own.diagnostics import Diagnostics

DOMINANT = 0.8
"""A column with more than this share carries everything."""
LOOSE = 0.7
"""Fits that agree less than this (adjusted Rand index) are not the same clustering."""
SAME = 0.95
"""Fits that agree more than this are."""
TINY = 0.02
"""A cluster with a smaller share of the rows is a handful of outliers."""
MANY = 0.2
"""If a larger share of the rows was left out, those that stay may be unlike the others."""


def advice(
    found: Diagnostics,
    names: Sequence[str],
    method: str,
    scaling: str,
    dropped: float = 0.0,
    unused: Sequence[str] = (),
    tried: Choice | None = None,
) -> tuple[str, ...]:
    """Return what the diagnostics suggest, the most serious first; never empty.

    `dropped` is the share of the rows that were left out, `unused` the columns of numbers that
    were left out because most of their values are missing, `tried` what other K look like.
    """
    said = [
        *_about_rows(dropped),
        *_about_unused(unused),
        *_about_columns(found, names, scaling),
        *_about_clusters(found),
        *_about_stability(found, method),
        *_about_truth(found),
        *_about_choice(found, tried),
        *_about_kmeans(found, method),
    ]
    return tuple(said) or (no_warning(found),)


def no_warning(found: Diagnostics) -> str:
    """Return what is said when no rule speaks: what was compared, and that it proves nothing."""
    starts = "" if found.starts_agree is None else "single starts agree, "
    return (
        f"No warning: {starts}fits to parts of the rows agree, and the clusters are sharper than "
        "in one cloud of the same covariance. This does not show that they are real: a cloud that "
        "is bent or has corners passes as well, rows that depend on each other (a time series) "
        "often do, and nothing here knows what you are looking for. Try K one lower and one "
        "higher, and look at the rows that are least sure."
    )


def _about_rows(dropped: float) -> list[str]:
    if dropped <= MANY:
        return []
    return [
        f"{dropped:.0%} of the rows were left out because a value is missing: the clusters are "
        "those of the others, and nothing here was checked for the rows left out; leave out the "
        'columns with gaps, or try missing="median".'
    ]


def _about_unused(unused: Sequence[str]) -> list[str]:
    if not unused:
        return []
    return [
        f"Not used and not checked, because many values are missing or no numbers: "
        f"{', '.join(unused)}. Mend them, or name them in columns=[...]."
    ]


def _about_choice(found: Diagnostics, tried: Choice | None) -> list[str]:
    if tried is None or len(tried.ks) < 2 or tried.by_gap in (None, len(found.sizes)):
        return []
    if tried.by_gap == 1 and tried.later == len(found.sizes):
        return []
    if tried.by_gap == 1 and tried.later:
        return [
            "The gap of plain k-means does not clearly rise from one cluster to two, but it is "
            f"clearly above zero at K = {tried.later}: try that too."
        ]
    if tried.by_gap == 1:
        return [
            f"The gap of plain k-means names one cluster: no K up to {tried.ks[-1]} gains clearly "
            "more than in one cloud."
        ]
    return [f"The gap of plain k-means names K = {tried.by_gap}: try that too."]


def _about_columns(found: Diagnostics, names: Sequence[str], scaling: str) -> list[str]:
    top = max(range(len(names)), key=lambda j: found.variance_shares[j])
    share = found.variance_shares[top]
    if len(names) > 1 and share > DOMINANT:
        way = 'try scaling="standard"' if scaling != "standard" else "leave it out and see"
        return [f"{names[top]} carries {share:.0%} of the variance, so it alone decides: {way}."]
    weights = found.weights
    if weights and len(names) > 1 and max(weights) > DOMINANT:
        chief = names[weights.index(max(weights))]
        return [
            f"{chief} has {max(weights):.0%} of the learned metric: see whether the clusters are "
            "more than a cut through that column; leave it out and fit again."
        ]
    return []


def _about_clusters(found: Diagnostics) -> list[str]:
    total = sum(found.sizes)
    if min(found.sizes) == 0:
        return [f"{found.sizes.count(0)} of {len(found.sizes)} clusters are empty: try a lower K."]
    if min(found.sizes) < TINY * total:
        return [
            f"The smallest cluster has {min(found.sizes)} of {total} rows: look at these rows, "
            'they may be errors; without them, or with scaling="robust", fit again.'
        ]
    return []


def _about_stability(found: Diagnostics, method: str) -> list[str]:
    said = []
    firm = found.refits_agree is not None and found.refits_agree >= LOOSE
    if found.starts_agree is not None and found.starts_agree < LOOSE:
        said.append(
            f"Single starts disagree (agreement {found.starts_agree:.2f}): "
            + (
                "the best of them comes back on other rows, so keep several starts."
                if firm
                else "they end in different local optima, of which the best was kept; try "
                "another K, or a method with fewer local optima (SpectralKMeans)."
            )
        )
    if found.refits_agree is None:
        said.append(
            f"Fits to a part of the rows were not compared: {method} needs more rows than a part "
            "of these; use fewer columns, or get more rows."
        )
    elif found.refits_agree < LOOSE:
        said.append(
            f"Fits to {found.refit_rows} of the rows give other clusters (agreement "
            f"{found.refits_agree:.2f}): do not build on them; try a lower K, fewer columns, "
            f"or a simpler method than {method}."
        )
    return said


def _about_truth(found: Diagnostics) -> list[str]:
    if found.beats_null is None:
        return [
            "Whether the clusters are sharper than in one cloud was not compared: the table has "
            "a single column, or too few rows. Any method cuts such a table into clusters."
        ]
    if found.beats_null:
        return []
    return [
        f"No sharper than in one cloud of the same covariance (silhouette "
        f"{found.null_reference:.2f}, in clouds up to {max(found.null):.2f}): the clusters may be "
        "parts of one cloud, or cuts through single columns."
    ]


def _about_kmeans(found: Diagnostics, method: str) -> list[str]:
    if method != "k-means" and found.kmeans_agrees > SAME:
        return [
            f"Nearly the clusters of plain k-means (agreement {found.kmeans_agrees:.2f}): "
            "the other method changes little here, take the simpler one."
        ]
    return []
