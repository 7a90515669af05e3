"""Asking for pairs: which two rows to show somebody who can say whether they belong together.

=================  ============================================================================
``answers.py``     `Answers`, a frozen state: what was said, what follows, what contradicts it
``strategies.py``  which pair to ask next: random, explore, uncertain, doubt
``dialogue.py``    `questions`, the generator; oracles that answer it
``journal.py``     answers on disk, a line for each
``judging.py``     pairs that were left out as judges: folds, grid search
=================  ============================================================================

Chapter 12 derives how many questions are needed, and compares the strategies.
"""

from umlbook.asking.answers import Answer, Answers, Contradiction
from umlbook.asking.dialogue import Question, conversation, oracle, questions
from umlbook.asking.judging import OnPairs, pair_folds
from umlbook.asking.strategies import STRATEGIES, Setting

__all__ = [
    "STRATEGIES",
    "Answer",
    "Answers",
    "Contradiction",
    "OnPairs",
    "Question",
    "Setting",
    "conversation",
    "oracle",
    "pair_folds",
    "questions",
]
