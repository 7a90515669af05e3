"""The live book in a real browser that reaches nothing but a local server.

Three chapters and the exercises of one run from top to bottom: pictures are whole, a slider and a
stepper draw, answers are checked, work survives a reload and can be taken out and brought back.
"""

import io
import json
import zipfile
from contextlib import contextmanager

import pytest
from support.browser import (
    Watch,
    answer_after_check,
    assert_controls_draw,
    exercise_areas,
    run_all,
    running_chromium,
    slider_areas,
)
from support.lite import built_site, served
from support.waiting import HANGS, wait_until

CHAPTERS = ["00-start-here.ipynb", "01-kmeans-is-a-trace.ipynb", "04-adaptive-metric.ipynb"]
EXERCISES = "exercises/01-kmeans-is-a-trace.ipynb"
WRONG = "def indicator_of(labels, n_clusters):\n    return np.eye(n_clusters)[labels]"
RIGHT = f"{WRONG} / np.sqrt(np.maximum(np.bincount(labels, minlength=n_clusters), 1))"
HAND_IN = "from umlbook.book import hand_in\nhand_in(name='Ada')"
BYTECODE = "import os, scipy\npath = scipy.__spec__.cached\nprint(path, os.stat(path))"
BROKEN = """() => [...document.images].filter(
    image => !image.complete || image.naturalWidth === 0).map(image => image.src.slice(0, 60))"""
pytestmark = pytest.mark.exact_data


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with served(built_site(tmp_path_factory.mktemp("made") / "site")) as url:
        yield url


@pytest.fixture(scope="module")
def browser():
    with running_chromium() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def context(browser):
    """One reader's browser: what Python keeps on the first page serves the others."""
    with browser.new_context(viewport={"width": 1200, "height": 1400}) as context:
        context.set_default_timeout(HANGS * 1000)
        yield context


@contextmanager
def visit(context, url):
    """A page; at the end nothing was asked of another machine and no error was noted."""
    watch = Watch()
    listeners = {
        "request": lambda request: watch.requests.append(request.url),
        "weberror": lambda error: watch.errors.append(str(error.error)),
        "console": lambda said: watch.errors.append(said.text) if said.type == "error" else None,
    }
    for event, listener in listeners.items():
        context.on(event, listener)
    page = context.new_page()
    page.goto(url)
    yield page, watch
    page.close()
    for event, listener in listeners.items():
        context.remove_listener(event, listener)
    assert watch.strangers() == [], "the page asks another machine"
    assert watch.errors == [], "the page notes an error"


def notebook(address, name):
    return f"{address}live/notebooks/index.html?path={name}"


def status(page):
    """What the bar says of Python."""
    return page.locator("#umlbook-live").get_by_role("status")


def wait_for_python(page):
    status(page).filter(has_text="Python is ready").wait_for()


def fetched_packages(watch):
    """The packages that Python has asked the server for."""
    return [url for url in watch.requests if url.endswith(".whl")]


def press(page, menu, command):
    """Choose an entry of a menu."""
    page.locator(".lm-MenuBar-item", has_text=menu).first.click()
    page.locator(f"li[data-command='{command}']:visible").first.click()


def run_cell(page, number, source):
    """Write a code cell anew and run it; folded cells have no editor and are not counted."""
    cell = page.locator(".jp-CodeCell:has(.cm-content)").nth(number)
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)
    page.keyboard.press("Control+Enter")
    prompt = cell.locator(".jp-InputArea-prompt")
    wait_until(lambda: prompt.inner_text().strip(" []:").isdigit(), "the cell to run")
    return cell


def test_a_page_leads_to_its_live_form_at_the_same_section_and_back(context, address):
    section = "1.2 Do we need the means at all?"
    with visit(context, f"{address}01-kmeans-is-a-trace.html") as (page, _):
        heading = page.get_by_role("heading", name=section)
        heading.evaluate("heading => heading.scrollIntoView({behavior: 'instant'})")
        page.locator(".run-here a").click()  # still in view
        live = page.locator(".jp-RenderedMarkdown h2", has_text=section)
        live.wait_for()
        in_view = "heading => Math.abs(heading.getBoundingClientRect().top) < innerHeight / 2"
        wait_until(lambda: live.evaluate(in_view), "the live page to show the section")
        page.locator("#umlbook-live").get_by_role("link", name="Read this page").click()
        page.wait_for_url(f"{address}01-kmeans-is-a-trace.html")


def test_the_first_page_has_three_doors_that_open(context, address):
    with visit(context, address) as (page, _):
        doors = page.locator("nav.doors a")
        assert [door.split()[0] for door in doors.all_inner_texts()] == ["Read", "Run", "Install"]
        for door in doors.all():
            target = door.evaluate("door => door.href")
            assert page.request.get(target.split("#")[0]).ok
        doors.nth(2).click()
        assert page.get_by_role("heading", name="To install it").is_visible()


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_is_there_at_once_and_runs_from_top_to_bottom(context, address, name):
    with visit(context, notebook(address, name)) as (page, _):
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        if name != CHAPTERS[0]:
            page.locator(".jp-OutputArea-output img").first.wait_for()  # stored: nothing has run
        assert "Python" in status(page).inner_text()
        wait_for_python(page)
        press(page, "Edit", "editmenu:clear-all")
        assert run_all(page) == []
        assert page.evaluate(BROKEN) == []
        for area in slider_areas(page):
            assert_controls_draw(area)
        assert page.evaluate(BROKEN) == []


def test_the_second_start_takes_packages_and_bytecode_from_the_browser(context, address):
    with visit(context, notebook(address, CHAPTERS[0])) as (page, watch):
        wait_for_python(page)
        if fetched_packages(watch):
            status(page).filter(has_text="faster next time").wait_for()
            watch.requests.clear()
            page.reload()
            wait_for_python(page)
        assert watch.requests and fetched_packages(watch) == []
        assert len(page.workers) == 1  # the kernel is the Python that was started with the page
        said = run_cell(page, 0, BYTECODE).inner_text()
        assert "/book-packages/scipy/__pycache__/__init__.cpython-314.pyc os.stat" in said


def test_answers_are_checked_and_work_is_kept_taken_out_and_brought_back(
    context, address, tmp_path
):
    with visit(context, notebook(address, EXERCISES)) as (page, _):
        bar = page.locator("#umlbook-live")
        assert "Your work is kept in this browser only" in bar.inner_text()
        wait_for_python(page)
        assert run_all(page) == []
        area = exercise_areas(page)[0]
        assert "not attempted" in answer_after_check(area)
        run_cell(page, 2, WRONG)
        assert "wrong" in answer_after_check(area)
        run_cell(page, 2, RIGHT)
        assert "correct" in answer_after_check(area)
        report = run_cell(page, -1, "report()")
        assert "1 of 7 answered correctly" in report.inner_text()

        press(page, "File", "docmanager:save")
        with page.expect_download() as download:
            press(page, "File", "docmanager:download")
        taken = json.loads(download.value.path().read_text(encoding="utf-8"))
        assert RIGHT in [cell["source"] for cell in taken["cells"]]
        with page.expect_download() as download:
            run_cell(page, -1, HAND_IN).locator("a[download]").click()
        with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
            assert "hand-in.json" in archive.namelist()

        page.reload()
        page.locator(".jp-CodeCell", has_text="np.bincount").wait_for()
        bar.get_by_role("link", name="All notebooks").click()
        page.get_by_text("exercises", exact=True).dblclick()
        for name in ("umlbook-progress.html", "hand-in-Ada.zip"):
            page.get_by_text(name, exact=True).wait_for()
        back = tmp_path / "mine.ipynb"
        back.write_text(json.dumps(taken), encoding="utf-8")
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Upload").click()
        chooser.value.set_files(back)
        page.get_by_text("mine.ipynb", exact=True).wait_for()
