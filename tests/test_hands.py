"""The things to take in the hand: their JavaScript agrees with the package, on any input."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ortho_group
from support.hands import BUILDERS, chapter_hand

from umlbook.algebra import (
    indicator,
    kmeans_objective,
    ky_fan,
    nearest_center,
    total_scatter,
    within_scatter,
)
from umlbook.book import hands
from umlbook.book.hands.hand import ASLEEP, script
from umlbook.book.hands.kernels import complement, feature_kernels
from umlbook.book.hands.metrics import learned_metric
from umlbook.book.hands.scatters import sharpest_direction
from umlbook.book.hands.two_means import best_two_means, right_labels
from umlbook.book.site.pages import page_source, pages_in
from umlbook.book.site.references import with_equation_links
from umlbook.cpcm import blur_ratio
from umlbook.cpd import deformation, objective, velocity
from umlbook.daem import ListedPairs, PairCost
from umlbook.kernels import center, rbf
from umlbook.lloyd import lloyd_steps, settled
from umlbook.naml import kernel_weights
from umlbook.spectral import kernel_kmeans_steps

FILES = (
    "core",
    "linear",
    "kmeans",
    "direction",
    "field",
    "logistic",
    "kernels",
    "frame",
    "ellipse",
    "triangle",
)
NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
CHAPTERS = [page for page in pages_in(NOTEBOOKS) if "01" <= page.name[:2] <= "07"]
CALLS = """
const calls = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(calls.map(([name, given]) => eval(name)(...given))));
"""


def computed(*calls):
    """What JavaScript makes of ``(function, *arguments)``, one result for each."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node: the formulas in JavaScript are not compared with the package")
    given = json.dumps(
        [(name, rest) for name, *rest in calls], default=lambda array: array.tolist()
    )
    code = script(FILES) + CALLS
    done = subprocess.run([node, "-e", code], input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def draw_problem(rng, K=None, d=None, n=None):
    """Points that are not centred, features that differ in size, clusters of unequal sizes."""
    n, d, K = n or rng.integers(8, 20), d or rng.integers(1, 6), K or rng.integers(2, 6)
    labels = rng.permutation(np.append(np.arange(K), rng.integers(0, K, size=n - K)))
    return 3 + rng.normal(size=(n, d)) @ rng.normal(size=(d, d)), labels, K


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_numbers_are_written_without_a_minus_before_zero():
    assert computed(("decimals", -0.001, 2), ("decimals", -0.006, 2)) == ["0.00", "-0.01"]


# ------------------------------------------------------------------------------- linear algebra


def test_systems_and_eigenvalues_agree_with_numpy(rng):
    A, B = rng.normal(size=(12, 12)), rng.normal(size=(12, 3))
    A[0, 0] = 0.0  # asks for an exchange of rows
    S = rng.normal(size=(20, 2, 2))
    S = S + S.transpose(0, 2, 1)
    x, *pairs = computed(("solved", A, B), *[("symmetricPair", one) for one in S])
    np.testing.assert_allclose(x, np.linalg.solve(A, B), rtol=1e-9)
    np.testing.assert_allclose([p["values"] for p in pairs], np.linalg.eigvalsh(S), atol=1e-12)
    again = computed(*[("fromPair", p["values"], p["angle"]) for p in pairs])
    np.testing.assert_allclose(again, S, atol=1e-12)


# --------------------------------------------------------------------------- chapters 1, 3 and 4


@pytest.mark.parametrize("form", ["doubleSum", "pairForm", "blockForm", "blockTraces", "traceForm"])
def test_each_of_the_five_forms_is_the_k_means_objective(rng, form):
    problems = [draw_problem(rng) for _ in range(20)]
    found = computed(*[(form, *problem) for problem in problems])
    np.testing.assert_allclose(found, [kmeans_objective(X, c) for X, c, _ in problems], rtol=1e-9)


def test_lloyd_ends_where_the_package_ends_also_when_a_cluster_empties(rng):
    problems = [draw_problem(rng) for _ in range(20)]
    twice = np.repeat([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]], [4, 1, 1], axis=0)
    problems.append((twice, np.array([0, 1, 0, 1, 2, 2]), 3))  # equal points: one cluster empties
    ends = [settled(lloyd_steps(*problem)) for problem in problems]
    found = computed(*[("lloyd", *problem) for problem in problems])
    assert [f["labels"] for f in found] == [end.labels.tolist() for end in ends]
    np.testing.assert_allclose([f["objective"] for f in found], [e.objective for e in ends])


def test_the_best_of_all_runs_agrees(rng):
    clouds = [draw_problem(rng, d=2, n=30)[0] for _ in range(6)]
    found = computed(*[("bestTwoMeans", X) for X in clouds])
    assert [f["labels"] for f in found] == [best_two_means(X).tolist() for X in clouds]
    totals = [np.trace(total_scatter(X)) for X in clouds]
    np.testing.assert_allclose(computed(*[("scatter", X) for X in clouds]), totals, rtol=1e-9)
    truths = [rng.integers(0, 2, size=30) for _ in clouds]
    right = computed(*[("rightLabels", t, f["labels"]) for t, f in zip(truths, found, strict=True)])
    wanted = [right_labels(t, best_two_means(X)) for t, X in zip(truths, clouds, strict=True)]
    assert right == wanted


def test_blur_ratio_and_sharpest_direction_agree(rng):
    problems = [draw_problem(rng, d=2, n=25) for _ in range(20)]
    angles = rng.uniform(0, np.pi, size=20)
    scatters = computed(*[("withinAndTotal", *problem) for problem in problems])
    for (X, c, _), S in zip(problems, scatters, strict=True):
        np.testing.assert_allclose(S["within"], within_scatter(X, c), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(S["total"], total_scatter(X), rtol=1e-9)
    blurs = computed(*[("blurAlong", S, a) for S, a in zip(scatters, angles, strict=True)])
    sides = np.column_stack([np.cos(angles), np.sin(angles)])
    wanted = [blur_ratio(X @ b[:, None], c) for (X, c, _), b in zip(problems, sides, strict=True)]
    np.testing.assert_allclose(blurs, wanted, rtol=1e-9)
    best = computed(*[("sharpest", S) for S in scatters])
    wanted = [sharpest_direction(X, c) for X, c, _ in problems]
    np.testing.assert_allclose([b["least"] for b in best], [w[0] for w in wanted], rtol=1e-8)
    turns = [np.sin(b["angle"] - w[1]) for b, w in zip(best, wanted, strict=True)]
    np.testing.assert_allclose(turns, 0, atol=1e-6)
    assert all(0 <= b["angle"] < np.pi for b in best)


def test_a_curve_is_drawn_where_the_reader_has_been():
    runs = computed(("runsOf", [5, 1, 2, 9, 3, 10]), ("runsOf", []))
    assert runs == [[[1, 2, 3], [5], [9, 10]], []]


def test_the_metric_of_an_ellipse_gives_its_points_the_distance_one(rng):
    for _ in range(5):
        axes, angle = rng.uniform(0.2, 3, size=2), rng.uniform(0, np.pi)
        (root,) = computed(("metricRoot", axes, angle))
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        round_it = rng.uniform(0, 2 * np.pi, size=9)
        ellipse = np.column_stack([axes[0] * np.cos(round_it), axes[1] * np.sin(round_it)]) @ turn
        np.testing.assert_allclose(np.linalg.norm(ellipse @ root, axis=1), 1.0, rtol=1e-12)


# --------------------------------------------------------------------------- chapters 2 and 5


def test_the_frame_is_orthonormal_all_the_way_and_ends_at_the_bound(rng):
    for n, sizes in ((7, [4, 3]), (9, [4, 3, 2])):
        basis = ortho_group.rvs(n, random_state=n)
        A = basis @ np.diag(rng.normal(3, 5, size=n)) @ basis.T
        A, labels = (A + A.T) / 2, np.repeat(range(len(sizes)), sizes)
        given = hands.turn_frame(A, labels, [np.trace(indicator(labels).T @ A @ indicator(labels))])
        data = {k: np.asarray(given.data[k]).tolist() for k in ("from", "towards", "angles")}
        steps = (0.0, 0.37, 1.0, 1.6)
        frames = computed(*[("frameAt", data, s, 0.4) for s in steps])
        for Y in map(np.array, frames):
            np.testing.assert_allclose(Y.T @ Y, np.eye(len(sizes)), atol=1e-9)
        values = given.data["values"]
        traces = [sum(p) for p in computed(*[("columnParts", Y, values) for Y in frames])]
        assert traces[0] == pytest.approx(np.trace(indicator(labels).T @ A @ indicator(labels)))
        assert traces[2] == pytest.approx(ky_fan(A, len(sizes))[0])
        V = ky_fan(A, n)[1]
        direct = [np.trace((V @ Y).T @ A @ (V @ Y)) for Y in map(np.array, frames)]
        np.testing.assert_allclose(traces, direct, rtol=1e-9)
        np.testing.assert_allclose(np.sum(computed(("sharesOf", frames[1]))), len(sizes))


def test_equal_eigenvalues_do_not_leave_the_frame_to_rounding(rng):
    X, labels = rng.normal(size=(9, 5)), np.repeat([0, 1, 2], [4, 3, 2])  # rank 5: four zeros
    noise = 1e-13 * rng.normal(size=(9, 9))
    pages = [
        hands.turn_frame(A, labels, [1.0]).html() for A in (X @ X.T, X @ X.T + noise + noise.T)
    ]
    assert pages[0] == pages[1]


def test_f2_and_its_kernels_agree(rng):
    X, y = rng.normal(size=(25, 3)), np.repeat([0, 1], [15, 10])
    kernels = [rbf(X[:, [k]], sigma=1.0) for k in range(3)]
    bank = feature_kernels(X)
    for ours, K, G in zip(
        computed(*[("traceOne", K) for K in kernels]), kernels, bank, strict=True
    ):
        np.testing.assert_allclose(ours, center(K) / np.trace(center(K)), atol=1e-14)
        np.testing.assert_allclose(ours, G, atol=1e-14)
    found = kernel_weights(bank, indicator(y), 0.1)
    (mixed,) = computed(("mixture", bank, found.weights))
    (F2,) = computed(("complementOf", mixed, indicator(y), 0.1))
    assert pytest.approx(found.objective, rel=1e-9) == F2
    assert complement(np.array(mixed), y) == pytest.approx(F2, rel=1e-12)


def test_kernel_k_means_agrees_and_the_best_run_is_the_best(rng):
    X = rng.normal(size=(24, 2))
    G = center(rbf(X, sigma=0.8))
    G = G / np.trace(G)
    starts = [draw_problem(rng, K=3, n=24)[1] for _ in range(8)]
    ends = [settled(kernel_kmeans_steps(G, c, 3)) for c in starts]
    found = computed(*[("kernelLloyd", G, c, 3) for c in starts])
    assert [f["labels"] for f in found] == [end.labels.tolist() for end in ends]
    np.testing.assert_allclose([f["objective"] for f in found], [e.objective for e in ends])
    D = np.sqrt(np.maximum(np.diag(G)[:, None] - 2 * G + np.diag(G), 0))
    seeds = [(D[int(np.argmax(D[i]))] < D[i]).astype(int) for i in range(24)]
    runs = [settled(kernel_kmeans_steps(G, c, 2)).objective for c in seeds]
    (best,) = computed(("bestKernelTwoMeans", G))
    assert best["objective"] == pytest.approx(min(runs))


def test_places_of_the_triangle_are_weights(rng):
    weights = rng.dirichlet(np.ones(3), size=10)
    places = computed(*[("placeOf", w) for w in weights])
    np.testing.assert_allclose(computed(*[("weightsAt", p) for p in places]), weights, atol=1e-12)
    outside = np.array(computed(*[("weightsAt", p) for p in rng.normal(0, 3, size=(20, 2))]))
    assert outside.min() >= 0 and np.allclose(outside.sum(axis=1), 1)


# --------------------------------------------------------------------------- chapters 6 and 7


def test_the_field_agrees(rng):
    for sigma, lam in ((0.4, 0.1), (1.3, 2.0)):
        X, labels, K = draw_problem(rng, d=2, n=20)
        X[1] = X[0]  # G is singular
        Y, at = indicator(labels), rng.normal(3, 1, size=(7, 2))
        (G,) = computed(("gaussian", X, X, sigma))
        np.testing.assert_allclose(G, rbf(X, sigma=sigma), atol=1e-13)
        np.testing.assert_allclose(computed(("indicator", labels, K))[0], Y)
        (psi,) = computed(("deformation", X, G, Y, lam))
        np.testing.assert_allclose(psi, deformation(X, np.array(G), Y, lam), atol=1e-8)
        (parts,) = computed(("scatterAndCost", X, G, Y, psi, lam))
        assert sum(parts) == pytest.approx(objective(X, np.array(G), Y, np.array(psi), lam))
        (bumps,) = computed(("gaussian", at, X, sigma))
        moved = velocity(at, X, np.array(psi), sigma=sigma)
        np.testing.assert_allclose(computed(("times", bumps, psi))[0], moved, atol=1e-12)


def test_the_cost_of_pairs_agrees_with_the_package(rng):
    V, kinds = rng.normal(size=(9, 2)), np.repeat([1.0, -1.0], [5, 4])
    theta, mu, tau = np.array([0.7, 1.9]), 0.8, 0.3
    cost = PairCost(ListedPairs(V**2), (kinds > 0).astype(float), np.ones(9), tau)
    told = list(zip(V.tolist(), kinds, strict=True))
    here = cost.at(np.append(theta, mu))
    given = (told, np.diag(theta), mu, tau)
    value, (slopes, down) = computed(("pairCost", *given), ("pairSlopes", *given))
    assert value == pytest.approx(here.value)
    np.testing.assert_allclose([slopes[0][0], slopes[1][1], down], here.gradient)


def test_the_root_of_a_metric_is_one_also_where_the_metric_is_singular(rng):
    metrics = [W @ W.T for W in (rng.normal(size=(2, 2)), rng.normal(size=(2, 1)), np.eye(2))]
    for A, root in zip(metrics, computed(*[("rootOf", A) for A in metrics]), strict=True):
        np.testing.assert_allclose(np.array(root) @ np.transpose(root), A, atol=1e-7)


def test_the_learned_metric_is_the_minimum_also_for_pairs_that_contradict_each_other(rng):
    for counts in ((1, 1), (3, 2), (6, 9)):
        V, kinds = rng.normal(size=(sum(counts), 2)), np.repeat([1.0, -1.0], counts)
        V[-1] = V[0] * 0.9 if counts == (6, 9) else V[-1]  # nearly the same pair, told both ways
        told = list(zip(V.tolist(), kinds, strict=True))
        (found,) = computed(("learnedMetric", told, 0.1))
        A, mu = learned_metric(V, kinds, 0.1)
        both = ((found["A"], found["mu"]), (A, mu))
        ours, theirs = computed(*[("pairCost", told, B, m, 0.1) for B, m in both])
        assert ours <= theirs + 1e-9, "SciPy finds a smaller cost"
        assert ours == pytest.approx(theirs, rel=1e-6)
        np.testing.assert_allclose(found["A"], A, atol=2e-3 * max(1, np.abs(A).max()))


# -------------------------------------------------------------------------------- the outputs


@pytest.mark.parametrize("name", BUILDERS)
def test_the_page_is_the_same_each_time_and_its_picture_has_a_sentence(name):
    first, second = chapter_hand(name), BUILDERS[name]()
    assert first.html() == second.html()
    assert first.html().count("<script>") == first.html().count("</script>") == 1
    assert "-0.0," not in first.html() and "NaN" not in first.html()
    assert ASLEEP in first.html() and " id=" not in first.html()
    bundle = first._repr_mimebundle_()
    assert bundle["text/plain"].startswith("Take in the hand: ")
    assert sum(choice["right"] for choice in first.question.shown()) == 1
    assert len(first.twin[1]) > 60
    linked, problems = with_equation_links(first.html(), "01-one", {"1.4": "01-one"})
    assert (
        problems == [] and linked.partition("<script>")[2] == first.html().partition("<script>")[2]
    )


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.name)
def test_each_chapter_has_one_thing_under_its_picture_and_the_site_passes_it_on(page):
    ((cell, html),) = [
        (cell, output.data["text/html"])
        for cell in page.cells
        for output in cell.get("outputs", [])
        if "umlhand" in output.get("data", {}).get("text/html", "")
    ]
    assert len(cell.source.splitlines()) <= 10
    picture, caption, alive = (output.data for output in cell.outputs)
    assert picture["text/plain"] == caption["text/plain"] and "image/png" in picture
    name = re.findall('data-hand="([a-z]+)"', html)[0]
    stored = alive["text/html"].partition("<script>")[2].partition("mount(document")[0]
    fresh = chapter_hand(name).html().partition("<script>")[2].partition("mount(document")[0]
    assert stored == fresh, f"the script has changed: run `umlbook refresh {page.path}`"
    assert "<script>" + html.partition("<script>")[2] in page_source(page, {page.name}).text


def test_what_the_pages_say_about_the_fields_of_chapter_6_is_so():
    bend = chapter_hand("bend")
    X = bend.data["X"]
    truth, cut = (np.asarray(one["labels"]) for one in bend.data["cuts"])
    assert right_labels(truth, cut) == 0.75 * len(X)

    def end(labels, sigma, lam):
        G, Y = rbf(X, sigma=sigma), indicator(labels)
        psi = deformation(X, G, Y, lam)
        means = [(X + G @ psi)[labels == c].mean(axis=0) for c in (0, 1)]
        return objective(X, G, Y, psi, lam), np.linalg.norm(means[0] - means[1])

    assert all(end(cut, 0.3, lam)[0] < end(truth, 0.3, lam)[0] for lam in (0.1, 1.0, 10.0))
    assert end(cut, 0.6, 0.1)[0] < end(truth, 0.6, 0.1)[0]
    assert round(end(truth, 0.6, 0.1)[1], 2) == 0.06
    assert end(truth, 0.6, 0.1)[1] < 0.1 < end(truth, 0.6, 1.0)[1]


def test_wrong_arguments_are_named():
    X, y = np.zeros((4, 2)), [0, 0, 1, 1]
    with pytest.raises(ValueError, match="X must hold points of the plane"):
        hands.bend_space(np.zeros((4, 3)), y)
    with pytest.raises(ValueError, match="truth must put each of the 4 points"):
        hands.link_pairs(X, [0, 1, 2, 2])
    with pytest.raises(ValueError, match="at most 3 clusters"):
        hands.five_forms(X, [0, 1, 2, 3])
    with pytest.raises(ValueError, match="X must have three columns"):
        hands.mix_kernels(X, y)


def test_the_nearest_mean_of_a_tie_is_the_first():
    X, centers = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [2.0]])
    (found,) = computed(("nearestLabels", X, centers))
    assert found["labels"] == nearest_center(X, centers).tolist()
