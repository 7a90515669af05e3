"""The loop: restarts, endings, interruption, progress, messages."""

import warnings
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import umlbook
from umlbook import KernelKMeans
from umlbook._checks import check_count, check_labels
from umlbook._loop import SteppingClusterer


@dataclass(frozen=True)
class Toy:
    labels: np.ndarray
    objective: float


class Scripted(SteppingClusterer):
    """Plays given streams of (label of the last sample, objective), one stream per start."""

    def __init__(self, n_clusters=2, *, scripts=(), max_iter=10, tol=0.0, verbose=False):
        self.n_clusters = n_clusters
        self.scripts = scripts
        self.n_init = 1
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = 0
        self.verbose = verbose

    def _prepare(self, X):
        return self._validated(X, reset=True)

    def _starts(self, problem, rng):
        yield from self.scripts

    def _iterate(self, problem, start):
        for label, objective in start:
            if label == "interrupt":
                raise KeyboardInterrupt
            yield Toy(np.array([0, label]), objective)

    def _adopt(self, problem, state):
        self.state_ = state


X = np.array([[0.0], [1.0]])


def fitted(*scripts, **parameters):
    return Scripted(scripts=scripts, **parameters).fit(X)


def test_fit_keeps_the_best_restart_and_remembers_all():
    model = fitted([(1, 5.0), (1, 5.0)], [(2, 3.0), (2, 3.0)], [(3, 4.0), (3, 4.0)])
    assert model.objective_ == 3.0
    assert [r.objective for r in model.restarts_] == [5.0, 3.0, 4.0]
    assert model.labels_.tolist() == [0, 2]


def test_a_stream_settles_when_the_labels_repeat():
    model = fitted([(1, 5.0), (2, 4.0), (2, 4.0), (3, 1.0)])
    assert (model.n_iter_, model.converged_) == (3, True)
    assert model.objective_path_.tolist() == [5.0, 4.0, 4.0]


def test_a_stream_settles_when_the_objective_moves_less_than_tol():
    model = fitted([(1, 5.0), (2, 4.99), (3, 1.0)], tol=0.01)
    assert model.n_iter_ == 2


def settled(before, after, tol, *, same_labels=False):
    first, second = np.array([0, 1]), np.array([0, 1 if same_labels else 2])
    states = Toy(first, before), Toy(second, after)
    return Scripted(tol=tol)._settled(*states)


def test_states_of_the_same_labels_are_settled_whatever_their_objectives():
    assert settled(5.0, 1.0, 0.0, same_labels=True)
    assert not settled(5.0, 5.0, 0.0), "without tol only the labels count"


def test_the_change_that_settles_is_relative_to_the_larger_objective():
    assert settled(1000.0, 991.0, 0.01)  # more than 0.01, less than 0.01 of it
    assert not settled(1e-3, 0.9e-3, 0.01)  # less than 0.01, more than 0.01 of it
    for before, after in ((1.0, 2.0), (2.0, 1.0), (-1.0, -2.0), (-2.0, -1.0)):
        assert settled(before, after, 0.6)
        assert not settled(before, after, 0.5), "a change of exactly tol goes on"
        assert not settled(before, after, 0.4)


def better(kept, tried):
    """Which of two runs with these criteria is kept."""
    runs = [SimpleNamespace(last=SimpleNamespace(objective=J)) for J in (kept, tried)]
    return "kept" if Scripted()._better(None, *runs) is runs[0] else "tried"


@pytest.mark.parametrize("unit", [1e-100, 1.0, 1e100])
def test_a_later_restart_must_be_better_by_more_than_rounding(unit):
    assert better(3.0 * unit, 2.9 * unit) == "tried"
    assert better(2.9 * unit, 3.0 * unit) == "kept"
    assert better(3.0 * unit, 3.0 * unit * (1 - 1e-13)) == "kept"
    assert better(3.0 * unit, 3.0 * unit * (1 - 1e-8)) == "tried"
    assert better(-3.0 * unit, -3.1 * unit) == "tried"
    assert better(-3.0 * unit, -3.0 * unit * (1 + 1e-13)) == "kept"


def test_a_finite_criterion_is_better_than_none():
    assert better(np.inf, 5.0) == "tried"
    assert better(5.0, np.inf) == better(np.inf, np.inf) == "kept"
    assert better(1.0, 0.0) == better(0.0, -1.0) == "tried"
    assert better(0.0, 0.0) == "kept"


def test_a_stream_that_ends_by_itself_has_settled():
    assert fitted([(1, 5.0), (2, 4.0)]).converged_


def test_max_iter_ends_a_stream_with_a_warning_that_names_it():
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = fitted([(1, 5.0), (2, 4.0), (3, 3.0)], max_iter=2)
    assert (model.n_iter_, model.converged_) == (2, False)


def test_a_cycle_is_found_and_said():
    with pytest.warns(ConvergenceWarning, match="cycle"):
        model = fitted([(1, 5.0), (2, 6.0), (1, 5.0), (2, 6.0)])
    assert (model.n_iter_, model.converged_) == (3, False)


def test_an_interrupt_keeps_the_best_state_so_far_and_says_so():
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = fitted([(1, 5.0), (1, 5.0)], [(2, 4.0), ("interrupt", 0)], [(3, 0.0), (3, 0.0)])
    assert model.objective_ == 4.0
    assert [r.ending for r in model.restarts_] == ["settled", "interrupted"]


def test_an_interrupt_before_the_first_state_is_passed_on():
    with pytest.raises(KeyboardInterrupt):
        fitted([("interrupt", 0)])


def test_an_interrupt_before_a_later_start_keeps_the_earlier_ones():
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = fitted([(1, 5.0), (1, 5.0)], [("interrupt", 0)])
    assert model.objective_ == 5.0


def test_steps_show_the_first_start_and_leave_the_estimator_as_it_was():
    model = Scripted(scripts=([(1, 5.0), (2, 4.0), (2, 4.0)],))
    assert [s.objective for s in model.steps(X)] == [5.0, 4.0, 4.0]
    assert not hasattr(model, "n_features_in_")


def test_steps_are_what_fit_runs():
    data = np.random.default_rng(0).normal(size=(40, 2))
    model = KernelKMeans(3, n_init=1, random_state=0)
    path = [s.objective for s in model.steps(data)]
    np.testing.assert_array_equal(path, model.fit(data).objective_path_)


def test_verbose_shows_a_bar_on_stderr(capsys):
    fitted([(1, 5.0), (1, 5.0)], verbose=True)
    assert "Scripted" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("bad", "error", "says"),
    [
        ([[np.nan], [1.0], [2.0]], ValueError, r"X contains NaN at \[0, 0\]: remove or impute"),
        ([[0.0], [np.inf], [2.0]], ValueError, r"X contains inf at \[1, 0\]"),
        ([["a"], ["b"]], ValueError, "X holds strings: encode them"),
        (np.empty((0, 2)), ValueError, "0 sample"),
        ([[1.0]], ValueError, "n_clusters=2 is more than the n_samples=1"),
    ],
)
def test_bad_data_is_refused_with_what_to_do(bad, error, says):
    with pytest.raises(error, match=says):
        KernelKMeans(2).fit(bad)


def test_a_sparse_matrix_is_refused_with_what_to_do():
    from scipy.sparse import csr_matrix

    with pytest.raises(TypeError, match="toarray"):
        KernelKMeans(2).fit(csr_matrix(np.eye(4)))


@pytest.mark.parametrize(
    ("parameters", "error", "says"),
    [
        ({"n_clusters": 0}, ValueError, "n_clusters must be at least 1"),
        ({"n_clusters": 2.0}, TypeError, "n_clusters must be an integer"),
        ({"n_clusters": True}, TypeError, "n_clusters must be an integer"),
        ({"n_clusters": 9}, ValueError, "n_clusters=9 is more than"),
        ({"n_init": 0}, ValueError, "n_init must be at least 1"),
        ({"max_iter": 0}, ValueError, "max_iter must be at least 1"),
        ({"kernel": "cubic"}, ValueError, "kernel must be 'rbf'"),
        ({"init": "random"}, ValueError, "init must be 'k-means"),
        ({"init": [0, 1]}, ValueError, "one integer label for each of the 4 samples"),
        ({"init": [0, 0, 0, 0]}, ValueError, "every label from 0 to 1"),
        ({"sigma": -1}, ValueError, "sigma must be a positive"),
    ],
)
def test_bad_parameters_are_refused_with_what_to_do(parameters, error, says):
    with pytest.raises(error, match=says):
        KernelKMeans(**parameters).fit(np.arange(4.0)[:, None])


def test_checks_let_the_good_pass():
    check_count("n", np.int64(3))
    assert check_labels([1, 0], 2, 2).dtype == np.intp


def test_no_warning_where_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted([(1, 5.0), (1, 5.0)])


@pytest.mark.parametrize("name", [n for n in umlbook.__all__ if n != "BentCoordinates"])
def test_prepare_sets_no_fitted_attribute(name, rng):
    """What the data become is in the problem: nothing is handed on through the estimator."""
    model = getattr(umlbook, name)(2)
    given = vars(model).copy()
    model._prepare(rng.normal(size=(30, 3)))
    assert set(vars(model)) - set(given) <= {"n_features_in_"}  # which scikit-learn sets
    assert all(vars(model)[name] is given[name] for name in given)
