"""Asking for pairs: what follows from answers, which questions are asked, and pairs as judges."""

import json
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from umlbook import LatentClassPairs
from umlbook.asking import (
    STRATEGIES,
    Answers,
    Contradiction,
    OnPairs,
    conversation,
    journal,
    oracle,
    pair_folds,
    questions,
)
from umlbook.asking.strategies import expected_questions
from umlbook.constraints import chain, check_constraints, close, restrict, sample
from umlbook.datasets import load
from umlbook.experiments.engine.storage import grouped
from umlbook.experiments.papers import asking as experiment
from umlbook.experiments.papers.pairs_tables import HELD_OUT
from umlbook.rivals import ITML

IRIS = load("iris")
N = 6


@cache
def partitions(n):
    """Every way to divide n rows into classes, as labels in the order of first use."""
    if n == 0:
        return [()]
    return [(*p, k) for p in partitions(n - 1) for k in range(max(p, default=-1) + 2)]


def holds(labels, answer):
    return answer.reply == "unknown" or (
        (labels[answer.first] == labels[answer.second]) == (answer.reply == "together")
    )


def possible(answers):
    """The divisions that agree with all answers, of at most `n_classes` classes if that is said."""
    most = answers.n_classes or answers.n_samples
    return [
        p
        for p in partitions(answers.n_samples)
        if max(p) < most and all(holds(p, a) for a in answers.given)
    ]


PAIRS = list(combinations(range(N), 2))
replies = st.lists(
    st.tuples(st.sampled_from(PAIRS), st.sampled_from(["together", "apart", "unknown"])),
    max_size=9,
)


@given(replies)
@settings(max_examples=60, deadline=None)
def test_what_follows_is_what_all_possible_divisions_agree_on(said):
    answers = Answers(N)
    for pair, reply in said:
        try:
            answers = answers.plus(*pair, reply)
        except Contradiction as error:
            trial = Answers(N, (*answers.given, error.refused))
            assert possible(trial) == []  # refused only what cannot be
    left = possible(answers)
    assert left
    for i, j in PAIRS:
        together = {p[i] == p[j] for p in left}
        known = {frozenset({True}): "together", frozenset({False}): "apart"}
        assert answers.relation(i, j) == known.get(frozenset(together), "unknown")


@given(replies)
@settings(max_examples=60, deadline=None)
def test_a_reason_is_a_chain_of_answers_from_one_row_to_the_other(said):
    answers = Answers(N)
    for pair, reply in said:
        try:
            answers = answers.plus(*pair, reply)
        except Contradiction as error:
            assert {error.chain[0].first, error.chain[-1].second} == set(pair)
            assert all(a.second == b.first for a, b in pairwise(error.chain))
            known = {(frozenset((a.first, a.second)), a.reply) for a in answers.given}
            assert {(frozenset((a.first, a.second)), a.reply) for a in error.chain} <= known
            apart = sum(a.reply == "apart" for a in error.chain)
            assert apart == (error.refused.reply == "together")


@given(replies, st.integers(2, 4))
@settings(max_examples=60, deadline=None)
def test_elimination_says_nothing_that_is_not_so_in_all_possible_divisions(said, n_classes):
    answers = Answers(N, n_classes=n_classes)
    for pair, reply in said:
        try:
            trial = answers.plus(*pair, reply)
        except Contradiction:
            continue
        if possible(trial):  # more classes than there are cannot always be seen
            answers = trial
    for i, j in PAIRS:
        if (relation := answers.relation(i, j)) != "unknown":
            assert {p[i] == p[j] for p in possible(answers)} == {relation == "together"}


def test_a_row_that_is_apart_from_all_classes_but_one_is_in_that_one():
    answers = Answers(5, n_classes=3)
    for pair in ((1, 0), (2, 0), (2, 1), (3, 0), (3, 1)):
        answers = answers.plus(*pair, "apart")
    assert answers.relation(3, 2) == "together"
    assert answers.must_link.tolist() == [[3, 2]]
    with pytest.raises(Contradiction, match="3 and 2 are together, by elimination"):
        answers.plus(3, 2, "apart")


def test_elimination_overlooks_what_does_not_involve_the_classes_met():
    answers = Answers(5, n_classes=2)
    for pair in ((0, 1), (2, 3), (3, 4)):
        answers = answers.plus(*pair, "apart")
    assert {p[2] == p[4] for p in possible(answers)} == {True}  # so much follows
    assert answers.relation(2, 4) == "unknown"  # and is not found: 0 and 1 are the classes met
    assert possible(answers.plus(2, 4, "apart")) == []  # nor is the contradiction


def test_a_chain_is_a_shortest_path_and_empty_where_there_is_none():
    ring = [(i, (i + 1) % 7) for i in range(7)]
    assert chain(ring, 0, 3, 8) == [0, 1, 2, 3]
    assert chain(ring, 0, 5, 8) == [0, 6, 5]
    assert chain(ring, 0, 7, 8) == [] and chain(None, 2, 2, 3) == [2]


@pytest.mark.parametrize(
    "wish, words",
    [
        ((0, 1, "same"), "reply is 'same': give one of together, apart, unknown"),
        ((0, 9, "apart"), "second is 9, but the rows are 0 to 5"),
        ((2, 2, "apart"), "both row 2"),
    ],
)
def test_a_wrong_answer_names_the_argument(wish, words):
    with pytest.raises(ValueError, match=words):
        Answers(N).plus(*wish)


# ------------------------------------------------------------------------------- the questions


def kmeans(X, must, cannot):
    """A model that looks at the pairs only by the number of its starts: cheap."""
    return KMeans(3, n_init=1, random_state=len(must)).fit_predict(X)


def blobs(rng, sizes=(12, 8, 5)):
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = 3.0 * np.eye(len(sizes))[y] + rng.normal(size=(len(y), len(sizes)))
    order = rng.permutation(len(y))
    return X[order], y[order]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("n_classes", [None, 3])
def test_what_follows_is_not_asked_and_in_the_end_everything_follows(strategy, n_classes, rng):
    X, y = blobs(rng)
    dialogue = questions(X, 3, kmeans, strategy=strategy, answers=Answers(25, n_classes=n_classes))
    state = Answers(25, n_classes=n_classes)
    for after in conversation(dialogue, oracle(y)):
        new = after.given[-1]
        assert state.open(new.first, new.second)
        state = after
    assert all((y[i] == y[j]) == (state.relation(i, j) == "together")
               for i, j in combinations(range(25), 2))  # fmt: skip
    check_constraints(state.must_link, state.cannot_link, 25)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_undo_asks_the_last_question_again_and_unknown_is_not_asked_again(strategy, rng):
    X, y = blobs(rng)
    dialogue, reply = questions(X, 3, kmeans, strategy=strategy), oracle(y)
    asked = [next(dialogue)]
    for _ in range(6):
        asked.append(dialogue.send(reply(asked[-1].first, asked[-1].second)))
    assert dialogue.send("undo") == asked[-2]
    skipped = dialogue.send("unknown")
    assert {skipped.first, skipped.second} != {asked[-2].first, asked[-2].second}
    dialogue = questions(X, 3, kmeans, strategy=strategy)
    question = next(dialogue)
    seen = []
    with pytest.raises(StopIteration):
        while True:
            seen.append(frozenset((question.first, question.second)))
            question = dialogue.send("unknown")
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_dialogue_continues_from_its_answers_alone(strategy, rng):
    X, y = blobs(rng)
    whole = list(conversation(questions(X, 3, kmeans, strategy=strategy), oracle(y)))
    again = questions(X, 3, kmeans, strategy=strategy, answers=whole[6])
    assert next(conversation(again, oracle(y))) == whole[7]


def test_exploring_meets_all_classes_of_far_clouds_in_the_fewest_questions(rng):
    """Farthest first lands in a new cloud each time, and asks it against all that are met."""
    y = np.repeat(np.arange(4), 10)
    X = 100 * np.eye(4)[y] + rng.normal(size=(40, 4))
    dialogue = questions(X, 4, kmeans, strategy="explore")
    states = list(conversation(dialogue, oracle(y)))
    met = [len(state.groups) for state in states]
    assert met.index(4) + 1 == 4 * 3 / 2


def test_the_expected_number_of_questions_is_the_mean_rank(rng):
    shares = rng.dirichlet(np.ones(4), size=20)
    for row, found in zip(shares, expected_questions(shares), strict=True):
        ranked = sorted(row, reverse=True)
        assert np.isclose(found, sum(rank * p for rank, p in enumerate(ranked, 1)))


def test_an_oracle_errs_as_often_as_it_is_told_and_again_in_the_same_pairs(rng):
    y = rng.integers(3, size=45)
    pairs = list(combinations(range(45), 2))
    right, wrong = oracle(y), oracle(y, wrong=0.2, seed=1)
    errors = [right(*pair) != wrong(*pair) for pair in pairs]
    assert 0.17 < np.mean(errors) < 0.23
    assert [wrong(j, i) for i, j in pairs] == [wrong(i, j) for i, j in pairs]


@pytest.mark.parametrize(
    "wish, words",
    [
        ({"strategy": "clever"}, "strategy is 'clever': choose one of random, explore"),
        ({"answers": Answers(7)}, "answers are about 7 rows but X has 25"),
        ({"n_clusters": 1}, "n_clusters must be at least 2"),
        ({"model": 3}, "model is 3: give an estimator"),
    ],
)
def test_a_wrong_dialogue_names_the_argument(wish, words, rng):
    given = {"n_clusters": 3, "model": kmeans} | wish
    with pytest.raises((ValueError, TypeError), match=words):
        next(questions(blobs(rng)[0], **given))


def test_an_estimator_serves_as_model(rng):
    X, y = blobs(rng)
    model = LatentClassPairs(3, n_init=1, random_state=0)
    states = conversation(questions(X, 3, model, refit_every=3), oracle(y))
    assert len([next(states) for _ in range(7)][-1].given) == 7


# -------------------------------------------------------------------------------- the journal


def test_a_journal_keeps_whole_lines_and_drops_a_torn_one(tmp_path):
    path = tmp_path / "deep" / "answers.jsonl"
    assert journal.read(path) == []
    for reply in ("together", "undo"):
        journal.append(path, {"reply": reply})
    with path.open("ab") as file:
        file.write(b'{"reply": "ap')
    assert [event["reply"] for event in journal.read(path)] == ["together", "undo"]
    journal.append(path, {"reply": "apart"})
    assert [json.loads(line)["reply"] for line in path.read_text().splitlines()] == [
        "together", "undo", "apart",
    ]  # fmt: skip


def test_a_file_that_is_no_journal_is_refused(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(journal.NotAJournalError, match=r"table\.csv, line 1, is not an answer"):
        journal.append(path, {"reply": "apart"})


# ---------------------------------------------------------------------------- pairs as judges


def test_folds_of_pairs_divide_each_kind_and_no_judge_follows_from_what_was_learned(rng):
    y = rng.integers(3, size=30)
    must, cannot = sample(y, 15, 15, random_state=0)
    judged = []
    for learn, judge in pair_folds(must, cannot, 30, n_splits=4, random_state=0):
        entailed = [set(map(tuple, kind)) for kind in close(*learn, 30)]
        for kind, known in zip(judge, entailed, strict=True):
            assert not known & set(map(tuple, kind.tolist()))
            judged += kind.tolist()
        dropped = 30 - sum(map(len, learn)) - sum(map(len, judge))
        left_out = [p for p in (*must.tolist(), *cannot.tolist())
                    if p not in np.concatenate(learn).tolist()]  # fmt: skip
        assert dropped == sum(tuple(p) in entailed[0] | entailed[1] for p in left_out)
    assert len({tuple(p) for p in judged}) == len(judged) > 20


def test_more_folds_than_pairs_are_refused():
    with pytest.raises(ValueError, match="n_splits=5 is more than the 2 pairs"):
        next(pair_folds([[0, 1], [1, 2]], [[0, 4]], 5))


def iris_pairs(count=12):
    must, cannot = sample(IRIS.target, count, count, random_state=1)
    return np.concatenate([must, cannot]), np.repeat([True, False], count)


def latent(**params):
    return LatentClassPairs(3, n_init=1, random_state=0, **params)


def test_a_grid_search_over_pairs_scores_by_the_pairs_that_were_left_out():
    pairs, together = iris_pairs()
    folds = StratifiedKFold(3)
    grid = {"estimator__n_graph_components": [0, 10]}
    search = GridSearchCV(OnPairs(latent(), IRIS.data), grid, cv=folds).fit(pairs, together)
    for value, found in zip((0, 10), search.cv_results_["split0_test_score"], strict=True):
        train, test = next(folds.split(pairs, together))
        model = latent(n_graph_components=value).fit(
            IRIS.data,
            must_link=pairs[train][together[train]],
            cannot_link=pairs[train][~together[train]],
        )
        left_out = {"must_link": pairs[test][together[test]],
                    "cannot_link": pairs[test][~together[test]]}  # fmt: skip
        assert np.isclose(found, model.score(IRIS.data, **left_out))
    assert search.best_estimator_.estimator_.labels_.shape == (150,)


def test_pairs_and_answers_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match=r"pairs of shape \(2, 2\) and together of shape \(1,\)"):
        OnPairs(latent(), IRIS.data).fit([[0, 1], [1, 2]], [True])


def test_score_is_the_share_of_pairs_satisfied_and_with_classes_the_rand_index():
    model = latent().fit(IRIS.data, must_link=[[0, 1]], cannot_link=[[0, 100]])
    same = model.labels_[:, None] == model.labels_
    true = IRIS.target[:, None] == IRIS.target
    upper = np.triu_indices(150, 1)
    assert np.isclose(model.score(IRIS.data, IRIS.target), np.mean((same == true)[upper]))
    must, cannot = sample(IRIS.target, 9, 5, random_state=2)
    wanted = [*same[tuple(must.T)], *~same[tuple(cannot.T)]]
    assert np.isclose(model.score(IRIS.data, must_link=must, cannot_link=cannot), np.mean(wanted))
    with pytest.raises(ValueError, match="score needs pairs"):
        model.score(IRIS.data)


@pytest.mark.parametrize("count", [3, 150])  # other than the rows, and sliced as if they were rows
@pytest.mark.parametrize("kind", ["must_link", "cannot_link"])
def test_cross_validation_with_index_pairs_is_refused_though_all_indices_are_small(count, kind):
    few = np.array(list(combinations(range(19), 2)))[:count]
    for model, name in ((latent(), kind), (make_pipeline(StandardScaler(), latent()), "")):
        key = name or f"latentclasspairs__{kind}"
        with pytest.raises(ValueError, match=f"{kind} came through cross-validation"):
            cross_val_score(
                model, IRIS.data, IRIS.target, params={key: few}, error_score="raise", cv=3
            )
    with pytest.raises(ValueError, match="came through cross-validation"):
        cross_validate(
            ITML(), IRIS.data, params={kind: few}, scoring=lambda *_: 0.0, error_score="raise"
        )


class DrawsItsPairs(LatentClassPairs):
    """Makes pairs of the rows that it is given, which is right in every fold."""

    def fit(self, X, y):
        must, cannot = sample(y, 5, 5, random_state=0)
        return super().fit(X, must_link=must, cannot_link=cannot)


def test_pairs_that_are_made_inside_a_fold_are_not_refused():
    model = DrawsItsPairs(3, n_init=1, random_state=0)
    scores = cross_val_score(
        model, IRIS.data, IRIS.target, error_score="raise", cv=StratifiedKFold(2)
    )
    assert np.all(scores > 0.5)


def test_rows_and_pairs_can_be_sliced_by_hand_inside_a_loop():
    pairs, together = iris_pairs()
    train, _ = next(StratifiedKFold(2).split(IRIS.data, IRIS.target))
    model = latent().fit(IRIS.data[train], must_link=restrict(pairs[together], train),
                         cannot_link=restrict(pairs[~together], train))  # fmt: skip
    assert len(model.labels_) == len(train)


# ------------------------------------------------------------------------------ the experiment


def test_the_stored_scores_are_those_of_all_cells():
    keys = ("part", "dataset", "strategy", "seed")
    wanted = {tuple(cell[key] for key in keys) for cell in experiment.cells()}
    found = grouped(experiment.stored(), "questions", *keys)
    assert set(found) == wanted and set(map(tuple, found.values())) == {experiment.COUNTS}
    assert set(experiment.DATASETS) <= set(HELD_OUT)


def test_a_dialogue_of_the_experiment_meets_classes_and_is_scored_on_free_rows():
    cell = {"part": "wrong", "dataset": "glass", "strategy": "explore", "seed": 0}
    made = list(experiment.work(cell))
    assert [row["questions"] for row in made] == list(experiment.COUNTS)
    assert made[0]["ari"] == made[0]["free"] and made[0]["rows"] == 0
    assert made[1]["classes"] <= made[-1]["classes"] <= 6 and 10 < made[-1]["rows"] <= 81


def test_the_means_of_classes_met_come_first_and_then_far_rows(rng):
    Z = rng.normal(size=(30, 2)) + np.repeat([[0, 0], [20, 0], [0, 20]], 10, axis=0)
    means = experiment.met_means(Z, 3, np.array([[0, 1], [1, 2]]), np.array([[0, 10]]))
    assert np.allclose(means[:2], [Z[:3].mean(axis=0), Z[10]])
    assert np.linalg.norm(means[2] - [0, 20]) < 5
