"""The panel that asks about pairs: it keeps every answer, says contradictions, and exports."""

import csv
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from sklearn.cluster import KMeans

from umlbook.asking import journal, oracle
from umlbook.book.own import TableError, ask_pairs, own_data, prepared
from umlbook.book.own.interview import renamed
from umlbook.book.own.pair_page import as_measured, pair_table, picture_shape, spreads_apart
from umlbook.datasets import load
from umlbook.rivals import ITML

WINE = load("wine")


def model(X, must, cannot):
    """ITML and k-means: a model in a few milliseconds."""
    if len(must) + len(cannot):
        X = ITML(max_iter=20).fit(X, must_link=must, cannot_link=cannot).transform(X)
    return KMeans(3, n_init=3, random_state=0).fit_predict(X)


@pytest.fixture
def wine(tmp_path):
    path = tmp_path / "wine.csv"
    kinds = [f"kind {k}" for k in WINE.target]
    rows = [[*x, kind] for x, kind in zip(WINE.data.tolist(), kinds, strict=True)]
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([[*WINE.feature_names, "kind"], *rows])
    return path


@pytest.fixture
def panel(wine, tmp_path):
    return ask_pairs(wine, 3, model=model, folder=tmp_path)


def answered(panel, count):
    """The panel after so many true answers, given by its buttons and its keys in turn."""
    reply = oracle(WINE.target)
    for number in range(count):
        word = reply(*panel.interview.pair)
        if number % 2:
            panel._key.value = word[0]
        else:
            panel._buttons[word].click()
    return panel


def test_answers_by_buttons_and_keys_are_kept_and_change_the_clusters(panel):
    asked = answered(panel, 8).interview
    assert asked.n_answers == len(asked.answers.given) == 8
    assert "8 answers" in asked.summary and "rows have changed their cluster" in asked.summary
    pairs = asked.answers.must_link, asked.answers.cannot_link
    assert np.array_equal(asked.labels, renamed(model(asked.data.X, *pairs), asked.before))


def test_the_panel_goes_on_where_it_was(panel, wine, tmp_path):
    answered(panel, 4)
    again = ask_pairs(wine, 3, model=model, folder=tmp_path)
    assert again.interview.answers == panel.interview.answers
    assert again.interview.pair == panel.interview.pair
    assert again.status == "4 earlier answers were read from wine-answers.jsonl."


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import test_asking_panel as here
panel = here.ask_pairs(Path(sys.argv[2]), 3, model=here.model, folder=Path(sys.argv[2]).parent)
here.answered(panel, 3)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
def test_kill_9_loses_no_answer(wine, tmp_path):
    here = os.path.dirname(__file__)
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", KILLED, here, str(wine)], env=env)
    assert done.returncode == -signal.SIGKILL
    again = ask_pairs(wine, 3, model=model, folder=tmp_path)
    assert again.interview.n_answers == 3


def test_undo_takes_back_the_last_answer_here_and_on_disk(panel, wine, tmp_path):
    first = panel.interview.pair
    panel.reply("together")
    panel._key.value = "U"
    assert panel.interview.pair == first and panel.interview.n_answers == 0
    assert panel.status.startswith("Undone: rows ")
    panel.reply("undo")
    assert panel.status == "There is no answer to undo."
    assert ask_pairs(wine, 3, model=model, folder=tmp_path).interview.n_answers == 0


def test_a_contradiction_is_said_at_once_with_its_chain_and_not_kept(panel):
    for rows, reply in (((10, 20), "together"), ((20, 30), "together"), ((30, 40), "apart")):
        panel.ask_about(*rows)
        panel.reply(reply)
    panel._own.value = "40, 10"
    assert panel.interview.question == "Do rows 40 (A) and 10 (B) belong together?"
    panel.reply("together")
    assert panel.status == (
        "Not kept: rows 40 and 10 cannot be together, because you said: 40 and 30 apart; 30 and 20 "
        "together; 20 and 10 together. Answer otherwise, or undo back to the answer that is wrong."
    )
    assert panel.interview.n_answers == 3
    assert len(journal.read(panel.interview.journal)) == 4  # with its head
    panel.reply("apart")  # what follows anyway may be said
    assert panel.interview.n_answers == 4


@pytest.mark.parametrize(
    "typed, words",
    [("1 2 3", "Two row numbers"), ("1 x", "Two row numbers"), ("5 5", "Row 5 is with itself"),
     ("0 5", "no row 0 in use: rows are numbered 1 to 178")],
)  # fmt: skip
def test_a_question_of_ones_own_that_cannot_be_asked(panel, typed, words):
    shown = panel.interview.pair
    panel._own.value = typed
    assert words in panel.status and panel.interview.pair == shown


def test_an_unknown_key_is_answered_with_the_known_ones(panel):
    panel._key.value = "x"
    assert panel.status == "'x' is no key: t, a, d, u are." and panel._key.value == ""


def test_the_export_has_rows_indices_texts_and_answers(panel, tmp_path):
    answered(panel, 3)
    panel._key.value = "d"
    panel._write.click()
    with (tmp_path / "wine-answers.csv").open(newline="", encoding="utf-8") as stream:
        head, *lines = csv.reader(stream)
    assert head == ["row_a", "row_b", "index_a", "index_b", "kind_a", "kind_b", "answer"]
    for line, said in zip(lines, panel.interview.answers.given, strict=True):
        assert [int(cell) for cell in line[2:4]] == [said.first, said.second]
        assert [int(cell) - 1 for cell in line[:2]] == [said.first, said.second]
        assert line[4] == f"kind {WINE.target[said.first]}"
        assert line[6] == said.reply.replace("unknown", "don't know")
    clusters = (tmp_path / "wine-asked-clusters.csv").read_text().splitlines()
    assert clusters[0] == "row,before,after" and len(clusters) == 179


def test_rows_that_are_not_in_use_are_kept_and_not_used(wine, tmp_path):
    lines = wine.read_text().splitlines()
    panel = ask_pairs(wine, 3, model=model, folder=tmp_path)
    panel.ask_about(2, 3)
    panel.reply("together")
    lines[2] = "," + lines[2].partition(",")[2]  # row 2 misses a value now
    wine.write_text("\n".join(lines) + "\n")
    asked = ask_pairs(wine, 3, model=model, folder=tmp_path).interview
    assert asked.n_answers == 1 and asked.answers.given == ()
    assert [row[:4] for row in asked.exported()][1] == [2, 3, "", 1]


def test_answers_about_another_file_are_refused(panel, wine, tmp_path):
    answered(panel, 1)
    wine.write_text("\n".join(wine.read_text().splitlines()[:-5]) + "\n")
    with pytest.raises(TableError, match=r"a file of 178 rows, and wine\.csv has 173"):
        ask_pairs(wine, 3, model=model, folder=tmp_path)
    (tmp_path / "wine-answers.jsonl").write_text("something else\n")
    with pytest.raises(TableError, match="line 1, is not an answer"):
        ask_pairs(wine, 3, model=model, folder=tmp_path)


def test_the_columns_that_differ_most_come_first_in_units_of_their_spread(wine):
    data = prepared(wine)
    values = as_measured(data)
    assert np.allclose(values, WINE.data)
    apart = spreads_apart(values, 0, 100)
    assert np.allclose(apart, abs(WINE.data[0] - WINE.data[100]) / WINE.data.std(axis=0))
    shown = pair_table(data, 0, 100)
    names = [row[0] for row in shown.rows]
    order = np.argsort(-apart)[:8]
    assert names == [*(WINE.feature_names[j] for j in order), "kind"]
    assert shown.header == ("column", "A: row 1", "B: row 101", "apart")


@pytest.mark.parametrize(
    "names, shape",
    [
        ([f"pixel_{i}_{j}" for i in range(4) for j in range(6)], (4, 6)),
        ([f"pixel_{i}_{j}" for j in range(6) for i in range(4)], None),  # column by column
        ([f"x{k}" for k in range(1, 26)], (5, 5)),
        ([str(k) for k in range(784)], (28, 28)),
        ([f"x{k}" for k in range(2, 50, 2)], None),
        ([f"x{k}" for k in range(9)], None),
        (WINE.feature_names, None),
    ],
)
def test_columns_of_pixels_are_told_by_their_names(names, shape):
    assert picture_shape(names) == shape


def test_rows_of_pixels_are_shown_as_pictures(tmp_path):
    digits = load("digits")
    path = tmp_path / "digits.csv"
    names = [f"pixel_{i}_{j}" for i in range(8) for j in range(8)]
    values = np.random.default_rng(0).integers(17, size=(30, 64))  # no pixel is constant
    values[:20] = digits.data[:20]
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([names, *values.tolist()])
    page = ask_pairs(path, 3, model=model, folder=tmp_path)._pictured()
    assert page.count("<img") == 2 and "<table" not in page


def test_the_panel_is_the_second_step_of_ones_own_data(wine, tmp_path):
    own = own_data(wine, folder=tmp_path)
    own.ask()
    assert "press Cluster first" in own.status
    own.cluster()
    own.ask()
    assert own.asking is not None and own._second.children == (own.asking.widget,)
    assert own.asking.interview.data is own.result.data
    own.open(wine)
    assert own.status


def test_the_panel_reads_without_a_picture_and_without_a_kernel(panel):
    bundle = panel._repr_mimebundle_()
    assert "belong together?" in bundle["text/plain"] and "[together (t)]" in bundle["text/plain"]
    assert "belong together?" in bundle["text/html"] and "<img" not in bundle["text/html"]
    assert "A map of all rows" in panel._page.value
    assert 'role="status"' in panel._status.value
