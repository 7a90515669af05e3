"""The choice among the ends of CPCM's restarts: Wilks' lambda with a margin for k-means."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from umlbook.algebra import one_hot, total_scatter, within_scatter
from umlbook.cpcm import CPCM, canonical_correlations, explained_by_chance, log_wilks
from umlbook.cpcm.choice import sharpest_counted
from umlbook.cpcm.predictors import least_squares_fit, linear_basis
from umlbook.cpcm.starts import kmeans_labels
from umlbook.datasets import make_parallel_lines
from umlbook.experiments.engine.ranking import signed_rank_p
from umlbook.experiments.papers import starts
from umlbook.scores import adjusted_rand_index

ROWS = starts.stored("cpcm_starts")


def drawn(seed, K=4):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.append(np.arange(K), rng.integers(0, K, size=40)))
    return rng.normal(size=(len(labels), 3)) + rng.normal(size=(K, 3))[labels], labels


@given(st.integers(0, 10_000))
def test_it_is_the_ratio_of_two_determinants(seed):
    X, labels = drawn(seed)
    by_determinants = np.linalg.slogdet(within_scatter(X, labels))[1]
    by_determinants -= np.linalg.slogdet(total_scatter(X))[1]
    assert log_wilks(X, labels, sharpest=0.0) == pytest.approx(by_determinants, abs=1e-9)


@given(st.integers(0, 10_000))
def test_predictions_by_least_squares_and_linear_images_have_that_of_the_data(seed):
    X, labels = drawn(seed)
    predictions = least_squares_fit(linear_basis(X), one_hot(labels)).values
    image = X @ np.random.default_rng(seed).normal(size=(3, 3)) + 7
    wanted = log_wilks(X, labels)
    assert log_wilks(predictions, labels) == pytest.approx(wanted, abs=1e-7)
    assert log_wilks(image, labels) == pytest.approx(wanted, abs=1e-7)


def test_a_direction_without_blur_counts_as_one_of_three_per_cent():
    labels = np.repeat([0, 1, 2], 5)
    assert log_wilks(one_hot(labels), labels) == pytest.approx(2 * np.log(0.03))


@pytest.mark.parametrize("labels", [[0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]])
@pytest.mark.parametrize("p", [1, 2, 4])
def test_chance_explains_as_much_in_the_mean_over_all_orders_of_the_labels(labels, p, rng):
    X, codes = rng.normal(size=(6, p)), np.array(labels)
    orders = [codes[list(order)] for order in permutations(range(6))]
    mean = np.mean([canonical_correlations(X, c).sum() for c in orders])
    assert mean == pytest.approx(explained_by_chance(p, codes.max() + 1, 6))


def wilks_by_scatter(predictions, labels):
    """From the two scatter matrices, of which that of predictions is singular."""
    lost = np.linalg.pinv(total_scatter(predictions), hermitian=True, rcond=1e-10)
    rho2 = 1 - np.sort(np.linalg.eigvals(lost @ within_scatter(predictions, labels)).real)
    rank = np.linalg.matrix_rank(lost)
    return np.sum(np.log(np.maximum(1 - rho2[-rank:], 0.03)))


def kept_by_hand(X, K):
    """The labels that the rule keeps, from the ends of all runs: the last began at k-means."""
    model = CPCM(K, random_state=0)
    runs = list(model._runs(model._prepare(X)))
    ends = [list(run)[-1] for run in runs]
    wilks = [wilks_by_scatter(end.predictions, end.labels) for end in ends]
    best = int(np.argmin(np.round(wilks[:-1], 7)))
    beaten = wilks[best] < wilks[-1] - X.shape[1] * (K - 1) / (len(X) - 1)
    return ends[best if beaten else -1].labels


@pytest.mark.parametrize("name", ["wine", "iris", "lymphography"])
def test_the_fit_keeps_what_the_rule_says(name):
    X, y = starts.data(name)
    K = len(np.unique(y))
    assert adjusted_rand_index(CPCM(K, random_state=0).fit_predict(X), kept_by_hand(X, K)) == 1


def test_the_start_at_kmeans_is_kmeans_in_any_unit():
    X, _ = starts.data("wine")
    theirs = KMeans(3, n_init=10, random_state=0).fit_predict(X)
    for unit in (1e-160, 1.0, 1e160):
        ours = kmeans_labels(unit * X, 3, np.random.RandomState(0))
        assert adjusted_rand_index(theirs, ours) == 1
    assert kmeans_labels(np.zeros((5, 2)), 2, np.random.RandomState(0)).max() == 1


def test_it_finds_the_blobs_that_the_least_blur_cuts_into_slices():
    X, y = starts.blobs(200, random_state=101)
    by_wilks, by_blur = (CPCM(5, choose=c, random_state=1).fit(X) for c in ("wilks", "blur"))
    assert adjusted_rand_index(y, by_wilks.labels_) > 0.99
    assert adjusted_rand_index(y, by_blur.labels_) < 0.5
    assert by_blur.blur_ratio_ < by_wilks.blur_ratio_


@pytest.mark.parametrize("n_clusters", [6, 9])
def test_a_long_row_of_lines_wins_against_a_grid(n_clusters):
    X, y = make_parallel_lines(60 * n_clusters, n_lines=n_clusters, noise=0.1, random_state=0)
    ends = CPCM(n_clusters, random_state=0).fit(X)
    assert adjusted_rand_index(y, ends.labels_) > 0.95
    grid = ends.restarts_[-1].labels  # of k-means
    assert log_wilks(X, ends.labels_) < log_wilks(X, grid)
    assert log_wilks(X, ends.labels_, sharpest=0.03) > log_wilks(X, grid, sharpest=0.03)


@pytest.mark.parametrize(("across", "up"), [(2, 3), (1, 6), (2, 4), (3, 3)])
def test_every_even_grid_has_twice_the_floor(across, up):
    side = 72  # a multiple of all
    i, j = np.divmod(np.arange(side**2), side)
    labels = i * across // side * up + j * up // side
    grid = log_wilks(np.column_stack([i, j]), labels, sharpest=0.0)
    assert grid == pytest.approx(np.log(2 * sharpest_counted(across * up)), abs=0.01)


def test_kmeans_is_left_where_other_clusters_are_sharper_than_chance_allows():
    X, y = make_parallel_lines(200, n_lines=3, random_state=0)
    assert adjusted_rand_index(y, kmeans_labels(X, 3, np.random.RandomState(0))) < 0.2
    assert adjusted_rand_index(y, CPCM(3, random_state=0).fit_predict(X)) == 1


def test_kmeans_is_kept_where_few_rows_make_other_clusters_look_sharp():
    X, y = starts.data("soybean_small")
    ends = CPCM(4, random_state=0).fit(X)
    assert adjusted_rand_index(y, ends.labels_) == 1
    others = [log_wilks(X, e.labels, sharpest=1e-9) for e in ends.restarts_[:-1]]
    assert min(others) < log_wilks(X, ends.restarts_[-1].labels, sharpest=1e-9)


def test_a_choice_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="choose must be 'wilks' or 'blur', got 'best'"):
        CPCM(2, choose="best").fit(np.eye(6)[:, :2])


# --------------------------------------------------------------------------- the stored scores


def test_every_set_is_in_one_half_and_the_halves_are_every_second_name():
    assert set(starts.DEVELOPMENT).isdisjoint(starts.JUDGEMENT)
    assert sorted((*starts.DEVELOPMENT, *starts.JUDGEMENT)) == sorted(starts.DATASETS)
    rules = {half: {r["rule"] for r in ROWS if r["half"] == half} for half in ("judged", "drawn")}
    assert rules["judged"] == set(starts.FITS)  # no other rule saw that half
    assert rules["drawn"] == {*starts.FITS, *starts.RULES, "the best end"}


@pytest.mark.parametrize("cell", [{"dataset": n, "seed": 1} for n in ("iris", "two lines")])
def test_stored_scores_come_out_again(cell):
    kept = [r for r in ROWS if r["dataset"] == cell["dataset"] and r["seed"] == 1]
    assert starts.work(cell) == kept


def test_what_the_page_says_of_the_judged_half():
    scores = starts.means([r for r in ROWS if r["half"] == "judged"], "ARI", "dataset", "rule")
    mean = {f: np.mean([scores[n, f] for n in starts.JUDGEMENT]) for f in starts.FITS}
    assert mean["CPCM"] > mean["CPCM, least blur"] + 0.1
    gaps = [scores[n, "CPCM"] - scores[n, "k-means"] for n in starts.JUDGEMENT]
    assert abs(np.mean(gaps)) < 0.02 and signed_rank_p(gaps) > 0.5
