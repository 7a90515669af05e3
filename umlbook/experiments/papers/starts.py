"""Which starts and which choice among their ends CPCM should have: designed on one half of the sets.

The sets of chapter 8 are divided before anything is computed, every second name in alphabetical
order: rules are designed on `DEVELOPMENT` and on drawn data, and judged once on `JUDGEMENT`.
"""

from __future__ import annotations

from umlbook.experiments.papers.side_by_side import DATASETS

DEVELOPMENT, JUDGEMENT = tuple(sorted(DATASETS)[::2]), tuple(sorted(DATASETS)[1::2])
