"""How many threads the linear algebra of a reader's kernel may use.

The matrices of the book are small: threads cost more than they give. Chapter 6 took 20 s of
processor time with one thread, and more than 80 s with two on a busy machine with two cores.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
"""Variables of the environment, read when a library of linear algebra is loaded."""


def limit_children(environment: MutableMapping[str, str] = os.environ) -> None:
    """Give the processes that are started from here one thread, where nobody has said how many."""
    if not is_chosen(environment):
        environment.update(ONE_THREAD)


def limit_kernel() -> None:
    """Give a notebook's kernel one thread, where nobody has said how many; elsewhere do nothing."""
    from IPython.core.getipython import get_ipython

    if get_ipython() is None or is_chosen(os.environ):
        return
    import scipy.linalg  # noqa: F401  only what is loaded can be limited
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)


def is_chosen(environment: Mapping[str, str]) -> bool:
    """Whether the number of threads is set already."""
    return any(name in environment for name in ONE_THREAD)
