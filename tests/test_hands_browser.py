"""All things to take in the hand on one page, moved by keys and mouse: its numbers are Python's."""

import re
from contextlib import contextmanager

import numpy as np
import pytest
from support.browser import Watch, running_chromium
from support.hands import BUILDERS, chapter_hand

from umlbook.algebra import indicator, kmeans_objective, total_scatter, within_scatter
from umlbook.book.hands.kernels import complement, feature_kernels
from umlbook.book.hands.metrics import learned_metric, telling_pairs
from umlbook.book.hands.two_means import best_two_means, right_labels
from umlbook.cpcm import blur_ratio
from umlbook.cpd import deformation, objective
from umlbook.kernels import rbf

PAGE = "<!doctype html><html lang='en'><meta charset='utf-8'><title>hands</title><body>{}</body>"
PHONE = {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """One page with everything on it, and the first thing twice."""
    names = [*BUILDERS, "points"]
    path = tmp_path_factory.mktemp("hands") / "page.html"
    path.write_text(PAGE.format("\n".join(chapter_hand(n).html() for n in names)), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def chromium():
    with running_chromium() as browser:
        yield browser


@contextmanager
def opened(chromium, address, **settings):
    page, watch = chromium.new_page(**settings), Watch()
    page.on("pageerror", lambda error: watch.errors.append(str(error)))
    page.on("request", lambda request: watch.requests.append(request.url))
    page.goto(address)
    yield page
    page.close()
    assert watch.errors == [] and watch.requests == [address]


@pytest.fixture(scope="module")
def page(chromium, address):
    with opened(chromium, address, viewport={"width": 900, "height": 1000}) as page:
        yield page


class Thing:
    """A thing on the page: its numbers, its handles, and what it was made of."""

    def __init__(self, page, name, copy=0):
        self.page, self.hand = page, chapter_hand(name)
        self.root = page.locator(f".umlhand[data-hand={name}]").nth(copy)
        self.handles = self.root.locator(".handle")
        self.data = self.hand.data

    def predict(self, *, right):
        wanted = [choice["right"] for choice in self.hand.question.shown()].index(right)
        self.root.locator(".choices button").nth(wanted).click()

    def number(self, name):
        text = self.root.locator(f"[data-value='{name}']").inner_text()
        return float(re.findall(r"-?[\d.]+", text)[0])

    def text(self, name):
        return self.root.locator(f"[data-value='{name}']").inner_text()

    @property
    def verdict(self):
        return self.root.locator(".verdict").inner_text()

    def place(self, handle=0):
        """Where a handle is, in the units of the data."""
        moved = self.handles.nth(handle).get_attribute("transform")
        u, v = map(float, re.findall(r"-?[\d.]+", moved))
        (x0, x1), (_, y1) = self.limits
        unit = 438 / (x1 - x0)  # a plot is 440 wide, one of it is the frame on each side
        return np.array([x0 + (u - 1) / unit, y1 - (v - 1) / unit])

    @property
    def limits(self):
        board = self.hand.name == "triangle"
        return ((-0.16, 1.16), (-0.12, 1.0)) if board else (self.data["x"], self.data["y"])

    def press(self, key, times=1, handle=0):
        for _ in range(times):
            self.handles.nth(handle).press(key)

    def drag(self, right, down, handle=0):
        self.root.scroll_into_view_if_needed()
        u, v = self.middle(handle)
        self.page.mouse.move(u, v)
        self.page.mouse.down()
        self.page.mouse.move(u + right, v + down, steps=3)
        self.page.mouse.up()

    def middle(self, handle):
        box = self.handles.nth(handle).locator(".hit").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_chapter_1_all_five_forms_are_the_objective_of_the_moved_points(page):
    thing, other = Thing(page, "points"), Thing(page, "points", copy=1)
    X, labels = thing.data["X"].copy(), thing.data["labels"].copy()
    forms = ("(1.1)", "(1.4)", "(1.5)", "(1.7)", "(1.12)")
    before = thing.place()
    thing.drag(60, 0)
    assert np.array_equal(thing.place(), before), "it moves before a prediction is made"
    assert {thing.text(form) for form in forms} == {"–"} and thing.text("apart") == ""
    thing.predict(right=True)
    assert thing.text("apart") == "< 1e-9"
    thing.press("ArrowRight", 20)
    X[0] += [2.0, 0.0]
    np.testing.assert_allclose(thing.place(), X[0], atol=1e-3)
    wanted = kmeans_objective(X, labels)
    assert [thing.number(form) for form in forms] == pytest.approx([wanted] * 5, abs=6e-4)
    thing.drag(-40, 25, handle=7)
    thing.press("3", handle=7)
    X[7], labels[7] = thing.place(7), 2
    wanted = kmeans_objective(X, labels)
    assert [thing.number(form) for form in forms] == pytest.approx([wanted] * 5, abs=2e-3)
    assert thing.verdict.startswith("Your prediction held. J went from 8.302 to ")
    other.root.get_by_role("button", name="Skip the prediction").click()
    start = kmeans_objective(other.data["X"], other.data["labels"])
    assert other.number("(1.1)") == pytest.approx(start, abs=6e-4), "the copy has moved along"


def slide(thing, share, number=0):
    """Click on a slider at a share of its width; the value it then has."""
    slider = thing.root.locator("input").nth(number)
    box = slider.bounding_box()
    slider.click(position={"x": share * box["width"], "y": box["height"] / 2})
    return float(slider.input_value())


def test_chapter_2_the_trace_reaches_its_bound_and_turning_changes_only_the_parts(page):
    thing = Thing(page, "frame")
    marks = thing.root.get_by_text("bound", exact=True)
    assert not marks.is_visible() and not thing.root.locator("[data-value='bound']").is_visible()
    thing.predict(right=False)
    assert marks.is_visible() and thing.verdict == ""
    values, K = thing.data["values"], len(thing.data["angles"])
    for _ in range(20):
        thing.root.locator("input").first.press("ArrowRight")
    assert thing.number("trace") == pytest.approx(values[:K].sum(), abs=6e-3)
    assert thing.verdict.startswith("Your prediction did not hold.")
    s = slide(thing, 0.8)
    angle = s * thing.data["angles"]
    Y = thing.data["from"] * np.cos(angle) + thing.data["towards"] * np.sin(angle)
    trace, parts = np.sum(values[:, None] * Y**2), np.sum(values[:, None] * Y**2, axis=0)
    assert 1 < s < 2 and thing.number("trace") == pytest.approx(trace, abs=6e-3)
    assert thing.number("part1") == pytest.approx(parts[0], abs=6e-3)
    slide(thing, 0.3, number=1)
    assert thing.number("trace") == pytest.approx(trace, abs=6e-3)
    assert thing.number("part1") != pytest.approx(parts[0], abs=6e-3)


def test_chapter_2_whoever_jumps_to_the_end_is_judged_too(chromium, address):
    with opened(chromium, address) as page:
        thing = Thing(page, "frame")
        thing.predict(right=True)
        start = thing.number("trace")
        thing.root.locator("input").first.press("End")
        assert thing.number("trace") == start < thing.number("bound")
        assert thing.verdict.startswith("Your prediction held.")
        assert f"the trace is {thing.text('bound')}, and no frame has" in thing.verdict


def test_chapter_3_the_blur_ratio_is_that_of_the_projected_points(page):
    thing = Thing(page, "direction")
    X, cut = thing.data["X"], thing.data["cuts"][0]["labels"]

    def wanted():
        return blur_ratio((X @ (thing.place() - X.mean(axis=0)))[:, None], cut)

    thing.predict(right=True)
    thing.press("ArrowRight", 10)
    assert thing.text("angle") == "30°"
    assert thing.number("blur") == pytest.approx(wanted(), abs=2e-3)
    assert thing.verdict == ""
    thing.drag(-150, -50)
    assert thing.number("blur") == pytest.approx(wanted(), abs=2e-3)
    while float(thing.text("angle")[:-1]) != 91:
        thing.press("ArrowRight" if float(thing.text("angle")[:-1]) < 91 else "ArrowLeft")
    assert thing.number("blur") == pytest.approx(wanted(), abs=2e-3)
    assert thing.verdict.startswith("Your prediction held. On the arrow at 91°, across the lines")
    along, across = np.diag(within_scatter(X, cut))
    assert across < 0.1 * along, "the lines do not lie along 0 degrees"


def test_chapter_4_k_means_is_run_under_the_metric_of_the_ellipse(page):
    thing = Thing(page, "ellipse")
    X, truth = thing.data["X"], thing.data["truth"]

    def agrees():
        arms = np.array([thing.place(0), thing.place(1)]) - thing.data["centre"]
        Z = X @ (arms / np.sum(arms**2, axis=1)[:, None]).T  # W of A = WW'
        labels = best_two_means(Z)
        assert thing.text("right") == f"{right_labels(truth, labels)} of {len(X)}"
        assert thing.number("within") == pytest.approx(kmeans_objective(Z, labels), rel=2e-3)
        assert thing.number("total") == pytest.approx(np.trace(total_scatter(Z)), rel=2e-3)

    agrees()
    thing.predict(right=False)
    thing.press("ArrowUp", 4)
    agrees()
    thing.press("ArrowDown", 4)
    thing.press("ArrowRight", 10)
    thing.drag(0, 50, handle=1)
    agrees()
    assert thing.text("right") == f"{len(X)} of {len(X)}"
    assert thing.verdict.startswith("Your prediction did not hold.")


def test_chapter_5_f2_is_that_of_the_weights(page):
    thing = Thing(page, "triangle")
    bank, truth = feature_kernels(thing.data["X"]), thing.data["truth"]

    def agrees():
        x, y = thing.place()
        third = y / (np.sqrt(3) / 2)
        w = np.array([1 - (x - third / 2) - third, x - third / 2, third])
        G = sum(wi * Gi for wi, Gi in zip(w, bank, strict=True))
        assert thing.number("F2") == pytest.approx(complement(G, truth), abs=2e-3)

    agrees()
    thing.predict(right=True)
    thing.press("ArrowDown", 8)
    agrees()
    assert "the whole map appears" in thing.root.locator(".hint").first.inner_text()
    target = thing.data["weights"]
    aim = np.array([target[1] + target[2] / 2, target[2] * np.sqrt(3) / 2])
    scale = thing.root.locator("svg").first.bounding_box()["width"] / 440 * 438 / 1.32
    thing.drag(*(scale * (aim - thing.place()) * [1, -1]))
    agrees()
    assert thing.verdict.startswith("Your prediction held. You found F₂ = 1.35")
    assert "the blue of a spot" in thing.root.locator(".hint").first.inner_text()
    order = "svg => [...svg.children].map(e => e.matches('.handle') ? 'ring' : e.innerHTML)"
    above = thing.root.locator("svg").first.evaluate(order)
    assert "M-7 -7L7 7" in "".join(above[above.index("ring") :]), "the ring hides the cross"


def test_chapter_6_j_is_the_objective_of_the_field_on_the_way(page):
    thing = Thing(page, "bend")
    thing.predict(right=True)
    X, sigma, lam = thing.data["X"], 0.6, 1.0
    G = rbf(X, sigma=sigma)
    for cut in thing.data["cuts"]:
        thing.root.get_by_role("button", name=cut["name"], exact=True).click()
        Y = indicator(cut["labels"])
        psi = deformation(X, G, Y, lam)
        t = slide(thing, 0.4)
        assert 0 < t < 1
        assert thing.number("J") == pytest.approx(objective(X, G, Y, t * psi, lam), abs=6e-3)
        while float(thing.root.locator("input").input_value()) < 0.999:
            thing.root.locator("input").press("ArrowRight")
        assert thing.number("J") == pytest.approx(objective(X, G, Y, psi, lam), abs=6e-3)
    assert thing.verdict.startswith("Your prediction held. J fell from ")


def test_chapter_7_the_metric_is_the_one_that_the_pairs_teach(page):
    thing = Thing(page, "pairs")
    X, truth = thing.data["X"], thing.data["truth"]
    thing.predict(right=True)
    told = telling_pairs(X, truth)
    for (i, j), word in zip(told, ("Together", "Apart"), strict=True):
        for k in (i, j):
            thing.root.scroll_into_view_if_needed()
            page.mouse.click(*thing.middle(k))
        thing.root.get_by_role("button", name=word).click()
    A, mu = learned_metric(np.array([X[i] - X[j] for i, j in told]), np.array([1.0, -1.0]))
    weak, strong = np.linalg.eigvalsh(A)
    assert thing.number("strong") == pytest.approx(strong, abs=0.02)
    assert thing.number("weak") == pytest.approx(weak, abs=0.02)
    assert thing.number("mu") == pytest.approx(mu, abs=0.02)
    assert thing.text("right") == "40 of 40"
    assert thing.verdict.startswith("Your prediction held. With 2 of 780 pairs told")
    assert f"and {weak:.2f} at right angles to it" in thing.verdict
    thing.root.get_by_role("button", name="Start again").click()
    thing.root.locator(".handle[tabindex='0']").focus()  # one stop of the Tab key for all points
    for key in ("Enter", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert thing.root.locator(".handle[aria-pressed='true']").count() == 2
    thing.root.get_by_role("button", name="Together").press("Enter")
    assert thing.text("pairs") == "1 of 780" and thing.text("angle") == "all alike"


def test_on_a_phone_nothing_sticks_out_and_fingers_find_what_they_touch(chromium, address):
    with opened(chromium, address, viewport=PHONE, has_touch=True) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        heights = "found => found.map(e => e.getBoundingClientRect().height)"
        controls = page.locator(".umlhand button, .umlhand input")
        assert min(controls.evaluate_all(heights)) >= 44
        thing = Thing(page, "direction")
        thing.predict(right=True)
        thing.root.scroll_into_view_if_needed()
        box = thing.handles.locator(".hit").bounding_box()
        assert min(box["width"], box["height"]) >= 44
        touch = page.context.new_cdp_session(page)
        u, v = thing.middle(0)
        for kind, right in (("touchStart", 0), ("touchMove", -30), ("touchMove", -60)):
            at = [{"x": u + right, "y": v}]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        assert thing.text("angle") != "20°"


def test_without_scripts_a_sentence_says_what_is_missing(chromium, address):
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(address)
        assert page.get_by_text("Here stands a picture that can be moved").count() == 8
        assert page.locator(".umlhand button").count() == 0
