"""The coordinates of latent-class pairs, which live in `umlbook.coordinates`."""

from umlbook.coordinates import (
    SPREAD,
    Coordinates,
    GraphBlock,
    KernelBlock,
    coordinates,
    graph_block,
    kernel_block,
    median_distance,
    neighborhood,
)

__all__ = [
    "SPREAD",
    "Coordinates",
    "GraphBlock",
    "KernelBlock",
    "coordinates",
    "graph_block",
    "kernel_block",
    "median_distance",
    "neighborhood",
]
