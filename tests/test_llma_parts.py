"""LLMA with parts taken away: each variant lacks what it is said to lack, and nothing else."""

import numpy as np
import pytest

from umlbook.algebra import Array
from umlbook.constraints import sample
from umlbook.experiments.engine.grid import attempt
from umlbook.experiments.papers import llma
from umlbook.kernels import median_width, rbf
from umlbook.rivals import pair_differences


@pytest.fixture
def problem() -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 5)) + 2 * rng.normal(size=(3, 5))[y]
    return X, *sample(y, 6, 6, random_state=1)


def test_the_pull_without_a_graph_is_the_least_value_of_its_stated_problem(problem):
    X, must, cannot = problem
    centers, width = X[np.unique(must)], median_width(X)
    K, bumps = (rbf(points, centers, sigma=width) for points in (centers, X))
    W = np.linalg.lstsq(bumps, llma.pulled(X, must, cannot) - X, rcond=None)[0]

    def value(W):
        apart = pair_differences(X + bumps @ W, must)
        return np.sum(apart**2) + llma.RIDGE * np.trace(W.T @ K @ W)

    nearby = [W + 1e-3 * np.random.default_rng(k).normal(size=W.shape) for k in range(20)]
    assert value(W) < min(value(other) for other in [*nearby, np.zeros_like(W)])


def test_the_pull_without_a_graph_does_not_hear_rows_in_no_pair_but_for_its_width(problem):
    X, must, cannot = problem
    rows = np.unique(must)
    without = X[rows]
    within = np.searchsorted(rows, must)
    factor = median_width(X) / median_width(without)
    moved = llma.pulled(X, must, cannot)[rows] - without
    bumps = rbf(without, without, sigma=factor * median_width(without))
    S = pair_differences(bumps, within)
    W = np.linalg.solve(S.T @ S + llma.RIDGE * bumps, -S.T @ pair_differences(without, within))
    assert moved == pytest.approx(bumps @ W)


def test_the_straight_map_is_affine_and_shortens_the_must_links(problem):
    X, must, cannot = problem
    Y = llma.straight(X, must, cannot)
    design = np.column_stack([np.ones(len(X)), X])
    fitted = design @ np.linalg.lstsq(design, Y, rcond=None)[0]
    assert fitted == pytest.approx(Y, abs=1e-8)
    before, after = (np.sum(pair_differences(V, must) ** 2) for V in (X, Y))
    assert after < before


def test_wrong_pairs_join_the_linked_rows_and_no_others(problem):
    _, must, _ = problem
    wrong = llma.shuffled(must)
    assert set(wrong.ravel()) <= set(must.ravel()) and len(np.unique(wrong)) == wrong.size
    assert wrong.size >= np.unique(must).size - 1


def test_no_triple_on_which_claims_were_formed_is_among_those_that_test_them():
    found = llma.tested()
    assert len(set(found)) == llma.N_TESTED and not set(found) & set(llma.FORMED)


@pytest.mark.parametrize("method", ["LLMA", "no graph"])
def test_a_stored_row_is_what_its_variant_gives(method):
    (row,) = (
        r
        for r in llma.stored("llma")
        if (r["part"], r["data"], r["set"], r["method"]) == ("tested", "1-3-6", 0, method)
    )
    cell = {key: row[key] for key in ("part", "data", "pairs", "set", "method")}
    (again,) = attempt(llma.work, cell).rows
    for column in ("score", "free", "same", "different"):
        assert again[column] == pytest.approx(row[column], abs=0.02)
