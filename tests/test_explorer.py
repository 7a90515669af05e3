"""The explorer asks first, follows every slider, judges, and leaves a static twin behind."""

import ast
import json
from html import escape
from pathlib import Path

import numpy as np
import pytest

from umlbook.book.page.draw import draw_kernel
from umlbook.book.page.explorer import explorer
from umlbook.book.page.figures import new_figure

QUESTION = "Will the mean of the kernel double when sigma doubles?"
SLIDERS = {"sigma": [0.5, 1.0, 2.0, 4.0], "points": [5, 20]}
CHOICES = ["it doubles", "it grows by less", "it <falls>"]


def kernel(sigma, points):
    x = np.linspace(0, 5, points)
    return np.exp(-((x[:, None] - x) ** 2) / (2 * sigma**2))


def view(sigma, points):
    fig, ax = new_figure(3, 2.4)
    K = kernel(sigma, points)
    draw_kernel(ax, K)
    return fig, f"The mean of the kernel on {points} points is {K.mean():.3f} at sigma {sigma:g}."


@pytest.fixture
def panel():
    return explorer(view, question=QUESTION, sliders=SLIDERS, choices=CHOICES)


def test_nothing_is_shown_before_a_prediction(panel):
    assert not panel.revealed and panel.picture == ""
    panel.predict("it grows by less")
    assert panel.revealed and "data:image/png" in panel.picture
    assert "it grows by less" in panel._reply.value


def test_a_click_on_show_me_reveals_without_a_prediction(panel):
    panel._button.click()
    assert panel.revealed and panel._button.layout.display == "none"
    assert panel._result.layout.display == ""  # None would not show it where the kernel is a page's


def test_a_slider_moved_before_the_prediction_draws_nothing(panel):
    panel._sliders["sigma"].value = 2.0
    assert panel.picture == ""
    panel.reveal()
    assert "at sigma 2" in panel._caption.value


def test_every_position_of_every_slider_draws_its_own_picture_and_sentence(panel):
    pictures = set()
    for sigma in SLIDERS["sigma"]:
        for points in SLIDERS["points"]:
            panel.set(sigma=sigma, points=points)
            expected = view(sigma, points)[1]
            assert panel.values == {"sigma": sigma, "points": points}
            assert panel.sentence == expected
            assert expected in panel._caption.value and expected in panel.picture
            pictures.add(panel.picture)
    assert len(pictures) == 8


def test_several_sliders_set_at_once_draw_once():
    calls = []

    def counted(sigma, points):
        calls.append((sigma, points))
        return view(sigma, points)

    panel = explorer(counted, question=QUESTION, sliders=SLIDERS)
    panel.reveal()
    calls.clear()
    panel.set(sigma=2.0, points=20)
    assert calls == [(2.0, 20)]
    panel.set(sigma=2.0)
    assert calls == [(2.0, 20)]  # seen before, not computed again


def test_sliders_wait_until_they_are_let_go(panel):
    assert not any(slider.continuous_update for slider in panel._sliders.values())


def test_an_error_in_the_function_is_said_in_the_panel_and_passes(panel):
    def fragile(sigma):
        if sigma > 1:
            raise ZeroDivisionError("no <points> left")
        return view(sigma, 5)

    panel = explorer(fragile, question=QUESTION, sliders={"sigma": [1.0, 2.0]})
    panel.set(sigma=2.0)
    assert panel.sentence == "ZeroDivisionError: no <points> left"
    assert "no &lt;points&gt; left" in panel._caption.value
    assert "data:image/png" not in panel.picture
    panel.set(sigma=1.0)
    assert "data:image/png" in panel.picture


def test_an_error_at_the_start_is_the_authors_and_is_raised():
    def broken(sigma):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        explorer(broken, question=QUESTION, sliders={"sigma": [1.0]})


def test_the_text_is_the_question_and_sentences_for_a_few_values(panel):
    lines = repr(panel).splitlines()
    assert lines[:2] == [f"Predict: {QUESTION}", "  ( ) it doubles"]
    sentences = [line for line in lines if "The mean" in line]
    assert len(sentences) == 4  # sigma 0.5, 1, 4 at 5 points, and 0.5 at 20
    for params in ((0.5, 5), (1.0, 5), (4.0, 5), (0.5, 20)):
        assert any(view(*params)[1] in line for line in sentences)


def test_the_bundle_hides_the_answer_and_escapes_the_choices(panel):
    bundle = panel._repr_mimebundle_()
    question, answer = bundle["text/html"].split("<details>")
    assert "it &lt;falls&gt;" in question and "The mean" not in question
    assert "The mean" in answer
    assert bundle["text/plain"] == repr(panel)
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_the_text_does_not_depend_on_where_the_reader_left_the_sliders(panel):
    before = repr(panel)
    panel.set(sigma=4.0, points=20)
    assert repr(panel) == before


def test_without_choices_the_reader_writes_a_prediction():
    panel = explorer(view, question=QUESTION, sliders=SLIDERS)
    panel.predict("<b>half</b>")
    assert panel.revealed and "&lt;b&gt;half" in panel._reply.value


def test_the_twin_sets_small_pictures_in_a_row_and_large_ones_in_a_column(panel):
    assert panel.twin().get_size_inches().tolist() == pytest.approx([9.0, 2.66])
    assert [text.get_text() for text in panel.twin("points").texts] == ["points = 5", "points = 20"]
    wide = explorer(lambda a: (new_figure(6, 2)[0], "said"), question="?", sliders={"a": [1, 2]})
    assert wide.twin().get_size_inches().tolist() == pytest.approx([6.0, 4.52])


def test_the_twin_holds_the_pictures_pixel_for_pixel(panel):
    from umlbook.book.page.figures import pixels

    whole = pixels(panel.twin("sigma", [0.5, 4.0]))
    for part, sigma in ((whole[52:, :600], 0.5), (whole[52:, 600:], 4.0)):
        alone = pixels(panel.figure(sigma=sigma))
        # Twice through eight bits: a colour that is hardly seen may differ by its rounding.
        light = [picture[..., :3] * (picture[..., 3:] / 255) for picture in (part, alone)]
        assert np.abs(light[0] - light[1]).max() <= 3
        assert np.abs(part[..., 3].astype(int) - alone[..., 3]).max() <= 2


def test_a_sentence_function_serves_a_function_that_only_draws():
    panel = explorer(
        lambda sigma: view(sigma, 5)[0],
        sentence=lambda sigma: f"Sigma is {sigma}.",
        question=QUESTION,
        sliders={"sigma": [1, 2]},
        start={"sigma": 2},
    )
    assert panel.sentence == "Sigma is 2."


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"sliders": {"sigma": []}}, ValueError, "at least one value"),
        ({"sliders": {}}, ValueError, "at least one value"),
        ({"sliders": {"sigma": [1.0]}}, ValueError, "points"),
        ({"sliders": {**SLIDERS, "width": [1]}}, ValueError, "width"),
        ({"question": " "}, ValueError, "question is empty"),
        ({"start": {"sigma": 3.0}}, ValueError, "no value 3.0"),
        ({"start": {"eta": 3.0}}, ValueError, "no slider 'eta'"),
        ({"sentence": lambda sigma, points: "said"}, TypeError, "a pair"),
    ],
)
def test_bad_panels_are_refused_with_a_reason(change, error, message):
    with pytest.raises(error, match=message):
        explorer(view, **{"question": QUESTION, "sliders": SLIDERS, **change})


def test_setting_or_predicting_what_is_not_offered_says_what_is(panel):
    with pytest.raises(ValueError, match=r"\[0.5, 1.0, 2.0, 4.0\]"):
        panel.set(sigma=7)
    with pytest.raises(ValueError, match="it doubles"):
        panel.predict("maybe")


# --------------------------------------------------------------- the verdict

BECAUSE = "The kernel is at most <one>."


@pytest.fixture
def judged():
    return explorer(
        view,
        question=QUESTION,
        sliders=SLIDERS,
        choices=CHOICES,
        answer=CHOICES[1],
        because=BECAUSE,
    )


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (CHOICES[1], f"✓ Your prediction held: {CHOICES[1]}. {BECAUSE}"),
        (CHOICES[0], f"✗ You predicted: {CHOICES[0]}. The answer is another one: {CHOICES[1]}. "
                     f"{BECAUSE}"),
        ("", f"The answer: {CHOICES[1]}. {BECAUSE}"),
    ],
)  # fmt: skip
def test_the_panel_says_on_request_whether_the_prediction_held_and_why(judged, said, verdict):
    if said:
        judged.predict(said)
    judged.reveal()
    assert judged.verdict == "" and "press the button" in judged._reply.value
    judged._judge.click()
    assert escape(verdict) in judged.verdict and 'role="status"' in judged.verdict


def test_the_verdict_follows_a_prediction_that_is_changed(judged):
    judged.predict(CHOICES[0])
    judged.judge()
    judged.predict(CHOICES[1])
    assert judged.verdict.count("✓") == 1


def test_an_answer_with_a_full_stop_of_its_own_gets_no_second_one():
    panel = explorer(
        view, question=QUESTION, sliders=SLIDERS, choices=["Yes.", "No."], answer="No.",
        because=BECAUSE,
    )  # fmt: skip
    said = [panel.prediction.verdict(choice) for choice in ("Yes.", "No.", "")]
    assert not any(".." in text or "No.:" in text for text in [*said, repr(panel)])


def test_a_written_prediction_is_set_beside_the_answer_and_not_judged():
    panel = explorer(
        view, question=QUESTION, sliders=SLIDERS, answer="it grows by less", because=BECAUSE
    )
    panel.predict("twice")
    panel.judge()
    assert "You predicted: twice. The answer: it grows by less." in panel.verdict
    assert "✓" not in panel.verdict and "✗" not in panel.verdict


def test_a_panel_without_an_answer_has_no_button_for_it(panel, judged):
    assert panel._judge not in panel._result.children and judged._judge in judged._result.children
    with pytest.raises(ValueError, match="has no answer"):
        panel.judge()


def test_the_twin_folds_the_answer_and_the_text_ends_with_it(judged):
    shown, _, told = judged._repr_mimebundle_()["text/html"].rpartition("<details>")
    assert BECAUSE not in shown and escape(BECAUSE) in told and CHOICES[1] in told
    assert repr(judged).splitlines()[-1] == f"Answer: {CHOICES[1]}. {BECAUSE}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": "maybe", "because": BECAUSE}, "one of the choices"),
        ({"answer": CHOICES[0]}, "answer and because together"),
        ({"because": BECAUSE}, "answer and because together"),
    ],
)
def test_an_answer_that_cannot_be_judged_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        explorer(view, question=QUESTION, sliders=SLIDERS, choices=CHOICES, **change)


def explorer_calls():
    """Every call of `explorer` in the book, with the name of its page and its cell."""
    for path in sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code" and "explorer(" in source:
                for node in ast.walk(ast.parse(source)):
                    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "explorer":
                        yield pytest.param(node, cell, id=f"{path.stem}-{cell['id']}")


@pytest.mark.parametrize(("call", "cell"), list(explorer_calls()))
def test_every_panel_of_the_book_computes_its_answer_and_gives_a_reason(call, cell):
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    assert not isinstance(given["answer"], ast.Constant), "the answer is typed, not computed"
    assert "because" in given
    texts = ["".join(out.get("data", {}).get("text/plain", "")) for out in cell["outputs"]]
    assert any(text.splitlines()[-1].startswith("Answer: ") for text in texts if text)
    assert cell["metadata"].get("jupyter", {}).get("source_hidden") or all(
        isinstance(part, ast.Name) for part in [given["because"]]
    ), "the reason stands in plain sight, in the source"
