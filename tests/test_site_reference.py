"""The reference: every public name is in it, explained, with its equations and an example."""

import dataclasses
import doctest
import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from test_public_names import LINES, MOVED

from umlbook.book.site.api.docstrings import arguments, common, entries, explained, sections
from umlbook.book.site.api.examples import WALKS
from umlbook.book.site.api.names import by_word, public
from umlbook.book.site.api.rooms import LISTS, ROOMS, api_pages, source_files
from umlbook.book.site.api.which import MEASURED, WORDS, diagram, guide, measured, with_links
from umlbook.book.site.pages import equation_pages, pages_in
from umlbook.constraints import sample
from umlbook.datasets import load

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
PAGES = pages_in(NOTEBOOKS)
EQUATIONS = equation_pages(PAGES)
WITH_CODE = [
    name
    for name in public().values()
    if inspect.isclass(name.thing) or inspect.isfunction(name.thing)
]
ESTIMATORS = [name for name in public().values() if name.is_estimator]
NO_EXAMPLE = {
    "umlbook.lloyd.Labelled": "a protocol for type checkers",
    "umlbook.kernels.KernelBank": "a protocol for type checkers",
    "umlbook.naml.QCQPSolution": "needs the extra qcqp",
    "umlbook.naml.qcqp_weights": "needs the extra qcqp",
    "umlbook.datasets.MissingExtraError": "an error",
    "umlbook.book.own.TableError": "an error",
    "umlbook.book.own.TableQuestion": "an error",
    "umlbook.book.own.ask_pairs": "a panel that writes a journal",
    "umlbook.book.own.own_data": "a panel that reads files of the reader's",
    "umlbook.book.exercise": "keeps progress on disk; the pages of exercises show it",
    "umlbook.book.explorer": "a live panel; the chapters show it",
    "umlbook.book.hand_in": "keeps progress on disk; the pages of exercises show it",
    "umlbook.book.quiz": "keeps progress on disk; the chapters show it",
    "umlbook.book.report": "keeps progress on disk; the pages of exercises show it",
    "umlbook.book.set_student": "changes the data of all exercises in this process",
}


def methods(name):
    """The public methods of a class that this package defines."""
    for word, thing in inspect.getmembers(name.thing, inspect.isfunction):
        if not word.startswith("_") and thing.__module__.startswith("umlbook"):
            yield f"{name.full}.{word}", thing


# ---------------------------------------------------------------------------------- the names


def test_the_table_of_names_has_every_public_name_once():
    lines = [line.split(": ") for line in LINES]  # a module may have several
    listed = {f"{MOVED.get(m, m)}.{word}" for m, words in lines for word in words.split()}
    things = {full: getattr(__import__(full.rpartition(".")[0], fromlist=["x"]),
                            full.rpartition(".")[2]) for full in listed}  # fmt: skip
    told = {id(name.thing) for name in public().values()}
    assert [full for full, thing in things.items() if id(thing) not in told] == []
    assert set(public()) <= listed
    assert len({id(name.thing) for name in WITH_CODE}) == len(WITH_CODE)


def test_every_room_has_a_page_and_a_place_in_the_list():
    assert {name.room for name in public().values()} == set(ROOMS)
    assert sorted(room for rooms in LISTS.values() for room in rooms) == sorted(ROOMS)


@pytest.mark.parametrize("full", public())
def test_a_name_has_equations_that_the_book_shows_or_a_reason_why_none(full):
    name = public()[full]
    assert bool(name.equations) != bool(name.because)
    assert [number for number in name.equations if number not in EQUATIONS] == []


# ------------------------------------------------------------------------------ the docstrings


@pytest.mark.parametrize("name", WITH_CODE, ids=lambda name: name.full)
def test_every_argument_is_explained_in_the_order_of_the_signature(name):
    if name.thing.__module__.startswith("sklearn"):
        return
    for full, thing in [(name.full, name.thing), *(methods(name) if name.is_estimator else [])]:
        wanted = [word for word in arguments(thing) if word not in ("args", "kwargs")]
        told = explained(thing, full)
        assert [word for word in wanted if not (word in told and told[word].meaning)] == [], full
        own = [one.name for one in entries(sections(inspect.getdoc(thing)).get("Parameters", []))]
        assert own == [word for word in wanted if word in own], f"{full}: another order"


@pytest.mark.parametrize("name", WITH_CODE, ids=lambda name: name.full)
def test_every_name_has_an_example_that_is_run(name):
    lines = inspect.getdoc(name.thing) or ""
    walk = WALKS.get(name.room, "")
    has = ">>> " in lines or re.search(rf"\b{name.name}\b", walk) is not None
    assert has != (name.full in NO_EXAMPLE)


def test_walks_are_examples_that_show_something():
    for walk in WALKS.values():
        assert any(one.want for one in doctest.DocTestParser().get_examples(walk))


SETTINGS = {
    "CPCM": {"predictor": "kernel-ridge"},
    "KernelBeta": {"centered": True},
    "ProbabilisticMetric": {"kernel": None},
}
"""Settings under which an estimator has attributes that it has not by default."""


def fitted(name, **settings):
    """The estimator, fitted to a small table, and to pairs where it wants them."""
    table = load("iris")
    X, y = table.data[::3], table.target[::3]
    if name.name == "OnPairs":
        from umlbook import LatentClassPairs

        pairs = np.concatenate(sample(y, 6, 6, random_state=0))
        return name.thing(LatentClassPairs(3, random_state=0), X).fit(pairs, np.arange(12) < 6)
    params = {"random_state": 0, "n_clusters": 3} | settings
    model = name.thing().set_params(
        **{word: value for word, value in params.items() if word in arguments(name.thing)}
    )
    if "must_link" not in inspect.signature(model.fit).parameters:
        return model.fit(X)
    must, cannot = sample(y, 10, 10, random_state=0)
    return model.fit(X, must_link=must, cannot_link=cannot)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS, ids=lambda name: name.name)
def test_attributes_of_the_docstring_exist_after_fit(name):
    told = entries(sections(inspect.getdoc(name.thing)).get("Attributes", []))
    assert told and not [one.name for one in told if one.name.startswith("_")]
    assert [one.name for one in told if not (one.meaning or common(name.full, one.name))] == []
    models = [fitted(name)]
    if name.name in SETTINGS:
        models.append(fitted(name, **SETTINGS[name.name]))
    missing = [one.name for one in told if not any(hasattr(m, one.name) for m in models)]
    assert missing == []


def test_states_have_fields_and_each_is_explained():
    states = [name for name in WITH_CODE if dataclasses.is_dataclass(name.thing)]
    assert len(states) > 20
    for name in states:
        assert set(arguments(name.thing)) == set(explained(name.thing, name.full)), name.full


# ----------------------------------------------------------------------------------- the pages


@pytest.fixture(scope="module")
def made():
    return api_pages(PAGES)


def test_every_name_is_documented_on_the_page_of_its_room_with_its_equations(made):
    for name in public().values():
        page = made[f"reference/{name.room}"]
        assert re.search(rf"^\.\. (auto|py:)\w+:: {re.escape(name.full)}\b", page, re.MULTILINE)
        place = page[page.index(f"# {name.name}\n"):]  # fmt: skip
        about = place[: place.index("eval-rst")]
        assert re.findall(r'#eq-([\dR.]+)"', about) == list(name.equations), name.full
        assert f'href="{name.room}.html#{name.full}"' in made["reference/index"]


def test_the_source_of_every_name_is_part_of_the_site(made):
    linked = {
        path
        for page in made.values()
        for path in re.findall(r'href="\.\./(_static/source/[^#"]*)', page)
    }
    assert linked == set(source_files()) and len(linked) > 40


def test_which_estimator_has_every_row_of_the_guide_with_what_was_measured(made):
    rows = guide(PAGES)
    assert len(rows) == len(MEASURED) >= 6
    for words in MEASURED:
        assert sum(words in row.data for row in rows) == 1, f"the guide has no row '{words}'"
    for row in rows:
        found = measured(row)
        assert len(found.scores) >= 2 and "k-means" in found.scores
        assert all(0 <= score <= 1 for score in found.scores.values())
        assert all(
            f"{score:.2f}</span>" in made["reference/which"] for score in found.scores.values()
        )
        assert f'href="#{row.place}"' in diagram(rows)
    assert {word for word in WORDS if any(word in row.first + row.beware for row in rows)} == set(
        WORDS
    )
    assert all(full in public() for full in WORDS.values())


def test_the_guide_links_estimators_and_sections_and_leaves_links_alone():
    assert with_links("section 8.5", {"8.5": "x"}) == with_links("8.5", {"8.5": "x"})
    html = with_links("[AML](x.md) or NAML (8.5), not PNAML", {"8.5": "here"})
    assert html == (
        '[AML](x.md) or <a href="naml.html#umlbook.NAML">NAML</a> '
        '(<a href="here">section 8.5</a>), not PNAML'
    )


def test_a_word_that_means_two_things_is_no_link():
    assert "CPDUML" in by_word() and "kernel_weights" in by_word()
    assert not {"objective", "names", "sample", "S", "load"} & set(by_word())
