"""A figure as a picture that fits a light page and a dark one: sharp, transparent, and small.

White is the colour of the page: a figure is drawn once on white and once with black in its place,
and what differs between the two is how much of the page shows through. So rims, hollow marks and
the frames of labels that are drawn in white are dark on a dark page, while the white of a heat map,
which is data, stays. Pictures have twice the dots of their size on the page, and a palette.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb, to_rgba, to_rgba_array
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from numpy.typing import NDArray
from PIL import Image
from scipy.spatial import cKDTree

Pixels = NDArray[np.uint8]
"""Red, green, blue and alpha of each dot: an array of shape (height, width, 4)."""

DPI = 100
"""Dots an inch on the page, as the sizes of figures are given."""
DENSITY = 2
"""Dots of a picture for each dot of the page, along each side."""
FREQUENT = 0.75
"""Share of a palette that goes to where many dots are; the rest to the colours far from it."""

DARKEST = 0.12
"""Least luminance of text and marks: contrast 3 on the dark grounds #111 and #131416."""

_PAGE_PARTS = ("facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")


def drawn(fig: Figure) -> NDArray[np.uint8]:
    """Return the figure as it is, on its own ground: an array of shape (height, width, 3)."""
    fig.set_dpi(DPI * DENSITY)
    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    return np.array(canvas.buffer_rgba())[..., :3]


def transparent(fig: Figure, ink: str) -> Pixels:
    """Return the figure with all that is white, as the page is, made transparent.

    Text and lines that are too dark for a dark page are drawn in `ink`.
    """
    lighten(fig, ink)
    fig.patch.set(facecolor="white", alpha=1)
    on_white = drawn(fig)
    engine = fig.get_layout_engine()
    fig.set_layout_engine("none")  # the places are found already
    with black_page(fig):
        on_black = drawn(fig)
    fig.set_layout_engine(engine)
    return matted(on_white, on_black)


def matted(on_white: NDArray[np.uint8], on_black: NDArray[np.uint8]) -> Pixels:
    """Return the picture that looks like the one on a white page and like the other on a black one.

    Examples
    --------
    >>> half = np.array([[[255, 127, 127]]], np.uint8), np.array([[[128, 0, 0]]], np.uint8)
    >>> matted(*half).tolist()
    [[[255, 0, 0, 128]]]
    """
    pairs = [(on_white[..., c], on_black[..., c]) for c in range(3)]  # quicker than an axis of 3
    differs = reduce(np.bitwise_or, (white ^ black for white, black in pairs))
    page = reduce(np.bitwise_and, (white & ~black for white, black in pairs)) == 255
    result = np.dstack([on_black, np.uint8(255) * (differs == 0)])
    part = (differs > 0) & ~page  # few: most of a chart is page, and most of the rest opaque
    white, black = on_white[part], on_black[part]
    alpha = 255 - (np.maximum(white, black) - black).max(axis=1, keepdims=True)
    shown = np.rint(255.0 * black / np.maximum(alpha, 1)) * (alpha > 0)
    result[part] = np.hstack([np.minimum(shown, 255).astype(np.uint8), alpha])
    return result


@contextmanager
def black_page(fig: Figure) -> Iterator[None]:
    """Draw black what is drawn white in the colour of the page: grounds, rims, hollow marks.

    White text and white lines stay: they lie on something dark.
    """
    undo = [
        restore
        for artist in _artists(fig)
        for restore in _recoloured(artist, _PAGE_PARTS, _is_white, (0.0, 0.0, 0.0))
    ]
    try:
        yield
    finally:
        for restore in undo:
            restore()


def lighten(fig: Figure, ink: str) -> None:
    """Draw in `ink` what is too dark for a dark page, such as the black that Matplotlib takes.

    What stands on an image stays: the image is its ground.
    """
    grounds = [ax for ax in fig.axes if any(image.cmap(0)[3] == 1 for image in ax.images)]
    kept = {id(a) for ax in grounds for a in (*ax.texts, *ax.lines, *ax.collections, *ax.patches)}
    for artist in _artists(fig):
        if id(artist) not in kept:
            for _ in _recoloured(artist, ("color", *_PAGE_PARTS), _is_dark, to_rgb(ink)):
                pass
    for legend in fig.findobj(Legend):
        legend.get_frame().set_edgecolor(to_rgba(ink, 0.35))


def _artists(fig: Figure) -> Iterator[Artist]:
    for artist in fig.findobj():
        yield artist
        if isinstance(artist, Text) and (box := artist.get_bbox_patch()) is not None:
            yield box


def _is_white(colours: NDArray[np.float64]) -> NDArray[np.bool_]:
    return (colours[:, :3] == 1).all(axis=1) & (colours[:, 3] > 0)


def _is_dark(colours: NDArray[np.float64]) -> NDArray[np.bool_]:
    light = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    return (light[:, :3] @ (0.2126, 0.7152, 0.0722) < DARKEST) & (colours[:, 3] > 0)


def _recoloured(
    artist: Artist,
    parts: Sequence[str],
    wanted: Callable[[NDArray[np.float64]], NDArray[np.bool_]],
    colour: tuple[float, float, float],
) -> Iterator[Callable[[], object]]:
    """Give the wanted parts of one artist another colour; yield how to turn them back."""
    if getattr(artist, "get_array", lambda: None)() is not None:
        return  # its colours are data
    for part in parts:
        get, change = getattr(artist, f"get_{part}", None), getattr(artist, f"set_{part}", None)
        if get is None or change is None:
            continue
        before: Any = get()
        colours = to_rgba_array(before)
        chosen = wanted(colours)
        if chosen.any():
            colours[chosen, :3] = colour
            change(colours if len(colours) > 1 else tuple(colours[0]))
            yield partial(change, before)


# -------------------------------------------------------------------------------- the file


def png(pixels: Pixels, colours: int = 256) -> bytes:
    """Return the pixels as a PNG with a palette of so many colours.

    A palette of 256 colours is not seen to differ from full colour in a chart, and takes a third
    of the room.
    """
    palette, places = _palette(pixels, colours)
    image = Image.fromarray(places)
    image.putpalette(palette[:, :3].tobytes())
    out = io.BytesIO()
    # The ninth level takes more than twice as long and saves three percent.
    image.save(out, format="PNG", compress_level=8, transparency=palette[:, 3].tobytes())
    return out.getvalue()


def _palette(pixels: Pixels, colours: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The palette of a picture, and for each dot its place in it."""
    packed = np.ascontiguousarray(pixels).view("<u4")[..., 0]
    seen = pixels[..., 3] > 0  # most of a chart is page
    dots = packed[seen]
    starts = np.flatnonzero(np.diff(dots, prepend=~dots[:1]))  # of runs: fewer to sort
    lengths = np.diff(starts, append=len(dots))
    unique, run = np.unique(dots[starts], return_inverse=True)
    counts = np.bincount(run, lengths, len(unique)).astype(np.intp)
    found = unique.view(np.uint8).reshape(-1, 4)
    kept = _chosen(found.astype(float), counts, colours - 1)
    palette = np.vstack([np.zeros((1, 4), np.uint8), found[kept]])
    nearest = np.zeros(len(found), int)
    if len(kept):
        nearest = cKDTree(_weighted(found[kept])).query(_weighted(found))[1] + 1
    places = np.zeros(packed.shape, np.uint8)
    places[seen] = np.repeat(nearest[run], lengths)
    return palette, places


def _weighted(colours: NDArray[Any]) -> NDArray[np.float64]:
    """Colours as they look on white and on black, so that what is hardly seen hardly counts."""
    share = colours[:, 3:] / 255
    return np.hstack([colours[:, :3] * share, 255 * (1 - share)])


def _chosen(colours: NDArray[np.float64], counts: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """The colours of a palette, one after the other: where the dots are farthest from it, and then
    the farthest of all.

    The second part bounds the error of a rare colour, which may be the one that matters.
    """
    if len(counts) <= most:
        return np.argsort(-counts, kind="stable")
    kept, looks = [int(counts.argmax())], _weighted(colours)
    gaps = np.linalg.norm(looks - looks[kept[0]], axis=1)
    while len(kept) < most:
        worth = counts * gaps**2 if len(kept) < FREQUENT * most else gaps
        kept.append(int(worth.argmax()))
        gaps = np.minimum(gaps, np.linalg.norm(looks - looks[kept[-1]], axis=1))
    return np.array(kept)


def page_size(png: bytes) -> tuple[int, int]:
    """Return width and height of a stored picture, in dots of the page."""
    width, height = struct.unpack(">II", png[16:24])
    return width // DENSITY, height // DENSITY
