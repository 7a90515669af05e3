"""Exercises and questions of chapter 8: side by side."""

from umlbook.book.exercises.bank.ch08_picked import EX_8_1, EX_8_3
from umlbook.book.exercises.bank.ch08_points import EX_8_4
from umlbook.book.exercises.bank.ch08_ranks import EX_8_5, EX_8_6
from umlbook.book.exercises.bank.ch08_scores import EX_8_2, EX_8_7
from umlbook.book.exercises.model import Choice, Question

EXERCISES = [EX_8_1, EX_8_2, EX_8_3, EX_8_4, EX_8_5, EX_8_6, EX_8_7]

# --------------------------------------------------------------------------------- questions

QUESTIONS = [
    Question(
        "8.q1",
        "A table has, for ten equally large classes and ten clusters, a Rand index of 0.82; for "
        "two classes of which one has 90 % of the points, a purity of 0.90. Which of the two shows "
        "that something was found?",
        [
            Choice(
                "The Rand index",
                "Random labels score 1 - 2/10 + 2/100 = 0.82 too: nearly all pairs are apart in "
                "both partitions, and agree without merit.",
            ),
            Choice(
                "The purity",
                "All points in one cluster are 90 % pure, and no split makes it less.",
            ),
            Choice(
                "Both: they are well above one half",
                "One half is no baseline for either; each has to be compared with what doing "
                "nothing scores on these very classes.",
            ),
            Choice(
                "Neither",
                "Random labels reach the first, a single cluster the second. A score is worth "
                "reading only beside that of doing nothing.",
                right=True,
            ),
        ],
    ),
    Question(
        "8.q2",
        "A method is run at more and more settings, and for each data set the best by the true "
        "labels is reported. Each setting has the same mean score over many data sets, but the "
        "scores vary. What happens to the reported score?",
        [
            Choice(
                "It stays: the settings are equally good",
                "Their means are equal; the largest of them is not a mean. The more draws, the "
                "larger the largest.",
            ),
            Choice(
                "It never falls, and grows on average",
                "A maximum over more numbers is never smaller, and where a new setting happens to "
                "score higher, it grows. So the price of choosing by labels grows with the grid.",
                right=True,
            ),
            Choice(
                "It falls, because poor settings are averaged in",
                "Nothing is averaged: a poor setting is passed over, and that is what the labels "
                "are used for.",
            ),
            Choice(
                "It grows, but a clustering chosen by the cut gains as much",
                "The cut does not see the labels: a setting that fits them better by luck looks to "
                "it like any other.",
            ),
        ],
    ),
    Question(
        "8.q3",
        "Two methods are less than the critical difference apart in average rank. What follows?",
        [
            Choice(
                "They are equally good",
                "No difference was shown, which is not to show that there is none: more data sets "
                "may tell.",
            ),
            Choice(
                "The one with the smaller rank is better, if only a little",
                "Equal methods come this far apart by chance too: their order on other data sets "
                "may be the other way round.",
            ),
            Choice(
                "These data sets do not tell them apart",
                "That is all. Where all methods are near chance, as on sets whose classes are no "
                "clusters, their order says little.",
                right=True,
            ),
            Choice(
                "On every data set they score about the same",
                "Ranks average out: each may win half of the sets by far, which is a reason to "
                "choose by the kind of data.",
            ),
        ],
    ),
]
