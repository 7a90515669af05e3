"""Scale: a far row, other units, or a column that says nothing leaves the other rows alone.

What holds for every estimator: the label and the place of a new row depend on that row alone; the
units of X do not matter (where a parameter has units, it is scaled along); and when one training
row is far away, the fit neither fails nor leaves a cluster empty without a word.

What a far training row does to the labels of the others depends on the method. Those in `KEPT`
give it a cluster of its own and divide the others as before. The rest do not promise that: the
relaxed kernels of NAML spend a direction on the row, the blur ratio of CPCM prefers to split off
single rows (its docstring says so), and the penalty of the linear pair metric grows with the mean
squared distance, which the row dominates.
"""

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning

from umlbook import (
    AML,
    CPCM,
    CPDUML,
    NAML,
    KernelKMeans,
    LatentClassPairs,
    ProbabilisticMetric,
    SpectralKMeans,
)
from umlbook.constraints import sample
from umlbook.kernels import distances, exponential
from umlbook.rivals import (
    ERCA,
    FME,
    ITML,
    LLMA,
    MMC,
    RCA,
    RPCAOM,
    SSO,
    Baghshah,
    KernelBeta,
    KernelFME,
    KernelRPCAOM,
    TraceRatio,
    YangJin,
)

FEW = {"n_temperatures": 3}
MODELS = {
    "spectral": lambda k, unit: SpectralKMeans(k),
    "spectral, centred": lambda k, unit: SpectralKMeans(k, centered=True),
    "kernel k-means, rbf": lambda k, unit: KernelKMeans(k),
    "kernel k-means, exponential": lambda k, unit: KernelKMeans(k, kernel="exponential"),
    "kernel k-means, linear": lambda k, unit: KernelKMeans(k, kernel="linear"),
    "AML": lambda k, unit: AML(k, lam=1e-2 * unit**2),
    "AML, relaxed": lambda k, unit: AML(k, lam=1e-2 * unit**2, relaxed=True),
    "NAML": lambda k, unit: NAML(k, n_kernels=3, n_init=1, max_iter=30),
    "NAML, eigen": lambda k, unit: NAML(k, n_kernels=3, n_init=1, l_step="eigen"),
    "CPD-UML": lambda k, unit: CPDUML(k),
    "CPD-UML, spectral": lambda k, unit: CPDUML(k, y_step="spectral"),
    "CPD-UML, k-means": lambda k, unit: CPDUML(k, init="kmeans", n_init=3),
    "CPD-UML, kernel": lambda k, unit: CPDUML(k, kernel="rbf", n_components=4),
    "CPD-UML, landmarks": lambda k, unit: CPDUML(k, n_landmarks=20),
    "CPCM": lambda k, unit: CPCM(k, n_init=3),
    "CPCM, stepwise": lambda k, unit: CPCM(k, predictor="stepwise", n_init=3),
    "CPCM, lda": lambda k, unit: CPCM(k, predictor="lda", n_init=3),
    "CPCM, lda-within": lambda k, unit: CPCM(k, predictor="lda-within", n_init=3),
    "CPCM, kernel ridge": lambda k, unit: CPCM(k, predictor="kernel-ridge", n_init=3),
    "PM": lambda k, unit: ProbabilisticMetric(k, eta="median", **FEW),
    "PM, linear": lambda k, unit: ProbabilisticMetric(k, kernel=None, **FEW),
    "latent classes": lambda k, unit: LatentClassPairs(k, n_init=1),
}
RIVALS = {
    "TraceRatio": lambda unit: TraceRatio(2),
    "RCA": lambda unit: RCA(),
    "ERCA": lambda unit: ERCA(),
    "LLMA": lambda unit: LLMA(),
    "KernelBeta": lambda unit: KernelBeta(),
    "Baghshah": lambda unit: Baghshah(),
    "MMC": lambda unit: MMC(),
    "MMC, diagonal": lambda unit: MMC(diagonal=True),
    "ITML": lambda unit: ITML(),
    "YangJin": lambda unit: YangJin(),
    "RPCAOM": lambda unit: RPCAOM(),
    "KernelRPCAOM": lambda unit: KernelRPCAOM(),
    "FME": lambda unit: FME(mu=unit**2, gamma=unit**-2),
    "KernelFME": lambda unit: KernelFME(),
    "SSO": lambda unit: SSO(),
}
MAPPING = sorted(RIVALS.keys() - {"SSO"})  # it has no place for new rows

UNCENTRED = {"spectral", "CPD-UML", "CPD-UML, spectral", "CPD-UML, landmarks"}
"""Those that see, or start from, the singular vectors of X as it stands: the origin matters."""

KEPT = MODELS.keys() - {
    "NAML",
    "NAML, eigen",
    "CPCM, stepwise",
    "CPCM, lda-within",
    "CPCM, kernel ridge",
    "PM, linear",
}

TRUTH = np.repeat([0, 1, 2], 12)
MUST, CANNOT = sample(TRUTH, 12, 12, random_state=0)


def blobs(seed=0):
    """Three clusters of twelve rows, well apart."""
    means = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 1.2], [0.0, 4.0, 2.4]])
    noise = np.random.default_rng(seed).normal(size=(36, 3))
    return means[TRUTH] + 0.5 * noise + [3.0, 2.0, 1.0]


def fitted(name, X, n_clusters=3, unit=1.0):
    """The fitted model, and the texts of its warnings, of which none may be about arithmetic."""
    given_pairs = name in RIVALS or name.startswith(("PM", "latent"))
    model = RIVALS[name](unit) if name in RIVALS else MODELS[name](n_clusters, unit)
    if name in MODELS:
        model.set_params(random_state=0)
    elif name in ("RPCAOM", "KernelRPCAOM", "FME", "KernelFME", "SSO"):
        given_pairs = False
    pairs = {"must_link": MUST, "cannot_link": CANNOT} if given_pairs else {}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(X, **pairs)
    assert not [w.message for w in said if issubclass(w.category, RuntimeWarning)]
    return model, [str(w.message) for w in said]


@cache
def reference(name):
    return fitted(name, blobs())[0]


def same_partition(one, other):
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


def check_whole(model, X, said):
    """Labels are those of ``predict``, nothing is NaN, no cluster is empty without a word."""
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    if hasattr(model, "transform"):
        assert np.isfinite(model.transform(X)).all()
    used = len(np.unique(model.labels_))
    assert used == model.n_clusters or any(f"uses only {used} of" in text for text in said)


# ----------------------------------------------------------------------------------- new rows


def far_rows(exponents):
    rows = blobs(1)[: len(exponents)] * 10.0 ** np.array(exponents)[:, None]
    return np.vstack([rows, np.full((1, 3), 999999.0)])


@pytest.mark.parametrize("name", sorted(MODELS) + MAPPING)
@settings(max_examples=6)
@given(
    st.lists(st.floats(-150, 150), min_size=1, max_size=4).map(far_rows),
    st.randoms(use_true_random=False),
)
def test_a_new_row_is_placed_and_labelled_whatever_rows_come_with_it(name, far, random):
    model, X = reference(name), blobs()
    batch = np.vstack([X, far])
    order = np.array(random.sample(range(len(batch)), len(batch)))
    alone = order[:5]
    if hasattr(model, "predict"):
        labels = model.predict(batch)
        np.testing.assert_array_equal(labels[: len(X)], model.labels_)
        np.testing.assert_array_equal(labels[order], model.predict(batch[order]))
        np.testing.assert_array_equal(labels[alone], [model.predict(batch[[i]])[0] for i in alone])
    if hasattr(model, "transform"):
        places = model.transform(batch)
        assert np.isfinite(places).all()
        slack = 1e-9 * np.linalg.norm(places, axis=1)

        def check(rows, found):
            assert (np.linalg.norm(places[rows] - found, axis=1) <= slack[rows]).all()

        check(np.arange(len(X)), model.transform(X))
        check(order, model.transform(batch[order]))
        check(alone, np.vstack([model.transform(batch[[i]]) for i in alone]))


@pytest.mark.parametrize("name", ["AML", "CPD-UML", "CPCM", "kernel k-means, rbf"])
def test_a_row_of_999999_beside_raw_wine_changes_no_label_of_wine(name):
    X = load_wine().data
    model = fitted(name, X)[0]
    labels = model.predict(np.vstack([X, np.full((1, 13), 999999.0)]))
    np.testing.assert_array_equal(labels[:-1], model.labels_)


# -------------------------------------------------------------------------------------- units


@pytest.mark.parametrize("power", [-400, -31, 400])
@pytest.mark.parametrize("name", sorted(MODELS))
def test_units_change_no_labels(name, power):
    model, said = fitted(name, blobs() * 2.0**power, unit=2.0**power)
    assert same_partition(model.labels_, reference(name).labels_)
    check_whole(model, blobs() * 2.0**power, said)


@pytest.mark.parametrize("power", [-400, 400])
@pytest.mark.parametrize("name", sorted(RIVALS))
def test_units_change_no_ratio_of_learned_distances(name, power):
    ratios = []
    for unit in (1.0, 2.0**power):
        model = fitted(name, blobs() * unit, unit=unit)[0]
        Z = model.embedding_ if name == "SSO" else model.transform(blobs() * unit)
        apart = pdist(Z / np.abs(Z).max())
        ratios.append(apart / apart.max())
    np.testing.assert_allclose(*ratios, atol=1e-6)


# ------------------------------------------------------------------------ columns that add nothing


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_constant_column_changes_no_labels_where_the_origin_does_not_matter(name):
    X = np.column_stack([blobs(), np.full(36, 7.0)])
    model, said = fitted(name, X)
    check_whole(model, X, said)
    assert len(np.unique(model.labels_)) == 3
    if name not in UNCENTRED:
        assert same_partition(model.labels_, reference(name).labels_)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_repeated_column_counts_as_one_stretched_by_the_root_of_two(name):
    twice = np.column_stack([blobs(), blobs()[:, 0]])
    model, said = fitted(name, twice)
    check_whole(model, twice, said)
    assert len(np.unique(model.labels_)) == 3
    stretched = fitted(name, blobs() * [np.sqrt(2), 1, 1])[0]
    assert same_partition(model.labels_, stretched.labels_)
    if name.startswith("CPCM") and "kernel" not in name:  # no linear map of X matters to these
        assert same_partition(model.labels_, reference(name).labels_)


# ----------------------------------------------------------------------- one far row in training


@pytest.mark.parametrize("distance", [1e3, 1e6, 1e12])
@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_far_training_row_divides_the_others_as_before_or_at_least_breaks_nothing(name, distance):
    X = np.vstack([blobs(), distance * np.array([[0.7, 0.5, -0.5]])])
    model, said = fitted(name, X, n_clusters=4)
    check_whole(model, X, said)
    if name in KEPT:
        assert same_partition(model.labels_, np.append(TRUTH, 3))


def test_cpd_on_raw_wine_with_a_row_of_999999_leaves_no_cluster_empty_without_a_word():
    X = np.vstack([load_wine().data, np.full((1, 13), 999999.0)])
    model, said = fitted("CPD-UML", X)
    check_whole(model, X, said)


def test_an_empty_cluster_is_said_with_what_to_do():
    X = np.vstack([blobs(), [[7e11, 5e11, -5e11]]])
    with pytest.warns(ConvergenceWarning, match="uses only 2 of n_clusters=4.*lower n_clusters"):
        CPCM(4, predictor="stepwise", n_init=3, random_state=0).fit(X)


# ---------------------------------------------------------------------------------- distances


@given(st.floats(-140, 140), st.integers(0, 100))
def test_a_distance_has_all_its_digits_whatever_the_other_rows(exponent, seed):
    X = blobs(seed)
    far = np.vstack([X, [[10.0**exponent] * 3]])
    exact = np.sqrt(np.sum((far[:, None] - far) ** 2, axis=2))
    np.testing.assert_allclose(distances(far), exact, rtol=1e-10)
    np.testing.assert_allclose(distances(X[:3], far), exact[:3], rtol=1e-10)


def test_the_exponential_kernel_of_a_row_with_itself_is_one():
    X = 1e6 + blobs()
    assert np.array_equal(np.diagonal(exponential(X, X.copy(), eta=1.0)), np.ones(36))
