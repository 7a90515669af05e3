"""Your own data: good files are read as they are meant, bad ones are refused with a reason."""

import csv
import io
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from umlbook.book.own import METHODS, TableError, analyse, diagnostics, own_data, prepared, rows
from umlbook.book.own import columns as columns_module
from umlbook.book.own.layout import dialect_of
from umlbook.book.own.preparing import NO_CLUSTER
from umlbook.book.own.rows import Line, read, sample
from umlbook.datasets import load
from umlbook.scores import adjusted_rand_index

WINE = load("wine")


def written(path, rows, delimiter=",", encoding="utf-8"):
    with path.open("w", newline="", encoding=encoding) as stream:
        csv.writer(stream, delimiter=delimiter).writerows(rows)
    return path


@pytest.fixture(autouse=True)
def few_clouds(monkeypatch):
    """What clouds tell is tested in test_own_trust.py; here they only take time."""
    monkeypatch.setattr(diagnostics, "CLOUDS", 2)


@pytest.fixture
def wine(tmp_path):
    """A good file: numbers with names, and a column of texts."""
    kinds = [WINE.target_names[k] for k in WINE.target]
    rows = [[*x, kind] for x, kind in zip(WINE.data.tolist(), kinds, strict=True)]
    return written(tmp_path / "wine.csv", [[*WINE.feature_names, "cultivar"], *rows])


@pytest.fixture
def blobs(tmp_path, rng):
    """Three round clouds, sixty rows, two columns."""
    X = np.repeat([[0.0, 0], [9, 0], [0, 9]], 20, axis=0) + rng.normal(size=(60, 2))
    return written(tmp_path / "blobs.csv", [["x", "y"], *X.round(6).tolist()])


# ------------------------------------------------------------------------------ good files


def test_a_good_file_is_clustered_as_scikit_learn_would(wine):
    found = analyse(wine, "k-means", 3)
    scaled = StandardScaler().fit_transform(WINE.data)
    theirs = KMeans(3, n_init=10, random_state=0).fit(scaled)
    np.testing.assert_allclose(found.data.X, scaled)
    np.testing.assert_array_equal(found.labels, theirs.labels_)
    assert found.diagnostics.kmeans_agrees == 1.0 and found.diagnostics.beats_null


@pytest.mark.parametrize("method", [name for name in METHODS if name != "NAML"])
def test_every_method_clusters_and_draws_and_its_code_gives_the_same_labels(
    blobs, method, tmp_path, monkeypatch
):
    found = analyse(blobs, method, 3)
    assert adjusted_rand_index(np.repeat([0, 1, 2], 20), found.labels) > 0.9
    assert f'alt="{found.title}' in found._repr_html_()
    monkeypatch.chdir(tmp_path)
    lines = found.code("blobs.csv")
    assert len(lines.splitlines()) == 5
    namespace = {}
    exec(lines, namespace)
    np.testing.assert_array_equal(namespace["labels"], found.labels)


def test_the_learned_kernels_are_named_by_their_widths(blobs, monkeypatch):
    monkeypatch.setattr(diagnostics, "CLOUDS", 1)  # a learned kernel takes its time
    monkeypatch.setattr(diagnostics, "REFITS", 1)
    found = analyse(blobs, "NAML", 3)
    assert re.search(r"shares of the kernels: width [\d.]+ \d+%", found.sentence)
    assert found.diagnostics.weights is None


def test_text_columns_are_left_out_named_and_only_compared_with(wine):
    found = analyse(wine, "k-means", 3, compare_with="cultivar")
    assert "cultivar" not in found.data.names
    assert "Text, left out: cultivar." in found.data.notes
    assert "cultivar" in repr(found.comparison())
    np.testing.assert_array_equal(found.labels, analyse(wine, "k-means", 3).labels)
    with pytest.raises(TableError, match=r"'cultivar' holds texts such as 'class_0'"):
        analyse(wine, columns=["alcohol", "cultivar"])


def test_a_text_column_of_many_words_cannot_be_compared_with(tmp_path):
    rows = [[i % 7, i % 5, f"sample {i}"] for i in range(60)]
    path = written(tmp_path / "names.csv", [["x", "y", "name"], *rows])
    with pytest.raises(TableError, match="compare_with is 'name': a column of 2 to 20"):
        analyse(path, compare_with="name")


@pytest.mark.parametrize(
    ("delimiter", "encoding", "decimal"),
    [(",", "utf-8", "."), (";", "utf-8-sig", ","), ("\t", "latin-1", ","), ("|", "utf-8", "."),
     (";", "utf-16", ","), (" ", "utf-8", ".")],
)  # fmt: skip
def test_delimiter_encoding_and_decimal_mark_are_found_out(tmp_path, delimiter, encoding, decimal):
    rows = [[f"{i / 8:.3f}".replace(".", decimal), str(i * i)] for i in range(30)]
    path = written(tmp_path / "t.csv", [["länge", "fläche"], *rows], delimiter, encoding)
    data = prepared(path, scaling="none")
    assert data.names == ("länge", "fläche")
    np.testing.assert_allclose(data.X, [[i / 8, i * i] for i in range(30)])
    assert any("Decimal commas" in note for note in data.notes) == (decimal == ",")


def test_a_letter_beyond_the_first_bytes_that_is_no_utf_8_is_read_as_latin_1(tmp_path):
    path = tmp_path / "late.csv"
    path.write_bytes(b"x,y,note\n" + b"1,2,plain\n2,3,plain\n" * 5000 + b"3,4,caf\xe9\n")
    table = read(path)
    assert table.source.dialect.encoding == "cp1252" and table.n_rows == 10_001


def test_a_file_without_names_gets_some_and_keeps_its_first_row(tmp_path):
    path = written(tmp_path / "bare.csv", [[i * i % 11, i * i % 7] for i in range(20)])
    data = prepared(path)
    assert data.names == ("column 1", "column 2") and len(data.X) == 20
    assert "no row of names" in data.notes[0]


def test_two_columns_of_one_name_are_told_apart(tmp_path):
    path = written(
        tmp_path / "twins.csv", [["x", "x", ""], *([-i, i * i, i % 3] for i in range(9))]
    )
    data = prepared(path)
    assert data.names == ("x", "x (2)", "column 3")
    assert any("x (2), column 3" in note for note in data.notes)


def test_constant_and_empty_columns_are_left_out_and_named(tmp_path):
    rows = [[i * i, 7, "", i % 3] for i in range(20)]
    data = prepared(written(tmp_path / "t.csv", [["x", "seven", "void", "y"], *rows]))
    assert data.names == ("x", "y")
    assert {"The same value in every row, left out: seven.", "Without any value, left out: void."} <= set(data.notes)  # fmt: skip  # noqa: E501
    with pytest.raises(TableError, match="'seven' is constant"):
        prepared(tmp_path / "t.csv", ["x", "seven"])


# ---------------------------------------------------------------------------------- gaps


@pytest.fixture
def gaps(tmp_path):
    rows = [[(7 * i) % 31, (3 * i) % 11] for i in range(30)]
    rows[3][1], rows[4][1], rows[9][0], rows[20][0] = "NA", "?", "", "broken"
    return written(tmp_path / "gaps.csv", [["x", "y"], *rows])


def test_rows_with_gaps_are_counted_left_out_and_get_no_cluster(gaps):
    found = analyse(gaps, "k-means", 2)
    assert "Missing values: x 2, y 2; 4 rows left out." in found.data.notes
    assert "1 cell of x no number ('broken'), taken as missing." in found.data.notes
    labels = found.data.labels(found.model)
    assert np.flatnonzero(labels == NO_CLUSTER).tolist() == [3, 4, 9, 20]
    assert len(found.data.X) == 26 and 5 not in found.data.rows


def test_gaps_can_be_filled_by_the_median(gaps):
    data = prepared(gaps, scaling="none", missing="median")
    assert len(data.X) == 30
    column = [(3 * i) % 11 for i in range(30) if i not in (3, 4)]
    assert data.X[3, 1] == np.median(column)
    assert any("filled with the median" in note for note in data.notes)


def test_a_column_that_is_mostly_gaps_is_not_used_unless_asked_for(tmp_path):
    rows = [[i * i, i % 5, i * i if i > 20 else ""] for i in range(30)]
    path = written(tmp_path / "t.csv", [["x", "y", "rare"], *rows])
    assert prepared(path).names == ("x", "y")
    assert len(prepared(path, ["x", "rare"]).X) == 9


# ----------------------------------------------------------------------------- bad files


def png():
    buffer = io.BytesIO()
    Image.new("RGB", (4, 4)).save(buffer, "PNG")
    return buffer.getvalue()


def zipped(name):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, "x")
    return buffer.getvalue()


BAD = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\n \n", "is empty"),
    "png": (png(), "looks like a PNG picture"),
    "excel": (zipped("xl/workbook.xml"), "looks like an Excel workbook.*export the table as CSV"),
    "zip": (zipped("table.csv"), "looks like a ZIP archive"),
    "broken zip": (b"PK\x03\x04" + bytes(99), "a damaged ZIP archive"),
    "gzip": (b"\x1f\x8b" + bytes(99), "a gzip archive"),
    "old excel": (b"\xd0\xcf\x11\xe0" + bytes(99), "an old Excel"),
    "json": (b'{"x": [1, 2]}', "looks like JSON"),
    "html": (b"<!DOCTYPE html><html>404</html>", "HTML"),
    "random": (np.random.default_rng(0).bytes(5000), "looks like binary data"),
    "one row": (b"x,y\n1,2\n", "has one row only: there is nothing to cluster"),
    "two rows": (b"x,y\n1,2\n3,4\n", "2 different rows without gaps for 3 clusters"),
    "names only": (b"x,y\n", "names but no rows"),
    "words": (b"a,b\nred,blue\ngreen,grey\n", r"no column of varying numbers \(found"),
    "prose": (b"This is a letter, and no table.\nIt says, among others, many words.\n", "no "),
    "all gaps": (b"x,y\n" + b"1,\n,2\n3,\n,4\n" * 5, "every row misses a value"),
    "ragged": (b"a,b\n" + b"1,2,3\n1\n1,2,3,4\n" * 9, "do not have"),
    "open quote": (b'x,y\n1,2\n"' + b"3,4\n" * 50_000, "unclosed quote|cut into cells"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_is_refused_with_its_name_and_a_reason(tmp_path, kind):
    content, message = BAD[kind]
    path = tmp_path / "given.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match=rf"(?s)given\.csv.*({message})"):
        analyse(path)


def test_a_folder_a_missing_file_and_a_forbidden_one_are_refused(tmp_path, monkeypatch):
    (tmp_path / "there.csv").touch()
    with pytest.raises(TableError, match=r"is a folder.*there\.csv"):
        analyse(tmp_path)
    with pytest.raises(TableError, match=r"no file gone\.csv.*holds there\.csv"):
        analyse(tmp_path / "gone.csv")
    with pytest.raises(TableError, match=r"no file three\.csv.*near it: there\.csv"):
        analyse(tmp_path / "three.csv")
    with pytest.raises(TableError, match="its folder does not exist either"):
        analyse(tmp_path / "nowhere" / "gone.csv")

    def refuse(*args, **kwargs):
        raise PermissionError

    monkeypatch.setattr(Path, "open", refuse)  # the superuser may read everything
    with pytest.raises(TableError, match=r"there\.csv may not be read"):
        analyse(tmp_path / "there.csv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "method is 'magic': choose one of k-means"),
        ({"scaling": "big"}, "scaling is 'big'"),
        ({"missing": "zero"}, "missing is 'zero'"),
        ({"n_clusters": 1}, "n_clusters is 1"),
        ({"n_clusters": 2.0}, r"n_clusters is 2\.0"),
        ({"n_clusters": 60}, "60 different rows"),
        ({"columns": ["z"]}, "no column 'z': the file has x, y"),
        ({"columns": []}, "at least one name"),
        ({"columns": "x"}, "give a list"),
        ({"compare_with": "x"}, "the file has none"),
    ],
)
def test_a_senseless_wish_is_refused_with_what_is_possible(blobs, options, message):
    with pytest.raises(TableError, match=message):
        analyse(blobs, **options)


def test_what_a_method_cannot_do_is_said_in_its_words(tmp_path, rng):
    path = written(tmp_path / "wide.csv", rng.normal(size=(12, 11)).tolist())
    with pytest.raises(TableError, match=r"CPCM cannot cluster wide\.csv"):
        analyse(path, "CPCM", 2)


def test_a_few_ragged_rows_are_left_out_and_keep_their_numbers(tmp_path):
    lines = [f"{i * i},{i % 4}" for i in range(20)]
    lines[5] = "1,2,3"
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "\n".join(lines))
    data = prepared(path)
    assert "1 row of another length left out (line 7: '1,2,3')." in data.notes
    assert data.n_rows == 20 and 6 not in data.rows and 7 in data.rows


# --------------------------------------------------------------------------- large files


def test_the_sample_is_uniform(rng):
    rows = [Line(i, "") for i in range(10)]
    counts = np.zeros(10)
    for _ in range(3000):
        kept, n = sample(iter(rows), 4, rng)
        assert n == 10 and len({row.number for row in kept}) == 4
        counts[[row.number for row in kept]] += 1
    # 3000 draws of 4 in 10: 1200 each, standard deviation 27.
    assert np.all(np.abs(counts - 1200) < 4.5 * 27)


def test_a_long_file_is_sampled_and_all_its_rows_are_labelled(tmp_path, monkeypatch, blobs):
    head, *rows = blobs.read_text().splitlines()
    path = tmp_path / "long.csv"
    path.write_text("\n".join([head, *rows * 20]))
    monkeypatch.setitem(METHODS, "AML", replace(METHODS["AML"], max_rows=200))
    found = analyse(path, "AML", 3)
    assert found.data.X.shape == (200, 2) and found.data.n_rows == 1200
    assert any("A random 200 of these rows" in note for note in found.data.notes)
    labels = found.data.labels(found.model)
    np.testing.assert_array_equal(labels, np.tile(labels[:60], 20))
    np.testing.assert_array_equal(labels[found.data.rows - 1], found.labels)
    namespace = {}
    exec(found.code(), namespace)
    np.testing.assert_array_equal(namespace["labels"], labels)
    saved = found.save(tmp_path)[0].read_text(encoding="utf-8-sig").splitlines()
    assert saved[0] == "row,cluster,sureness in %,x,y"
    expected = zip(range(1, 1201), labels, found.labelled_rows(), rows * 20, strict=True)
    assert saved[1:] == [f"{i},{c},{100 * row.sureness:.0f},{text}" for i, c, row, text in expected]


def test_a_wide_table_keeps_fewer_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "CELLS", 100)
    path = written(tmp_path / "t.csv", [[i, i + 1, -i, i % 3] for i in range(60)])
    assert len(read(path).rows) == 25


def test_only_the_first_part_of_an_endless_file_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "SCAN", 1000)
    path = written(tmp_path / "t.csv", [["x", "y"], *([i, i % 9] for i in range(999))])
    data = prepared(path)
    assert data.sampled and 100 < data.n_rows < 300
    assert any(note.startswith("The first") for note in data.notes)


LARGE = """
import resource, sys
from umlbook.book.own import analyse
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
analyse(sys.argv[2], "k-means", 3)
before = peak()
found = analyse(sys.argv[1], "k-means", 3)
clusters = found.save(sys.argv[3])[0]
print(found.data.n_rows, len(found.data.X), sum(1 for _ in clusters.open()), peak() - before)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
def test_200_megabytes_need_little_memory(tmp_path, blobs):
    path = tmp_path / "large.csv"
    note = "measured by hand " * 50
    block = "".join(f"{line},{note}\n" for line in blobs.read_text().splitlines()[1:]).encode()
    with path.open("wb") as stream:
        stream.write(b"x,y,note\n")
        for _ in range(200_000_000 // len(block) + 1):
            stream.write(block)
    assert path.stat().st_size > 200_000_000
    result = subprocess.run(
        [sys.executable, "-c", LARGE, path, blobs, tmp_path],
        capture_output=True, text=True, check=True, env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    n_rows, n_used, n_lines, grown = map(float, result.stdout.split())
    assert n_rows == 60 * (200_000_000 // len(block) + 1) == n_lines - 1
    assert n_used == METHODS["k-means"].max_rows
    assert grown < 100  # MB


# ----------------------------------------------------------------- what is kept and said


def test_what_is_saved_is_what_was_found(gaps, tmp_path):
    found = analyse(gaps, "k-means", 2)
    clusters, image, script = found.save(tmp_path)
    with clusters.open(encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    given = {"x": "21", "y": "NA"}
    assert len(rows) == 30 and rows[3] == {"row": "4", "cluster": "", "sureness in %": ""} | given
    assert [int(r["cluster"]) for r in rows if r["cluster"]] == found.labels.tolist()
    with Image.open(image) as opened:
        assert opened.size[0] > 300
    namespace = {}
    exec(script.read_text(), namespace)
    np.testing.assert_array_equal(namespace["labels"], found.data.labels(found.model))
    with pytest.raises(TableError, match="folder 'nowhere' does not exist"):
        found.save(tmp_path / "nowhere")


def test_two_runs_say_the_same(wine):
    assert repr(analyse(wine, "AML", 3)) == repr(analyse(wine, "AML", 3))


# ------------------------------------------------------------------------------ the panel


def test_the_panel_does_what_the_function_does(wine, tmp_path):
    panel = own_data(wine, folder=tmp_path)
    assert "178 rows, 14 columns" in panel.status and "1 are left out" in panel.status
    assert len(panel._columns.value) == 13 and panel._against.options[1:] == ("cultivar",)
    panel._method.value, panel._against.value = "AML", "cultivar"
    panel._run.click()
    assert panel.status.startswith("Done. wine.csv: AML, 3 clusters")
    assert repr(panel.result) == repr(analyse(wine, "AML", 3, compare_with="cultivar"))
    assert "data:image/png" in panel._page.value and "prepared(" in panel._page.value
    panel._keep.click()
    assert panel.status == "Saved wine-AML-3-clusters.csv, wine-AML-3.png, wine-AML-3-redo.py."
    bundle = panel._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert repr(panel.result) in bundle["text/plain"]


def test_the_panel_says_that_it_is_busy_and_what_went_wrong(wine, tmp_path, monkeypatch):
    panel = own_data(wine)
    said = []
    panel._status.observe(lambda change: said.append(change["new"]), "value")
    panel._n_clusters.value = 2
    panel._columns.value = ()
    panel._run.click()
    assert "Working: k-means with 2 clusters" in said[0] and 'role="status"' in said[0]
    assert panel.status == "This does not work: columns is (): give a list with at least one name"
    panel.open(tmp_path / "gone.csv")
    assert "there is no file gone.csv" in panel.status and panel._columns.options == ()
    panel._path.value = ""
    assert "there is no file yet" in panel.status
    panel._keep.click()
    assert "nothing to save yet" in panel.status
    monkeypatch.setattr("umlbook.book.own.panel.read", lambda *_, **__: 1 / 0)
    panel.open(wine)
    assert "failed unexpectedly (ZeroDivisionError)" in panel.status


def test_an_uploaded_file_is_used_and_its_code_names_the_file_alone(blobs, tmp_path):
    panel = own_data(folder=tmp_path)
    content = memoryview(blobs.read_bytes())
    panel._upload.value = [
        {"name": "../up.csv", "type": "text/csv", "size": len(content), "content": content,
         "last_modified": datetime.now(UTC)}
    ]  # fmt: skip
    assert panel.status.startswith("up.csv: 60 rows")
    panel.cluster()
    assert "prepared(&#x27;up.csv&#x27;" in panel._page.value
    panel.save()
    assert "prepared('up.csv'" in (tmp_path / "up-k-means-3-redo.py").read_text()


def test_names_and_cells_from_a_file_are_escaped_on_the_page(tmp_path):
    rows = [[i, i * i % 7, "<b>" if i % 2 else "<i>"] for i in range(20)]
    path = written(tmp_path / "t.csv", [["<script>", "y", "kind"], *rows])
    page = analyse(path, "k-means", 2, compare_with="kind")._repr_html_()
    assert "<script>" not in page and "<i>" not in page and "&lt;script&gt;" in page


# --------------------------------------------------------------------------------- cells


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1", "2.5", ""], "numbers", [1, 2.5, np.nan]),
        (["1,5", "1.234,25", "2"], "numbers", [1.5, 1234.25, 2]),
        (["1e3", "inf", "1e999"], "text", None),
        (["red", "blue", "3"], "text", None),
        (["4", "4", "NA"], "constant", [4, 4, np.nan]),
        (["", "?", "nan"], "empty", [np.nan] * 3),
        (["1_000", "2_000", "3_000"], "text", None),
    ],
)
def test_cells_are_read_as_what_they_are(cells, kind, values):
    column = columns_module.column("c", cells)
    assert column.kind == kind
    if values is None:
        assert column.values is None
    else:
        np.testing.assert_array_equal(column.values, values)


def test_spaces_in_texts_are_no_delimiters(tmp_path):
    path = written(tmp_path / "t.csv", [["a b", "c d e"], ["red wine", "1"], ["white wine", "2"]])
    assert dialect_of(path).delimiter == ","
