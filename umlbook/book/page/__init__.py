"""What a page is made of.

- `figures`: one look for all pictures, and `show`, which gives each its sentence
- `draw`, `draw_tables`, `draw_drift`: drawings of points, kernels, paths; of scores and ranks; of
  patterns, ends of runs, gains with errors, counts
- `tables`: a table as text, HTML and Markdown, with numbers rounded so that they can be stored
- `stepper`, `invariants`: scrub through the states of an algorithm; the promises it shows as lamps
- `frames`: the pictures of a stepper, stored for the static pages
- `compare`: the first step at which two streams of states part; `difference` (how), `causes` (why)
  and `side_by_side` (what it looks like) are its parts
- `explorer`: a question, sliders, and a picture that waits for a prediction; `prediction` judges it
- `twin`: a widget while it lives, and its static twin afterwards
"""
