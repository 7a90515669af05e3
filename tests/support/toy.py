"""A toy exercise: double the numbers."""

import numpy as np

from umlbook.book.exercises.bank.properties import agrees_with
from umlbook.book.exercises.model import Case, Exercise, Mistake


def doubled(x):
    return 2 * x


TOY = Exercise(
    id="9.1",
    title="double it",
    reference=doubled,
    cases=lambda rng: [
        Case("the numbers in your data", x=rng.normal(size=3)),
        Case("zeros", x=np.zeros(2)),
    ],
    properties=[agrees_with(doubled, "entry")],
    mistakes=[Mistake("halved", "this is half, not double", lambda x: x / 2)],
    hints=["First.", "Second."],
    solution="Two times it.",
)
