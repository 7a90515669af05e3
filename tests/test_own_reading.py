"""Your own data as people send it: messy files are read right or asked about; frames are taken."""

import csv
import re
from datetime import datetime

import numpy as np
import pytest

from umlbook.book.own import TableError, TableQuestion, analyse, diagnostics, own_data, prepared
from umlbook.book.own.columns import column
from umlbook.book.own.frames import columns_in
from umlbook.book.own.messy import MESSY
from umlbook.book.own.numerals import numeral, values
from umlbook.book.own.roles import role

# ------------------------------------------------------------------------- messy files


@pytest.fixture(autouse=True)
def few_clouds(monkeypatch):
    """What clouds tell is tested in test_own_trust.py; here they only take time."""
    monkeypatch.setattr(diagnostics, "CLOUDS", 1)


def written(path, messy):
    path.write_bytes(messy.text.encode(messy.encoding))
    return path


@pytest.mark.parametrize("name", MESSY)
def test_a_messy_file_is_read_right_or_asked_about(tmp_path, name):
    messy = MESSY[name]
    path = written(tmp_path / "messy.csv", messy)
    if messy.asked:
        with pytest.raises(TableQuestion, match=re.escape(messy.asked)):
            prepared(path, scaling="none", **messy.options)
        assert messy.outcome().startswith("asked: ") and not messy.read
        return
    data = prepared(path, scaling="none", **messy.options)
    assert data.names == tuple(messy.read)
    np.testing.assert_array_equal(data.X, np.column_stack(list(messy.read.values())))
    assert messy.said in " ".join(data.notes)
    assert messy.outcome().startswith("read: ")


def test_there_are_thirty_messy_files_and_more_and_a_fifth_of_them_is_asked_about():
    assert len(MESSY) > 30
    assert sum(bool(messy.asked) for messy in MESSY.values()) >= len(MESSY) / 5


@pytest.mark.parametrize(
    "name", [name for name, messy in MESSY.items() if len([*messy.read.values(), ()][0]) > 3]
)
def test_all_rows_of_a_messy_file_stand_in_the_export_with_their_text(tmp_path, name):
    messy = MESSY[name]
    path = written(tmp_path / "messy.csv", messy)
    data = prepared(path, **messy.options)
    found = analyse(path, "k-means", 2, **messy.options)
    with found.save(tmp_path)[0].open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream, delimiter=";" if ";" in messy.text else ","))
    assert len(rows) == 1 + data.n_rows
    labels = data.labels(found.model)
    for row, label, (_, cells) in zip(rows[1:], labels, source_rows(data), strict=True):
        assert row[3:] == cells
        assert row[1] == ("" if label < 0 else str(label))
    namespace = {}
    exec(found.code(), namespace)
    np.testing.assert_array_equal(namespace["labels"], labels)


def source_rows(data):
    for numbers, rows in data.source.blocks(1000):
        yield from zip(numbers, rows, strict=True)


# ----------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("cell", "decimal", "value"),
    [
        ("1,234,567.89", ".", 1234567.89),
        ("1.234.567,89", ",", 1234567.89),
        ("1 234 567,89", ",", 1234567.89),
        ("1'234'567.89", ".", 1234567.89),
        ("(1,200)", ".", -1200),
        ("- 3.5", ".", -3.5),
        ("+4e-3", ".", 0.004),
        ("1,2e3", ",", 1200),
        (".5", ".", 0.5),
        (",5", ",", 0.5),
        ("5.", ".", 5),
        ("US$ 3.50", ".", 3.5),
        ("3,50 CHF", ",", 3.5),
        ("\ufeff7", ".", 7),
        ("12,34", ".", np.nan),  # no group of three
        ("1.2.2020", ".", np.nan),
        ("1,2,3", ".", np.nan),
        ("5-10", ".", np.nan),
        ("--5", ".", np.nan),
        ("-(5)", ".", np.nan),
        ("(5", ".", np.nan),
        ("$5 €", ".", np.nan),
        ("5 10", ".", np.nan),
        ("1_000", ".", np.nan),
        ("0x1F", ".", np.nan),
        ("1e999", ".", np.nan),
        ("٣", ".", 3),  # digits of other scripts are digits
        ("²", ".", np.nan),
        ("nan", ".", np.nan),
        ("Infinity", ".", np.nan),
    ],
)
def test_a_cell_is_read_as_the_number_that_is_written(cell, decimal, value):
    np.testing.assert_array_equal(values([cell], decimal), [value])


def test_numbers_of_every_country_come_back(rng):
    """Groups, decimals and signs are removed exactly, for both decimal marks."""
    for number in rng.normal(size=200) * 10.0 ** rng.integers(-2, 9, 200):
        english = f"{number:,.2f}"
        german = english.translate(str.maketrans(".,", ",."))
        assert values([english])[0] == values([german], ",")[0] == float(f"{number:.2f}")
        assert numeral(english).mark == "." and numeral(german).mark == ","


def test_a_quick_look_at_the_first_cells_changes_nothing():
    """A column of plain numbers is known by its first cells; one other cell far below is seen."""
    many = ["1.250"] * 600 + ["2.5"]
    assert column("x", many, delimiter=";").question == ""
    assert "1.250 is 1.25 or 1250" in column("x", many[:-1], delimiter=";").question
    late = ["0.5"] * 600 + ["2,5"]
    assert "0.5 has a decimal point and 2,5 a decimal comma" in column("x", late).question


def test_a_question_is_asked_only_for_a_column_that_is_used(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("price;a;b\n1,200;5;2\n2,300;7;9\n4,100;1;8\n")
    with pytest.raises(TableQuestion, match="'price'"):
        prepared(path)
    assert prepared(path, ["a", "b"]).names == ("a", "b")


def test_conflicting_evidence_is_no_evidence(tmp_path):
    """Whole numbers speak for thousands, the commas between cells for a decimal point."""
    path = tmp_path / "t.csv"
    path.write_text("n,price\n5,950\n3,1.200\n8,23.400\n9,780\n")
    with pytest.raises(TableQuestion, match=r'1\.200 is 1\.2 or 1200.*thousands="\."'):
        prepared(path)
    thousands = prepared(path, scaling="none", thousands=".")
    assert thousands.X[:, 1].tolist() == [950, 1200, 23400, 780]


def test_plain_measurements_with_three_decimals_are_not_asked_about(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1.250,2.125\n3.375,4.500\n1.875,2.250\n")
    assert prepared(path, scaling="none").X[0].tolist() == [1.25, 2.125]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decimal": ";"}, "decimal is ';'"),
        ({"thousands": "_"}, "thousands is '_'"),
        ({"decimal": ",", "thousands": ","}, "they must differ"),
        ({"missing_values": "-999"}, "give a list"),
        ({"header": 9}, "line 9 of t.csv is no row"),
        ({"header": -1}, "header is -1"),
        ({"header": True}, "header is True"),
        ({"compare_with": "x", "columns": ["x", "y"]}, "in columns too"),
    ],
)
def test_a_senseless_answer_is_refused(tmp_path, options, message):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n5,1\n7,4\n9,2\n1,3\n")
    with pytest.raises(TableError, match=message):
        analyse(path, "k-means", 2, **options)


# ------------------------------------------------------------- numbers that measure nothing


@pytest.mark.parametrize(
    ("name", "cells", "found"),
    [
        ("x", ["11", "12", "13", "14"], "counts the rows"),
        ("x", ["11", "13", "12", "14"], ""),
        ("order number", ["11", "13", "12", "14"], "identifiers"),
        ("order number", ["11", "13", "11", "14"], ""),
        ("customerId", ["7", "7", "9", "7"], "identifiers"),
        ("idle", ["7", "6", "9", "2"], ""),
        ("zip", ["90210", "10115", "10115", "80331"], "identifiers"),
        ("n", ["007", "011", "107", "002"], "leading zeros"),
        ("created", ["1609459200000", "1609545600000"], "milliseconds since 1970"),
        ("population", ["1609459200", "83000000"], ""),
        ("d", ["20210131", "20211231"], "year, month, day"),
        ("d", ["20210131", "20211332"], ""),
        ("Date", ["44197", "44228"], "spreadsheet"),
        ("price", ["44197", "44228"], ""),
        ("id", ["1.5", "2.5"], ""),
        ("zip_rate", ["7", "6", "9", "2"], ""),
        ("phone minutes", ["7", "6", "9", "2"], ""),
    ],
)
def test_numbers_that_measure_nothing_are_known_by_value_and_name(name, cells, found):
    said = role(name, cells, np.array(cells, float), range(1, len(cells) + 1))
    assert found in said and bool(found) == bool(said)


def test_what_measures_nothing_comes_back_when_it_is_named(tmp_path):
    path = written(tmp_path / "t.csv", MESSY["identifiers"])
    assert prepared(path, ["customer_id", "age"], scaling="none").X[0].tolist() == [90210, 31]


def test_a_mark_of_a_gap_is_a_number_again_if_the_reader_says_so(tmp_path):
    path = written(tmp_path / "t.csv", MESSY["-999"])
    assert len(prepared(path, missing_values=[]).X) == 5
    assert len(prepared(path, missing_values=["-999", 9]).X) == 2


def test_numbers_mark_a_gap_if_they_look_like_it_and_stand_far_from_all_others():
    assert column("x", ["5", "8", "3", "9999"]).spelling.marks == (9999.0,)
    assert column("x", ["5", "8", "3", "-1"]).spelling.marks == ()
    assert column("x", ["55", "58", "53", "-1"]).spelling.marks == (-1.0,)
    assert column("x", ["-0.2", "0.1", "-0.1", "-1"]).spelling.marks == ()
    assert column("x", ["95", "97", "99", "93"]).spelling.marks == ()
    assert column("x", ["5", "8", "3", "-1000"]).spelling.marks == ()


def test_a_single_number_that_may_be_real_is_kept_and_spoken_of(tmp_path):
    """A mark of a gap is there more than once, or is impossible beside the others."""
    incomes = ["50000", "51000", "49000", "99"]
    once, twice = column("x", incomes), column("x", [*incomes, "99"])
    assert once.spelling.marks == () and twice.spelling.marks == (99.0,)
    assert "99 is far from all others and was kept" in once.remarks[0]
    assert "missing_values=[] keeps it" in twice.remarks[0] and "(2 times)" in twice.remarks[0]
    assert column("x", ["50", "51", "49", "-9999"]).spelling.marks == (-9999.0,)
    path = tmp_path / "t.csv"
    path.write_text("a,x\n5,50\n3,51\n7,-999\n2,49\n")
    assert "-999 taken as missing (once), missing_values=[] keeps" in " ".join(prepared(path).notes)


# ---------------------------------------------------------------------------------- totals


@pytest.mark.parametrize(
    "text",
    [
        "player,points,games\nAnna,12,3\nOtto,15,4\nSum Ting,11,2\nMean Joe Greene,20,5\n",
        "brand,sold,back\nBP,52,1\nShell,71,2\nTotal,66,4\n",
        "brand,sold,back\nBP,52,1\nShell,71,2\nTotal,123,4\n",  # the sum in one column alone
        "name,x,y\nA,5,2\nMinimum,7,1\nMax,3,8\nCount,9,9\n",
        "1,Total,9\n2,Mean,4\n5,Sum,7\n",
    ],
)
def test_a_row_that_sums_up_nothing_is_kept(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    data = prepared(path, scaling="none")
    assert len(data.X) == data.n_rows and "sums up the rows" not in " ".join(data.notes)
    assert ("and was kept" in " ".join(data.notes)) == ("Joe" not in text)


def test_rows_that_sum_up_those_above_are_left_out_and_all_others_stay(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "shop;sold;rate\nA;1.052,5;0,5\nB;71,25;1,5\nC;66;0,7\n"
        "Summe;1.189,75;2,7\nMittelwert:;396,58;0,9\nMax;1.052,5;\n"
    )
    data = prepared(path, scaling="none")
    assert data.X.tolist() == [[1052.5, 0.5], [71.25, 1.5], [66, 0.7]]
    for word in ("'Summe'", "'Mittelwert:'", "'Max'"):
        assert f"begins with {word} and sums up the rows above, left out" in " ".join(data.notes)
    sampled = prepared(path, scaling="none", max_rows=5)
    assert "and others do, and was kept" in " ".join(sampled.notes)


def test_names_that_come_again_and_totals_are_counted_apart(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("shop,sold\n" + "A,5\nshop,sold\n" * 5 + "B,4\nTotal,29\n")
    notes = prepared(path).notes
    assert "2 more rows repeat the names, left out." in notes
    assert "Row 12 begins with 'Total' and sums up the rows above, left out." in notes


def test_a_row_without_any_value_is_not_filled_by_medians(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n5,1\n7,\n,\nsource,\n9,2\n1,3\n3,8\n2,2\n4,1\n8,7\n6,5\n2,9\n")
    data = prepared(path, missing="median")
    assert data.rows.tolist() == [1, 2, 5, 6, 7, 8, 9, 10, 11, 12][: len(data.rows)]
    assert 3 not in data.rows and 4 not in data.rows


def test_a_column_of_whole_numbers_can_be_compared_with_and_is_not_used(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "kind,x,y\n" + "\n".join(f"{i % 2},{i % 2 * 9 + i % 3},{i % 5}" for i in range(30))
    )
    found = analyse(path, "k-means", 2, compare_with="kind")
    assert found.data.names == ("x", "y") and "kind" in repr(found.comparison())


# -------------------------------------------------------------------------- data frames

TABLE = {
    "city": ["A", "B", "C", "D", None, "F"],
    "rent": [1.125, 2.25, float("nan"), 4.5, 5.125, 9.0],
    "rooms": [1, 2, 3, 5, 4, 9],
    "let": [True, False, True, True, False, True],
    "price": ["950", "1,200", "23,400", "780", "1,150", "920"],
    "since": [datetime(2020, 1, day) for day in (5, 3, 8, 1, 2, 9)],
}  # fmt: skip


class Polarslike:
    """What polars and pandas have in common: names, and columns by name."""

    def __init__(self, table):
        self.table, self.columns = table, list(table)

    def __getitem__(self, name):
        return self.table[name]


def frame_of(kind):
    if kind in ("pandas", "polars"):
        return pytest.importorskip(kind).DataFrame(TABLE)
    return Polarslike(TABLE) if kind == "a stand-in" else TABLE


@pytest.mark.parametrize("kind", ["pandas", "polars", "a stand-in", "dict"])
def test_a_data_frame_is_taken_as_a_file_would_be(kind, tmp_path):
    frame = frame_of(kind)
    found = analyse(frame, "k-means", 2, scaling="none")
    assert found.data.names == ("rent", "rooms", "let", "price")
    assert found.data.X[:2].tolist() == [[1.125, 1, 1, 950], [2.25, 2, 0, 1200]]
    assert found.data.rows.tolist() == [1, 2, 4, 5, 6]
    assert "Dates or times, left out: since." in found.data.notes
    assert found.data.labels(found.model)[2] == -1
    with found.save(tmp_path)[0].open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["price"] for row in rows] == TABLE["price"]
    assert [row["rooms"] for row in rows] == list("123549")
    assert rows[2]["cluster"] == "" and rows[4]["city"] == ""
    namespace = {"table": frame}
    exec(found.code(), namespace)
    np.testing.assert_array_equal(namespace["labels"], found.data.labels(found.model))


def test_pandas_frames_with_equal_names_gaps_and_categories_are_taken():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        [[5, 1.5, "a"], [7, None, "b"], [9, 2.5, "a"]], columns=["x", "x", "k"]
    )
    frame["k"] = frame["k"].astype("category")
    frame["n"] = pandas.array([1, None, 4], dtype="Int64")
    data = prepared(frame, scaling="none")
    assert data.names == ("x", "x (2)", "n") and data.X.tolist() == [[5, 1.5, 1], [9, 2.5, 4]]


def test_arrays_and_rows_are_taken_and_numbers_by_type_are_never_asked_about(rng):
    X = rng.integers(1000, 9999, size=(30, 3)) / 1000
    np.testing.assert_array_equal(prepared(X, scaling="none").X, X)
    np.testing.assert_array_equal(prepared(X.tolist(), scaling="none").X, X)
    assert analyse(X, "k-means", 2).data.names == ("column 1", "column 2", "column 3")


def test_a_large_frame_is_sampled_and_all_its_rows_are_labelled(rng):
    X = np.round(rng.normal(size=(6000, 2)) + 9.0 * rng.integers(2, size=(6000, 1)), 3)
    found = analyse({"x": X[:, 0], "y": X[:, 1]}, "k-means", 2)
    assert found.data.X.shape == (5000, 2) and found.data.sampled
    rows = list(found.labelled_rows())
    assert [row.number for row in rows] == list(range(1, 6001))
    assert [row.cluster for row in rows] == found.data.labels(found.model).tolist()
    assert min(row.sureness for row in rows) >= 0


@pytest.mark.parametrize(
    "wrong", [5, None, [1, 2, 3], np.zeros(4), np.zeros((2, 2, 2)), [[1, 2], [3]], {1, 2}, b"x,y"]
)
def test_a_table_of_a_wrong_type_is_refused_with_what_is_wanted(wrong):
    with pytest.raises(TypeError, match=r"table is a \w+.*data frame of pandas or polars.*wanted"):
        analyse(wrong)


def test_a_table_without_rows_or_with_columns_of_other_lengths_is_refused():
    with pytest.raises(TableError, match="no rows or no columns"):
        analyse({})
    with pytest.raises(TableError, match="equally long"):
        analyse({"x": [1, 2], "y": [1]})
    assert columns_in([[1, 2]]) == [("", [1]), ("", [2])]


# ----------------------------------------------------------------------------- the panel


def test_the_panel_asks_and_takes_the_answer(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("price;a\n" + "\n".join(f"{1 + i % 7},2{i % 9}0;{i % 5}" for i in range(20)))
    panel = own_data(path)
    assert panel.status.startswith("A question first: t.csv: column 'price'")
    panel._decimal.value = ","
    assert panel.status.startswith("t.csv: 20 rows, 2 columns")
    panel.cluster()
    assert panel.status.startswith("Done.") and "decimal=','" in panel.result.code()
    assert panel.result.data.unscaled()[:2, 0].tolist() == pytest.approx([1.2, 2.21])
    panel._header.value = "first"
    assert "a number of a line is wanted" in panel.status
    panel._header.value, panel._marks.value = "0", "4; -999"
    assert "no row of names" in panel.status
    with pytest.raises(TypeError, match="path is a ndarray"):
        own_data(np.zeros((2, 2)))
