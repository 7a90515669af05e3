"""What every estimator and rival promises: names, pickles, memory, rows, clusters, one loop."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from trials import main, trial

import umlbook
from umlbook import CPCM, CPDUML, NAML, BentCoordinates, KernelKMeans, LatentClassPairs, rivals
from umlbook.asking import OnPairs
from umlbook.constraints import sample
from umlbook.cpcm import blur_ratio
from umlbook.kernels import distances, rbf
from umlbook.scores import clustering_accuracy

METHODS = {name: getattr(umlbook, name) for name in umlbook.__all__ if name != "BentCoordinates"}
RIVALS = {
    name: getattr(rivals, name)
    for name in rivals.__all__
    if isinstance(getattr(rivals, name), type)
}
QUICK = {
    "NAML": {"n_kernels": 2, "n_init": 1, "mixed_start": False},
    "ProbabilisticMetric": {"n_temperatures": 2},
    "LatentClassPairs": {"n_init": 1},
    "BentMetric": {"strength": 0.5, "n_init": 2},
}
TRUTH = np.repeat([0, 1, 2], 20)
PAIRS = dict(zip(("must_link", "cannot_link"), sample(TRUTH, 20, 20, random_state=0), strict=True))


def blobs(distance=6.0):
    """Three clusters of twenty rows, and a column that tells nothing."""
    return distance * np.eye(4)[TRUTH] + np.random.default_rng(0).normal(size=(60, 4))


def made(name, **params):
    return (METHODS | RIVALS)[name](n_clusters=3, random_state=0, **QUICK.get(name, {}) | params)


def fit(model, X, pairs=PAIRS):
    """The model, given the pairs if its ``fit`` asks for them, which scikit-learn shows so."""
    return model.fit(X, **pairs if hasattr(model, "set_fit_request") else {})


@pytest.mark.parametrize("name", METHODS | RIVALS)
def test_one_loop_runs_all_methods(name):
    model = fit(made(name), blobs())
    assert clustering_accuracy(TRUTH, model.labels_) > 0.95
    given = PAIRS if hasattr(model, "set_fit_request") else {}
    np.testing.assert_array_equal(made(name).fit_predict(blobs(), **given), model.labels_)
    if hasattr(model, "predict"):
        np.testing.assert_array_equal(model.predict(blobs()), model.labels_)
    assert "n_clusters=3" in repr(model) and "array" not in repr(model)


@pytest.mark.parametrize("name", [n for n, kind in RIVALS.items() if hasattr(kind, "needs")])
def test_a_rival_that_learns_nothing_clusters_the_samples_where_they_are(name):
    with pytest.warns(UserWarning, match="stay where they are"):
        model = made(name).fit(blobs())
    assert clustering_accuracy(TRUTH, model.labels_) > 0.95


def test_a_rival_needs_as_many_samples_as_clusters():
    with pytest.raises(ValueError, match="n_clusters=3 is more than the n_samples=2"):
        rivals.RCA(n_clusters=3).fit([[0.0], [1.0]])


# ----------------------------------------------------------------------------------- columns


MAPPING = [name for name, kind in (METHODS | RIVALS).items() if hasattr(kind, "transform")]


@pytest.mark.parametrize("name", MAPPING)
def test_the_columns_of_transform_have_names(name):
    model = fit(made(name), blobs())
    wanted = [f"{name.lower()}{i}" for i in range(model.transform(blobs()).shape[1])]
    assert model.get_feature_names_out().tolist() == wanted


@pytest.mark.parametrize("name", MAPPING)
def test_a_table_comes_out_where_it_is_asked_for_and_predict_needs_none(name):
    pandas = pytest.importorskip("pandas")
    plain, named = fit(made(name), blobs()), fit(made(name).set_output(transform="pandas"), blobs())
    table = named.transform(blobs())
    assert isinstance(table, pandas.DataFrame)
    assert table.columns.tolist() == plain.get_feature_names_out().tolist()
    np.testing.assert_array_equal(table.to_numpy(), plain.transform(blobs()))
    np.testing.assert_array_equal(named.predict(blobs()), plain.labels_)


def test_the_columns_of_the_coordinates_have_names():
    model = BentCoordinates(3, n_graph_components=2).fit(blobs())
    assert len(model.get_feature_names_out()) == model.transform(blobs()).shape[1]
    assert repr(model.coordinates_) == "Coordinates(KernelBlock and GraphBlock of 60 rows)"


def test_a_restart_shows_how_it_ended_and_not_its_arrays():
    (first, *_) = fit(made("AML"), blobs()).restarts_
    assert repr(first) == (
        f"Restart(objective={first.objective:.6g}, n_iter={first.n_iter}, ending='settled')"
    )


# ----------------------------------------------------------------------------------- pickles

SMALL = {
    "KernelBeta": {"n_components": 5},  # by default its map has as many columns as X rows
    "CPDUML": {"n_landmarks": None},
    "KernelKMeans": {"n_landmarks": None},
    "NAML": {"n_landmarks": None, "max_iter": 2},
}


@pytest.mark.parametrize("name", METHODS | RIVALS)
def test_a_fitted_model_keeps_no_square_matrix(name):
    n, rng = 500, np.random.default_rng(0)
    y = rng.integers(3, size=n)
    X = 6 * np.eye(4)[y] + rng.normal(size=(n, 4))
    pairs = dict(zip(("must_link", "cannot_link"), sample(y, 10, 10, random_state=0), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        size = len(pickle.dumps(fit(made(name, **SMALL.get(name, {})), X, pairs)))
    assert size < 8 * n * n / 2


def test_no_precomputed_kernel_is_kept():
    K = rbf(blobs(), sigma=3.0)
    model = KernelKMeans(3, kernel="precomputed", random_state=0).fit(K)
    assert all(getattr(value, "shape", ()) != K.shape for value in vars(model).values())
    np.testing.assert_array_equal(model.predict(K), model.labels_)


# ------------------------------------------------------------------------------------ memory


@pytest.mark.parametrize("name", METHODS | RIVALS)
def test_how_an_array_lies_in_memory_changes_nothing(name):
    X = blobs(2.0)
    spread = np.zeros((120, 8))
    spread[::2, ::2] = X
    fixed = X.copy()
    fixed.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        wanted = fit(made(name), X).labels_
        for other in (np.asfortranarray(X), spread[::2, ::2], fixed):
            np.testing.assert_array_equal(fit(made(name), other).labels_, wanted)


# ---------------------------------------------------------------------------- rows, clusters


def test_the_distances_of_a_row_depend_on_that_row_alone():
    """One row of many that are near together changes no digit of the others."""
    near = np.vstack([blobs(), 1e-9 * blobs() + 50.0])
    for i in (0, 70):
        with_these, with_those = (  # of one shape, so that a product is summed in one order
            distances(np.vstack([near[i], others]), near)[0] for others in (near[:59], near[60:119])
        )
        np.testing.assert_array_equal(with_these, with_those)


def test_equal_rows_have_one_label_and_the_empty_clusters_are_said():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0]], 5, axis=0)
    for name in ("KernelKMeans", "SpectralKMeans", "AML", "LatentClassPairs"):
        given = {} if name != "LatentClassPairs" else {"must_link": [[0, 1]]}
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = METHODS[name](4, random_state=0).fit(X, **given)
        used = len(np.unique(model.labels_))
        assert any(f"uses only {used} of n_clusters=4" in str(w.message) for w in said)
        np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_the_blur_ratio_is_that_of_the_labels():
    X = np.repeat(np.random.default_rng(0).integers(0, 3, size=(12, 2)).astype(float), 2, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for predictor in ("least-squares", "kernel-ridge"):
            model = CPCM(4, predictor=predictor, n_landmarks=12, random_state=0).fit(X)
            again = blur_ratio(model.transform(X), model.labels_)
            assert model.blur_ratio_ == pytest.approx(again, abs=1e-9)


def test_fewer_landmarks_than_clusters_are_refused():
    for kind in (KernelKMeans, NAML, CPCM):
        with pytest.raises(ValueError, match="n_landmarks=2 is fewer than n_clusters=3"):
            kind(3, n_landmarks=2).fit(blobs())
    assert CPDUML(3, n_landmarks=2, random_state=0).fit(blobs()).psi_.shape == (2, 4)


# ------------------------------------------------------------------------------------- pairs


@pytest.mark.parametrize("name", ["LatentClassPairs", "BentMetric", "ITML"])
def test_pairs_go_through_cross_validation_and_a_pipeline(name):
    rows, together = np.concatenate([*PAIRS.values()]), np.repeat([True, False], 20)
    with sklearn.config_context(enable_metadata_routing=True):
        asks = made(name).set_fit_request(must_link=True, cannot_link=True)
        scaled = make_pipeline(StandardScaler(), asks)
        found = cross_validate(OnPairs(scaled, blobs()), rows, together, cv=3)
        asks.set_score_request(must_link=True, cannot_link=True)
        with pytest.raises(ValueError, match="slices X but not index pairs"):
            cross_validate(clone(asks), blobs(), params=PAIRS, cv=3, error_score="raise")
    assert found["test_score"].min() > 0.8


def test_pairs_are_scored_by_a_rival_too():
    model = fit(made("ITML"), blobs())
    assert model.score(blobs(), **PAIRS) == LatentClassPairs.score(model, blobs(), TRUTH) == 1.0


# ------------------------------------------------------------------------------------ trials


@pytest.mark.parametrize("first", range(0, 160, 40))
def test_random_configurations_break_no_promise(first):
    """A small part of ``python tests/trials.py --number 10000``."""
    for seed in range(first, first + 40):
        outcome, _, texts = trial(seed)
        assert outcome != "broken", texts


def test_the_trials_say_what_they_found(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["trials.py", "--number", "3", "--only", "RCA"])
    assert not main()
    assert "RCA" in capsys.readouterr().out
