"""Exercises and quizzes: their declarations, how an answer is judged, and the progress kept.

- `model`: what an exercise and a question are, and what a check says
- `run`: call a reader's function safely; `traced`: which systems it solves
- `judge`: the outcome, and `exercise` for the reader; `common`: mistakes met in every exercise
- `solution`: code that runs as it is shown
- `widget`: an exercise as buttons; `quiz`: a question as radio buttons
- `progress`: what was tried, and the report; `kept`: the file that keeps it
- `hand_in`: one file for the teacher
- `bank`: the exercises and questions of each chapter, and the properties that they share
"""
