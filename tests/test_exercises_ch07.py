"""Exercise 7.7: the board on which constraints are placed, and answers that it must accept."""

import numpy as np
import pytest

from umlbook.book.exercises.bank import all_exercises
from umlbook.book.exercises.bank.ch07_board import Board, learned, ten_pairs
from umlbook.book.exercises.judge import OpenExercise
from umlbook.book.exercises.progress import Progress
from umlbook.scores import modified_rand


@pytest.fixture(scope="module")
def opened():
    return OpenExercise(all_exercises()["7.7"], 5, Progress())


@pytest.fixture
def board(opened):
    return Board(opened.data.X, opened.data.labels)


def test_buttons_place_a_pair_and_take_it_away(board):
    empty = board._picture.value
    together, apart, undo = board.widget.children[0].children[2:]
    together.click()
    apart.click()
    assert board.rows == [[0, 1, 1], [0, 1, -1]]
    undo.click()
    assert board.rows == [[0, 1, 1]]
    assert board._picture.value != empty
    undo.click()
    undo.click()
    assert board.rows == []


def test_contradictions_are_told_and_not_raised(board):
    board.place(0, 1, 1).place(0, 1, -1)
    assert "contradicts" in repr(board)
    assert "2 pairs placed" in board._said.value


def test_pairs_placed_on_the_board_are_an_answer(opened, board):
    for i, j, sign in ten_pairs(opened.data.X, opened.data.labels):
        board.place(int(i), int(j), int(sign))
    assert opened.check(board.rows).passed
    score = modified_rand(opened.data.labels, learned(opened.data.X, board.rows).labels_)
    assert f"{score:.3f}" in repr(board)


def test_true_pairs_that_teach_nothing_are_told_their_score(opened):
    X, labels = opened.data.X, opened.data.labels
    apart = np.linalg.norm(X[:, None] - X, axis=2) + 9.0 * np.tri(len(X))
    nearest = np.argwhere(apart <= np.sort(apart, axis=None)[40])
    same = labels[nearest[:, 0]] == labels[nearest[:, 1]]
    farthest = np.argwhere((labels[:, None] != labels) & (np.tri(len(X)) == 0))[:1]
    rows = [[*pair, 1] for pair in nearest[same][:9]] + [[*farthest[0], -1]]
    outcome = opened.check(rows)
    assert not outcome.passed and "scores" in outcome.reason
