"""The chapters beyond the papers run in a real JupyterLab, as those in `test_browser_papers` do."""

import pytest
from support.browser import running_chromium
from support.lab_pages import BEYOND, assert_page_runs, lab_over


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with lab_over(tmp_path_factory, BEYOND, {}) as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    with running_chromium() as chromium:
        yield chromium


@pytest.mark.parametrize("name", BEYOND)
def test_page_runs_and_its_controls_draw(lab, browser, name):
    assert_page_runs(lab, browser, name)
