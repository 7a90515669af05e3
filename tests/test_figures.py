"""The book's look, its sentences under figures, its drawings and its tables."""

import base64
import io
import json
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image
from support.accessibility import contrast

from umlbook.book.page import draw, draw_points, figures, tables
from umlbook.book.page.faults import faults
from umlbook.book.page.figures import DASHES, MARKERS, new_figure, png_bytes, show
from umlbook.book.page.pixels import drawn, page_size, png

SENTENCE = "Two clouds of 20 points each, 3.0 apart & <well> separated by a line."


@pytest.fixture
def clouds(rng):
    """Two clouds in the plane and their labels."""
    X = np.concatenate([rng.normal(center, 0.3, (20, 2)) for center in ((0, 0), (3, 0))])
    return X, np.repeat([0, 1], 20)


@pytest.fixture
def shown(monkeypatch):
    """What `show` displays, in a notebook."""
    outputs = []
    monkeypatch.setattr(figures, "display", outputs.append)
    monkeypatch.setattr(figures, "get_ipython", lambda: object())
    return outputs


def decoded(png):
    return np.array(Image.open(io.BytesIO(png)).convert("RGBA"))


# ------------------------------------------------------------------ the look


def test_the_first_fifty_classes_differ_in_look_and_neighbours_in_marker():
    looks = [tuple(figures.class_look(i).values()) for i in range(50)]
    assert len(set(looks)) == 50
    assert all(a[1] != b[1] for a, b in pairwise(looks))
    assert len(set(MARKERS)) == len(MARKERS) and len(set(DASHES)) == len(DASHES)


def test_no_text_is_smaller_than_nine_points():
    fig, ax = new_figure()
    draw.draw_path(ax, [3, 2, 1], label="objective", bound=0.5)
    fig.canvas.draw()
    sizes = [text.get_fontsize() for text in fig.findobj(lambda a: hasattr(a, "get_fontsize"))]
    assert min(sizes) >= 9


def test_new_figure_is_unknown_to_pyplot_and_drawing_leaves_it_unloaded():
    code = (
        "import sys; from umlbook.book.page.figures import new_figure, png_bytes;"
        "from umlbook.book.page.draw import draw_path; fig, ax = new_figure();"
        "png_bytes(draw_path(ax, [2, 1], label='f').figure);"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


def test_the_look_does_not_leak_into_the_readers_settings():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    png_bytes(new_figure()[0])
    assert dict(mpl.rcParams) == before


def test_new_figure_gives_the_asked_for_size_and_axes():
    fig, axes = new_figure(5, 2, nrows=2, ncols=3, sharex=True)
    assert axes.shape == (2, 3)
    assert decoded(png_bytes(fig)).shape[:2] == (400, 1000)
    assert page_size(png_bytes(fig)) == (500, 200)


# ------------------------------------------------------------------ pictures


@pytest.mark.parametrize("ground", ["none", "white"])
def test_the_page_shows_through_a_picture(ground):
    assert not decoded(png_bytes(Figure(facecolor=ground)))[..., 3].any()


def test_white_is_the_page_and_the_white_of_an_image_is_data():
    fig = Figure(figsize=(2, 1))
    left, right = (fig.add_axes((x, 0, 0.5, 1), frame_on=False) for x in (0, 0.5))
    left.plot(0, 0, "o", ms=60, mfc="white", mec="none")
    right.imshow(np.ones((2, 2)), cmap="gray", vmin=0, vmax=1, aspect="auto")
    for ax in (left, right):
        ax.set_axis_off()
    seen = decoded(png_bytes(fig))
    assert seen[100, 100, 3] == 0
    assert seen[100, 300].tolist() == [255, 255, 255, 255]


def test_a_picture_looks_the_same_on_white_as_it_was_drawn(clouds):
    fig, ax = new_figure(3, 3)
    draw_points.draw_clusters(ax, *clouds, predict=lambda Z: Z[:, 0] > 1.5)
    fig.set_layout_engine("none")
    full = figures.pixels(fig).astype(float)
    share = full[..., 3:] / 255
    on_white = full[..., :3] * share + 255 * (1 - share)
    with figures.style():
        assert np.abs(on_white - drawn(fig)).max() <= 3  # twice rounded to eight bits


def test_what_is_drawn_black_can_be_read_on_a_dark_page():
    fig = Figure(figsize=(3, 2))
    ax = fig.add_subplot()
    ax.plot([0, 1], color="k", label="a line")
    ax.axvspan(0.2, 0.3, color="black")
    ax.set(title="A title", xlabel="x")
    ax.legend()
    seen = decoded(png_bytes(fig)).reshape(-1, 4)
    opaque = {to_hex(colour / 255) for colour in np.unique(seen[seen[:, 3] == 255][:, :3], axis=0)}
    assert opaque and min(contrast(colour, "#111111") for colour in opaque) >= 3


def test_dark_text_on_an_image_stays_dark():
    fig, ax = new_figure(2, 2)
    ax.imshow(np.ones((2, 2)), cmap="gray", vmin=0, vmax=1)
    words = ax.text(0, 0, "0.5", color="#222222")
    png_bytes(fig)
    assert words.get_color() == "#222222"


def test_a_palette_does_not_change_the_picture_to_the_eye(clouds):
    fig, ax = new_figure()
    draw_points.draw_clusters(
        ax, *clouds, centers=[[0, 0], [3, 0]], predict=lambda Z: Z[:, 0] > 1.5
    )
    full = figures.pixels(fig)
    stored = decoded(png_bytes(full))

    def on(ground, picture):
        share = picture[..., 3:] / 255
        return picture[..., :3] * share + ground * (1 - share)

    for ground in (255, 17):
        assert np.abs(on(ground, full) - on(ground, stored)).max() <= 12
    assert (stored[full[..., 3] == 0] == 0).all()


def test_a_palette_of_few_colours_keeps_all_shades_of_a_heat_map():
    """Most cells are pale; the dark and middle ones would have lost their blue to the pale ones."""
    fig, ax = new_figure(8, 6)
    ax.imshow(np.linspace(0, 1, 600).reshape(20, 30) ** 3, cmap="Blues", vmax=1.15, aspect="auto")
    full = figures.pixels(fig)
    far = np.abs(decoded(png(full, 16)).astype(int) - full).max(axis=2) > 40
    assert far.mean() < 0.01


def test_even_a_picture_of_noise_is_stored_small(rng):
    fig, ax = new_figure(3, 3)
    draw.draw_kernel(ax, rng.random((200, 200)))
    assert len(png_bytes(fig)) < figures.LARGEST_PNG
    noise = rng.integers(0, 256, (100, 100, 4), dtype=np.uint8)
    assert len(png_bytes(noise, largest=8_000)) <= 8_000 < len(png_bytes(noise))
    for colours in figures.COLOURS:
        used = decoded(png_bytes(noise, largest=10**9, colours=colours)).reshape(-1, 4)
        assert len(np.unique(used, axis=0)) <= colours
    with pytest.raises(ValueError, match="one of"):
        png_bytes(noise, colours=100)


def test_the_same_figure_gives_the_same_bytes(clouds):
    def picture():
        fig, ax = new_figure()
        draw_points.draw_clusters(ax, *clouds)
        return png_bytes(fig)

    assert picture() == picture()


# ---------------------------------------------------------------------- show


def test_show_gives_png_sentence_alt_and_a_visible_escaped_caption(shown):
    show(new_figure()[0], SENTENCE)
    picture, caption = shown
    data, metadata = picture._repr_mimebundle_()
    assert data["text/plain"] == SENTENCE == metadata["image/png"]["alt"]
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    html = caption._repr_mimebundle_()["text/html"]
    assert "20 points each, 3.0 apart &amp; &lt;well&gt; separated" in html
    json.dumps(data)  # as it is: the kernel in a browser encodes nothing


def test_show_outside_a_notebook_prints_the_sentence_once(capsys):
    show(new_figure()[0], SENTENCE)
    assert capsys.readouterr().out.strip() == SENTENCE


@pytest.mark.parametrize("sentence", ["", "Too short.", "x" * 39, "a" + " " * 60])
def test_show_refuses_a_sentence_under_forty_characters(shown, sentence):
    with pytest.raises(ValueError, match="at least 40"):
        show(new_figure()[0], sentence)
    assert shown == []


def test_show_says_what_to_pass_when_given_axes():
    with pytest.raises(TypeError, match=r"ax\.figure"):
        show(new_figure()[1], SENTENCE)


# ------------------------------------------------------------------ drawings


def test_clusters_draw_the_boundary_where_predict_changes(clouds):
    _, ax = new_figure()
    X, y = clouds
    draw_points.draw_clusters(ax, X, y, centers=[[0, 0], [3, 0]], predict=lambda Z: Z[:, 0] > 1.5)
    lines = [path.vertices for c in ax.collections for path in c.get_paths()
             if c.get_zorder() == 1 and len(path.vertices)]  # fmt: skip
    assert np.allclose(np.concatenate(lines)[:, 0], 1.5, atol=0.05)


def test_clusters_tint_a_predicted_label_that_no_point_has(clouds):
    _, ax = new_figure()
    draw_points.draw_clusters(ax, *clouds, predict=lambda Z: np.where(Z[:, 0] > 1.5, 7, 0))
    assert ax.images[0].get_array().max() == 2


def test_a_cluster_keeps_its_look_when_another_is_empty(clouds):
    X, y = clouds
    colours = []
    for labels in (y, np.where(y == 1, 1, 2)):
        _, ax = new_figure()
        draw_points.draw_clusters(ax, X, labels)
        colours.append({c.get_label(): tuple(c.get_facecolor()[0]) for c in ax.collections})
    assert colours[0]["1"] == colours[1]["1"] != colours[1]["2"]


def test_clusters_keep_their_look_when_labels_are_words(clouds):
    X, y = clouds
    _, ax = new_figure()
    draw_points.draw_clusters(
        ax, X, np.array(["left", "right"])[y], predict=lambda Z: ["left"] * len(Z)
    )
    assert [c.get_label() for c in ax.collections] == ["left", "right"]


def test_deformation_ends_where_the_map_sends_the_points(clouds):
    X, _ = clouds
    _, ax = new_figure()
    draw_points.draw_deformation(ax, X, lambda Z: 2 * Z + 1)
    assert np.allclose(ax.collections[-1].get_offsets(), 2 * X + 1)


def test_path_marks_the_rises_and_only_them():
    _, ax = new_figure()
    draw.draw_path(ax, [5, 4, 4.5, 3, 3 + 1e-13, 6], label="objective", bound=2)
    marks = next(line for line in ax.lines if line.get_label() == "rises")
    assert marks.get_xdata().tolist() == [2, 5]
    _, ax = new_figure()
    draw.draw_path(ax, [5, 4, 3], label="objective")
    assert all(line.get_label() != "rises" for line in ax.lines)


@given(st.lists(st.floats(-100, 100), min_size=2), st.sampled_from([-1, 1]))
def test_sorted_paths_never_go_the_wrong_way(values, sign):
    assert len(draw.wrong_way(np.sort(values)[::sign], sign)) == 0


def test_kernel_is_drawn_in_the_order_given_and_zero_is_the_middle_of_both_signs():
    K = np.arange(9.0).reshape(3, 3)
    _, ax = new_figure()
    draw.draw_kernel(ax, K, order=[2, 0, 1])
    image = ax.images[0]
    assert np.array_equal(image.get_array(), K[np.ix_([2, 0, 1], [2, 0, 1])])
    assert image.get_clim() == (0, 8)
    _, ax = new_figure()
    draw.draw_kernel(ax, K - 3)
    assert ax.images[0].get_clim() == (-5, 5)


def test_spectrum_sorts_and_keeps_the_k_largest():
    _, ax = new_figure()
    draw.draw_spectrum(ax, [1, 9, 4, 2], 2)
    kept = next(line for line in ax.lines if line.get_label() == "2 largest")
    assert kept.get_ydata().tolist() == [9, 4]


def test_pairs_differ_by_hatching_and_each_side_sums_to_one(rng):
    _, ax = new_figure()
    distances = rng.random(100)
    draw.draw_pairs(ax, distances, rng.random(100) < 0.3, bins=8)
    assert len({patch.get_hatch() for patch in ax.patches}) == 2
    for patch in ax.patches:
        x, y = patch.get_xy().T
        area = abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2
        assert np.isclose(area, np.ptp(distances) / 8)


def test_simplex_puts_corners_at_corners_and_negative_shares_outside():
    _, ax = new_figure()
    draw_points.draw_simplex(ax, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1.5, -0.5, 0]], [0, 1, 2, 0])
    first = ax.collections[0].get_offsets()
    assert np.allclose(first, [[0, 0], [-0.5, 0]])
    assert np.allclose(ax.collections[2].get_offsets(), [[0.5, np.sqrt(3) / 2]])
    assert ax.get_xlim()[0] < -0.5


@pytest.mark.parametrize("beyond", [0.0, 0.15, 0.3, 0.6])
def test_the_names_of_the_corners_hide_no_point(beyond):
    P = np.eye(3) + beyond * (np.eye(3) - 0.5 * (1 - np.eye(3)))  # outward from each corner
    fig, ax = new_figure(5.4, 4.2)
    draw_points.draw_simplex(ax, P, [0, 0, 0], corners=("setosa", "versicolor", "virginica"))
    fig.canvas.draw()
    points = ax.transData.transform(ax.collections[0].get_offsets())
    boxes = [text.get_window_extent().padded(4) for text in ax.texts]
    assert not any(box.contains(*point) for box in boxes for point in points)


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        (draw_points.draw_clusters, ([[1, 2, 3]], [0]), r"X has shape \(1, 3\)"),
        (draw_points.draw_clusters, ([[1, 2]], [0, 1]), "labels has shape"),
        (draw.draw_path, ([],), "values has shape"),
        (draw.draw_kernel, ([[1, 2]],), "K has shape"),
        (draw.draw_spectrum, ([1, 2], 3), "k is 3"),
        (draw_points.draw_simplex, ([[1, 1, 0]], [0]), "row 0 with sum 2"),
        (draw.draw_pairs, ([1, 2], [True]), "same has shape"),
    ],
)
def test_drawings_name_the_argument_that_is_wrong(function, args, message):
    keywords = {"label": "f"} if function is draw.draw_path else {}
    with pytest.raises(ValueError, match=message):
        function(new_figure()[1], *args, **keywords)


def test_drawings_refuse_an_order_that_drops_points_and_a_map_that_does():
    with pytest.raises(ValueError, match="not a permutation"):
        draw.draw_kernel(new_figure()[1], np.eye(3), order=[0, 0, 1])
    with pytest.raises(ValueError, match="has 1 rows but X has 2"):
        draw_points.draw_deformation(new_figure()[1], [[0, 0], [1, 1]], lambda Z: Z[:1])
    with pytest.raises(ValueError, match="predict gave shape"):
        draw_points.draw_clusters(new_figure()[1], [[0, 0], [1, 1]], [0, 1], predict=lambda Z: Z)


# -------------------------------------------------------------------- tables


@given(st.floats(-1e6, 1e6), st.integers(0, 8))
def test_rounded_never_says_minus_zero(x, digits):
    result = tables.rounded(x, digits)
    assert result != 0 or np.copysign(1, result) == 1
    assert abs(result - x) <= 0.5 * 10.0**-digits + 1e-9


def test_noise_beside_large_numbers_does_not_reach_the_page():
    clean = tables.table({"x": [123.456, 1e-14, -1e-15]})
    noisy = tables.table({"x": [123.456 + 1e-11, -3e-14, 0.0]})
    assert str(clean) == str(noisy)
    assert "-0" not in str(clean)
    assert str(tables.table({"x": [1e-17, -2e-17]})) == str(tables.table({"x": [0.0, 0.0]}))


def test_numbers_align_right_texts_left_and_html_is_escaped():
    shown = tables.table({"name": ["a<b", "c"], "n": [5, 100], "ok": [True, None]}, caption="T&C")
    assert str(shown).splitlines() == ["T&C", "name    n  ok", "a<b     5  yes", "c     100  -"]
    html = shown._repr_mimebundle_()["text/html"]
    assert "a&lt;b" in html and "T&amp;C" in html and "a<b" not in html


def test_very_large_and_very_small_columns_use_powers_of_ten():
    assert tables.formatted_column([1.5e12, 2.5e11]) == ["1.5000e+12", "2.5000e+11"]
    assert tables.formatted_column([1.5e-7]) == ["1.5000e-07"]
    assert tables.formatted_column([float("nan"), float("inf"), 1.0]) == ["nan", "inf", "1.0000"]


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="all must be equal"):
        tables.table({"a": [1], "b": [1, 2]})
    with pytest.raises(ValueError, match="columns is empty"):
        tables.table({})


# ------------------------------------------------------------------ what a figure lacks


def test_an_axis_with_numbers_wants_a_label_and_one_with_names_does_not(shown):
    fig, axes = new_figure(7, 3, ncols=3)
    axes[0].plot([0, 1], [5, 6])
    axes[0].set_xlabel("step")
    axes[1].bar(["red", "blue"], [1, 2])
    axes[1].set_yscale("log")
    axes[2].plot([0, 1])
    axes[2].set_axis_off()
    show(fig, SENTENCE)
    metadata = shown[0]._repr_mimebundle_()[1]["image/png"]
    assert metadata["width"] == 700
    assert metadata["faults"] == [
        "axes 1: the y axis has numbers and no label",
        "axes 2: the y axis has numbers and no label",
    ]
    axes[0].set_ylabel("height")  # speaks for its row
    show(fig, SENTENCE)
    assert "faults" not in shown[2]._repr_mimebundle_()[1]["image/png"]
    axes[0].set_ylabel("")
    fig.supylabel("height")
    show(fig, SENTENCE)
    assert "faults" not in shown[4]._repr_mimebundle_()[1]["image/png"]


def test_a_legend_over_marks_is_found():
    fig, ax = new_figure(3, 3)
    ax.scatter([0, 1], [0, 1], label="points")
    ax.set(xlabel="x", ylabel="y")
    legend = ax.legend(loc="upper left")
    png_bytes(fig)
    assert faults(fig) == []
    legend.set_loc("upper right")
    png_bytes(fig)
    assert faults(fig) == ["axes 1: the legend lies over 1 marks"]
