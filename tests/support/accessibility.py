"""Whether a page can be read by everyone: contrast, colour-vision deficiency, alternative texts.

Contrast is that of the Web Content Accessibility Guidelines (WCAG 2.2): 4.5 for text, 3 for marks.
Dichromatic vision is simulated by the matrices of Machado, Oliveira and Fernandes (2009) for
severity one, applied to linear RGB; how far two colours then are apart is their distance in
CIELAB, where about 2 is just noticeable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TEXT, MARK = 4.5, 3.0
"""Least contrast of text, and of the marks of a picture."""

DICHROMACY = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
"""Linear RGB as somebody with this vision sees it."""

_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_STYLE = re.compile(r"<(\w+)[^>]*?\sstyle=[\"']([^\"']*)[\"']", re.DOTALL)
_IMAGE = re.compile(r"<img\b[^>]*>", re.DOTALL)


def linear_rgb(colour: str) -> Floats:
    """Return red, green and blue as amounts of light, from 0 to 1; any name Matplotlib knows."""
    channels = np.array(to_rgb(colour))
    curve = ((channels + 0.055) / 1.055) ** 2.4
    return np.where(channels <= 0.04045, channels / 12.92, curve)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 (none) to 21 (black and white).

    Examples
    --------
    >>> round(contrast("black", "white"), 3)
    21.0
    """
    dark, light = sorted(float(_TO_XYZ[1] @ linear_rgb(colour)) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def seen(colour: str, vision: str = "normal") -> Floats:
    """Return a colour in CIELAB (D65) as it looks to somebody with this vision."""
    light = np.clip(DICHROMACY[vision] @ linear_rgb(colour), 0, 1)
    x, y, z = _TO_XYZ @ light / _TO_XYZ.sum(axis=1)

    def root(t: float) -> float:
        return float(np.cbrt(t)) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116

    return np.array([116 * root(y) - 16, 500 * (root(x) - root(y)), 200 * (root(y) - root(z))])


def nearest_pair(colours: Sequence[str], vision: str = "normal") -> tuple[float, str, str]:
    """Return the smallest distance in CIELAB between two of the colours, and which they are.

    Examples
    --------
    >>> round(nearest_pair(["black", "white"])[0])
    100
    """
    return min(
        (float(np.linalg.norm(seen(one, vision) - seen(other, vision))), one, other)
        for one, other in combinations(colours, 2)
    )


def coloured_styles(html: str) -> list[tuple[str, str]]:
    """Return text and background colour of each element that sets one; "" for what it leaves.

    Examples
    --------
    >>> coloured_styles('<b style="color:white; background:#222">x</b><p style="margin:0">y</p>')
    [('white', '#222')]
    """
    found = []
    for _, style in _STYLE.findall(html):
        rules = dict(rule.split(":", 1) for rule in style.split(";") if ":" in rule)
        plain = {name.strip(): value.strip() for name, value in rules.items()}
        background = plain.get("background-color", plain.get("background", ""))
        if plain.get("color") or background:
            found.append((plain.get("color", ""), background))
    return found


def silent_images(html: str) -> list[str]:
    """Return the images without an alternative text, each as its tag, cut short.

    Examples
    --------
    >>> silent_images('<img src="a.png"><img src="b.png" alt="Two bars.">')
    ['<img src="a.png">']
    """
    return [tag[:80] for tag in _IMAGE.findall(html) if not re.search(r'\balt="[^"]+"', tag)]
