"""The protocols searched for Table 4 of the NAML paper (`umlbook.experiments.engine.protocols`).

The table has k-means with each of ten Gaussian kernels: with the one that NAML begins from, with
the best, with the worst, and on average. The paper states neither the widths of the kernels, nor
which of them is the first, nor how k-means uses a kernel. Whatever these were, they were the same
for all four columns, and the starts and the data were those of k-means in Table 3. So these five
columns are the baselines. NAML's own columns are those of Table 3 and are judged there
(`umlbook.experiments.papers.naml_protocols`, from where the data and the starts are taken).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

import numpy as np

from umlbook.algebra import Array, Labels
from umlbook.constraints import IntArray
from umlbook.experiments.engine.agreement import deviation, spread
from umlbook.experiments.engine.grid import Cell
from umlbook.experiments.engine.protocols import Search
from umlbook.experiments.engine.reporting import Report, Runs, number, replicates, scored
from umlbook.experiments.engine.storage import Row
from umlbook.experiments.papers import naml_protocols as table3
from umlbook.experiments.papers.naml import available, kernel_kmeans, printed_cells
from umlbook.experiments.papers.treatments import treated
from umlbook.kernels import RBFBank, bank_widths, median_width
from umlbook.lloyd import lloyd_steps, settled
from umlbook.spectral import kernel_kmeans_steps

N_RUNS, N_KERNELS = 20, 10
COLUMNS = ("initial kernel", "best kernel", "worst kernel", "average kernel")
BASELINES = ("k-means", *COLUMNS)
WIDTHS: Mapping[str, Callable[[Array], Array]] = {
    "2 to 1/4 of the median": bank_widths,
    "1 to 1/10 of the median": lambda X: median_width(X) * np.geomspace(1, 0.1, N_KERNELS),
    "10 to 1 medians": lambda X: median_width(X) * np.geomspace(10, 1, N_KERNELS),
    "10 to 1/10 of the median": lambda X: median_width(X) * np.geomspace(10, 0.1, N_KERNELS),
    "10, 9, ..., 1": lambda X: np.arange(10.0, 0.0, -1.0),
    "32, 16, ..., 1/16": lambda X: 2.0 ** np.arange(5.0, -5.0, -1.0),
}
"""From the data to the widths of the ten kernels, the widest first."""

USES = ("kernel k-means", "K components", "rows of the kernel")
FIRST = {"at random": None, "widest": 0, "narrowest": -1}


# ------------------------------------------------------------------------------------ the runs


def treatments(name: str) -> list[Cell]:
    """The treatments of Table 3, times the widths, times the ways to use a kernel.

    On the two larger sets the rows of the kernel are left out, for time.
    """
    uses = USES[:2] if name in ("satimage", "solar") else USES
    return [
        {**treatment, "widths": widths, "use": use}
        for treatment in table3.treatments(name)
        for widths in WIDTHS
        for use in uses
    ]


def leading(G: Array, k: int) -> Array:
    """The first k coordinates of kernel PCA, for a centred kernel."""
    values, vectors = np.linalg.eigh(G)
    return np.asarray(vectors[:, -k:] * np.sqrt(np.maximum(values[-k:], 0.0)))


def ends_with(G: Array, starts: list[Labels], k: int, use: str) -> list[tuple[Labels, float]]:
    """K-means with one kernel from each start; equal starts are run once."""
    Z = leading(G, k) if use == "K components" else G
    known: dict[bytes, tuple[Labels, float]] = {}
    for start in starts:
        if start.tobytes() not in known:
            if use == "kernel k-means":
                labels = kernel_kmeans(G, start, k)
                end = labels, next(kernel_kmeans_steps(G, labels, k)).objective
            else:
                last = settled(lloyd_steps(Z, start, k))
                end = last.labels, last.objective
            known[start.tobytes()] = end
    return [known[start.tobytes()] for start in starts]


@cache
def begun(name: str, draw: int, scaling: str, columns: str) -> tuple[Array, Labels, Runs, list]:
    """Data and classes of one draw, the runs of k-means, and the labels that they end with."""
    X, y = treated(*table3.drawn(name, draw), columns, scaling)
    ends = table3.starts(X, len(np.unique(y)), N_RUNS)
    return X, y, scored(y, ends, table3.definitions), [labels for labels, _ in ends]


def kernel_runs(X: Array, y: Labels, starts: list[Labels], widths: str, use: str) -> list[Runs]:
    """The runs with each of the ten kernels, the widest first."""
    k = len(np.unique(y))
    bank = RBFBank(X, WIDTHS[widths](X))
    return [scored(y, ends_with(G, starts, k, use), table3.definitions) for G in bank]


# -------------------------------------------------------------------------- what is printed of them


def picked(kernels: list[Runs], which: IntArray) -> Runs:
    """In each run the kernel with this number."""
    runs = np.arange(len(which))
    scores = {d: np.array([r.scores[d] for r in kernels])[which, runs] for d in kernels[0].scores}
    return Runs(scores, np.array([r.objective for r in kernels])[which, runs])


def column_numbers(
    kernels: list[Runs], report: Report, definition: str
) -> dict[tuple[str, str], Array]:
    """What would be printed, for many experiments, by column and setting.

    The best kernel may be the one with the best number, or another one in each run.
    """
    tried = np.array([replicates(runs, report, definition, False) for runs in kernels])
    begins = {words: tried[i] for words, i in FIRST.items() if i is not None}
    random = np.random.default_rng(0).integers(len(kernels), size=len(kernels[0]))
    begins["at random"] = replicates(picked(kernels, random), report, definition, False)
    found = {("initial kernel", words): begins[words] for words in FIRST}
    found["average kernel", ""] = tried.mean(axis=0)
    scores = np.array([runs.scores[definition] for runs in kernels])
    for column, pick in (("best kernel", np.max), ("worst kernel", np.min)):
        found[column, "one for all runs"] = pick(tried, axis=0)
        if report.pick == "mean":
            each = Runs({definition: pick(scores, axis=0)}, kernels[0].objective)
            found[column, "one in each run"] = replicates(each, report, definition, False)
    return found


def work(cell: Cell) -> Iterator[Row]:
    """The numbers that would be printed, for every report and definition."""
    if cell["part"] == "own":  # no column of this table is NAML's own
        return
    name = cell["dataset"]
    treatment = {key: cell[key] for key in ("scaling", "columns", "widths", "use")}
    draws = []
    for draw in range(table3.DRAWN.get(name, 1)):
        X, y, alone, starts = begun(name, draw, cell["scaling"], cell["columns"])
        draws.append((alone, kernel_runs(X, y, starts, cell["widths"], cell["use"])))
    for report in table3.REPORTS:
        rows: dict[tuple[str, str], Row] = {}
        for definition in draws[0][0].scores:
            tried = [
                {("k-means", ""): replicates(alone, report, definition, False)}
                | column_numbers(kernels, report, definition)
                for alone, kernels in draws
            ]
            for method, setting in tried[0]:
                numbers = number(definition, *value_and_spread([t[method, setting] for t in tried]))
                head = {"method": method, "setting": setting, "treatment": treatment}
                row = rows.setdefault((method, setting), {**head, "report": report.name})
                row |= numbers
        yield from rows.values()


def value_and_spread(draws: list[Array]) -> tuple[float, float]:
    """Mean and spread; where the data were drawn several times, a replicate is a draw."""
    if len(draws) == 1:
        own, ours = deviation(draws[0]), 1
    else:
        own, ours = deviation([values.mean() for values in draws]), len(draws)
    return float(np.mean(draws)), spread((own, 1), (own, ours), unit=0.001)


# ----------------------------------------------------------------------------------- the search


def text(name: str) -> Mapping[str, str]:
    """The choices of the book, since the paper states none of these."""
    of_data = {key: table3.text(name)[key] for key in ("scaling", "columns", "k-means")}
    return {
        **of_data, "widths": next(iter(WIDTHS)), "use": USES[0], "initial kernel": "at random",
        "best kernel": "one for all runs", "worst kernel": "one for all runs", "average kernel": "",
    }  # fmt: skip


@cache
def printed() -> Mapping[tuple[str, str, str], float]:
    """Table 4 as it is printed, and k-means as in Table 3."""
    return {
        (cell["dataset"], cell["score"], cell["column"]): cell["printed"]
        for cell in printed_cells()
        if cell["table"] == 4 or cell["column"] == "k-means"
    }


SEARCH = Search(
    name="naml-table-4",
    treatments=treatments,
    work=work,
    baselines=BASELINES,
    own=(),
    scores=table3.SEARCH.scores,
    reports=table3.REPORTS,
    text=text,
    printed=printed,
    sets=lambda: available(table3.SETS),
)
