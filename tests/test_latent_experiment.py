"""The experiment of chapter 13: its pairs, its control, the stored rows, a few cells again."""

import random

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits

from umlbook.constraints import sample
from umlbook.datasets import load, make_two_moons
from umlbook.experiments.papers import latent as experiment
from umlbook.latent import LatentProblem, objective


def test_wrong_pairs_are_wrong_as_often_as_asked_and_never_contradict():
    truth = load("glass").target
    for n_wrong in experiment.N_WRONG:
        must, cannot = experiment.drawn_pairs(truth, 20, n_wrong, seed=3)
        assert len(must) == len(cannot) == 20
        assert np.sum(truth[must[:, 0]] != truth[must[:, 1]]) == n_wrong
        assert np.sum(truth[cannot[:, 0]] == truth[cannot[:, 1]]) == n_wrong


@pytest.mark.parametrize("part", ["pairs", "unseen"])
def test_stored_scores_are_what_the_protocol_gives(part):
    cell = {"part": part, "dataset": "glass", "pairs": 20, "wrong": 0, "set": 0}
    kept = {r["method"]: r for r in experiment.stored() if {k: r[k] for k in cell} == cell}
    with threadpool_limits(1):
        for row in experiment.work(cell):
            assert row["ari"] == pytest.approx(kept[row["method"]]["ari"], abs=0.03)
    assert len(kept) > 4


def test_stored_scores_cover_the_protocol():
    keys = ("part", "dataset", "pairs", "wrong", "set")
    found = {tuple(row[k] for k in keys) for row in experiment.stored()}
    assert found == {tuple(cell[k] for k in keys) for cell in experiment.cells()}


# ------------------------------------------------------------------------------- the control

CONTROL = [
    row
    for row in experiment.stored()
    if any(kind in row["method"] for kind in ("plain", "no coordinates", "PM, same"))
    and row["part"] != "unseen"
]


@pytest.mark.parametrize("row", random.Random(0).sample(CONTROL, 4))
def test_a_random_score_on_plain_features_is_what_the_protocol_gives(row):
    X, truth = experiment.data(row["dataset"])
    pairs = experiment.drawn_pairs(truth, row["pairs"], row["wrong"], row["set"])
    known = {**experiment.METHODS, **experiment.ABLATION, **experiment.DOUBT}
    known |= experiment.CONTROLS
    with threadpool_limits(1):
        (again,) = experiment.scored_rows({"again": known[row["method"]]}, scale(X), truth, pairs)
    for score in ("ari", "free"):
        assert again[score] == pytest.approx(row[score], abs=0.03)


def test_every_run_of_the_latent_classes_has_its_control():
    keys = ("part", "dataset", "pairs", "wrong", "set")
    runs = {
        method: {
            tuple(row[k] for k in keys) for row in experiment.stored() if row["method"] == method
        }
        for method in (
            experiment.OURS,
            experiment.PLAIN,
            "latent classes, noise 0.1",
            "latent classes, plain features, noise 0.1",
        )
    }
    ours, plain, doubting, plainly_doubting = runs.values()
    assert ours == plain and doubting == plainly_doubting and ours and doubting


def test_the_control_differs_in_the_coordinates_and_in_nothing_else():
    """Whatever the units are, they are the features at the mean squared length of the others."""
    X, y = make_two_moons(60, random_state=1)
    must, cannot = sample(y, 8, 8, random_state=1)
    model = experiment.PlainClasses(2, random_state=0)
    model.fit(7 * X + 3, must_link=must, cannot_link=cannot)
    P = model.embedding_
    assert np.mean(np.sum(P**2, axis=1)) == pytest.approx(1)
    assert np.ptp(pdist(P) / pdist(X)) < 1e-9
    problem = LatentProblem(P, must, cannot, 2, lam=0.4, balance=1.0, ridge=0.03 / 16)
    weights = np.vstack([model.coef_, model.intercept_]).ravel()
    value, slope = objective(weights, problem)
    assert value == pytest.approx(model.objective_) and np.max(np.abs(slope)) < 1e-3
    assert np.array_equal(model.predict(7 * X + 3), model.labels_)
    assert np.allclose(model.transform(7 * X[:5] + 3), P[:5])
