"""Exercise 7.7: place ten constraints on a scatter and watch the metric change."""

import warnings
from html import escape
from typing import Any

import ipywidgets as widgets
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from umlbook.algebra import Array, Labels
from umlbook.book.exercises.bank.properties import is_finite
from umlbook.book.exercises.model import Attempt, Case, Exercise, Mistake
from umlbook.book.page.draw_points import draw_clusters
from umlbook.book.page.figures import image_html, new_figure, png_bytes
from umlbook.book.page.twin import Twinned, live_view
from umlbook.constraints import sample
from umlbook.daem import ProbabilisticMetric
from umlbook.datasets import make_circle
from umlbook.scores import modified_rand

N_POINTS, N_ROWS, WANTED = 40, 10, 0.9


def learned(X: Array, rows: ArrayLike) -> ProbabilisticMetric:
    """The metric from rows (i, j, +1 or -1): +1 for a must-link, -1 for a cannot-link."""
    table = np.asarray(rows, dtype=int).reshape(-1, 3)
    pairs, sign = table[:, :2], table[:, 2]
    model = ProbabilisticMetric(
        2, eta="paper", n_components=10, n_temperatures=5, n_init=5, random_state=0
    )
    with warnings.catch_warnings():  # before both kinds are placed the kernel decides alone
        warnings.simplefilter("ignore")
        return model.fit(X, must_link=pairs[sign > 0], cannot_link=pairs[sign < 0])


# --------------------------------------------------------------------------------- the board


class Board(Twinned):
    """Choose two points, say how they belong, and see the clusters of the learned metric.

    Attributes
    ----------
    rows : list of [i, j, sign]
        The pairs placed so far; hand them in as the answer.
    """

    def __init__(self, X: Array, labels: Labels) -> None:
        self.X, self.labels = X, labels
        self.rows: list[list[int]] = []
        self._first, self._second = (
            widgets.BoundedIntText(0, min=0, max=len(X) - 1, description=name)
            for name in ("point", "and point")
        )
        self._second.value = 1
        buttons = [widgets.Button(description=name) for name in ("together", "apart", "undo")]
        for button, sign in zip(buttons, (1, -1, 0), strict=True):
            button.on_click(lambda _, sign=sign: self.place(sign=sign))
        self._picture, self._said = widgets.HTML(), widgets.HTML()
        choice = widgets.HBox([self._first, self._second, *buttons])
        choice.layout.flex_flow = "row wrap"
        self.widget = widgets.VBox([choice, self._picture, self._said])
        self._refresh()

    def place(self, i: int | None = None, j: int | None = None, sign: int = 1) -> "Board":
        """Add a pair (or with sign 0 take the last one away), as the buttons do."""
        if sign == 0:
            del self.rows[-1:]
        else:
            ends = [self._first.value if i is None else i, self._second.value if j is None else j]
            self.rows.append([*ends, sign])
        self._refresh()
        return self

    @property
    def sentence(self) -> str:
        """What the picture shows, or why it cannot."""
        try:
            score = modified_rand(self.labels, learned(self.X, self.rows).labels_)
        except ValueError as error:
            return f"{len(self.rows)} pairs placed; {error}"
        return f"{len(self.rows)} pairs placed; modified Rand index {score:.3f}"

    def figure(self) -> Figure:
        """The points with their numbers, the pairs, and the regions of the clusters."""
        fig, ax = new_figure(6.4, 5.2)
        try:
            predict: Any = learned(self.X, self.rows).predict
        except ValueError:
            predict = None
        draw_clusters(ax, self.X, self.labels, predict=predict)
        for number, (x, y) in enumerate(self.X):
            ax.annotate(str(number), (x, y), textcoords="offset points", xytext=(4, 4), fontsize=7)
        for i, j, sign in self.rows:
            ax.plot(*self.X[[i, j]].T, color="k", lw=1.2, ls="-" if sign > 0 else ":", zorder=2)
        return fig

    def _refresh(self) -> None:
        sentence = self.sentence
        self._picture.value = image_html(png_bytes(self.figure()), sentence)
        self._said.value = f'<p role="status">{escape(sentence)}</p>'

    def __repr__(self) -> str:
        return f"[together] [apart] [undo]  {self.sentence}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return {**live_view(self.widget), "text/plain": repr(self)}


# ------------------------------------------------------------------------------ the exercise


def ring_and_disc(rng: np.random.Generator) -> list[Case]:
    """Forty points of a disc and a ring."""
    X, labels = make_circle(N_POINTS, random_state=int(rng.integers(10**6)))
    return [Case("the points in your data", X=X, labels=labels)]


def ten_pairs(X: Array, labels: Labels) -> Array:
    """Reference of 7.7: random pairs, drawn again until the metric that they give is good."""
    for seed in range(100):
        must, cannot = sample(labels, N_ROWS // 2, N_ROWS // 2, random_state=seed)
        signs = np.repeat([1, -1], N_ROWS // 2)
        rows = np.column_stack([np.vstack([must, cannot]), signs])
        if modified_rand(labels, learned(X, rows).labels_) >= WANTED:
            break
    return rows


def is_ten_rows(attempt: Attempt) -> str | None:
    """Ten rows (i, j, sign) of allowed numbers."""
    shape = attempt.array.shape
    if shape != (N_ROWS, 3):
        return f"give {N_ROWS} rows (i, j, sign); yours has shape {shape}"
    if not np.isin(attempt.array[:, 2], [1, -1]).all():
        return "the third number of a row is +1 (together) or -1 (apart)"
    ends = attempt.array[:, :2]
    if ((ends < 0) | (ends >= N_POINTS) | (ends != np.round(ends))).any():
        return f"points are numbered from 0 to {N_POINTS - 1}"
    return None


def are_different(attempt: Attempt) -> str | None:
    """No point with itself, no pair twice."""
    ends = np.sort(attempt.array[:, :2].astype(int), axis=1)
    if (ends[:, 0] == ends[:, 1]).any():
        return "a point is paired with itself"
    repeated = len(ends) - len(np.unique(ends, axis=0))
    return f"{repeated} of the pairs stand there before" if repeated else None


def _truths(attempt: Attempt) -> Array:
    """+1 where the two points share a class, -1 where not."""
    labels = attempt.case.labels
    i, j = attempt.array[:, :2].astype(int).T
    return np.where(labels[i] == labels[j], 1.0, -1.0)


def are_true(attempt: Attempt) -> str | None:
    """What is said of a pair is so."""
    wrong = np.flatnonzero(_truths(attempt) != attempt.array[:, 2])
    if not wrong.size:
        return None
    i, j, _ = attempt.array[wrong[0]].astype(int)
    return f"row {wrong[0]} is not true of the points {i} and {j}"


def has_both_kinds(attempt: Attempt) -> str | None:
    """Pairs of both kinds are there."""
    return None if len(np.unique(attempt.array[:, 2])) == 2 else "all your pairs are of one kind"


def gives_the_classes(attempt: Attempt) -> str | None:
    """The metric learned from the pairs finds disc and ring."""
    score = modified_rand(attempt.case.labels, learned(attempt.case.X, attempt.array).labels_)
    return None if score >= WANTED else f"the learned metric scores {score:.2f}, wanted is {WANTED}"


def _all_wrong(attempt: Attempt) -> str | None:
    return "swapped" if (_truths(attempt) == -attempt.array[:, 2]).all() else None


def _one_kind(attempt: Attempt) -> str | None:
    return "one kind" if len(np.unique(attempt.array[:, 2])) == 1 else None


def _repeated(attempt: Attempt) -> str | None:
    ends = np.sort(attempt.array[:, :2], axis=1)
    return "repeated" if len(np.unique(ends, axis=0)) < N_ROWS else None


def _swapped_pairs(X: Array, labels: Labels) -> Array:
    return ten_pairs(X, labels) * [1, 1, -1]


def _must_links_only(X: Array, labels: Labels) -> Array:
    must, _ = sample(labels, N_ROWS, 0, random_state=0)
    return np.column_stack([must, np.ones(N_ROWS, dtype=int)])


def _one_pair_ten_times(X: Array, labels: Labels) -> Array:
    return np.repeat(ten_pairs(X, labels)[:1], N_ROWS, axis=0)


EX_7_7 = Exercise(
    id="7.7",
    title="place ten constraints",
    answer="rows",
    kind="value",
    reference=ten_pairs,
    cases=ring_and_disc,
    properties=[
        is_ten_rows,
        is_finite,
        are_different,
        are_true,
        has_both_kinds,
        gives_the_classes,
    ],
    mistakes=[
        Mistake(
            "signs exchanged",
            "every sign is the wrong way round: +1 is for points that belong together",
            _swapped_pairs,
            _all_wrong,
        ),
        Mistake(
            "one pair many times",
            "the same pair says the same thing however often it is placed",
            _one_pair_ten_times,
            _repeated,
        ),
        Mistake(
            "must-links only",
            "with pairs of one kind the best metric calls all points the same",
            _must_links_only,
            _one_kind,
        ),
    ],
    hints=[
        "Which pairs would the plain distance get wrong? Those teach most.",
        "Link points on opposite sides of the ring; part points of the disc from the ring near "
        "them.",
        "board.rows is the answer, once the score under the picture is high enough.",
    ],
    solution="Far pairs that belong together and near pairs that do not teach the metric most.",
)
