"""How the estimators are used with scikit-learn: pairs, sizes, pickles, names of columns."""

from __future__ import annotations

import inspect

from umlbook import _landmarks, coordinates
from umlbook.book.site.api.examples import WALKS
from umlbook.book.site.api.names import Name, public
from umlbook.book.site.snippets import FENCE, raw

_PAIRS = """# Use with scikit-learn

All estimators follow scikit-learn's conventions: `fit`, `predict` and `transform` where a new row
has a meaning, `get_params` and `set_params`, `clone`, pipelines, and pickles.

## Pairs in cross-validation

Methods that learn from pairs take them in `fit`, as row numbers of `X`:
`fit(X, must_link=..., cannot_link=...)`. Cross-validation takes a part of the rows of `X` and hands
the pairs on as they are, so that they would point to other rows. An estimator that notices this
refuses such pairs. Divide the *pairs* instead, and keep all rows."""

_ROUTING = """With `OnPairs` the samples of scikit-learn are the pairs, so `cross_validate`,
`cross_val_score` and `GridSearchCV` divide them, and `score` is the share of the left-out pairs on
which the clusters agree:"""

_FOLDS = """`pair_folds` gives the same division as a loop, in which you call `score` yourself:"""

_METADATA = """Metadata routing is the way to hand pairs through a meta-estimator that does *not*
divide the rows, such as a pipeline. Each estimator with pairs has `set_fit_request` and
`set_score_request` for it:"""

_PICKLES = """## Pickles, `set_output` and names of columns

A fitted estimator can be pickled, and the copy gives the same predictions."""


def use_page() -> str:
    """Return the source of the page."""
    parts = [_PAIRS, _example("use-refused"), _ROUTING, _example("use-pairs")]
    parts += [_FOLDS, _example("use-folds"), _METADATA, _example("use-routing")]
    parts += [_sizes(), _PICKLES, _example("use-pickle"), _columns()]
    return "\n\n".join(parts) + "\n"


def _example(name: str) -> str:
    return f"{FENCE}pycon\n{WALKS[name].rstrip()}\n{FENCE}"


def _sizes() -> str:
    """From which number of rows on landmarks are taken, and by which estimators."""
    above, taken = _landmarks.AUTO_ABOVE, _landmarks.AUTO
    names = [name for name in public().values() if name.is_estimator]
    rows = "".join(
        f'<tr><td><a href="{name.room}.html#{name.full}"><code>{name.name}</code></a></td>'
        f"<td>{said}</td></tr>"
        for name in names
        if (said := landmark_rule(name))
    )
    return (
        "## Many rows\n\nA method whose cost grows with the square of the number of rows is solved "
        'on some of them, its *landmarks*. With `n_landmarks="auto"` all of up to '
        f"{above:,} rows are taken, and {taken:,} of more, drawn at random; a `LandmarkWarning` "
        "says so once. An integer sets their number, and `None` takes all rows. `AML` and `CPCM`, "
        "whose steps are linear in the number of rows, take all rows in any case, and only compare "
        "their starts on the landmarks. The coordinates of "
        "`BentCoordinates`, `LatentClassPairs` and `BentMetric` are carried by "
        f"{coordinates.MOST_LANDMARKS:,} evenly spaced rows at most.\n\n"
        + raw(f'<table class="sizes"><tr><th>estimator</th><th>n_landmarks</th></tr>{rows}</table>')
    )


def _columns() -> str:
    """Which estimators name the columns of what `transform` returns."""
    named = [
        f"`{name.name}`"
        for name in public().values()
        if name.is_estimator and hasattr(name.thing, "get_feature_names_out")
    ]
    if not named:
        return ""
    return (
        "These name the columns of `transform` by `get_feature_names_out`, so that "
        f'`set_output(transform="pandas")` makes them return data frames: {", ".join(named)}.'
    )


def landmark_rule(name: Name) -> str:
    """Return the default of ``n_landmarks`` in words; nothing where there is no such argument."""
    argument = inspect.signature(name.thing).parameters.get("n_landmarks")
    if argument is None:
        return ""
    return {"auto": "automatic", None: "all rows, unless you set it"}.get(
        argument.default, f"{argument.default}"
    )
