r"""Relevant component analysis, and its extension by cannot-links."""

from typing import Any, ClassVar

from umlbook.algebra import Array
from umlbook.constraints import IntArray
from umlbook.rivals._base import Linear, Shrinking
from umlbook.rivals._scatter import chunklet_covariance, matrix_power, pair_scatter


class RCA(Linear, Shrinking):
    r"""Whitening by the mean covariance within chunklets.

    Chunklets are what must-links join; :math:`C` is the mean covariance of the N samples in
    chunklets of two and more about the means of their chunklets, and the map is

    .. math:: x \mapsto C^{-1/2} x, \qquad
       C = \frac1N \sum_k \sum_{i \in k} (x_i - m_k)(x_i - m_k)' .

    It minimises :math:`\sum_k \sum_{i \in k} \lVert W'(x_i - m_k) \rVert^2` among the maps with
    :math:`|\det W| \ge 1`, up to scale. Cannot-links are checked and not used.

    **Left open by the source:** what to do when C is singular. Our choice is to shrink it towards
    a multiple of I and to warn; the source's optional reduction of dimension before whitening is
    left out.

    Parameters
    ----------
    shrinkage : float in [0, 1] or None
        Share of :math:`(\operatorname{tr} C / d) I` that is mixed into C. None is 0 where C has
        full rank and 0.1, with a warning, where it has not.
    n_clusters : int
        Clusters that k-means looks for in the learned space.
    random_state : int, RandomState or None
        Seed of k-means.

    Attributes
    ----------
    labels_ : array (n,)
        The nearest of ``cluster_centers_`` in the learned space.
    cluster_centers_ : array (n_clusters, p)
        Means of the clusters that k-means has found there.
    components_ : array (d, d)
        :math:`C^{-1/2}`.
    metric_ : array (d, d)
        :math:`C^{-1}`.
    covariance_ : array (d, d)
        C, after shrinkage.
    shrinkage_ : float
        Shrinkage as used.
    learned_ : bool
        Whether a map was learned; if not, the samples stay where they are.

    References
    ----------
    Bar-Hillel, Hertz, Shental and Weinshall (2005), Learning a Mahalanobis metric from equivalence
    constraints.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [4.0, 0.1], [0.0, 1.0], [4.0, 0.8]])
    >>> model = RCA().fit(X, must_link=[[0, 1], [2, 3]])
    >>> near, far = np.diff(model.transform(X)[[0, 1, 0, 2]], axis=0)[[0, 2]]
    >>> bool(np.linalg.norm(near) < np.linalg.norm(far))
    True
    """

    needs: ClassVar[tuple[str, ...]] = ("must_link",)

    def __init__(
        self, *, shrinkage: float | None = None, n_clusters: int = 2, random_state: Any = None
    ):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.shrinkage = shrinkage

    def _learn(self, X: Array, must: IntArray, cannot: IntArray) -> None:
        self._require_pairs(X, must, cannot)
        self.covariance_ = self._shrunk(chunklet_covariance(X, must))
        self.components_ = matrix_power(self.covariance_, -0.5)


class ERCA(RCA):
    r"""RCA, recoloured by the scatter of the cannot-links. **Our reading.**

    After whitening by the must-links as in `RCA`, the samples are stretched along the directions
    in which cannot-links differ:

    .. math:: x \mapsto B^{1/2} C^{-1/2} x, \qquad
       B = \frac{1}{|D|} \sum_D (x_i - x_j)(x_i - x_j)' .

    **Our reading:** the text of the source was not available; this is the form that its title,
    abstract and those who cite it allow. B may be meant before the whitening (our default) or
    after it, where :math:`C^{-1/2} B C^{-1/2}` takes its place; a third reading takes the
    generalised eigenvectors of B and C instead. They give different metrics.

    Parameters
    ----------
    shrinkage : float in [0, 1] or None
        Shrinkage of C, as in `RCA`; results on few pairs depend on it.
    scatter : "original" or "whitened"
        Where B is measured.
    n_clusters : int
        Clusters that k-means looks for in the learned space.
    random_state : int, RandomState or None
        Seed of k-means.

    Attributes
    ----------
    labels_ : array (n,)
        The nearest of ``cluster_centers_`` in the learned space.
    cluster_centers_ : array (n_clusters, p)
        Means of the clusters that k-means has found there.
    components_ : array (d, d)
        :math:`C^{-1/2} B^{1/2}`.
    metric_ : array (d, d)
        :math:`C^{-1/2} B C^{-1/2}`, with B measured as ``scatter`` says.
    covariance_ : array (d, d)
        As in `RCA`.
    shrinkage_ : float
        As in `RCA`.
    learned_ : bool
        As in `RCA`.

    References
    ----------
    Yeung and Chang (2006), Extending the relevant component analysis algorithm for metric learning
    using both positive and negative equivalence constraints.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [4.0, 0.1], [0.0, 1.0], [4.0, 0.8]])
    >>> model = ERCA().fit(X, must_link=[[0, 1], [2, 3]], cannot_link=[[0, 2]])
    >>> int(np.linalg.matrix_rank(model.components_))
    1
    """

    needs = ("must_link", "cannot_link")
    our_reading = True

    def __init__(
        self,
        *,
        shrinkage: float | None = None,
        scatter: str = "original",
        n_clusters: int = 2,
        random_state: Any = None,
    ):
        super().__init__(shrinkage=shrinkage, n_clusters=n_clusters, random_state=random_state)
        self.scatter = scatter

    def _learn(self, X: Array, must: IntArray, cannot: IntArray) -> None:
        if self.scatter not in ("original", "whitened"):
            raise ValueError(f"scatter must be 'original' or 'whitened', got {self.scatter!r}")
        super()._learn(X, must, cannot)
        whitening = self.components_
        B = pair_scatter(X if self.scatter == "original" else X @ whitening, cannot) / len(cannot)
        self.components_ = whitening @ matrix_power(B, 0.5)
