"""`LatentClassPairs`: latent classes under scikit-learn's conventions."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from umlbook._checks import check_nonnegative
from umlbook._loop import PairClusterer
from umlbook._pieces import MapsRows
from umlbook._rows import by_blocks
from umlbook.algebra import ROUNDING, Array, Labels, nearest
from umlbook.constraints import IntArray, check_constraints, validate_pairs
from umlbook.coordinates import Coordinates, check_blocks, coordinates
from umlbook.latent.steps import (
    LatentProblem,
    LatentStep,
    class_seeds,
    latent_steps,
    log_responsibilities,
    same_class,
    starts,
)

NOMINAL_PAIRS = 40  # that the ridge is divided by when there are none
SAME_PROBABILITIES = 1e-12  # a sample with those of a seed is the seed, or equal to it
FEWEST_PAIRS = 10  # and at least so many: the ridge of one pair would allow no classes at all


@dataclass(frozen=True, kw_only=True)
class PlacedProblem(LatentProblem):
    """The problem, and how new samples get their coordinates."""

    place: Coordinates


class LatentClassPairs(MapsRows, PairClusterer):
    r"""Clustering by a linear classifier of kernel and graph coordinates, learned from pairs.

    Minimises over B and b, with :math:`r_i = \operatorname{softmax}(B^\top p_i + b)`,

    .. math:: -\frac1m \Big[\sum_S \log r_i^\top r_j + \sum_D \log(1 - r_i^\top r_j)\Big]
       + \lambda \Big[\frac1n \sum_i H(r_i) - H(\bar r)\Big]
       + \frac{g}{2m} \lVert B \rVert^2 + 10^{-4} \lVert b \rVert^2

    where m is the number of pairs. The second bracket is minus the mutual information of sample
    and class: every sample should be certain, and the classes should be used evenly.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, K.
    lam : float
        The weight of the mutual information.
    ridge : float
        g, the weight of the ridge.
    balance : float
        Weight of the even use of the classes within the bracket; 0 leaves only the certainty.
    noise : float
        Share of the pairs, below one half, that is believed to be wrong: P(same) becomes
        (1 - noise) P(same) + noise (1 - P(same)) in the likelihood. Pairs that contradict one
        another are refused unless this is positive.
    n_components : int
        Coordinates of the kernel; 0 leaves that block out.
    n_graph_components : int
        Coordinates of the graph; 0 leaves that block out.
    n_neighbors : int
        Neighbours of each sample in the graph.
    n_init : int
        Runs of k-means in each space, whose centres the descents start from: all coordinates, and
        each block alone.
    max_iter : int
        Most states of a start.
    tol : float
        Relative decrease of the objective, and largest entry of its gradient, at which L-BFGS ends.
    random_state : int, RandomState or None
        Seed of the k-means.
    verbose : bool
        Show a progress bar.

    Attributes
    ----------
    coef_ : array (k, n_clusters)
        B.
    intercept_ : array (n_clusters,)
        b.
    labels_ : array (n,)
        The most probable class of each sample (see the notes for the exception).
    class_seeds_ : dict of int to array (n_clusters,)
        Classes that are the most probable of no sample, with the probabilities of the sample that
        is given to each.
    embedding_ : array (n, k)
        The coordinates P of the samples, which `transform` gives for new ones. They are fixed by X
        alone; what is learned is which directions of them tell the classes apart.
    cluster_centers_ : array (n_clusters, k)
        Mean coordinates of each class, weighted by the probabilities.
    objective_ : float
        The objective above at the end.
    objective_path_ : array (n_iter_,)
        The objective at the start and after each iteration: it never increases.
    coordinates_ : Coordinates
        The map from samples to coordinates.
    n_iter_ : int
        Number of states of the best start.
    converged_ : bool
        Whether L-BFGS came to its end within ``max_iter``.
    restarts_ : tuple of Restart
        How each start ended.

    Notes
    -----
    n_clusters must be known. The objective favours even classes: where they are uneven, try
    ``balance=0`` too, and compare on pairs kept back.
    Of fewer than 10 pairs the ridge is that of 10.
    A class that is the most probable of no sample is given one, the sample least like the mean of
    its own class, with the samples that are equal to it; a warning says so if that still leaves a
    class empty.
    Without any pairs a warning is given, and certainty and balance alone decide, with the ridge of
    40 pairs. Index pairs belong to one X: see `umlbook.constraints.restrict`.

    References
    ----------
    Hsu, Lv, Schlosser, Odom and Kira (2019), Multi-class classification without multi-class labels,
    for the likelihood of the pairs. Krause, Perona and Gomes (2010), Discriminative clustering by
    regularized information maximization, for the mutual information. Zelnik-Manor and Perona
    (2004), Self-tuning spectral clustering, for the weights of the graph.

    Examples
    --------
    >>> from umlbook.constraints import sample
    >>> from umlbook.datasets import make_circle
    >>> from umlbook.scores import modified_rand
    >>> X, y = make_circle(100, random_state=0)
    >>> must, cannot = sample(y, 15, 15, random_state=0)
    >>> model = LatentClassPairs(2, random_state=0).fit(X, must_link=must, cannot_link=cannot)
    >>> modified_rand(y, model.labels_)
    1.0

    In scikit-learn's ``cross_validate`` the pairs are divided and the rows stay
    (`umlbook.asking.OnPairs`). A pipeline hands the pairs to the step that asks for them:

    >>> import sklearn
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from umlbook.asking import OnPairs
    >>> pairs, together = np.concatenate([must, cannot]), np.repeat([True, False], 15)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     asks = LatentClassPairs(2, n_init=1, random_state=0)
    ...     asks.set_fit_request(must_link=True, cannot_link=True)
    ...     scaled = make_pipeline(StandardScaler(), asks)
    ...     found = cross_validate(OnPairs(scaled, X), pairs, together, cv=3)
    LatentClassPairs(n_init=1, random_state=0)
    >>> found["test_score"].tolist()
    [1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        lam: float = 0.4,
        ridge: float = 0.03,
        balance: float = 1.0,
        noise: float = 0.0,
        n_components: int = 30,
        n_graph_components: int = 20,
        n_neighbors: int = 10,
        n_init: int = 2,
        max_iter: int = 500,
        tol: float = 1e-7,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_clusters = n_clusters
        self.lam = lam
        self.ridge = ridge
        self.balance = balance
        self.noise = noise
        self.n_components = n_components
        self.n_graph_components = n_graph_components
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def _prepare(
        self,
        X: ArrayLike,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> PlacedProblem:
        X = self._validated(X, reset=True)
        self._check_parameters()
        must, cannot = self._pairs(must_link, cannot_link, len(X))
        if self.n_clusters == 1 and len(cannot) and not self.noise:
            raise ValueError(
                f"cannot_link has {len(cannot)} pairs but n_clusters=1 has no two classes to put "
                "them in: raise n_clusters, or give no cannot_link"
            )
        place = coordinates(
            X,
            n_components=self.n_components,
            n_graph_components=self.n_graph_components,
            n_neighbors=self.n_neighbors,
        )
        parts = place.parts(X)
        m = max(len(must) + len(cannot) or NOMINAL_PAIRS, FEWEST_PAIRS)
        return PlacedProblem(
            np.hstack(parts),
            must,
            cannot,
            self.n_clusters,
            lam=self.lam,
            balance=self.balance,
            ridge=self.ridge / m,
            noise=self.noise,
            parts=tuple(parts),
            place=place,
        )

    def _pairs(
        self, must_link: ArrayLike | None, cannot_link: ArrayLike | None, n_samples: int
    ) -> tuple[IntArray, IntArray]:
        """The pairs, checked; they may contradict one another where some are believed wrong."""
        if not self.noise:
            return check_constraints(must_link, cannot_link, n_samples)
        return (
            validate_pairs(must_link, n_samples, "must_link"),
            validate_pairs(cannot_link, n_samples, "cannot_link"),
        )

    def _check_parameters(self) -> None:
        check_blocks(self.n_components, self.n_graph_components, self.n_neighbors)
        for name in ("lam", "ridge", "balance", "tol"):
            check_nonnegative(name, getattr(self, name))
        if not 0 <= self.noise < 0.5:
            raise ValueError(
                f"noise must be at least 0 and below 0.5, got {self.noise!r}: if most of the pairs "
                "are wrong, exchange must_link and cannot_link"
            )

    def _starts(self, problem: LatentProblem, rng: np.random.RandomState) -> Iterator[Array]:
        if not problem.n_pairs:
            warnings.warn(
                "LatentClassPairs was given no must_link and no cannot_link pairs: the samples are "
                "clustered by their coordinates and the balance of the classes alone",
                UserWarning,
                stacklevel=5,
            )
        seeds = rng.randint(np.iinfo(np.int32).max, size=self.n_init).tolist()
        return starts(problem.parts, self.n_clusters, seeds)

    def _iterate(self, problem: LatentProblem, start: Array) -> Iterator[LatentStep]:
        return latent_steps(problem, start, max_iter=self.max_iter, tol=self.tol)

    def _settled(self, previous: LatentStep, state: LatentStep) -> bool:
        return False  # L-BFGS ends the stream

    def _key(self, state: LatentStep) -> None:
        return None

    def _adopt(self, problem: PlacedProblem, state: LatentStep) -> None:
        self.coordinates_ = problem.place
        self.coef_, self.intercept_ = state.coef, state.intercept
        self.embedding_ = problem.P
        self.cluster_centers_ = softmax(state.log_responsibilities, axis=0).T @ problem.P

    def _label(self, X: Any) -> Self:
        r = self.predict_proba(X)
        self.class_seeds_ = class_seeds(r, nearest(-r, ROUNDING))
        return super()._label(X)

    def _labels(self, r: Array) -> Labels:
        """The most probable class of each row of r, except at the seeds of the other classes."""
        labels = nearest(-r, ROUNDING)
        for number, seed in self.class_seeds_.items():
            labels[np.max(np.abs(r - seed), axis=1) <= SAME_PROBABILITIES] = number
        return labels

    def _reason_unused(self) -> str:
        return (
            "the other classes are the most probable of no sample; raise balance, or lower "
            "n_clusters"
        )

    def _map(self, X: Array) -> Array:
        return self.coordinates_(X)

    def _probabilities(self, X: Array) -> Array:
        return np.exp(log_responsibilities(self._map(X), self.coef_, self.intercept_))

    def transform(self, X: ArrayLike) -> Array:
        """The coordinates P of the rows of X; for new samples by the Nystroem extension.

        Parameters
        ----------
        X : array (m, d)

        Returns
        -------
        array (m, k)
        """
        return self._places(X)

    def predict_proba(self, X: ArrayLike) -> Array:
        """The probabilities r of the classes of each row of X.

        Parameters
        ----------
        X : array (m, d)

        Returns
        -------
        array (m, n_clusters)
        """
        return by_blocks(self._probabilities, self._validated(X, reset=False))

    def predict(self, X: ArrayLike) -> Labels:
        """The class of each row of X: the most probable, but where that leaves a class unused.

        Parameters
        ----------
        X : array (m, d)

        Returns
        -------
        array (m,)
        """
        return self._labels(self.predict_proba(X))

    def pair_probability(self, A: ArrayLike, B: ArrayLike) -> Array:
        """P(same) of every row of A with every row of B.

        Parameters
        ----------
        A : array (m, d)
        B : array (r, d)

        Returns
        -------
        array (m, r)
        """
        return same_class(self.predict_proba(A), self.predict_proba(B))
