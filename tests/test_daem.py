"""ProbabilisticMetric as an algorithm and an estimator: invariants along its steps, bad input."""

import warnings
from dataclasses import FrozenInstanceError
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from umlbook.constraints import restrict, sample
from umlbook.daem import (
    Minimum,
    PairProblem,
    ProbabilisticMetric,
    daem_steps,
    kernel_basis,
    mean_squared_distance,
    objective,
    schedule,
    weighted_pairs,
)
from umlbook.daem import steps as _daem_steps
from umlbook.datasets import make_circle, make_two_moons
from umlbook.experiments.bench import pm as bench_pm
from umlbook.experiments.papers import pm
from umlbook.scores import modified_rand


@pytest.mark.filterwarnings("ignore:ProbabilisticMetric needs:UserWarning")
@parametrize_with_checks([ProbabilisticMetric(), ProbabilisticMetric(kernel=None)])
def test_estimator_keeps_the_conventions(estimator, check):
    check(estimator)


@pytest.fixture
def circle():
    """Data, truth, must-link and cannot-link pairs."""
    X, y = make_circle(60, random_state=1)
    return X, y, *sample(y, 15, 15, random_state=1)


def fitted(X, must, cannot, **params):
    model = ProbabilisticMetric(**{"n_clusters": 2, "random_state": 0, **params})
    return model.fit(X, must_link=must, cannot_link=cannot)


def states(circle, **params):
    X, _, must, cannot = circle
    model = ProbabilisticMetric(2, random_state=0, **params)
    return list(model.steps(X, must_link=must, cannot_link=cannot))


# ----------------------------------------------------------------------------------- results


def test_circle_is_found_from_fifteen_pairs_of_each_kind():
    X, y = make_circle(100, random_state=0)
    found = [
        modified_rand(y, fitted(X, *sample(y, 15, 15, random_state=seed)).labels_)
        for seed in range(20)
    ]
    plain = modified_rand(y, KMeans(2, n_init=10, random_state=0).fit_predict(X))
    assert np.mean(found) >= 0.98
    assert plain < 0.6


def test_linear_version_learns_which_direction_counts(rng):
    y = np.repeat([0, 1], 30)
    X = np.column_stack([rng.normal(scale=5.0, size=60), y + rng.normal(scale=0.05, size=60)])
    must, cannot = sample(y, 15, 15, random_state=0)
    model = fitted(X, must, cannot, kernel=None)
    assert modified_rand(y, model.labels_) == 1.0
    assert model.metric_[1, 1] > 100 * model.metric_[0, 0]
    assert np.linalg.eigvalsh(model.metric_)[0] >= -1e-9
    assert np.allclose(model.transform(X) @ model.transform(X).T, X @ model.metric_ @ X.T)


def test_pair_probability_is_high_on_must_links_and_falls_with_the_learned_distance(circle):
    X, _, must, cannot = circle
    model = fitted(X, must, cannot)
    P = model.pair_probability(X, X)
    assert P[tuple(must.T)].mean() > 0.9 and P[tuple(cannot.T)].mean() < 0.1
    apart = np.linalg.norm(model.transform(X[:1]) - model.transform(X), axis=1) ** 2
    assert np.allclose(P[0], 1 / (1 + np.exp(apart - model.mu_)))
    new, truth = make_circle(40, random_state=5)
    assert modified_rand(truth, model.predict(new)) > 0.9


def test_a_new_sample_equal_to_an_old_one_gets_its_label_and_place(circle):
    X, _, must, cannot = circle
    model = fitted(X, must, cannot)
    assert np.array_equal(model.predict(X.copy()), model.labels_)
    assert np.array_equal(model.transform(X.copy()), model.transform(model.X_fit_))


def test_no_temperatures_is_the_labelled_only_fit_and_annealing_starts_there(circle):
    X, _, must, cannot = circle
    model = fitted(X, must, cannot, n_temperatures=0)
    assert np.array_equal(model.theta_, states(circle)[0].theta)
    assert model.n_iter_ == 1


def test_paper_form_is_weight_one_and_no_penalty(circle):
    X, _, must, cannot = circle
    literal = fitted(X, must, cannot, form="paper", n_temperatures=2)
    assert (literal.unlabelled_weight_, literal.tau_) == (1.0, 0.0)
    spelled = fitted(X, must, cannot, form="balanced", unlabelled_weight=1.0, penalty=0.0,
                     n_temperatures=2)  # fmt: skip
    assert np.array_equal(literal.theta_, spelled.theta_)
    assert fitted(X, must, cannot).unlabelled_weight_ == pytest.approx(30 / (1770 - 30))


def test_penalty_is_per_labelled_pair_and_mean_squared_distance(circle):
    X, _, must, cannot = circle
    model = ProbabilisticMetric(2, penalty=0.01)
    problem = model._prepare(X, must, cannot)
    assert problem.tau == pytest.approx(0.01 * 30 * pdist(problem.P, "sqeuclidean").mean())
    assert problem.start_tau == problem.tau
    literal = ProbabilisticMetric(2, form="paper")._prepare(X, must, cannot)
    assert literal.tau == 0 < literal.start_tau


def test_units_matter_with_eq_31_as_printed_and_not_with_the_other_widths(circle):
    X, _, must, cannot = circle
    kernels = {
        eta: [
            fitted(c * X, must, cannot, eta=eta, n_temperatures=0)._kernel_matrix(c * X)
            for c in (1.0, 100.0)
        ]
        for eta in (None, "median", "paper")
    }
    assert np.allclose(*kernels["median"])
    assert np.allclose(*kernels[None])
    assert np.median(kernels["paper"][1]) > 0.95 > np.median(kernels["paper"][0])


def test_of_standardised_data_the_width_is_that_of_eq_31(circle):
    X, _, must, cannot = circle
    given = scale(X), must, cannot
    widths = [fitted(*given, eta=eta, n_temperatures=0).eta_ for eta in (None, "paper")]
    assert widths[0] == pytest.approx(widths[1], rel=1e-12)
    assert widths[1] == pytest.approx(pdist(scale(X), "sqeuclidean").mean())


@pytest.mark.parametrize("kernel", ["exponential", None])
def test_the_unit_of_x_changes_no_label(kernel, rng):
    """From a millionth to a millionfold: with Eq. 31 as printed blobs were lost at a thousandth."""
    y = np.repeat([0, 1, 2], 20)
    X = 4 * np.eye(3)[y] + rng.normal(size=(60, 3))
    must, cannot = sample(y, 10, 10, random_state=0)
    labels = [
        fitted(unit * X, must, cannot, n_clusters=3, kernel=kernel, n_temperatures=5).labels_
        for unit in (1.0, 1e-6, 1e-3, 1e3, 1e6)
    ]
    assert modified_rand(y, labels[0]) > 0.9
    for found in labels[1:]:
        np.testing.assert_array_equal(found, labels[0])


# --------------------------------------------------------------------------- along the steps


@pytest.mark.parametrize("params", [{}, {"form": "paper"}, {"kernel": None}, {"tol": 0.0}])
def test_tempered_objective_never_rises_while_lam_stays(circle, params):
    path = states(circle, n_temperatures=8, **params)
    for before, after in pairwise(path):
        if before.lam == after.lam:
            assert after.objective <= before.objective + 1e-9 * abs(before.objective)
    assert len(path) > 9


def test_first_step_at_each_temperature_lowers_the_new_objective_too(circle):
    X, _, must, cannot = circle
    model = ProbabilisticMetric(2, random_state=0, n_temperatures=8)
    problem = model._prepare(X, must, cannot)
    path = list(model.steps(X, must_link=must, cannot_link=cannot))
    for before, after in pairwise(path):
        at_new_lam = objective(before.margins, problem.pairs, after.lam)
        at_new_lam += problem.tau * before.theta.sum()
        assert after.objective <= at_new_lam * (1 + 1e-9)


def test_em_steps_of_a_temperature_end_when_the_cost_stands_still(circle):
    hasty, patient = (len(states(circle, n_temperatures=4, tol=tol)) for tol in (0.5, 1e-12))
    assert hasty == 1 + 4
    assert 1 + 2 * 4 < patient <= 1 + 10 * 4


@pytest.mark.parametrize(
    ("costs", "tol", "n_states"),
    [
        ((1000.0, 995.0, 994.9, 0.0), 1e-3, 2),  # relative: a fall of 0.1 is more than 1e-3
        ((1e-3, 5e-4, 2e-4, 1e-4), 1e-3, 3),  # relative: a fall of 5e-4 is less than 1e-3
        ((4.0, 2.0, 0.5, 0.1), 0.5, 1),  # a fall of exactly tol ends them
        ((4.0, 1.9, 0.9, 0.1), 0.5, 3),
        ((-4.0, -5.0, -9.0, -99.0), 0.5, 1),  # of the size of the cost, whatever its sign
        ((1000.0, 900.0, 899.95, 0.0), 1e-4, 2),  # of the step before, not of the first
    ],
)
def test_em_steps_of_a_temperature_end_at_a_relative_fall_of_tol(monkeypatch, costs, tol, n_states):
    """Two samples make one pair, whose margin stands for the cost."""
    script = iter(costs[1:])

    def scripted_m_step(features, pairs, posterior, delta, scale, tau):
        t = np.array([next(script)])
        return Minimum(delta, t, float(t[0]), 0.0, 1, True)

    monkeypatch.setattr(_daem_steps, "objective", lambda t, *args, **named: float(t[0]))
    monkeypatch.setattr(_daem_steps, "m_step", scripted_m_step)
    none = np.empty((0, 2), dtype=int)
    problem = PairProblem(np.zeros((2, 1)), weighted_pairs(none, none, 2), np.ones(2), 0.0, 0.0)
    steps = daem_steps(
        problem, np.array([0.0, -costs[0]]), np.array([0.5]), n_em_steps=3, tol=tol, cluster=None
    )
    assert [state.objective for state in steps] == list(costs[: n_states + 1])


def test_states_are_nonnegative_settled_frozen_and_their_beliefs_keep_the_labels(circle):
    X, _, must, cannot = circle
    model = ProbabilisticMetric(2, random_state=0, n_temperatures=5)
    pairs = model._prepare(X, must, cannot).pairs
    for state in states(circle, n_temperatures=5):
        assert (state.theta >= 0).all() and state.mu >= 0
        assert ((state.posterior >= 0) & (state.posterior <= 1)).all()
        assert np.array_equal(state.posterior[pairs.labelled], pairs.target[pairs.labelled])
        assert state.unsettled == 0
    assert np.isin(state.posterior, [0, 0.5, 1]).all(), "the last E step is hard"
    with pytest.raises(FrozenInstanceError):
        state.mu = 0.0


def test_both_costs_agree_at_lam_zero_and_differ_after(circle):
    path = states(circle, n_temperatures=3)
    assert path[0].objective == pytest.approx(path[0].shannon)
    assert path[1].objective < path[1].shannon


def test_fit_ends_where_the_steps_end_and_steps_leave_the_estimator_alone(circle):
    X, _, must, cannot = circle
    model = ProbabilisticMetric(2, random_state=0, n_temperatures=4)
    *_, last = model.steps(X, must_link=must, cannot_link=cannot)
    assert not hasattr(model, "theta_")
    model.fit(X, must_link=must, cannot_link=cannot)
    assert np.array_equal(model.theta_, last.theta)
    assert np.array_equal(model.labels_, last.labels)
    assert model.objective_ == last.objective and model.converged_


def test_max_iter_ends_early_with_a_warning(circle):
    X, _, must, cannot = circle
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        assert fitted(X, must, cannot, max_iter=3).n_iter_ == 3


def test_another_start_can_end_elsewhere(circle):
    """The annealing does not do away with the dependence on the start."""
    few = {"form": "paper", "n_components": 10}
    ends = [states(circle, init=init, **few)[-1] for init in ("labelled", np.full(11, 5.0))]
    assert ends[0].objective < 1e-3 and ends[1].objective > 10.0


@pytest.mark.parametrize(("n_first", "agree"), [(0, False), (10, False), (2000, True)])
def test_the_end_depends_on_the_start_unless_stage_zero_is_solved(n_first, agree):
    """With a penalty, so that every cost has a minimum, and every pair of weight one."""
    X, y = make_circle(60, random_state=4)
    pairs = weighted_pairs(*sample(y, 20, 10, random_state=0), 60, 1.0)
    K = np.exp(-cdist(X, X) / mean_squared_distance(X))
    P = K @ kernel_basis(K, 10)
    size = np.append(2 * np.var(P, axis=0, ddof=1), 1.0)
    tau = 0.3 * size[:-1].sum()
    problem = PairProblem(P, pairs, size, tau, tau)
    ends = []
    for level in (0.1, 20.0):
        delta = np.full(11, level)
        *_, first = daem_steps(
            problem, delta, np.zeros(int(n_first > 0)), n_em_steps=n_first, tol=1e-6, cluster=KMeans
        )
        delta = np.append(first.theta, first.mu)
        *_, last = daem_steps(problem, delta, schedule(20), cluster=KMeans)
        ends.append(last.objective)
    assert (abs(ends[0] - ends[1]) < 1e-3) == agree
    assert agree or abs(ends[0] - ends[1]) > 1.0


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_any_pairs_give_finite_answers(seed):
    X, y = make_two_moons(24, random_state=seed)
    must, cannot = sample(y, 5, 5, random_state=seed)
    model = fitted(X, must, cannot, n_temperatures=3, n_init=1)
    assert np.isfinite(model.objective_path_).all() and np.isfinite(model.theta_).all()
    assert set(model.labels_) <= {0, 1}


# ------------------------------------------------------------------------------- conventions


def test_one_or_two_threads_and_both_precisions_agree(circle):
    X, _, must, cannot = circle
    thetas = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            thetas.append(fitted(X, must, cannot, n_temperatures=4).theta_)
    assert np.allclose(*thetas, rtol=1e-8, atol=1e-8)
    single = X.astype(np.float32)
    narrow = fitted(single, must, cannot, n_temperatures=4)
    wide = fitted(single.astype(np.float64), must, cannot, n_temperatures=4)
    assert np.array_equal(narrow.theta_, wide.theta_)


@pytest.mark.parametrize("kinds", [(), ("must_link",), ("cannot_link",)])
def test_without_both_kinds_the_kernel_alone_decides_and_says_so(circle, kinds):
    X, _, must, cannot = circle
    given_pairs = {"must_link": must, "cannot_link": cannot}
    side = {kind: given_pairs[kind] for kind in kinds}
    with pytest.warns(UserWarning, match="kernel alone"):
        model = ProbabilisticMetric(2, random_state=0).fit(X, **side)
    assert (model.theta_ == 1).all()
    with pytest.warns(UserWarning, match="kernel alone"):
        ProbabilisticMetric(2).fit(X, must_link=[], cannot_link=np.empty((0, 2), int))


def test_a_penalty_that_leaves_nothing_gives_one_cluster_and_says_so(circle):
    X, _, must, cannot = circle
    with pytest.warns(ConvergenceWarning, match="theta = 0"):
        model = fitted(X, must, cannot, penalty=100.0)
    assert not model.theta_.any()
    assert (model.labels_ == 0).all() and (model.predict(X) == 0).all()


def test_one_cluster_is_allowed(circle):
    X, _, must, cannot = circle
    model = ProbabilisticMetric(1, n_temperatures=1).fit(X, must_link=must, cannot_link=cannot)
    assert (model.labels_ == 0).all()


BAD = [
    ({"must_link": [[0, 1], [1, 2]], "cannot_link": [[0, 2]]}, {}, r"\(0, 2\) contradicts"),
    ({"must_link": [[0, 99]]}, {}, "has index 99 but X has 60 rows.*restrict"),
    ({"cannot_link": [[4, 4]]}, {}, "sample 4 with itself"),
    ({"must_link": [[0, 1, 2]]}, {}, r"shape \(n_pairs, 2\)"),
    ({"must_link": [[0.5, 1]]}, {}, "whole number"),
    ({}, {"form": "literal"}, "form must be"),
    ({}, {"kernel": "rbf2"}, "kernel must be"),
    ({}, {"penalty": -1.0}, "penalty must be"),
    ({}, {"unlabelled_weight": np.inf}, "unlabelled_weight must be"),
    ({}, {"eta": -1.0}, "eta must be"),
    ({}, {"eta": "mean"}, "eta must be"),
    ({}, {"n_components": 0}, "n_components must be"),
    ({}, {"n_temperatures": -1}, "n_temperatures must be"),
    ({}, {"init": "random"}, "init must be"),
    ({}, {"init": [1.0, 2.0]}, "31 finite numbers"),
    ({}, {"init": -np.ones(31)}, "31 finite numbers"),
]


@pytest.mark.parametrize(("side", "params", "says"), BAD)
def test_bad_input_is_told_what_is_wanted(circle, side, params, says):
    X, _, must, cannot = circle
    pairs = side or {"must_link": must, "cannot_link": cannot}
    with pytest.raises(ValueError, match=says):
        ProbabilisticMetric(2, **params).fit(X, **pairs)


def test_equal_rows_are_refused_with_the_way_out():
    with pytest.raises(ValueError, match="all rows are equal: give eta"):
        ProbabilisticMetric(2).fit(np.ones((5, 2)))


def test_pairs_follow_a_fold_by_restriction(circle):
    X, _, must, cannot = circle
    train = np.arange(45)
    model = fitted(X[train], restrict(must, train), restrict(cannot, train), n_temperatures=2)
    assert len(model.predict(X[45:])) == 15


# ------------------------------------------------------------------ benchmark and experiment


def test_all_pairs_need_a_twentieth_of_the_memory_of_their_array(monkeypatch):
    monkeypatch.setattr(bench_pm, "N_SAMPLES", 200)
    monkeypatch.setattr(bench_pm, "N_COMPONENTS", 200)
    fast, naive = (bench_pm.peak_megabytes(t["M step"]) for t in bench_pm.tasks())
    assert naive > 20 * fast


@pytest.mark.parametrize("cell", [("circle", 15, 0), ("soybean_small", 10, 0)])
def test_stored_scores_are_what_the_protocol_gives(cell):
    afresh = pm.cell_scores(cell)
    for method, score in pm.stored()[cell].items():
        assert afresh[method] == pytest.approx(score, abs=0.02)


def test_a_failed_embedding_scores_nan_and_not_chance():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(pm.mean_score(np.zeros((6, 2)), np.repeat([0, 1], 3)))
