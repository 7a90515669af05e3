"""Things to take in the hand, one for each of chapters 1 to 7: pictures that a reader can move.

Each function returns a :class:`~umlbook.book.hands.hand.Hand`: a picture for pages without scripts,
and under it the same thing alive, in plain JavaScript that needs no kernel. It asks for a
prediction, lets the reader move it by mouse, finger or arrow keys, and says whether the prediction
held. The mathematics of ``static/*.js`` is small, and tested against the package.
"""

from umlbook.book.hands.fields import bend_space
from umlbook.book.hands.kernels import mix_kernels, turn_frame
from umlbook.book.hands.metrics import link_pairs, stretch_metric
from umlbook.book.hands.scatters import five_forms, turn_direction

__all__ = [
    "bend_space",
    "five_forms",
    "link_pairs",
    "mix_kernels",
    "stretch_metric",
    "turn_direction",
    "turn_frame",
]
