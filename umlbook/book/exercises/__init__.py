"""Exercises and quizzes: their declarations, how an answer is judged, and the progress kept.

- `model`: what an exercise and a question are, and what a check says
- `run`: call a reader's function safely; `judge`: the outcome, and `exercise` for the reader
- `widget`: an exercise as buttons; `quiz`: a question as radio buttons
- `progress`: what was tried, and the report; `hand_in`: one file for the teacher
- `bank`: the exercises and questions of each chapter, and the properties that they share
"""
