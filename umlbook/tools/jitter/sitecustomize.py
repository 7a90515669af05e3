"""Noise in the last digits of everything the book draws or loads, in this process.

A Python that finds this file on its path runs it before anything else, so that the kernels and
commands that a test starts have the noise too. `UMLBOOK_JITTER` holds the seed. Nothing is imported
here: modules are changed once the process itself imports them.
"""

import importlib.abc
import importlib.util
import os
import sys
import zlib
from collections.abc import Callable
from functools import wraps
from typing import Any

SIZE = 1e-12
"""Relative size of the noise: a thousand times the rounding of another processor."""
DRAWS = (
    "beta", "chisquare", "dirichlet", "exponential", "gamma", "gumbel", "laplace", "logistic",
    "lognormal", "multivariate_normal", "normal", "random", "standard_cauchy",
    "standard_exponential", "standard_gamma", "standard_normal", "standard_t", "triangular",
    "uniform",
)  # fmt: skip


def noisy(values: Any, noise: Any) -> Any:
    """The values, each times 1 + SIZE times a standard normal number; zeros stay zeros."""
    return values * (1 + SIZE * noise.standard_normal(getattr(values, "shape", None)))


def change_random(random: Any) -> None:
    """Let the generators of `numpy.random.default_rng` draw with noise of their own stream."""
    seed, plain = int(os.environ["UMLBOOK_JITTER"]), random.Generator

    class Generator(plain):  # type: ignore[misc, valid-type]
        def __init__(self, bit_generator: Any) -> None:
            super().__init__(bit_generator)
            self.noise = plain(random.PCG64(seed))

    def draw(method: Callable[..., Any]) -> Callable[..., Any]:
        return wraps(method)(lambda self, *args, **kw: noisy(method(self, *args, **kw), self.noise))

    for name in DRAWS:
        setattr(Generator, name, draw(getattr(plain, name)))

    def default_rng(given: Any = None) -> Any:
        return given if isinstance(given, plain) else Generator(original(given).bit_generator)

    original, random.default_rng = random.default_rng, default_rng


def change_datasets(datasets: Any) -> None:
    """Let every table that is loaded and every set that is made come with noise."""
    import numpy

    def noisy_table(data: Any, noise: Any) -> Any:
        # Equal values of a column stay equal, so that equal rows do.
        for column in data.T:
            _, where = numpy.unique(column, return_inverse=True)
            column *= 1 + SIZE * noise.standard_normal(where.max() + 1)[where]
        return data

    def changed(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*args: Any, **kw: Any) -> Any:
            made = function(*args, **kw)
            key = zlib.crc32(repr((function.__name__, args)).encode())
            noise = numpy.random.Generator(numpy.random.PCG64([seed, key]))
            change = noisy_table if function.__name__ == "load" else noisy
            if isinstance(made, tuple):
                return change(made[0], noise), *made[1:]
            made.data = change(made.data, noise)
            return made

        return call

    seed = int(os.environ["UMLBOOK_JITTER"])
    for name in datasets.__all__:
        if name == "load" or name.startswith("make_"):
            setattr(datasets, name, changed(getattr(datasets, name)))


CHANGES = {"numpy.random": change_random, "umlbook.datasets": change_datasets}


class Loader(importlib.abc.Loader):
    """Loads a module as its own loader would, and changes it."""

    def __init__(self, own: Any) -> None:
        self.own = own

    def create_module(self, spec: Any) -> Any:
        return self.own.create_module(spec)

    def exec_module(self, module: Any) -> None:
        self.own.exec_module(module)
        CHANGES[module.__name__](module)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules to change, where the other finders would find them."""

    jitter = True

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in CHANGES:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None:
            spec.loader = Loader(spec.loader)
        return spec


def install() -> None:
    """Change the modules, once: those that are loaded now, the others when they are."""
    if any(getattr(finder, "jitter", False) for finder in sys.meta_path):
        return
    for name, change in CHANGES.items():
        if name in sys.modules:
            change(sys.modules[name])
    sys.meta_path.insert(0, Finder())


if os.environ.get("UMLBOOK_JITTER"):
    install()
