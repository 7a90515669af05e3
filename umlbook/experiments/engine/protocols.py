"""Which protocol printed a table? The baselines decide, before the paper's own method is run.

A baseline such as k-means has one value for each protocol: how the data were treated, what was
reported of the runs, which definition a score has. `Search` declares the protocols of a table.
`fitting` finds those under which *all* baseline cells of a data set agree with print, by the one
rule (`umlbook.experiments.engine.agreement`). A long search finds something by chance, so `nulls`
counts what fits numbers that were not printed for this data set and method. Only then is the
paper's own method run, under the protocols found, and each cell gets one verdict (`judged`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations, product
from math import prod
from typing import Any

import numpy as np

from umlbook.experiments.engine.agreement import MISSING, REPRODUCED, deviations, verdict
from umlbook.experiments.engine.grid import Cell, Work
from umlbook.experiments.engine.reporting import Report
from umlbook.experiments.engine.storage import Row
from umlbook.experiments.engine.target import Comparison

ANOTHER = "reproduced under another protocol"
NONE_FITS = "no protocol fits the baselines"
NOT_UNDER_ANY = "not under any protocol that fits the baselines"
CANNOT = "cannot be computed"
NOT_RUN = "not run under the protocols that fit"
JUDGEMENTS = (REPRODUCED, ANOTHER, NOT_UNDER_ANY, NONE_FITS, CANNOT, NOT_RUN)

Printed = Mapping[tuple[str, str], float]
"""The printed numbers of one data set, by score and method."""


@dataclass(frozen=True)
class Search:
    """The protocols of a table, and how its cells are computed under them.

    Parameters
    ----------
    name
        The table, as ``umlbook reproduce`` calls it.
    treatments
        From a data set to the ways to treat its data, each a dict of choices.
    work
        From a cell (data set, treatment, ``part``: baselines or own) to rows: method, setting,
        report, and for each definition of a score a number and its spread.
    baselines, own
        The methods that identify the protocol, and those that are judged under it.
    scores
        Each printed score with its possible definitions, the paper's first.
    reports
        What may have been reported, the paper's first.
    text
        From a data set to the choices that the paper states, or else the book made: of the
        treatment, and of the setting of each baseline.
    printed
        All printed numbers, by data set, score and method.
    also, compared
        Further tables that the same search explains, and the cells of all of them.
    """

    name: str
    treatments: Callable[[str], list[Cell]]
    work: Work
    baselines: tuple[str, ...]
    own: tuple[str, ...]
    scores: Mapping[str, tuple[str, ...]]
    reports: tuple[Report, ...]
    text: Callable[[str], Mapping[str, str]]
    printed: Callable[[], Mapping[tuple[str, str, str], float]]
    sets: Callable[[], list[str]]
    also: tuple[str, ...] = ()
    compared: Callable[[], list[Comparison]] | None = None

    def cells(self, dataset: str, part: str = "baselines") -> list[Cell]:
        """The cells of the grid for one data set."""
        return [{"dataset": dataset, "part": part, **t} for t in self.treatments(dataset)]

    def printed_of(self, dataset: str) -> Printed:
        """The printed numbers of one data set."""
        return {(s, m): x for (name, s, m), x in self.printed().items() if name == dataset}


@dataclass(frozen=True)
class Protocol:
    """Choices that were made once for a whole column, and a setting for each baseline."""

    treatment: tuple[tuple[str, str], ...]
    report: str
    definitions: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]

    @property
    def choices(self) -> dict[str, str]:
        """All choices by name; settings under the name of their method."""
        shared = {**dict(self.treatment), "report": self.report}
        return {**shared, **dict(self.definitions), **dict(self.settings)}

    def changes(self, text: Mapping[str, str]) -> dict[str, str]:
        """The choices that are not those of the text."""
        return {name: value for name, value in self.choices.items() if text[name] != value}

    def named(self, text: Mapping[str, str]) -> str:
        """What differs from the text, in words."""
        changes = self.changes(text).items()
        return "; ".join(f"{name}: {value}" for name, value in changes) or "as in the text"


@dataclass(frozen=True)
class Shared:
    """The choices of all columns together, and for each baseline the settings that agree."""

    treatment: tuple[tuple[str, str], ...]
    report: str
    definitions: tuple[tuple[str, str], ...]
    rows: Mapping[str, list[Row]]

    @property
    def count(self) -> int:
        """Protocols that agree: one setting of each baseline, independently."""
        return prod(len(rows) for rows in self.rows.values())


def text_choices(search: Search, dataset: str) -> dict[str, str]:
    """The text's choices, reports and definitions among them."""
    first = {score: definitions[0] for score, definitions in search.scores.items()}
    return {"report": search.reports[0].name, **first, **search.text(dataset)}


def agrees(row: Row, method: str, printed: Printed, definitions: Mapping[str, str]) -> bool:
    """Whether all scores of a method agree with print."""
    return all(
        verdict(printed[score, method], row[d], row[f"{d} spread"]) == REPRODUCED
        for score, d in definitions.items()
    )


def combinations(search: Search, rows: Iterable[Row]) -> Iterator[Shared]:
    """All shared choices, with all settings of each baseline."""
    grouped: dict[tuple[Any, ...], dict[str, list[Row]]] = {}
    for row in rows:
        treatment = tuple(sorted(row["treatment"].items()))
        methods = grouped.setdefault((treatment, row["report"]), {m: [] for m in search.baselines})
        methods[row["method"]].append(row)
    for (treatment, report), methods in grouped.items():
        for chosen in product(*search.scores.values()):
            definitions = tuple(zip(search.scores, chosen, strict=True))
            yield Shared(treatment, report, definitions, methods)


def fitting(shared: Iterable[Shared], printed: Printed) -> list[Shared]:
    """The shared choices under which every baseline has a setting that agrees with print."""
    found = []
    for one in shared:
        definitions = dict(one.definitions)
        rows = {
            method: [row for row in tried if agrees(row, method, printed, definitions)]
            for method, tried in one.rows.items()
        }
        if all(rows.values()):
            found.append(Shared(one.treatment, one.report, one.definitions, rows))
    return found


def alone(shared: Iterable[Shared], printed: Printed) -> Counter[str]:
    """For each baseline the number of shared choices under which it agrees, whatever the others."""
    return Counter(
        method
        for one in shared
        for method, tried in one.rows.items()
        if any(agrees(row, method, printed, dict(one.definitions)) for row in tried)
    )


def number_of_protocols(shared: Iterable[Shared]) -> int:
    """How many protocols these are."""
    return sum(one.count for one in shared)


def shuffled_methods(search: Search, printed: Printed) -> list[Printed]:
    """The printed column with its baselines exchanged, in every way but the printed one."""
    return [
        {(s, m): printed[s, dict(zip(search.baselines, order, strict=True)).get(m, m)]
         for s, m in printed}
        for order in permutations(search.baselines)
        if order != search.baselines
    ]  # fmt: skip


def other_columns(search: Search, dataset: str) -> list[Printed]:
    """The printed columns of the other data sets."""
    names = dict.fromkeys(name for name, _, _ in search.printed())
    return [search.printed_of(name) for name in names if name != dataset]


def null(shared: list[Shared], others: list[Printed]) -> tuple[float, float]:
    """Mean number of protocols that fit numbers of elsewhere, and the share of these with any."""
    counts = [number_of_protocols(fitting(shared, printed)) for printed in others]
    return float(np.mean(counts)), float(np.mean([count > 0 for count in counts]))


def chosen(fits: list[Shared], printed: Printed, text: Mapping[str, str]) -> list[Protocol]:
    """For each shared choice that fits its best protocol; those nearest to the text first.

    Nearest is: fewest choices changed, then the smallest sum of squared deviations of the
    baselines. The paper's own method has no part in it.
    """
    ranked: list[tuple[int, float, int, Protocol]] = []
    for one in fits:
        cost, settings = 0.0, []
        for method, rows in one.rows.items():
            apart = {
                row["setting"]: sum(
                    (deviations(printed[s, method], row[d], row[f"{d} spread"]) or 0.0) ** 2
                    for s, d in one.definitions
                )
                for row in rows
            }
            best = min(apart, key=lambda setting: (setting != text[method], apart[setting]))
            cost += apart[best]
            settings.append((method, best))
        protocol = Protocol(one.treatment, one.report, one.definitions, tuple(settings))
        ranked.append((len(protocol.changes(text)), round(cost, 6), len(ranked), protocol))
    return [protocol for *_, protocol in sorted(ranked, key=lambda entry: entry[:3])]


def value_under(protocol: Protocol, rows: Iterable[Row], score: str, method: str) -> Row | None:
    """The number of a cell under a protocol, and its spread."""
    definition, settings = dict(protocol.definitions)[score], dict(protocol.settings)
    for row in rows:
        if (
            (row["method"], row["report"]) == (method, protocol.report)
            and tuple(sorted(row["treatment"].items())) == protocol.treatment
            and row["setting"] == settings.get(method, row["setting"])
        ):
            return {"ours": row[definition], "spread": row[f"{definition} spread"]}
    return None


def judged(
    cell: Comparison, found: list[Protocol], rows: list[Row], text: Mapping[str, str]
) -> Row:
    """The cell with its verdict; the protocols are in the order of `chosen`.

    ``held`` says whether the cell is reproduced under the protocol nearest to the text, the one to
    hold fixed, or only under another one that fits the baselines as well.
    """
    row: Row = {
        "dataset": cell.dataset, "score": cell.score, "method": cell.method,
        "printed": cell.printed, "text": "" if cell.ours is None else round(cell.ours, 3),
        "found": "", "spread": "", "verdict": NONE_FITS, "held": "", "protocol": "",
    }  # fmt: skip
    tried = [(p, value_under(p, rows, cell.score, cell.method)) for p in found]
    known = [(p, value) for p, value in tried if value is not None]
    if known:  # what the protocol nearest to the text gives, whatever the verdict
        row |= {"found": round(known[0][1]["ours"], 3), "spread": known[0][1]["spread"]}
    if cell.verdict in (MISSING, REPRODUCED):
        return {**row, "verdict": CANNOT if cell.verdict == MISSING else REPRODUCED}
    for protocol, value in known:
        if verdict(cell.printed, value["ours"], value["spread"]) == REPRODUCED:
            row |= {"found": round(value["ours"], 3), "spread": value["spread"]}
            held = "nearest" if protocol == found[0] else "other"
            return {**row, "verdict": ANOTHER, "held": held, "protocol": protocol.named(text)}
    if found:
        row |= {"verdict": NOT_UNDER_ANY if known else NOT_RUN}
    return row
