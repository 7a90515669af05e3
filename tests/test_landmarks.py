"""Landmarks: many rows are clustered by way of some of them, in memory linear in their number."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from umlbook import AML, CPCM, CPDUML, NAML, KernelKMeans, ProbabilisticMetric, _landmarks
from umlbook._landmarks import AUTO, AUTO_ABOVE, LandmarkWarning, landmark_rows
from umlbook.constraints import sample
from umlbook.datasets import make_rings

SOLVED_ON_THEM = {
    "kernel k-means": KernelKMeans(3, random_state=0),
    "NAML": NAML(3, n_kernels=4, n_init=1, random_state=0),
    "PM": ProbabilisticMetric(3, n_temperatures=3, random_state=0),
    "PM, linear": ProbabilisticMetric(3, kernel=None, n_temperatures=3, random_state=0),
    "CPCM, kernel ridge": CPCM(3, predictor="kernel-ridge", n_init=2, random_state=0),
}
STARTED_ON_THEM = {"AML": AML(3, random_state=0), "CPCM": CPCM(3, n_init=2, random_state=0)}
EVERY = SOLVED_ON_THEM | STARTED_ON_THEM | {"CPD-UML": CPDUML(3, random_state=0)}


def blobs(n_samples, rng):
    """Three clusters of unequal size, not centred, of unequal spread."""
    y = rng.choice(3, size=n_samples, p=[0.5, 0.3, 0.2])
    X = rng.normal(size=(n_samples, 4)) * [1.0, 0.7, 1.3, 1.0] + 2.0
    X[:, :3] += 6.0 * np.eye(3)[y]
    return X, y


def pairs_for(model, y):
    if not isinstance(model, ProbabilisticMetric):
        return {}
    must, cannot = sample(y, 10, 10, random_state=0)
    return {"must_link": must, "cannot_link": cannot}


@pytest.mark.parametrize("name", SOLVED_ON_THEM)
def test_every_row_as_a_landmark_is_the_exact_method(name, rng):
    X, y = blobs(90, rng)
    model = clone(SOLVED_ON_THEM[name])
    pairs = pairs_for(model, y)
    exact = model.set_params(n_landmarks=None).fit(X, **pairs)
    labels, path = exact.labels_, exact.objective_path_
    with_all = model.set_params(n_landmarks=len(X)).fit(X, **pairs)
    assert np.array_equal(with_all.labels_, labels)
    np.testing.assert_allclose(with_all.objective_path_, path, rtol=1e-9)


@pytest.mark.parametrize("name", EVERY)
def test_a_quarter_of_the_rows_finds_the_clusters_of_all(name, rng):
    X, y = blobs(400, rng)
    model = clone(EVERY[name]).set_params(n_landmarks=100)
    model.fit(X, **pairs_for(model, y))
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert np.array_equal(model.predict(X), model.labels_)
    new, _ = blobs(7, rng)
    assert np.array_equal(model.predict(new), np.concatenate([model.predict(x[None]) for x in new]))


def test_curved_clusters_are_found_from_landmarks():
    X, y = make_rings(2000, radii=(0.5, 2.0), noise=0.05, random_state=0)
    exact = KernelKMeans(2, sigma=0.7, n_landmarks=None, random_state=0).fit(X)
    few = KernelKMeans(2, sigma=0.7, n_landmarks=200, random_state=0).fit(X)
    assert adjusted_rand_score(exact.labels_, few.labels_) > 0.99
    assert adjusted_rand_score(y, few.labels_) > 0.99


@pytest.mark.parametrize("name", STARTED_ON_THEM)
def test_a_start_from_landmarks_is_continued_on_all_rows(name, rng):
    X, _ = blobs(300, rng)
    model = clone(STARTED_ON_THEM[name]).set_params(n_landmarks=60).fit(X)
    (restart,) = model.restarts_
    key = "init" if name == "AML" else "starts"
    again = clone(model).set_params(**{key: model.labels_}).fit(X)
    assert len(restart.labels) == len(X)
    assert np.array_equal(again.labels_, model.labels_)  # a fixed point of the steps on all rows


def test_a_least_cluster_size_counts_all_rows_and_not_landmarks(rng):
    X, _ = blobs(400, rng)
    model = CPCM(3, min_cluster_size=60, n_landmarks=100, n_init=2, random_state=0).fit(X)
    assert np.bincount(model.labels_).min() >= 60


@pytest.mark.parametrize("name", EVERY)
def test_many_rows_are_said_and_answered_without_a_square_matrix(name, rng, monkeypatch):
    monkeypatch.setattr(_landmarks, "AUTO_ABOVE", 200)
    monkeypatch.setattr(_landmarks, "AUTO", 50)
    X, y = blobs(201, rng)
    model = clone(EVERY[name]).set_params(n_landmarks="auto")
    with pytest.warns(LandmarkWarning, match="X has 201 rows"):
        model.fit(X, **pairs_for(model, y))
    assert model.labels_.shape == (201,)
    for stored in vars(model).values():
        assert not (isinstance(stored, np.ndarray) and stored.size >= 201 * 201)
    model.fit(X[:200], **pairs_for(model, y[:200]))  # a warning would be an error


@pytest.mark.parametrize("name", [*SOLVED_ON_THEM, "CPD-UML"])
def test_a_matrix_larger_than_the_memory_is_refused_before_it_is_made(name, rng, monkeypatch):
    monkeypatch.setattr(_landmarks, "physical_memory", lambda: 8 * 99**2)
    X, y = blobs(100, rng)
    model = clone(EVERY[name]).set_params(n_landmarks=None)
    with pytest.raises(MemoryError, match=r"100 x 100 numbers .* n_landmarks='auto'"):
        model.fit(X, **pairs_for(model, y))


def test_landmarks_are_different_rows_with_those_wanted_among_them():
    for wanted in ([], [7], [0, 3, 3, 9]):
        rows = landmark_rows(5, 20, 0, always=wanted)
        assert len(rows) == len(set(rows)) == 5
        assert set(wanted) <= set(rows) <= set(range(20))
        assert np.array_equal(rows, np.sort(rows))
    assert landmark_rows(2, 20, 0, always=[1, 5, 6]).tolist() == [1, 5, 6]
    assert landmark_rows("auto", AUTO_ABOVE, 0) is None
    with pytest.warns(LandmarkWarning):
        assert len(landmark_rows("auto", AUTO_ABOVE + 1, 0)) == AUTO


def test_given_labels_start_on_landmarks_with_no_cluster_empty(rng):
    X, _ = blobs(200, rng)
    start = np.zeros(200, dtype=int)
    start[[50, 150]] = 1, 2
    model = KernelKMeans(3, init=start, n_landmarks=10, random_state=0)
    assert np.bincount(next(model.steps(X)).labels, minlength=3).tolist() == [8, 1, 1]


@pytest.mark.parametrize(
    ("wanted", "error", "words"),
    [("few", ValueError, "'auto' or None, got 'few'"), (0, ValueError, "at least 1"),
     (21, ValueError, "more than the 20 rows"), (2.0, TypeError, "must be an integer")],
)  # fmt: skip
def test_what_landmarks_cannot_be(wanted, error, words):
    with pytest.raises(error, match=words):
        landmark_rows(wanted, 20, 0)
