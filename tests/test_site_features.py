"""What a reader can do on a page: a small book with one of each, in a browser."""

import json
import random
import re

import nbformat
import numpy as np
import pytest
from nbformat import v4
from PIL import Image
from support.accessibility import MARK, contrast
from support.browser import running_chromium
from support.site import opened, pixels, quietly_built
from support.waiting import wait_until

from umlbook.book.exercises.bank import all_exercises, all_questions
from umlbook.book.exercises.judge import judge
from umlbook.book.exercises.quiz import Quiz
from umlbook.book.page.figures import PALETTE
from umlbook.book.page.folding import COLLAPSED, fold, is_collapsed, is_folded
from umlbook.book.site.answers import order_rules
from umlbook.book.site.search import plain_text
from umlbook.book.site.squeeze import squeezed
from umlbook.datasets import make_parallel_lines

ORDERS = [spec for spec in all_exercises().values() if spec.kind == "order"]
APPENDIX = [
    "## The paper, line by line\n\nFirst words.\n\n### A\n\nSecond words.",
    "### B\n\n$$y \\tag{1.2}$$",
    "## What to remember\n\nSee (1.2).",
]
WIDE = " + ".join(f"x_{{{i}}}^2" for i in range(40))


def code(source, *outputs, **keys):
    return v4.new_code_cell(source, outputs=list(outputs), **keys)


def printed(text):
    return v4.new_output("execute_result", {"text/plain": text})


# ----------------------------------------------------------------------------------- the rules


@pytest.mark.parametrize(
    ("folded", "cell"),
    [
        (True, code("check('cpd.3', left, right)", printed("(6.3) holds"))),
        (True, code("def f(x):\n    return x\n\n\ncheck('cpd.3', f(1), 1)", printed("holds"))),
        (True, code("import numpy as np\nfrom umlbook import NAML")),
        (True, code("fig, ax = new_figure()\nax.plot(x)\nshow(fig, 'A line.')")),
        (True, code("def drawn(ax, s):\n    ax.plot(s)\n\n\nstepper(run, draw=drawn)")),
        (True, code("from umlbook.book.hands import bend\n\nbend(X)")),
        (True, code("print(1)", metadata={"tags": ["folded"]})),
        (True, code("def share(by):\n    return by\n\n\nexplorer(f, because=share(2))")),
        (True, code("because = f'It is {share(2)}.'")),
        (False, code("check('cpd.3', left, right)", metadata={"tags": ["open"]})),
        (False, code("print(1)")),
        (False, code("def squares(x):\n    return x**2\n\n\ntable({'x': squares(x)})")),
        (False, code("def f(x):\n    return x")),
        (False, code("X = load('wine').data")),
        (False, code("def mine(x):\n    yield x\n\n\nlist(mine(1))", printed("[1]"))),
        (False, code("%time x")),
        (False, code("")),
    ],
)  # fmt: skip
def test_code_is_folded_where_it_draws_or_confirms_and_is_no_algorithm(folded, cell):
    assert is_folded(cell) is folded
    cell.metadata["jupyter"] = {"source_hidden": not folded, "outputs_hidden": True}
    fold(cell)
    assert cell.metadata["jupyter"].get("source_hidden", False) is folded
    assert cell.metadata["jupyter"]["outputs_hidden"] is True


def test_among_exercises_only_the_cell_for_the_answer_is_open():
    answer = code("W = ...", metadata={"nbgrader": {"solution": True}})
    assert not is_folded(answer, exercise=True)
    assert is_folded(code("ex.check(W)"), exercise=True)


@pytest.mark.parametrize(
    ("collapsed", "text"),
    [
        (True, "## The paper, line by line\n\nFirst words."),
        (True, "## Appendix: the paper, line by line"),
        (True, "## Appendix: the measurements, line by line"),
        (True, "## The tables, cell by cell\n\nFirst words."),
        (False, "## The table, line by line"),
        (False, "We read\n\n## The paper, line by line"),
        (False, "### The paper, line by line"),
    ],
)
def test_a_section_that_follows_a_paper_or_its_tables_in_full_is_collapsed(collapsed, text):
    cell = v4.new_markdown_cell(text, metadata={COLLAPSED: not collapsed, "tags": ["kept"]})
    assert is_collapsed(cell) is collapsed
    fold(cell)
    assert cell.metadata == {"tags": ["kept"]} | ({COLLAPSED: True} if collapsed else {})


def test_the_lines_of_the_first_page_are_found_once_they_are_squeezed():
    X, y = make_parallel_lines(200, noise=0.1, random_state=0)
    long, short = squeezed(X, y, [1.0, 6.0])
    assert long.accuracy < 0.6 and short.accuracy == 1.0
    assert long.accuracy == np.mean(long.labels == y) and np.array_equal(short.labels, y)
    # Half of the points of each line are in each cluster.
    assert all(0.3 < np.mean(long.labels[y == line]) < 0.7 for line in (0, 1))
    assert short.sentence == (
        "Horizontal axis divided by 6.0: k-means gets 100% of the 200 points right."
    )


def test_the_text_for_the_search_has_words_and_sections_and_no_code():
    html = (
        '<section id="a"><p class="tools">Download</p>'
        "<p>A &lt; B, \\(\\lambda\\text{ is }x_{1}\\)</p>"
        '<details class="code"><summary>Code</summary><div class="highlight">f(x)</div></details>'
        '<script>no</script><section id="b"><pre>holds</pre></section></section>'
    )
    text = plain_text(html).replace(" ", "")
    assert text == '<sectionid="a">A&lt;B,lambdaisx_1<sectionid="b">holds</section></section>'


# --------------------------------------------------------------------------------- the browser


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A site with a chapter that has one of each, and its exercises."""
    root = tmp_path_factory.mktemp("small")
    stepped = printed("Halving: 3 states\nstep  x\n   0  1\n   1  2\n   2  4")
    stepped.data["text/html"] = "<table><tr><td>1</td></tr></table>"
    cells = [
        v4.new_markdown_cell(f"# 1. One page\n\n$${WIDE} \\tag{{1.1}}$$\n\nBy (1.1)."),
        code("import numpy", id="setup"),
        code("def kept(x):\n    return x"),
        code("check('cpd.3', 1, 1)", v4.new_output("stream", text="(1.1) holds")),
        code('quiz("1.q1")', printed(repr(Quiz(all_questions()["1.q1"], _Nobody())))),
        code("stepper(...)", stepped, id="steps"),
        *map(v4.new_markdown_cell, APPENDIX),
    ]
    exercises = [
        v4.new_markdown_cell("# Exercises 1"),
        *(code(f'ex = exercise("{spec.id}")\nex') for spec in ORDERS),
        code('ex = exercise("1.7")\nex'),
    ]
    for name, made in (("01-one", cells), ("exercises/01-one", exercises)):
        path = root / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True, parents=True)
        nbformat.write(v4.new_notebook(cells=made), path)
    _store_frames(root / "docs" / "frames" / "01-one")
    assert quietly_built(root / "notebooks", root / "site") == []
    return root / "site"


class _Nobody:
    """Nobody's progress."""

    def opened(self, *_):
        return None


def _store_frames(folder):
    folder.mkdir(parents=True)
    steps = []
    for number, grey in enumerate((0, 100, 200)):
        Image.new("RGB", (300, 100), (grey, grey, grey)).save(folder / f"steps-{number:02d}.png")
        said = {"sentence": f"Step {number} of 2", "equations": [], "lamps": {}}
        steps.append({"picture": f"steps-{number:02d}.png", **said})
    words = {"heading": "Halving: 3 states", "equations": [], "steps": steps}
    (folder / "steps.json").write_text(json.dumps(words))


@pytest.fixture(scope="module")
def browser():
    with running_chromium() as chromium:
        yield chromium


def test_the_picture_of_the_first_page_moves_until_it_is_stopped(book, browser):
    with opened(browser, book / "index.html") as page:
        figure = page.locator("figure.squeeze")
        said, play = figure.locator("figcaption"), figure.locator("button")
        first = said.inner_text()
        wait_until(lambda: said.inner_text() != first, "the lines to be squeezed")
        play.click()
        stopped = pixels(figure.locator("svg"))
        assert play.inner_text() == "▶ Play"
        figure.locator("input").press("End")
        assert "divided by 6.0: k-means gets 100%" in said.inner_text()
        assert figure.locator("input").get_attribute("aria-valuetext") == said.inner_text()
        assert figure.locator("path.c0").count() == figure.locator("path.c1").count() == 100
        assert not np.array_equal(stopped, pixels(figure.locator("svg")))


def test_nothing_moves_for_a_reader_who_wants_less_motion(book, browser):
    with opened(browser, book / "index.html", reduced_motion="reduce") as page:
        before = pixels(page.locator("figure.squeeze"))
        assert page.locator("figure.squeeze button").inner_text() == "▶ Play"
        page.evaluate("new Promise(done => setTimeout(done, 1500))")  # it would rest for a second
        assert np.array_equal(before, pixels(page.locator("figure.squeeze")))


def test_folded_code_opens_by_itself_all_at_once_and_on_paper(book, browser):
    with opened(browser, book / "01-one.html") as page:
        folded, switch = page.locator("details.code"), page.locator("button.all-code")
        is_open = "all => all.map(cell => cell.open)"
        assert folded.evaluate_all(is_open) == [False] * 4
        assert page.get_by_text("holds").is_visible() and page.get_by_text("def kept").is_visible()
        folded.first.locator("summary").press("Enter")
        assert folded.evaluate_all(is_open) == [True] + [False] * 3
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert folded.evaluate_all(is_open) == [True] * 4
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert folded.evaluate_all(is_open) == [True] + [False] * 3
        switch.click()
        assert switch.get_attribute("aria-pressed") == "true"
        page.goto((book / "exercises" / "01-one.html").as_uri())
        wait_until(lambda: all(folded.evaluate_all(is_open)), "the switch to be remembered")
        switch.click()
        assert not any(folded.evaluate_all(is_open))


def test_a_collapsed_section_opens_for_a_link_for_all_code_and_on_paper(book, browser):
    with opened(browser, book / "01-one.html") as page:
        section, is_open = page.locator("details.section"), "box => box.open"
        assert not section.evaluate(is_open) and page.get_by_text("First words.").is_visible()
        assert not page.get_by_text("Second words.").is_visible()
        assert section.locator("h3").count() == 2 and section.locator("h2").count() == 0
        page.get_by_role("link", name="(1.2)").click()
        wait_until(lambda: section.evaluate(is_open), "the equation in sight")
        section.evaluate("box => (box.open = false)")
        page.evaluate("dispatchEvent(new Event('hashchange'))")  # for browsers that leave it shut
        assert section.evaluate(is_open)
        section.locator("> summary").press("Enter")
        page.emulate_media(media="print")
        assert page.get_by_text("Second words.").evaluate("words => words.checkVisibility()")
        page.emulate_media(media="screen")
        page.locator("button.all-code").click()
        assert section.evaluate(is_open)
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((book / "01-one.html").as_uri())
        page.get_by_text("Show this section").click()
        assert page.get_by_text("Second words.").is_visible()


def test_without_scripts_code_opens_and_a_quiz_says_where_it_answers(book, browser):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((book / "01-one.html").as_uri())
        page.locator("details.code summary").last.click()
        assert page.get_by_text("stepper(...)").is_visible()
        assert page.get_by_text("To answer it and be told why, run").is_visible()
        assert not page.locator("button.all-code").is_visible()


def test_a_quiz_answers_to_a_click_and_to_keys(book, browser):
    with opened(browser, book / "01-one.html") as page:
        verdict, radios = page.locator(".verdict"), page.locator(".question input")
        assert verdict.get_attribute("role") == "status"
        page.get_by_text("(b) It grows.").click()
        assert re.match(r"✗ Quiz 1.q1: wrong\n+\(b\) Only sums", verdict.inner_text())
        radios.nth(1).press("ArrowUp")  # to the first: chosen, and not yet answered
        assert radios.nth(0).is_checked() and "(b)" in verdict.inner_text()
        radios.nth(0).press("Enter")
        assert re.match(r"✓ Quiz 1.q1: correct\n+\(a\) The means move", verdict.inner_text())


def test_a_stepper_plays_to_its_end_at_the_speed_that_is_chosen(book, browser):
    with opened(browser, book / "01-one.html") as page:
        stepper = page.locator("figure.stepper")
        play, said = stepper.locator("button.play"), stepper.locator("figcaption")
        stepper.locator("select").select_option("4")
        play.press("Enter")
        assert "Pause" in play.inner_text() and said.get_attribute("aria-live") == "off"
        wait_until(lambda: said.inner_text() == "Step 2 of 2", "the last step")
        assert "Play" in play.inner_text() and said.get_attribute("aria-live") == "polite"
        stepper.locator("select").select_option("0.5")
        play.click()
        assert said.inner_text() == "Step 0 of 2"
        stepper.locator("button", has_text="Next").click()
        assert said.inner_text() == "Step 1 of 2" and "Play" in play.inner_text()


def test_a_proof_is_built_by_buttons_that_keep_the_focus(book, browser):
    with opened(browser, book / "exercises" / "01-one.html") as page:
        proof = page.locator(".proof").first  # exercise 1.5
        check, said = proof.get_by_role("button", name="Check"), proof.locator(".verdict")
        check.click()
        assert "not attempted" in said.inner_text()
        for step in "gbaecf":
            proof.get_by_role("button", name=f"Add step ({step})").click()
        check.press("Enter")
        assert "step (g) uses step (b), which comes later" in said.inner_text()
        proof.get_by_role("button", name="Move up step (b)").press("Enter")
        named = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert named == "Move up step (b)" and said.inner_text() == ""
        check.click()
        assert said.inner_text() == "✓ Exercise 1.5: correct"
        proof.get_by_role("button", name="Take out step (f)").click()
        check.click()
        assert "something is missing: 1 more step" in said.inner_text()


@pytest.mark.parametrize("spec", ORDERS, ids=lambda spec: spec.id)
def test_a_page_judges_an_order_as_the_book_does(spec, book, browser):
    draw = random.Random(0)
    letters, right = list(spec.steps), spec.reference()
    orders = [right, right[::-1], right[:-1], "".join(letters), *letters]
    orders += ["".join(draw.sample(letters, draw.randint(1, len(letters)))) for _ in range(200)]
    swaps = [(i, j) for i in range(len(right)) for j in range(i)]
    orders += [_swapped(right, i, j) for i, j in swaps]
    cases = spec.cases(np.random.default_rng(0))
    with opened(browser, book / "exercises" / "01-one.html") as page:
        judged = page.evaluate(
            "([orders, rules]) => orders.map(order => judgedOrder(order, rules))",
            [orders, order_rules(spec) | {"signs": {}}],
        )
    ours = [judge(spec, order, cases) for order in orders]
    assert [(said["word"], said["why"]) for said in judged] == [(o.status, o.reason) for o in ours]
    assert sum(outcome.passed for outcome in ours) >= 1
    assert len({outcome.mistake for outcome in ours}) > len(spec.mistakes)  # all, and none


def _swapped(order, i, j):
    letters = list(order)
    letters[i], letters[j] = letters[j], letters[i]
    return "".join(letters)


@pytest.mark.parametrize("name", ["index.html", "01-one.html", "exercises/01-one.html"])
def test_every_control_has_a_name_and_is_reached_by_tab(name, book, browser):
    with opened(browser, book / name, reduced_motion="reduce") as page:
        article = page.locator("article")
        named = """all => all.filter(control => control.checkVisibility()).map(control =>
          [control.textContent, control.ariaLabel, control.labels?.[0]?.textContent]
            .map(text => (text ?? "").trim()).find(Boolean) ?? control.outerHTML)"""
        names = article.locator("button, input, select, summary").evaluate_all(named)
        assert len(names) > 1 and not any(words.startswith("<") for words in names)
        backward = "all => all.filter(control => control.tabIndex !== 0).length"
        assert (
            article.locator("button, input, select, summary, a[href]").evaluate_all(backward) == 0
        )


def test_the_marks_of_the_first_page_stand_out_in_both_themes():
    for ground in ("#ffffff", "#131416"):
        assert min(contrast(colour, ground) for colour in PALETTE[:2]) >= MARK


def test_a_wide_equation_keeps_its_number_on_a_phone_and_fits_on_paper(book, browser):
    with opened(browser, book / "01-one.html", viewport={"width": 390, "height": 800}) as page:
        box, number = (page.locator(f"[id='eq-1.1'] {part}") for part in (".math", ".number"))
        assert box.evaluate("box => box.scrollWidth > box.clientWidth + 200")
        place = number.bounding_box()
        assert place["x"] > 250 and place["x"] + place["width"] <= 390
        page.emulate_media(media="print")
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth + 1")


def test_search_shows_excerpts_from_a_folder(book, browser):
    with opened(browser, book / "search.html") as page:
        page.locator("input[name=q]").first.fill("distance")
        page.keyboard.press("Enter")
        found = page.locator("#search-results")
        wait_until(lambda: "only as good as its distance" in found.inner_text(), "an excerpt")
        assert found.locator("li .highlighted").first.inner_text() == "distance"
