"""What a page is made of.

- `figures`: one look for all pictures, and `show`, which gives each its sentence
- `pixels`: a figure as a picture for light and dark pages; as a small file
- `draw`, `draw_tables`: drawings of points, kernels, paths; of scores and ranks
- `draw_theorems`, `draw_directions`: drawings of the theorems of chapters 2 and 3; `draw_weights`,
  `draw_drift`: of functions of weights, of patterns and gains; `draw_margins`, `draw_pairs`: of
  pairs; `draw_methods`: one look for each method
- `tables`: a table as text, HTML and Markdown, with numbers rounded so that they can be stored
- `stepper`, `invariants`: scrub through the states of an algorithm; the promises it shows as lamps
- `frames`: the pictures of a stepper, stored for the static pages
- `compare`: the first step at which two streams of states part; `difference` (how), `causes` (why)
  and `side_by_side` (what it looks like) are its parts
- `folding`: which code and which sections are folded; `faults`: what a figure lacks
- `waiting`: a bar under a cell that takes long; `loops`: how far the loops of the cell have come
- `explorer`: a question, sliders, and a picture that waits for a prediction; `prediction` judges it
- `twin`: a widget while it lives, and its static twin afterwards
"""
