"""Two streams: where they part, why, what it looks like; and `debug`, which `check` judges."""

from collections import namedtuple
from dataclasses import asdict, astuple, replace
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from umlbook.book.exercises.bank import all_exercises
from umlbook.book.exercises.bank.ch02_lloyd import QUANTITIES, LloydState, lloyd_steps
from umlbook.book.exercises.judge import exercise
from umlbook.book.exercises.model import Status
from umlbook.book.exercises.progress import Progress
from umlbook.book.page.compare import DRAWN, compare
from umlbook.book.page.draw_points import draw_clusters
from umlbook.book.page.twin import LIVE, PICTURED, TWIN, VIEW

STREAMS = [spec for spec in all_exercises().values() if spec.quantities]


@pytest.fixture
def X(rng):
    return np.concatenate([rng.normal(c, 0.9, (15, 2)) for c in ((0, 0), (3, 0), (1.5, 2))])


def ours(X, n=6):
    return list(islice(lloyd_steps(X, X[:3]), n))


def compared(yours, X, **keywords):
    return compare(yours, ours(X), quantities=QUANTITIES, points=X, **keywords)


def changed(X, step=None, **parts):
    """Our stream with parts of one state (of all states: None) replaced by functions of them."""
    for t, state in enumerate(ours(X)):
        new = {name: change(getattr(state, name)) for name, change in parts.items()}
        yield replace(state, **new) if step in (t, None) else state


def four_wrong(labels):
    return np.where(np.arange(len(labels)) < 4, (labels + 1) % 3, labels)


# ---------------------------------------------------------------- where


@pytest.mark.parametrize(
    ("parts", "says", "quantity"),
    [
        ({"labels": four_wrong}, "step 3: labels differ at 4 of 45 points", "labels"),
        ({"objective": lambda f: f + 0.25}, "step 3: objective is larger in yours by 0.25",
         "objective"),
        ({"objective": lambda f: np.nan}, "step 3: objective is not finite in yours", "objective"),
        ({"labels": lambda y: y[:, None]},
         "step 3: labels has shape (45, 1) in yours but (45,) in ours", "labels"),
        ({"centers": lambda C: C + np.diag([1, 3, 0])[:, :2]},
         "step 3: centers differs in 2 of 6 entries, by at most 3", "centers"),
    ],
)  # fmt: skip
def test_compare_names_the_first_step_and_quantity(X, parts, says, quantity):
    found = compared(changed(X, 3, **parts), X)
    assert (found.says, found.step, found.quantity) == (says, 3, quantity)
    assert repr(found).startswith(says) and not found


def test_compare_finds_the_earliest_of_several_differences(X):
    yours = (replace(s, objective=s.objective + t) for t, s in enumerate(changed(X)))
    found = compare(yours, changed(X, 4, labels=four_wrong))
    assert (found.step, found.quantity) == (1, "objective")
    assert "objective parts first. What parts later (labels at step 4)" in repr(found)


def test_compare_says_that_streams_agree_and_on_how_many_steps(X):
    found = compare(changed(X), changed(X, 2, objective=lambda f: f * (1 + 1e-9)))
    assert found and found.agree and repr(found) == "agree on all 6 steps"
    undefined = [{"objective": np.nan}]
    assert compare(undefined, undefined, quantities=["objective"])
    endless = lloyd_steps(X, X[:3]), lloyd_steps(X, X[:3])
    assert repr(compare(*endless, max_steps=5)) == "agree on the first 5 steps"


def test_compare_says_which_stream_ends_first_or_raises(X):
    short = ours(X)[:4]
    early = compare(short, ours(X))
    assert early.says == "step 4: yours ends here, ours goes on" and "too short" in early.cause
    late = compare(ours(X), short)
    assert late.says == "step 4: ours ends here, yours goes on" and "too long" in late.cause

    def failing():
        yield from short
        raise ZeroDivisionError("empty cluster")

    says = "step 4: yours raised ZeroDivisionError: empty cluster"
    assert repr(compare(failing(), ours(X))) == says
    assert repr(compare(failing(), short)) == says


def test_compare_reads_every_kind_of_state_and_says_what_a_state_lacks(X):
    Named = namedtuple("Named", QUANTITIES)
    for kind in (asdict, lambda s: Named(*astuple(s)), lambda s: SimpleNamespace(**asdict(s))):
        assert compared(map(kind, ours(X)), X)
    lacking = repr(compared(({"label": s.labels} for s in ours(X)), X))
    assert lacking.startswith("step 0: labels of yours cannot be read") and "has label" in lacking
    assert "a tuple has no names" in repr(compared(map(astuple, ours(X)), X))
    assert "raised TypeError" in repr(compared(None, X))


def test_the_table_shows_the_entry_that_differs_most_and_how_many_do(X):
    moved = np.array([[0, 0], [0, 5], [1, 0]])
    found = compared(changed(X, 2, labels=four_wrong, centers=lambda C: C + moved), X)
    labels, centers = found.table().rows
    state = ours(X)[2]
    assert labels == ("labels", str(four_wrong(state.labels)[0]), str(state.labels[0]), "point 0",
                      "4 of 45")  # fmt: skip
    assert centers[3:] == ("row 1, column 1", "2 of 6")
    assert float(centers[1]) - float(centers[2]) == pytest.approx(5, abs=2e-3)


def test_rounding_chooses_neither_the_entry_nor_a_digit(X):
    def text(noise):
        return repr(compared(changed(X, 1, centers=lambda C: (C + 1.0) * (1 + noise)), X))

    assert text(0.0) == text(1e-13) == text(-1e-13)


# ------------------------------------------------------------------ why


def in_place(X):
    kept = np.empty((3, 2))
    for state in ours(X):
        kept[:] = state.centers
        yield replace(state, centers=kept)


def one_dictionary(X):
    kept = {}
    for state in ours(X):
        kept.update(asdict(state))
        yield kept


def start_first(X):
    yield LloydState(np.zeros(len(X), int), X[:3], 0.0)
    yield from ours(X)


def yields_between_the_half_steps(X):
    centers = X[:3]
    for state in ours(X):
        yield replace(state, centers=centers, objective=0.0)
        centers = state.centers


def medians(X, centers):
    while True:
        labels = cdist(X, centers).argmin(axis=1)
        centers = np.array([np.median(X[labels == k], axis=0) for k in range(3)])
        yield LloydState(labels, centers, float(np.sum((X - centers[labels]) ** 2)))


def never_updates(X):
    """The centres are found, and thrown away: every state holds the array of the start."""
    start = X[:3].copy()
    for state in ours(X):
        labels = cdist(X, start).argmin(axis=1)
        yield replace(state, labels=labels, centers=start)


def medians_in_place(X):
    kept = X[:3].copy()
    for state in islice(medians(X, kept), 6):
        kept[:] = state.centers
        yield replace(state, centers=kept)


CAUSES = {
    "one and the same array of centers": in_place,
    "one and the same array of labels": one_dictionary,
    "starts one step late": start_first,
    "starts one step early": lambda X: ours(X, 7)[1:],
    "starts two steps early": lambda X: ours(X, 8)[2:],
    "centers of yours is one step behind labels": yields_between_the_half_steps,
    "by renaming 0 to 2, 1 to 0, 2 to 1": lambda X: changed(X, labels=lambda y: (y + 1) % 3),
    "numbered from 1": lambda X: changed(X, labels=lambda y: y + 1),
    "centers of yours is the transpose": lambda X: changed(X, centers=np.transpose),
    "have the right values as floats": lambda X: changed(X, labels=lambda y: y.astype(float)),
    "objective of yours is twice": lambda X: changed(X, objective=lambda f: 2 * f),
    "objective of yours is minus": lambda X: changed(X, objective=lambda f: -f),
    "found once, outside the loop": lambda X: changed(X, labels=lambda _: ours(X)[0].labels),
    "too short": lambda X: ours(X)[:2],
}


@pytest.mark.parametrize("cause", CAUSES)
def test_a_typical_mistake_is_named_by_its_trace(X, cause):
    found = compared(CAUSES[cause](X), X)
    assert cause in found.cause and f"Cause: {found.cause}" in repr(found)
    assert found.figure().axes


def test_the_named_mistakes_are_told_apart(X):
    said = {compared(yours(X), X).cause for yours in CAUSES.values()}
    assert len(said) == len(CAUSES)


def test_a_difference_without_a_known_trace_gets_no_cause(X):
    other = (
        medians(X, X[:3]),
        changed(X, 3, labels=four_wrong),
        changed(X, 2, centers=np.negative),
    )
    for yours in other:
        found = compared(islice(yours, 6), X)
        assert not found and found.cause == ""


@pytest.mark.parametrize("yours", [never_updates, medians_in_place])
def test_a_shared_array_without_our_last_values_gets_both_readings(X, yours):
    found = compared(yours(X), X)
    said = "hold the same centers: either the loop never updates centers, or it overwrites one"
    assert found.quantity == "centers" and said in found.cause


def test_a_constant_that_is_new_in_each_state_was_not_overwritten(X):
    found = compared(changed(X, centers=lambda _: X[:3].copy()), X)
    assert found.cause == (
        "All states of yours hold the same centers: the loop does not change centers from step to "
        "step."
    )
    still = [ours(X)[0]] * 4  # a right stream that stands still is no reason to blame a constant
    other = [replace(state, centers=state.centers + 1) for state in still]
    assert compare(other, still, quantities=QUANTITIES).cause == ""


def test_a_benign_shared_array_is_not_called_a_change_in_place(X):
    labels = ours(X)[0].labels  # found once: the array is shared, but never written to
    found = compared(changed(X, labels=lambda _: labels), X)
    assert "same array" not in found.cause


def test_the_order_in_which_quantities_part_is_told(X):
    drift = [replace(s, objective=s.objective + 1) for s in ours(X)]
    drift[4] = replace(drift[4], labels=four_wrong(drift[4].labels))
    assert "objective parts first. What parts later (labels at step 4)" in repr(compared(drift, X))
    assert "Nothing else differs: labels and centers agree" in repr(
        compared(changed(X, objective=lambda f: f + 1), X)
    )


# -------------------------------------------------------------- pictures


def titles(found, step=None):
    return [ax.get_title(loc="left") for ax in found.figure(step).axes]


def test_both_streams_are_drawn_side_by_side_at_the_step(X):
    found = compared(changed(X, 3, labels=four_wrong), X)
    assert titles(found) == ["yours, step 3", "ours, step 3"]
    left, right = found.figure().axes
    assert left.get_xlabel() == right.get_xlabel() == "ringed: labels that differ (4 of 45)"
    rings = left.collections[-1].get_offsets()
    assert np.allclose(rings, X[:4])


def test_a_number_is_drawn_as_a_path_under_the_points(X):
    found = compared(changed(X, 2, objective=lambda f: 2 * f), X)
    assert titles(found) == ["yours, step 2", "ours, step 2", "", ""]
    (_, mine, ring) = found.figure().axes[2].lines
    assert np.allclose(mine.get_ydata()[2], 2 * ours(X)[2].objective)
    assert ring.get_xdata().tolist() == [2]


def test_an_array_is_drawn_as_a_heat_map_with_the_worst_entry_in_a_box(X):
    yours = changed(X, 1, centers=lambda C: C + np.diag([1, 3, 0])[:, :2])
    found = compare(yours, ours(X), quantities=QUANTITIES)
    left, right, *_ = found.figure().axes
    assert left.images[0].get_clim() == right.images[0].get_clim()
    (box,) = left.patches
    assert box.get_xy() == (0.5, 0.5)  # row 1, column 1
    assert "2 of 6 entries differ" in left.get_xlabel()


def test_a_state_that_cannot_be_drawn_says_so_and_the_other_is_drawn(X):
    found = compared(({"labels": "none", "centers": s.centers} for s in ours(X)), X)
    left, right = found.figure().axes
    assert "cannot be drawn" in left.texts[0].get_text() and right.collections
    short = compared(ours(X)[:2], X)
    assert "yours has no step 2" in short.figure().axes[0].texts[0].get_text()


def test_the_slider_opens_where_the_streams_part_and_the_twin_has_table_and_picture(X):
    found = compared(changed(X, 3, labels=four_wrong), X)
    bundle = found._repr_mimebundle_()
    assert bundle["text/plain"] == repr(found)
    assert "<td" in bundle["text/html"] and VIEW in bundle
    picture = found._twin_picture()
    assert (
        repr(picture) == "Yours and ours side by side at step 3: labels differ at 4 of 45 points."
    )
    assert VIEW not in compare([], [])._repr_mimebundle_()


def test_only_the_steps_around_the_parting_are_drawn(X):
    yours = [replace(s, objective=s.objective + (t > 20)) for t, s in enumerate(ours(X, 30))]
    found = compare(yours, ours(X, 30), quantities=QUANTITIES, draw=lambda ax, s: ax.plot([0, 1]))
    panels = [found._panel(step, 21, 30).value for step in (0, 16, 17, 21, 24, 25)]
    assert ["<img" in panel for panel in panels] == [False, False, True, True, True, False]
    assert DRAWN == 8


def test_a_drawing_of_the_callers_replaces_ours(X):
    found = compared(changed(X, 3, labels=four_wrong), X,
                     draw=lambda ax, s: draw_clusters(ax, X, s.labels))  # fmt: skip
    assert titles(found) == ["yours, step 3", "ours, step 3"]


def test_the_display_is_a_widget_then_its_twin_then_the_picture(X, monkeypatch):
    shown = []
    monkeypatch.setattr(
        "umlbook.book.page.twin.display", lambda what, raw=False: shown.append(what)
    )
    compared(changed(X, 3, labels=four_wrong), X)._ipython_display_()
    view, twin, picture = shown
    assert set(view) == {VIEW} and VIEW not in twin
    assert twin["text/html"].startswith(f'<div class="{TWIN} {PICTURED}"><style>')
    assert f":has(.{LIVE})" in twin["text/html"] and picture.png.startswith(b"\x89PNG")
    shown.clear()
    compared(ours(X), X)._ipython_display_()
    assert shown == [{"text/html": "<p><b>agree on all 6 steps</b></p>",
                      "text/plain": "agree on all 6 steps"}]  # fmt: skip


# ------------------------------------------------------- debug and check


def opened(spec):
    return exercise(spec.id, seed=7, progress=Progress())


def answers(spec):
    """The reference, every named mistake, and mistakes that any stream can have."""

    def in_dictionaries(*args):
        return (asdict(state) for state in spec.reference(*args))

    def short(*args):
        return islice(spec.reference(*args), 1)

    def floats(*args):
        return (replace(s, labels=s.labels.astype(float)) for s in spec.reference(*args))

    def renamed(*args):
        return (replace(s, labels=s.labels.max() - s.labels) for s in spec.reference(*args))

    return [spec.reference, in_dictionaries, short, floats, renamed,
            *(mistake.wrong for mistake in spec.mistakes)]  # fmt: skip


@pytest.mark.parametrize("spec", STREAMS, ids=lambda spec: spec.id)
def test_debug_disagrees_exactly_where_check_does(spec):
    verdicts = []
    for answer in answers(spec):
        passed = opened(spec).check(answer).passed
        found = opened(spec).debug(answer)
        assert getattr(found, "passed", bool(found)) == passed, repr(found)
        verdicts.append(passed)
    assert verdicts[:2] == [True, True] and not any(verdicts[5:])


@pytest.mark.parametrize("spec", STREAMS, ids=lambda spec: spec.id)
def test_debug_names_the_mistakes_that_check_knows_and_draws_them(spec):
    messages = {mistake.name: mistake.message for mistake in spec.mistakes}
    for mistake in spec.mistakes:
        outcome = opened(spec).check(mistake.wrong)
        found = opened(spec).debug(mistake.wrong)
        if outcome.status is Status.WRONG:
            assert messages[outcome.mistake][1:] in found.cause
            assert len(found.figure().axes) >= 2


def test_debug_runs_on_the_hidden_data_and_says_on_which_the_streams_part():
    (spec,) = (spec for spec in STREAMS if spec.id == "2.6")
    wrong = next(m.wrong for m in spec.mistakes if m.name == "mean of no points")
    found = opened(spec).debug(wrong)
    assert "part for a centre without points; shown: a centre without points." in repr(found)
    assert "They agree for the points in your data" in repr(found)
    right = repr(opened(spec).debug(spec.reference))
    assert right.splitlines()[1:] == [
        "The streams agree for the points in your data, centres at the points and a centre without "
        "points."
    ]


def test_debug_tells_what_check_finds_in_streams_of_equal_values():
    (spec,) = (spec for spec in STREAMS if spec.id == "2.6")

    def strict(attempt):
        return "no state is right"

    found = opened(spec)
    found.spec = replace(spec, properties=[strict])
    said = found.debug(spec.reference)
    assert not said and "ex.check: wrong, for the points in your data: no state is right" in repr(
        said
    )


def test_debug_of_given_states_compares_as_many_as_are_given():
    (spec,) = (spec for spec in STREAMS if spec.id == "2.6")
    ex = opened(spec)
    states = list(islice(spec.reference(*ex.data.values()), 3))
    assert ex.debug(states)
    assert not ex.debug([states[0], states[0]])
    assert ex.debug(spec.reference(*ex.data.values())), "an endless stream, of which 40 are taken"

    def failing():
        yield states[0]
        raise ZeroDivisionError("empty")

    said = ex.debug(failing())
    assert said.status is Status.RAISED and "ZeroDivisionError" in said.reason
