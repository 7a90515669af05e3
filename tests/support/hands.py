"""The seven things to take in the hand, on the data that their chapters have."""

from collections.abc import Callable
from functools import cache

import numpy as np
from sklearn.cluster import KMeans

from umlbook.algebra import indicator
from umlbook.book import hands
from umlbook.book.hands.hand import Hand
from umlbook.datasets import make_parallel_lines, make_two_moons


def points() -> Hand:
    rng, labels = np.random.default_rng(1), np.repeat([0, 1, 2], [5, 4, 3])
    X = rng.normal(size=(12, 2)) + 2.0 * np.array([[0, 0], [2, 0], [1, 2]])[labels]
    return hands.five_forms(X, labels)


def frame() -> Hand:
    X = np.random.default_rng(0).normal(size=(7, 5)) + 3.0 * np.eye(5)[np.arange(7) % 3]
    codes = np.array(np.unravel_index(np.arange(3**7), [3] * 7)).T
    partitions = [c for c in codes if list(dict.fromkeys(c)) == [0, 1, 2]]
    traces = [np.sum((indicator(c).T @ X) ** 2) for c in partitions]
    return hands.turn_frame(X @ X.T, partitions[int(np.argmax(traces))], traces)


def direction() -> Hand:
    lines, on_line = make_parallel_lines(200, noise=0.1034, random_state=0)
    across = KMeans(2, n_init=10, random_state=0).fit(lines).labels_
    names = ["the two lines", "the cut of k-means"]
    return hands.turn_direction(lines, on_line, across, names=names)


def ellipse() -> Hand:
    lines, on_line = make_parallel_lines(200, noise=0.1, random_state=0)
    return hands.stretch_metric(lines[::4], on_line[::4])


def triangle() -> Hand:
    draw, half = np.random.default_rng(1), np.repeat([0, 1], 20)
    return hands.mix_kernels(
        draw.normal(size=(40, 3)) + 1.6 * np.outer(half - 0.5, [1, 1, 0]), half
    )


def bend() -> Hand:
    return hands.bend_space(*make_two_moons(48, noise=0.1, random_state=0))


def pairs() -> Hand:
    strips, on_strip = make_parallel_lines(40, noise=0.1, random_state=0)
    turn = np.radians(35)
    tilt = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return hands.link_pairs(strips @ tilt, on_strip)


BUILDERS: dict[str, Callable[[], Hand]] = {
    one.__name__: one for one in (points, frame, direction, ellipse, triangle, bend, pairs)
}
chapter_hand = cache(lambda name: BUILDERS[name]())
