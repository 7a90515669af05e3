"""The static pages: whole, linked, captioned, and alive in a browser that has no network."""

import base64
import functools
import json
import re
import subprocess
import sys
from html import escape, unescape
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat import v4
from support.browser import is_blank, running_chromium
from support.site import opened, pixels, small_book
from support.waiting import wait_until

from umlbook.book.exercises.bank import all_exercises, all_questions
from umlbook.book.ledger import entries
from umlbook.book.ledger.glossary import terms
from umlbook.book.ledger.notation import symbols
from umlbook.book.page import frames
from umlbook.book.page.folding import is_folded
from umlbook.book.site.api.names import public
from umlbook.book.site.build import MARKER
from umlbook.book.site.checks import contents, external_loads, link_problems
from umlbook.book.site.pages import IS_STEPPER, page_source, pages_in
from umlbook.book.site.references import with_equation_links

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "notebooks"
CHAPTERS = sorted(NOTEBOOKS.glob("*.ipynb"))
WITH_STEPPER = "06-coherent-point-drift.html"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The whole site, made by the command."""
    out = tmp_path_factory.mktemp("made") / "site"
    arguments = [sys.executable, "-m", "umlbook", "site", "--out", str(out)]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"The book is at {out / 'index.html'}" in done.stdout
    return out


def outputs(path):
    """Each output of a notebook, with its cell."""
    for cell in nbformat.read(path, 4).cells:
        for output in cell.get("outputs", []):
            yield cell, output


def text_of(page):
    return page.read_text(encoding="utf-8")


# ------------------------------------------------------------------------------- the pages


def test_every_chapter_and_exercise_has_a_page_and_no_solution_has(site):
    wanted = {path.relative_to(NOTEBOOKS) for path in NOTEBOOKS.glob("**/*.ipynb")}
    wanted = {path for path in wanted if path.parts[0] not in ("solutions", ".ipynb_checkpoints")}
    assert len(wanted) > 15
    assert [
        path for path in sorted(wanted) if not (site / path.with_suffix(".html")).exists()
    ] == []
    assert not (site / "solutions").exists()
    start = text_of(site / "00-start-here.html")
    assert "<code" in start and "notebooks/solutions/01-kmeans-is-a-trace.ipynb" in start


def test_a_teacher_gets_pages_for_the_solutions_too():
    names = {page.name for page in pages_in(NOTEBOOKS, solutions=True)}
    assert "solutions/01-kmeans-is-a-trace" in names
    source = page_source(pages_in(NOTEBOOKS)[0], names)
    assert "(solutions/01-kmeans-is-a-trace.md)" in source.text


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_figure_has_its_sentence_as_a_caption_that_can_be_read(site, path):
    pictures = [output.data for _, output in outputs(path) if "image/png" in output.get("data", {})]
    html = text_of(site / f"{path.stem}.html")
    captions = re.findall(r"<img [^>]*>\s*<figcaption[^>]*>(.*?)</figcaption>", html, re.DOTALL)
    said = [unescape(re.sub("<[^>]*>", "", caption)) for caption in captions]
    assert said == [data["text/plain"] for data in pictures]
    assert "umlbook-caption" not in html, "a caption stands twice"


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_stepper_has_frames_that_agree_with_its_table(path):
    folder = frames.frames_folder(path)
    stored = set()
    for cell, output in outputs(path):
        text = output.get("data", {}).get("text/plain", "")
        if IS_STEPPER.match(text):
            found = frames.read_frames(folder, cell.id)
            assert found is not None, f"no frames: run `umlbook refresh {path.relative_to(ROOT)}`"
            heading, _, *rows = text.splitlines()
            assert (found.heading, len(found.steps)) == (heading, len(rows))
            for row, step in zip(rows, found.steps, strict=True):
                numbers = re.findall(r"(?<![\w.-])-?\d+(?:\.\d+)?(?:e[-+]\d+)?(?![\w.])", row)[1:]
                assert all(number in step.sentence for number in numbers), (row, step.sentence)
            stored |= {f"{cell.id}.json", *(step.picture.name for step in found.steps)}
    assert set(frames.stored_files(folder)) == stored, "files of a stepper that is gone"


def test_equations_of_the_ledger_are_linked_from_concordance_and_errata(site):
    numbered = {entry.number for entry in entries() if entry.number}
    html = text_of(site / "concordance.html")
    assert set(re.findall(r'class="equation" href="[\w-]+\.html#eq-([\d.]+)"', html)) == numbered
    wrong = {e.number for e in entries() if e.number and e.status in ("corrected", "fails")}
    errata = text_of(site / "errata.html")
    assert set(re.findall(r'href="[\w-]+\.html#eq-([\d.]+)"', errata)) == wrong
    assert errata.count("in print:") > len(wrong) / 2


def test_references_in_prose_and_in_outputs_lead_to_the_equation(site):
    html = text_of(site / WITH_STEPPER)
    assert '<div class="numbered" id="eq-6.3"><div class="math">' in html
    assert 'by <a class="equation" href="01-kmeans-is-a-trace.html#eq-1.12">(1.12)</a>' in html
    assert '<pre><a class="equation" href="#eq-6.2">(6.2)</a> CPD-UML Eq. 5 holds' in html


def test_live_panels_have_twins_that_say_where_the_live_one_is(site):
    twins = text_of(site / "00-start-here.html").split('<div class="output twin')[1:]
    assert len(twins) == 2  # the first slider and the quiz
    assert all("run <code>umlbook</code> and open" in twin.split("<section")[0] for twin in twins)
    exercise = text_of(site / "exercises" / "01-kmeans-is-a-trace.html")
    assert exercise.count("<b>Check</b>, <b>Hint</b> and <b>Solution</b> are live") > 3


SCRIPTED = """<svg id="dots"></svg><script>
document.getElementById("dots").innerHTML = "<p>`</p>" + (1 < 2 && "$x$ (1.1)");
</script>"""


def test_outputs_of_every_kind_have_their_look(tmp_path):
    def shown(**texts):
        data = {f"text/{kind}": text for kind, text in texts.items()}
        return v4.new_output("display_data", data)

    kinds = {
        '<div class="output tex2jax_process"><pre>1 &lt; 2\n</pre></div>':
            v4.new_output("stream", text="1 < 2\n"),
        '<pre class="raised">ZeroDivisionError: by &lt;zero&gt;</pre>':
            v4.new_output("error", ename="ZeroDivisionError", evalue="by <zero>"),
        "<pre>&#x27;words&#x27;</pre>": shown(plain="'words'"),
        "<b>bold</b>": shown(plain="bold", html="<b>bold</b>"),
        "| a |\n|---|\n| 1 |": shown(plain="a\n1", markdown="| a |\n|---|\n| 1 |"),
        '<input type="radio" name="quiz-1-q1" value="c">':
            shown(plain="Quiz 1.q1: so?\n (a) yes\n (b) no"),
        "<pre>Quiz of mine: so?</pre>": shown(plain="Quiz of mine: so?"),
        SCRIPTED: shown(plain="dots", html=SCRIPTED),
        "<i>[Run]</i><p class=\"live\">In JupyterLab this panel is live: run":
            shown(plain="[Run] [Stop]", html="<i>[Run]</i>"),
    }  # fmt: skip
    cell = v4.new_code_cell("x", outputs=list(kinds.values()))
    (page,) = pages_in(small_book(tmp_path, cell))
    text = page_source(page, {page.name}).text
    assert [html for html in kinds if html not in text] == []
    assert SCRIPTED in with_equation_links(f'<div class="output">{SCRIPTED}</div>', "one", {})[0]


def test_what_a_cell_shows_stands_in_sight_and_its_code_is_folded(site):
    for path in CHAPTERS:
        html = text_of(site / f"{path.stem}.html")
        folded = re.findall(r'<details class="code">.*?</details>', html, re.DOTALL)
        cells = [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
        assert len(folded) == sum(map(is_folded, cells)) >= len(cells) / 6, path.name
        assert not any('class="output' in code for code in folded), path.name
        assert all("<pre>" in code for code in folded), path.name


def test_every_page_offers_the_notebook_that_it_was_made_from(site):
    for path in [*CHAPTERS, *NOTEBOOKS.glob("exercises/*.ipynb")]:
        page = (site / path.relative_to(NOTEBOOKS)).with_suffix(".html")
        (address,) = re.findall(r'<a href="([^"]*)" download', text_of(page))
        assert (page.parent / address).read_bytes() == path.read_bytes()


def test_every_quiz_answers_and_no_answer_can_be_read_in_the_source(site):
    pages = {path: text_of(path) for path in site.rglob("*.html")}
    veiled = dict(found for html in pages.values() for found in re.findall(
        r'data-label="(?:Quiz|Exercise) ([\w.]+)" data-said="([^"]*)"', html))  # fmt: skip
    asked = {key for key in all_questions() if any(f"Quiz {key}<" in h for h in pages.values())}
    steps = {key for key, spec in all_exercises().items() if spec.kind == "choice"}
    assert set(veiled) == asked | steps and len(asked) > 15 and len(steps) >= 4
    for key, question in ((key, all_questions()[key]) for key in asked):
        said = json.loads(base64.b64decode(veiled[key]))
        assert [said[letter]["right"] for letter in said] == [c.right for c in question.choices]
        assert not any(escape(c.why) in html for html in pages.values() for c in question.choices)


def test_the_first_page_has_doors_and_the_question_of_every_chapter(site):
    html = text_of(site / "index.html")
    assert re.findall(r"<a href=[^>]*><b>(\w+)</b>", html) == ["Read", "Run", "Install"]
    asked = re.findall(r'href="([\w-]+)\.html">[^<]*</a><p class="asks">[^<]+\?', html)
    assert asked == [path.stem for path in CHAPTERS if path.name[:2] != "00"]


def test_a_page_loads_only_the_scripts_that_it_needs(site):
    def scripts(name):
        return set(re.findall(r'src="(?:\.\./)?_static/([\w-]+\.js)', text_of(site / name)))

    own = {"answers.js", "fold.js", "formulas.js", "mathjax.js", "proof.js", "squeeze.js"}
    assert scripts("index.html") & own == {"squeeze.js"}
    assert scripts("notation.html") & own == {"formulas.js", "mathjax.js"}
    assert scripts("exercises/01-kmeans-is-a-trace.html") & own == own - {"squeeze.js"}
    assert {"search.js", "search-texts.js"} <= scripts("search.html")


def test_glossary_has_plain_words_for_words_of_the_chapters(site):
    assert len(terms()) >= 40
    assert len({term.anchor for term in terms()}) == len(terms())
    chapters = {path.name[:2]: text_of(path).lower() for path in CHAPTERS}
    assert [t.name for t in terms() if t.name.lower() not in chapters[t.chapter]] == []
    html = text_of(site / "glossary.html")
    assert all(f'<dt id="{term.anchor}">' in html for term in terms())
    assert all(len(term.meaning) > 30 and term.meaning.endswith(".") for term in terms())


def test_notation_page_has_every_symbol(site):
    assert text_of(site / "notation.html").count("<tr") == 1 + len(symbols())


def test_names_in_the_text_of_chapters_lead_to_the_reference(site):
    linked = {}
    for path in CHAPTERS:
        html = text_of(site / f"{path.stem}.html")
        linked[path.stem] = re.findall(r'class="name" href="reference/\w+\.html#([\w.]+)"', html)
    found = {full for names in linked.values() for full in names}
    assert found <= set(public()) and len(found) > 20
    assert "umlbook.CPDUML" in linked["06-coherent-point-drift"]


def test_no_link_of_the_site_is_broken_and_nothing_is_loaded_from_elsewhere(site):
    pages = contents(site)
    assert sum(len(page.links) for page in pages.values()) > 1000
    assert link_problems(site, pages) == []
    assert external_loads(site, pages) == []


def test_a_site_may_be_replaced(site):
    assert (site / MARKER).exists() and (site / ".nojekyll").exists()


# ----------------------------------------------------------------------------- the browser


@pytest.fixture(scope="module")
def browser():
    with running_chromium() as chromium:
        yield chromium


def changed_share(before, after):
    """The share of pixels that are clearly another colour: scrolling resamples a picture a bit."""
    return (np.abs(before.astype(int) - after).max(axis=2) > 60).mean()


def test_formulas_are_typeset_in_prose_captions_and_tables(site, browser):
    with opened(browser, site / WITH_STEPPER) as page:
        wanted = len(re.findall(r'class="math"', text_of(site / WITH_STEPPER)))
        assert page.locator("mjx-container").count() >= wanted > 100
        assert page.locator(".output table mjx-container").count() > 20
        assert page.locator("mjx-assistive-mml").count() > 100  # what a screen reader reads
        assert page.locator("#eq-6\\.3 mjx-container svg").count() >= 1
        assert not re.search(r"\$\$|\\\(|\\tag", page.locator("article").inner_text())


def test_mathjax_understands_every_formula_of_the_book(site, browser):
    formulas = set()
    for path in site.rglob("*.html"):
        html = text_of(path)
        formulas |= set(re.findall(r'class="math"[^>]*>\\[(\[](.*?)\\[)\]]</', html, re.DOTALL))
        for table in re.findall(r'<table class="concordance">.*?</table>', html, re.DOTALL):
            formulas |= set(re.findall(r"\$(.+?)\$", table))
    assert len(formulas) > 1000
    with opened(browser, site / "notation.html") as page:
        parse = "all => all.filter(tex => /<merror|mathcolor=.red/.test(MathJax.tex2mml(tex)))"
        assert page.evaluate(parse, sorted(map(unescape, formulas))) == []
        assert page.evaluate(parse, [r"\frac{1}", r"\nosuchmacro"]) != []


def test_a_stepper_moves_by_keyboard_by_click_and_by_slider(site, browser):
    with opened(browser, site / WITH_STEPPER) as page:
        stepper = page.locator("figure.stepper")
        picture, said = stepper.locator(".step.now img"), stepper.locator("figcaption")
        seen, words = [pixels(picture)], [said.inner_text()]

        def look(action):
            action()
            wait_until(lambda: said.inner_text() != words[-1], "the sentence of another step")
            seen.append(pixels(picture))
            words.append(said.inner_text())

        slider = stepper.locator("input[type=range]")
        look(lambda: slider.press("ArrowRight"))
        look(lambda: stepper.locator("button", has_text="Next").click())
        look(lambda: slider.press("End"))
        look(lambda: stepper.locator("button", has_text="Previous").click())
        look(lambda: stepper.locator("button", has_text="Previous").press("Home"))
        assert [re.match(r"Step (\d) of 4", w)[1] for w in words] == ["0", "1", "2", "4", "3", "0"]
        assert not any(map(is_blank, seen))
        assert changed_share(seen[0], seen[-1]) < 0.002
        assert all(changed_share(a, b) > 0.005 for i, a in enumerate(seen[:-1]) for b in seen[:i])
        assert said.get_attribute("aria-live") == "polite"


def test_in_the_dark_theme_text_is_light_and_pictures_let_the_page_through(site, browser):
    with opened(browser, site / "00-start-here.html", color_scheme="dark") as page:
        colour = (
            "name => node => getComputedStyle(node)[name].match(/\\d+/g).slice(0, 3).map(Number)"
        )
        of = functools.partial("{}('{}')".format, f"({colour})")
        assert max(page.locator("body").evaluate(of("backgroundColor"))) < 60
        assert min(page.locator("article p").first.evaluate(of("color"))) > 150
        picture = pixels(page.locator("figure.picture img").first)
        assert np.median(picture) < 60


def test_search_finds_a_word_without_a_server(site, browser):
    with opened(browser, site / "index.html") as page:
        page.locator("input[name=q]").first.fill("entropy")
        page.keyboard.press("Enter")
        results = page.locator("#search-results li")
        wait_until(results.count, "search results")
        wait_until(lambda: "Search finished" in page.locator("body").inner_text(), "the end")
        found = page.locator("#search-results").inner_text()
        assert "7. Constraints and annealing" in found and "Glossary" in found
        texts = results.filter(has_not_text="(Python ")  # a name of the package says what it is
        wait_until(lambda: results.locator(".context").count() == texts.count(), "the excerpts")
        excerpts = results.locator(".context").all_inner_texts()
        assert sum("entropy" in excerpt.lower() for excerpt in excerpts) > len(excerpts) / 2


def test_search_finds_a_name_of_the_package_and_leads_to_its_place(site, browser):
    with opened(browser, site / "index.html") as page:
        page.locator("input[name=q]").first.fill("kernel_weights")
        page.keyboard.press("Enter")
        results = page.locator("#search-results li a")
        wait_until(lambda: "Search finished" in page.locator("body").inner_text(), "the end")
        addresses = [link.get_attribute("href") for link in results.all()]
        assert any("reference/naml.html#umlbook.naml.kernel_weights" in way for way in addresses)


_CUT_OFF = """() => [...document.querySelectorAll("article :is(img, table, pre, svg, p)")]
  .filter(node => node.getBoundingClientRect().right > innerWidth + 1)
  .filter(node => {
    for (let at = node; at.tagName !== "ARTICLE"; at = at.parentElement)
      if (/auto|scroll|hidden/.test(getComputedStyle(at).overflowX)) return false;
    return true;
  }).map(node => node.outerHTML.slice(0, 80))"""


def test_on_a_phone_nothing_is_cut_off_that_cannot_be_scrolled(site, browser):
    with opened(browser, site / WITH_STEPPER, viewport={"width": 360, "height": 740}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.evaluate(_CUT_OFF) == []
        numbers = page.locator(".numbered .number").evaluate_all(
            "all => all.map(number => [number.textContent, number.getBoundingClientRect().right])"
        )
        tags = set(re.findall(r'id="eq-([\d.]+)"', text_of(site / WITH_STEPPER)))
        assert {words for words, _ in numbers} == {f"({tag})" for tag in tags}
        assert [words for words, right in numbers if not 300 < right <= 360] == []


@pytest.mark.parametrize("name", ["index", "which", "use", "rivals", "daem"])
def test_on_a_phone_the_reference_fits(site, browser, name):
    path = site / "reference" / f"{name}.html"
    with opened(browser, path, viewport={"width": 360, "height": 740}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.evaluate(_CUT_OFF) == []


def test_print_shows_the_page_without_its_sidebar(site, browser):
    with opened(browser, site / "exercises" / "01-kmeans-is-a-trace.html") as page:
        page.emulate_media(media="print")
        assert page.locator("article h1").is_visible()
        assert not page.locator(".sidebar-drawer").is_visible()
        assert len(page.pdf()) > 20_000
