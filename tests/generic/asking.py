"""Claims about questions (chapter 12)."""

from itertools import combinations, permutations

import numpy as np
from scipy.stats import hypergeom

from generic.problems import Problem
from generic.registry import claim
from umlbook.asking import Answers, conversation, oracle, questions
from umlbook.asking.strategies import expected_questions


def divisions(n: int, first: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Every way to divide n rows into classes."""
    if len(first) == n:
        return [first]
    return [d for k in range(max(first, default=-1) + 2) for d in divisions(n, (*first, k))]


def right_answers(labels, pairs) -> Answers:
    """True answers about these pairs."""
    state, reply = Answers(len(labels)), oracle(labels)
    for i, j in pairs:
        state = state.plus(i, j, reply(i, j))
    return state


@claim("book.asking.follow")
def what_follows_is_what_all_divisions_say(p: Problem):
    few = p.labels[:5]
    pairs = list(combinations(range(5), 2))
    chosen = [pairs[k] for k in p.rng("asked").permutation(10)[: 2 + p.seed % 5]]
    state = right_answers(few, chosen)
    left = [
        d for d in divisions(5)
        if all((d[i] == d[j]) == (few[i] == few[j]) for i, j in chosen)
    ]  # fmt: skip
    word = {(True,): "together", (False,): "apart"}
    said = [word.get(tuple({d[i] == d[j] for d in left}), "unknown") for i, j in pairs]
    return [state.relation(i, j) == wanted for (i, j), wanted in zip(pairs, said, strict=True)]


@claim("book.asking.determine")
def the_fewest_answers_that_determine_a_division(p: Problem):
    few = p.labels[:4]
    k, K = 4, len(np.unique(few))
    pairs = list(combinations(range(k), 2))

    def determined(chosen):
        state = right_answers(few, chosen)
        return all(state.relation(i, j) != "unknown" for i, j in pairs)

    fewest = next(
        size for size in range(len(pairs) + 1)
        if any(determined(chosen) for chosen in combinations(pairs, size))
    )  # fmt: skip
    return fewest, k - K + K * (K - 1) / 2


@claim("book.asking.explore")
def exploring_takes_this_many_questions(p: Problem):
    dialogue = questions(p.X, p.K, lambda X, *pairs: p.labels, strategy="explore", seed=p.seed)
    for state in conversation(dialogue, oracle(p.labels)):
        if len(state.groups) == p.K:
            break
    q, r, least = len(state.given), state.asked.sum(), p.K * (p.K - 1) / 2
    return [(least, "<=", q), (q, "<=", least + (r - p.K) * (p.K - 1))]


@claim("book.asking.together")
def random_pairs_until_two_are_together(p: Problem):
    N, M = p.n * (p.n - 1) // 2, int(sum(s * (s - 1) // 2 for s in p.sizes))
    none_yet = hypergeom.pmf(0, N, M, np.arange(N))
    return sum(none_yet), (N + 1) / (M + 1)


@claim("book.asking.classes")
def random_rows_until_all_classes_are_met(p: Problem):
    shares = p.sizes / p.n
    sets = [set(J) for size in range(p.K + 1) for J in combinations(range(p.K), size)]
    left = {frozenset(range(p.K)): 0.0}
    for met in sets[-2::-1]:  # the largest first: from each, one draw and then on
        new = [c for c in range(p.K) if c not in met]
        on = sum(shares[c] * left[frozenset(met | {c})] for c in new)
        left[frozenset(met)] = (1 + on) / shares[new].sum()
    formula = sum((-1) ** (len(J) + 1) / shares[list(J)].sum() for J in sets[1:])
    return left[frozenset()], formula


@claim("book.asking.order")
def the_most_probable_class_first_is_the_best_order(p: Problem):
    shares = p.rng("shares").dirichlet(np.ones(p.K))
    ranks = np.arange(1, p.K + 1)
    best = min(float(ranks @ shares[list(order)]) for order in permutations(range(p.K)))
    ranked = sum((r + 1) * share for r, share in enumerate(sorted(shares)[::-1]))
    return [(best, ranked), (expected_questions(shares[None])[0], ranked)]
