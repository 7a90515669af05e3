"""The question of chapter 0."""

from umlbook.book.exercises.model import Choice, Question

EXERCISES: list = []
QUESTIONS = [
    Question(
        "0.q1",
        "A table shows accuracy .70 for k-means and .97 for a new method on scaled features. "
        "What do you ask first?",
        (
            Choice("How long the new method takes.", "Worth asking, but not first."),
            Choice(
                "What k-means gets on the scaled features.",
                "Yes: scaling alone may explain the whole gain. A control belongs beside it.",
                right=True,
            ),
            Choice(
                "Whether .97 is significant.",
                "A difference can be significant and still be due to the scaling.",
            ),
        ),
    )
]
