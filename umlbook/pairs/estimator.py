"""`BentMetric`: metric, graph, metric under scikit-learn's conventions."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from umlbook._checks import check_count, check_nonnegative
from umlbook._loop import PairClusterer, Run
from umlbook._pieces import MapsRows
from umlbook.algebra import Array, Labels, nearest_center
from umlbook.constraints import validate_pairs
from umlbook.coordinates import check_blocks, coordinates
from umlbook.pairs.choosing import choice, ways
from umlbook.pairs.steps import PairStep, PairTask, bent_steps


class BentMetric(MapsRows, PairClusterer):
    r"""Clustering in a space that pairs have shaped twice: metric, graph, metric.

    1. ITML learns a Mahalanobis metric A from the pairs: it finds the directions that tell the
       classes apart, even of small variance, and cannot bend.
    2. The samples, as :math:`A^{s/2}` places them, get coordinates from a kernel and from the graph
       of their nearest neighbours (`umlbook.BentCoordinates`): these can bend.
    3. ITML learns a second metric from the same pairs in these coordinates; K-means clusters there.

    How far the first metric goes, :math:`s \in \{0, 1/2, 1\}`, is chosen by pairs that were left
    out, and so is whether anything follows it: on some data the first metric alone, which cannot
    bend, is the better one. So are, if ``noise`` allows it, the pairs that are taken for wrong.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, K.
    strength : float in [0, 1], or None
        s; None chooses it by pairs that are left out.
    graph : bool or None
        Whether the graph and the second metric follow the first. None chooses that too by pairs
        that are left out, unless ``strength`` is given, and then is True. False is k-means in the
        metric of ITML, with s = 1 unless ``strength`` is given.
    noise : float
        Share of the pairs, below one half, that is believed to be wrong: a pair that all fits
        without it contradict is dropped if these fits are right more often than pairs are. 0 keeps
        all pairs, and in chapter 11 that does as well.
    n_components : int
        Coordinates of the kernel; 0 leaves that block out.
    n_graph_components : int
        Most coordinates of the graph; 0 leaves that block out.
    n_neighbors : int
        Neighbours of each sample in the graph.
    n_init : int
        Starts of k-means in each space.
    max_iter : int
        Most rounds of ITML over all pairs.
    tol : float
        Relative increase of ITML's dual value at which its rounds end.
    random_state : int, RandomState or None
        Seed of k-means, and of which pairs are left out together.
    verbose : bool
        Show a progress bar.

    Attributes
    ----------
    labels_ : array (n,)
        The nearest of ``cluster_centers_`` for each sample in the learned space.
    cluster_centers_ : array (n_clusters, k)
        Means of the clusters there.
    embedding_ : array (n, k)
        The samples there, as `transform` gives them.
    strength_ : float
        s as used.
    graph_ : bool
        Whether the graph and the second metric are used.
    doubted_must_link_, doubted_cannot_link_ : array (n_pairs, 2)
        The pairs that were taken for wrong and not used.
    votes_ : array (n_ways, n_pairs) or None
        Whether the fit without a pair agrees with it, 1 or 0, for each way that was tried (the
        strengths in order, then the first metric alone), the must-links first; None where no pair
        was left out.
    space_ : BentSpace
        The map from samples to the learned space.
    objective_ : float
        Share of the scatter within the clusters, in the learned space.
    objective_path_ : array (4,)
        The same for k-means among the features, in the first metric, in the coordinates, and in the
        learned space. These are different spaces: nothing makes it fall.
    n_iter_ : int
        Number of these spaces.
    converged_ : bool
        True: there is nothing that could fail to settle.
    restarts_ : tuple of Restart
        The one run.

    Notes
    -----
    Pairs may contradict one another: some are believed to be wrong. With no pairs a warning is
    given, and the samples are clustered by k-means in their coordinates. Memory grows with the
    number of samples, not with its square: of more than 1000 samples the coordinates are made from
    so many evenly spaced ones, and of more than 3000 only these and those of the pairs choose the
    strength. Index pairs belong to one X: see `umlbook.constraints.restrict`.

    See Also
    --------
    LatentClassPairs : has an example of ``cross_validate`` with pairs, which holds here too.

    References
    ----------
    Davis, Kulis, Jain, Sra and Dhillon (2007), Information-theoretic metric learning. Zelnik-Manor
    and Perona (2004), Self-tuning spectral clustering. Chapter 11 has the rest.

    Examples
    --------
    >>> from umlbook.constraints import sample
    >>> from umlbook.datasets import make_circle
    >>> from umlbook.scores import modified_rand
    >>> X, y = make_circle(100, random_state=0)
    >>> must, cannot = sample(y, 15, 15, random_state=0)
    >>> model = BentMetric(2, random_state=0).fit(X, must_link=must, cannot_link=cannot)
    >>> modified_rand(y, model.labels_)
    1.0
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        strength: float | None = None,
        graph: bool | None = None,
        noise: float = 0.0,
        n_components: int = 30,
        n_graph_components: int = 20,
        n_neighbors: int = 10,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_clusters = n_clusters
        self.strength = strength
        self.graph = graph
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
    ) -> PairTask:
        X = self._validated(X, reset=True)
        self._check_parameters()
        names = ("n_components", "n_graph_components", "n_neighbors")
        blocks = {name: getattr(self, name) for name in names}
        return PairTask(
            X,
            validate_pairs(must_link, len(X), "must_link"),
            validate_pairs(cannot_link, len(X), "cannot_link"),
            self.n_clusters,
            coordinates(X, **blocks),
            self.max_iter,
            self.tol,
            self.n_init,
            tuple(blocks.items()),
        )

    def _check_parameters(self) -> None:
        check_blocks(self.n_components, self.n_graph_components, self.n_neighbors)
        check_count("n_init", self.n_init)
        check_count("max_iter", self.max_iter)
        check_nonnegative("tol", self.tol)
        if not 0 <= check_nonnegative("noise", self.noise) < 0.5:
            raise ValueError(
                f"noise must be at least 0 and below 0.5, got {self.noise!r}: if most of the pairs "
                "are wrong, exchange must_link and cannot_link"
            )
        if self.graph not in (None, True, False):
            raise ValueError(f"graph must be True, False or None, got {self.graph!r}")
        if self.strength is not None and check_nonnegative("strength", self.strength) > 1:
            raise ValueError(
                f"strength must lie between 0 and 1, or be None, got {self.strength!r}"
            )

    def _runs(self, problem: PairTask) -> Iterator[Run]:
        """The one run that there is: its four states are all."""
        (start,) = self._starts(problem, check_random_state(self.random_state))
        states = self._iterate(problem, start)
        yield Run(states, max_iter=5, settled=lambda previous, state: False)

    def _starts(self, problem: PairTask, rng: np.random.RandomState) -> Iterator[int]:
        if not problem.n_pairs:
            warnings.warn(
                "BentMetric was given no must_link and no cannot_link pairs: the samples are "
                "clustered by k-means in their coordinates",
                UserWarning,
                stacklevel=6,
            )
        yield int(rng.randint(np.iinfo(np.int32).max))

    def _iterate(self, problem: PairTask, start: int) -> Iterator[PairStep]:
        tried = ways(None if self.strength is None else float(self.strength), self.graph)
        chosen = choice(problem, tried, float(self.noise), start)
        return bent_steps(problem, chosen, start)

    def _adopt(self, problem: PairTask, state: PairStep) -> None:
        self.space_, self.embedding_ = state.space, state.embedding
        self.cluster_centers_ = state.centers
        (self.strength_, self.graph_), self.votes_ = state.choice.way, state.choice.votes
        doubted = problem.only(~state.choice.kept)
        self.doubted_must_link_, self.doubted_cannot_link_ = doubted.must, doubted.cannot

    def _map(self, X: Array) -> Array:
        return self.space_(X)

    def transform(self, X: ArrayLike) -> Array:
        """The rows of X in the learned space, where k-means has found the clusters.

        Parameters
        ----------
        X : array (m, d)

        Returns
        -------
        array (m, k)
        """
        return self._places(X)

    def predict(self, X: ArrayLike) -> Labels:
        """The nearest cluster of each row of X in the learned space.

        Parameters
        ----------
        X : array (m, d)

        Returns
        -------
        array (m,)
        """
        return nearest_center(self._places(X), self.cluster_centers_)
