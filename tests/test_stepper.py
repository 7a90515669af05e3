"""The stepper shows what the stream holds and moves without Python."""

import re
import subprocess
import sys
from copy import deepcopy
from dataclasses import dataclass

import nbformat
import numpy as np
import pytest
from ipywidgets.embed import dependency_state
from nbclient import NotebookClient
from support.waiting import HANGS

from umlbook.book.page import frames
from umlbook.book.page.draw_points import draw_clusters
from umlbook.book.page.invariants import monotone, on_simplex, orthonormal, psd, rows_sum_to_one
from umlbook.book.page.stepper import stepper


@dataclass(frozen=True)
class Lloyd:
    """State of Lloyd's algorithm."""

    labels: np.ndarray
    centers: np.ndarray
    objective: float


@pytest.fixture
def X(rng):
    return np.concatenate([rng.normal(c, 0.5, (15, 2)) for c in ((0, 0), (3, 0), (1.5, 2))])


def lloyd(X):
    """Endless Lloyd iterations from the first three points."""
    centers = X[:3]
    while True:
        labels = ((X[:, None] - centers) ** 2).sum(-1).argmin(1)
        yield Lloyd(labels, centers, float(((X - centers[labels]) ** 2).sum()))
        centers = np.array([X[labels == k].mean(0) for k in range(3)])


def scattered(X):
    return lambda ax, state: draw_clusters(ax, X, state.labels)


# ---------------------------------------------------------------- the table


def test_the_text_is_the_table_of_iterations(X):
    run = stepper(lloyd(X), title="Lloyd", invariants={"falls": monotone()}, max_steps=4)
    heading, header, *rows = repr(run).splitlines()
    assert heading == "Lloyd: the first 4 states"
    assert header.split() == ["step", "objective", "falls"]
    objectives = [float(row.split()[1]) for row in rows]
    assert np.allclose(objectives, [s.objective for s in run.states], rtol=1e-5)
    assert [row.split(maxsplit=2)[2] for row in rows] == ["not yet", "holds", "holds", "holds"]


def test_the_text_does_not_change_with_the_last_bits():
    path = [3.0, 1 / 3, 1e-17]
    states = [{"objective": x} for x in path]
    noisy = [{"objective": x * (1 + 1e-13)} for x in path[:2]] + [{"objective": -2e-17}]
    assert repr(stepper(states)) == repr(stepper(noisy))


def test_an_endless_stream_is_cut_and_a_finite_one_is_complete(X):
    assert len(stepper(lloyd(X)).states) == 50
    run = stepper([{"objective": 1}])
    assert run.complete and repr(run).startswith("1 state\n")


def test_quantities_may_be_functions_of_the_state(X):
    run = stepper(lloyd(X), quantities={"spread": lambda s: s.centers.std()}, max_steps=2)
    assert run.values["spread"] == [s.centers.std() for s in run.states]


@pytest.mark.parametrize(
    ("states", "keywords", "error", "message"),
    [
        ([], {}, ValueError, "states is empty"),
        ([{"a": 1}], {}, AttributeError, "no 'objective'; it has a"),
        ([{"objective": [1, 2]}], {}, ValueError, r"shape \(2,\): one number"),
        ([{"a": 1}], {"quantities": ()}, ValueError, "nothing to show"),
        ([{"objective": 1}], {"max_steps": 0}, ValueError, "max_steps is 0"),
    ],
)
def test_bad_streams_are_refused_with_a_reason(states, keywords, error, message):
    with pytest.raises(error, match=message):
        stepper(states, **keywords)


# --------------------------------------------------------------- invariants


@pytest.mark.parametrize(
    ("invariant", "good", "bad"),
    [
        (psd("v"), [[2, 1], [1, 2]], [[1, 2], [2, 1]]),
        (psd("v"), [[1, 0], [0, 0]], [[1, 0.5], [0, 1]]),
        (on_simplex("v"), [0.25, 0.75, 0], [0.5, 0.6, -0.1]),
        (on_simplex("v"), [1.0], [0.5, 0.4]),
        (rows_sum_to_one("v"), [[2, -1], [0.5, 0.5]], [[1, 0], [1, 1]]),
        (orthonormal("v"), [[0.6, 0.8], [-0.8, 0.6], [0, 0]], [[1, 0], [1, 0]]),
    ],
)
def test_invariants_tell_good_from_bad(invariant, good, bad):
    assert invariant(None, {"v": np.array(good)}) is True
    assert invariant(None, {"v": np.array(bad)}) is False


def test_monotone_forgives_rounding_only_and_knows_its_direction():
    down, up = monotone("v"), monotone("v", sign=1)
    assert down(None, {"v": 1.0}) is None
    assert down({"v": 1.0}, {"v": 1.0 + 1e-12}) is True
    assert down({"v": 1.0}, {"v": 1.001}) is False
    assert up({"v": 1.0}, {"v": 1.001}) is True
    assert up({"v": 1.0}, {"v": 0.999}) is False


def test_a_broken_promise_is_named_with_its_steps_and_shown_without_colour():
    run = stepper(
        [{"objective": x} for x in (3, 2, 2.5, 1)],
        invariants={"falls": monotone(), "small": lambda before, after: np.bool_(True)},
    )
    assert run.broken == {"falls": [2]}
    readout = run.panel(2).children[-1].value
    assert "✗" in readout and "falls: broken" in readout and "small: holds" in readout
    assert "falls: broken" in run.sentence(2)


# ---------------------------------------------------------------- the widget


def test_the_saved_widget_moves_by_links_of_the_browser_alone(X):
    run = stepper(lloyd(X), draw=scattered(X), max_steps=3)
    state = dependency_state([run.widget])
    by_model = {}
    for key, model in state.items():
        by_model.setdefault(model["model_name"], []).append((key, model["state"]))
    ((play, _),), ((slider, _),) = by_model["PlayModel"], by_model["IntSliderModel"]
    ((stack, stack_state),) = by_model["StackModel"]
    links = {
        (link["source"][0][-32:], link["source"][1], link["target"][0][-32:], link["target"][1])
        for _, link in by_model["LinkModel"]
    }
    assert links == {
        (play, "value", slider, "value"),
        (slider, "value", stack, "selected_index"),
    }
    assert len(stack_state["children"]) == 3


def test_no_python_callback_moves_the_picture(X):
    run = stepper(lloyd(X), draw=scattered(X), max_steps=3)
    _, controls, stack = run.widget.children
    controls.children[1].value = 2
    assert stack.selected_index == 0


def test_every_step_has_its_own_picture_with_its_numbers_as_alternative_text(X):
    run = stepper(lloyd(X), draw=scattered(X), title="Lloyd", max_steps=3)
    pictures = [panel.children[0].value for panel in run.widget.children[-1].children]
    assert len({re.search('base64,(.*?)"', picture).group(1) for picture in pictures}) == 3
    assert not np.array_equal(run._paths.pixels(0), run._paths.pixels(1))  # the ring moves
    alts = [re.search('alt="(.*?)"', picture).group(1) for picture in pictures]
    assert alts[1].startswith("Lloyd. Step 1 of 2: objective ")


def test_equations_are_shown_throughout_or_follow_the_state():
    states = [{"objective": x, "t": t} for t, x in enumerate((3.0, 2.0))]
    shared = stepper(states, equations=["a < b", "c"]).widget.children[2]
    assert shared.value == "<div>$$a &lt; b$$</div><div>$$c$$</div>"
    stack = stepper(states, equations=lambda s: f"x_{s['t']}").widget.children[-1]
    shown = [panel.children[1].value for panel in stack.children]
    assert shown == ["<div>$$x_0$$</div>", "<div>$$x_1$$</div>"]


def test_a_single_state_has_a_picture_and_no_controls():
    run = stepper([{"objective": 1.0}])
    assert len(run.widget.children) == 2


def test_the_bundle_has_view_html_and_text(X):
    run = stepper(lloyd(X), title="A < B", max_steps=2)
    bundle = run._repr_mimebundle_()
    assert set(bundle) == {
        "application/vnd.jupyter.widget-view+json", "text/html", "text/plain"
    }  # fmt: skip
    assert bundle["text/plain"] == repr(run)
    assert "A &lt; B" in bundle["text/html"] and "<table>" in bundle["text/html"]


def test_frames_hold_what_the_widget_shows_and_come_only_when_asked_for(X, monkeypatch):
    monkeypatch.setenv(frames.WANTED, "1")
    run = stepper(
        lloyd(X), draw=scattered(X), equations="a < b", invariants={"falls": monotone()},
        title="Lloyd", max_steps=3,
    )  # fmt: skip
    stored = run._repr_mimebundle_()[frames.MIME]
    assert (stored["heading"], stored["equations"]) == ("Lloyd: the first 3 states", ["a < b"])
    panels = [panel.children[0].value for panel in run.widget.children[-1].children]
    for number, (step, panel) in enumerate(zip(stored["steps"], panels, strict=True)):
        assert step["png"] in panel, "another picture than the widget's"
        assert step["sentence"] == run.sentence(number)
    assert stored["steps"][1]["lamps"] == {"falls": "holds"}
    monkeypatch.delenv(frames.WANTED)
    assert frames.MIME not in run._repr_mimebundle_()


def test_frames_have_the_equations_of_their_step():
    states = [{"objective": x, "t": t} for t, x in enumerate((3.0, 2.0))]
    shown = stepper(states, equations=lambda s: [f"x_{s['t']}"]).frames()
    assert shown["equations"] == []
    assert [step["equations"] for step in shown["steps"]] == [["x_0"], ["x_1"]]


def test_the_static_twin_shows_the_chosen_states_above_the_paths(X):
    run = stepper(lloyd(X), draw=scattered(X), max_steps=4)
    titles = [ax.get_title(loc="left") for ax in run.figure((0, 1, -1, 3, 9)).axes]
    assert titles == ["step 0", "step 1", "step 3", ""]
    assert len(stepper([{"objective": 1.0}]).figure().axes) == 1


# -------------------------------------------------------------------- nbval

PAGE = """
import numpy as np
from umlbook.book.page.explorer import explorer
from umlbook.book.page.figures import new_figure, show
from umlbook.book.page.draw import draw_path
from umlbook.book import compare, monotone, stepper
def view(base):
    fig, ax = new_figure(3, 2)
    draw_path(ax, base ** -np.arange(5.0), label="x")
    return fig, f"With base {base} the last of five values is {base ** -4.0:.4f}."
def halving(n):
    return [{"objective": 0.5 ** t} for t in range(n)]
# %%
show(view(2.0)[0], "Halving five times brings the value from one down to 0.0625.")
# %%
stepper(halving(5), invariants={"falls": monotone()}, title="Halving")
# %%
compare(halving(5), halving(4), quantities=["objective"], draw=lambda ax, s: ax.plot([0, 1]))
# %%
explorer(view, question="Is the last value of base 4 half of that of base 2?",
         sliders={"base": [2.0, 4.0]}, choices=["yes", "no, it is less"])
"""


def with_other_outputs(page, good, bad):
    """Return a copy of a page whose stored outputs, not its source, say `bad` for `good`."""
    copy = deepcopy(page)
    for output in (output for cell in copy.cells for output in cell.outputs):
        for kind, text in output.data.items():
            if kind.startswith("text/"):
                output.data[kind] = text.replace(good, bad)
    assert copy != page
    return copy


def test_figures_steppers_and_explorers_pass_strict_nbval_and_an_altered_digit_fails(tmp_path):
    cells = [nbformat.v4.new_code_cell(code.strip()) for code in PAGE.split("# %%")]
    client = NotebookClient(
        nbformat.v4.new_notebook(cells=cells),
        kernel_name="python3", startup_timeout=HANGS, iopub_timeout=HANGS,
    )  # fmt: skip
    page = client.execute()
    altered = with_other_outputs(page, "down to 0.0625", "down to 0.0626")
    altered = with_other_outputs(altered, "0.12500", "0.12501")
    nbformat.write(page, tmp_path / "page.ipynb")
    nbformat.write(altered, tmp_path / "altered.ipynb")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-c", "/dev/null", "--rootdir=."]
    command += ["-p", "no:cacheprovider", "--nbval", "--nbval-current-env", "."]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    outcomes = re.findall(r"^(PASSED|FAILED) (\w+)\.ipynb::Cell (\d)", result.stdout, re.MULTILINE)
    failed = {(name, int(cell)) for outcome, name, cell in outcomes if outcome == "FAILED"}
    assert len(outcomes) == 10, result.stdout
    assert failed == {("altered", 1), ("altered", 2)}, result.stdout  # the figure, the stepper
