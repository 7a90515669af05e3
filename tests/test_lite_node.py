"""Every chapter and every solution runs in the Python of the live book and says what is stored.

The interpreter is the browser's, under Node: started once, with the modules of the book loaded anew
for each notebook. It rounds as no processor of a reader does, so this is also a test of another
machine. The long chapters are run with ``--lite-all`` only, as before each publication: they take
three minutes, the others and all solutions one.
"""

import nbformat
import pytest
from support.lite import NOTEBOOKS, NodePython, built_book, differences, node_or_skip

PAGES = [
    path.relative_to(NOTEBOOKS).as_posix()
    for part in (".", "solutions")
    for path in sorted((NOTEBOOKS / part).glob("*.ipynb"))
]
LONG = {"02-ky-fan", "03-blur-ratio", "05-learning-the-kernel", "06-coherent-point-drift"}
LONG |= {"07-constraints-and-annealing", "10-your-own-data", "rivals"}
LONG |= {"12-asking-for-pairs"}
pytestmark = pytest.mark.exact_data


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    node_or_skip()
    running = NodePython(built_book(tmp_path_factory.mktemp("live")))
    yield running
    running.close()


def printed(python, *sources):
    """The text that the last of some cells shows."""
    outputs, _ = python.run(list(sources))
    assert not [o for cell in outputs[:-1] for o in cell if o.output_type == "error"]
    texts = (o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs[-1])
    return "".join(texts)


@pytest.mark.parametrize("name", PAGES)
def test_a_notebook_says_in_the_browser_what_is_stored(python, name, pytestconfig):
    if name.removesuffix(".ipynb") in LONG and not pytestconfig.getoption("lite_all"):
        pytest.skip("a long chapter: run it with --lite-all")
    cells = [c for c in nbformat.read(NOTEBOOKS / name, 4).cells if c.cell_type == "code"]
    outputs, _ = python.run([cell.source for cell in cells])
    assert differences(cells, outputs) == []


def test_a_wrong_number_an_error_and_bytes_are_seen(python):
    sources = ["2 + 2", "1 / 0", "display({'image/png': b'1'}, raw=True)"]
    outputs, _ = python.run(sources)
    wrong = nbformat.v4.new_output("execute_result", {"text/plain": "5"})
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells[0].outputs = [wrong]
    said = "\n".join(differences(cells, outputs))
    assert "code cell 1: text/plain: stored\n5\nnow\n4" in said
    assert "code cell 2: <class 'ZeroDivisionError'>: division by zero" in said
    assert "code cell 3: bytes" in said


def test_an_endless_answer_is_stopped_and_a_right_one_is_not(python):
    said = printed(
        python,
        "from umlbook.book import exercise\nfrom umlbook.book.exercises import run\n"
        "run.TIME_LIMIT = 1\nex = exercise('8.7')",
        "def endless(classes, clusters):\n    while True:\n        pass",
        "ex.check(endless)",
    )
    assert "it ran longer than 1 s and was stopped" in said
    right = "from umlbook.book import exercise\nex = exercise('8.7')\nex.check(ex.spec.reference)"
    assert "correct" in printed(python, right)


@pytest.mark.parametrize("command", [["grade", "."], ["refresh"], ["site"], ["lite"], []])
def test_a_command_that_starts_processes_says_so_in_one_sentence(python, command):
    said = printed(python, f"from umlbook.tools.cli import main\nmain({command})")
    name = " ".join(["umlbook", *command[:1]])
    start = f"{name} starts other processes, which Python in a web page cannot"
    assert said.startswith(start) and said.count("\n") == 1


@pytest.mark.parametrize("option", [["--jobs", "2"], ["--dask", "tcp://127.0.0.1:1"]])
def test_reproduce_with_processes_says_so_in_one_sentence(python, option):
    words = ["reproduce", "pm-figure-2", "--quick", *option]
    said = printed(python, f"from umlbook.tools.cli import main\nmain({words})")
    assert f"reproduce with {option[0]} starts other processes" in said


def test_nothing_warns_when_scikit_learn_looks_at_the_threads(python):
    said = printed(
        python,
        "import warnings\nfrom sklearn.cluster import KMeans\nfrom umlbook.datasets import load",
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    KMeans(3, n_init=1, random_state=0).fit(load('iris').data)\n"
        "print([str(w.message) for w in caught])",
    )
    assert said == "[]\n"
