"""The static pages: whole, linked, captioned, and alive in a browser that has no network."""

import argparse
import functools
import io
import re
import subprocess
import sys
import warnings
from contextlib import contextmanager
from html import escape, unescape
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat import v4
from PIL import Image
from support.browser import Watch, is_blank, running_chromium
from support.waiting import HANGS, wait_until

from umlbook.book import site as command
from umlbook.book.ledger import entries
from umlbook.book.ledger.glossary import terms
from umlbook.book.ledger.notation import symbols
from umlbook.book.page import frames
from umlbook.book.site.build import MARKER, SiteError, build
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
    assert '<div class="math" id="eq-6.3">' in html
    assert 'by <a class="equation" href="01-kmeans-is-a-trace.html#eq-1.12">(1.12)</a>' in html
    assert '<pre><a class="equation" href="#eq-6.2">(6.2)</a> CPD-UML Eq. 5 holds' in html


def test_live_panels_have_twins_that_say_where_the_live_one_is(site):
    twins = re.findall(
        r'<div class="output twin.*?</p>\s*</div>', text_of(site / "00-start-here.html"), re.DOTALL
    )
    assert len(twins) == 2  # the first slider and the quiz
    assert all("run <code>umlbook</code> and open" in twin for twin in twins)
    exercise = text_of(site / "exercises" / "01-kmeans-is-a-trace.html")
    assert exercise.count("<b>Check</b>, <b>Hint</b> and <b>Solution</b> are live") > 3


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
        '<ol type="a"><li>yes</li>\n<li>no</li>\n</ol>':
            shown(plain="Quiz 1: so?\n (a) yes\n (b) no"),
        "<i>[Run]</i><p class=\"live\">In JupyterLab this panel is live: run":
            shown(plain="[Run] [Stop]", html="<i>[Run]</i>"),
    }  # fmt: skip
    cell = v4.new_code_cell("x", outputs=list(kinds.values()))
    (page,) = pages_in(small_book(tmp_path, cell))
    text = page_source(page, {page.name}).text
    assert [html for html in kinds if html not in text] == []


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


def test_no_link_of_the_site_is_broken_and_nothing_is_loaded_from_elsewhere(site):
    pages = contents(site)
    assert sum(len(page.links) for page in pages.values()) > 1000
    assert link_problems(site, pages) == []
    assert external_loads(site, pages) == []


# ------------------------------------------------------------------------ faults are found


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ('<a href="gone.html">far</a>', "'far' leads to gone.html, which does not exist"),
        ('<a href="#eq-9.9">by (9.9)</a>', "'by (9.9)' leads to #eq-9.9, but that page has no"),
        ('<a href="two.html#b">b</a>', "'b' leads to two.html#b, but that page has no such place"),
        ('<a href="../out.txt">up</a>', "'up' leads to ../out.txt, which does not exist"),
        ('<img src="none.png">', "'none.png' leads to none.png, which does not exist"),
    ],
)
def test_a_broken_link_is_named_with_page_cell_and_text(tmp_path, html, said):
    (tmp_path / "out.txt").touch()  # outside of the site
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "two.html").write_text('<p id="a"><a href="one.html#here">well</a>')
    (folder / "one.html").write_text(f'<p id="here"><span data-cell="7"></span>{html}</p>')
    (problem,) = link_problems(folder, contents(folder))
    assert problem.startswith("one.html, cell 7: ") and said in problem


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.html", '<script src="https://cdn.invalid/x.js"></script>'),
        ("a.html", '<link rel="stylesheet" href="//cdn.invalid/x.css">'),
        ("a.html", '<img src="http://cdn.invalid/x.png">'),
        ("a.html", '<p style="background: url(https://cdn.invalid/x.png)">'),
        ("a.css", "@import 'https://cdn.invalid/x.css';"),
        ("a.css", "@font-face { src: url(http://cdn.invalid/x.woff) }"),
        ("a.js", 'import("https://cdn.invalid/x.mjs")'),
        ("a.js", 'import x from "https://cdn.invalid/x.mjs"'),
    ],
)
def test_a_file_from_another_machine_is_found_and_an_ordinary_link_is_not(tmp_path, name, content):
    (tmp_path / "b.html").write_text('<a href="https://example.org/">out</a>')
    assert external_loads(tmp_path, contents(tmp_path)) == []
    (tmp_path / name).write_text(content)
    (problem,) = external_loads(tmp_path, contents(tmp_path))
    assert problem.startswith(f"{name}: loads ") and "cdn.invalid/x." in problem


def test_a_reference_is_a_link_in_text_alone():
    known = {"1.2": "one"}
    quiet = (
        '<code>(1.2)</code><div class="math">\\[(1.2)\\]</div><a href="#x">(1.2)</a><h2>(1.2)</h2>'
    )
    assert with_equation_links(quiet, "one", known) == (quiet, [])
    nested, problems = with_equation_links("<p>see&nbsp;(1.2)<br/></p>", "exercises/one", known)
    assert nested == (
        '<p>see&nbsp;<a class="equation" href="../one.html#eq-1.2">(1.2)</a><br/></p>'
    )
    assert problems == []
    measured = '<div class="output"><p>A mean of (3.7)</p></div>'
    assert with_equation_links(measured, "one", known) == (measured, [])


def small_book(folder, *cells):
    """A folder of notebooks with one chapter."""
    made = [v4.new_markdown_cell("# One page\n\n$$x \\tag{1.1}$$"), *cells]
    (folder / "notebooks").mkdir()
    nbformat.write(v4.new_notebook(cells=made), folder / "notebooks" / "01-one.ipynb")
    return folder / "notebooks"


def quietly_built(*arguments):
    """Build in this process; what Sphinx and its theme deprecate is not our concern."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build(*arguments)


def test_a_link_to_a_missing_notebook_stops_the_build(tmp_path):
    book = small_book(tmp_path, v4.new_markdown_cell("See [the next](02-two.ipynb)."))
    with pytest.raises(SiteError, match=r"01-one, cell 2: \[the next\].*02-two.ipynb, which does"):
        build(book, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_reference_to_no_equation_and_a_link_to_no_place_stop_the_build(tmp_path):
    text = "By (1.1) and by (1.7); see [there](#nowhere)."
    book = small_book(tmp_path, v4.new_markdown_cell("## Two"), v4.new_markdown_cell(text))
    with pytest.raises(SiteError) as caught:
        quietly_built(book, tmp_path / "out")
    reference, link = str(caught.value).splitlines()
    assert reference == "01-one, cell 3: (1.7) is no equation of the book"
    assert link.startswith("01-one, cell 3: ") and "nowhere" in link
    assert not (tmp_path / "out").exists()


def test_the_same_notebooks_give_the_same_bytes_and_old_pages_go(tmp_path):
    formula = r"\begin{aligned} a &< b \\ c & \end{aligned} \tag{1.2}"
    text = f"Of (1.1):\n\n$${formula}$$\n\n% no comment"
    stepped = v4.new_code_cell(
        "watch", outputs=[v4.new_output("execute_result", {
            "text/plain": "Halving: 2 states\nstep  x\n   0  1\n   1  2", "text/html": "<table>"})]
    )  # fmt: skip
    book = small_book(tmp_path, v4.new_markdown_cell(text), stepped)
    out = tmp_path / "out"
    made = []
    for _ in range(2):
        (warning,) = quietly_built(book, out)
        assert "cell 3: a stepper without stored frames" in warning and "refresh" in warning
        made.append({path: path.read_bytes() for path in out.rglob("*") if path.is_file()})
        (out / "old.html").touch()
    assert made[0] == made[1]
    html = text_of(out / "01-one.html")
    assert f'<div class="math" id="eq-1.2">\\[{escape(formula)}\\]</div>' in html
    assert "% no comment" in html


# ------------------------------------------------------------------------------ the command


def ran(*words):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args([str(word) for word in words]))


def test_a_missing_extra_is_named_with_the_command_that_installs_it(monkeypatch, capsys):
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "furo" else name)
    assert ran() == 1
    said = capsys.readouterr().err
    assert "furo not installed" in said and 'pip install -e ".[site]"' in said


def test_outside_of_a_checkout_it_says_what_is_wanted(monkeypatch, capsys):
    monkeypatch.setattr(command, "checkout_notebooks", lambda: None)
    assert ran() == 1
    assert "not a copy of the repository" in capsys.readouterr().err


def test_a_folder_with_other_files_is_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("mine")
    assert ran("--out", tmp_path) == 1
    assert "not a site made by this command" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    assert ran("--out", tmp_path / "thesis.tex") == 1
    assert "is a file" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_said_before_the_work(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert ran("--out", tmp_path / "file" / "site") == 1
    said = capsys.readouterr().err
    assert "cannot write" in said and "--out" in said


def test_a_site_may_be_replaced(site):
    assert (site / MARKER).exists() and (site / ".nojekyll").exists()


# ----------------------------------------------------------------------------- the browser


@pytest.fixture(scope="module")
def browser():
    with running_chromium() as chromium:
        yield chromium


@contextmanager
def opened(browser, page_file, **settings):
    """A page opened from its folder, its formulas typeset; it must be quiet to the end."""
    desk = {"viewport": {"width": 1200, "height": 1000}}
    with browser.new_context(**(desk | settings)) as context:
        context.set_default_timeout(HANGS * 1000)
        watch = Watch()
        context.on("request", lambda request: watch.requests.append(request.url))
        page = context.new_page()
        page.on("pageerror", lambda error: watch.errors.append(str(error)))
        page.on(
            "console",
            lambda said: watch.errors.append(said.text) if said.type in ("error", "warning") else 0,
        )
        page.goto(page_file.as_uri())
        page.wait_for_function("MathJax.startup.promise.then(() => true)")
        yield page
        assert watch.strangers() == [], "the page asks another machine"
        assert watch.errors == [], "the page complains"


def pixels(locator):
    return np.asarray(Image.open(io.BytesIO(locator.screenshot())).convert("RGB"))


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


def test_in_the_dark_theme_text_is_light_and_pictures_stay_on_white(site, browser):
    with opened(browser, site / "00-start-here.html", color_scheme="dark") as page:
        colour = (
            "name => node => getComputedStyle(node)[name].match(/\\d+/g).slice(0, 3).map(Number)"
        )
        of = functools.partial("{}('{}')".format, f"({colour})")
        assert max(page.locator("body").evaluate(of("backgroundColor"))) < 60
        assert min(page.locator("article p").first.evaluate(of("color"))) > 150
        picture = pixels(page.locator("figure.picture img").first)
        assert np.median(picture) == 255


def test_search_finds_a_word_without_a_server(site, browser):
    with opened(browser, site / "index.html") as page:
        page.locator("input[name=q]").first.fill("entropy")
        page.keyboard.press("Enter")
        results = page.locator("#search-results li")
        wait_until(results.count, "search results")
        wait_until(lambda: "Search finished" in page.locator("body").inner_text(), "the end")
        found = page.locator("#search-results").inner_text()
        assert "7. Constraints and annealing" in found and "Glossary" in found


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


def test_print_shows_the_page_without_its_sidebar(site, browser):
    with opened(browser, site / "exercises" / "01-kmeans-is-a-trace.html") as page:
        page.emulate_media(media="print")
        assert page.locator("article h1").is_visible()
        assert not page.locator(".sidebar-drawer").is_visible()
        assert len(page.pdf()) > 20_000
