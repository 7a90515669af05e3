"""All rivals: scikit-learn's conventions, pairs that teach nothing, bad input, repeatability."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import umlbook.rivals
from umlbook.constraints import sample
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

FROM_PAIRS = [
    TraceRatio(),
    TraceRatio(2),
    RCA(),
    ERCA(),
    ERCA(scatter="whitened"),
    LLMA(),
    KernelBeta(),
    KernelBeta(centered=True, n_components=10, kernel="rbf"),
    Baghshah(),
    MMC(),
    MMC(diagonal=True),
    ITML(),
    YangJin(),
]
ALONE = [RPCAOM(), KernelRPCAOM(), FME(), KernelFME(), SSO()]
STEPPING = [TraceRatio(), LLMA(), Baghshah(), MMC(), MMC(diagonal=True), ITML(), YangJin()]
LINEAR = [TraceRatio(), RCA(), ERCA(), MMC(), MMC(diagonal=True), ITML(), YangJin()]


def name(estimator):
    return repr(estimator)


@pytest.fixture(scope="module")
def wine():
    data = load_wine()
    return StandardScaler().fit_transform(data.data), data.target


@pytest.fixture(scope="module")
def pairs(wine):
    must, cannot = sample(wine[1], 30, 30, random_state=0)
    return {"must_link": must, "cannot_link": cannot}


@pytest.mark.filterwarnings("ignore:.*the samples stay where they are:UserWarning")
@parametrize_with_checks(FROM_PAIRS + ALONE)
def test_rivals_keep_the_conventions(estimator, check):
    check(estimator)


def test_every_rival_is_tested_here():
    tested = {type(estimator).__name__ for estimator in FROM_PAIRS + ALONE}
    public = {n for n in umlbook.rivals.__all__ if isinstance(getattr(umlbook.rivals, n), type)}
    assert tested == public


@pytest.mark.parametrize("estimator", FROM_PAIRS + ALONE, ids=name)
def test_our_readings_say_so_in_docstring_and_title(estimator):
    kind = type(estimator)
    assert ("**Our reading.**" in kind.__doc__) == kind.our_reading
    assert ("(our reading)" in kind.title()) == kind.our_reading


@pytest.mark.parametrize("estimator", FROM_PAIRS + ALONE, ids=name)
def test_docstring_has_problem_source_and_example(estimator):
    for part in ("Parameters", "Attributes", "References", "Examples"):
        assert f"{part}\n    ---" in type(estimator).__doc__


# ------------------------------------------------------------------------- degenerate pairs


@pytest.mark.parametrize("estimator", FROM_PAIRS, ids=name)
def test_without_pairs_the_samples_stay_and_a_warning_says_so(estimator, wine):
    X = wine[0]
    model = clone(estimator)
    with pytest.warns(UserWarning, match=f"{type(model).__name__} needs .*pairs"):
        model.fit(X)
    assert not model.learned_
    np.testing.assert_array_equal(model.transform(X), X)


@pytest.mark.parametrize("estimator", LINEAR, ids=name)
def test_without_pairs_a_linear_rival_has_the_metric_of_euclid(estimator, wine):
    with pytest.warns(UserWarning, match="stay where they are"):
        model = clone(estimator).fit(wine[0])
    np.testing.assert_array_equal(model.metric_, np.eye(13))


@pytest.mark.parametrize("estimator", FROM_PAIRS, ids=name)
def test_one_pair_of_each_kind_is_enough_to_give_finite_coordinates(estimator, wine):
    X = wine[0]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(RCA|ERCA|MMC): the must_link", UserWarning)
        model = clone(estimator).fit(X, must_link=[[0, 1]], cannot_link=[[0, 100]])
    Z = model.transform(X)
    assert model.learned_ and np.isfinite(Z).all() and np.ptp(Z) > 0


@pytest.mark.parametrize("estimator", FROM_PAIRS, ids=name)
def test_all_samples_in_one_chunklet(estimator, wine):
    X = wine[0][:40]
    chain = np.column_stack([np.arange(39), np.arange(1, 40)])
    model = clone(estimator)
    if "cannot_link" in model.needs:  # no cannot-link is left that does not contradict the chain
        with pytest.warns(UserWarning, match="needs .*cannot_link pairs"):
            model.fit(X, must_link=chain)
    else:
        model.fit(X, must_link=chain)
        assert model.learned_
    assert np.isfinite(model.transform(X)).all()


@pytest.mark.parametrize("estimator", FROM_PAIRS, ids=name)
def test_pairs_of_equal_samples_teach_nothing(estimator, wine):
    X = wine[0].copy()
    X[1], X[101] = X[0], X[100]
    model = clone(estimator)
    with pytest.warns(UserWarning, match="needs .*pairs of samples that differ"):
        model.fit(X, must_link=[[0, 1]], cannot_link=[[100, 101]])
    np.testing.assert_array_equal(model.transform(X), X)


@pytest.mark.parametrize("estimator", FROM_PAIRS, ids=name)
def test_repeated_features_make_a_rank_deficient_scatter_and_do_no_harm(estimator, wine, pairs):
    X = np.hstack([wine[0], wine[0][:, :3], np.zeros((len(wine[0]), 1))])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(RCA|ERCA|MMC): the must_link", UserWarning)
        model = clone(estimator).fit(X, **pairs)
    assert model.learned_ and np.isfinite(model.transform(X)).all()


def test_shrinkage_is_said_where_it_mends(wine):
    with pytest.warns(UserWarning, match="RCA: the must_link pairs do not span all 13 features"):
        model = RCA().fit(wine[0], must_link=[[0, 1], [2, 3]])
    assert model.shrinkage_ == 0.1
    with pytest.warns(UserWarning, match="MMC: the must_link pairs do not span"):
        MMC().fit(wine[0], must_link=[[0, 1], [2, 3]], cannot_link=[[0, 100]])


# -------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("estimator", FROM_PAIRS, ids=name)
def test_contradictory_and_foreign_pairs_are_refused(estimator, wine):
    X = wine[0]
    with pytest.raises(ValueError, match="contradicts"):
        clone(estimator).fit(X, must_link=[[0, 1], [1, 2]], cannot_link=[[0, 2]])
    with pytest.raises(ValueError, match="restrict"):
        clone(estimator).fit(X, must_link=[[0, 999]])


@pytest.mark.parametrize("estimator", FROM_PAIRS + ALONE, ids=name)
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([[1.0, np.nan], [2.0, 3.0]], "NaN at"),
        ([["a", "b"], ["c", "d"]], "strings"),
        ([[1.0, 2.0]], "1 sample"),
    ],
)
def test_bad_data_are_refused(estimator, bad, message):
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(bad)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (TraceRatio(0), "n_components"),
        (RCA(shrinkage=2.0), "shrinkage"),
        (ERCA(scatter="other"), "scatter"),
        (LLMA(lam=-1.0), "lam"),
        (LLMA(n_neighbors=0), "n_neighbors"),
        (KernelBeta(kernel="cubic"), "kernel"),
        (KernelBeta(n_components=0), "n_components"),
        (Baghshah(alpha=0.0), "alpha"),
        (MMC(shrinkage=-0.1), "shrinkage"),
        (MMC(max_iter=0), "max_iter"),
        (ITML(gamma=0.0), "gamma"),
        (ITML(percentiles=(95, 5)), "percentiles"),
        (YangJin(penalty=-1.0), "penalty"),
        (RPCAOM(0), "n_components"),
        (FME(mu=-1.0), "mu"),
        (FME(n_neighbors=0), "n_neighbors"),
        (KernelFME(sigma="mean"), "sigma"),
        (SSO(0), "n_steps"),
    ],
    ids=name,
)
def test_bad_parameters_are_named(estimator, message, wine, pairs):
    given = pairs if hasattr(estimator, "needs") else {}
    with pytest.raises(ValueError, match=message):
        estimator.fit(wine[0], **given)


def test_transform_before_fit_says_so(wine):
    with pytest.raises(NotFittedError):
        RCA().transform(wine[0])


# ---------------------------------------------------------------------------- repeatability


@pytest.mark.parametrize("estimator", FROM_PAIRS + ALONE, ids=name)
def test_same_with_one_and_two_threads(estimator, wine, pairs):
    given = pairs if hasattr(estimator, "needs") else {}
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            Z = clone(estimator).fit_transform(wine[0], **given)
        found.append(np.linalg.norm(Z[:, None] - Z[None], axis=2))
    np.testing.assert_allclose(*found, rtol=0, atol=1e-8 * found[0].max())


@pytest.mark.parametrize("estimator", FROM_PAIRS + ALONE, ids=name)
def test_single_precision_input_gives_nearly_the_same(estimator, wine, pairs):
    given = pairs if hasattr(estimator, "needs") else {}
    Z = [
        clone(estimator).fit_transform(wine[0].astype(kind), **given)
        for kind in (np.float64, np.float32)
    ]
    apart = [np.linalg.norm(z[:, None] - z[None], axis=2) for z in Z]
    np.testing.assert_allclose(*apart, rtol=0, atol=1e-2 * apart[0].max())
    assert Z[1].dtype == np.float64


@pytest.mark.parametrize("estimator", STEPPING, ids=name)
def test_steps_end_where_fit_ends_and_leave_the_estimator_alone(estimator, wine, pairs):
    stream = clone(estimator)
    states = list(stream.steps(wine[0], **pairs))
    model = clone(estimator).fit(wine[0], **pairs)
    assert [s.objective for s in states] == model.objective_path_.tolist()
    assert (model.n_iter_, model.objective_) == (len(states), states[-1].objective)
    assert model.converged_ and not hasattr(stream, "learned_")


@pytest.mark.parametrize("rival", [RPCAOM(), KernelRPCAOM()], ids=name)
def test_steps_of_rivals_without_pairs_are_those_that_fit_takes(wine, rival):
    states = list(rival.steps(wine[0]))
    model = clone(rival).fit(wine[0])
    assert [state.objective for state in states] == model.objective_path_.tolist()
    assert np.array_equal(states[-1].frame, model.components_)


def test_steps_of_smoothing_end_where_fit_ends(wine):
    smoothed = list(SSO(3).steps(wine[0]))
    assert len(smoothed) == 3
    np.testing.assert_array_equal(smoothed[-1].similarity, SSO(3).fit(wine[0]).similarity_)


@pytest.mark.parametrize("estimator", [*STEPPING, RPCAOM()], ids=name)
def test_too_few_iterations_warn(estimator, wine, pairs):
    given = pairs if hasattr(estimator, "needs") else {}
    model = clone(estimator).set_params(max_iter=1)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model.fit(wine[0], **given)
    assert not model.converged_ and model.n_iter_ == 1


def test_nothing_to_learn_stops_the_stream(wine):
    with pytest.raises(ValueError, match="needs must_link and cannot_link pairs"):
        next(TraceRatio().steps(wine[0]))
